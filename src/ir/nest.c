/* SPDX-License-Identifier: MIT
 * Making the nodes that hold a suite: regions (`with Mesh`) and loops.
 */
#include "ir/build.h"

#include "ir/carry.h"
#include "ir/grow.h"
#include "ir/ptr_map.h"
#include "util/diag.h"

#include <inttypes.h>
#include <string.h>

/* What is open is deeper than the public struct says: what has to be put back or found again when it closes. */
struct open_region {
    struct tf_region pub; /* first */
    const struct tf_mesh *outer;
    struct ptr_map captured; /* outer value -> index */
};

static struct open_region *region_of(const struct tf_node *node)
{
    struct open_region *region;
    memcpy(&region, &node->region, sizeof(region));
    return region;
}

static struct tf_loop *loop_of(const struct tf_node *node)
{
    struct tf_loop *loop;
    memcpy(&loop, &node->loop, sizeof(loop));
    return loop;
}

static int may_nest(struct ir_builder *b, const struct tf_loc *loc)
{
    if (b->depth < b->ctx->limits.depth)
        return 1;
    ERROR(b->ctx, loc, "limit", "regions and loops nest more than %" PRIu64 " deep (--limit depth=N raises it)",
        b->ctx->limits.depth);
    return 0;
}

/* ---- regions -------------------------------------------------------------------------------------------------------*/

/* A free function is checked when it is copied into a module's: it has no levels of its own. */
static int mesh_allowed(struct ir_builder *b, const struct tf_loc *loc, const struct tf_mesh *mesh)
{
    const struct tf_topology *levels;
    uint32_t n;
    if (!b->function->owner)
        return 1;
    module_levels(b->function->owner, &levels, &n);
    return mesh_check(b->ctx, loc, mesh, levels, n) == TF_OK;
}

struct tf_node *ir_region_open(
    struct ir_builder *b, const struct tf_loc *loc, const struct tf_mesh *mesh, const char *name)
{
    if (!may_nest(b, loc) || !mesh_allowed(b, loc, mesh))
        return NULL;
    const struct tf_mesh *scope = mesh_compose(b->ctx, loc, b->scope, mesh);
    struct tf_node *node = scope ? node_new(b, loc, TF_NODE_REGION) : NULL;
    if (!node)
        return NULL;
    struct open_region *region = CTX_NEW(b->ctx, struct open_region);
    region->pub = (struct tf_region){.mesh = mesh, .scope = scope, .name = name};
    region->outer = b->scope;
    region->captured.arena = &b->ctx->arena;
    node->region = &region->pub;
    b->scope = scope;
    b->depth++;
    return node;
}

struct tf_node *ir_region_capture(
    struct ir_builder *b, struct tf_node *region, const struct tf_node *outer, const char *name)
{
    return capture_make(b, region, outer, outer->type, name);
}

struct tf_node *capture_make(struct ir_builder *b, struct tf_node *region, const struct tf_node *outer,
    const struct tf_type *type, const char *name)
{
    struct open_region *r = region_of(region);
    const uint32_t *at = ptr_map_get(&r->captured, outer);
    if (at)
        return b->nodes.at[r->pub.params[*at]->id];
    struct tf_node *param = node_new(b, &outer->loc, TF_NODE_RPARAM);
    if (!param)
        return NULL;
    param->name = name;
    param->type = type;
    param->scope = r->pub.scope;
    param->owner = region;
    param->index = region->n_in;
    ptr_map_put(&r->captured, outer, region->n_in);
    r->pub.params = pointers_grown(b->ctx, r->pub.params, region->n_in, param);
    region->in = pointers_grown(b->ctx, region->in, region->n_in, outer);
    region->n_in++;
    return param;
}

int ir_region_close(struct ir_builder *b, struct tf_node *region, const struct tf_node *body)
{
    return region_end(b, region, body, body->type);
}

