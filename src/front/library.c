/* SPDX-License-Identifier: MIT */
#include "front/host.h"

#include "plugin/registry.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct name_of {
    const char *text;
    uint32_t builtin;
};

static const struct name_of names[] = {
#define BUILTIN(number, text) {text, BUILTIN_##number},
#define BUILTIN_ALIAS(number, text) {text, BUILTIN_##number},
#include "front/library.def"
};
#define N_NAMES (sizeof names / sizeof *names)

static const struct value *builtin_value(struct front *front, uint32_t builtin)
{
    struct value *v = value_new(front->ctx, VALUE_BUILTIN);
    v->builtin = builtin;
    return v;
}

static const struct value *find_between(struct front *front, const char *name, uint32_t first, uint32_t last)
{
    for (size_t i = 0; i < N_NAMES; i++)
        if (names[i].builtin >= first && names[i].builtin <= last && strcmp(names[i].text, name) == 0)
            return builtin_value(front, names[i].builtin);
    return NULL;
}

static const struct value *word_value(struct front *front, const char *name)
{
    uint32_t number;
    if (dtype_find(name, &number) == 0) {
        struct value *v = value_new(front->ctx, VALUE_DTYPE);
        v->u.i = number;
        return v;
    }
    if (storage_find(name, &number) == 0) {
        struct value *v = value_new(front->ctx, VALUE_STORAGE);
        v->u.i = number;
        return v;
    }
    return NULL;
}

/* An enumeration of some operator: which ones there are only the plugins know, so the form of the name decides. */
static int is_enumeration(const char *name)
{
    size_t n = strlen(name);
    return n > 4 && isupper((unsigned char)name[0]) && strcmp(name + n - 4, "Kind") == 0;
}

const struct value *library_of(struct front *front, int64_t which)
{
    struct value *v = value_new(front->ctx, VALUE_LIBRARY);
    v->u.i = which;
    return v;
}

int library_is_package(const char *module)
{
    static const char root[] = "tilefoundry";
    return strncmp(module, root, sizeof root - 1) == 0 &&
           (module[sizeof root - 1] == '\0' || module[sizeof root - 1] == '.');
}

const struct value *library_package(struct front *front, const char *path)
{
    const char *dot = strrchr(path, '.');
    return library_of(front, strcmp(dot ? dot + 1 : path, "tf") == 0 ? LIBRARY_OPERATORS : LIBRARY_PACKAGE);
}

const struct value *library_value(struct front *front, const char *name)
{
    static const char *const packages[] = {
        "dsl", "ir", "types", "shard", "dim", "storage", "target", "runtime", "core"};
    if (strcmp(name, "tf") == 0)
        return library_of(front, LIBRARY_OPERATORS);
    const struct value *v = find_between(front, name, BUILTIN_FUNC, BUILTIN_REPLACE - 1);
    if (v)
        return v;
    if ((v = word_value(front, name)))
        return v;
    if (is_enumeration(name)) {
        struct value *e = value_new(front->ctx, VALUE_ENUM);
        e->u.s = name;
        return e;
    }
    for (size_t i = 0; i < sizeof packages / sizeof *packages; i++)
        if (strcmp(name, packages[i]) == 0)
            return library_of(front, LIBRARY_PACKAGE);
    return NULL;
}

const struct value *library_math(struct front *front, const char *name)
{
    if (strcmp(name, "pi") == 0)
        return value_float(front->ctx, 3.141592653589793);
    if (strcmp(name, "e") == 0)
        return value_float(front->ctx, 2.718281828459045);
    if (strcmp(name, "tau") == 0)
        return value_float(front->ctx, 6.283185307179586);
    if (strcmp(name, "inf") == 0)
        return value_float(front->ctx, (double)INFINITY);
    if (strcmp(name, "nan") == 0)
        return value_float(front->ctx, (double)NAN);
    char dotted[64];
    if (snprintf(dotted, sizeof dotted, "math.%s", name) >= (int)sizeof dotted)
        return NULL;
    return find_between(front, dotted, BUILTIN_MATH_SQRT, BUILTIN_COUNT - 1);
}

const struct value *library_python(struct front *front, const char *name)
{
    return find_between(front, name, BUILTIN_PY_INT, BUILTIN_PY_REVERSED);
}

const struct value *library_op(struct front *front, const char *name)
{
    uint32_t *index = name_map_put(front->ctx, &front->op_index, name);
    if (*index)
        return front->ops[*index - 1];
    const struct value *found = NULL;
    const struct tf_alias *alias = NULL;
    const struct tf_op *op = registry_op(front->ctx, name, &alias);
    if (op) {
        struct op_value *o = CTX_NEW(front->ctx, struct op_value);
        *o = (struct op_value){.op = op, .alias = alias, .name = name};
        struct value *v = value_new(front->ctx, VALUE_OP);
        v->u.op = o;
        found = v;
    }
    front->ops = front_grow(front->ctx, front->ops, front->n_ops, &front->room_ops, sizeof(*front->ops));
    front->ops[front->n_ops++] = found;
    *index = (uint32_t)front->n_ops;
    return found;
}
