/* SPDX-License-Identifier: MIT
 * Enclosures of what is computed element by element.
 */
#include "bound.h"

/* ---- arithmetic ---------------------------------------------------------------------------------------------------*/

static struct bk add(struct bk a, struct bk b)
{
    struct bk out = {bk_add_low(a.lo, b.lo), bk_add_high(a.hi, b.hi), a.doubt | b.doubt};
    int opposite = (a.hi == BK_INFINITY && b.lo == -BK_INFINITY) || (a.lo == -BK_INFINITY && b.hi == BK_INFINITY);
    if (out.lo == out.lo && out.hi == out.hi && !opposite)
        return out;
    return bk_is_point(a) && bk_is_point(b) ? bk_nan() : bk_anything();
}

static struct bk negated(struct bk a)
{
    return (struct bk){-a.hi, -a.lo, a.doubt};
}

/* Infinity times zero is NaN; an end at infinity may be infinity itself. */
static int may_be_invalid(struct bk a, struct bk b)
{
    int infinite = a.lo == -BK_INFINITY || a.hi == BK_INFINITY, zero = b.lo <= 0 && b.hi >= 0;
    return infinite && zero;
}

static struct bk mul(struct bk a, struct bk b)
{
    const double x[] = {a.lo, a.lo, a.hi, a.hi}, y[] = {b.lo, b.hi, b.lo, b.hi};
    struct bk out = {BK_INFINITY, -BK_INFINITY, a.doubt | b.doubt};
    if (may_be_invalid(a, b) || may_be_invalid(b, a)) {
        if (bk_is_point(a) && bk_is_point(b))
            return bk_nan();
        out.doubt |= TF_DOUBT_MAY_NAN;
    }
    for (int i = 0; i < 4; i++) {
        double low = bk_mul_low(x[i], y[i]), high = bk_mul_high(x[i], y[i]);
        out.lo = low < out.lo ? low : out.lo;
        out.hi = high > out.hi ? high : out.hi;
    }
    return out;
}

static struct bk square(struct bk a)
{
    double least = a.lo > 0 ? a.lo : a.hi < 0 ? -a.hi : 0, most = -a.lo > a.hi ? -a.lo : a.hi;
    return (struct bk){bk_mul_low(least, least), bk_mul_high(most, most), a.doubt};
}

static struct bk quotient(struct bk a, struct bk b)
{
    const double x[] = {a.lo, a.lo, a.hi, a.hi}, y[] = {b.lo, b.hi, b.lo, b.hi};
    struct bk out = {BK_INFINITY, -BK_INFINITY, a.doubt | b.doubt};
    if (bk_is_point(a) && bk_is_point(b) && (b.lo == 0 || a.lo - a.lo != 0 || b.lo - b.lo != 0)) {
        double q = a.lo / b.lo; /* as IEEE has it: an infinity, a zero or NaN */
        return q == q ? (struct bk){q, q, 0} : bk_nan();
    }
    if (b.lo <= 0 && b.hi >= 0)
        return bk_anything();
    if ((a.lo == -BK_INFINITY || a.hi == BK_INFINITY) && (b.lo == -BK_INFINITY || b.hi == BK_INFINITY))
        out.doubt |= TF_DOUBT_MAY_NAN;
    for (int i = 0; i < 4; i++) {
        double low = bk_div_low(x[i], y[i]), high = bk_div_high(x[i], y[i]);
        out.lo = low < out.lo ? low : out.lo;
        out.hi = high > out.hi ? high : out.hi;
    }
    return out;
}

static struct bk least_of(struct bk a, struct bk b)
{
    return (struct bk){a.lo < b.lo ? a.lo : b.lo, a.hi < b.hi ? a.hi : b.hi, a.doubt | b.doubt};
}

static struct bk most_of(struct bk a, struct bk b)
{
    return (struct bk){a.lo > b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi, a.doubt | b.doubt};
}

/* ---- comparisons --------------------------------------------------------------------------------------------------*/

/* {0}, {1} or {0, 1}, from whether it can be false and true. */
static struct bk truth(int can_be_false, int can_be_true)
{
    return (struct bk){can_be_false ? 0 : 1, can_be_true ? 1 : 0, 0};
}

enum relation { EQ, NE, LT, LE, GT, GE };

