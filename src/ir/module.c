/* SPDX-License-Identifier: MIT
 * Questions about modules; what one does not state it has from the module around it.
 */
#include "ir/ir.h"

#include <string.h>

const char *module_target(const struct ir_module *module)
{
    while (module && !module->target && !module->target_path)
        module = module->parent;
    return module ? (module->target ? module->target : module->target_path) : NULL;
}

void module_levels(const struct ir_module *module, const struct tf_topology **levels, uint32_t *n)
{
    while (module && !module->has_levels)
        module = module->parent;
    *levels = module ? module->levels : NULL;
    *n = module ? module->n_levels : 0;
}

struct ir_function *module_function(const struct ir_module *module, const char *name)
{
    for (uint32_t i = 0; i < module->n_functions; i++)
        if (!strcmp(module->functions[i]->pub.name, name))
            return module->functions[i];
    return NULL;
}

struct ir_module *module_child(const struct ir_module *module, const char *name)
{
    for (uint32_t i = 0; i < module->n_children; i++)
        if (!strcmp(module->children[i]->name, name))
            return module->children[i];
    return NULL;
}
