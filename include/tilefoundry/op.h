/* SPDX-License-Identifier: MIT
 *
 * Operators: what a plugin says of one.  Include <tilefoundry/plugin.h>.
 */
#ifndef TILEFOUNDRY_OP_H
#define TILEFOUNDRY_OP_H

#ifndef TILEFOUNDRY_PLUGIN_H
#error "include <tilefoundry/plugin.h> instead"
#endif

/* ---- signature ---------------------------------------------------------------------------------------------------*/

#define TF_INPUT_TENSOR 0u   /* one tensor */
#define TF_INPUT_VALUES 1u   /* a tuple value of rank-0 integers: starts, offsets */
#define TF_INPUT_TUPLE 2u    /* a tuple value of any fields */
#define TF_INPUT_VARIADIC 3u /* one list, tuple or comprehension, spread over the call's arguments; the only input */

struct tf_input {
    const char *name;
    uint32_t kind;
    uint32_t _reserved;
};

/* How an attribute is written and what tf_val it becomes. */
#define TF_ATTR_ANY 0u
#define TF_ATTR_INT 1u
#define TF_ATTR_FLOAT 2u /* an int is taken too */
#define TF_ATTR_BOOL 3u
#define TF_ATTR_STRING 4u
#define TF_ATTR_CHOICE 5u /* one of choices, by its value string or as a member of enumeration; becomes STRING */
#define TF_ATTR_TUPLE 6u  /* of ints and dimensions */
#define TF_ATTR_DTYPE 7u
#define TF_ATTR_STORAGE 8u
#define TF_ATTR_TYPE 9u
#define TF_ATTR_LAYOUT 10u
#define TF_ATTR_MESH 11u
#define TF_ATTR_DIM 12u    /* an int or a dimension */
#define TF_ATTR_NUMBER 13u /* bool, int or float, kept as written */

#define TF_ATTR_REQUIRED 1u /* has no default */
#define TF_ATTR_OPTIONAL 2u /* may be None as well */

struct tf_attr_decl {
    const char *name;
    uint32_t kind;
    uint32_t flags;
    struct tf_val fallback;     /* the default */
    const char *const *choices; /* NULL-terminated, for TF_ATTR_CHOICE */
    const char *enumeration;    /* "ReduceKind": its members are the choices in upper case; else NULL */
};

/* Another name for an op with one CHOICE attribute settled: add is binary with kind "add". */
struct tf_alias {
    const char *name;
    const char *attr;
    const char *value;
};

/* ---- work --------------------------------------------------------------------------------------------------------*/

#define TF_WORK_VECTOR 0u  /* flops outside the tensor cores; key: a dtype */
#define TF_WORK_TENSOR 1u  /* flops of a contraction; key: a dtype */
#define TF_WORK_SERVICE 2u /* operations; key: a service */

#define TF_SERVICE_INTEGER 0u
#define TF_SERVICE_PREDICATE 1u
#define TF_SERVICE_SELECT 2u
#define TF_SERVICE_SPECIAL 3u
#define TF_SERVICE_COUNT 4u

struct tf_work_item {
    uint32_t pipe, key;
    uint64_t amount;
};

#define TF_MAX_WORK 8
struct tf_work {
    uint32_t n;
    uint32_t _reserved;
    struct tf_work_item item[TF_MAX_WORK];
};

/* ---- access ------------------------------------------------------------------------------------------------------*/

/* An operator iterates over a box.  Each boundary (argument or result) says, for each logical axis of its value, which
 * coordinate an iteration reaches there:
 *   WALK   sum of scale[k] * d[iter[k]] over the terms whose iter is not -1, plus offset, plus moved
 *   ANY    every coordinate of the axis (what a lookup may name)
 * An iteration axis is used on one axis of a boundary only.  A coordinate outside the value is not reached. */
#define TF_AXIS_WALK 0u
#define TF_AXIS_ANY 1u
struct tf_axis {
    uint32_t kind;
    int32_t iter[2];
    uint32_t _reserved;
    int64_t scale[2];
    int64_t offset;
    const struct tf_node *moved; /* a run-time start, counted from offset; NULL for none */
};

