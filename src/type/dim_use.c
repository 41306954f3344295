/* SPDX-License-Identifier: MIT
 * Going over dimensions: their variables, values put for these, and their text.  A dimension's size is limited, so
 * recursion into its parts is too.
 */
#include "type/dim.h"

#include <inttypes.h>
#include <string.h>

/* ---- variables -----------------------------------------------------------------------------------------------------*/

struct found {
    struct dim_var *vars;
    size_t n, room;
    const struct dim_atom *seen[LARGEST_DIM];
};

static void find_in(struct found *found, const struct dim *d)
{
    for (size_t i = 0; i < d->n; i++) {
        const struct dim_atom *atom = d->term[i].atom;
        for (uint32_t k = 0; k < atom->n; k++)
            find_in(found, atom->operand[k]);
        if (atom->kind != ATOM_VAR)
            continue;
        size_t at = 0;
        while (at < found->n && found->seen[at] != atom)
            at++;
        if (at < found->n)
            continue;
        if (found->n < found->room)
            found->vars[found->n] = (struct dim_var){.name = atom->name, .lo = atom->lo, .hi = atom->hi};
        found->seen[found->n++] = atom;
    }
}

size_t dim_variables(const struct tf_dim *d, struct dim_var *vars, size_t room)
{
    if (d->kind == TF_DIM_CONST)
        return 0;
    struct found found;
    found.vars = vars;
    found.n = 0;
    found.room = room;
    find_in(&found, dim_of(d));
    return found.n;
}

/* ---- binding -------------------------------------------------------------------------------------------------------*/

struct binder {
    tf_ctx *ctx;
    const struct dim_binding *bound;
    size_t n;
    const char **why;
};

static const struct tf_dim *bind_dim(const struct binder *b, const struct tf_dim *d);

static const struct tf_dim *bind_var(const struct binder *b, const struct dim_atom *atom)
{
    for (size_t i = 0; i < b->n; i++)
        if (b->bound[i].name == atom->name || !strcmp(b->bound[i].name, atom->name))
            return dim_const(b->ctx, b->bound[i].value);
    return dim_variable(b->ctx, atom->name, atom->lo, atom->hi);
}

static const struct tf_dim *bind_product(const struct binder *b, const struct dim_atom *atom)
{
    const struct tf_dim *result = dim_const(b->ctx, 1);
    for (uint32_t i = 0; i < atom->n && result; i++) {
        const struct tf_dim *factor = bind_dim(b, &atom->operand[i]->pub);
        result = factor ? dim_mul(b->ctx, result, factor, b->why) : NULL;
    }
    return result;
}

static const struct tf_dim *bind_atom(const struct binder *b, const struct dim_atom *atom)
{
    if (atom->kind == ATOM_VAR)
        return bind_var(b, atom);
    if (atom->kind == ATOM_PRODUCT)
        return bind_product(b, atom);
    const struct tf_dim *left = bind_dim(b, &atom->operand[0]->pub), *right;
    right = atom->n > 1 ? bind_dim(b, &atom->operand[1]->pub) : dim_const(b->ctx, atom->divisor);
    if (!left || !right)
        return NULL;
    switch (atom->kind) {
    case ATOM_MIN: return dim_min(b->ctx, left, right);
    case ATOM_MAX: return dim_max(b->ctx, left, right);
    case ATOM_REMAINDER: return dim_mod(b->ctx, left, right, b->why);
    default: return dim_floordiv(b->ctx, left, right, b->why);
    }
}

static const struct tf_dim *bind_dim(const struct binder *b, const struct tf_dim *d)
{
    if (d->kind == TF_DIM_CONST)
        return d;
    const struct dim *sum = dim_of(d);
    const struct tf_dim *result = dim_const(b->ctx, sum->constant);
    for (size_t i = 0; i < sum->n && result; i++) {
        const struct tf_dim *value = bind_atom(b, sum->term[i].atom);
        value = value ? dim_mul(b->ctx, dim_const(b->ctx, sum->term[i].factor), value, b->why) : NULL;
        result = value ? dim_add(b->ctx, result, value, b->why) : NULL;
    }
    return result;
}

