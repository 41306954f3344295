/* SPDX-License-Identifier: MIT
 * Programs that are checked: loaded, then bound to those of the dimensions that they have.
 */
#include "check/trial.h"
#include "util/diag.h"

#include <stdio.h>
#include <string.h>

/* Whether a file has implementations that Python runs, which the decorator tells. */
static int holds_python_twins(tf_ctx *ctx, const char *source)
{
    const char *path = ctx_intern_n(ctx, source, strcspn(source, ":"));
    FILE *file = fopen(path, "re");
    char line[512];
    int found = 0;
    while (file && !found && fgets(line, sizeof(line), file))
        found = !strncmp(line, "@runtime_module", 15);
    if (file)
        fclose(file);
    return found;
}

int check_load(tf_ctx *ctx, const char *source, struct selection *selection)
{
    int refused = front_load_twin(ctx, source, selection);
    if (refused && holds_python_twins(ctx, source))
        diag(ctx, NULL, DIAG_NOTE, "selector",
            "%s holds implementations in Python: the name of such a class after ':' selects one", source);
    return refused;
}

/* The extents of the dimensions that the function has; the others have no effect on values, which is told of SOURCE't. */
static const struct dim_binding *known_dims(struct trial *t, const struct ir_function *function, int tell, size_t *n)
{
    size_t n_vars = ir_dimensions(t->ctx, function, NULL, 0);
    struct dim_var *vars = CTX_ARRAY(t->ctx, struct dim_var, n_vars);
    struct dim_binding *known = CTX_ARRAY(t->ctx, struct dim_binding, t->n_dims);
    ir_dimensions(t->ctx, function, vars, n_vars);
    *n = 0;
    for (size_t i = 0; i < t->n_dims; i++) {
        size_t k = 0;
        while (k < n_vars && strcmp(vars[k].name, t->dims[i].name) != 0)
            k++;
        if (k < n_vars)
            known[(*n)++] = t->dims[i];
        else if (tell)
            diag(t->ctx, NULL, DIAG_WARNING, "dimension-unknown",
                "'%s' has no dimension named '%s'; --dim %s is left out", function->pub.name, t->dims[i].name,
                t->dims[i].name);
    }
    return known;
}

const struct ir_function *trial_inline(struct trial *t, const struct selection *selected, int tell)
{
    size_t n;
    const struct dim_binding *dims = known_dims(t, selected->function, tell, &n);
    return ir_inline_values(t->ctx, selected->module, selected->function, dims, n);
}
