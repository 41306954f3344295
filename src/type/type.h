/* SPDX-License-Identifier: MIT
 * Making, comparing and printing types.  The structs are the public ones (tilefoundry/types.h); all live in the context's
 * arena.  Functions that can fail say so: they return NULL (or a TF_E_*) after a diagnostic at loc.
 */
#ifndef TF_TYPE_TYPE_H
#define TF_TYPE_TYPE_H

#include "util/buf.h"
#include "util/ctx.h"

/* ---- dtypes and storages (dtype.c) -----------------------------------------------------------------------------*/

const struct tf_dtype_info *dtype_info(uint32_t dtype);
int dtype_find(const char *name, uint32_t *dtype); /* 0 when found */
const char *storage_name(uint32_t storage);
int storage_find(const char *name, uint32_t *storage);

/* ---- dimensions (dim.c) -------------------------------------------------------------------------------------------
 * Normal form: an affine sum of atoms (DimVar, product of non-constants, floor division) with a constant, so that N - N
 * is 0 and N % 3 is N - 3 * (N // 3), as language.md section 5 says.  Interned: equal dimensions are one pointer. */

struct dim_var {
    const char *name;
    int64_t lo, hi; /* half-open */
};

const struct tf_dim *dim_const(tf_ctx *ctx, int64_t value);
const struct tf_dim *dim_variable(
    tf_ctx *ctx, const char *name, int64_t lo, int64_t hi); /* one (name, lo, hi): one dim */
/* NULL on overflow of 64 bits or division by a constant 0, without a diagnostic; *why says which. */
const struct tf_dim *dim_add(tf_ctx *ctx, const struct tf_dim *a, const struct tf_dim *b, const char **why);
const struct tf_dim *dim_sub(tf_ctx *ctx, const struct tf_dim *a, const struct tf_dim *b, const char **why);
const struct tf_dim *dim_mul(tf_ctx *ctx, const struct tf_dim *a, const struct tf_dim *b, const char **why);
const struct tf_dim *dim_floordiv(tf_ctx *ctx, const struct tf_dim *a, const struct tf_dim *b, const char **why);
const struct tf_dim *dim_mod(tf_ctx *ctx, const struct tf_dim *a, const struct tf_dim *b, const char **why);
/* NULL when the result would have too many parts. */
const struct tf_dim *dim_min(tf_ctx *ctx, const struct tf_dim *a, const struct tf_dim *b);
const struct tf_dim *dim_max(tf_ctx *ctx, const struct tf_dim *a, const struct tf_dim *b);

static inline int dim_is_const(const struct tf_dim *d, int64_t *value)
{
    if (d->kind != TF_DIM_CONST)
        return 0;
    if (value)
        *value = d->value;
    return 1;
}
static inline int dim_is(const struct tf_dim *d, int64_t value)
{
    return d->kind == TF_DIM_CONST && d->value == value;
}

/* The variables of a dimension, each once, in order of first appearance; at most room are stored; returns how many. */
size_t dim_variables(const struct tf_dim *d, struct dim_var *vars, size_t room);
/* Puts values for variables (by name); every variable of d that is not in vars stays. */
struct dim_binding {
    const char *name;
    int64_t value;
};
const struct tf_dim *dim_bind(
    tf_ctx *ctx, const struct tf_dim *d, const struct dim_binding *bound, size_t n, const char **why);
void dim_print(struct buf *out, const struct tf_dim *d); /* infix, as the parser reads: 4 * ((N - 1) // 4) + 4 */

/* ---- meshes and layouts (layout.c) ---------------------------------------------------------------------------------*/

const struct tf_mesh *mesh_make(tf_ctx *ctx, const struct tf_mesh *fields); /* copies; level_of filled in */
int mesh_equal(const struct tf_mesh *a, const struct tf_mesh *b);
/* The mesh in force inside `inner` opened within `outer` (NULL: none): language.md 6.1, "Nesting composes". */
const struct tf_mesh *mesh_compose(
    tf_ctx *ctx, const struct tf_loc *loc, const struct tf_mesh *outer, const struct tf_mesh *inner);
/* A constant slice m[a:b, ...]; unit steps; refuses a slice of a slice. */
const struct tf_mesh *mesh_slice(
    tf_ctx *ctx, const struct tf_loc *loc, const struct tf_mesh *mesh, const int64_t *from, const int64_t *to);
/* Axis by name, else by x y z when may_be_letter; -1 when there is none. */
int mesh_axis(const struct tf_mesh *mesh, const char *name, int may_be_letter);
/* R11: axes multiply to exactly the declared extent of their level, taken from `levels` (n of them, the module's). */
int mesh_check(
    tf_ctx *ctx, const struct tf_loc *loc, const struct tf_mesh *mesh, const struct tf_topology *levels, uint32_t n);
void mesh_print(
    struct buf *out, const struct tf_mesh *mesh); /* Mesh((Topology("cta", 4),), layout=(4,), names=("c",)) */

const struct tf_layout *layout_plain(
    tf_ctx *ctx, uint32_t rank, const struct tf_dim *const *shape, const struct tf_dim *const *strides);
const struct tf_layout *layout_composed(tf_ctx *ctx, const struct tf_dim *offset, const struct tf_layout *outer);
const struct tf_layout *layout_shard(tf_ctx *ctx, uint32_t rank, const struct tf_dim *const *shape,
    const struct tf_dim *const *strides, const struct tf_mesh *mesh, const struct tf_shard_attr *attrs);
