/* SPDX-License-Identifier: MIT
 *
 * An implementation in a shared object, as `tilefoundry check --twin LIB.so[:FUNCTION]` runs it.
 *
 *     #include <tilefoundry/twin.h>
 *
 *     TF_TWIN(tilefoundry_twin)   // the name that is taken where none is given
 *     {
 *         const float *x = call->args[0]->data;
 *         float *y = call->results[0]->data;
 *         for (int64_t i = 0; i < call->args[0]->extents[0]; i++)
 *             y[i] = 2 * x[i];
 *         return 0;
 *     }
 *
 * It links to nothing of ours:  cc -shared -fPIC $(pkg-config --cflags tilefoundry) -o twin.so twin.c
 *
 * The arguments are the function's parameters in declared order, weights among them; the results are the tensors that it
 * returns, a tuple's from left to right.  All are dense and in C order: see tf_tensor, and TF_DTYPE_* for the dtypes; an
 * element of bool is a byte 0 or 1, one of f4e2m1 a byte with the code in its low four bits.  The memory is the caller's.
 * Results hold no values yet, and all their elements are to be written; arguments are not.
 *
 * It runs in a process of its own, several times: with the same arguments, and with other contents in the same memory.
 * Reading or writing outside of the tensors is found out.
 */
#ifndef TILEFOUNDRY_TWIN_H
#define TILEFOUNDRY_TWIN_H

#include "plugin.h"

#define TF_TWIN_NAME "tilefoundry_twin"

struct tf_twin_call {
    uint64_t struct_size;
    uint32_t n_args, n_results;
    const struct tf_tensor *const *args;
    const struct tf_tensor *const *results;
    char *message; /* why it refuses, for people: at most message_room bytes with the final NUL */
    uint64_t message_room;
};

/* 0: done.  Anything else: it does not do this call, and message says why. */
typedef int tf_twin_function(const struct tf_twin_call *call);

#define TF_TWIN(name) TF_EXTERN_C TF_EXPORT int name(const struct tf_twin_call *call)

/* What all functions of the shared object declare of their arithmetic, as --declare takes it, for the comparison
 * `derived`; it may be left out:
 *     TF_TWIN_DECLARES("accumulator=wgmma-e4m3 rsqrt=2");
 * --declare on the command line comes after it. */
#define TF_TWIN_DECLARES_NAME "tilefoundry_declares"
#define TF_TWIN_DECLARES(text) TF_EXTERN_C TF_EXPORT const char tilefoundry_declares[] = text

#endif
