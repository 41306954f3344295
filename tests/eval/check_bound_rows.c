/* SPDX-License-Identifier: MIT
 * Enclosures of what chooses, quantises and puts in elements: legal results lie in them, wrong ones do not.
 */
#include "eval/enclosed.h"
#include "eval/bound.h"

#define FILE_OF "bound_rows.py:Bound"

enum { WAYS = 40 };

static void found(struct subject *s)
{
    struct tf_declared declared = declared_default();
    run_subject(s, &declared);
    for (uint32_t leaf = 0; leaf < s->declared.n; leaf++)
        count_open(s, leaf);
}

static void begin(struct subject *s, const char *name)
{
    open_subject(s, FILE_OF, name);
}

static double rounded(const struct tensor *like, double value)
{
    char element[8];
    number_store_f64(like->pub.dtype, 1, &value, element, 0);
    number_load_f64(like->pub.dtype, 1, element, &value);
    return value;
}

static void inside(const struct subject *s, uint32_t leaf, size_t i, double value)
{
    const struct tensor *bound = s->bound.leaves[leaf];
    ck_assert_msg(holds(bound, i, value), "leaf %u, element %zu: %a is outside of [%a, %a]", leaf, i, value,
        low_end(bound, i), bound->pub.bound[i]);
}

static size_t outside(const struct subject *s, uint32_t leaf, double (*wrong)(const struct tensor *, size_t))
{
    size_t n = 0;
    for (size_t i = 0; i < s->bound.leaves[leaf]->count; i++)
        n += !holds(s->bound.leaves[leaf], i, rounded(s->declared.leaves[leaf], wrong(s->declared.leaves[leaf], i)));
    return n;
}

static double gained(const struct tensor *t, size_t i)
{
    return element(t, i) * 1.04;
}

static double negated(const struct tensor *t, size_t i)
{
    return -element(t, i);
}

static double zero(const struct tensor *t, size_t i)
{
    return 0 * element(t, i);
}

static double shifted(const struct tensor *t, size_t i)
{
    return element(t, (i + 1) % t->count);
}

/* Of so many in a hundred elements each wrong result is refused. */
static void refuses(const struct subject *s, uint32_t leaf, size_t percent)
{
    static double (*const WRONG[])(const struct tensor *, size_t) = {gained, negated, zero, shifted};
    for (size_t k = 0; k < sizeof(WRONG) / sizeof(*WRONG); k++) {
        size_t n = outside(s, leaf, WRONG[k]);
        ck_assert_msg(n * 100 >= s->bound.leaves[leaf]->count * percent,
            "leaf %u: of wrong result %zu only %zu are outside", leaf, k, n);
    }
}

/* ---- quant --------------------------------------------------------------------------------------------------------*/

enum { R = 4, N = 256, GROUP = 128 };

static float off_by(float value, int places)
{
    for (; places > 0; places--)
        value = nextafterf(value, INFINITY);
    for (; places < 0; places++)
        value = nextafterf(value, -INFINITY);
    return value;
}

static void quantised(const struct subject *s, const float *x, size_t group)
{
    float most = 0, reciprocal = random_below(2) ? 1 : 0;
    for (size_t i = 0; i < GROUP; i++)
        most = fabsf(x[i]) > most ? fabsf(x[i]) : most;
    float scale = reciprocal != 0 ? most * (1.0f / 448) : off_by(most / 448, (int)random_below(5) - 2);
    inside(s, 1, group, (double)scale);
    for (size_t i = 0; i < GROUP; i++) {
        float code = reciprocal != 0 ? x[i] * (1 / scale) : off_by(x[i] / scale, (int)random_below(5) - 2);
        code = fminf(fmaxf(code, -448), 448);
        inside(s, 0, group * GROUP + i, rounded(s->declared.leaves[0], (double)code));
    }
}

static void hold_quant(const char *name)
{
    struct subject s;
    begin(&s, name);
    found(&s);
    const float *x = floats(s.params[0]);
    for (int way = 0; way < WAYS; way++)
        for (size_t group = 0; group < R * N / GROUP; group++)
            quantised(&s, x + group * GROUP, group);
    refuses(&s, 0, 15); /* many codes are what 1.04 times as much rounds to */
    refuses(&s, 1, 99);
    close_subject(&s);
}

