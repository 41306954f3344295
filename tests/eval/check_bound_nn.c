/* SPDX-License-Identifier: MIT
 * Enclosures of operators that are formulas: softmax, normalisations, activations, rotary embedding, convolution.  Each is
 * computed here in many ways that a kernel may choose, all of which have to lie inside, and in wrong ones, which have not.
 */
#include "eval/enclosed.h"

#define FILE_OF "bound_ops.py:Bound"

enum { WAYS = 40 };

/* ---- ways to compute, and wrong results ---------------------------------------------------------------------------*/

/* The leaf in one of the ways, in numbers that are not yet rounded to its dtype. */
typedef void way_of(const struct subject *s, uint32_t leaf, double *to);

static double rounded(const struct tensor *like, double value)
{
    char element[8];
    number_store_f64(like->pub.dtype, 1, &value, element, 0);
    number_load_f64(like->pub.dtype, 1, element, &value);
    return value;
}

static void hold_ways(const struct subject *s, uint32_t leaf, const char *name, way_of *way)
{
    const struct tensor *value = s->declared.leaves[leaf], *bound = s->bound.leaves[leaf];
    double *to = CTX_ARRAY(ctx, double, value->count);
    for (int i = 0; i < WAYS; i++) {
        way(s, leaf, to);
        for (size_t k = 0; k < value->count; k++)
            ck_assert_msg(holds(bound, k, rounded(value, to[k])),
                "%s, leaf %u, way %d, element %zu: %a, declared %a, is outside of [%a, %a]", name, leaf, i, k, to[k],
                element(value, k), low_end(bound, k), bound->pub.bound[k]);
    }
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
    return element(t, (i + t->count / 4) % t->count);
}

/* At least one in `few` elements of each wrong result is refused. */
static void hold_wrong(const struct subject *s, uint32_t leaf, const char *name, size_t few)
{
    static double (*const WRONG[])(const struct tensor *, size_t) = {gained, negated, zero, shifted};
    const struct tensor *value = s->declared.leaves[leaf], *bound = s->bound.leaves[leaf];
    for (size_t k = 0; k < sizeof(WRONG) / sizeof(*WRONG); k++) {
        size_t outside = 0;
        for (size_t i = 0; i < value->count; i++)
            outside += !holds(bound, i, rounded(value, WRONG[k](value, i)));
        ck_assert_msg(outside * few >= value->count, "%s, leaf %u: of wrong result %zu only %zu of %zu are outside",
            name, leaf, k, outside, value->count);
    }
}

static void hold(const char *name, way_of *way, size_t few)
{
    struct subject s;
    struct tf_declared declared = declared_default();
    open_subject(&s, FILE_OF, name);
    run_subject(&s, &declared);
    for (uint32_t leaf = 0; leaf < s.declared.n; leaf++) {
        count_open(&s, leaf);
        hold_ways(&s, leaf, name, way);
        hold_wrong(&s, leaf, name, few);
    }
    close_subject(&s);
}

/* Where a kernel has approximations: as precise as they come, or off by up to two last places. */
static float near(float value)
{
    for (uint32_t n = random_below(3); n > 0; n--)
        value = nextafterf(value, random_below(2) ? INFINITY : -INFINITY);
    return value;
}

static float exponential(float x)
{
    float power = x * 1.44269504f;
    return random_below(2) ? expf(x) : exp2f(power);
}

/* ---- softmax ------------------------------------------------------------------------------------------------------*/

enum { R = 4, N = 384 };

static float most_of(size_t n, const float *x)
{
    float most = x[0];
    for (size_t i = 1; i < n; i++)
        most = x[i] > most ? x[i] : most;
    return most;
}

/* Exponentials by the largest of a chunk, scaled as it grows. */
static void softmax_running(const float *x, double *to)
{
    size_t chunk = (size_t)8 << random_below(5), stored = random_below(2);
    float most = -INFINITY, sum = 0, parts[N], of[N];
    for (size_t at = 0; at < N; at += chunk) {
        size_t n = N - at < chunk ? N - at : chunk;
        float next = most_of(n, x + at);
        next = next > most ? next : most;
        for (size_t i = at; i < at + n; i++) {
            parts[i] = exponential(x[i] - next);
            of[i] = next;
        }
        sum = sum * exponential(most - next) + summed(n, parts + at, NULL);
        most = next;
    }
    for (size_t i = 0; i < N; i++) {
        float part = stored ? parts[i] * exponential(of[i] - most) : exponential(x[i] - most);
        to[i] = (double)(random_below(2) ? part / sum : part * (1 / sum));
    }
}

