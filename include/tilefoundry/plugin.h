/* SPDX-License-Identifier: MIT
 *
 * The plugin interface of tilefoundry: the one header that a plugin includes.
 *
 * A plugin is a shared object that exports tilefoundry_plugin_v1, which returns a constant descriptor.  It links to
 * nothing of ours: what it needs from the program is in the host table that the entry is given.
 *
 *     #include <tilefoundry/plugin.h>
 *
 *     static const struct tf_op twice = {.struct_size = sizeof(twice), .name = "twice", ...};
 *     static const struct tf_op *const ops[] = {&twice};
 *     static const struct tf_plugin plugin = {
 *         TF_PLUGIN_HEAD, .name = "acme-twice", .version = "1.0", .summary = "...", .n_ops = 1, .ops = ops};
 *     TF_PLUGIN(plugin);
 *
 * The host works on copies of what a descriptor offers: an op, analyzer or backend that a callback is handed is told from
 * others by its name, never by its address.
 *
 * Ownership: descriptors live until the program exits; what the host hands out lives as long as its context; neither
 * side frees what the other allocated.  Calls come from one thread at a time.  A plugin keeps no state but `tf_host`,
 * prints nothing, and neither exits, jumps out, nor changes signals or locale.
 */
#ifndef TILEFOUNDRY_PLUGIN_H
#define TILEFOUNDRY_PLUGIN_H

#include "abi.h"
#include "types.h"
#include "hir.h"
#include "op.h"
#include "program.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tf_target; /* a target document's facts; opaque */
struct tf_record; /* one record of a report; opaque */
struct tf_json;   /* one value of a record's JSON form; opaque */

/* ---- analyzers ---------------------------------------------------------------------------------------------------*/

/* Where a record belongs. */
#define TF_SCOPE_FUNCTION 0u
#define TF_SCOPE_CALL 1u   /* index: the step's position */
#define TF_SCOPE_LOOP 2u   /* index: in program->loops */
#define TF_SCOPE_REPORT 3u /* beside the other keys of the JSON report; records of one name share one object */

/* Of a whole function; below 0: not known. */
struct tf_figures {
    uint64_t struct_size;
    double flops;
    double bytes;        /* moved to and from global memory */
    double ideal_ns;     /* the shortest time that the target's rates allow */
    double predicted_ns; /* the time expected */
};

struct tf_analyzer {
    uint64_t struct_size;
    const char *name;            /* the family: its option is --NAME */
    const char *summary;         /* one line for --help */
    uint32_t order;              /* where it stands among the families; records and lines come in this order */
    uint32_t flags;              /* 0 */
    const char *const *requires; /* families that run before it; NULL-terminated, or NULL */
    /* Fills records and publishes its results for other analyzers through tf_host->publish.  Required. */
    int (*run)(tf_ctx *ctx, const struct tf_program *program);
    /* After run: what it found for the whole function, for a measured time to be held to; the others are left alone.
     * NULL: nothing. */
    void (*figures)(tf_ctx *ctx, const struct tf_program *program, struct tf_figures *figures);
};

/* Results that analyzers of ours publish, for those of others: see tf_host->published. */
struct tf_call_work {    /* compute-cost: one for each step */
    struct tf_work unit; /* one occurrence by one unit */
    uint64_t units;      /* the whole is unit times this */
};

#define TF_MAX_LEVELS 6 /* storages */
struct tf_bytes {
    uint64_t read, written;
};
struct tf_call_traffic { /* memory: one for each step; indexed by storage */
    struct tf_bytes whole[TF_MAX_LEVELS], unit[TF_MAX_LEVELS];
    uint32_t levels; /* bit set of the storages charged */
    uint32_t _reserved;
};

/* ---- backends, paths, predicates, twins --------------------------------------------------------------------------*/

struct tf_report_sink; /* opaque: where text goes */

/* Generated source of one function. */
struct tf_artifact {
    uint64_t struct_size;
    const char *text; /* in the context's memory */
    size_t length;
    const char *suffix; /* ".c", ".cu" */
    const char *entry;  /* name of the function to call */
    /* For compile: as in tf_eval, what a cast to eight bits makes of magnitudes past its largest. */
    uint32_t fp8_overflow, _reserved;
};

