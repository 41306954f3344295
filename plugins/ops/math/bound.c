/* SPDX-License-Identifier: MIT
 * Enclosures of what is computed element by element.
 */
#include "bound.h"

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

/* ---- integers -----------------------------------------------------------------------------------------------------*/

/* An integer as its dtype keeps it: one that does not fit wraps, to wherever. */
static struct bk wrapped(uint32_t dtype, struct bk x)
{
    const struct tf_dtype_info *info = tf_host->dtype(dtype);
    if (info->cls == TF_CLASS_BOOL)
        return truth(x.lo <= 0, x.hi > 0);
    struct bk range = {0, 0, 0};
    range.hi = (double)(UINT64_C(1) << (info->cls == TF_CLASS_INT ? info->bits - 1 : info->bits));
    range.lo = info->cls == TF_CLASS_INT ? -range.hi : 0;
    range.hi = info->bits < 64 ? range.hi - 1 : range.hi;
    return x.lo >= range.lo && x.hi <= range.hi && !x.doubt ? x : range;
}

/* ---- pairs --------------------------------------------------------------------------------------------------------*/

static const char *const KINDS[] = {"add", "sub", "mul", "div", "min", "max", "eq", "ne", "lt", "le", "gt", "ge", "and",
    "or", "floor_div", "mod", NULL};
enum kind { ADD, SUB, MUL, DIV, MIN, MAX, COMPARED, AND = COMPARED + GE + 1, OR, FLOOR_DIV, MOD };

/* Integers that are known, and that f64 holds; of others nothing is said. */
static struct bk divided(unsigned kind, struct bk a, struct bk b)
{
    if (!bk_is_point(a) || !bk_is_point(b) || b.lo == 0 || __builtin_fabs(a.lo) > 0x1p53)
        return bk_anything();
    int64_t x = (int64_t)a.lo, y = (int64_t)b.lo, quotient = x / y, rest = x % y;
    if (rest != 0 && (rest < 0) != (y < 0)) {
        quotient--;
        rest += y;
    }
    double number = (double)(kind == MOD ? rest : quotient);
    return (struct bk){number, number, 0};
}

static struct bk combine(const struct tf_eval *e, unsigned kind, struct bk a, struct bk b)
{
    if (kind < COMPARED && (bk_is_nan(a) || bk_is_nan(b)))
        return bk_nan();
    switch (kind) {
    case ADD: return bk_add(a, b);
    case SUB: return bk_add(a, bk_negated(b));
    case MUL: return e->call->args[0] == e->call->args[1] ? bk_square(a) : bk_mul(a, b);
    case DIV: return bk_widen(e, bk_quotient(a, b), e->declared->ulp[TF_APPROX_DIV]);
    case MIN: return least_of(a, b);
    case MAX: return most_of(a, b);
    case AND: return least_of(a, b);
    case OR: return most_of(a, b);
    case FLOOR_DIV:
    case MOD: return divided(kind, a, b);
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

/* A sum next to a product may be one rounding with it. */
static struct bk with_fma(
    const struct tf_eval *e, unsigned kind, const size_t *at, struct bk a, struct bk b, struct bk out)
{
    struct bk x;
    if (kind > SUB || !e->declared->fma || e->results[0]->dtype != TF_DTYPE_F32)
        return out;
    if (unrounded(e->args[0], at[0], &x))
        out = bk_hull(out, bk_result(e, combine(e, kind, x, b)));
    if (unrounded(e->args[1], at[1], &x))
        out = bk_hull(out, bk_result(e, combine(e, kind, a, x)));
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
            if (!ok_is_float(e->results[0]->dtype)) {
                bk_put(e->results[0], rows.result + i, wrapped(e->results[0]->dtype, x));
                continue;
            }
            if (t->kind == MUL)
                keep_raw(e->results[0], rows.result + i, x);
            bk_put(e->results[0], rows.result + i, with_fma(e, t->kind, at, a, b, bk_result(e, x)));
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

/* What has no declared error of its own, softplus, may come of an exponential, and that of a power of 2. */
static double error_of(const struct task *t, const struct function *f, struct bk x)
{
    double ulp = t->e->declared->ulp[f->approx];
    if (f->approx != TF_APPROX_OTHER || ulp <= 0.5)
        return ulp;
    return ulp + 2 * t->e->declared->ulp[TF_APPROX_EXP] + (x.lo < 0 && x.lo > -200 ? -2 * x.lo : 0);
}

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
    return bk_result(t->e, f->approx < TF_APPROX_COUNT ? bk_widen(t->e, out, error_of(t, f, x)) : out);
}

static struct bk magnitude_of(struct bk x)
{
    double most = -x.lo > x.hi ? -x.lo : x.hi, least = x.lo > 0 ? x.lo : x.hi < 0 ? -x.hi : 0;
    return bk_is_nan(x) ? x : (struct bk){least, most, x.doubt};
}

static struct bk magnitude(const struct task *t, const struct bk *in)
{
    return bk_is_nan(in[0]) ? in[0] : bk_result(t->e, magnitude_of(in[0]));
}

static struct bk squared(const struct task *t, const struct bk *in)
{
    return bk_is_nan(in[0]) ? in[0] : bk_result(t->e, bk_square(in[0]));
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
        keep_raw(e->results[0], i, bk_is_nan(bk_at(e->args[0], i)) ? bk_anything() : bk_square(bk_at(e->args[0], i)));
}

static struct bk counted(const struct task *t, const struct bk *in)
{
    const char *kind = t->data;
    struct bk x = in[0];
    if (!strcmp(kind, "neg"))
        x = bk_negated(x);
    else if (!strcmp(kind, "not"))
        x = truth(x.hi > 0, x.lo <= 0);
    else if (!strcmp(kind, "square"))
        x = bk_square(x);
    else if (!strcmp(kind, "abs"))
        x = magnitude_of(x);
    else if (!strcmp(kind, "relu"))
        x = bk_at_least(x, 0);
    return wrapped(t->e->results[0]->dtype, x);
}

int bound_unary(tf_ctx *ctx, const struct tf_eval *e)
{
    const char *kind = ok_string(e->call, 0);
    struct task integers = {.e = e, .data = kind, .of = counted};
    if (!ok_is_float(e->args[0]->dtype))
        return map(&integers);
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
    if (!ok_is_float(to) && !ok_is_float(e->args[0]->dtype))
        return wrapped(to, x);
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
        return bk_hull(in[1], in[2]);
    return in[0].lo != 0 ? in[1] : in[2];
}

int bound_where(const struct tf_eval *e)
{
    struct task task = {.e = e, .of = chosen};
    return map(&task);
}
