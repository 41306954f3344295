/* SPDX-License-Identifier: MIT
 * Work on many elements, shared among the processors that this process may use.
 */
#ifndef TF_UTIL_PARALLEL_H
#define TF_UTIL_PARALLEL_H

#include <stddef.h>

/* Calls work(data, first, end) for pieces that together are [0, n), each a whole number of grains long but for the last.
 * Pieces run at once, in no stated order, so `work` writes to its own elements only and reports nothing.  Work of one
 * grain, or on one processor, or inside of such work, runs in the caller.  Returns when all is done; no thread is left behind. */
void parallel_for(size_t n, size_t grain, void (*work)(void *data, size_t first, size_t end), void *data);

#endif
