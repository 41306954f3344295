/* SPDX-License-Identifier: MIT
 *
 * Types of values: dtypes, storages, dimensions, layouts, meshes.  Every struct here is made by the host, lives as long
 * as the context that it was made in, and is read-only for plugins.  Include <tilefoundry/plugin.h>.
 */
#ifndef TILEFOUNDRY_TYPES_H
#define TILEFOUNDRY_TYPES_H

#ifndef TILEFOUNDRY_PLUGIN_H
#error "include <tilefoundry/plugin.h> instead"
#endif

typedef struct tf_ctx tf_ctx; /* one run: its memory, diagnostics, target and limits; opaque */

/* Rank that no value exceeds, unless --limit rank=N says less. */
#define TF_MAX_RANK 16
/* Axes that no mesh exceeds. */
#define TF_MAX_MESH 16

/* X(NAME, text, bits, class, exponent bits, fraction bits).  The numbers are frozen by their order: add at the end. */
#define TF_DTYPES(X)                                                                                                   \
    X(F32, "f32", 32, TF_CLASS_FLOAT, 8, 23)                                                                           \
    X(F16, "f16", 16, TF_CLASS_FLOAT, 5, 10)                                                                           \
    X(BF16, "bf16", 16, TF_CLASS_FLOAT, 8, 7)                                                                          \
    X(FP8E4M3, "fp8e4m3", 8, TF_CLASS_FLOAT, 4, 3)                                                                     \
    X(F8E8M0, "f8e8m0", 8, TF_CLASS_FLOAT, 8, 0)                                                                       \
    X(F4E2M1, "f4e2m1", 4, TF_CLASS_FLOAT, 2, 1)                                                                       \
    X(I32, "i32", 32, TF_CLASS_INT, 0, 0)                                                                              \
    X(I64, "i64", 64, TF_CLASS_INT, 0, 0)                                                                              \
    X(BOOL, "bool", 1, TF_CLASS_BOOL, 0, 0)                                                                            \
    X(FP8E5M2, "fp8e5m2", 8, TF_CLASS_FLOAT, 5, 2)                                                                     \
    X(F64, "f64", 64, TF_CLASS_FLOAT, 11, 52)                                                                          \
    X(I8, "i8", 8, TF_CLASS_INT, 0, 0)                                                                                 \
    X(U8, "u8", 8, TF_CLASS_UINT, 0, 0)

#define TF_CLASS_FLOAT 1u
#define TF_CLASS_INT 2u
#define TF_CLASS_UINT 3u
#define TF_CLASS_BOOL 4u

enum {
#define X(NAME, text, bits, cls, e, m) TF_DTYPE_##NAME,
    TF_DTYPES(X)
#undef X
        TF_DTYPE_COUNT
};

struct tf_dtype_info {
    const char *name;
    uint32_t bits, cls, exponent_bits, fraction_bits;
};

/* X(NAME, text).  A tensor without a stated storage is gmem; umat holds numbers that are nowhere yet. */
#define TF_STORAGES(X)                                                                                                 \
    X(HOST, "host")                                                                                                    \
    X(GMEM, "gmem")                                                                                                    \
    X(SMEM, "smem")                                                                                                    \
    X(RMEM, "rmem")                                                                                                    \
    X(TMEM, "tmem")                                                                                                    \
    X(UMAT, "umat")

enum {
#define X(NAME, text) TF_STORAGE_##NAME,
    TF_STORAGES(X)
#undef X
        TF_STORAGE_COUNT
};

/* A dimension in normal form.  Equal dimensions of one context are one pointer. */
#define TF_DIM_CONST 0u /* value */
#define TF_DIM_EXPR 1u  /* depends on a DimVar; value is 0 */
struct tf_dim {
    uint32_t kind;
    uint32_t _reserved;
    int64_t value;
};

/* One level of the machine that a module declares: ("cta", 132). */
struct tf_topology {
    const char *name;
    const struct tf_dim *extent;
};

/* A grid of units.  Axes belong to levels from left to right; level_of[axis] is an index into levels. */
struct tf_mesh {
    uint32_t n_levels, rank;
    const struct tf_topology *levels;
    const struct tf_dim *const *shape;   /* rank */
    const struct tf_dim *const *strides; /* rank; in positions */
    const char *const *names;            /* rank; NULL where an axis has no name */
    const uint32_t *level_of;            /* rank */
    const struct tf_mesh *base;          /* what this one is a slice of, else NULL */
    const int64_t *offset;               /* rank: first position of the slice on each axis, else NULL */
};

#define TF_ATTR_BROADCAST 0u
#define TF_ATTR_SPLIT 1u   /* axis: the layout position that the mesh axis divides */
#define TF_ATTR_PARTIAL 2u /* reduction: "sum", "max", "min", ... */
struct tf_shard_attr {
    uint32_t kind;
    int32_t axis;
    const char *reduction;
};

#define TF_LAYOUT_PLAIN 0u
#define TF_LAYOUT_SHARD 1u    /* attrs and mesh */
#define TF_LAYOUT_COMPOSED 2u /* outer, read from offset on */
struct tf_layout {
    uint32_t kind, rank;                 /* rank: number of positions, not of logical axes */
    const struct tf_dim *const *shape;   /* rank */
    const struct tf_dim *const *strides; /* rank, in elements; NULL while left open */
    const struct tf_mesh *mesh;
    const struct tf_shard_attr *attrs; /* mesh->rank */
    const struct tf_layout *outer;
    const struct tf_dim *offset;
};

#define TF_TYPE_TENSOR 0u
#define TF_TYPE_TUPLE 1u
struct tf_type {
    uint32_t kind;
    uint32_t rank; /* of a tensor; number of fields of a tuple */
    uint32_t dtype, storage;
    const struct tf_dim *const *shape;   /* rank; NULL for a tuple */
    const struct tf_layout *layout;      /* NULL: none stated */
    const struct tf_type *const *fields; /* rank; NULL for a tensor */
};

/* Where a thing was written.  file indexes the context's sources; lines and columns count from 1, columns in
 * characters; 0 is "unknown". */
struct tf_loc {
    uint32_t file, line, column, end_line, end_column;
    uint32_t _reserved;
};

/* The value of an operator's attribute, or of anything known before the program runs. */
#define TF_VAL_NONE 0u
#define TF_VAL_BOOL 1u
#define TF_VAL_INT 2u
#define TF_VAL_FLOAT 3u
#define TF_VAL_STRING 4u
#define TF_VAL_DTYPE 5u
#define TF_VAL_STORAGE 6u
#define TF_VAL_DIM 7u /* a dimension that is not a constant; constants are TF_VAL_INT */
#define TF_VAL_TUPLE 8u
#define TF_VAL_TYPE 9u
#define TF_VAL_LAYOUT 10u
#define TF_VAL_MESH 11u
struct tf_val {
    uint32_t kind;
    uint32_t count; /* items of a tuple */
    union {
        int64_t i; /* BOOL, INT, DTYPE, STORAGE */
        double f;
        const char *s;
        const struct tf_dim *dim;
        const struct tf_val *items;
        const struct tf_type *type;
        const struct tf_layout *layout;
        const struct tf_mesh *mesh;
    } u;
};

#endif