static struct bk compare(enum relation relation, struct bk a, struct bk b)
{
    int must = bk_is_nan(a) || bk_is_nan(b), may = (a.doubt | b.doubt) != 0, no = may || must, yes = 0;
    if (relation == NE || relation == EQ) {
        int apart = a.lo != a.hi || b.lo != b.hi || a.lo != b.lo, meet = a.lo <= b.hi && b.lo <= a.hi;
        int equal = !must && meet, differ = no || apart;
        return relation == EQ ? truth(differ, equal) : truth(equal, differ);
    }
    if (relation == GT || relation == GE) {
        struct bk other = a;
        a = b;
        b = other;
        relation = relation == GT ? LT : LE;
    }
    if (!must) {
        yes = relation == LT ? a.lo < b.hi : a.lo <= b.hi;
        no |= relation == LT ? a.hi >= b.lo : a.hi > b.lo;
    }
    return truth(no, yes);
}

/* ---- pairs --------------------------------------------------------------------------------------------------------*/

static const char *const KINDS[] = {"add", "sub", "mul", "div", "min", "max", "eq", "ne", "lt", "le", "gt", "ge", NULL};
enum kind { ADD, SUB, MUL, DIV, MIN, MAX, COMPARED };

static struct bk combine(const struct tf_eval *e, unsigned kind, struct bk a, struct bk b)
{
    if (kind < COMPARED && (bk_is_nan(a) || bk_is_nan(b)))
        return bk_nan();
    switch (kind) {
    case ADD: return add(a, b);
    case SUB: return add(a, negated(b));
    case MUL: return e->call->args[0] == e->call->args[1] ? square(a) : mul(a, b);
    case DIV: return bk_widen(e, quotient(a, b), e->declared->ulp[TF_APPROX_DIV]);
    case MIN: return least_of(a, b);
    case MAX: return most_of(a, b);
    default: return compare((enum relation)(kind - COMPARED), a, b);
    }
}

/* A product before its rounding, where the operand is one. */
static int unrounded(const struct tf_tensor *t, size_t i, struct bk *x)
{
    if (!t->raw || t->raw[0] != t->raw[0])
        return 0;
    *x = (struct bk){t->raw[2 * i], t->raw[2 * i + 1], t->doubt[i]};
    return !bk_is_nan(*x);
}

static struct bk hull(struct bk a, struct bk b)
{
    if (bk_is_nan(a) || bk_is_nan(b))
        return bk_is_nan(a) ? (struct bk){b.lo, b.hi, b.doubt | TF_DOUBT_MAY_NAN}
                            : (struct bk){a.lo, a.hi, a.doubt | TF_DOUBT_MAY_NAN};
    return (struct bk){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi, a.doubt | b.doubt};
}

/* A sum next to a product may be one rounding with it. */
static struct bk with_fma(
    const struct tf_eval *e, unsigned kind, const size_t *at, struct bk a, struct bk b, struct bk out)
{
    struct bk x;
    if (kind > SUB || !e->declared->fma || e->results[0]->dtype != TF_DTYPE_F32)
        return out;
    if (unrounded(e->args[0], at[0], &x))
        out = hull(out, bk_result(e, combine(e, kind, x, b)));
    if (unrounded(e->args[1], at[1], &x))
        out = hull(out, bk_result(e, combine(e, kind, a, x)));
    return out;
}

static void keep_raw(const struct tf_tensor *t, size_t i, struct bk x)
{
    if (t->raw) {
        t->raw[2 * i] = x.lo;
        t->raw[2 * i + 1] = x.hi;
    }
}

struct task {
    const struct tf_eval *e;
    const struct ek_rows *rows;
    unsigned kind;
    const void *data;
    struct bk (*of)(const struct task *task, const struct bk *in);
};

static void pair_piece(void *data, size_t first, size_t end)
{
    const struct task *t = data;
    const struct tf_eval *e = t->e;
    struct ek_rows rows = *t->rows;
    ek_rows_seek(&rows, first, end);
    while (ek_rows_next(&rows))
        for (size_t i = 0; i < rows.n; i++) {
            size_t at[] = {
                rows.offset[0] + (ek_moves(&rows, 0) ? i : 0), rows.offset[1] + (ek_moves(&rows, 1) ? i : 0)};
            struct bk a = bk_at(e->args[0], at[0]), b = bk_at(e->args[1], at[1]), x = combine(e, t->kind, a, b);
            if (t->kind == MUL)
                keep_raw(e->results[0], rows.result + i, x);
            bk_put(e->results[0], rows.result + i,
                t->kind < COMPARED ? with_fma(e, t->kind, at, a, b, bk_result(e, x)) : x);
        }
}