/* What is asked of one measurement, and what it gives. */
struct tf_timing {
    uint64_t struct_size;
    uint32_t n_samples;
    uint32_t warm; /* 0: every launch on other buffers, so that nothing is answered from a cache; 1: on the same ones */
    double *ns;    /* of each launch, by the backend's own clock; n_samples of them */
    uint64_t rotated_bytes;       /* all buffers that launches went around in; 0: they were the same ones */
    double floor_ns;              /* what a launch that does nothing takes; 0: not known */
    double copy_bytes_per_second; /* of a copy in this run of as many bytes as arguments and results have together, read
                                     and written counted alike; asked for where it is 0, given as 0: not known */
    const char *conditions;       /* clocks, power, threads, for people; or NULL */
};

/* Where a backend states what it measured of a machine; the host makes a target document of it. */
struct tf_calibration {
    uint64_t struct_size;
    void *data; /* the host's */
    /* First, and once: the document's id and family, an architecture document's id or NULL, a title for people. */
    void (*head)(const struct tf_calibration *to, const char *id, const char *family, const char *architecture,
        const char *title);
    /* value: as the document writes it.  unit: of tilefoundry-targets(5).  conditions: of the measurement, or NULL. */
    void (*fact)(
        const struct tf_calibration *to, const char *path, const char *value, const char *unit, const char *conditions);
    /* A line of the model: "memory" with "level", "gmem", "kind", "explicit", ..., NULL */
    void (*model)(const struct tf_calibration *to, const char *element, const char *const *attributes);
};

struct tf_backend {
    uint64_t struct_size;
    const char *name;
    const char *summary;
    const char *const *targets; /* ids of the target documents that it serves, NULL-terminated; "*" for any */
    const char *const *needs;   /* paths of the facts that it reads, NULL-terminated, or NULL */
    /* Whether this call can be lowered here: TF_OK, or TF_E_UNSUPPORTED with *why set to a sentence.  Pure, cheap. */
    int (*supports)(tf_ctx *ctx, const struct tf_program *program, const struct tf_step *step, const char **why);
    /* Source for the whole program.  NULL: this backend does not lower yet. */
    int (*lower)(tf_ctx *ctx, const struct tf_program *program, struct tf_artifact *artifact);
    /* Compiled code from an artifact, then a run of it; handles are the backend's own.  NULL: cannot run. */
    int (*compile)(tf_ctx *ctx, const struct tf_artifact *artifact, void **module);
    /* args and results end with NULL. */
    int (*launch)(tf_ctx *ctx, void *module, const struct tf_tensor *const *args, struct tf_tensor *const *results);
    int (*time)(tf_ctx *ctx, void *module, const struct tf_tensor *const *args, struct tf_tensor *const *results,
        uint32_t repeats, double *nanoseconds);
    void (*release)(tf_ctx *ctx, void *module);
    /* What this machine has: TF_OK with *text set to lines for people; TF_E_UNSUPPORTED with the reason in *text. */
    int (*probe)(tf_ctx *ctx, const char **text);
    /* What its code declares of its arithmetic for this program, as `--declare` is written: "div=0.5 fma=no".  NULL:
     * nothing. */
    const char *(*declares)(tf_ctx *ctx, const struct tf_program *program);
    /* Times launches one by one, as `timing` asks; `results` hold what one of them computed.  For `bench`; NULL: it cannot
     * be measured.  (`time` gives the mean of launches on the same buffers, without what is around it.) */
    int (*measure)(tf_ctx *ctx, void *module, const struct tf_tensor *const *args, struct tf_tensor *const *results,
        struct tf_timing *timing);
    /* Measures this machine; TF_E_UNSUPPORTED or TF_E_REFUSED after a diagnostic.  NULL: it cannot. */
    int (*calibrate)(tf_ctx *ctx, const struct tf_calibration *to);
};

