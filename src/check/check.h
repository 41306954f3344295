/* SPDX-License-Identifier: MIT
 * Comparing what an implementation gave with a reference: what is asked, what was found, and the verdict.
 */
#ifndef TF_CHECK_CHECK_H
#define TF_CHECK_CHECK_H

#include "eval/tensor.h"
#include "type/type.h"
#include "util/buf.h"
#include "util/vec.h"

/* X(NAME), from the best to the worst: a verdict on several things is the worst of theirs. */
#define VERDICTS(X) X(PASS) X(VACUOUS) X(NONDETERMINISTIC) X(FAIL) X(ERROR)
enum verdict {
#define X(NAME) VERDICT_##NAME,
    VERDICTS(X)
#undef X
};
const char *verdict_text(enum verdict verdict);

/* What the functions below give beside 0: the command's exit status. */
#define CHECK_ERROR 1 /* what was given cannot be compared */
#define CHECK_USAGE 2 /* what was asked is not a question */

/* ---- what is asked: request.c -------------------------------------------------------------------------------------*/

struct comparison {
    const struct tf_predicate *predicate;
    double *bounds;  /* as the predicate declares them */
    uint64_t stated; /* bit set over the bounds */
};
struct asked {
    const char *path; /* "output[0]" */
    VEC(struct comparison) comparisons;
};
struct request {
    VEC(struct asked) outputs;
    uint32_t nan_equal; /* NaN on both sides is agreement */
    uint32_t strict;    /* a surviving fine mutant makes the verdict VACUOUS too */
};

/* From the command line, in its order; 0, or CHECK_USAGE after a diagnostic. */
int request_output(tf_ctx *ctx, struct request *request, const char *path);
int request_comparison(tf_ctx *ctx, struct request *request, const char *predicate);
int request_bound(tf_ctx *ctx, struct request *request, const char *bound, const char *value);
/* Whether some comparison is by enclosures. */
int request_encloses(const struct request *request);
int request_finish(tf_ctx *ctx, const struct request *request);
/* Whether some predicate has a bound of that name. */
int bound_exists(tf_ctx *ctx, const char *bound);
void request_free(struct request *request);

struct tensor_shape {
    uint32_t dtype, rank;
    const int64_t *extents;
};

/* ---- outputs ------------------------------------------------------------------------------------------------------*/

struct leaf {
    const char *path; /* "output", "output[0][1]" */
    struct tensor *tensor;
};
struct leaves {
    size_t n;
    struct leaf *at;
};
/* The paths of a value of this type, in order; tensors stay NULL. */
struct leaves leaves_of_type(tf_ctx *ctx, const struct tf_type *type);

/* Holds the request against what there is, before anything is judged: every output asked for, every comparison one that
 * can be made.  0, CHECK_USAGE or CHECK_ERROR after a diagnostic. */
int request_suits(tf_ctx *ctx, const struct request *request, const struct leaves *outputs, int has_reference);
/* Same number of outputs, shapes and dtypes. */
int leaves_agree(tf_ctx *ctx, const struct leaves *candidate, const struct leaves *reference);

/* ---- what was found: judge.c, judging.c, mutant.c ----------------------------------------------------------------------------*/

struct finding { /* of one comparison */
    const struct comparison *asked;
    struct tf_judgement judgement;
    const char *where; /* the element that a FAIL is for, "[3,17]", or NULL */
    double candidate, reference;
    int has_enclosure; /* it was judged by one, whose ends there these are */
    double lo, hi;
};
struct mutant_finding {
    const char *name;
    uint32_t is_gross;
    const char *killed_by; /* name of the first predicate that says FAIL, or NULL */
};
#define ARBITER_WORST 3
struct arbiter_worst {
    uint64_t index;
    const char *where;
    double candidate, reference, truth;
    uint64_t codes; /* between candidate and reference */
};
struct arbiter_finding { /* errors: norm of the difference by the truth's norm */
    double candidate_error, reference_error;
    const char *nearer; /* "candidate", "reference", "equal" */
    size_t n_worst;
    struct arbiter_worst worst[ARBITER_WORST];
};

struct explained_line { /* an operator on the way to an element, whose result is more than one value */
    const char *operation, *place, *where;
    uint64_t elements, trips; /* elements that are read of its result; how often it was computed */
    double lo, hi, added;     /* of the widest of them; added: NaN where that cannot be told */
    int may_be_nan;
};
struct explained { /* --explain */
    const char *where;
    double candidate, reference, lo, hi;
    int has_reference;
    uint64_t single; /* operators on the way that gave single values */
    size_t n;
    struct explained_line *lines;
};

struct output_finding {
    const char *path;
    struct tensor_shape shape;
    uint64_t elements;
    int has_reference;
    double norm, largest; /* of the reference */
    size_t n_findings, n_mutants;
    struct finding *findings;
    struct mutant_finding *mutants;
    struct arbiter_finding *arbiter; /* NULL: not asked for */
    struct explained *explained;     /* NULL: not asked for */
    const struct tf_walks *walks;    /* of the products behind the enclosures; NULL: none were made */
    enum verdict verdict;
};