START_TEST(quantised_in_many_ways)
{
    hold_quant("quant_f32");
    hold_quant("quant_bf16");
}
END_TEST

/* A scale of 1 that is two places too large, and a quotient two too small: on the tie of 128 and 144, or above it. */
START_TEST(quotients_of_scales_as_far_off_as_declared)
{
    struct subject s;
    begin(&s, "quant_f32");
    float *x = s.params[0]->pub.data, tie = off_by(136, 4);
    x[0] = 448;
    x[1] = tie;
    for (size_t i = 2; i < GROUP; i++)
        x[i] = 1;
    found(&s);
    ck_assert(off_by(tie / off_by(1, 2), -2) == 136);
    inside(&s, 0, 1, 128);
    inside(&s, 0, 1, 144);
    close_subject(&s);
}
END_TEST

START_TEST(groups_of_zeros_and_of_no_numbers)
{
    struct subject s;
    begin(&s, "quant_f32");
    float *x = s.params[0]->pub.data;
    for (size_t i = 0; i < GROUP; i++) {
        x[i] = 0;                 /* the scale is 1 */
        x[GROUP + i] = 0x1p-149f; /* it underflows: 1, or, off by two places, not yet */
        x[3 * GROUP + i] = INFINITY;
    }
    x[2 * GROUP + 5] = NAN;
    x[3 * GROUP] = 1;
    found(&s);
    const struct tensor *codes = s.bound.leaves[0], *scales = s.bound.leaves[1];
    ck_assert(holds(scales, 0, 1) && !is_open(scales, 0) && !is_open(codes, 3) && holds(codes, 3, 0));
    ck_assert(holds(scales, 1, 1) && !holds(scales, 1, 0) && holds(codes, GROUP, 0));
    for (size_t i = 0; i < GROUP; i++) {
        ck_assert(!holds(codes, 2 * GROUP + i, 0) && holds(codes, 2 * GROUP + i, (double)NAN));
        ck_assert(holds(codes, 3 * GROUP + i, i ? (double)NAN : 0) && !holds(codes, 3 * GROUP + i, 448));
        ck_assert(!codes->pub.doubt[i] && !codes->pub.doubt[GROUP + i] && !codes->pub.doubt[4 * GROUP + i]);
    }
    close_subject(&s);
}
END_TEST

/* ---- choices ------------------------------------------------------------------------------------------------------*/

static size_t largest_of(const float *x, size_t n)
{
    size_t at = 0;
    for (size_t i = 1; i < n; i++)
        at = x[i] > x[at] ? i : at;
    return at;
}

/* Of sums in any order the largest is what it is in some order of each. */
START_TEST(choices_among_sums)
{
    enum { ROWS = 16, OF = 64 };
    struct subject s;
    size_t open = 0;
    begin(&s, "choice");
    float *x = s.params[0]->pub.data;
    for (size_t i = 0; i < (size_t)R * ROWS; i++) /* in twos that differ by little or nothing */
        for (size_t k = 0; k < OF; k++)
            x[i * OF + k] = i % 2 ? x[(i - 1) * OF + OF - 1 - k] : x[i * OF + k] * 2;
    found(&s);
    for (int way = 0; way < WAYS; way++)
        for (size_t r = 0; r < R; r++) {
            float sums[ROWS];
            for (size_t i = 0; i < ROWS; i++)
                sums[i] = summed(OF, x + (r * ROWS + i) * OF, NULL);
            size_t at = largest_of(sums, ROWS);
            inside(&s, 0, r, (double)at);
            inside(&s, 1, r * 3, (double)sums[at]);
            inside(&s, 2, r * 3, (double)at);
            sums[at] = -INFINITY;
            at = largest_of(sums, ROWS);
            inside(&s, 1, r * 3 + 1, (double)sums[at]);
            inside(&s, 2, r * 3 + 1, (double)at);
        }
    for (size_t r = 0; r < R; r++)
        open += (size_t)is_open(s.bound.leaves[0], r);
    ck_assert_uint_eq(open, R);
    ck_assert_uint_ge(outside(&s, 0, shifted) + outside(&s, 2, shifted), R);
    ck_assert_uint_eq(outside(&s, 1, negated), (size_t)R * 3);
    close_subject(&s);
}
END_TEST