#define TF_FLOW_NONE 0u /* addressed, nothing crosses: a view */
#define TF_FLOW_READ 1u
#define TF_FLOW_WRITE 2u
struct tf_boundary {
    uint32_t flow;
    uint32_t rank;        /* logical axes of the value; 0 with axes NULL: the value whole, every leaf of a tuple */
    struct tf_axis *axes; /* rank; NULL: whole */
};

#define TF_RELATION_EMPTY 1u   /* nothing is reached at any boundary */
#define TF_RELATION_VIEW 2u    /* the result is argument 0's bytes under other coordinates */
#define TF_RELATION_RELABEL 4u /* with VIEW: same elements in row-major order (reshape); axes are not looked at */
#define TF_RELATION_INPLACE 8u /* the result is argument 0's buffer, written where the result's axes say */
struct tf_relation {
    uint32_t flags;
    uint32_t n_iter, n_in, n_out;
    const struct tf_dim **extent; /* n_iter */
    struct tf_boundary *in;       /* one for each argument */
    struct tf_boundary *out;      /* one for each leaf of the result */
};

/* ---- evaluation (designed now, called from 1.0 on where present) ---------------------------------------------------*/

/* How the evaluator computes: what the program declares, the truth, or the declared value with an error bound. */
#define TF_EVAL_DECLARED 0u
#define TF_EVAL_EXACT 1u
#define TF_EVAL_BOUND 2u

struct tf_tensor {
    uint64_t struct_size;
    uint32_t dtype, rank;
    const int64_t *extents; /* rank */
    void *data;             /* C order, elements of dtype; in EXACT mode floats are f64, whatever dtype says */
    double *bound;          /* BOUND mode: upper ends of the elements' enclosures, else NULL; see TF_EVAL_BOUND */
    double *low;            /* EXACT mode: low words of a double-double, NULL where 53 bits hold the answer */
    uint8_t *doubt;         /* BOUND mode: TF_DOUBT_* of each element, else NULL */
    double *raw;            /* BOUND mode, of one f32 product: lower, then upper ends before its rounding; else NULL */
};

/* BOUND mode: every element, of whatever dtype, is an interval of real numbers in f64 that holds each result that a legal
 * implementation can give: data has the lower ends, bound the upper ones.  Integers and booleans are intervals too.  An
 * element that must be NaN has its ends at +inf and -inf (it holds no number). */
#define TF_DOUBT_MAY_NAN 1u
#define TF_DOUBT_MUST_NAN 2u /* with MAY_NAN */

/* Functions that a candidate may approximate. */
#define TF_APPROX_DIV 0u
#define TF_APPROX_SQRT 1u
#define TF_APPROX_RSQRT 2u
#define TF_APPROX_EXP 3u
#define TF_APPROX_EXP2 4u
#define TF_APPROX_LOG 5u
#define TF_APPROX_LOG2 6u
#define TF_APPROX_TANH 7u
#define TF_APPROX_SIGMOID 8u
#define TF_APPROX_ERF 9u
#define TF_APPROX_SIN 10u
#define TF_APPROX_COS 11u
#define TF_APPROX_OTHER 12u
#define TF_APPROX_COUNT 13u

/* What a candidate declares of its arithmetic. */
struct tf_declared {
    uint64_t struct_size;
    const char *accumulator;      /* "f32", "f64", "f16", "bf16", "tf32", or a name in the target document */
    double ulp[TF_APPROX_COUNT];  /* greatest error, in units in the last place of the result; 0.5: correctly rounded */
    uint32_t fma;                 /* a product and the sum next to it may be one rounding */
    uint32_t ftz;                 /* results below the least normal number may be 0 */
    uint32_t wider_intermediates; /* values that are no outputs may be kept unrounded in f32 */
    uint32_t cast_via;            /* dtype through which narrow casts go: 1 + TF_DTYPE_*; 0: none */
    uint32_t depth;               /* additions that an addend passes through at most; 0: any order */
    uint32_t splits;              /* parts into which a product's sum is split; 0 or 1: none */
    /* of an accumulator that adds several products at once, cut off below the largest, as the target states it */
    uint32_t fraction_bits; /* kept below the leading one; 0: it is none of these, and rounds */
    uint32_t step;          /* products that are added at once */
    uint32_t chunk;         /* products after which the sum is added to one in f32; 0: none */
    uint32_t operand_bits;  /* fraction bits to which operands are cut first; 0: they are taken as they are */
    uint64_t operands;      /* bit set over the dtypes that it multiplies; 0: any */
};

