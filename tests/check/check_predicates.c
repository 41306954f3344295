/* SPDX-License-Identifier: MIT
 * Every predicate on small outputs: what passes, what fails, what there is nothing to say of, and special values.
 */
#include "plugin/numbers.h"
#include "plugin/registry.h"
#include "util/diag.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST 8

struct row {
    const char *predicate;
    uint32_t dtype;
    int64_t n;
    double candidate[MOST], reference[MOST];
    double bounds[2];
    uint32_t passed;
    const char *key;
    double value; /* of the first key */
    const char *note;
};

#define F32 TF_DTYPE_F32
#define E4M3 TF_DTYPE_FP8E4M3
#define INF HUGE_VAL
#define NOT_A_NUMBER ((double)NAN)
#define EMPTY "the output has no elements, so nothing was compared"
#define ONE_STEP 0x1.000002p0 /* f32 after 1 */

static const struct row ROWS[] = {
    /* allclose: the bound itself passes; a step past it fails; zeros below atol pass, which is what mutants find */
    {"allclose", F32, 2, {1.5, 2}, {1, 2}, {0.5, 0}, 1, "max_violation", 0, NULL},
    {"allclose", F32, 2, {1.75, 2}, {1, 2}, {0.5, 0}, 0, "max_violation", 0.25, NULL},
    {"allclose", F32, 1, {1.5}, {2}, {0, 0.25}, 1, "max_violation", 0, NULL},
    {"allclose", F32, 1, {2}, {1.5}, {0, 0.25}, 0, "max_violation", 0.125, NULL},
    {"allclose", F32, 1, {1}, {1.1}, {0, 0.095}, 1, "max_violation", 0, NULL},
    {"allclose", F32, 2, {0, 0}, {3, -2}, {16, 0}, 1, "max_violation", 0, NULL},
    {"allclose", F32, 1, {NOT_A_NUMBER}, {1}, {9, 9}, 0, "max_violation", NOT_A_NUMBER, NULL},
    {"allclose", F32, 1, {1}, {NOT_A_NUMBER}, {9, 9}, 0, "max_violation", NOT_A_NUMBER, NULL},
    {"allclose", F32, 2, {INF, -INF}, {INF, -INF}, {0, 0}, 1, "max_violation", 0, NULL},
    {"allclose", F32, 1, {INF}, {-INF}, {9, 9}, 0, "max_violation", INF, NULL},
    {"allclose", F32, 1, {1}, {INF}, {9, 9}, 0, "max_violation", INF, NULL},
    {"allclose", F32, 1, {INF}, {1}, {9, 9}, 0, "max_violation", INF, NULL},
    {"allclose", F32, 1, {3e38}, {-3e38}, {9, 9}, 0, "max_violation", INF, NULL},
    {"allclose", F32, 1, {-0.0}, {0}, {0, 0}, 1, "max_violation", 0, NULL},
    {"allclose", F32, 1, {1}, {1}, {NOT_A_NUMBER, 0}, 0, "max_violation", NOT_A_NUMBER, NULL},
    {"allclose", F32, 1, {1}, {1}, {-1, 0}, 0, "max_violation", 1, NULL},
    {"allclose", F32, 0, {0}, {0}, {9, 9}, 0, "max_violation", 0, EMPTY},
    {"allclose", TF_DTYPE_F64, 1, {1 + 0x1p-50}, {1}, {0x1p-51, 0}, 0, "max_violation", 0x1p-51, NULL},
    {"allclose", E4M3, 1, {288}, {320}, {32, 0}, 1, "max_violation", 0, NULL},

    {"bias", F32, 2, {1.01, 0.99}, {1, 1}, {1e-3}, 1, "bias", 0, NULL},
    {"bias", F32, 2, {-0.75, 0.75}, {-1, 1}, {0.125}, 0, "bias", -0.25, NULL},
    {"bias", F32, 2, {-1.25, 1.25}, {-1, 1}, {0.25}, 1, "bias", 0.25, NULL},
    {"bias", F32, 2, {0, 0}, {0, 0}, {1e-3}, 1, "bias", 0, "both sides are entirely zero"},
    {"bias", F32, 2, {0, 1}, {0, 0}, {1e9}, 0, "bias", INF, "the reference is entirely zero and the candidate is not"},
    {"bias", F32, 2, {INF, 1}, {INF, 1}, {0}, 1, "bias", 0, NULL},
    {"bias", F32, 2, {NOT_A_NUMBER, 1}, {1, 1}, {9}, 0, "bias", NOT_A_NUMBER, NULL},
    {"bias", F32, 0, {0}, {0}, {9}, 0, "bias", 0, EMPTY},

    {"cosine", F32, 2, {2, 4}, {1, 2}, {1}, 1, "cosine", 1, NULL},
    {"cosine", F32, 2, {1, 0}, {0, 1}, {0.5}, 0, "cosine", 0, NULL},
    {"cosine", F32, 2, {-1, -2}, {1, 2}, {-1}, 1, "cosine", -1, NULL},
    {"cosine", F32, 2, {0, 0}, {0, 0}, {1}, 1, "cosine", 1, "both sides are entirely zero"},
    {"cosine", F32, 2, {0, 0}, {1, 0}, {-1}, 0, "cosine", 0, "one side is entirely zero and the other is not"},
    {"cosine", F32, 2, {1, 0}, {0, 0}, {-1}, 0, "cosine", 0, "one side is entirely zero and the other is not"},
    {"cosine", F32, 2, {3e38, 3e38}, {-3e38, -3e38}, {0}, 0, "cosine", -1, NULL},
    {"cosine", F32, 2, {NOT_A_NUMBER, 1}, {1, 1}, {-1}, 0, "cosine", NOT_A_NUMBER, NULL},
    {"cosine", F32, 2, {INF, 1}, {INF, 1}, {1}, 1, "cosine", 1, NULL},
    {"cosine", F32, 2, {INF, 1}, {-INF, 1}, {-1}, 0, "cosine", NOT_A_NUMBER, NULL},
    {"cosine", F32, 0, {0}, {0}, {-1}, 0, "cosine", 0, EMPTY},
    {"cosine", TF_DTYPE_F64, 2, {1e300, 1e300}, {1e300, 1e300}, {1}, 1, "cosine", 1, NULL},
    {"cosine", TF_DTYPE_F64, 2, {1e-300, 0}, {1e-300, 0}, {1}, 1, "cosine", 1, "both sides are entirely zero"},

    {"equal", F32, 2, {1, 2}, {1, 2}, {0}, 1, "mismatched", 0, NULL},
    {"equal", F32, 2, {1, ONE_STEP}, {1, 1}, {0}, 0, "mismatched", 1, NULL},
    {"equal", F32, 1, {-0.0}, {0}, {0}, 1, "mismatched", 0, NULL},
    {"equal", F32, 2, {NOT_A_NUMBER, INF}, {NOT_A_NUMBER, INF}, {0}, 0, "mismatched", 1, NULL},
    {"equal", E4M3, 2, {288, -0.0}, {320, 0}, {0}, 0, "mismatched", 1, NULL},
    {"equal", TF_DTYPE_I64, 2, {5, -1}, {5, -1}, {0}, 1, "mismatched", 0, NULL},
    {"equal", TF_DTYPE_I32, 2, {5, -1}, {5, 1}, {0}, 0, "mismatched", 1, NULL},
    {"equal", TF_DTYPE_I8, 2, {5, -1}, {5, 1}, {0}, 0, "mismatched", 1, NULL},
    {"equal", TF_DTYPE_U8, 2, {5, 255}, {5, 255}, {0}, 1, "mismatched", 0, NULL},
    {"equal", TF_DTYPE_BOOL, 2, {0, 1}, {0, 0}, {0}, 0, "mismatched", 1, NULL},
    {"equal", F32, 0, {0}, {0}, {0}, 0, "mismatched", 0, EMPTY},

    {"gain", F32, 2, {1.04, 2.08}, {1, 2}, {1e-3}, 0, "gain", 1.04, NULL},
    {"gain", F32, 2, {1.25, 2.5}, {1, 2}, {0.25}, 1, "gain", 1.25, NULL},
    {"gain", F32, 2, {0, 0}, {1, 2}, {0.5}, 0, "gain", 0, NULL},
    {"gain", F32, 2, {0, 0}, {0, 0}, {0}, 1, "gain", 1, "both sides are entirely zero"},
    {"gain", F32, 2, {1, 0}, {0, 0}, {9}, 0, "gain", INF, "the reference is entirely zero and the candidate is not"},
    {"gain", F32, 2, {NOT_A_NUMBER, 0}, {1, 1}, {9}, 0, "gain", NOT_A_NUMBER, NULL},
    {"gain", F32, 0, {0}, {0}, {9}, 0, "gain", 0, EMPTY},

    {"grid", E4M3, 3, {288, 1, 2}, {320, 1, 2}, {1, 1}, 1, "max_codes", 1, NULL},
    {"grid", E4M3, 3, {288, 1.125, 2}, {320, 1, 2}, {1, 1}, 0, "max_codes", 1, NULL},
    {"grid", E4M3, 2, {256, 2}, {320, 2}, {1, 9}, 0, "max_codes", 2, NULL},
    {"grid", E4M3, 2, {-0.0, 2}, {0, 2}, {0, 0}, 1, "max_codes", 0, NULL},
    {"grid", E4M3, 1, {0x1p-9}, {-0x1p-9}, {2, 1}, 1, "max_codes", 2, NULL},
    {"grid", E4M3, 1, {NOT_A_NUMBER}, {448}, {999, 9}, 0, "max_codes", NOT_A_NUMBER, NULL},
    {"grid", E4M3, 1, {NOT_A_NUMBER}, {NOT_A_NUMBER}, {999, 9}, 0, "max_codes", NOT_A_NUMBER, NULL},
    {"grid", TF_DTYPE_FP8E5M2, 1, {1.25}, {1}, {1, 1}, 1, "max_codes", 1, NULL},
    {"grid", TF_DTYPE_F8E8M0, 1, {4}, {1}, {2, 1}, 1, "max_codes", 2, NULL},
    {"grid", TF_DTYPE_F4E2M1, 2, {-0.5, 6}, {0.5, 4}, {2, 2}, 1, "max_codes", 2, NULL},
    {"grid", TF_DTYPE_BF16, 1, {1.0078125}, {1}, {1, 1}, 1, "max_codes", 1, NULL},
    {"grid", E4M3, 0, {0}, {0}, {9, 9}, 0, "max_codes", 0, EMPTY},

    {"max_abs", F32, 2, {1.5, 2}, {1, 2}, {0.5}, 1, "max_abs", 0.5, NULL},
    {"max_abs", F32, 2, {1.5, 2}, {1, 2}, {0.25}, 0, "max_abs", 0.5, NULL},
    {"max_abs", F32, 2, {NOT_A_NUMBER, 7}, {1, 1}, {9}, 0, "max_abs", NOT_A_NUMBER, NULL},
    {"max_abs", F32, 1, {1}, {INF}, {INF}, 1, "max_abs", INF, NULL},
    {"max_abs", F32, 1, {INF}, {INF}, {0}, 1, "max_abs", 0, NULL},
    {"max_abs", F32, 1, {0x1p-149}, {0}, {0}, 0, "max_abs", 0x1p-149, NULL},
    {"max_abs", F32, 0, {0}, {0}, {9}, 0, "max_abs", 0, EMPTY},

    {"max_rel", F32, 2, {1.5, 2}, {1, 2}, {0.5}, 1, "max_rel", 0.5, NULL},
    {"max_rel", F32, 2, {1.5, 2}, {1, 2}, {0.25}, 0, "max_rel", 0.5, NULL},
    {"max_rel", F32, 2, {0, 2}, {0, 2}, {0}, 1, "max_rel", 0, NULL},
    {"max_rel", F32, 2, {1e-20, 2}, {0, 2}, {9}, 0, "max_rel", INF, NULL},
    {"max_rel", F32, 1, {NOT_A_NUMBER}, {0}, {9}, 0, "max_rel", NOT_A_NUMBER, NULL},
    {"max_rel", F32, 1, {-INF}, {-INF}, {0}, 1, "max_rel", 0, NULL},
    {"max_rel", F32, 1, {1}, {-INF}, {9}, 0, "max_rel", INF, NULL},
    {"max_rel", F32, 0, {0}, {0}, {9}, 0, "max_rel", 0, EMPTY},

    {"nan_inf", F32, 2, {1, 2}, {0}, {0}, 1, "nan", 0, NULL},
    {"nan_inf", F32, 2, {NOT_A_NUMBER, 2}, {0}, {0}, 0, "nan", 1, NULL},
    {"nan_inf", F32, 2, {-INF, 2}, {0}, {0}, 0, "nan", 0, NULL},
    {"nan_inf", E4M3, 2, {NOT_A_NUMBER, 448}, {0}, {0}, 0, "nan", 1, NULL},
    {"nan_inf", TF_DTYPE_F8E8M0, 2, {NOT_A_NUMBER, 1}, {0}, {0}, 0, "nan", 1, NULL},
    {"nan_inf", TF_DTYPE_FP8E5M2, 2, {57344, 1}, {0}, {0}, 1, "nan", 0, NULL},
    {"nan_inf", TF_DTYPE_F16, 2, {65504, 0x1p-24}, {0}, {0}, 1, "nan", 0, NULL},
    {"nan_inf", F32, 0, {0}, {0}, {0}, 0, "nan", 0, EMPTY},

    {"rel_l2", F32, 2, {3, 5}, {3, 4}, {0.2}, 1, "rel_l2", 0.2, NULL},
    {"rel_l2", F32, 2, {3, 5}, {3, 4}, {0.19}, 0, "rel_l2", 0.2, NULL},
    {"rel_l2", F32, 2, {0, 0}, {3, 4}, {0.99}, 0, "rel_l2", 1, NULL},
    {"rel_l2", F32, 2, {3, 4}, {0, 0}, {5}, 1, "absolute_l2", 5,
        "the reference norm is zero; this is an absolute L2 distance"},
    {"rel_l2", F32, 2, {0, 0}, {0, 0}, {0}, 1, "absolute_l2", 0,
        "the reference norm is zero; this is an absolute L2 distance"},
    {"rel_l2", F32, 2, {3e38, 3e38}, {-3e38, -3e38}, {1}, 0, "rel_l2", 2, NULL},
    {"rel_l2", F32, 2, {INF, 4}, {INF, 4}, {0}, 1, "rel_l2", 0, NULL},
    {"rel_l2", F32, 2, {INF, 4}, {1, 4}, {9}, 0, "rel_l2", NOT_A_NUMBER, NULL},
    {"rel_l2", F32, 2, {NOT_A_NUMBER, 4}, {NOT_A_NUMBER, 4}, {9}, 0, "rel_l2", NOT_A_NUMBER, NULL},
    {"rel_l2", F32, 0, {0}, {0}, {9}, 0, "rel_l2", 0, EMPTY},
    {"rel_l2", TF_DTYPE_F64, 2, {0, 0}, {3e300, 4e300}, {1}, 1, "rel_l2", 1, NULL},

    {"ulp", F32, 2, {ONE_STEP, 2}, {1, 2}, {1}, 1, "max_ulp", 1, NULL},
    {"ulp", F32, 2, {ONE_STEP, 2}, {1, 2}, {0}, 0, "max_ulp", 1, NULL},
    {"ulp", F32, 1, {-0.0}, {0}, {0}, 1, "max_ulp", 0, NULL},
    {"ulp", F32, 1, {0x1p-149}, {-0x1p-149}, {2}, 1, "max_ulp", 2, NULL},
    {"ulp", F32, 1, {3e38}, {-3e38}, {0}, 0, "max_ulp", 4274217932, NULL},
    {"ulp", F32, 1, {NOT_A_NUMBER}, {NOT_A_NUMBER}, {9e9}, 0, "max_ulp", NOT_A_NUMBER, NULL},
    {"ulp", F32, 1, {INF}, {INF}, {0}, 1, "max_ulp", 0, NULL},
    {"ulp", F32, 1, {INF}, {3e38}, {9e9}, 0, "max_ulp", NOT_A_NUMBER, NULL},
    {"ulp", TF_DTYPE_F64, 1, {1e300}, {-1e300}, {1e20}, 1, "max_ulp", 18189977842257816376.0, NULL},
    {"ulp", TF_DTYPE_BF16, 1, {1.015625}, {1}, {2}, 1, "max_ulp", 2, NULL},
    {"ulp", TF_DTYPE_F16, 1, {1.0009765625}, {1}, {1}, 1, "max_ulp", 1, NULL},
    {"ulp", F32, 0, {0}, {0}, {9}, 0, "max_ulp", 0, EMPTY},
};