static void softmax_plain(const float *x, double *to)
{
    float most = most_of(N, x), parts[N];
    for (size_t i = 0; i < N; i++)
        parts[i] = near(exponential(x[i] - most));
    float sum = summed(N, parts, NULL);
    for (size_t i = 0; i < N; i++)
        to[i] = (double)near(parts[i] / sum);
}

static void softmax_wide(const float *x, double *to)
{
    double most = (double)most_of(N, x), sum = 0;
    for (size_t i = 0; i < N; i++)
        sum += to[i] = exp((double)x[i] - most);
    for (size_t i = 0; i < N; i++)
        to[i] /= sum;
}

static void softmax_row(const float *x, double *to)
{
    static void (*const BY[])(const float *, double *) = {softmax_running, softmax_plain, softmax_wide};
    BY[random_below(3)](x, to);
}

static void softmax(const struct subject *s, uint32_t leaf, double *to)
{
    const float *x = floats(s->params[0]);
    (void)leaf;
    for (size_t row = 0; row < R; row++)
        softmax_row(x + row * N, to + row * N);
}

static void softmax_upright(const struct subject *s, uint32_t leaf, double *to)
{
    const float *x = floats(s->params[0]);
    float column[N];
    double out[N];
    (void)leaf;
    for (size_t row = 0; row < R; row++) {
        for (size_t i = 0; i < N; i++)
            column[i] = x[i * R + row];
        softmax_row(column, out);
        for (size_t i = 0; i < N; i++)
            to[i * R + row] = out[i];
    }
}

START_TEST(softmax_in_many_ways)
{
    hold("softmax_f32", softmax, 2);
    hold("softmax_bf16", softmax, 2);
    hold("softmax_upright", softmax_upright, 2);
}
END_TEST

/* ---- normalisations -----------------------------------------------------------------------------------------------*/

static float root(float x)
{
    return random_below(2) ? 1 / sqrtf(x) : near((float)(1 / sqrt((double)x)));
}

static float by_count(float sum)
{
    return random_below(2) ? sum / N : sum * (1.0f / N);
}

static void scale(float by, const float *x, const float *w, const float *b, double *to)
{
    for (size_t i = 0; i < N; i++) {
        float y = x[i] * by;
        to[i] = (double)(!b ? y * w[i] : random_below(2) ? fmaf(y, w[i], b[i]) : y * w[i] + b[i]);
    }
}

/* The whole in f64, rounded at the end alone. */
static void norm_wide(const float *x, const float *w, const float *b, double eps, double *to)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; b && i < N; i++)
        mean += (double)x[i] / N;
    for (size_t i = 0; i < N; i++)
        squares += ((double)x[i] - mean) * ((double)x[i] - mean);
    for (size_t i = 0; i < N; i++)
        to[i] = ((double)x[i] - mean) / sqrt(squares / N + eps) * (double)w[i] + (b ? (double)b[i] : 0);
}

static void rms(const struct subject *s, uint32_t leaf, double *to)
{
    const float *x = floats(s->params[0]), *w = floats(s->params[1]);
    (void)leaf;
    for (size_t row = 0; row < R; row++, x += N, to += N)
        if (random_below(4) == 0)
            norm_wide(x, w, NULL, 1e-6, to);
        else
            scale(root(by_count(summed(N, x, x)) + 1e-6f), x, w, NULL, to);
}

struct moments {
    float n, mean, squares; /* of the differences from the mean */
};

static struct moments joined(struct moments a, struct moments b)
{
    float n = a.n + b.n, apart = b.mean - a.mean;
    if (a.n == 0)
        return b;
    return (struct moments){n, a.mean + apart * (b.n / n), a.squares + b.squares + apart * apart * (a.n * b.n / n)};
}

