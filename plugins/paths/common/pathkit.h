/* SPDX-License-Identifier: MIT
 *
 * What the fused paths share: reading a program through what only places values, constants and attributes, and building
 * the text of a C source.  Header only, as each path is a plugin by itself.
 */
#ifndef TF_PATHS_COMMON_PATHKIT_H
#define TF_PATHS_COMMON_PATHKIT_H

#include <tilefoundry/plugin.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading nodes ------------------------------------------------------------------------------------------------*/

static inline int pk_is_op(const struct tf_node *node, const char *name)
{
    return node && node->kind == TF_NODE_CALL && strcmp(node->op->name, name) == 0;
}

/* The attribute's value, or NULL where the operator has none of that name. */
static inline const struct tf_val *pk_attr(const struct tf_node *node, const char *name)
{
    for (uint32_t i = 0; i < node->n_attrs; i++)
        if (strcmp(node->op->attrs[i].name, name) == 0)
            return &node->attrs[i];
    return NULL;
}

static inline int pk_attr_is(const struct tf_node *node, const char *name, const char *text)
{
    const struct tf_val *val = pk_attr(node, name);
    return val && val->kind == TF_VAL_STRING && strcmp(val->u.s, text) == 0;
}

/* A call of an operator with kinds: pk_is_kind(node, "binary", "div"). */
static inline int pk_is_kind(const struct tf_node *node, const char *op, const char *kind)
{
    return pk_is_op(node, op) && pk_attr_is(node, "kind", kind);
}

static inline int pk_is_tensor(const struct tf_node *node, uint32_t dtype)
{
    return node->type->kind == TF_TYPE_TENSOR && node->type->dtype == dtype;
}

/* ---- seeing through ----------------------------------------------------------------------------------------------*/

#define PK_PLACES 0u /* what moves a value without changing its shape */
#define PK_SHAPES 1u /* reshapes too: the elements in row-major order stay as they are */
#define PK_PENDING 8

static inline const struct tf_node *pk_outer(const struct tf_node *node, uint32_t through)
{
    if (node->kind == TF_NODE_RPARAM)
        return node->owner->in[node->index];
    if (node->kind == TF_NODE_REGION)
        return node->region->body;
    return pk_is_op(node, "reshard") || (through == PK_SHAPES && pk_is_op(node, "reshape")) ? node->in[0] : NULL;
}

/* Whether a node takes one item of a tuple, and which. */
static inline int pk_takes_item(const struct tf_node *node, uint32_t *index)
{
    if (node->kind != TF_NODE_CALL || !(node->op->flags & TF_OP_ITEM) || !node->n_attrs ||
        node->attrs[0].kind != TF_VAL_INT || node->attrs[0].u.i < 0 || node->attrs[0].u.i > INT32_MAX)
        return 0;
    *index = (uint32_t)node->attrs[0].u.i;
    return 1;
}

/* Where the value is computed: behind regions, captures, placements, the packing and taking of tuples and, with
 * PK_SHAPES, reshapes.  An item of what a call gives as a tuple is the node that takes it. */
static inline const struct tf_node *pk_through(const struct tf_node *node, uint32_t through)
{
    const struct tf_node *takes[PK_PENDING]; /* items of the tuple that node stands at */
    uint32_t index[PK_PENDING], n = 0;
    for (;;) {
        const struct tf_node *next = pk_outer(node, through);
        if (!next && n && node->kind == TF_NODE_TUPLE && index[n - 1] < node->n_in)
            next = node->in[index[--n]];
        if (!next && n < PK_PENDING && pk_takes_item(node, &index[n])) {
            takes[n++] = node;
            next = node->in[0];
        }
        if (!next)
            return n ? takes[0] : node;
        node = next;
    }
}

/* Of an item that pk_through stopped at: the call that gives the tuple; else NULL. */
static inline const struct tf_node *pk_item_of(const struct tf_node *node, uint32_t *index)
{
    const struct tf_node *call = pk_takes_item(node, index) ? pk_through(node->in[0], PK_PLACES) : NULL;
    return call && call->kind == TF_NODE_CALL && !pk_takes_item(call, index) ? call : NULL;
}

/* ---- numbers ------------------------------------------------------------------------------------------------------*/

static inline int pk_number(const struct tf_val *val, double *value)
{
    if (!val || (val->kind != TF_VAL_INT && val->kind != TF_VAL_FLOAT))
        return 0;
    *value = val->kind == TF_VAL_INT ? (double)val->u.i : val->u.f;
    return 1;
}

/* A number as it stands in the program, which has -1 as the negative of 1. */
static inline int pk_literal(const struct tf_node *node, double *value)
{
    double sign = 1;
    for (node = pk_through(node, PK_SHAPES); pk_is_kind(node, "unary", "neg");
         node = pk_through(node->in[0], PK_SHAPES))
        sign = -sign;
    if (node->kind != TF_NODE_CONST || !pk_number(node->val, value))
        return 0;
    *value *= sign;
    return 1;
}

/* An f32 number, or a quotient of two that the program computes in f32. */
static inline int pk_constant(const struct tf_node *node, float *value)
{
    double a, b;
    node = pk_through(node, PK_SHAPES);
    if (!pk_is_tensor(node, TF_DTYPE_F32))
        return 0;
    if (pk_literal(node, &a)) {
        *value = (float)a;
        return 1;
    }
    if (!pk_is_kind(node, "binary", "div") || !pk_literal(node->in[0], &a) || !pk_literal(node->in[1], &b) ||
        !pk_is_tensor(node->in[0], TF_DTYPE_F32) || !pk_is_tensor(node->in[1], TF_DTYPE_F32))
        return 0;
    *value = (float)a / (float)b;
    return 1;
}

