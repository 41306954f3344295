/* SPDX-License-Identifier: MIT */
#include "report/tree.h"

#include "plugin/records.h"
#include "util/buf.h"

#include <string.h>

struct tf_json *json_new(struct arena *arena, enum tree_kind kind)
{
    struct tf_json *json = ARENA_NEW(arena, struct tf_json);
    json->arena = arena;
    json->kind = kind;
    return json;
}

struct tf_json *json_find(const struct tf_json *in, const char *key)
{
    for (struct tf_json *child = in->value.in.first; child; child = child->next)
        if (strcmp(child->key, key) == 0)
            return child;
    return NULL;
}

struct tf_json *json_add(struct tf_json *in, const char *key, enum tree_kind kind)
{
    struct tf_json *child = key && in->kind == TREE_OBJECT ? json_find(in, key) : NULL;
    if (child)
        return child;
    child = json_new(in->arena, kind);
    child->key = key ? arena_strndup(in->arena, key, strlen(key)) : NULL;
    if (in->value.in.last)
        in->value.in.last->next = child;
    else
        in->value.in.first = child;
    in->value.in.last = child;
    return child;
}

struct tf_json *json_object(struct tf_json *in, const char *key)
{
    return json_add(in, key, TREE_OBJECT);
}

struct tf_json *json_array(struct tf_json *in, const char *key)
{
    return json_add(in, key, TREE_ARRAY);
}

void json_int(struct tf_json *in, const char *key, int64_t value)
{
    json_add(in, key, TREE_INT)->value.i = value;
}

void json_uint(struct tf_json *in, const char *key, uint64_t value)
{
    json_add(in, key, TREE_UINT)->value.u = value;
}

void json_text(struct tf_json *in, const char *key, const char *value)
{
    if (value)
        json_add(in, key, TREE_TEXT)->value.text = arena_strndup(in->arena, value, strlen(value));
    else
        json_null(in, key);
}

void json_bool(struct tf_json *in, const char *key, int value)
{
    json_add(in, key, TREE_BOOL)->truth = value != 0;
}

void json_null(struct tf_json *in, const char *key)
{
    json_add(in, key, TREE_NULL);
}

void json_to_buf(void *buf, const char *text, size_t length)
{
    buf_add(buf, text, length);
}