/* A fused path: a matcher on the program, and the two halves that go with a match. */
struct tf_path {
    uint64_t struct_size;
    const char *name;
    const char *summary;
    const char *const *backends; /* for which it generates code, NULL-terminated */
    int (*match)(tf_ctx *ctx, const struct tf_program *program, void **match);
    int (*eval)(tf_ctx *ctx, void *match, const struct tf_eval *eval);
    int (*lower)(tf_ctx *ctx, void *match, const char *backend, struct tf_artifact *artifact);
    /* What the path's code declares of its arithmetic, as a backend's; NULL: nothing. */
    const char *(*declares)(tf_ctx *ctx, void *match, const char *backend);
    /* Why match does not take a program, in words that go on after a colon; *loc: where, unless it is left alone.  NULL,
     * as an answer too: it does not say. */
    const char *(*why)(tf_ctx *ctx, const struct tf_program *program, const struct tf_loc **loc);
};

struct tf_bound_decl {
    const char *name; /* "atol" */
    const char *summary;
};

struct tf_judgement {
    uint64_t struct_size;
    uint32_t passed;
    uint32_t n_values;
    const char *keys[4];
    double values[4];
    const char *note;   /* or NULL */
    const char *detail; /* for --verbose, or NULL */
    uint64_t worst;     /* 1 + the row-major index of the element that decided; 0: none did alone */
};

#define TF_DECIDED 1 /* what tf_predicate.fold may give beside TF_OK and errors */

/* Elements of an output that follow each other, as tensors of one axis. */
struct tf_judge_block {
    uint64_t struct_size;
    const struct tf_tensor *candidate;
    const struct tf_tensor *reference; /* NULL where the predicate needs none */
    const struct tf_tensor *enclosure; /* NULL where there are none */
    const double *bounds;              /* as for judge */
    uint64_t first;                    /* row-major index of the first element */
};

struct tf_predicate {
    uint64_t struct_size;
    const char *name;
    const char *summary;
    const char *guidance; /* paragraphs for the manual and --help */
    size_t n_bounds;
    const struct tf_bound_decl *bounds;
    uint64_t dtypes;          /* bit set over TF_DTYPE_* */
    uint32_t needs_reference; /* 0: judges the candidate alone */
    uint32_t _reserved;
    int (*judge)(tf_ctx *ctx, const struct tf_tensor *candidate, const struct tf_tensor *reference,
        const double *bounds, struct tf_judgement *judgement);
    /* As judge, with the enclosure of every legal result (a tensor of BOUND mode).  A predicate that has it is judged by
     * it, and judge may be NULL. */
    int (*judge_enclosed)(tf_ctx *ctx, const struct tf_tensor *candidate, const struct tf_tensor *reference,
        const struct tf_tensor *enclosure, const double *bounds, struct tf_judgement *judgement);
    /* The same of an output that comes block by block, so that nothing of its size is needed.  fold takes in one block,
     * and is called on blocks in the order of the elements; state is state_bytes, zeroed before the first.  It may run on
     * any thread, and gives TF_OK, TF_DECIDED when the output fails whatever is to come, or, on the first block,
     * TF_E_UNSUPPORTED when this output has to be judged as a whole.  conclude judges what was taken in so far, and gives
     * what judge would of that.  All three, or none. */
    uint64_t state_bytes;
    int (*fold)(void *state, const struct tf_judge_block *block);
    int (*conclude)(tf_ctx *ctx, const void *state, const double *bounds, struct tf_judgement *judgement);
};

/* An implementation from outside. */
struct tf_twin {
    uint64_t struct_size;
    const char *name;
    const char *summary;
    int (*claims)(tf_ctx *ctx, const char *source); /* TF_OK when it runs this kind of source */
    int (*open)(tf_ctx *ctx, const char *source, void **twin);
    int (*run)(tf_ctx *ctx, void *twin, const struct tf_tensor *const *args, size_t n_args,
        struct tf_tensor *const *results, size_t n_results);
    void (*close)(tf_ctx *ctx, void *twin);
    const char *(*declares)(tf_ctx *ctx, void *twin); /* as a backend's; NULL: nothing */
    uint32_t takes_device; /* 1: it computes on what TILEFOUNDRY_DEVICE names, `cpu` or `cuda`, where that is set */
    uint32_t _reserved;
    /* As a backend's; NULL: the host times `run`. */
    int (*measure)(tf_ctx *ctx, void *twin, const struct tf_tensor *const *args, size_t n_args,
        struct tf_tensor *const *results, size_t n_results, struct tf_timing *timing);
};

/* ---- the plugin --------------------------------------------------------------------------------------------------*/

