/* SPDX-License-Identifier: MIT
 * Free functions are made before what calls them: a chain of ten thousand must not become ten thousand calls deep.
 */
#ifndef TF_FRONT_PREPARE_H
#define TF_FRONT_PREPARE_H

#include "front/module.h"

void prepare_functions(struct front *front, const struct module_value *root);

#endif
