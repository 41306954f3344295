/* SPDX-License-Identifier: MIT
 * Running an implementation from outside: in a process of its own, with memory that is watched.
 */
#ifndef TF_CHECK_TWIN_H
#define TF_CHECK_TWIN_H

#include "check/check.h"

#include <sys/types.h>

/* ---- memory: guard.c ----------------------------------------------------------------------------------------------*/

/* Bytes that two processes share, between a canary and a canary, between a page and a page that nobody may touch:
 *     page | canary ... data, canary | page
 * The data end as near to the last page as their alignment allows. */
struct guarded {
    char *map;
    size_t mapped;
    char *first, *data, *end; /* of the canary before, of the data, of the canary behind */
    size_t bytes;
};

/* What canaries hold.  Read as a number by mistake it is NaN in every floating dtype that has one. */
#define CANARY 0xff

int guarded_make(tf_ctx *ctx, struct guarded *guarded, size_t bytes); /* 0, or CHECK_ERROR after a diagnostic */
void guarded_free(struct guarded *guarded);
int guarded_is_intact(const struct guarded *guarded);
/* Whether an address lies in it or in its guard pages; *past is how far behind the data, negative before them. */
int guarded_holds(const struct guarded *guarded, const void *address, int64_t *past);

/* ---- the process: child.c -----------------------------------------------------------------------------------------*/

struct child {
    pid_t pid;
    int to, from; /* pipes */
    struct child_control *control;
    const char *source;
    const char *declared; /* what it says of its arithmetic, or NULL */
    unsigned timeout;     /* seconds for each step */
};

/* What it is given: views of guarded memory. */
struct child_work {
    const struct tf_twin *twin;
    const char *source;
    const struct tf_tensor *const *args;
    struct tf_tensor *const *results;
    size_t n_args, n_results;
};

/* Starts the process and opens the twin in it; 0, or CHECK_ERROR after a diagnostic. */
int child_start(tf_ctx *ctx, struct child *child, const struct child_work *work, unsigned timeout);
/* Runs it once on what the memory holds.  *fault: the address whose use ended it, or NULL. */
int child_run(tf_ctx *ctx, struct child *child, const void **fault);
void child_stop(struct child *child);
/* Ends the process that is running, if one is: for a signal handler. */
void child_abandon(void);

/* ---- both: twin.c -------------------------------------------------------------------------------------------------*/

struct twin_options {
    unsigned timeout; /* seconds */
    uint32_t repeats; /* runs on the same inputs that are compared bit for bit; 0: none are asked for */
};

struct twin_arg {
    const char *name;
    struct tensor *tensor;
};

/* The reference's outputs on other arguments, to tell an answer that was kept from one that is constant. */
typedef int reference_fn(void *data, struct tensor *const *args, struct leaves *outputs);

struct twin_finding {
    struct memory_finding memory;
    uint32_t repeats, different;
    const char *declared; /* what the twin says of its arithmetic, or NULL */
};

/* Runs the twin on the arguments and fills the outputs, whose tensors are there.  reference: NULL where there is none.
 * 0, or CHECK_ERROR after a diagnostic. */
int twin_run(tf_ctx *ctx, const struct tf_twin *twin, const char *source, const struct twin_arg *args, size_t n_args,
    const struct leaves *outputs, const struct twin_options *options, reference_fn *reference, void *data,
    struct twin_finding *finding);

/* The twin that runs this kind of source, or NULL. */
const struct tf_twin *twin_of(tf_ctx *ctx, const char *source);

#endif