/* A diagnostic's code with what it means, for the manual and `plugin show`. */
struct tf_code {
    const char *code;
    const char *meaning;
};

struct tf_plugin {
    uint32_t struct_size; /* these three never move, in any version */
    uint16_t abi_major, abi_minor;
    const char *name; /* lower-case letters, digits, - ; begins with a letter */
    const char *version;
    const char *summary;
    size_t n_ops;
    const struct tf_op *const *ops;
    size_t n_analyzers;
    const struct tf_analyzer *const *analyzers;
    size_t n_backends;
    const struct tf_backend *const *backends;
    size_t n_paths;
    const struct tf_path *const *paths;
    size_t n_predicates;
    const struct tf_predicate *const *predicates;
    size_t n_twins;
    const struct tf_twin *const *twins;
    size_t n_codes;
    const struct tf_code *codes;
    int (*start)(tf_ctx *ctx); /* optional; may refuse after a diagnostic */
};

/* ---- the host ----------------------------------------------------------------------------------------------------*/

/* What shard_derive is told besides the relation; bit sets over iteration axes. */
struct tf_derive {
    uint64_t struct_size;
    uint64_t partial_axes;  /* summed here, so a split of one leaves a partial sum */
    uint64_t complete_axes; /* reduced completely: a split of one becomes a broadcast */
    uint32_t fresh_strides; /* C order anew; extents of 1 at stride 0 */
    uint32_t out;           /* which result leaf of the relation */
};

/* Coordinates lo, lo + step, ...: n of them. */
struct tf_span {
    int64_t lo, step;
    uint64_t n;
};
struct tf_reach_axis {
    uint32_t n, _reserved;
    struct tf_span *spans;
};

struct tf_cache {
    const char *name;   /* "l2" */
    uint32_t backing;   /* storage that it caches */
    uint32_t is_stated; /* whether the capacity is */
    uint64_t capacity;  /* bytes */
};

/* What get_interface gives for TF_BLAS: products by the CBLAS library of this machine, which is opened when it is first
 * asked for.  They are summed in an order of its own, so that they serve where a result has a bound, not where it has
 * bits.  NULL where there is no such library. */
#define TF_BLAS "tilefoundry.blas/1"
struct tf_blas {
    uint64_t struct_size;
    const char *library; /* as it was asked for: a file's name */
    /* c = a b, M x K by K x N, dense in C order; turned: K x M, N x K.  TF_E_UNSUPPORTED for extents that the library
     * cannot count, 0 among them. */
    int (*product_f64)(size_t m, size_t n, size_t k, const double *a, uint32_t a_turned, const double *b,
        uint32_t b_turned, double *c);
};

struct tf_host {
    uint32_t struct_size;
    uint16_t abi_major, abi_minor;

    /* diagnostics: an error at the call (or at loc), with a stable code */
    void (*error)(tf_ctx *ctx, const struct tf_loc *loc, const char *code, const char *format, ...) TF_PRINTF(4, 5);
    void (*warn)(tf_ctx *ctx, const struct tf_loc *loc, const char *code, const char *format, ...) TF_PRINTF(4, 5);

    /* memory of the context; zeroed; never NULL (the run ends with a diagnostic when there is none) */
    void *(*alloc)(tf_ctx *ctx, size_t size);
    const char *(*intern)(tf_ctx *ctx, const char *text);
    const char *(*format)(tf_ctx *ctx, const char *format, ...)TF_PRINTF(2, 3);

    /* dtypes and texts */
    const struct tf_dtype_info *(*dtype)(uint32_t dtype);
    const char *(*storage)(uint32_t storage);
    const char *(*type_text)(tf_ctx *ctx, const struct tf_type *type); /* Tensor[(4, 8), "f32"] */
    const char *(*shape_text)(tf_ctx *ctx, const struct tf_dim *const *shape, uint32_t rank); /* (4, 8) */

