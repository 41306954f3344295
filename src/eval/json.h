/* SPDX-License-Identifier: MIT
 * JSON as tensor files have it: their headers, an index, a sidecar.
 */
#ifndef TF_EVAL_JSON_H
#define TF_EVAL_JSON_H

#include <stddef.h>
#include <stdint.h>

enum json_kind { JSON_OTHER, JSON_NUMBER, JSON_TEXT, JSON_LIST, JSON_MAP }; /* OTHER: null, a truth, a fraction */

struct json_item {
    enum json_kind kind;
    uint32_t count;  /* of a list or map */
    const char *key; /* in a map */
    const char *text;
    int64_t number;
    const struct json_item *first, *next;
};

/* What modules/header.so gives (json_module.c): the only code of evaluation that knows a JSON library. */
struct json_reader {
    /* The tree, made of what alloc gives, which is zeroed and never NULL; or NULL with the reason in why. */
    const struct json_item *(*read)(
        const char *text, size_t length, void *(*alloc)(void *data, size_t size), void *data, char *why, size_t room);
};
#define JSON_READER_SYMBOL "tilefoundry_header"

#endif
