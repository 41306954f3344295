/* SPDX-License-Identifier: MIT
 * Prints where every member of every public struct lies.  Compared with layout.expected, in which only additions at an end
 * are allowed while the major version stays.  A member that is missing here, or a hole between two, is an error.
 */
#define TF_HOST_SIDE
#include <tilefoundry/plugin.h>

#include <stdio.h>

static size_t end;
static int failures;

static void put(const char *type, const char *member, size_t offset, size_t size)
{
    if (offset != end) {
        printf("%s: %zu bytes before %s are no member's\n", type, offset - end, member);
        failures++;
    }
    printf("    %-20s %4zu %4zu\n", member, offset, size);
    end = offset + size;
}

static void finish(const char *type, size_t size)
{
    if (size != end) {
        printf("%s: the last %zu bytes are no member's\n", type, size - end);
        failures++;
    }
    end = 0;
}

#define STRUCT(type, ...)                                                                                              \
    do {                                                                                                               \
        printf("%s %zu\n", #type, sizeof(struct type));                                                                \
        __VA_ARGS__ finish(#type, sizeof(struct type));                                                                \
    } while (0)
#define M(type, member) put(#type, #member, offsetof(struct type, member), sizeof(((struct type *)NULL)->member));

int main(void)
{
    printf("abi %d.%d\n", TF_ABI_MAJOR, TF_ABI_MINOR);
    STRUCT(tf_dtype_info, M(tf_dtype_info, name) M(tf_dtype_info, bits) M(tf_dtype_info, cls)
                              M(tf_dtype_info, exponent_bits) M(tf_dtype_info, fraction_bits));
    STRUCT(tf_dim, M(tf_dim, kind) M(tf_dim, _reserved) M(tf_dim, value));
    STRUCT(tf_topology, M(tf_topology, name) M(tf_topology, extent));
    STRUCT(tf_mesh, M(tf_mesh, n_levels) M(tf_mesh, rank) M(tf_mesh, levels) M(tf_mesh, shape) M(tf_mesh, strides)
                        M(tf_mesh, names) M(tf_mesh, level_of) M(tf_mesh, base) M(tf_mesh, offset));
    STRUCT(tf_shard_attr, M(tf_shard_attr, kind) M(tf_shard_attr, axis) M(tf_shard_attr, reduction));
    STRUCT(tf_layout, M(tf_layout, kind) M(tf_layout, rank) M(tf_layout, shape) M(tf_layout, strides) M(tf_layout, mesh)
                          M(tf_layout, attrs) M(tf_layout, outer) M(tf_layout, offset));
    STRUCT(tf_type, M(tf_type, kind) M(tf_type, rank) M(tf_type, dtype) M(tf_type, storage) M(tf_type, shape)
                        M(tf_type, layout) M(tf_type, fields));
    STRUCT(tf_loc, M(tf_loc, file) M(tf_loc, line) M(tf_loc, column) M(tf_loc, end_line) M(tf_loc, end_column)
                       M(tf_loc, _reserved));
    STRUCT(tf_val, M(tf_val, kind) M(tf_val, count) M(tf_val, u));
    STRUCT(
        tf_region, M(tf_region, mesh) M(tf_region, scope) M(tf_region, name) M(tf_region, params) M(tf_region, body));
    STRUCT(tf_loop,
        M(tf_loop, var) M(tf_loop, start) M(tf_loop, extent) M(tf_loop, step) M(tf_loop, bound_value)
            M(tf_loop, is_tile) M(tf_loop, n_carries) M(tf_loop, carries) M(tf_loop, yields) M(tf_loop, body));
    STRUCT(tf_function, M(tf_function, name) M(tf_function, module) M(tf_function, n_params) M(tf_function, n_nodes)
                            M(tf_function, params) M(tf_function, body) M(tf_function, result) M(tf_function, loc));
    STRUCT(tf_where_axis, M(tf_where_axis, extent) M(tf_where_axis, level) M(tf_where_axis, reduction));
    STRUCT(tf_where, M(tf_where, mesh) M(tf_where, has_storage) M(tf_where, storage) M(tf_where, n_axes)
                         M(tf_where, n_bindings) M(tf_where, axes) M(tf_where, bindings));
    STRUCT(tf_node, M(tf_node, kind) M(tf_node, id) M(tf_node, type) M(tf_node, name) M(tf_node, loc) M(tf_node, n_in)
                        M(tf_node, n_attrs) M(tf_node, in) M(tf_node, op) M(tf_node, attrs) M(tf_node, scope)
                            M(tf_node, val) M(tf_node, callee) M(tf_node, region) M(tf_node, loop) M(tf_node, owner)
                                M(tf_node, index) M(tf_node, is_weight) M(tf_node, where));
    STRUCT(tf_call, M(tf_call, struct_size) M(tf_call, node) M(tf_call, op) M(tf_call, n_args) M(tf_call, n_attrs)
                        M(tf_call, args) M(tf_call, arg_types) M(tf_call, attrs) M(tf_call, type) M(tf_call, scope)
                            M(tf_call, loc) M(tf_call, name));
    STRUCT(tf_input, M(tf_input, name) M(tf_input, kind) M(tf_input, _reserved));
    STRUCT(tf_attr_decl, M(tf_attr_decl, name) M(tf_attr_decl, kind) M(tf_attr_decl, flags) M(tf_attr_decl, fallback)
                             M(tf_attr_decl, choices) M(tf_attr_decl, enumeration));
    STRUCT(tf_alias, M(tf_alias, name) M(tf_alias, attr) M(tf_alias, value));
    STRUCT(tf_work_item, M(tf_work_item, pipe) M(tf_work_item, key) M(tf_work_item, amount));
    STRUCT(tf_work, M(tf_work, n) M(tf_work, _reserved) M(tf_work, item));
    STRUCT(tf_axis,
        M(tf_axis, kind) M(tf_axis, iter) M(tf_axis, _reserved) M(tf_axis, scale) M(tf_axis, offset) M(tf_axis, moved));
    STRUCT(tf_boundary, M(tf_boundary, flow) M(tf_boundary, rank) M(tf_boundary, axes));
    STRUCT(tf_relation, M(tf_relation, flags) M(tf_relation, n_iter) M(tf_relation, n_in) M(tf_relation, n_out)
                            M(tf_relation, extent) M(tf_relation, in) M(tf_relation, out));
    STRUCT(tf_tensor, M(tf_tensor, struct_size) M(tf_tensor, dtype) M(tf_tensor, rank) M(tf_tensor, extents) M(
                          tf_tensor, data) M(tf_tensor, bound) M(tf_tensor, low) M(tf_tensor, doubt) M(tf_tensor, raw));
    STRUCT(tf_declared,
        M(tf_declared, struct_size) M(tf_declared, accumulator) M(tf_declared, ulp) M(tf_declared, fma)
            M(tf_declared, ftz) M(tf_declared, wider_intermediates) M(tf_declared, cast_via) M(tf_declared, depth)
                M(tf_declared, splits) M(tf_declared, fraction_bits) M(tf_declared, step) M(tf_declared, chunk)
                    M(tf_declared, operand_bits) M(tf_declared, operands));
    STRUCT(tf_walks, M(tf_walks, struct_size) M(tf_walks, seed) M(tf_walks, rows) M(tf_walks, walked));
    STRUCT(tf_eval, M(tf_eval, struct_size) M(tf_eval, call) M(tf_eval, args) M(tf_eval, results) M(tf_eval, n_args)
                        M(tf_eval, n_results) M(tf_eval, mode) M(tf_eval, fp8_overflow) M(tf_eval, accumulator)
                            M(tf_eval, declared) M(tf_eval, outputs) M(tf_eval, walks));
    STRUCT(tf_math, M(tf_math, struct_size) M(tf_math, exp) M(tf_math, exp2) M(tf_math, expm1) M(tf_math, log)
                        M(tf_math, log2) M(tf_math, log1p) M(tf_math, sqrt) M(tf_math, tanh) M(tf_math, erf)
                            M(tf_math, erfc) M(tf_math, sin) M(tf_math, cos) M(tf_math, floor) M(tf_math, ceil)
                                M(tf_math, rint) M(tf_math, fmod) M(tf_math, fma) M(tf_math, fma_f32));
    STRUCT(tf_op, M(tf_op, struct_size) M(tf_op, name) M(tf_op, summary) M(tf_op, n_inputs) M(tf_op, inputs) M(tf_op,
                      n_attrs) M(tf_op, attrs) M(tf_op, n_aliases) M(tf_op, aliases) M(tf_op, infer) M(tf_op, cost)
                      M(tf_op, relate) M(tf_op, eval) M(tf_op, flags) M(tf_op, _reserved) M(tf_op, moves));
    STRUCT(tf_prog_loop, M(tf_prog_loop, node) M(tf_prog_loop, parent) M(tf_prog_loop, depth) M(tf_prog_loop, start)
                             M(tf_prog_loop, step) M(tf_prog_loop, trips) M(tf_prog_loop, first_position)
                                 M(tf_prog_loop, end_position) M(tf_prog_loop, name));
    STRUCT(tf_step, M(tf_step, node) M(tf_step, position) M(tf_step, loop) M(tf_step, inner) M(tf_step, _reserved)
                        M(tf_step, runs) M(tf_step, units) M(tf_step, whole) M(tf_step, unit));
    STRUCT(tf_program, M(tf_program, struct_size) M(tf_program, function) M(tf_program, module) M(tf_program, target)
                           M(tf_program, n_levels) M(tf_program, selected) M(tf_program, levels) M(tf_program, n_steps)
                               M(tf_program, n_loops) M(tf_program, steps) M(tf_program, loops) M(tf_program, step_of)
                                   M(tf_program, loop_of) M(tf_program, varies_in));
    STRUCT(tf_analyzer, M(tf_analyzer, struct_size) M(tf_analyzer, name) M(tf_analyzer, summary) M(tf_analyzer, order)
                            M(tf_analyzer, flags) M(tf_analyzer, requires) M(tf_analyzer, run) M(tf_analyzer, figures));
    STRUCT(tf_figures, M(tf_figures, struct_size) M(tf_figures, flops) M(tf_figures, bytes) M(tf_figures, ideal_ns)
                           M(tf_figures, predicted_ns));
    STRUCT(tf_call_work, M(tf_call_work, unit) M(tf_call_work, units));
    STRUCT(tf_bytes, M(tf_bytes, read) M(tf_bytes, written));
    STRUCT(tf_call_traffic,
        M(tf_call_traffic, whole) M(tf_call_traffic, unit) M(tf_call_traffic, levels) M(tf_call_traffic, _reserved));
    STRUCT(tf_artifact, M(tf_artifact, struct_size) M(tf_artifact, text) M(tf_artifact, length) M(tf_artifact, suffix)
                            M(tf_artifact, entry) M(tf_artifact, fp8_overflow) M(tf_artifact, _reserved));
    STRUCT(tf_backend, M(tf_backend, struct_size) M(tf_backend, name) M(tf_backend, summary) M(tf_backend, targets)
                           M(tf_backend, needs) M(tf_backend, supports) M(tf_backend, lower) M(tf_backend, compile)
                               M(tf_backend, launch) M(tf_backend, time) M(tf_backend, release) M(tf_backend, probe)
                                   M(tf_backend, declares) M(tf_backend, measure) M(tf_backend, calibrate));
    STRUCT(tf_timing, M(tf_timing, struct_size) M(tf_timing, n_samples) M(tf_timing, warm) M(tf_timing, ns)
                          M(tf_timing, rotated_bytes) M(tf_timing, floor_ns) M(tf_timing, copy_bytes_per_second)
                              M(tf_timing, conditions));
    STRUCT(tf_calibration, M(tf_calibration, struct_size) M(tf_calibration, data) M(tf_calibration, head)
                               M(tf_calibration, fact) M(tf_calibration, model));
    STRUCT(tf_path, M(tf_path, struct_size) M(tf_path, name) M(tf_path, summary) M(tf_path, backends) M(tf_path, match)
                        M(tf_path, eval) M(tf_path, lower) M(tf_path, declares) M(tf_path, why));
    STRUCT(tf_bound_decl, M(tf_bound_decl, name) M(tf_bound_decl, summary));
    STRUCT(tf_judgement,
        M(tf_judgement, struct_size) M(tf_judgement, passed) M(tf_judgement, n_values) M(tf_judgement, keys)
            M(tf_judgement, values) M(tf_judgement, note) M(tf_judgement, detail) M(tf_judgement, worst));
    STRUCT(tf_predicate,
        M(tf_predicate, struct_size) M(tf_predicate, name) M(tf_predicate, summary) M(tf_predicate, guidance)
            M(tf_predicate, n_bounds) M(tf_predicate, bounds) M(tf_predicate, dtypes) M(tf_predicate, needs_reference)
                M(tf_predicate, _reserved) M(tf_predicate, judge) M(tf_predicate, judge_enclosed)
                    M(tf_predicate, state_bytes) M(tf_predicate, fold) M(tf_predicate, conclude));
    STRUCT(tf_judge_block, M(tf_judge_block, struct_size) M(tf_judge_block, candidate) M(tf_judge_block, reference)
                               M(tf_judge_block, enclosure) M(tf_judge_block, bounds) M(tf_judge_block, first));
    STRUCT(tf_twin,
        M(tf_twin, struct_size) M(tf_twin, name) M(tf_twin, summary) M(tf_twin, claims) M(tf_twin, open) M(tf_twin, run)
            M(tf_twin, close) M(tf_twin, declares) M(tf_twin, takes_device) M(tf_twin, _reserved) M(tf_twin, measure));
    STRUCT(tf_code, M(tf_code, code) M(tf_code, meaning));
    STRUCT(tf_plugin,
        M(tf_plugin, struct_size) M(tf_plugin, abi_major) M(tf_plugin, abi_minor) M(tf_plugin, name)
            M(tf_plugin, version) M(tf_plugin, summary) M(tf_plugin, n_ops) M(tf_plugin, ops) M(tf_plugin, n_analyzers)
                M(tf_plugin, analyzers) M(tf_plugin, n_backends) M(tf_plugin, backends) M(tf_plugin, n_paths)
                    M(tf_plugin, paths) M(tf_plugin, n_predicates) M(tf_plugin, predicates) M(tf_plugin, n_twins)
                        M(tf_plugin, twins) M(tf_plugin, n_codes) M(tf_plugin, codes) M(tf_plugin, start));
    STRUCT(tf_derive, M(tf_derive, struct_size) M(tf_derive, partial_axes) M(tf_derive, complete_axes)
                          M(tf_derive, fresh_strides) M(tf_derive, out));
    STRUCT(tf_span, M(tf_span, lo) M(tf_span, step) M(tf_span, n));
    STRUCT(tf_reach_axis, M(tf_reach_axis, n) M(tf_reach_axis, _reserved) M(tf_reach_axis, spans));
    STRUCT(tf_cache, M(tf_cache, name) M(tf_cache, backing) M(tf_cache, is_stated) M(tf_cache, capacity));
    STRUCT(tf_blas, M(tf_blas, struct_size) M(tf_blas, library) M(tf_blas, product_f64));
    STRUCT(tf_host,
        M(tf_host, struct_size) M(tf_host, abi_major) M(tf_host, abi_minor) M(tf_host, error) M(tf_host, warn) M(
            tf_host, alloc) M(tf_host, intern) M(tf_host, format) M(tf_host, dtype) M(tf_host, storage) M(tf_host,
            type_text) M(tf_host, shape_text) M(tf_host, dim_const) M(tf_host, dim_add) M(tf_host, dim_sub) M(tf_host,
            dim_mul) M(tf_host, dim_floordiv) M(tf_host, dim_mod) M(tf_host, type_tensor) M(tf_host, type_tuple)
            M(tf_host, type_equal) M(tf_host, layout_plain) M(tf_host, layout_composed) M(tf_host, layout_shard)
                M(tf_host, layout_canonical) M(tf_host, layout_equal) M(tf_host, shard_of) M(tf_host, position_axes)
                    M(tf_host, split_mask) M(tf_host, broadcast) M(tf_host, anchor) M(tf_host, shard_derive) M(
                        tf_host, value_int) M(tf_host, value_item) M(tf_host, relation_box) M(tf_host, relation_walk)
                        M(tf_host, relation_broadcast) M(tf_host, amounts) M(tf_host, target_id) M(tf_host, target_int)
                            M(tf_host, target_text) M(tf_host, target_rate) M(tf_host, target_level) M(tf_host, program)
                                M(tf_host, wants_json) M(tf_host, wants) M(tf_host, publish) M(tf_host, published)
                                    M(tf_host, line) M(tf_host, advisory) M(tf_host, record) M(tf_host, record_text) M(
                                        tf_host, record_operands) M(tf_host, record_json) M(tf_host, json_object)
                                        M(tf_host, json_array) M(tf_host, json_int) M(tf_host, json_uint) M(
                                            tf_host, json_text) M(tf_host, json_bool) M(tf_host, json_null)
                                            M(tf_host, get_interface) M(tf_host, target_bandwidth) M(
                                                tf_host, target_units) M(tf_host, target_cache) M(tf_host, record_array)
                                                M(tf_host, mesh_in_force) M(tf_host, unit_type) M(tf_host, reach) M(
                                                    tf_host, relation_done) M(tf_host, load_f32) M(tf_host, load_f64)
                                                    M(tf_host, load_i64) M(tf_host, store_f32) M(tf_host, store_f64)
                                                        M(tf_host, store_i64) M(tf_host, element_bytes) M(tf_host, math)
                                                            M(tf_host, parallel) M(tf_host, source_path)
                                                                M(tf_host, call_site) M(tf_host, time_launches));
    return failures ? 1 : 0;
}