/* Of points there is one choice, and of equal ones the first; where they are sorted out, any. */
START_TEST(choices_among_points)
{
    struct subject s;
    begin(&s, "points");
    found(&s);
    for (uint32_t leaf = 0; leaf < s.declared.n; leaf++) {
        for (size_t i = 0; i < s.bound.leaves[leaf]->count; i++)
            ck_assert_msg(leaf > 4 || !is_open(s.bound.leaves[leaf], i), "leaf %u", leaf);
        ck_assert_uint_gt(outside(&s, leaf, shifted), leaf > 4 ? 0 : s.bound.leaves[leaf]->count / 2);
    }
    for (size_t i = 0; i < (size_t)R * 3; i++)
        for (size_t k = i / 3 * 3; k < i / 3 * 3 + 3; k++) {
            inside(&s, 5, i, element(s.declared.leaves[1], k));
            inside(&s, 6, i, element(s.declared.leaves[2], k));
        }
    float *x = s.params[0]->pub.data;
    for (size_t i = 0; i < N; i++)
        x[i] = 1;
    x[N + 7] = NAN;
    x[N + 9] = INFINITY;
    x[2 * N + 1] = -INFINITY;
    found(&s);
    ck_assert(holds(s.bound.leaves[0], 0, 0) && !holds(s.bound.leaves[0], 0, 1));
    ck_assert(holds(s.bound.leaves[0], 1, 7) && !is_open(s.bound.leaves[0], 1));
    ck_assert(holds(s.bound.leaves[2], 2, 200) && holds(s.bound.leaves[2], 2, 0));
    ck_assert(holds(s.bound.leaves[1], 3, (double)NAN) && !holds(s.bound.leaves[1], 3, (double)INFINITY));
    ck_assert(holds(s.bound.leaves[1], 4, (double)INFINITY) && !is_open(s.bound.leaves[1], 4));
    close_subject(&s);
}
END_TEST

/* Rows by the places of the two largest sums: 4 and 5, in either order, which are far above the others. */
START_TEST(rows_of_open_places)
{
    struct subject s;
    begin(&s, "chosen");
    float *x = s.params[0]->pub.data;
    for (size_t k = 0; k < 64; k++) {
        x[4 * 64 + k] = fabsf(x[4 * 64 + k]) + 1;
        x[5 * 64 + 63 - k] = x[4 * 64 + k];
    }
    found(&s);
    const float *w = floats(s.params[1]);
    for (size_t i = 0; i < 10; i++)
        for (size_t row = 4; row < 6; row++) {
            inside(&s, 0, i, (double)w[row * 5 + i % 5]);
            inside(&s, 1, i, (double)w[row * 5 + i / 2]);
        }
    for (size_t i = 0; i < 10; i++) {
        float low = fminf(w[20 + i % 5], w[25 + i % 5]), high = fmaxf(w[20 + i % 5], w[25 + i % 5]);
        ck_assert(low_end(s.bound.leaves[0], i) == (double)low && s.bound.leaves[0]->pub.bound[i] == (double)high);
    }
    x[0] = NAN; /* now the first place is known, and the second is between 4 and 5 */
    ((float *)s.params[1]->pub.data)[2] = NAN;
    found(&s);
    ck_assert(!is_open(s.bound.leaves[0], 0) && holds(s.bound.leaves[0], 2, (double)NAN));
    ck_assert(!holds(s.bound.leaves[0], 2, 0) && is_open(s.bound.leaves[0], 5));
    close_subject(&s);
}
END_TEST

/* What may be NaN may be chosen, and need not be. */
START_TEST(choices_among_doubts)
{
    struct subject s;
    begin(&s, "doubtful");
    float *x = s.params[0]->pub.data;
    for (size_t i = 0; i < 8; i++)
        memset(x + i * 64, 0, 64 * sizeof(*x));
    for (size_t i = 0; i < 8; i++)
        x[i * 64] = (float)i + 1;
    x[3 * 64] = 1e8f; /* a sum that may be 0 */
    x[3 * 64 + 1] = 1;
    x[3 * 64 + 2] = -1e8f;
    found(&s);
    const struct tensor *at = s.bound.leaves[0], *values = s.bound.leaves[1], *places = s.bound.leaves[2];
    ck_assert(holds(at, 0, 3) && holds(at, 0, 7) && !holds(at, 0, 2));
    ck_assert(holds(values, 0, (double)NAN) && holds(values, 0, 8) && !values->pub.doubt[2]);
    ck_assert(holds(places, 0, 3) && holds(places, 0, 7) && holds(values, 1, 8) && holds(values, 1, 7));
    close_subject(&s);
}
END_TEST

