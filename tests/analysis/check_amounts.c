/* SPDX-License-Identifier: MIT
 * Counting what calls reach, held against going through every iteration.
 */
#include "ir/relation.h"
#include "util/ctx.h"
#include "util/diag.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SIDES 4
#define MAX_POINTS 8000

struct world {
    tf_ctx *ctx;
    struct tf_node node;
    struct tf_op op;
    struct tf_call whole, unit;
    struct tf_step step;
    struct tf_relation relation;
    const struct tf_type *args[2][MAX_SIDES];
};

static uint32_t seed;
static int64_t pick(int64_t lo, int64_t hi) /* lo..hi */
{
    seed = seed * 1664525u + 1013904223u;
    return lo + (int64_t)((seed >> 8) % (uint32_t)(hi - lo + 1));
}

static const struct tf_type *tensor(tf_ctx *ctx, uint32_t rank, const int64_t *extents)
{
    const struct tf_dim *shape[TF_MAX_RANK];
    for (uint32_t i = 0; i < rank; i++)
        shape[i] = dim_const(ctx, extents[i]);
    return type_tensor(ctx, TF_DTYPE_F32, rank, shape, NULL, TF_STORAGE_GMEM);
}

/* ---- the answer, the long way --------------------------------------------------------------------------------------*/

/* Coordinate along an axis at an iteration; -1 for "every coordinate". */
static int64_t coordinate(const struct tf_axis *axis, const int64_t *iteration)
{
    int64_t c = axis->offset;
    for (int t = 0; t < 2; t++)
        if (axis->iter[t] >= 0)
            c += axis->scale[t] * iteration[axis->iter[t]];
    return c;
}

static int allows(const struct world *w, uint32_t side, const int64_t *iteration)
{
    const struct tf_boundary *b = side < w->relation.n_in ? &w->relation.in[side] : &w->relation.out[0];
    int held = 1;
    for (uint32_t a = 0; a < b->rank; a++) {
        if (b->axes[a].kind == TF_AXIS_ANY)
            continue;
        int64_t c = coordinate(&b->axes[a], iteration);
        if (c < 0 || c >= w->args[0][side]->shape[a]->value)
            return 1; /* nothing is said of what lies outside the value */
        held &= c < w->args[1][side]->shape[a]->value;
    }
    return held;
}

static void mark(const struct tf_boundary *b, const struct tf_type *held, const int64_t *iteration, uint32_t axis,
    int64_t at, unsigned char *seen)
{
    if (axis == b->rank) {
        seen[at] = 1;
        return;
    }
    int64_t extent = held->shape[axis]->value;
    int64_t c = b->axes[axis].kind == TF_AXIS_ANY ? -1 : coordinate(&b->axes[axis], iteration);
    if (b->axes[axis].kind == TF_AXIS_ANY)
        for (int64_t i = 0; i < extent; i++)
            mark(b, held, iteration, axis + 1, at * extent + i, seen);
    else if (c >= 0 && c < extent)
        mark(b, held, iteration, axis + 1, at * extent + c, seen);
}

static void count_slowly(const struct world *w, int unit, uint64_t *elements)
{
    uint32_t sides = w->relation.n_in + 1;
    static unsigned char seen[MAX_SIDES][MAX_POINTS];
    int64_t iteration[RELATION_MAX_ITER] = {0};
    memset(seen, 0, sizeof(seen));
    for (;;) {
        int performed = 1;
        for (uint32_t s = 0; s < sides && unit; s++)
            performed &= allows(w, s, iteration);
        for (uint32_t s = 0; s < sides && performed; s++)
            mark(s < w->relation.n_in ? &w->relation.in[s] : &w->relation.out[0], w->args[unit][s], iteration, 0, 0,
                seen[s]);
        uint32_t k = 0;
        while (k < w->relation.n_iter && ++iteration[k] == w->relation.extent[k]->value)
            iteration[k++] = 0;
        if (k == w->relation.n_iter)
            break;
    }
    for (uint32_t s = 0; s < sides; s++) {
        elements[s] = 0;
        for (uint32_t p = 0; p < MAX_POINTS; p++)
            elements[s] += seen[s][p];
    }
}

