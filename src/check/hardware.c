/* SPDX-License-Identifier: MIT
 * What the program's target states of the arithmetic that a candidate declares:
 *     accumulator.NAME.fraction_bits  it adds several products at once, and keeps so many bits below the largest
 *     accumulator.NAME.step           how many
 *     accumulator.NAME.operands       dtypes whose products it takes
 *     accumulator.NAME.operand_bits   fraction bits to which operands are cut first, where they are
 *     approximation.NAME              greatest error of a function in the last place
 * A name has _ in a fact's path where it is written with -.
 */
#include "check/declare.h"

#include "eval/run.h"
#include "target/target.h"
#include "type/type.h"
#include "util/diag.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PROMOTE "+promote"
#define DTYPE(name) (UINT64_C(1) << TF_DTYPE_##name)

/* What rounds to nearest needs no fact; what a target may leave unmeasured has figures that are safe. */
static const char *const ROUNDING[] = {"f32", "f64", "f16", "bf16", NULL};
static const struct known {
    const char *name;
    uint32_t fraction_bits, step, operand_bits;
    uint64_t operands;
} KNOWN[] = {
    {"tensor-core", 22, 16, 0, DTYPE(F16) | DTYPE(BF16)},
    {"tf32", 22, 8, 10, DTYPE(F32)},
};
#define N_KNOWN (sizeof(KNOWN) / sizeof(*KNOWN))

static const char *fact_path(tf_ctx *ctx, const char *family, const char *name, const char *what)
{
    char *path = arena_format(&ctx->arena, "%s.%s%s%s", family, name, *what ? "." : "", what);
    for (char *at = path; (at = strchr(at, '-'));)
        *at = '_';
    return path;
}

/* ---- accumulators -------------------------------------------------------------------------------------------------*/

struct resolving {
    tf_ctx *ctx;
    struct tf_declared *to;
    const char *by, *name;          /* name: without what is promoted */
    const struct tf_target *target; /* NULL: the program states none */
};

static uint64_t fact_number(const struct resolving *r, const char *what, uint64_t otherwise)
{
    uint64_t number = otherwise;
    if (r->target)
        target_int(r->target, fact_path(r->ctx, "accumulator", r->name, what), &number);
    return number;
}

/* "f16 bf16" as a bit set. */
static uint64_t fact_operands(const struct resolving *r, uint64_t otherwise)
{
    const char *list;
    if (!r->target || target_text(r->target, fact_path(r->ctx, "accumulator", r->name, "operands"), &list))
        return otherwise;
    uint64_t set = 0;
    for (list += strspn(list, " "); *list; list += strcspn(list, " "), list += strspn(list, " "))
        for (uint32_t dtype = 0; dtype < TF_DTYPE_COUNT; dtype++) {
            const char *name = dtype_info(dtype)->name;
            if (strlen(name) == strcspn(list, " ") && !strncmp(name, list, strlen(name)))
                set |= UINT64_C(1) << dtype;
        }
    return set;
}

/* The names that can be declared here: ", wgmma-e4m3" for each of the target's. */
static const char *stated_names(const struct resolving *r)
{
    static const char FAMILY[] = "accumulator.", LAST[] = ".fraction_bits";
    const char *list = "f32, f64, f16, bf16, tensor-core, tf32";
    for (uint32_t i = 0; r->target && i < r->target->n_facts; i++) {
        const char *path = r->target->facts[i].path;
        size_t length = strlen(path), around = sizeof(FAMILY) + sizeof(LAST) - 2;
        if (strncmp(path, FAMILY, sizeof(FAMILY) - 1) != 0 || length <= around ||
            strcmp(path + length - (sizeof(LAST) - 1), LAST) != 0)
            continue;
        char *name = arena_format(&r->ctx->arena, "%.*s", (int)(length - around), path + sizeof(FAMILY) - 1);
        for (char *at = name; (at = strchr(at, '_'));)
            *at = '-';
        if (!strstr(list, name))
            list = arena_format(&r->ctx->arena, "%s, %s", list, name);
    }
    return list;
}

static int refuse_name(const struct resolving *r)
{
    const char *whose = r->target ? r->target->id : "the program, which states no target,";
    ERROR(r->ctx, NULL, "check-declared", "%s: accumulator %s: %s states none of that name; there are %s", r->by,
        r->to->accumulator, whose, stated_names(r));
    return CHECK_USAGE;
}

