/* SPDX-License-Identifier: MIT
 * Wrong candidates, of every kind for every family of operators, against the comparisons that a user would choose for such
 * an output: none of them passes one.  Each is a fault that nobody could call an inaccuracy.
 */
#include "check/check.h"
#include "eval/enclosed.h"

/* ---- faults -------------------------------------------------------------------------------------------------------*/

struct fault {
    const struct tensor *from; /* the reference */
    struct tensor *to;         /* a copy of it */
    size_t rows, columns;
    uint32_t class;
};

static void put(const struct fault *f, size_t i, double value)
{
    number_store_f64(
        f->from->pub.dtype, 1, &value, (char *)f->to->pub.data + i * number_bytes(f->from->pub.dtype), FP8_SATURATE);
}

/* Numbers of dtypes whose steps are coarse enough for one to be a fault. */
static int is_coarse(const struct fault *f)
{
    return number_bytes(f->from->pub.dtype) == 1 || f->class != TF_CLASS_FLOAT;
}

/* Beyond what any rounding explains: by a hundredth, by some codes of 16 bits, or by the next code. */
static double spoiled(const struct fault *f, size_t i)
{
    double value = element(f->from, i), next = value;
    if (f->class == TF_CLASS_BOOL)
        return !(value != 0);
    if (f->class != TF_CLASS_FLOAT)
        return value + 1;
    if (!is_coarse(f))
        return value == 0 ? 0.25 : value * (number_bytes(f->from->pub.dtype) == 2 ? 1.04 : 1.01);
    for (double share = 1; next == value; share *= 1.25) { /* to the next code, towards zero */
        double tried = value == 0 ? share : value / (1 + share / 64);
        char code[8];
        number_store_f64(f->from->pub.dtype, 1, &tried, code, FP8_SATURATE);
        number_load_f64(f->from->pub.dtype, 1, code, &next);
    }
    return next;
}

static int zeros(struct fault *f)
{
    memset(f->to->pub.data, 0, f->to->bytes);
    return 1;
}

static int negated(struct fault *f)
{
    for (size_t i = 0; i < f->from->count; i++)
        put(f, i, f->class == TF_CLASS_BOOL ? !(element(f->from, i) != 0) : -element(f->from, i));
    return 1;
}

static int shifted(struct fault *f)
{
    for (size_t i = 0; i < f->from->count; i++)
        put(f, i, element(f->from, (i + 1) % f->from->count));
    return 1;
}

static int transposed(struct fault *f)
{
    for (size_t i = 0; i < f->from->count; i++)
        put(f, i % f->columns * f->rows + i / f->columns, element(f->from, i));
    return f->rows > 1 && f->columns > 1;
}

static int scaled_by(struct fault *f, double factor)
{
    for (size_t i = 0; i < f->from->count; i++)
        put(f, i, element(f->from, i) * factor);
    return f->class == TF_CLASS_FLOAT;
}

static int gain(struct fault *f)
{
    return scaled_by(f, 1.04);
}

static int halved(struct fault *f)
{
    return scaled_by(f, 0.5);
}

/* Cut off to the bits of the dtype, or of bf16, where there was to be a rounding: one step towards zero everywhere. */
static int truncated(struct fault *f)
{
    for (size_t i = 0; i < f->from->count; i++) {
        double value = element(f->from, i);
        float cut = (float)value;
        uint32_t bits;
        memcpy(&bits, &cut, sizeof(bits));
        bits &= number_bytes(f->from->pub.dtype) == 4 ? 0xffff0000u : 0xfff00000u;
        memcpy(&cut, &bits, sizeof(cut));
        put(f, i, is_coarse(f) && i % 2 ? spoiled(f, i) : (double)cut);
    }
    return f->class == TF_CLASS_FLOAT;
}

static int one_off(struct fault *f)
{
    put(f, f->from->count / 2, spoiled(f, f->from->count / 2));
    return 1;
}

static int last_off(struct fault *f)
{
    put(f, f->from->count - 1, spoiled(f, f->from->count - 1));
    return 1;
}