static tf_ctx *ctx;

static void set_up(void)
{
    static const struct tf_math math = {.struct_size = sizeof(math), .sqrt = sqrt};
    char path[512];
    ctx = ctx_create();
    ctx->math = &math;
    registry_only_added_paths(ctx);
    snprintf(path, sizeof(path), "%s/plugins/.libs", getenv("TF_BUILD") ? getenv("TF_BUILD") : ".");
    ck_assert_int_eq(registry_add_path(ctx, path), 0);
}

static void tear_down(void)
{
    registry_destroy(ctx->registry);
    ctx_destroy(ctx);
}

struct side {
    struct tf_tensor tensor;
    double aligned[MOST];
};

static const struct tf_tensor *make_side(struct side *side, const struct row *row, const double *values)
{
    side->tensor = (struct tf_tensor){
        .struct_size = sizeof(side->tensor), .dtype = row->dtype, .rank = 1, .extents = &row->n, .data = side->aligned};
    number_store_f64(row->dtype, (size_t)row->n, values, side->aligned, FP8_NAN);
    return &side->tensor;
}

static int is_near(double a, double b)
{
    return (isnan(a) && isnan(b)) || a == b || fabs(a - b) <= 1e-7 * fabs(b) || (b == 0 && fabs(a) < 1e-7);
}

