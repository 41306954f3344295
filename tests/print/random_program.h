/* SPDX-License-Identifier: MIT */
#ifndef TF_TESTS_RANDOM_PROGRAM_H
#define TF_TESTS_RANDOM_PROGRAM_H

#include "util/buf.h"

#include <stdint.h>

/* A program of one module R with an entry `main`: assignments, loops and regions in one another, calls, tuples, names
 * that come again and values that nothing reads.  One seed, one text. */
void random_program(struct buf *out, uint32_t seed);

#endif