int bound_binary(const struct tf_eval *e)
{
    struct ek_rows rows;
    struct task task = {.e = e, .rows = &rows};
    while (KINDS[task.kind] && strcmp(KINDS[task.kind], ok_string(e->call, 0)) != 0)
        task.kind++;
    if (!KINDS[task.kind])
        return TF_E_UNSUPPORTED;
    ek_rows_init(&rows, e);
    tf_host->parallel(rows.total, EK_GRAIN, pair_piece, &task);
    return TF_OK;
}

/* ---- one, or three ------------------------------------------------------------------------------------------------*/

static void map_piece(void *data, size_t first, size_t end)
{
    const struct task *t = data;
    const struct tf_eval *e = t->e;
    struct ek_rows rows = *t->rows;
    struct bk in[EK_MAX_OPERANDS];
    ek_rows_seek(&rows, first, end);
    while (ek_rows_next(&rows))
        for (size_t i = 0; i < rows.n; i++) {
            for (uint32_t k = 0; k < e->n_args; k++)
                in[k] = bk_at(e->args[k], rows.offset[k] + (ek_moves(&rows, k) ? i : 0));
            bk_put(e->results[0], rows.result + i, t->of(t, in));
        }
}

static int map(struct task *task)
{
    struct ek_rows rows;
    task->rows = &rows;
    ek_rows_init(&rows, task->e);
    tf_host->parallel(rows.total, EK_GRAIN, map_piece, task);
    return TF_OK;
}

/* X(value, of a monotone function with its error in places of f64, which ulp is declared for it, whether it falls) */
#define FUNCTIONS(X)                                                                                                   \
    X("rsqrt", 1 / m->sqrt(a), 2, TF_APPROX_RSQRT, 1)                                                                  \
    X("exp", m->exp(a), 2, TF_APPROX_EXP, 0)                                                                           \
    X("log", m->log(a), 2, TF_APPROX_LOG, 0)                                                                           \
    X("exp2", m->exp2(a), 2, TF_APPROX_EXP2, 0)                                                                        \
    X("log2", m->log2(a), 2, TF_APPROX_LOG2, 0)                                                                        \
    X("ceil", m->ceil(a), 0, TF_APPROX_COUNT, 0)                                                                       \
    X("round", m->rint(a), 0, TF_APPROX_COUNT, 0)                                                                      \
    X("neg", -a, 0, TF_APPROX_COUNT, 1)                                                                                \
    X("cast", a, 0, TF_APPROX_COUNT, 0)                                                                                \
    X("relu", a < 0 ? 0 : a, 0, TF_APPROX_COUNT, 0)                                                                    \
    X("softplus", a > 20 ? a : m->log1p(m->exp(a)), 4, TF_APPROX_OTHER, 0)

static double function_at(const struct tf_math *m, unsigned which, double a)
{
    unsigned k = 0;
#define X(name, expression, places, approx, falls)                                                                     \
    if (k++ == which)                                                                                                  \
        return expression;
    FUNCTIONS(X)
#undef X
    return a;
}

static const struct function {
    const char *name;
    int places;
    uint32_t approx;
    int falls;
} functions[] = {
#define X(name, expression, places, approx, falls) {name, places, approx, falls},
    FUNCTIONS(X)
#undef X
};

/* Ends outside of what the function is defined for give NaN, and elements between them may. */
static struct bk monotone(const struct task *t, const struct bk *in)
{
    const struct function *f = &functions[t->kind];
    struct bk x = in[0];
    if (bk_is_nan(x))
        return x;
    double at_lo = function_at(t->data, t->kind, x.lo), at_hi = function_at(t->data, t->kind, x.hi);
    struct bk out = {f->falls ? at_hi : at_lo, f->falls ? at_lo : at_hi, x.doubt};
    if (at_lo != at_lo && at_hi != at_hi)
        return bk_nan();
    if (at_lo != at_lo || at_hi != at_hi || out.lo > out.hi) /* the latter where -0 is the lower end of rsqrt's */
        return bk_anything();
    int exact = out.lo - out.lo != 0 && out.lo == out.hi;
    out = exact ? out : bk_out(out, f->places);
    return bk_result(t->e, f->approx < TF_APPROX_COUNT ? bk_widen(t->e, out, t->e->declared->ulp[f->approx]) : out);
}

