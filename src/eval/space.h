/* SPDX-License-Identifier: MIT
 * Memory for elements.  Large pieces come from the system in large pages, and what was just given back serves the next
 * one of about its size: a fresh page costs more than most operators spend on its elements.
 */
#ifndef TF_EVAL_SPACE_H
#define TF_EVAL_SPACE_H

#include <stddef.h>

#define SPACE_SPARES 2
struct space { /* zeroed to begin with */
    struct space_piece {
        void *at;
        size_t room;
    } spare[SPACE_SPARES];
};

/* At least `bytes`, of no stated contents; *room is what it really is.  NULL where there is no memory. */
void *space_take(struct space *space, size_t bytes, size_t *room);
/* Gives back what take gave. */
void space_give(struct space *space, void *at, size_t room);
/* Returns the spares to the system. */
void space_trim(struct space *space);

#endif