    /* dimensions; NULL after a diagnostic on overflow or division by zero */
    const struct tf_dim *(*dim_const)(tf_ctx *ctx, int64_t value);
    const struct tf_dim *(*dim_add)(tf_ctx *ctx, const struct tf_dim *a, const struct tf_dim *b);
    const struct tf_dim *(*dim_sub)(tf_ctx *ctx, const struct tf_dim *a, const struct tf_dim *b);
    const struct tf_dim *(*dim_mul)(tf_ctx *ctx, const struct tf_dim *a, const struct tf_dim *b);
    const struct tf_dim *(*dim_floordiv)(tf_ctx *ctx, const struct tf_dim *a, const struct tf_dim *b);
    const struct tf_dim *(*dim_mod)(tf_ctx *ctx, const struct tf_dim *a, const struct tf_dim *b);

    /* making types */
    const struct tf_type *(*type_tensor)(tf_ctx *ctx, uint32_t dtype, uint32_t rank, const struct tf_dim *const *shape,
        const struct tf_layout *layout, uint32_t storage);
    const struct tf_type *(*type_tuple)(tf_ctx *ctx, uint32_t n, const struct tf_type *const *fields);
    int (*type_equal)(const struct tf_type *a, const struct tf_type *b);
    const struct tf_layout *(*layout_plain)(tf_ctx *ctx, uint32_t rank, const struct tf_dim *const *shape,
        const struct tf_dim *const *strides); /* strides NULL: C order */
    const struct tf_layout *(*layout_composed)(tf_ctx *ctx, const struct tf_dim *offset, const struct tf_layout *outer);
    const struct tf_layout *(*layout_shard)(tf_ctx *ctx, uint32_t rank, const struct tf_dim *const *shape,
        const struct tf_dim *const *strides, const struct tf_mesh *mesh, const struct tf_shard_attr *attrs);
    /* logical axes bound to mesh axes, factored: (mesh extent, rest) for a split; attrs name logical axes */
    const struct tf_layout *(*layout_canonical)(tf_ctx *ctx, const struct tf_loc *loc, uint32_t rank,
        const struct tf_dim *const *shape, const struct tf_mesh *mesh, const struct tf_shard_attr *attrs);
    int (*layout_equal)(const struct tf_layout *a, const struct tf_layout *b);

    /* sharding; shard_of sees through a composed layout, and gives NULL for a plain one or none */
    const struct tf_layout *(*shard_of)(const struct tf_layout *layout);
    /* logical axis that each layout position belongs to; into axis_of[layout->rank] */
    void (*position_axes)(
        const struct tf_layout *layout, uint32_t rank, const struct tf_dim *const *shape, int32_t *axis_of);
    /* mask of the mesh axes that split this logical axis */
    uint64_t (*split_mask)(const struct tf_type *type, uint32_t axis);
    /* Broadcast shape of two, right-aligned; TF_E_REFUSED without a diagnostic when they do not go together. */
    int (*broadcast)(const struct tf_type *a, const struct tf_type *b, uint32_t *rank, const struct tf_dim **shape);
    /* The one concrete storage of several, umat when all abstain; diagnoses a conflict. */
    int (*anchor)(
        tf_ctx *ctx, const struct tf_call *call, uint32_t n, const struct tf_type *const *types, uint32_t *storage);
    /* Layout of a result from the operands' sharding through the relation; *layout NULL when none is sharded. */
    int (*shard_derive)(tf_ctx *ctx, const struct tf_call *call, const struct tf_relation *relation, uint32_t rank,
        const struct tf_dim *const *shape, const struct tf_derive *how, const struct tf_layout **layout);

    /* values */
    int (*value_int)(const struct tf_node *value, int64_t *number); /* TF_OK when it is a constant integer */
    const struct tf_node *(*value_item)(const struct tf_node *value, uint32_t index); /* of a tuple node, else NULL */

    /* relations: a box of n axes, boundaries for every argument and n_out results, all zeroed and READ / WRITE */
    int (*relation_box)(tf_ctx *ctx, const struct tf_call *call, struct tf_relation *relation, uint32_t n_iter,
        const struct tf_dim *const *extent, uint32_t n_out);
    /* rank axes for a boundary; axis k walks iteration axis first + k */
    void (*relation_walk)(tf_ctx *ctx, struct tf_boundary *boundary, uint32_t rank, uint32_t first);
    /* right-aligned against the box's first `rank` axes; an extent of 1 is read at 0 */
    void (*relation_broadcast)(tf_ctx *ctx, struct tf_boundary *boundary, const struct tf_type *type, uint32_t rank,
        const struct tf_dim *const *shape);
    /* Distinct elements that each boundary reaches, in order: arguments, then results (a whole tuple: its leaves summed).
     * unit: 0 the whole program's, 1 one unit's.  Run-time starts stand at 0. */
    int (*amounts)(tf_ctx *ctx, const struct tf_program *program, const struct tf_step *step,
        const struct tf_relation *relation, int unit, uint64_t *elements);

