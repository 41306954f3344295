/* SPDX-License-Identifier: MIT
 * Enclosure of quant: a scale for each group, which is 1 where it would be 0, and codes of the quotients by it.
 */
#include "bound_reduce.h"

#define LARGEST 448.0

enum { GROUP = 1 }; /* among the attributes */
enum { CODES, SCALES };

static struct bk largest(const struct tf_tensor *x, size_t first, size_t n)
{
    struct bk most = {0, 0, 0};
    for (size_t i = first; i < first + n; i++) {
        struct bk v = bk_at(x, i);
        most.doubt |= v.doubt;
        if (bk_is_nan(v))
            continue;
        double low = v.lo > 0 ? v.lo : v.hi < 0 ? -v.hi : 0, high = -v.lo > v.hi ? -v.lo : v.hi;
        most.lo = low > most.lo ? low : most.lo;
        most.hi = high > most.hi ? high : most.hi;
    }
    return most.doubt & TF_DOUBT_MUST_NAN ? bk_nan() : most.doubt ? bk_anything() : most;
}

/* Where it may be 0 it may be 1 instead, and it is not 0. */
static struct bk scale_of(const struct tf_eval *e, struct bk most)
{
    const struct bk by = {LARGEST, LARGEST, 0}, one = {1, 1, 0};
    struct bk scale = bk_result_of(e, SCALES, bk_at_least(bk_divided(e, most, by), 0));
    if (bk_is_nan(scale) || scale.doubt || scale.lo > 0)
        return scale;
    scale.lo = 0x1p-149;
    return scale.hi > 0 ? bk_hull(scale, one) : one;
}

static struct bk code_of(const struct tf_eval *e, struct bk x, struct bk scale)
{
    uint32_t via = e->declared->cast_via;
    struct bk quotient = bk_at_most(bk_at_least(bk_step(e, bk_divided(e, x, scale)), -LARGEST), LARGEST);
    if (via && !bk_is_nan(quotient) && tf_host->dtype(via - 1)->bits > tf_host->dtype(e->results[CODES]->dtype)->bits)
        quotient = bk_to(via - 1, quotient, e->fp8_overflow);
    return bk_result_of(e, CODES, quotient);
}

int reduce_bound_quant(const struct tf_eval *e)
{
    size_t n = (size_t)ak_number(&e->call->attrs[GROUP]), groups = ek_count(e->results[SCALES]);
    for (size_t group = 0; group < groups; group++) {
        struct bk scale = scale_of(e, largest(e->args[0], group * n, n));
        bk_put(e->results[SCALES], group, scale);
        for (size_t i = group * n; i < (group + 1) * n; i++)
            bk_put(e->results[CODES], i, code_of(e, bk_at(e->args[0], i), scale));
    }
    return TF_OK;
}