/* binary(kind) of an f32 value and a constant: of `min`, `max`, `mul`, `add` in either order, of others the constant
 * second.  *rest is the value, not seen through. */
static inline int pk_with_constant(
    const struct tf_node *node, const char *kind, const struct tf_node **rest, float *value)
{
    static const char *const either[] = {"add", "mul", "min", "max"};
    int commutes = 0;
    if (!pk_is_kind(node, "binary", kind) || !pk_is_tensor(node, TF_DTYPE_F32))
        return 0;
    for (size_t i = 0; i < sizeof(either) / sizeof(*either); i++)
        commutes |= strcmp(kind, either[i]) == 0;
    int first = commutes && pk_constant(node->in[0], value);
    if (!first && !pk_constant(node->in[1], value))
        return 0;
    *rest = node->in[first];
    return 1;
}

/* A known positive extent of an axis. */
static inline int pk_extent(const struct tf_type *type, uint32_t axis, size_t *value)
{
    const struct tf_dim *dim = type->kind == TF_TYPE_TENSOR && axis < type->rank ? type->shape[axis] : NULL;
    if (!dim || dim->kind != TF_DIM_CONST || dim->value <= 0)
        return 0;
    *value = (size_t)dim->value;
    return 1;
}

/* Whether all extents are known and positive; *value is their product. */
static inline int pk_elements(const struct tf_type *type, size_t *value)
{
    size_t n;
    *value = 1;
    for (uint32_t i = 0; type->kind == TF_TYPE_TENSOR && i < type->rank; i++)
        if (!pk_extent(type, i, &n) || __builtin_mul_overflow(*value, n, value))
            return 0;
    return type->kind == TF_TYPE_TENSOR;
}

/* Axes of an `axes` attribute as a bit set; 0 where it is none, or names one twice. */
static inline uint32_t pk_axes(const struct tf_node *node, uint32_t rank)
{
    const struct tf_val *axes = pk_attr(node, "axes");
    uint32_t set = 0;
    for (uint32_t i = 0; axes && axes->kind == TF_VAL_TUPLE && i < axes->count; i++) {
        int64_t axis = axes->u.items[i].kind == TF_VAL_INT ? axes->u.items[i].u.i : -1 - (int64_t)rank;
        axis += axis < 0 ? (int64_t)rank : 0;
        if (axis < 0 || axis >= (int64_t)rank || (set >> axis & 1))
            return 0;
        set |= 1u << axis;
    }
    return set;
}

/* ---- text ---------------------------------------------------------------------------------------------------------*/

/* A source that grows, in the context's memory. */
struct pk_text {
    tf_ctx *ctx;
    char *at;
    size_t n, room;
};

static inline void TF_PRINTF(2, 3) pk_add(struct pk_text *text, const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int n = vsnprintf(NULL, 0, format, again);
    va_end(again);
    size_t need = text->n + (size_t)(n < 0 ? 0 : n) + 1;
    if (need > text->room) {
        size_t room = 2 * need + 1024;
        char *at = tf_host->alloc(text->ctx, room);
        if (text->n)
            memcpy(at, text->at, text->n);
        text->at = at;
        text->room = room;
    }
    (void)vsnprintf(text->at + text->n, text->room - text->n, format, list);
    va_end(list);
    text->n = need - 1;
}

/* A name for C of the program's function: Module_function. */
static inline const char *pk_entry(tf_ctx *ctx, const struct tf_program *program)
{
    const struct tf_function *f = program->function;
    const char *text = tf_host->format(ctx, "%s%s%s", f->module, *f->module ? "_" : "", f->name);
    size_t n = strlen(text);
    char *name = tf_host->alloc(ctx, n + 1);
    for (size_t i = 0; i < n; i++) {
        int is_letter = (text[i] >= 'a' && text[i] <= 'z') || (text[i] >= 'A' && text[i] <= 'Z') || text[i] == '_';
        name[i] = is_letter || (i && text[i] >= '0' && text[i] <= '9') ? text[i] : '_';
    }
    return name;
}

/* An f32 constant for C, to the last bit: 448.0f, 0x1.24924ap-9f */
static inline const char *pk_f32(tf_ctx *ctx, float value)
{
    const char *text = tf_host->format(ctx, "%.6g", (double)value);
    if (strspn(text, "-0123456789.e+") == strlen(text) && strtof(text, NULL) == value)
        return tf_host->format(ctx, "%s%sf", text, strpbrk(text, ".e") ? "" : ".0");
    return tf_host->format(ctx, "%af", (double)value);
}

/* What a tensor is, for the head of a file: bf16 (4096, 7168) */
static inline const char *pk_type(tf_ctx *ctx, const struct tf_type *type)
{
    return tf_host->format(
        ctx, "%s %s", tf_host->dtype(type->dtype)->name, tf_host->shape_text(ctx, type->shape, type->rank));
}

static inline int pk_finish(const struct pk_text *text, const char *entry, struct tf_artifact *artifact)
{
    artifact->text = text->at;
    artifact->length = text->n;
    artifact->suffix = ".c";
    artifact->entry = entry;
    return TF_OK;
}

#endif