START_TEST(judges)
{
    const struct row *row = &ROWS[_i];
    struct side candidate, reference;
    const struct tf_predicate *predicate = registry_predicate(ctx, row->predicate);
    ck_assert_ptr_nonnull(predicate);
    ck_assert_msg(predicate->dtypes >> row->dtype & 1, "row %d: %s does not take the dtype", _i, row->predicate);
    struct tf_judgement judgement = {.struct_size = sizeof(judgement)};
    int status = predicate->judge(ctx, make_side(&candidate, row, row->candidate),
        predicate->needs_reference ? make_side(&reference, row, row->reference) : NULL, row->bounds, &judgement);
    ck_assert_int_eq(status, TF_OK);
    ck_assert_msg(judgement.passed == row->passed, "row %d, %s: passed is %u", _i, row->predicate, judgement.passed);
    ck_assert_str_eq(judgement.keys[0], row->key);
    ck_assert_msg(is_near(judgement.values[0], row->value), "row %d, %s: %.17g, expected %.17g", _i, row->predicate,
        judgement.values[0], row->value);
    ck_assert_msg(
        (!judgement.note && !row->note) || (judgement.note && row->note && !strcmp(judgement.note, row->note)),
        "row %d, %s: note is %s", _i, row->predicate, judgement.note ? judgement.note : "absent");
}
END_TEST

