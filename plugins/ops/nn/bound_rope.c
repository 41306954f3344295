/* SPDX-License-Identifier: MIT
 * Enclosure of rope: two products and their sum, rounded each, or fused where the candidate fuses.
 */
#include "boundsteps.h"
#include "eval.h"

enum { Q, K, COS, SIN, POS };

struct row {
    size_t first, n; /* of q or k */
    size_t cos, sin; /* where the tables' rows begin */
};

static void rotate(const struct tf_eval *e, uint32_t arg, const struct row *r)
{
    size_t half = r->n / 2;
    for (size_t i = 0; i < r->n; i++) {
        struct bk x = bk_at(e->args[arg], r->first + i);
        struct bk partner = bk_at(e->args[arg], r->first + (i < half ? i + half : i - half));
        struct bk along = bk_step(e, bk_mul(x, bk_at(e->args[COS], r->cos + i)));
        struct bk across =
            bk_step(e, bk_mul(i < half ? bk_negated(partner) : partner, bk_at(e->args[SIN], r->sin + i)));
        bk_put(e->results[arg], r->first + i, bk_result_of(e, arg, bk_step(e, bk_add(along, across))));
    }
}

int bound_rope(tf_ctx *ctx, const struct tf_eval *e)
{
    for (size_t i = 0; i < ek_count(e->args[POS]); i++)
        if (!bk_is_point(bk_at(e->args[POS], i)))
            return OK_REFUSE(ctx, e->call, BK_CODE_OPEN,
                "rope: pos_ids[%zu] is not known to a single value here, and rows of the tables depend on it", i);
    for (uint32_t arg = Q; arg <= K; arg++) {
        struct rope_rows rows = rope_rows_of(e, arg);
        size_t n = (size_t)e->args[arg]->extents[e->args[arg]->rank - 1], total = n ? ek_count(e->args[arg]) / n : 0;
        for (size_t i = 0; i < total; i++) {
            int64_t at = rope_table_row(ctx, e, i / rows.heads % rows.rows);
            if (at < 0)
                return TF_E_REFUSED;
            size_t cos = (size_t)at * ek_extent(e->args[COS], e->args[COS]->rank - 1, e->args[COS]->rank);
            size_t sin = (size_t)at * ek_extent(e->args[SIN], e->args[SIN]->rank - 1, e->args[SIN]->rank);
            rotate(e, arg, &(struct row){i * n, n, cos, sin});
        }
    }
    return TF_OK;
}
