/* SPDX-License-Identifier: MIT */
#include "front/host.h"

#include "util/diag.h"

#include <string.h>

/* The array with room for one more; it lives in the context's arena, so the old one is left to it. */
void *front_grow(tf_ctx *ctx, void *old, size_t n, size_t *room, size_t size)
{
    if (n < *room)
        return old;
    *room = *room ? *room * 2 : 8;
    void *more = arena_array(&ctx->arena, *room, size);
    if (n)
        memcpy(more, old, n * size);
    return more;
}

struct env *env_new(struct front *front, struct env *outer, uint32_t outer_at, struct host_file *file)
{
    struct env *env = CTX_NEW(front->ctx, struct env);
    env->outer = outer;
    env->outer_at = outer_at;
    env->file = file;
    return env;
}

void env_bind(struct front *front, struct env *env, const char *name, const struct value *value, uint32_t at)
{
    uint32_t *index = name_map_put(front->ctx, &env->latest, name);
    env->bindings = front_grow(front->ctx, env->bindings, env->n, &env->room, sizeof(*env->bindings));
    env->bindings[env->n++] =
        (struct binding){.name = name, .value = value, .loc = env->loc, .at = at, .previous = *index};
    *index = (uint32_t)env->n;
}

/* A name of which only the newest value matters. */
void env_put(struct front *front, struct env *env, const char *name, const struct value *value)
{
    uint32_t index = name_map_get(&env->latest, name);
    if (index)
        env->bindings[index - 1].value = value;
    else
        env_bind(front, env, name, value, 0);
}

const struct binding *env_binding(const struct env *env, const char *name, uint32_t at)
{
    uint32_t index = name_map_get(&env->latest, name);
    while (index && env->bindings[index - 1].at >= at && at != HOST_END)
        index = env->bindings[index - 1].previous;
    return index ? &env->bindings[index - 1] : NULL;
}

const struct value *env_here(const struct env *env, const char *name, uint32_t at)
{
    const struct binding *b = env_binding(env, name, at);
    return b ? b->value : NULL;
}

const struct value *env_find(const struct env *env, const char *name, uint32_t at)
{
    while (env) {
        const struct value *v = env_here(env, name, at);
        if (v)
            return v;
        at = env->outer_at;
        env = env->outer;
    }
    return NULL;
}

const struct env *env_file(const struct env *env)
{
    while (env->outer)
        env = env->outer;
    return env;
}

/* The statement of the file in which env stands. */
static uint32_t file_at(const struct env *env, uint32_t at)
{
    while (env->outer) {
        at = env->outer_at;
        env = env->outer;
    }
    return at;
}

const struct value *env_find_from_function(const struct env *env, const char *name, uint32_t at)
{
    const struct value *v = env_here(env_file(env), name, file_at(env, at));
    return v ? v : env_find(env, name, env->outer ? HOST_END : at);
}

/* More would be read by nobody, and a file may have a hundred thousand names that are not known. */
#define MOST_SUGGESTIONS 64

const char *env_suggest(struct front *front, const struct env *env, const char *name)
{
    tf_ctx *ctx = front->ctx;
    size_t n = 0, room = 0;
    const char **names = NULL;
    if (front->suggestions++ >= MOST_SUGGESTIONS)
        return NULL;
    for (; env; env = env->outer)
        for (size_t i = 0; i < env->n && n < 2000; i++) {
            names = front_grow(ctx, names, n, &room, sizeof(*names));
            names[n++] = env->bindings[i].name;
        }
    return n ? did_you_mean(name, names, n) : NULL;
}