/* ---- rows that are put in -------------------------------------------------------------------------------------------*/

enum { ROWS = 6, WIDTH = 8, GIVEN = 20 };

/* Of element (row, column) the addends in any order, rounded each time or once. */
static double added(const struct subject *s, size_t row, size_t column)
{
    const float *dst = floats(s->params[0]), *src = floats(s->params[2]);
    const int32_t *index = s->params[1]->pub.data;
    float terms[GIVEN + 1] = {dst[row * WIDTH + column]};
    size_t order[GIVEN + 1] = {0}, n = 1, once = random_below(2);
    for (size_t i = 0; i < GIVEN; i++)
        if ((size_t)index[i] == row)
            terms[n++] = src[i * WIDTH + column];
    if (once)
        return rounded(s->declared.leaves[0], (double)summed(n, terms, NULL));
    shuffle(n, order);
    double sum = (double)terms[order[0]];
    for (size_t i = 1; i < n; i++)
        sum = rounded(s->declared.leaves[0], sum + (double)terms[order[i]]);
    return sum;
}

static void hold_added(const char *name)
{
    struct subject s;
    begin(&s, name);
    int32_t *index = s.params[1]->pub.data;
    for (size_t i = 0; i < GIVEN; i++)
        index[i] = i < 2 ? (int32_t)i : 2 + (int32_t)random_below(3); /* rows once, more often, and never */
    found(&s);
    for (int way = 0; way < WAYS; way++)
        for (size_t i = 0; i < ROWS * WIDTH; i++)
            inside(&s, 0, i, added(&s, i / WIDTH, i % WIDTH));
    for (size_t i = 0; i < 2 * WIDTH; i++)
        ck_assert(!is_open(s.bound.leaves[0], i) && !is_open(s.bound.leaves[0], 5 * WIDTH + i % WIDTH));
    refuses(&s, 0, 45);
    close_subject(&s);
}

START_TEST(rows_added_in_any_order)
{
    hold_added("add_f32");
    hold_added("add_bf16");
    hold_added("add_f16");
}
END_TEST

START_TEST(rows_added_at_the_ends)
{
    struct subject s;
    begin(&s, "add_f32");
    int32_t *index = s.params[1]->pub.data;
    float *dst = s.params[0]->pub.data, *src = s.params[2]->pub.data;
    for (size_t i = 0; i < GIVEN; i++)
        index[i] = i < 4 ? 0 : 1;
    dst[0] = 3e38f; /* overflows in one order, not in another */
    src[0] = 3e38f;
    src[WIDTH] = -3e38f;
    src[1] = INFINITY;
    src[2] = INFINITY;
    src[WIDTH + 2] = -INFINITY;
    dst[3] = NAN;
    found(&s);
    const struct tensor *sums = s.bound.leaves[0];
    ck_assert(holds(sums, 0, (double)INFINITY) && holds(sums, 0, 3e38));
    ck_assert(holds(sums, 1, (double)INFINITY) && !holds(sums, 1, 0));
    ck_assert(holds(sums, 2, (double)NAN) && !holds(sums, 2, 0) && !holds(sums, 3, 0) && !sums->pub.doubt[4]);
    close_subject(&s);
}
END_TEST

/* What is moved stays what it was, in its place; what a type knows is a point. */
START_TEST(moved_and_made)
{
    struct subject s;
    static const uint32_t POINTS[] = {1, 2, 3, 4, 5};
    begin(&s, "moved");
    int64_t *index = s.params[1]->pub.data;
    for (size_t i = 0; i < 3; i++)
        index[i] = 2 * (int64_t)i;
    found(&s);
    for (size_t k = 0; k < sizeof(POINTS) / sizeof(*POINTS); k++)
        for (size_t i = 0; i < s.bound.leaves[POINTS[k]]->count; i++)
            ck_assert_msg(!is_open(s.bound.leaves[POINTS[k]], i), "leaf %u", POINTS[k]);
    for (size_t i = 0; i < ROWS * WIDTH; i++) /* sums went into every second row */
        ck_assert_int_eq(is_open(s.bound.leaves[0], i), i / WIDTH % 2 == 0);
    ck_assert_uint_ge(outside(&s, 0, shifted), ROWS * WIDTH - 3);
    ck_assert(holds(s.bound.leaves[3], 0, (double)INFINITY));
    close_subject(&s);
}
END_TEST

