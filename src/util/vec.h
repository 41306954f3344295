/* SPDX-License-Identifier: MIT
 * A growable array: `struct { T *at; size_t n, room; } v = {0};` then VEC_PUSH(&v, item), and VEC_FREE(&v) at the end.
 */
#ifndef TF_UTIL_VEC_H
#define TF_UTIL_VEC_H

#include "util/arena.h"

#include <stdlib.h>

#define VEC(T)                                                                                                         \
    struct {                                                                                                           \
        T *at;                                                                                                         \
        size_t n, room;                                                                                                \
    }

#define VEC_RESERVE(v, want)                                                                                           \
    do {                                                                                                               \
        if ((v)->room < (want)) {                                                                                      \
            size_t vec_room_ = (v)->room ? (v)->room * 2 : 8;                                                          \
            if (vec_room_ < (want))                                                                                    \
                vec_room_ = (want);                                                                                    \
            (v)->at = xrealloc((v)->at, vec_room_ * sizeof(*(v)->at));                                                 \
            (v)->room = vec_room_;                                                                                     \
        }                                                                                                              \
    } while (0)

#define VEC_PUSH(v, item)                                                                                              \
    do {                                                                                                               \
        VEC_RESERVE((v), (v)->n + 1);                                                                                  \
        (v)->at[(v)->n++] = (item);                                                                                    \
    } while (0)

/* The items from index `from` on, copied into an arena; an empty vector has no memory to point into. */
#define VEC_KEEP(v, arena, from)                                                                                       \
    ((v)->n > (from) ? arena_copy((arena), (v)->at + (from), ((v)->n - (from)) * sizeof(*(v)->at))                     \
                     : arena_alloc((arena), 0))

#define VEC_FREE(v) (free((v)->at), (v)->at = NULL, (v)->n = (v)->room = 0)

#endif