/* ---- random calls --------------------------------------------------------------------------------------------------*/

static void random_axis(const struct tf_relation *relation, struct tf_axis *axis, uint32_t n_iter, uint32_t *free_axes)
{
    *axis = (struct tf_axis){.kind = pick(0, 9) == 0 ? TF_AXIS_ANY : TF_AXIS_WALK, .iter = {-1, -1}};
    axis->offset = pick(0, 2) ? 0 : pick(-2, 2);
    for (int t = 0; t < (int)pick(1, 2); t++) {
        uint32_t k = (uint32_t)pick(0, n_iter - 1);
        if (!(*free_axes >> k & 1))
            continue;
        *free_axes &= ~(1u << k);
        axis->iter[t] = (int32_t)k;
        axis->scale[t] = pick(0, 4) ? pick(1, 4) : pick(-3, -1);
    }
    if (axis->iter[0] >= 0 && axis->iter[1] >= 0 && pick(0, 2) == 0) { /* two digits of one number, or nearly */
        axis->scale[0] = 1;
        axis->scale[1] = relation->extent[axis->iter[0]]->value + pick(-1, 1);
        axis->offset = 0;
    }
}

static void random_side(struct world *w, struct tf_boundary *boundary, uint32_t side, uint32_t n_iter)
{
    int64_t whole[TF_MAX_RANK], held[TF_MAX_RANK];
    uint32_t free_axes = (1u << n_iter) - 1;
    relation_walk(w->ctx, boundary, (uint32_t)pick(0, 3), 0);
    for (uint32_t a = 0; a < boundary->rank; a++) {
        random_axis(&w->relation, &boundary->axes[a], n_iter, &free_axes);
        whole[a] = pick(1, 20);
        held[a] = pick(0, 2) ? whole[a] : pick(1, whole[a]);
    }
    w->args[0][side] = tensor(w->ctx, boundary->rank, whole);
    w->args[1][side] = tensor(w->ctx, boundary->rank, held);
}

static void random_call(struct world *w)
{
    const struct tf_dim *extent[4];
    uint32_t n_iter = (uint32_t)pick(1, 4), n_in = (uint32_t)pick(0, MAX_SIDES - 1);
    for (uint32_t k = 0; k < n_iter; k++)
        extent[k] = dim_const(w->ctx, pick(1, 5));
    w->op.name = "any";
    w->node.op = &w->op;
    w->whole.n_args = w->unit.n_args = n_in;
    w->whole.op = w->unit.op = &w->op;
    ck_assert_int_eq(relation_box(w->ctx, &w->whole, &w->relation, n_iter, extent, 1), TF_OK);
    for (uint32_t i = 0; i < n_in; i++)
        random_side(w, &w->relation.in[i], i, n_iter);
    random_side(w, &w->relation.out[0], n_in, n_iter);
    w->whole.arg_types = w->args[0];
    w->unit.arg_types = w->args[1];
    w->whole.type = w->args[0][n_in];
    w->unit.type = w->args[1][n_in];
    w->step.node = &w->node;
    w->step.whole = &w->whole;
    w->step.unit = &w->unit;
}

START_TEST(random_calls)
{
    uint32_t refused = 0;
    for (uint32_t round = 0; round < 30000; round++) {
        seed = round * 7919u + 17u;
        struct world w = {.ctx = ctx_create()};
        random_call(&w);
        for (int unit = 0; unit < 2; unit++) {
            uint64_t right[MAX_SIDES], ours[MAX_SIDES];
            size_t errors = diag_errors(w.ctx);
            count_slowly(&w, unit, right);
            int rc = relation_amounts(w.ctx, NULL, &w.step, &w.relation, unit, ours);
            if (rc == TF_E_REFUSED && diag_errors(w.ctx) > errors) {
                refused++;
                continue;
            }
            ck_assert_int_eq(rc, TF_OK);
            for (uint32_t s = 0; s <= w.relation.n_in; s++)
                ck_assert_msg(ours[s] == right[s], "round %u, unit %d, boundary %u: %llu, expected %llu", round, unit,
                    s, (unsigned long long)ours[s], (unsigned long long)right[s]);
        }
        ctx_destroy(w.ctx);
    }
    ck_assert_msg(refused < 600, "%u of 60000 were refused", refused);
}
END_TEST