static struct bk magnitude(const struct task *t, const struct bk *in)
{
    struct bk x = in[0];
    double most = -x.lo > x.hi ? -x.lo : x.hi, least = x.lo > 0 ? x.lo : x.hi < 0 ? -x.hi : 0;
    return bk_is_nan(x) ? x : bk_result(t->e, (struct bk){least, most, x.doubt});
}

static struct bk squared(const struct task *t, const struct bk *in)
{
    return bk_is_nan(in[0]) ? in[0] : bk_result(t->e, square(in[0]));
}

static int bound_function(tf_ctx *ctx, const struct tf_eval *e, const char *name)
{
    struct task task = {.e = e, .data = tf_host->math(ctx), .of = monotone};
    while (task.kind < OK_COUNT(functions) && strcmp(functions[task.kind].name, name) != 0)
        task.kind++;
    if (!task.data)
        return TF_E_REFUSED;
    return task.kind < OK_COUNT(functions) ? map(&task) : TF_E_UNSUPPORTED;
}

/* A square keeps its value before the rounding as a product does. */
static void raw_squares(const struct tf_eval *e)
{
    size_t n = ek_count(e->args[0]);
    for (size_t i = 0; e->results[0]->raw && i < n; i++)
        keep_raw(e->results[0], i, bk_is_nan(bk_at(e->args[0], i)) ? bk_anything() : square(bk_at(e->args[0], i)));
}

int bound_unary(tf_ctx *ctx, const struct tf_eval *e)
{
    const char *kind = ok_string(e->call, 0);
    struct task task = {.e = e, .of = !strcmp(kind, "abs") ? magnitude : squared};
    if (strcmp(kind, "abs") != 0 && strcmp(kind, "square") != 0)
        return bound_function(ctx, e, kind);
    if (task.of == squared)
        raw_squares(e);
    return map(&task);
}

int bound_softplus(tf_ctx *ctx, const struct tf_eval *e)
{
    return bound_function(ctx, e, "softplus");
}

/* ---- cast, clamp, where -------------------------------------------------------------------------------------------*/

static struct bk converted(const struct task *t, const struct bk *in)
{
    const struct tf_eval *e = t->e;
    uint32_t to = e->results[0]->dtype, via = e->declared->cast_via;
    struct bk x = in[0];
    if (to == TF_DTYPE_BOOL)
        return truth(x.lo <= 0 && x.hi >= 0, x.doubt || x.lo != 0 || x.hi != 0);
    if (!ok_is_float(to)) {
        struct bk out = x.doubt ? bk_anything() : bk_to(to, x, e->fp8_overflow);
        return out.lo > out.hi ? bk_anything() : out; /* what is out of range becomes the least integer */
    }
    if (via && !bk_is_nan(x) && tf_host->dtype(to)->bits < tf_host->dtype(via - 1)->bits)
        x = bk_to(via - 1, x, e->fp8_overflow);
    return bk_is_nan(x) ? x : bk_result(e, x);
}

int bound_cast(const struct tf_eval *e)
{
    struct task task = {.e = e, .of = converted};
    return map(&task);
}

static struct bk clamped(const struct task *t, const struct bk *in)
{
    const double *bounds = t->data;
    struct bk x = in[0];
    if (bk_is_nan(x))
        return x;
    x.lo = x.lo < bounds[0] ? bounds[0] : x.lo;
    x.hi = x.hi < bounds[0] ? bounds[0] : x.hi;
    x.lo = x.lo > bounds[1] ? bounds[1] : x.lo;
    x.hi = x.hi > bounds[1] ? bounds[1] : x.hi;
    return x;
}

int bound_clamp(const struct tf_eval *e, const double bounds[2])
{
    struct task task = {.e = e, .data = bounds, .of = clamped};
    return map(&task);
}

static struct bk chosen(const struct task *t, const struct bk *in)
{
    (void)t;
    if (in[0].doubt || in[0].lo != in[0].hi)
        return hull(in[1], in[2]);
    return in[0].lo != 0 ? in[1] : in[2];
}

int bound_where(const struct tf_eval *e)
{
    struct task task = {.e = e, .of = chosen};
    return map(&task);
}