/* One element after another, in chunks that are joined. */
static struct moments running_moments(const float *x)
{
    size_t chunk = (size_t)16 << random_below(6);
    struct moments all = {0};
    for (size_t at = 0; at < N; at += chunk) {
        struct moments m = {0};
        for (size_t i = at; i < N && i < at + chunk; i++) {
            float apart = x[i] - m.mean;
            m.n += 1;
            m.mean += apart / m.n;
            m.squares = fmaf(apart, x[i] - m.mean, m.squares);
        }
        all = joined(all, m);
    }
    return all;
}

static void layer_row(const float *x, const float *w, const float *b, double *to)
{
    struct moments m = running_moments(x);
    float apart[N];
    if (random_below(2))
        m.mean = by_count(summed(N, x, NULL));
    for (size_t i = 0; i < N; i++)
        apart[i] = x[i] - m.mean;
    if (random_below(2))
        m.squares = summed(N, apart, apart);
    scale(root(by_count(m.squares) + 1e-5f), apart, w, b, to);
}

static void layer(const struct subject *s, uint32_t leaf, double *to)
{
    const float *x = floats(s->params[0]), *w = floats(s->params[1]), *b = floats(s->params[2]);
    (void)leaf;
    for (size_t row = 0; row < R; row++, x += N, to += N)
        if (random_below(4) == 0)
            norm_wide(x, w, b, 1e-5, to);
        else
            layer_row(x, w, b, to);
}

START_TEST(normalisations_in_many_ways)
{
    hold("rms_f32", rms, 2);
    hold("rms_bf16", rms, 2);
    hold("rms_f16", rms, 2);
    hold("layer_f32", layer, 2);
    hold("layer_bf16", layer, 2);
}
END_TEST

/* ---- activations --------------------------------------------------------------------------------------------------*/

static float silu_or_sigmoid(float x, int is_silu)
{
    float power = 1 + exponential(-x), share = random_below(2) ? 1 / power : near(1 / power);
    if (!is_silu)
        return share;
    return random_below(2) ? x / power : x * share;
}

static double gelu(float x, int by_tanh)
{
    float inner = random_below(2) ? 0.797884583f * (x + 0.044715f * x * x * x)
                                  : x * fmaf(0.797884583f * 0.044715f, x * x, 0.797884583f);
    if (by_tanh)
        return (double)(0.5f * x * (1 + near((float)tanh((double)inner))));
    return (double)(0.5f * x * (1 + near((float)erf((double)(x * 0.707106769f)))));
}

static double gelu_wide(double x, int by_tanh)
{
    return x / 2 * (by_tanh ? 1 + tanh(sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)) : erfc(-x * M_SQRT1_2));
}

enum { SILU, SIGMOID, TANH, GELU_BY_TANH, GELU_BY_ERF, RELU, SOFTPLUS };

static double curve(uint32_t which, float x)
{
    int wide = random_below(3) == 0;
    double share = 1 / (1 + exp(-(double)x));
    switch (which) {
    case SILU: return wide ? (double)x * share : (double)silu_or_sigmoid(x, 1);
    case SIGMOID: return wide ? share : (double)silu_or_sigmoid(x, 0);
    case TANH: return wide ? tanh((double)x) : (double)near((float)tanh((double)x));
    case SOFTPLUS: return wide ? log1p(exp((double)x)) : (double)near((float)log1p((double)near(exponential(x))));
    case RELU: return x > 0 ? (double)x : 0;
    default: return wide ? gelu_wide((double)x, which == GELU_BY_TANH) : gelu(x, which == GELU_BY_TANH);
    }
}

static void curves(const struct subject *s, uint32_t leaf, double *to)
{
    const float *x = floats(s->params[0]);
    for (size_t i = 0; i < R * N; i++)
        to[i] = curve(leaf, x[i]);
}

START_TEST(activations_in_many_ways)
{
    hold("curves_f32", curves, 4);
    hold("curves_bf16", curves, 4);
}
END_TEST

/* ---- as far off as is legal ---------------------------------------------------------------------------------------*/

static float off_by(float value, int places)
{
    for (; places > 0; places--)
        value = nextafterf(value, INFINITY);
    for (; places < 0; places++)
        value = nextafterf(value, -INFINITY);
    return value;
}

