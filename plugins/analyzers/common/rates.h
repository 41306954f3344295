/* SPDX-License-Identifier: MIT
 * Pricing work: which pipe does it, at what rate, and how long that takes.  Header only.
 */
#ifndef ANALYZERS_RATES_H
#define ANALYZERS_RATES_H

#include "kit.h"

/* Pipes in the order in which they are named. */
enum { PIPE_TENSOR, PIPE_VECTOR, PIPE_INTEGER, PIPE_SPECIAL, N_PIPES };

/* What a pipe works in: a dtype, or a service under its own name. */
#define N_KINDS (TF_DTYPE_COUNT + TF_SERVICE_COUNT)

static inline const char *kind_name(uint32_t kind)
{
    return kind < TF_DTYPE_COUNT ? tf_host->dtype(kind)->name : kit_services[kind - TF_DTYPE_COUNT];
}

struct price {
    uint32_t pipe, kind;
    uint64_t rate; /* of the whole device, a second; 0: unrated */
};

/* Prices of all work that there is, found once a run. */
struct prices {
    struct price of[TF_WORK_SERVICE + 1][TF_DTYPE_COUNT];
};

static inline void find_price(const struct tf_target *target, uint32_t pipe, uint32_t key, struct price *price)
{
    uint32_t priced = pipe;
    if (tf_host->target_rate(target, pipe, key, &price->rate, &priced) != TF_OK)
        price->rate = 0;
    price->kind = pipe == TF_WORK_SERVICE ? TF_DTYPE_COUNT + key : key;
    if (priced == TF_WORK_SERVICE)
        price->pipe = pipe == TF_WORK_SERVICE && key == TF_SERVICE_SPECIAL ? PIPE_SPECIAL : PIPE_INTEGER;
    else
        price->pipe = priced == TF_WORK_TENSOR ? PIPE_TENSOR : PIPE_VECTOR;
}

static inline void find_prices(const struct tf_target *target, struct prices *prices)
{
    for (uint32_t key = 0; key < TF_DTYPE_COUNT; key++) {
        find_price(target, TF_WORK_VECTOR, key, &prices->of[TF_WORK_VECTOR][key]);
        find_price(target, TF_WORK_TENSOR, key, &prices->of[TF_WORK_TENSOR][key]);
    }
    for (uint32_t key = 0; key < TF_SERVICE_COUNT; key++)
        find_price(target, TF_WORK_SERVICE, key, &prices->of[TF_WORK_SERVICE][key]);
}

/* Work by pipe and kind: one entry each. */
struct bill {
    uint32_t n;
    struct {
        struct price price;
        uint64_t amount;
    } entry[N_PIPES * N_KINDS];
};

static inline int bill_add(struct bill *bill, const struct price *price, uint64_t amount, uint64_t times)
{
    uint32_t i = 0;
    while (i < bill->n && (bill->entry[i].price.pipe != price->pipe || bill->entry[i].price.kind != price->kind))
        i++;
    if (i == bill->n) {
        bill->entry[i].price = *price;
        bill->entry[i].amount = 0;
        bill->n++;
    }
    return count_add(&bill->entry[i].amount, amount, times);
}

/* A call's work, times `times`: for one unit, or for all. */
static inline int bill_call(
    struct bill *bill, const struct prices *prices, const struct tf_call_work *work, uint64_t units, uint64_t times)
{
    int over = 0;
    for (uint32_t i = 0; i < work->unit.n; i++) {
        const struct tf_work_item *item = &work->unit.item[i];
        uint64_t amount = 0;
        over |= count_add(&amount, item->amount, units);
        over |= bill_add(bill, &prices->of[item->pipe][item->key], amount, times);
    }
    return over;
}

/* Pipes overlap, kinds within one do not.  Durations pass 2^63 - 1: UINT64_MAX. */
static inline uint64_t bill_compute_ns(const struct bill *bill, uint32_t *slowest)
{
    uint64_t ns[N_PIPES] = {0}, most = 0;
    for (uint32_t i = 0; i < bill->n; i++) {
        uint64_t rate = bill->entry[i].price.rate, one = rate ? nanoseconds(bill->entry[i].amount, rate) : 0;
        uint64_t *sum = &ns[bill->entry[i].price.pipe];
        if (one == UINT64_MAX || count_add(sum, one, 1))
            return UINT64_MAX;
    }
    for (uint32_t pipe = N_PIPES; pipe-- > 0;)
        if (ns[pipe] >= most) {
            most = ns[pipe];
            *slowest = pipe;
        }
    return most;
}

/* The shortest time that the whole device needs: the bound of rule R5. */
struct bound {
    uint64_t compute_ns, memory_ns, ideal_ns;
    uint32_t pipe;
};

static inline int bill_bound(const struct bill *bill, uint64_t gmem_bytes, uint64_t bandwidth, struct bound *bound)
{
    bound->compute_ns = bill_compute_ns(bill, &bound->pipe);
    bound->memory_ns = nanoseconds(gmem_bytes, bandwidth);
    bound->ideal_ns = bound->compute_ns > bound->memory_ns ? bound->compute_ns : bound->memory_ns;
    return bound->ideal_ns == UINT64_MAX;
}

static inline int gmem_bytes(const struct tf_bytes *levels, uint64_t times, uint64_t *bytes)
{
    int over = count_add(bytes, levels[TF_STORAGE_GMEM].read, times);
    return over | count_add(bytes, levels[TF_STORAGE_GMEM].written, times);
}

/* The bound of the whole function, from what compute-cost and memory published. */
static inline int function_bound(tf_ctx *ctx, const struct tf_program *program, const struct prices *prices,
    uint64_t bandwidth, struct bill *bill, struct bound *bound)
{
    const struct tf_call_work *work = tf_host->published(ctx, "compute-cost");
    const struct tf_call_traffic *traffic = tf_host->published(ctx, "memory");
    uint64_t bytes = 0;
    bill->n = 0;
    for (uint32_t i = 0; i < program->n_steps; i++) {
        const struct tf_step *step = &program->steps[i];
        if (!kit_is_call(step) || step->runs == 0)
            continue;
        if (bill_call(bill, prices, &work[i], work[i].units, step->runs) ||
            gmem_bytes(traffic[i].whole, step->runs, &bytes))
            return count_overflow(ctx, program, step, "operations and bytes");
    }
    if (bill_bound(bill, bytes, bandwidth, bound))
        return count_overflow(ctx, program, NULL, "nanoseconds");
    return TF_OK;
}

static inline int need_bandwidth(tf_ctx *ctx, const struct tf_program *program, const char *family, uint64_t *bandwidth)
{
    if (tf_host->target_bandwidth(program->target, TF_STORAGE_GMEM, bandwidth) == TF_OK)
        return TF_OK;
    tf_host->error(ctx, &program->function->loc, "target-facts",
        "%s: the target %s states no bandwidth for gmem (memory.*.bandwidth)", family,
        tf_host->target_id(program->target));
    return TF_E_REFUSED;
}

#endif
