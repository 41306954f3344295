/* SPDX-License-Identifier: MIT
 * Reading types, dtypes, storages, shapes and layouts where they are written.
 */
#ifndef TF_FRONT_TYPES_H
#define TF_FRONT_TYPES_H

#include "front/host.h"

/* A type annotation; *is_weight (may be NULL) is set for ConstTensor[...].  NULL: ev->fail says why. */
const struct tf_type *type_read(struct eval *ev, const struct expr *e, uint32_t *is_weight);
int dtype_read(struct eval *ev, const struct expr *e, uint32_t *dtype);     /* 1 when read */
int storage_read(struct eval *ev, const struct expr *e, uint32_t *storage); /* 1 when read */
/* A dimension of a shape: from 0 on. */
const struct tf_dim *dim_read(struct eval *ev, const struct expr *e);

/* placement.c: a layout slot.  *none is set for None. */
const struct tf_layout *layout_read(struct eval *ev, const struct expr *e, int *none);
/* Whether the tuple has an item with @. */
int is_placed(const struct expr *e);
/* A placed tuple: its layout, and into shape (n items) the extents as written. */
const struct tf_layout *placed_read(struct eval *ev, const struct expr *e, const struct tf_dim **shape);

#endif