static void begin(struct subject *s, const char *name)
{
    open_subject(s, FILE_OF, name);
}

static void found(struct subject *s)
{
    struct tf_declared declared = declared_default();
    run_subject(s, &declared);
    count_open(s, 0);
}

static void inside(const struct subject *s, size_t i, double value)
{
    ck_assert_msg(holds(s->bound.leaves[0], i, value), "element %zu: %a, declared %a, is outside of [%a, %a]", i, value,
        element(s->declared.leaves[0], i), low_end(s->bound.leaves[0], i), s->bound.leaves[0]->pub.bound[i]);
}

/* A 1, and what is lost beside it where it comes one after another: 2^-25 in squares and exponentials. */
START_TEST(sums_that_lose_all_but_the_first)
{
    struct subject s;
    float lost = sqrtf(0x1p-25f), row[N] = {1};
    double out[N];
    for (size_t i = 1; i < N; i++)
        row[i] = lost;
    begin(&s, "rms_f32");
    for (size_t i = 0; i < R; i++)
        memcpy((float *)s.params[0]->pub.data + i * N, row, sizeof(row));
    found(&s);
    const float *w = floats(s.params[1]);
    scale((float)(1 / sqrt(1.0 / N + 1e-6)), row, w, NULL, out); /* of the 1 alone */
    for (size_t i = 0; i < N; i++)
        inside(&s, i, rounded(s.declared.leaves[0], out[i]));
    close_subject(&s);
    begin(&s, "softmax_f32");
    for (size_t i = 0; i < R * N; i++)
        ((float *)s.params[0]->pub.data)[i] = i % N ? -17.33f : 0;
    found(&s);
    inside(&s, 0, 1);
    inside(&s, 1, (double)expf(-17.33f));
    close_subject(&s);
    begin(&s, "layer_f32");
    for (size_t i = 1; i < N; i++)
        row[i] = i < N - 1 ? 0x1p-25f : -1;
    for (size_t i = 0; i < R; i++)
        memcpy((float *)s.params[0]->pub.data + i * N, row, sizeof(row));
    ((float *)s.params[1]->pub.data)[1] = 1;
    ((float *)s.params[2]->pub.data)[1] = 0;
    found(&s);
    inside(&s, 1, (double)(float)(0x1p-25 / sqrt(2.0 / N + 1e-5))); /* the mean is 0 */
    close_subject(&s);
}
END_TEST

/* A sum by a running maximum that grows with each element, all its exponentials off in one direction. */
START_TEST(maxima_that_grow_with_each_element)
{
    struct subject s;
    struct tf_declared declared = declared_default();
    declared.ulp[TF_APPROX_EXP] = 8;
    begin(&s, "softmax_64");
    for (size_t i = 0; i < (size_t)R * 64; i++)
        ((float *)s.params[0]->pub.data)[i] = (float)(i % 64) * 0x1p-10f;
    run_subject(&s, &declared);
    for (int places = -8; places <= 8; places += 16) {
        float sum = 1;
        for (size_t i = 1; i < 64; i++)
            sum = sum * off_by((float)exp(-0x1p-10), places) + 1;
        for (size_t i = 0; i < 64; i++)
            inside(&s, i, (double)((float)exp(((double)i - 63) * 0x1p-10) / sum));
    }
    close_subject(&s);
}
END_TEST

START_TEST(exponentials_as_powers_of_2)
{
    struct subject s;
    begin(&s, "softmax_2");
    for (size_t i = 0; i < 128; i++)
        ((float *)s.params[0]->pub.data)[i] = i % 2 ? -20 - (float)i * 0.4537f : 0;
    found(&s);
    for (size_t i = 1; i < 128; i += 2) {
        float power = ((const float *)s.params[0]->pub.data)[i] * 1.44269504f;
        inside(&s, i, (double)exp2f(power));
    }
    close_subject(&s);
}
END_TEST

