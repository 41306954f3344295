/* SPDX-License-Identifier: MIT
 * modules/header.so: reads the JSON of tensor files, apart, so that only a run that reads one loads a JSON library.
 */
#include "eval/json.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define MAX_DEPTH 8 /* a header is three deep */

struct source {
    void *(*alloc)(void *data, size_t size);
    void *data;
};

static struct json_item *convert(const struct source *source, json_t *value, unsigned depth);

static const char *kept(const struct source *source, const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(source->alloc(source->data, size), text, size);
}

static int convert_map(const struct source *source, json_t *value, unsigned depth, struct json_item *item)
{
    const struct json_item **at = &item->first;
    const char *key;
    json_t *child;
    json_object_foreach(value, key, child)
    {
        struct json_item *next = convert(source, child, depth + 1);
        if (!next)
            return -1;
        next->key = kept(source, key);
        *at = next;
        at = &next->next;
        item->count++;
    }
    return 0;
}

static int convert_list(const struct source *source, json_t *value, unsigned depth, struct json_item *item)
{
    const struct json_item **at = &item->first;
    size_t index;
    json_t *child;
    json_array_foreach(value, index, child)
    {
        struct json_item *next = convert(source, child, depth + 1);
        if (!next)
            return -1;
        *at = next;
        at = &next->next;
        item->count++;
    }
    return 0;
}

static struct json_item *convert(const struct source *source, json_t *value, unsigned depth)
{
    struct json_item *item = source->alloc(source->data, sizeof(*item));
    if (depth > MAX_DEPTH)
        return NULL;
    switch (json_typeof(value)) {
    case JSON_INTEGER:
        item->kind = JSON_NUMBER;
        item->number = json_integer_value(value);
        return item;
    case JSON_STRING:
        item->kind = JSON_TEXT;
        item->text = kept(source, json_string_value(value));
        return item;
    case JSON_ARRAY: item->kind = JSON_LIST; return convert_list(source, value, depth, item) ? NULL : item;
    case JSON_OBJECT: item->kind = JSON_MAP; return convert_map(source, value, depth, item) ? NULL : item;
    default: return item;
    }
}

static const struct json_item *read_json(
    const char *text, size_t length, void *(*alloc)(void *data, size_t size), void *data, char *why, size_t room)
{
    json_error_t error;
    struct source source = {alloc, data};
    json_t *json = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    if (!json) {
        snprintf(why, room, "byte %d: %s", error.position, error.text);
        return NULL;
    }
    struct json_item *item = convert(&source, json, 0);
    json_decref(json);
    if (!item)
        snprintf(why, room, "it is nested more than %d deep", MAX_DEPTH);
    return item;
}

__attribute__((visibility("default"))) extern const struct json_reader tilefoundry_header;
const struct json_reader tilefoundry_header = {.read = read_json};
