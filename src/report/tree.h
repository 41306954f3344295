/* SPDX-License-Identifier: MIT
 * A JSON value that is being built, small because a report has a hundred thousand of them: keys and texts are not
 * copied where they need not be, children are a list.
 */
#ifndef TF_REPORT_TREE_H
#define TF_REPORT_TREE_H

#include "util/arena.h"

#include <stdint.h>

enum tree_kind { TREE_NULL, TREE_BOOL, TREE_INT, TREE_UINT, TREE_TEXT, TREE_OBJECT, TREE_ARRAY };

struct tf_json {
    struct arena *arena;
    const char *key; /* NULL in an array and at the top */
    struct tf_json *next;
    enum tree_kind kind;
    int truth;
    union {
        int64_t i;
        uint64_t u;
        const char *text;
        struct {
            struct tf_json *first, *last;
        } in;
    } value;
};

struct tf_json *json_new(struct arena *arena, enum tree_kind kind);
/* A new value in an object (key) or an array (NULL); an object's child of that key is given again if it is there. */
struct tf_json *json_add(struct tf_json *in, const char *key, enum tree_kind kind);
/* The value of a key, or NULL. */
struct tf_json *json_find(const struct tf_json *in, const char *key);

void json_to_buf(void *buf, const char *text, size_t length); /* a json_sink */

/* What modules/json.so gives (json_module.c): the only code that knows a JSON library. */
typedef void json_sink(void *to, const char *text, size_t length);
struct json_module {
    /* The value's text, keys sorted, two columns a level, as if it stood `depth` levels deep; 0, or -1. */
    int (*write)(const struct tf_json *value, unsigned depth, json_sink *add, void *to);
};
#define JSON_MODULE_SYMBOL "tilefoundry_json"

#endif
