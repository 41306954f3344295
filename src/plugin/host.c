/* SPDX-License-Identifier: MIT
 * The table that plugins are given: thin wrappers over the modules above, and nothing else.
 */
#include "plugin/registry.h"

#include "ir/ir.h"
#include "ir/relation.h"
#include "plugin/launches.h"
#include "plugin/numbers.h"
#include "plugin/records.h"
#include "target/target.h"
#include "type/type.h"
#include "util/blas.h"
#include "util/diag.h"
#include "util/parallel.h"

#include <string.h>

/* ---- diagnostics and memory ---------------------------------------------------------------------------------------*/

static void host_error(tf_ctx *ctx, const struct tf_loc *loc, const char *code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag_v(ctx, loc, DIAG_ERROR, code, format, args);
    va_end(args);
}

static void host_warn(tf_ctx *ctx, const struct tf_loc *loc, const char *code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag_v(ctx, loc, DIAG_WARNING, code, format, args);
    va_end(args);
}

static void *host_alloc(tf_ctx *ctx, size_t size)
{
    return arena_alloc(&ctx->arena, size);
}

static const char *host_format(tf_ctx *ctx, const char *format, ...)
{
    struct buf text = {0};
    va_list args;
    va_start(args, format);
    buf_vprintf(&text, format, args);
    va_end(args);
    const char *kept = arena_strndup(&ctx->arena, buf_text(&text), text.n);
    buf_free(&text);
    return kept;
}

static const char *host_source_path(tf_ctx *ctx, uint32_t file)
{
    const struct source *source = source_get(ctx, file);
    return source ? source->path : NULL;
}

static uint32_t host_call_site(const struct tf_program *program, const struct tf_node *node)
{
    const struct ir_function *function = (const struct ir_function *)program->function;
    uint32_t site = function->site_of ? function->site_of[node->id] : IR_NO_SITE;
    return site == IR_NO_SITE ? 0 : site + 1;
}

/* ---- dimensions ---------------------------------------------------------------------------------------------------*/

typedef const struct tf_dim *dim_fn(tf_ctx *ctx, const struct tf_dim *a, const struct tf_dim *b, const char **why);

/* Operands that are NULL already are a failure that has been told, so that sums may be nested. */
static const struct tf_dim *dim_or_error(
    tf_ctx *ctx, dim_fn *combine, const char *symbol, const struct tf_dim *a, const struct tf_dim *b)
{
    const char *why = "no value";
    const struct tf_dim *result = a && b ? combine(ctx, a, b, &why) : NULL;
    if (result || !a || !b)
        return result;
    struct buf text = {0};
    dim_print(&text, a);
    buf_printf(&text, " %s ", symbol);
    dim_print(&text, b);
    ERROR(ctx, ctx->at, "dimension-arithmetic", "the dimension %s: %s", buf_text(&text), why);
    buf_free(&text);
    return NULL;
}

#define HOST_DIM(name, symbol)                                                                                         \
    static const struct tf_dim *host_##name(tf_ctx *ctx, const struct tf_dim *a, const struct tf_dim *b)               \
    {                                                                                                                  \
        return dim_or_error(ctx, name, symbol, a, b);                                                                  \
    }
HOST_DIM(dim_add, "+")
HOST_DIM(dim_sub, "-")
HOST_DIM(dim_mul, "*")
HOST_DIM(dim_floordiv, "//")
HOST_DIM(dim_mod, "%")

/* ---- values -------------------------------------------------------------------------------------------------------*/

static int host_value_int(const struct tf_node *value, int64_t *number)
{
    if (value->kind != TF_NODE_CONST || !value->val || value->val->kind != TF_VAL_INT)
        return TF_E_UNSUPPORTED;
    *number = value->val->u.i;
    return TF_OK;
}

static const struct tf_node *host_value_item(const struct tf_node *value, uint32_t index)
{
    return value->kind == TF_NODE_TUPLE && index < value->n_in ? value->in[index] : NULL;
}

static const struct tf_program *host_program(tf_ctx *ctx)
{
    return ctx->program;
}

static const char *host_target_id(const struct tf_target *target)
{
    return target->id;
}

static const struct tf_type *host_unit_type(
    tf_ctx *ctx, const struct tf_program *program, const struct tf_loc *loc, const struct tf_type *type)
{
    return type_local(ctx, loc, type, program->levels, program->n_levels, program->selected);
}

static const void *host_interface(const char *id)
{
    return strcmp(id, TF_BLAS) == 0 ? blas_open() : NULL;
}

const struct tf_host host_table = {
    .struct_size = sizeof(struct tf_host),
    .abi_major = TF_ABI_MAJOR,
    .abi_minor = TF_ABI_MINOR,
    .error = host_error,
    .warn = host_warn,
    .alloc = host_alloc,
    .intern = ctx_intern,
    .format = host_format,
    .dtype = dtype_info,
    .storage = storage_name,
    .type_text = type_text,
    .shape_text = shape_text,
    .dim_const = dim_const,
    .dim_add = host_dim_add,
    .dim_sub = host_dim_sub,
    .dim_mul = host_dim_mul,
    .dim_floordiv = host_dim_floordiv,
    .dim_mod = host_dim_mod,
    .type_tensor = type_tensor,
    .type_tuple = type_tuple,
    .type_equal = type_equal,
    .layout_plain = layout_plain,
    .layout_composed = layout_composed,
    .layout_shard = layout_shard,
    .layout_canonical = layout_canonical,
    .layout_equal = layout_equal,
    .shard_of = shard_of,
    .position_axes = position_axes,
    .split_mask = split_mask,
    .broadcast = broadcast_shape,
    .anchor = anchor_storage,
    .shard_derive = shard_derive,
    .value_int = host_value_int,
    .value_item = host_value_item,
    .relation_box = relation_box,
    .relation_walk = relation_walk,
    .relation_broadcast = relation_broadcast,
    .amounts = relation_amounts,
    .target_id = host_target_id,
    .target_int = target_int,
    .target_text = target_text,
    .target_rate = target_rate,
    .target_level = target_memory,
    .program = host_program,
    .wants_json = report_wants_json,
    .wants = report_wants,
    .publish = report_publish,
    .published = report_published,
    .line = report_line,
    .advisory = report_advisory,
    .record = report_record,
    .record_text = record_text,
    .record_operands = record_operands,
    .record_json = record_json,
    .json_object = json_object,
    .json_array = json_array,
    .json_int = json_int,
    .json_uint = json_uint,
    .json_text = json_text,
    .json_bool = json_bool,
    .json_null = json_null,
    .get_interface = host_interface,
    .target_bandwidth = target_bandwidth,
    .target_units = target_units,
    .target_cache = target_cache,
    .record_array = record_array,
    .mesh_in_force = mesh_in_force,
    .unit_type = host_unit_type,
    .reach = relation_reach,
    .relation_done = relation_done,
    .load_f32 = number_load_f32,
    .load_f64 = number_load_f64,
    .load_i64 = number_load_i64,
    .store_f32 = number_store_f32,
    .store_f64 = number_store_f64,
    .store_i64 = number_store_i64,
    .element_bytes = number_bytes,
    .math = number_math,
    .parallel = parallel_for,
    .source_path = host_source_path,
    .call_site = host_call_site,
    .time_launches = launches_time,
};