START_TEST(cache_rows_keep_their_ends)
{
    struct subject s;
    begin(&s, "cached");
    found(&s);
    const struct tensor *cache = s.bound.leaves[0];
    for (size_t i = 0; i < cache->count; i++) /* rows 2 and 3 of 5 */
        ck_assert_int_eq(is_open(cache, i), i / 8 % 5 == 2 || i / 8 % 5 == 3);
    close_subject(&s);
}
END_TEST

/* Every element of these is a sum, which is open, or a zero that none was put over. */
START_TEST(carried_about)
{
    struct subject s;
    begin(&s, "carried");
    found(&s);
    for (uint32_t leaf = 0; leaf < s.declared.n; leaf++) {
        for (size_t i = 0; i < s.bound.leaves[leaf]->count; i++)
            ck_assert_int_eq(is_open(s.bound.leaves[leaf], i), element(s.declared.leaves[leaf], i) != 0);
        ck_assert_uint_gt(outside(&s, leaf, shifted), leaf == 7 ? 3 : s.bound.leaves[leaf]->count / 3);
    }
    close_subject(&s);
}
END_TEST

/* ---- integers and truths --------------------------------------------------------------------------------------------*/

/* What the program makes of a sum that is above 1, or is not. */
static void hold_truths(const struct subject *s, size_t k, float sum)
{
    int32_t i = ((const int32_t *)s->params[1]->pub.data)[k], above = sum > 1, below = sum < 3, count = above * 5 + i;
    int32_t magnitude = count < 0 ? -count : count;
    int32_t rest = -count & 3, quotient = (-count - rest) / 4;
    const double values[] = {above && below, above || !below, above ? i : -i, count, above && below ? (double)sum : 0,
        magnitude < 2   ? 2
        : magnitude > 6 ? 6
                        : magnitude,
        rest + quotient, 0, (double)(count * count), !below};
    for (uint32_t leaf = 0; leaf < sizeof(values) / sizeof(*values); leaf++)
        inside(s, leaf, k, values[leaf]);
}

/* Sums of 1 and of 3 in some orders only: all that follows is open, and it alone. */
START_TEST(integers_and_truths_of_open_comparisons)
{
    struct subject s;
    begin(&s, "truths");
    float *x = s.params[0]->pub.data;
    for (size_t i = 0; i < 8; i++) {
        memset(x + i * 64, 0, 64 * sizeof(*x));
        x[i * 64] = (float)i / 2;
        for (size_t k = 1; k < 4; k++) /* together they count beside a 1, one by one not */
            x[i * 64 + k] = i < 4 ? 0x1p-25f : 0;
    }
    found(&s);
    for (int way = 0; way < WAYS; way++)
        for (size_t k = 0; k < 8; k++)
            hold_truths(&s, k, summed(64, x + k * 64, NULL));
    for (size_t k = 0; k < 8; k++) {
        ck_assert_int_eq(is_open(s.bound.leaves[0], k), k == 2 || k == 6);
        ck_assert_int_eq(is_open(s.bound.leaves[3], k), k == 2);
    }
    ck_assert(!holds(s.bound.leaves[0], 1, 1) && !holds(s.bound.leaves[0], 4, 0));
    ck_assert(!holds(s.bound.leaves[3], 4, element(s.params[1], 4)));
    ((int32_t *)s.params[1]->pub.data)[2] = INT32_MAX; /* one of the two wraps */
    found(&s);
    ck_assert(holds(s.bound.leaves[3], 2, (double)INT32_MIN + 4) && holds(s.bound.leaves[3], 2, INT32_MAX));
    close_subject(&s);
}
END_TEST

/* ---- which input a leaf is ------------------------------------------------------------------------------------------*/

static int give_third(tf_ctx *c, const struct tf_eval *eval)
{
    (void)c;
    memcpy(eval->results[0]->data, eval->args[2]->data, 2 * sizeof(double));
    return TF_OK;
}

