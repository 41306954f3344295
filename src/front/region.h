/* SPDX-License-Identifier: MIT
 * Regions, as statements and functions on a mesh open and close them.
 */
#ifndef TF_FRONT_REGION_H
#define TF_FRONT_REGION_H

#include "front/lower.h"

/* escaping: names that later statements of the block read.  want: the suite's value is needed, and is given. */
const struct tf_node *lower_region(struct lower *l, const struct stmt *s, const struct name_map *escaping, int want);
int region_push(struct lower *l, struct tf_node *region, const struct value *mesh, const char *name);
const struct tf_node *region_pop(struct lower *l, const struct stmt *s, struct tf_node *region,
    const struct name_map *escaping, const struct tf_node *value, int want);

#endif
