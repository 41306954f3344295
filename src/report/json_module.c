/* SPDX-License-Identifier: MIT
 * modules/json.so: what needs a JSON library, apart, so that a text report never loads one.
 */
#include "report/tree.h"

#include <jansson.h>
#include <string.h>

static json_t *convert(const struct tf_json *value);

static json_t *convert_object(const struct tf_json *value)
{
    json_t *object = json_object();
    for (const struct tf_json *child = value->value.in.first; child && object; child = child->next)
        if (json_object_set_new(object, child->key, convert(child))) {
            json_decref(object);
            object = NULL;
        }
    return object;
}

static json_t *convert_array(const struct tf_json *value)
{
    json_t *array = json_array();
    for (const struct tf_json *child = value->value.in.first; child && array; child = child->next)
        if (json_array_append_new(array, convert(child))) {
            json_decref(array);
            array = NULL;
        }
    return array;
}

static json_t *convert(const struct tf_json *value)
{
    switch (value->kind) {
    case TREE_NULL: return json_null();
    case TREE_BOOL: return json_boolean(value->truth);
    case TREE_INT: return json_integer(value->value.i);
    case TREE_UINT: return value->value.u > INT64_MAX ? NULL : json_integer((json_int_t)value->value.u);
    case TREE_TEXT: return json_string(value->value.text);
    case TREE_OBJECT: return convert_object(value);
    case TREE_ARRAY: return convert_array(value);
    }
    return NULL;
}

struct sink {
    json_sink *add;
    void *to;
    unsigned depth;
};

/* Line breaks stand between values only: in texts they are escaped. */
static int append(const char *text, size_t length, void *data)
{
    const struct sink *sink = data;
    while (length) {
        const char *end = memchr(text, '\n', length);
        size_t n = end ? (size_t)(end - text) + 1 : length;
        sink->add(sink->to, text, n);
        for (unsigned i = 0; end && i < sink->depth; i++)
            sink->add(sink->to, "  ", 2);
        text += n;
        length -= n;
    }
    return 0;
}

static int write_json(const struct tf_json *value, unsigned depth, json_sink *add, void *to)
{
    struct sink sink = {add, to, depth};
    json_t *json = convert(value);
    if (!json)
        return -1;
    int rc = json_dump_callback(json, append, &sink, JSON_INDENT(2) | JSON_SORT_KEYS | JSON_ENCODE_ANY);
    json_decref(json);
    return rc;
}

__attribute__((visibility("default"))) extern const struct json_module tilefoundry_json;
const struct json_module tilefoundry_json = {.write = write_json};