    /* targets: a fact by path; TF_OK, or TF_E_UNSUPPORTED when it is absent or unavailable */
    const char *(*target_id)(const struct tf_target *target);
    int (*target_int)(const struct tf_target *target, const char *path, uint64_t *value);
    int (*target_text)(const struct tf_target *target, const char *path, const char **value);
    /* Rate of a pipe for a key, in units of work a second by the whole device; TF_E_UNSUPPORTED: unrated. */
    int (*target_rate)(
        const struct tf_target *target, uint32_t pipe, uint32_t key, uint64_t *per_second, uint32_t *priced_pipe);
    /* Memory level by storage: capacity in bytes; explicit levels only. */
    int (*target_level)(const struct tf_target *target, uint32_t storage, uint64_t *capacity);

    /* reports */
    const struct tf_program *(*program)(tf_ctx *ctx);
    int (*wants_json)(tf_ctx *ctx);
    int (*wants)(tf_ctx *ctx, const char *family); /* whether its records are asked for */
    void (*publish)(tf_ctx *ctx, const char *family, const void *data);
    const void *(*published)(tf_ctx *ctx, const char *family);
    /* A summary line, without the leading "# ". */
    void (*line)(tf_ctx *ctx, const char *family, const char *format, ...) TF_PRINTF(3, 4);
    void (*advisory)(tf_ctx *ctx, const char *family, const char *format, ...) TF_PRINTF(3, 4);
    /* A record: name stands before its fields in text and keys it in JSON.  A call's record is filled before the next
     * record is begun; its JSON is gone then. */
    struct tf_record *(*record)(tf_ctx *ctx, const char *family, const char *name, uint32_t scope, uint32_t index);
    /* ` key=value` after the name; key NULL: `=value` (the record's only one); operands: shown with --operands only */
    void (*record_text)(struct tf_record *record, const char *key, const char *value);
    void (*record_operands)(struct tf_record *record, const char *key, const char *value);
    /* The record's JSON object, and building in it.  key NULL inside an array. */
    struct tf_json *(*record_json)(struct tf_record *record);
    struct tf_json *(*json_object)(struct tf_json *in, const char *key);
    struct tf_json *(*json_array)(struct tf_json *in, const char *key);
    void (*json_int)(struct tf_json *in, const char *key, int64_t value);
    void (*json_uint)(struct tf_json *in, const char *key, uint64_t value);
    void (*json_text)(struct tf_json *in, const char *key, const char *value);
    void (*json_bool)(struct tf_json *in, const char *key, int value);
    void (*json_null)(struct tf_json *in, const char *key);

    /* anything optional or experimental, by "tilefoundry.NAME/REV"; NULL when absent */
    const void *(*get_interface)(const char *id);

    /* more of targets.  Bandwidth of an explicit level by the whole device; TF_E_UNSUPPORTED: not stated */
    int (*target_bandwidth)(const struct tf_target *target, uint32_t storage, uint64_t *bytes_per_second);
    /* How many units run side by side, and the level that they are of; 0: not stated */
    uint64_t (*target_units)(const struct tf_target *target, const char **level);
    /* The index-th implicit cache that serves as much of the machine as the explicit level that it caches does;
     * TF_E_UNSUPPORTED past the last one. */
    int (*target_cache)(const struct tf_target *target, uint32_t index, struct tf_cache *cache);

    /* A record whose JSON form is an array instead of an object. */
    struct tf_json *(*record_array)(struct tf_record *record);

    /* Whether every level that mesh names is in force in scope (NULL: nothing is), with the same positions. */
    int (*mesh_in_force)(tf_ctx *ctx, const struct tf_mesh *mesh, const struct tf_mesh *scope);