/* Element by element it is judged the same, and what was decided early is a FAIL. */
START_TEST(folds)
{
    const struct row *row = &ROWS[_i];
    struct side candidate, reference;
    const struct tf_predicate *predicate = registry_predicate(ctx, row->predicate);
    const struct tf_tensor *c = make_side(&candidate, row, row->candidate),
                           *r = make_side(&reference, row, row->reference);
    struct tf_judgement whole = {.struct_size = sizeof(whole)}, folded = {.struct_size = sizeof(folded)};
    size_t width = number_bytes(row->dtype);
    int64_t one = 1;
    int rc = TF_OK, is_decided = 0;
    void *state = calloc(1, predicate->state_bytes);
    for (int64_t i = 0; i < row->n && rc >= 0; i++) {
        struct tf_tensor at[2] = {*c, *r};
        for (int k = 0; k < 2; k++) {
            at[k].extents = &one;
            at[k].data = (char *)at[k].data + (size_t)i * width;
        }
        struct tf_judge_block block = {.struct_size = sizeof(block),
            .candidate = &at[0],
            .reference = predicate->needs_reference ? &at[1] : NULL,
            .bounds = row->bounds,
            .first = (uint64_t)i};
        rc = predicate->fold(state, &block);
        is_decided |= rc == TF_DECIDED;
    }
    ck_assert_int_eq(predicate->judge(ctx, c, r, row->bounds, &whole), TF_OK);
    if (rc == TF_E_UNSUPPORTED) {
        ck_assert_uint_eq(row->dtype, TF_DTYPE_F64); /* sums of which are scaled by what they are of */
    } else {
        ck_assert_int_eq(predicate->conclude(ctx, state, row->bounds, &folded), TF_OK);
        ck_assert(!is_decided || !folded.passed);
        ck_assert_uint_eq(folded.passed, whole.passed);
        ck_assert_uint_eq(folded.worst, whole.worst);
        ck_assert_uint_eq(folded.n_values, whole.n_values);
        for (uint32_t i = 0; i < whole.n_values; i++) {
            ck_assert_str_eq(folded.keys[i], whole.keys[i]);
            ck_assert(!memcmp(&folded.values[i], &whole.values[i], sizeof(double)) || isnan(whole.values[i]));
        }
    }
    free(state);
}
END_TEST