/* BOUND mode: rows of products whose accumulator was followed step by step, and those of which there were too many. */
struct tf_walks {
    uint64_t struct_size;
    uint64_t seed; /* by which rows are drawn */
    uint64_t rows, walked;
};

struct tf_eval {
    uint64_t struct_size;
    const struct tf_call *call;
    const struct tf_tensor *const *args; /* one for each leaf of each argument, in order */
    struct tf_tensor *const *results;    /* one for each leaf of the result, allocated by the host */
    uint32_t n_args, n_results;
    uint32_t mode;
    uint32_t fp8_overflow;   /* 0 saturate, 1 NaN */
    const char *accumulator; /* the candidate's, by its name in the target document; NULL: the declared one */
    const struct tf_declared *declared; /* BOUND mode: what the candidate declares; else NULL */
    uint64_t outputs;       /* bit set over the results (the first 64) that the function returns as they are */
    struct tf_walks *walks; /* BOUND mode: to be added to; NULL: nobody counts */
};

/* Functions of real numbers, for plugins that link to nothing.  Each is within a last place of f64. */
struct tf_math {
    uint64_t struct_size;
    double (*exp)(double);
    double (*exp2)(double);
    double (*expm1)(double);
    double (*log)(double);
    double (*log2)(double);
    double (*log1p)(double);
    double (*sqrt)(double);
    double (*tanh)(double);
    double (*erf)(double);
    double (*erfc)(double);
    double (*sin)(double);
    double (*cos)(double);
    double (*floor)(double);
    double (*ceil)(double);
    double (*rint)(double); /* ties to even */
    double (*fmod)(double, double);
    double (*fma)(double, double, double);
    float (*fma_f32)(float, float, float);
};

/* ---- the operator ------------------------------------------------------------------------------------------------*/

#define TF_OP_PLACES 1u /* moves values between units or storages, so its arguments need not suit the mesh in force */
#define TF_OP_ITEM 2u   /* the result is the field of argument 0, a tuple, that attribute 0 numbers */
#define TF_OP_ROWS                                                                                                     \
    4u /* eval goes by the extents of its tensors alone, and knows nothing of other threads: it may be run
                           on a part of axis 0, where relate says that such a part of the results follows from one of the
                           arguments; call's types stay the whole ones */

struct tf_op {
    uint64_t struct_size;
    const char *name;    /* as written after `tf.`; letters, digits, _ */
    const char *summary; /* one line for people */
    size_t n_inputs;
    const struct tf_input *inputs;
    size_t n_attrs;
    const struct tf_attr_decl *attrs; /* in the order in which positional arguments bind */
    size_t n_aliases;
    const struct tf_alias *aliases;

    /* The result's type from the arguments'.  arg_types are whole, dimensions may be open, call->type is NULL.
     * Refuses with TF_E_REFUSED after a diagnostic.  Required. */
    int (*infer)(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result);

    /* Work of one occurrence by one unit.  arg_types and type are that unit's share: a tensor keeps its logical rank,
     * each axis has the unit's extent, all constant.  NULL: no work. */
    int (*cost)(tf_ctx *ctx, const struct tf_call *call, struct tf_work *work);

    /* Which coordinates cross each boundary, from whole types; asked during inference too, so call->type may be NULL
     * and dimensions open.  The relation comes zeroed; fill it through tf_relation_box and the helpers.  NULL: a call
     * of this op is refused by whatever needs amounts. */
    int (*relate)(tf_ctx *ctx, const struct tf_call *call, struct tf_relation *relation);

    /* The values.  NULL: the op cannot be evaluated. */
    int (*eval)(tf_ctx *ctx, const struct tf_eval *eval);

    uint32_t flags; /* TF_OP_* */
    uint32_t _reserved;

    /* Bit set over the inputs whose elements become the result's, unchanged (bit 0 alone for a variadic one): what holds
     * them is carried as it is, so that `eval` serves BOUND mode by being run on lower ends, upper ends and doubts.  Other
     * inputs (indices, offsets) have to be points then.  0: the op computes, and `eval` knows TF_EVAL_BOUND itself. */
    uint64_t moves;
};

#endif
