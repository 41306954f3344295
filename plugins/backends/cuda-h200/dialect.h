/* SPDX-License-Identifier: MIT
 *
 * Kernels as they are written (dialect.c), and the file that they make (emit.c).
 */
#ifndef TF_CUDA_DIALECT_H
#define TF_CUDA_DIALECT_H

#include "../common/lower.h"

enum cuda_team { TEAM_THREAD, TEAM_WARP, TEAM_BLOCK }; /* who has an item */

struct cuda_kernel {
    unsigned threads, blocks;
    size_t shared, spilled; /* bytes of a block: of shared memory, of gmem */
    size_t began;           /* l->time */
    struct text body;
    struct buffer **used;
    size_t n_used;
};

struct cuda_text {
    int is_apart;                    /* each nest is a kernel */
    unsigned units;                  /* multiprocessors */
    size_t barrier_from, barrier_to; /* in l->body: the last one */
    enum cuda_team team;             /* of the items that are open */
    size_t shared, below;            /* bytes of shared memory in use, and when the items were opened */
    size_t spilled;
    struct cuda_kernel *kernels;
    size_t n_kernels, room;
    struct text out;
};

static inline struct cuda_text *own_text(struct lower *l)
{
    return l->own;
}

extern const struct dialect cuda_dialect;
/* Around lower_body, whose l->own is a struct cuda_text. */
void cuda_kernels_begin(struct lower *l);
void cuda_kernels_end(struct lower *l);

/* struct tf_backend's lower: CUDA C++ with the plan of its launches. */
int cuda_lower(tf_ctx *ctx, const struct tf_program *program, struct tf_artifact *artifact);

#endif