static const struct row *judge_row(const struct row *row, struct tf_judgement *judgement)
{
    struct side candidate, reference;
    const struct tf_predicate *predicate = registry_predicate(ctx, row->predicate);
    *judgement = (struct tf_judgement){.struct_size = judgement->struct_size};
    ck_assert_int_eq(predicate->judge(ctx, make_side(&candidate, row, row->candidate),
                         make_side(&reference, row, row->reference), row->bounds, judgement),
        TF_OK);
    return row;
}

/* ---- derived: by an enclosure -------------------------------------------------------------------------------------*/

#define MAY TF_DOUBT_MAY_NAN
#define MUST (TF_DOUBT_MAY_NAN | TF_DOUBT_MUST_NAN)
#define HOPELESS                                                                                                       \
    "no correct digits: for more than half of the elements the enclosure is wider than the value, so legal "           \
    "implementations differ by more than what they compute"

struct enclosed_row {
    uint32_t dtype;
    int64_t n;
    double candidate[MOST], lo[MOST], hi[MOST];
    uint8_t doubt[MOST];
    uint32_t passed;
    double outside, open;
    uint64_t worst; /* 1 + the element's index */
    const char *note;
};

static const struct enclosed_row ENCLOSED[] = {
    /* the ends themselves pass, what is past one fails, and the farthest is the worst */
    {F32, 3, {1, 2, 1.5}, {1, 1, 1}, {2, 2, 2}, {0}, 1, 0, 3, 0, NULL},
    {F32, 2, {1, 1}, {1, 1}, {1, 1}, {0}, 1, 0, 0, 0, NULL},
    {F32, 2, {ONE_STEP, 1}, {1, 1}, {1, 1}, {0}, 0, 1, 0, 1, NULL},
    {F32, 3, {0.5, 2, 4}, {1, 1, 1}, {1, 3, 3}, {0}, 0, 2, 2, 3, NULL},
    {E4M3, 2, {288, 320}, {288, 288}, {288, 320}, {0}, 1, 0, 1, 0, NULL},
    {E4M3, 1, {320}, {288}, {288}, {0}, 0, 1, 0, 1, NULL},
    {TF_DTYPE_I32, 2, {3, 4}, {3, 3}, {3, 3}, {0}, 0, 1, 0, 2, NULL},
    {TF_DTYPE_BOOL, 2, {1, 0}, {1, 0}, {1, 1}, {0}, 1, 0, 1, 0, NULL},
    /* one that is as wide as zeros pass, and so every gross mutant: said, and VACUOUS is the check's to say */
    {F32, 2, {0, 0}, {-1, -1}, {1, 1}, {0}, 1, 0, 2, 0, HOPELESS},
    {F32, 2, {-3, 3}, {-4, -4}, {4, 4}, {0}, 1, 0, 2, 0, HOPELESS},
    /* NaN where it may be, where it must be, and where it must not */
    {F32, 2, {NOT_A_NUMBER, 1}, {0, 1}, {1, 1}, {MAY, 0}, 1, 0, 1, 0, NULL},
    {F32, 1, {NOT_A_NUMBER}, {INF}, {-INF}, {MUST}, 1, 0, 0, 0, NULL},
    {F32, 1, {1}, {INF}, {-INF}, {MUST}, 0, 1, 0, 1, NULL},
    {F32, 1, {NOT_A_NUMBER}, {1}, {1}, {0}, 0, 1, 0, 1, NULL},
    /* infinities are values, and far from every finite one */
    {F32, 2, {INF, 1}, {INF, 1}, {INF, 1}, {0}, 1, 0, 0, 0, NULL},
    {F32, 2, {5, INF}, {1, 1}, {1, 3}, {0}, 0, 2, 1, 2, NULL},
    {F32, 0, {0}, {0}, {0}, {0}, 0, 0, 0, 0, EMPTY},
};