/* The mean off by 2 places, the root by 3, in one direction. */
START_TEST(roots_and_quotients_as_far_off_as_declared)
{
    struct subject s;
    begin(&s, "rms_2");
    found(&s);
    const float *x = floats(s.params[0]), *w = floats(s.params[1]);
    for (size_t i = 0; i < 128; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            const float *row = x + i / 2 * 2;
            float mean = off_by((row[0] * row[0] + row[1] * row[1]) / 2, -2 * sign);
            float by = off_by((float)(1 / sqrt((double)(mean + 1e-6f))), 3 * sign);
            inside(&s, i, (double)(x[i] * by * w[i % 2]));
        }
    close_subject(&s);
}
END_TEST

/* ---- other declarations -------------------------------------------------------------------------------------------*/

/* Correct roundings of each step, sums of groups of eight: what our own evaluator is. */
static struct tf_declared exact(void)
{
    struct tf_declared declared = declared_default();
    for (uint32_t i = 0; i < TF_APPROX_COUNT; i++)
        declared.ulp[i] = 0.5;
    declared.fma = 0;
    declared.depth = 8;
    return declared;
}

static const char *const ALL[] = {"softmax_f32", "softmax_bf16", "softmax_upright", "rms_f32", "rms_bf16", "rms_f16",
    "layer_f32", "layer_bf16", "curves_f32", "curves_bf16", "rope_f32", "rope_bf16", "conv_f32", "conv_f16", "narrow"};

static size_t opened_by(struct subject *s, const struct tf_declared *declared)
{
    size_t open = 0;
    ck_assert_int_eq(find_bound(s, declared, NULL), 0);
    for (uint32_t leaf = 0; leaf < s->declared.n; leaf++)
        open += count_open(s, leaf);
    return open;
}

/* Our own values are inside of what each says, and what allows more opens no fewer elements. */
START_TEST(other_declarations)
{
    for (size_t i = 0; i < sizeof(ALL) / sizeof(*ALL); i++) {
        struct subject s;
        struct tf_declared declared = exact(), wide = declared_default(), common = declared_default();
        begin(&s, ALL[i]);
        run_subject(&s, &declared);
        size_t least = opened_by(&s, &declared), usual = opened_by(&s, &common);
        wide.wider_intermediates = 1;
        wide.ftz = 1;
        ck_assert_uint_ge(opened_by(&s, &wide), usual);
        wide.accumulator = "f16";
        ck_assert_uint_ge(opened_by(&s, &wide), usual);
        ck_assert_uint_le(least, usual);
        close_subject(&s);
    }
}
END_TEST

/* Where sums have no part and nothing is approximated each element is a single value. */
START_TEST(what_is_exact_is_a_point)
{
    static const char *const NAMES[] = {"curves_f32", "curves_bf16", "rope_f32", "rope_bf16"};
    struct tf_declared declared = exact();
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(*NAMES); i++) {
        struct subject s;
        begin(&s, NAMES[i]);
        run_subject(&s, &declared);
        ck_assert_msg(opened_by(&s, &declared) == 0, "%s", NAMES[i]);
        close_subject(&s);
    }
}
END_TEST

/* A kernel that declares that it flushes gives 0 for what is below the least normal number. */
START_TEST(small_numbers_may_be_flushed)
{
    struct subject s;
    struct tf_declared declared = declared_default();
    declared.ftz = 1;
    begin(&s, "softmax_2");
    ((float *)s.params[0]->pub.data)[0] = 0;
    ((float *)s.params[0]->pub.data)[1] = -90; /* exp(-90) is 8e-40 */
    run_subject(&s, &declared);
    ck_assert(holds(s.bound.leaves[0], 1, 0) && holds(s.bound.leaves[0], 1, (double)expf(-90)));
    declared.ftz = 0;
    ck_assert_int_eq(find_bound(&s, &declared, NULL), 0);
    ck_assert(!holds(s.bound.leaves[0], 1, 0));
    close_subject(&s);
    begin(&s, "curves_f32");
    ((float *)s.params[0]->pub.data)[0] = -88.8f; /* exp(88.8) overflows in f32 */
    run_subject(&s, &declared);
    ck_assert(holds(s.bound.leaves[0], 0, 0) && holds(s.bound.leaves[1], 0, 0));
    ck_assert(holds(s.bound.leaves[0], 0, (double)(float)(-88.8f * exp(-88.8))));
    close_subject(&s);
}
END_TEST

