/* SPDX-License-Identifier: MIT */
#include "util/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

#define MOST_THREADS 64
#define PIECES_EACH 4 /* so that a processor that is held up does not hold up the rest */

struct job {
    size_t n, piece;
    atomic_size_t next;
    int is_shared; /* among several threads */
    void (*work)(void *data, size_t first, size_t end);
    void *data;
};

/* Work that itself shares work out does that part alone: its like keep the other processors busy. */
static _Thread_local int is_inside;

static void *take_pieces(void *data)
{
    struct job *job = data;
    int before = is_inside;
    is_inside |= job->is_shared;
    for (;;) {
        size_t first = atomic_fetch_add(&job->next, job->piece);
        if (first >= job->n)
            break;
        job->work(job->data, first, job->n - first < job->piece ? job->n : first + job->piece);
    }
    is_inside = before;
    return NULL;
}

static size_t processors(void)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);
    return n < 1 ? 1 : n > MOST_THREADS ? MOST_THREADS : (size_t)n;
}

/* Signals are the first thread's: handlers there tidy up. */
static size_t start_helpers(struct job *job, pthread_t *threads, size_t wanted)
{
    sigset_t all, before;
    size_t n = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (n < wanted && pthread_create(&threads[n], NULL, take_pieces, job) == 0)
        n++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return n;
}

void parallel_for(size_t n, size_t grain, void (*work)(void *data, size_t first, size_t end), void *data)
{
    pthread_t threads[MOST_THREADS];
    size_t grains = n / grain + (n % grain != 0), workers = grains > 1 && !is_inside ? processors() : 1;
    if (workers > grains)
        workers = grains;
    size_t each = workers ? grains / (workers * PIECES_EACH) : 0;
    struct job job = {.n = n, .piece = (each ? each : 1) * grain, .is_shared = workers > 1, .work = work, .data = data};
    if (workers == 1)
        job.piece = n;
    size_t helpers = workers > 1 ? start_helpers(&job, threads, workers - 1) : 0;
    take_pieces(&job);
    for (size_t i = 0; i < helpers; i++)
        pthread_join(threads[i], NULL);
}