    /* What one unit of the program's selected level holds of a value of this type; NULL after a diagnostic. */
    const struct tf_type *(*unit_type)(
        tf_ctx *ctx, const struct tf_program *program, const struct tf_loc *loc, const struct tf_type *type);
    /* Where one occurrence reaches a boundary (arguments, then results), by axis: before run-time starts are added, and
     * before what the value does not have is cut off.  TF_E_UNSUPPORTED when that is no product of spans. */
    int (*reach)(tf_ctx *ctx, const struct tf_program *program, const struct tf_step *step,
        const struct tf_relation *relation, int unit, uint32_t boundary, struct tf_reach_axis *axes);
    /* Gives back the memory of all relations that relation_box and its helpers made: an analyzer that asks many calls
     * says so after each, and copies what it keeps. */
    void (*relation_done)(tf_ctx *ctx);

    /* Numbers of a tensor to and from those of C.  In memory an element of bool is a byte, 0 or 1, and one of f4e2m1 a
     * byte with the code in its low four bits.  Conversions round to nearest even; a float becomes an integer by
     * truncation, out of range and NaN the least one; integers wrap into narrower ones; fp8_overflow as in tf_eval. */
    void (*load_f32)(uint32_t dtype, size_t n, const void *from, float *to);
    void (*load_f64)(uint32_t dtype, size_t n, const void *from, double *to);
    void (*load_i64)(uint32_t dtype, size_t n, const void *from, int64_t *to);
    void (*store_f32)(uint32_t dtype, size_t n, const float *from, void *to, uint32_t fp8_overflow);
    void (*store_f64)(uint32_t dtype, size_t n, const double *from, void *to, uint32_t fp8_overflow);
    void (*store_i64)(uint32_t dtype, size_t n, const int64_t *from, void *to, uint32_t fp8_overflow);
    uint32_t (*element_bytes)(uint32_t dtype);  /* of one element in memory */
    const struct tf_math *(*math)(tf_ctx *ctx); /* NULL after a diagnostic */

    /* Calls work(data, first, end) for pieces that together are [0, n), whole grains but for the last, side by side on
     * this machine's processors and in no stated order: work writes to its own elements only, and calls nothing of the
     * host's but conversions of numbers.  Returns when all is done. */
    void (*parallel)(size_t n, size_t grain, void (*work)(void *data, size_t first, size_t end), void *data);

    /* The path of tf_loc.file as the user named it; NULL where that is 0. */
    const char *(*source_path)(tf_ctx *ctx, uint32_t file);
    /* Which call of a function the node was copied in with: 0 is the program's own, others are told apart. */
    uint32_t (*call_site)(const struct tf_program *program, const struct tf_node *node);

    /* What `measure` is for what runs on this machine's processors: calls launch(ctx, data, ..) once to warm up and once
     * for each sample, on copies of args and results, and fills timing, conditions left alone.  Gives what a launch gave
     * other than TF_OK. */
    int (*time_launches)(tf_ctx *ctx,
        int (*launch)(tf_ctx *ctx, void *data, const struct tf_tensor *const *args, struct tf_tensor *const *results),
        void *data, const struct tf_tensor *const *args, struct tf_tensor *const *results, struct tf_timing *timing);
};

#define TF_PLUGIN_HEAD .struct_size = sizeof(struct tf_plugin), .abi_major = TF_ABI_MAJOR, .abi_minor = TF_ABI_MINOR

/* Defines the entry and the host pointer that the rest of the plugin uses.  In other files of the plugin:
 * `extern const struct tf_host *tf_host;` is declared by this header already. */
#ifndef TF_HOST_SIDE
extern TF_HIDDEN const struct tf_host *tf_host;
#define TF_PLUGIN(descriptor)                                                                                          \
    const struct tf_host *tf_host;                                                                                     \
    TF_EXTERN_C TF_EXPORT const struct tf_plugin *TF_PLUGIN_ENTRY(const struct tf_host *host);                         \
    const struct tf_plugin *TF_PLUGIN_ENTRY(const struct tf_host *host)                                                \
    {                                                                                                                  \
        tf_host = host;                                                                                                \
        return &(descriptor);                                                                                          \
    }                                                                                                                  \
    extern TF_HIDDEN const struct tf_host *tf_host /* so that the macro takes its semicolon */
#endif

#ifdef __cplusplus
}
#endif

#endif