static void refused(const char *name, const char *accumulator, const char *words)
{
    struct subject s;
    struct tf_declared declared = declared_default();
    declared.accumulator = accumulator;
    begin(&s, name);
    ck_assert_int_ne(find_bound(&s, &declared, NULL), 0);
    const char *text = told();
    ck_assert_msg(strstr(text, words) != NULL, "%s", text);
    close_subject(&s);
}

START_TEST(sums_without_a_certain_digit_are_refused)
{
    refused("softmax_f32", "bf16", "softmax: sums of 448 terms in bf16 have no digit that is certain");
    refused("rms_f32", "bf16", "rms_norm: sums of 384 terms in bf16");
    refused("layer_f32", "abacus", "layer_norm: no bound is known for the accumulator abacus");
    refused("conv_f32", "abacus", "conv2d: no bound is known for the accumulator abacus");
}
END_TEST

/* ---- what is no number, or past all numbers ------------------------------------------------------------------------*/

static void hold_edges(struct subject *s, const char *name, float first, float second)
{
    float *x = s->params[0]->pub.data;
    x[5] = first;
    x[7] = second;
    found(s);
    for (uint32_t leaf = 0; leaf < s->declared.n; leaf++) {
        count_open(s, leaf);
        for (size_t i = N; i < (size_t)R * N; i++)
            ck_assert_msg(!s->bound.leaves[leaf]->pub.doubt[i], "%s: row 0 reaches element %zu", name, i);
    }
}

START_TEST(edges_stay_in_their_row)
{
    static const char *const NAMES[] = {"softmax_f32", "rms_f32", "layer_f32", "curves_f32"};
    static const float ODD[] = {
        NAN, INFINITY, -INFINITY, 3.4e38f, -3.4e38f, 1e20f, 0x1p-149f, -0x1p-149f, -0.0f, -100, -89};
    enum { COUNT = sizeof(ODD) / sizeof(*ODD) };
    for (size_t k = 0; k < sizeof(NAMES) / sizeof(*NAMES); k++) {
        struct subject s;
        begin(&s, NAMES[k]);
        for (size_t i = 0; i < COUNT * COUNT; i++)
            hold_edges(&s, NAMES[k], ODD[i / COUNT], ODD[i % COUNT]);
        close_subject(&s);
    }
}
END_TEST

/* x is the same all over row 0. */
static void fill_row(struct subject *s, float value)
{
    for (size_t i = 0; i < N; i++)
        ((float *)s->params[0]->pub.data)[i] = value;
}

START_TEST(rows_without_a_number_have_none)
{
    struct subject s;
    begin(&s, "softmax_f32");
    fill_row(&s, -INFINITY); /* minus infinity less itself */
    ((float *)s.params[0]->pub.data)[N + 9] = INFINITY;
    ((float *)s.params[0]->pub.data)[2 * N + 9] = NAN;
    ((float *)s.params[0]->pub.data)[3 * N + 9] = -INFINITY; /* masked */
    found(&s);
    const struct tensor *bound = s.bound.leaves[0];
    for (size_t i = 0; i < 3 * N; i++)
        ck_assert(holds(bound, i, (double)NAN) && !holds(bound, i, 0) && !holds(bound, i, 1));
    ck_assert(holds(bound, 3 * N + 9, 0) && !is_open(bound, 3 * N + 9) && !bound->pub.doubt[3 * N + 9]);
    close_subject(&s);
    begin(&s, "rms_f32");
    fill_row(&s, 0);
    found(&s);
    ck_assert(holds(s.bound.leaves[0], 3, 0) && !is_open(s.bound.leaves[0], 3));
    fill_row(&s, 1e30f); /* its squares overflow in f32, and not in f64 */
    found(&s);
    ck_assert(holds(s.bound.leaves[0], 3, 0));
    ck_assert(holds(s.bound.leaves[0], 3, (double)floats(s.params[1])[3]) && !s.bound.leaves[0]->pub.doubt[3]);
    close_subject(&s);
    begin(&s, "empty");
    found(&s);
    ck_assert_uint_eq(s.bound.leaves[2]->count, 0);
    close_subject(&s);
}
END_TEST