/* 0, CHECK_USAGE (NaN in the reference) or CHECK_ERROR after a diagnostic.  enclosure: of what legal implementations can
 * give, of BOUND mode; NULL where nothing asked needs it. */
int judge_output(tf_ctx *ctx, const struct request *request, const struct asked *asked, const struct leaf *candidate,
    const struct leaf *reference, struct tensor *enclosure, struct output_finding *finding);
/* One comparison; 0 or CHECK_ERROR.  reference: NULL where the predicate needs none. */
int judge(tf_ctx *ctx, const struct comparison *comparison, const struct tf_tensor *candidate,
    const struct tf_tensor *reference, const struct tf_tensor *enclosure, struct tf_judgement *judgement);

/* Whether all that differs from the reference lies inside of the enclosures, which is said below a FAIL (excuse.c). */
struct excusing { /* zeroed to begin with */
    uint64_t differing, outside;
};
/* Elements [first, first + n), of which these are the enclosures. */
void excuse_feed(struct excusing *excusing, const struct tensor *candidate, const struct tensor *reference,
    uint64_t first, uint64_t n, const struct tf_tensor *enclosure);
void excuse_end(const struct excusing *excusing, struct output_finding *output);

/* Both sides against the truth (arbiter.c). */
struct arbitration {                    /* zeroed to begin with */
    double candidate, reference, truth; /* sums of squares */
    double error[ARBITER_WORST + 1];
    size_t n_worst;
    struct arbiter_worst worst[ARBITER_WORST];
};
/* Elements [first, first + n), of which this is the truth; its floats are f64, and say so. */
void arbiter_feed(struct arbitration *arbitration, const struct tensor *candidate, const struct tensor *reference,
    uint64_t first, uint64_t n, const struct tf_tensor *truth);
void arbiter_end(tf_ctx *ctx, const struct arbitration *arbitration, const struct tensor *candidate,
    const struct tensor *reference, struct arbiter_finding *finding);
/* With the whole truth. */
void arbitrate(tf_ctx *ctx, const struct tensor *candidate, const struct tensor *reference, const struct tensor *truth,
    struct arbiter_finding *finding);

/* "[3,17]" */
const char *index_text(tf_ctx *ctx, const struct tensor *tensor, uint64_t index);
double element_value(const struct tensor *tensor, uint64_t index);

/* ---- a run, and its report: report.c, json.c ----------------------------------------------------------------------*/

struct memory_finding {                       /* of a candidate whose memory was watched */
    uint64_t unwritten;                       /* elements never written */
    uint32_t inputs_changed, canaries, stale; /* canaries: 1 when bytes around a tensor were written */
    const char *note[4];                      /* lines for people, NULL-terminated */
};

struct file_shown { /* of --inputs files: */
    const char *path;
    size_t n;
    const struct tensor_shape *tensors;
};
struct variant_shown {
    const char *label, *signature; /* label: NULL when it has none */
    const char *dim;
    int64_t lo, hi;
};

struct run_finding {
    size_t n_dims, n_outputs;
    const struct dim_binding *dims;
    struct output_finding *outputs;
    const char *reference; /* "evaluator on Fused.rms_norm_quant" */
    int has_reference;
    const char *inputs;          /* as typed: "random", "files:a.npy"; NULL: none */
    const char *input_class;     /* "ties", or "random" beside such runs; NULL: there are none */
    int64_t seed;                /* of random ones, else -1 */
    size_t n_actual, n_declared; /* dtypes of the activations */
    const char *const *actual, *const *declared;
    size_t n_files;
    const struct file_shown *files;
    const struct variant_shown *variant; /* NULL: none was selected */
    const char *candidate_kind, *candidate_name, *candidate_plugin;
    const char *candidate_declared;      /* "accumulator=f32 div=2 ..."; NULL: nothing asks for it */
    struct tf_walks walks;               /* of the enclosures */
    const struct memory_finding *memory; /* NULL: not watched */
    const char *error, *error_code;      /* why the run came to no verdict (ERROR), else NULL */
    uint32_t repeats, different;         /* runs with the same inputs, and how many gave other bits; 0: not asked */
    enum verdict verdict;
};

/* The verdict of a run from what was found. */
enum verdict run_verdict(const struct run_finding *run);
enum verdict worst_verdict(const struct run_finding *runs, size_t n);

/* What qualifies a FAIL; NULL-terminated. */
const char *const *check_warnings(const struct run_finding *runs, size_t n);
/* Whether all runs came to nothing: there is no report for people then, as the diagnostics say it all. */
int check_came_to_nothing(const struct run_finding *runs, size_t n);
void check_text(tf_ctx *ctx, struct buf *out, const char *source, const struct run_finding *runs, size_t n);
void check_json(tf_ctx *ctx, struct buf *out, const char *source, const struct run_finding *runs, size_t n);

#endif