static int stale(struct fault *f)
{
    size_t block = f->from->count / 4;
    for (size_t i = 0; i < block; i++)
        put(f, f->from->count - block + i, element(f->from, f->from->count - 2 * block + i));
    return block > 0;
}

static int unwritten(struct fault *f)
{
    for (size_t i = 0; i < f->columns; i++)
        put(f, f->from->count - f->columns + i, f->class == TF_CLASS_BOOL ? !(element(f->from, i) != 0) : 0);
    return f->class != TF_CLASS_BOOL;
}

static double amax(const struct fault *f, size_t row)
{
    double most = 0;
    for (size_t i = row * f->columns; i < (row + 1) * f->columns; i++)
        most = fmax(most, fabs(element(f->from, i)));
    return most;
}

static int swapped(struct fault *f)
{
    if (f->rows < 2 || f->columns < 2 || f->class != TF_CLASS_FLOAT)
        return 0;
    double first = amax(f, 0), second = amax(f, 1), ratio = first > second ? first / second : second / first;
    for (size_t i = 0; i < 2 * f->columns; i++)
        put(f, i, element(f->from, i) * (i < f->columns ? second / first : first / second));
    return first > 0 && second > 0 && ratio > 1.05;
}

static int not_a_number(struct fault *f)
{
    put(f, f->from->count / 3, (double)NAN);
    return f->class == TF_CLASS_FLOAT && element(f->to, f->from->count / 3) != element(f->to, f->from->count / 3);
}

#define FAULTS(X)                                                                                                      \
    X(zeros)                                                                                                           \
    X(negated)                                                                                                         \
    X(shifted)                                                                                                         \
    X(transposed)                                                                                                      \
    X(gain)                                                                                                            \
    X(halved)                                                                                                          \
    X(truncated)                                                                                                       \
    X(one_off)                                                                                                         \
    X(last_off)                                                                                                        \
    X(stale)                                                                                                           \
    X(unwritten)                                                                                                       \
    X(swapped)                                                                                                         \
    X(not_a_number)
static const struct {
    const char *name;
    int (*make)(struct fault *);
} FAULT[] = {
#define X(name) {#name, name},
    FAULTS(X)
#undef X
};
#define N_FAULTS (sizeof(FAULT) / sizeof(*FAULT))

/* ---- judged -------------------------------------------------------------------------------------------------------*/

struct family {
    const char *function;
    const char *family; /* for readers */
    int is_bounded;     /* derived has to have an enclosure of it; of others it may */
    size_t least;       /* wrong candidates that come of it */
};

/* Moves and codes are held to equality as well. */
static const struct family FAMILIES[] = {
    {"add", "elementwise", 1, 13},
    {"chain", "elementwise", 1, 13},
    {"curve", "elementwise", 1, 12},
    {"choice", "elementwise", 1, 12},
    {"activation", "elementwise", 1, 24},
    {"truth", "elementwise", 1, 7},
    {"total", "reduction", 1, 12},
    {"mean", "reduction", 1, 12},
    {"largest", "reduction", 1, 13},
    {"product", "matmul", 1, 13},
    {"narrow", "matmul", 1, 13},
    {"fp8", "matmul", 1, 13},
    {"rms", "norm", 1, 13},
    {"layer", "norm", 1, 13},
    {"shares", "softmax", 1, 13},
    {"halves", "softmax", 1, 12},
    {"codes", "quant", 1, 23},
    {"cast", "quant", 1, 33},
    {"quantised", "quant", 0, 24},
    {"turned", "move", 1, 26},
    {"cut", "move", 1, 13},
    {"taken", "move", 1, 13},
    {"greatest", "index", 0, 7},
    {"best", "topk", 0, 20},
    {"loop", "loop", 1, 13},
};
#define N_FAMILIES (sizeof(FAMILIES) / sizeof(*FAMILIES))

static int passes(const char *predicate, double atol, double rtol, const struct fault *f, const struct tensor *bound)
{
    double bounds[] = {atol, rtol};
    struct comparison comparison = {.predicate = registry_predicate(ctx, predicate), .bounds = bounds};
    struct tf_judgement judgement;
    ck_assert_ptr_nonnull(comparison.predicate);
    ck_assert_int_eq(judge(ctx, &comparison, &f->to->pub, &f->from->pub, bound ? &bound->pub : NULL, &judgement), 0);
    return (int)judgement.passed;
}