/* ---- rope and conv2d ----------------------------------------------------------------------------------------------*/

static void rope(const struct subject *s, uint32_t leaf, double *to)
{
    enum { WIDTH = 16, ROWS = 8 };
    const float *x = floats(s->params[leaf]), *cosines = floats(s->params[2]), *sines = floats(s->params[3]);
    size_t heads = leaf ? 2 : 4;
    for (size_t i = 0; i < s->params[leaf]->count; i++) {
        size_t at = i % WIDTH, row = (size_t)((const int32_t *)s->params[4]->pub.data)[i / WIDTH / heads % ROWS];
        float partner = at < WIDTH / 2 ? -x[i + WIDTH / 2] : x[i - WIDTH / 2];
        float c = cosines[row * WIDTH + at], n = sines[row * WIDTH + at], along = x[i] * c, across = partner * n;
        to[i] = (double)(along + across);
        if (random_below(2))
            to[i] = random_below(2) ? (double)fmaf(x[i], c, across) : (double)fmaf(partner, n, along);
        else if (random_below(2))
            to[i] = (double)x[i] * (double)c + (double)partner * (double)n;
    }
}

/* The taps of one element, those in the padding left out. */
static size_t taps_of(const float *x, const float *w, const size_t at[4], float *a, float *b)
{
    size_t n = 0;
    for (size_t channel = 0; channel < 4; channel++)
        for (size_t r = 0; r < 3; r++)
            for (size_t k = 0; k < 3; k++) {
                size_t row = at[2] * 2 + r, column = at[3] + k * 2; /* past the padding of 1 */
                if (row < 1 || row > 9 || column < 1 || column > 9)
                    continue;
                a[n] = x[((at[0] * 8 + at[1] / 3 * 4 + channel) * 9 + row - 1) * 9 + column - 1];
                b[n++] = w[((at[1] * 4 + channel) * 3 + r) * 3 + k];
            }
    return n;
}

static void convolution(const struct subject *s, uint32_t leaf, double *to)
{
    const float *x = floats(s->params[0]), *w = floats(s->params[1]), *bias = floats(s->params[2]);
    const int64_t *extents = s->declared.leaves[leaf]->extents;
    float a[40], b[40];
    for (size_t i = 0; i < s->declared.leaves[leaf]->count; i++) {
        size_t columns = (size_t)extents[3], rows = (size_t)extents[2];
        size_t at[4] = {i / columns / rows / 6, i / columns / rows % 6, i / columns % rows, i % columns};
        size_t n = taps_of(x, w, at, a, b);
        if (random_below(2)) { /* the bias is an addend like others */
            a[n] = bias[at[1]];
            b[n] = 1;
            to[i] = (double)summed(n + 1, a, b);
        } else
            to[i] = rounded(s->declared.leaves[leaf], (double)summed(n, a, b)) + (double)bias[at[1]];
    }
}

START_TEST(rotations_and_convolutions_in_many_ways)
{
    hold("rope_f32", rope, 2);
    hold("rope_bf16", rope, 2);
    hold("conv_f32", convolution, 2);
    hold("conv_f16", convolution, 2);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("bounds of formulas");
    TCase *all = tcase_create("formulas");
    tcase_add_checked_fixture(all, set_up, end_context);
    tcase_set_timeout(all, 60);
    tcase_add_test(all, softmax_in_many_ways);
    tcase_add_test(all, normalisations_in_many_ways);
    tcase_add_test(all, activations_in_many_ways);
    tcase_add_test(all, sums_that_lose_all_but_the_first);
    tcase_add_test(all, maxima_that_grow_with_each_element);
    tcase_add_test(all, exponentials_as_powers_of_2);
    tcase_add_test(all, roots_and_quotients_as_far_off_as_declared);
    tcase_add_test(all, other_declarations);
    tcase_add_test(all, what_is_exact_is_a_point);
    tcase_add_test(all, small_numbers_may_be_flushed);
    tcase_add_test(all, sums_without_a_certain_digit_are_refused);
    tcase_add_test(all, edges_stay_in_their_row);
    tcase_add_test(all, rows_without_a_number_have_none);
    tcase_add_test(all, rotations_and_convolutions_in_many_ways);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