int layout_equal(const struct tf_layout *a, const struct tf_layout *b); /* NULL is equal to NULL only */
const struct tf_dim *const *strides_c_order(tf_ctx *ctx, uint32_t rank, const struct tf_dim *const *shape);
void layout_print(
    struct buf *out, const struct tf_layout *layout); /* ShardLayout(layout=Layout(..), attrs=(..), mesh=..) */

/* Placement sugar (language.md 6.2): one item for each written dim. */
struct placed_dim {
    const struct tf_dim *extent;
    uint32_t n_axes;
    uint32_t axes[TF_MAX_MESH]; /* mesh axes, as written */
    struct tf_loc loc;
};
/* The layout with open strides that `items` mean on mesh; the tensor shape is the items' extents. */
const struct tf_layout *layout_placed(
    tf_ctx *ctx, const struct tf_loc *loc, const struct tf_mesh *mesh, const struct placed_dim *items, uint32_t n);

/* ---- sharding (shard.c) --------------------------------------------------------------------------------------------*/

const struct tf_layout *shard_of(const struct tf_layout *layout);
const struct tf_layout *layout_canonical(tf_ctx *ctx, const struct tf_loc *loc, uint32_t rank,
    const struct tf_dim *const *shape, const struct tf_mesh *mesh, const struct tf_shard_attr *attrs);
void position_axes(const struct tf_layout *layout, uint32_t rank, const struct tf_dim *const *shape, int32_t *axis_of);
uint64_t split_mask(const struct tf_type *type, uint32_t axis);
int shard_derive(tf_ctx *ctx, const struct tf_call *call, const struct tf_relation *relation, uint32_t rank,
    const struct tf_dim *const *shape, const struct tf_derive *how, const struct tf_layout **layout);
int anchor_storage(
    tf_ctx *ctx, const struct tf_call *call, uint32_t n, const struct tf_type *const *types, uint32_t *storage);
int broadcast_shape(const struct tf_type *a, const struct tf_type *b, uint32_t *rank, const struct tf_dim **shape);
/* Scope rules of ops.md 2.1, asked of every operator but those that place values. */
int shard_scope_check(tf_ctx *ctx, const struct tf_call *call);
/* Whether every level that mesh names is in force in scope (NULL: nothing is), with the same positions. */
int mesh_in_force(tf_ctx *ctx, const struct tf_mesh *mesh, const struct tf_mesh *scope);

/* ---- types (type.c) ------------------------------------------------------------------------------------------------*/

const struct tf_type *type_tensor(tf_ctx *ctx, uint32_t dtype, uint32_t rank, const struct tf_dim *const *shape,
    const struct tf_layout *layout, uint32_t storage);
const struct tf_type *type_tuple(tf_ctx *ctx, uint32_t n, const struct tf_type *const *fields);
int type_equal(const struct tf_type *a, const struct tf_type *b);
/* Whether actual may stand where declared is asked: a missing layout accepts any (language.md 3, "Return annotation"). */
int type_accepts(const struct tf_type *declared, const struct tf_type *actual);
const struct tf_type *type_bind(
    tf_ctx *ctx, const struct tf_type *type, const struct dim_binding *bound, size_t n, const char **why);
const struct tf_layout *layout_bind(
    tf_ctx *ctx, const struct tf_layout *layout, const struct dim_binding *bound, size_t n, const char **why);
const struct tf_mesh *mesh_bind(
    tf_ctx *ctx, const struct tf_mesh *mesh, const struct dim_binding *bound, size_t n, const char **why);
/* What one unit of level `selected` (index into levels; n: the whole) holds; see ops.md 5.2.  A tensor keeps its logical
 * rank, each axis has the unit's extent.  NULL after a diagnostic when an extent is open or does not divide. */
const struct tf_type *type_local(tf_ctx *ctx, const struct tf_loc *loc, const struct tf_type *type,
    const struct tf_topology *levels, uint32_t n, uint32_t selected);
/* Leaves of a type in order; at most room are stored; returns how many there are. */
size_t type_leaves(const struct tf_type *type, const struct tf_type **leaves, size_t room);
int type_elements(const struct tf_type *leaf, uint64_t *n);  /* TF_E_OVERFLOW; TF_E_REFUSED when an extent is open */
int type_bytes(const struct tf_type *leaf, uint64_t *bytes); /* ceil(elements * bits / 8); same errors */

/* The text of the type comment: Tensor[(4, 8), "f32", (4 @ m.c, 8), "smem"].  mesh_name gives the name to print for a
 * mesh (before the dot), or is NULL: then the axis stands alone, `4 @ c`, as in JSON reports. */
typedef const char *(*mesh_name_fn)(void *data, const struct tf_mesh *mesh);
void type_print(struct buf *out, const struct tf_type *type, mesh_name_fn mesh_name, void *data);
void shape_print(struct buf *out, const struct tf_dim *const *shape, uint32_t rank); /* (4, 8), (4,), () */
const char *type_text(tf_ctx *ctx, const struct tf_type *type);
const char *shape_text(tf_ctx *ctx, const struct tf_dim *const *shape, uint32_t rank);

#endif