START_TEST(judges_enclosed)
{
    const struct enclosed_row *row = &ENCLOSED[_i];
    char elements[MOST * 8];
    struct tf_judgement judgement = {.struct_size = sizeof(judgement)};
    struct tf_tensor candidate = {
        .struct_size = sizeof(candidate), .dtype = row->dtype, .rank = 1, .extents = &row->n, .data = elements};
    double lo[MOST], hi[MOST];
    uint8_t doubt[MOST];
    memcpy(lo, row->lo, sizeof(lo));
    memcpy(hi, row->hi, sizeof(hi));
    memcpy(doubt, row->doubt, sizeof(doubt));
    struct tf_tensor enclosure = candidate;
    enclosure.data = lo;
    enclosure.bound = hi;
    enclosure.doubt = doubt;
    number_store_f64(row->dtype, (size_t)row->n, row->candidate, elements, 0);
    ck_assert_int_eq(
        registry_predicate(ctx, "derived")->judge_enclosed(ctx, &candidate, NULL, &enclosure, NULL, &judgement), TF_OK);
    ck_assert_uint_eq(judgement.passed, row->passed);
    ck_assert_uint_eq(judgement.n_values, 3);
    ck_assert_double_eq(judgement.values[0], row->outside);
    ck_assert_double_eq(judgement.values[2], row->open);
    ck_assert_uint_eq(judgement.worst, row->worst);
    ck_assert_str_eq(judgement.note ? judgement.note : "", row->note ? row->note : "");
}
END_TEST