int region_end(struct ir_builder *b, struct tf_node *region, const struct tf_node *body, const struct tf_type *type)
{
    struct open_region *r = region_of(region);
    r->pub.body = body;
    region->type = type;
    b->scope = r->outer;
    b->depth--;
    return TF_OK;
}

/* ---- loops ---------------------------------------------------------------------------------------------------------*/

struct tf_node *ir_loop_open(
    struct ir_builder *b, const struct tf_loc *loc, const char *var, const struct tf_loop *bounds)
{
    struct tf_node *node = may_nest(b, loc) ? node_new(b, loc, TF_NODE_LOOP) : NULL;
    struct tf_node *induction = node ? node_new(b, loc, TF_NODE_LOOPVAR) : NULL;
    if (!induction)
        return NULL;
    struct tf_loop *loop = arena_copy(&b->ctx->arena, bounds, sizeof(*bounds));
    loop->var = induction;
    loop->n_carries = 0;
    loop->carries = loop->yields = NULL;
    loop->body = NULL;
    induction->name = var;
    induction->owner = node;
    induction->type = type_tensor(b->ctx, TF_DTYPE_I64, 0, NULL, NULL, TF_STORAGE_UMAT);
    node->loop = loop;
    b->depth++;
    return node;
}

struct tf_node *ir_loop_carry(
    struct ir_builder *b, struct tf_node *loop, const char *name, const struct tf_node *initial)
{
    return carry_make(b, loop, name, initial, initial->type);
}

struct tf_node *carry_make(struct ir_builder *b, struct tf_node *loop, const char *name, const struct tf_node *initial,
    const struct tf_type *type)
{
    struct tf_loop *l = loop_of(loop);
    struct tf_node *carry = node_new(b, &loop->loc, TF_NODE_CARRY);
    if (!carry)
        return NULL;
    carry->name = name;
    carry->type = type;
    carry->owner = loop;
    carry->index = l->n_carries;
    l->carries = pointers_grown(b->ctx, l->carries, l->n_carries, carry);
    loop->in = pointers_grown(b->ctx, loop->in, l->n_carries, initial);
    loop->n_in = ++l->n_carries;
    return carry;
}

static const struct tf_type *loop_type(
    struct ir_builder *b, const struct tf_loop *loop, const struct tf_type *body_type)
{
    if (loop->n_carries == 0)
        return body_type;
    if (loop->n_carries == 1)
        return loop->carries[0]->type;
    const struct tf_type **fields = CTX_ARRAY(b->ctx, const struct tf_type *, loop->n_carries);
    for (uint32_t i = 0; i < loop->n_carries; i++)
        fields[i] = loop->carries[i]->type;
    return type_tuple(b->ctx, loop->n_carries, fields);
}

int ir_loop_close(
    struct ir_builder *b, struct tf_node *loop, const struct tf_node *const *yields, const struct tf_node *body)
{
    uint32_t n = loop->loop->n_carries;
    const struct tf_type **types = CTX_ARRAY(b->ctx, const struct tf_type *, n);
    for (uint32_t i = 0; i < n; i++)
        types[i] = yields[i]->type;
    return loop_end(b, loop, yields, types, body, body->type);
}

int loop_end(struct ir_builder *b, struct tf_node *loop, const struct tf_node *const *yields,
    const struct tf_type *const *types, const struct tf_node *body, const struct tf_type *body_type)
{
    struct tf_loop *l = loop_of(loop);
    int rc = TF_OK;
    b->depth--;
    for (uint32_t i = 0; i < l->n_carries; i++)
        if (!carry_allows(b->ctx, l->carries[i], types[i], yields[i]->loc.line ? &yields[i]->loc : &loop->loc))
            rc = TF_E_REFUSED;
    l->yields = arena_copy(&b->ctx->arena, yields, l->n_carries * sizeof(*yields));
    l->body = body;
    loop->type = loop_type(b, l, body_type);
    return type_fits(b, &loop->loc, loop->type) ? rc : TF_E_REFUSED;
}