const struct tf_dim *dim_bind(
    tf_ctx *ctx, const struct tf_dim *d, const struct dim_binding *bound, size_t n, const char **why)
{
    struct binder b = {.ctx = ctx, .bound = bound, .n = n, .why = why};
    return n ? bind_dim(&b, d) : d;
}

/* ---- text ----------------------------------------------------------------------------------------------------------*/

static void print_sum(struct buf *out, const struct dim *d);

/* As an operand of * // %: only a name or a call stands bare. */
static void print_operand(struct buf *out, const struct dim *d)
{
    int lone = d->n == 1 && !d->constant && d->term[0].factor == 1;
    uint32_t kind = lone ? d->term[0].atom->kind : ATOM_PRODUCT;
    int bare = kind == ATOM_VAR || kind == ATOM_MIN || kind == ATOM_MAX || (!d->n && d->constant >= 0);
    if (!bare)
        buf_char(out, '(');
    print_sum(out, d);
    if (!bare)
        buf_char(out, ')');
}

static void print_joined(struct buf *out, const struct dim_atom *atom, const char *sign)
{
    for (uint32_t i = 0; i < atom->n; i++) {
        if (i)
            buf_str(out, sign);
        print_operand(out, atom->operand[i]);
    }
}

static void print_atom(struct buf *out, const struct dim_atom *atom)
{
    switch (atom->kind) {
    case ATOM_VAR: buf_str(out, atom->name); break;
    case ATOM_PRODUCT: print_joined(out, atom, " * "); break;
    case ATOM_QUOTIENT: print_joined(out, atom, " // "); break;
    case ATOM_REMAINDER: print_joined(out, atom, " % "); break;
    case ATOM_FLOORDIV:
        print_operand(out, atom->operand[0]);
        buf_printf(out, " // %" PRId64, atom->divisor);
        break;
    default:
        buf_str(out, atom->kind == ATOM_MIN ? "dim_min(" : "dim_max(");
        print_sum(out, atom->operand[0]);
        buf_str(out, ", ");
        print_sum(out, atom->operand[1]);
        buf_char(out, ')');
    }
}

static void print_term(struct buf *out, const struct dim_term *term)
{
    uint64_t factor = term->factor < 0 ? 0 - (uint64_t)term->factor : (uint64_t)term->factor;
    uint32_t kind = term->atom->kind;
    int divided = kind == ATOM_FLOORDIV || kind == ATOM_QUOTIENT || kind == ATOM_REMAINDER;
    if (factor != 1)
        buf_printf(out, "%" PRIu64 " * ", factor);
    /* `2 * N // 4` would be read as (2 * N) // 4 */
    if (factor != 1 && divided)
        buf_char(out, '(');
    print_atom(out, term->atom);
    if (factor != 1 && divided)
        buf_char(out, ')');
}

static void print_constant(struct buf *out, int64_t constant)
{
    if (constant < 0)
        buf_printf(out, " - %" PRIu64, 0 - (uint64_t)constant);
    else if (constant > 0)
        buf_printf(out, " + %" PRId64, constant);
}

/* What is added comes first, then what is subtracted: the language has no unary minus. */
static void print_sum(struct buf *out, const struct dim *d)
{
    size_t printed = 0;
    for (size_t i = 0; i < d->n; i++) {
        if (d->term[i].factor < 0)
            continue;
        buf_str(out, printed++ ? " + " : "");
        print_term(out, &d->term[i]);
    }
    int leads = !printed && d->constant >= 0;
    if (leads)
        buf_printf(out, "%" PRId64, d->constant);
    else if (!printed)
        buf_char(out, '0');
    for (size_t i = 0; i < d->n; i++) {
        if (d->term[i].factor >= 0)
            continue;
        buf_str(out, " - ");
        print_term(out, &d->term[i]);
    }
    if (!leads)
        print_constant(out, d->constant);
}

void dim_print(struct buf *out, const struct tf_dim *d)
{
    if (d->kind == TF_DIM_CONST)
        buf_printf(out, "%" PRId64, d->value);
    else
        print_sum(out, dim_of(d));
}