/* By a tolerance as it is usually given, the absolute one small beside the output's size, or to the bit. */
static int passes_usual(const struct fault *f)
{
    size_t width = number_bytes(f->from->pub.dtype);
    double largest = 0;
    for (size_t row = 0; row < f->rows; row++)
        largest = fmax(largest, amax(f, row));
    if (is_coarse(f))
        return passes("equal", 0, 0, f, NULL);
    return width == 2 ? passes("allclose", 1e-5 * largest, 1.6e-2, f, NULL)
                      : passes("allclose", 1e-6 * largest, 1.3e-3, f, NULL);
}

static int differs(const struct fault *f)
{
    for (size_t i = 0; i < f->from->count; i++)
        if (element(f->from, i) != element(f->to, i))
            return 1;
    return 0;
}

static struct fault fault_of(const struct tensor *from)
{
    uint32_t rank = from->pub.rank;
    struct fault f = {.from = from, .class = dtype_info(from->pub.dtype)->cls};
    f.columns = rank ? (size_t)from->extents[rank - 1] : 1;
    f.rows = from->count / f.columns;
    f.to = tensor_new(ctx, &memory, from->pub.dtype, rank, from->extents);
    memcpy(f.to->pub.data, from->pub.data, from->bytes);
    return f;
}

/* How many wrong candidates of an output there were; all of them fail. */
static size_t spoil(
    const struct family *family, uint32_t leaf, const struct tensor *reference, const struct tensor *bound)
{
    size_t n = 0;
    for (size_t i = 0; i < N_FAULTS; i++) {
        struct fault f = fault_of(reference);
        if (FAULT[i].make(&f) && differs(&f)) {
            n++;
            ck_assert_msg(!bound || !passes("derived", 0, 0, &f, bound), "%s[%u], %s: derived says PASS",
                family->function, leaf, FAULT[i].name);
            ck_assert_msg(
                !passes_usual(&f), "%s[%u], %s: the usual comparison says PASS", family->function, leaf, FAULT[i].name);
        }
        tensor_release(f.to);
    }
    return n;
}

static size_t spoil_family(const struct family *family)
{
    struct subject s;
    struct tf_declared declared = declared_default();
    size_t n = 0;
    open_subject(&s, "../check/wrong.py:Wrong", family->function);
    ck_assert_int_eq(eval_function(ctx, s.function, s.params, &memory, 0, &s.declared), 0);
    int is_bounded = !find_bound(&s, &declared, NULL);
    ck_assert_msg(is_bounded || !family->is_bounded, "%s: %s", family->function, told());
    for (uint32_t leaf = 0; leaf < s.declared.n; leaf++) {
        const struct tensor *bound = is_bounded ? s.bound.leaves[leaf] : NULL;
        struct fault right = fault_of(s.declared.leaves[leaf]);
        ck_assert(passes_usual(&right) && (!bound || passes("derived", 0, 0, &right, bound)));
        tensor_release(right.to);
        n += spoil(family, leaf, s.declared.leaves[leaf], bound);
    }
    close_subject(&s);
    return n;
}

/* The set is as large as it was: a fault or a family that is lost is noticed. */
#define OF_ALL 380u

START_TEST(no_wrong_candidate_passes)
{
    size_t all = 0;
    for (size_t i = 0; i < N_FAMILIES; i++) {
        size_t n = spoil_family(&FAMILIES[i]);
        ck_assert_msg(n >= FAMILIES[i].least, "%s: only %zu wrong candidates", FAMILIES[i].function, n);
        all += n;
    }
    ck_assert_uint_ge(all, OF_ALL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("wrong");
    TCase *all = tcase_create("wrong");
    tcase_set_timeout(all, 60);
    tcase_add_checked_fixture(all, set_up, end_context);
    tcase_add_test(all, no_wrong_candidate_passes);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