/* An operator with a tuple of two before the tensor that it moves. */
START_TEST(a_tuple_before_what_is_moved)
{
    static const struct tf_input inputs[] = {{"starts", TF_INPUT_VALUES, 0}, {"x", TF_INPUT_TENSOR, 0}};
    static const struct tf_op op = {
        .struct_size = sizeof(op), .name = "third", .n_inputs = 2, .inputs = inputs, .eval = give_third, .moves = 2};
    struct tf_type number = {.kind = TF_TYPE_TENSOR, .dtype = TF_DTYPE_I32};
    const struct tf_type *fields[] = {&number, &number};
    struct tf_type tuple = {.kind = TF_TYPE_TUPLE, .rank = 2, .fields = fields};
    struct tf_type pair = {.kind = TF_TYPE_TENSOR, .dtype = TF_DTYPE_F32, .rank = 1};
    const struct tf_type *types[] = {&tuple, &pair};
    const struct tf_call call = {.struct_size = sizeof(call), .op = &op, .n_args = 2, .arg_types = types};
    double at[] = {1}, lo[] = {1, 2}, hi[] = {3, 2}, out_lo[2], out_hi[2];
    uint8_t none[2] = {0}, doubt[] = {TF_DOUBT_MAY_NAN, 0}, out_doubt[2] = {0};
    const int64_t extents[] = {2};
    struct tf_tensor start = {.dtype = TF_DTYPE_I32, .data = at, .bound = at, .doubt = none};
    struct tf_tensor x = {
        .dtype = TF_DTYPE_F32, .rank = 1, .extents = extents, .data = lo, .bound = hi, .doubt = doubt};
    struct tf_tensor y = x;
    y.data = out_lo, y.bound = out_hi, y.doubt = out_doubt;
    const struct tf_tensor *args[] = {&start, &start, &x};
    struct tf_tensor *results[] = {&y};
    struct tf_eval eval = {.struct_size = sizeof(eval),
        .call = &call,
        .args = args,
        .results = results,
        .n_args = 3,
        .n_results = 1,
        .mode = TF_EVAL_BOUND};
    ck_assert_int_eq(bound_call(ctx, &memory, &eval), TF_OK);
    ck_assert(out_lo[0] == 1 && out_hi[0] == 3 && out_hi[1] == 2 && out_doubt[0] == TF_DOUBT_MAY_NAN && !out_doubt[1]);
    double beyond[] = {2};
    struct tf_tensor open = start;
    open.bound = beyond;
    args[1] = &open; /* a field of the tuple, not x */
    ck_assert_int_eq(bound_call(ctx, &memory, &eval), TF_E_REFUSED);
    ck_assert_ptr_nonnull(strstr(told(), "third: argument 0 is not known to a single value"));
}
END_TEST

/* ---- refusals -----------------------------------------------------------------------------------------------------*/

static void refused(const char *name, const char *words)
{
    struct subject s;
    struct tf_declared declared = declared_default();
    begin(&s, name);
    ck_assert_int_ne(find_bound(&s, &declared, NULL), 0);
    const char *text = told();
    ck_assert_msg(strstr(text, words) != NULL, "%s", text);
    close_subject(&s);
}

START_TEST(what_depends_on_an_open_choice_is_refused)
{
    refused("open_add", "index[0] is not known to a single value here");
    refused("open_rope", "pos_ids[0] is not known to a single value here");
    refused("open_copy", "index_copy: argument 1 is not known to a single value here");
    refused("too_often", "sums of 129 terms in bf16 have no digit that is certain");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("bounds of rows");
    TCase *all = tcase_create("rows");
    tcase_add_checked_fixture(all, set_up, end_context);
    tcase_set_timeout(all, 60);
    tcase_add_test(all, quantised_in_many_ways);
    tcase_add_test(all, quotients_of_scales_as_far_off_as_declared);
    tcase_add_test(all, groups_of_zeros_and_of_no_numbers);
    tcase_add_test(all, choices_among_sums);
    tcase_add_test(all, choices_among_points);
    tcase_add_test(all, rows_of_open_places);
    tcase_add_test(all, choices_among_doubts);
    tcase_add_test(all, rows_added_in_any_order);
    tcase_add_test(all, rows_added_at_the_ends);
    tcase_add_test(all, moved_and_made);
    tcase_add_test(all, carried_about);
    tcase_add_test(all, cache_rows_keep_their_ends);
    tcase_add_test(all, integers_and_truths_of_open_comparisons);
    tcase_add_test(all, a_tuple_before_what_is_moved);
    tcase_add_test(all, what_depends_on_an_open_choice_is_refused);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