/* The element that decided, and what grid tells beside its figures. */
START_TEST(tells)
{
    static const struct row WORST = {"max_abs", F32, 4, {1, 2, 3.5, 4}, {1, 2, 3, 4.25}, {0}, 0, NULL, 0, NULL};
    static const struct row NANS = {"rel_l2", F32, 3, {1, 9, NOT_A_NUMBER}, {1, 1, 1}, {0}, 0, NULL, 0, NULL};
    static const struct row STEPS = {
        "grid", E4M3, 5, {1, 1.125, 1.25, 2.5, NOT_A_NUMBER}, {1, 1, 1, 1, 1}, {9, 9}, 0, NULL, 0, NULL};
    struct tf_judgement judgement = {.struct_size = sizeof(judgement)};
    judge_row(&WORST, &judgement);
    ck_assert_uint_eq(judgement.worst, 3);
    judge_row(&NANS, &judgement);
    ck_assert_uint_eq(judgement.worst, 3);
    judge_row(&STEPS, &judgement);
    ck_assert_uint_eq(judgement.worst, 5);
    ck_assert_str_eq(judgement.detail, "codes apart: 0: 1 1: 1 2: 1 9-16: 1 not comparable: 1");
    ck_assert_double_eq(judgement.values[1], 4);
}
END_TEST

/* A host of an older version has a smaller judgement, and nothing is written past it. */
START_TEST(spares_an_older_host)
{
    static const struct row WORST = {"grid", F32, 2, {1, 2}, {1, 3}, {0, 0}, 0, NULL, 0, NULL};
    struct tf_judgement judgement = {.struct_size = offsetof(struct tf_judgement, detail)};
    judge_row(&WORST, &judgement);
    ck_assert_ptr_null(judgement.detail);
    ck_assert_uint_eq(judgement.worst, 0);
}
END_TEST

/* What is not judged, and what --help needs. */
START_TEST(declares)
{
    const char *const *names;
    size_t n = registry_names(ctx, "predicate", &names);
    ck_assert_uint_ge(n, 11);
    for (size_t i = 0; i < n; i++) {
        const struct tf_predicate *predicate = registry_predicate(ctx, names[i]);
        int takes_whole = predicate->dtypes >> TF_DTYPE_I32 & 1;
        ck_assert_msg(predicate->guidance && strlen(predicate->guidance) > 40, "%s has no guidance", names[i]);
        ck_assert_int_eq(takes_whole, !strcmp(names[i], "equal") || !strcmp(names[i], "derived"));
        ck_assert_uint_eq(predicate->needs_reference, strcmp(names[i], "nan_inf") != 0);
    }
    ck_assert(!(registry_predicate(ctx, "ulp")->dtypes >> E4M3 & 1));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("predicates");
    TCase *tests = tcase_create("predicates");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, judges, 0, (int)(sizeof(ROWS) / sizeof(*ROWS)));
    tcase_add_loop_test(tests, folds, 0, (int)(sizeof(ROWS) / sizeof(*ROWS)));
    tcase_add_loop_test(tests, judges_enclosed, 0, (int)(sizeof(ENCLOSED) / sizeof(*ENCLOSED)));
    tcase_add_test(tests, tells);
    tcase_add_test(tests, spares_an_older_host);
    tcase_add_test(tests, declares);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