/* ---- by hand -------------------------------------------------------------------------------------------------------*/

/* What costs must not depend on extents: these have more points than could be gone through. */
START_TEST(large_extents)
{
    struct world w = {.ctx = ctx_create(), .op = {.name = "window"}};
    int64_t big = (int64_t)1 << 40;
    const struct tf_dim *extent[2] = {dim_const(w.ctx, big), dim_const(w.ctx, 3)};
    uint64_t elements[2];
    w.node.op = &w.op;
    w.whole.op = &w.op;
    w.whole.n_args = 1;
    w.args[0][0] = tensor(w.ctx, 1, (int64_t[]){2 * big});
    w.args[0][1] = tensor(w.ctx, 1, (int64_t[]){big});
    w.whole.arg_types = w.args[0];
    w.whole.type = w.args[0][1];
    w.step = (struct tf_step){.node = &w.node, .whole = &w.whole, .unit = &w.whole};
    relation_box(w.ctx, &w.whole, &w.relation, 2, extent, 1);
    relation_walk(w.ctx, &w.relation.in[0], 1, 0);
    relation_walk(w.ctx, &w.relation.out[0], 1, 0);
    w.relation.in[0].axes[0] = (struct tf_axis){.iter = {0, 1}, .scale = {2, 1}, .offset = -1};
    ck_assert_int_eq(relation_amounts(w.ctx, NULL, &w.step, &w.relation, 0, elements), TF_OK);
    ck_assert_uint_eq(elements[0], (uint64_t)2 * (uint64_t)big); /* -1 .. 2 * big - 1, less what is not there */
    ck_assert_uint_eq(elements[1], (uint64_t)big);
    ctx_destroy(w.ctx);
}
END_TEST

START_TEST(overflow)
{
    struct world w = {.ctx = ctx_create(), .op = {.name = "huge"}};
    int64_t big = (int64_t)1 << 40;
    const struct tf_dim *extent[2] = {dim_const(w.ctx, big), dim_const(w.ctx, big)};
    uint64_t elements[1];
    w.node.op = &w.op;
    w.whole.op = &w.op;
    w.whole.type = tensor(w.ctx, 2, (int64_t[]){big, big});
    w.step = (struct tf_step){.node = &w.node, .whole = &w.whole, .unit = &w.whole};
    relation_box(w.ctx, &w.whole, &w.relation, 2, extent, 1);
    relation_walk(w.ctx, &w.relation.out[0], 2, 0);
    ck_assert_int_eq(relation_amounts(w.ctx, NULL, &w.step, &w.relation, 0, elements), TF_E_OVERFLOW);
    ck_assert_uint_eq(diag_errors(w.ctx), 1);
    ctx_destroy(w.ctx);
}
END_TEST

START_TEST(too_many_axes)
{
    tf_ctx *ctx = ctx_create();
    const struct tf_dim *extent[RELATION_MAX_ITER + 1];
    struct tf_op op = {.name = "wide"};
    struct tf_call call = {.op = &op};
    struct tf_relation relation;
    for (int k = 0; k <= RELATION_MAX_ITER; k++)
        extent[k] = dim_const(ctx, 2);
    ck_assert_int_eq(relation_box(ctx, &call, &relation, RELATION_MAX_ITER + 1, extent, 1), TF_E_REFUSED);
    ck_assert_uint_eq(diag_errors(ctx), 1);
    ctx_destroy(ctx);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("amounts");
    TCase *cases = tcase_create("amounts");
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, random_calls);
    tcase_add_test(cases, large_extents);
    tcase_add_test(cases, overflow);
    tcase_add_test(cases, too_many_axes);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