/* The number behind "+promote": products after which a sum is added to one in f32. */
static int read_chunk(const struct resolving *r, const char *digits)
{
    char *end;
    unsigned long chunk = strtoul(digits, &end, 10);
    if (*digits >= '0' && *digits <= '9' && !*end && chunk && chunk <= UINT32_MAX && chunk % r->to->step == 0) {
        r->to->chunk = (uint32_t)chunk;
        return 0;
    }
    ERROR(r->ctx, NULL, "check-declared",
        "%s: accumulator %s: " PROMOTE " takes a multiple of the %" PRIu32 " products that are added at once", r->by,
        r->to->accumulator, r->to->step);
    return CHECK_USAGE;
}

static int resolve_accumulator(struct resolving *r)
{
    struct known known = {0};
    const char *promote = strstr(r->to->accumulator, PROMOTE);
    r->name = r->to->accumulator;
    if (promote)
        r->name = ctx_intern_n(r->ctx, r->name, (size_t)(promote - r->name));
    for (size_t i = 0; i < N_KNOWN; i++)
        if (!strcmp(KNOWN[i].name, r->name))
            known = KNOWN[i];
    r->to->fraction_bits = (uint32_t)fact_number(r, "fraction_bits", known.fraction_bits);
    r->to->step = (uint32_t)fact_number(r, "step", known.step);
    r->to->operand_bits = (uint32_t)fact_number(r, "operand_bits", known.operand_bits);
    r->to->operands = fact_operands(r, known.operands);
    r->to->chunk = 0;
    if (!r->to->fraction_bits || r->to->fraction_bits > 52 || r->to->operand_bits > 51 || !r->to->step)
        return refuse_name(r);
    return promote ? read_chunk(r, promote + sizeof(PROMOTE) - 1) : 0;
}

static int rounds(const char *accumulator)
{
    for (const char *const *name = ROUNDING; *name; name++)
        if (!strcmp(*name, accumulator))
            return 1;
    return 0;
}

/* ---- approximations -----------------------------------------------------------------------------------------------*/

/* Whether more than the default is declared anywhere, so that the target has to be asked. */
static int is_lax(const struct tf_declared *declared)
{
    struct tf_declared usual = declared_default();
    for (uint32_t i = 0; i < TF_APPROX_COUNT; i++)
        if (declared->ulp[i] > usual.ulp[i])
            return 1;
    return 0;
}

static int hold_approximations(const struct resolving *r)
{
    struct tf_declared usual = declared_default();
    for (uint32_t i = 0; i < TF_APPROX_COUNT; i++) {
        const char *path = fact_path(r->ctx, "approximation", declared_name(i), "");
        const struct target_fact *fact = target_fact(r->target, path);
        if (!fact || !fact->is_number || r->to->ulp[i] <= usual.ulp[i] || r->to->ulp[i] <= (double)fact->number)
            continue;
        ERROR(r->ctx, NULL, "check-declared", "%s: %s=%.6g is more than %s can be off by: %s is %s, %s", r->by,
            declared_name(i), r->to->ulp[i], r->target->id, path, fact->value, fact->origin);
        return CHECK_USAGE;
    }
    return 0;
}

/* ---- all of it ----------------------------------------------------------------------------------------------------*/

static int find_target(struct resolving *r, const struct ir_module *module)
{
    while (module && !module->target && !module->target_path)
        module = module->parent;
    if (!module)
        return 0;
    r->target = target_open(r->ctx, &module->loc, module->target_path ? module->target_path : module->target);
    return r->target ? 0 : CHECK_ERROR;
}

int declare_facts(tf_ctx *ctx, struct tf_declared *to, const char *by, const struct ir_module *module)
{
    struct resolving r = {.ctx = ctx, .to = to, .by = by};
    int is_known = rounds(to->accumulator);
    if (is_known)
        to->fraction_bits = to->step = to->chunk = to->operand_bits = 0, to->operands = 0;
    if (is_known && !is_lax(to))
        return 0;
    if (find_target(&r, module))
        return CHECK_ERROR;
    int status = is_known ? 0 : resolve_accumulator(&r);
    return status || !r.target ? status : hold_approximations(&r);
}
