/* SPDX-License-Identifier: MIT
 * JSON as it is printed for people too: two columns a level, keys in the order in which they are written, numbers as
 * Python shows them.
 */
#ifndef TF_UTIL_JSON_TEXT_H
#define TF_UTIL_JSON_TEXT_H

#include "util/buf.h"

#include <stdint.h>

struct json_writer {
    struct buf *out;
    unsigned depth;
    int is_empty; /* of the object or array that is open */
};

/* key: NULL inside an array, and for the outermost value. */
void json_begin(struct json_writer *w, const char *key); /* what stands before a value that the caller writes */
void json_open(struct json_writer *w, const char *key, char bracket);
void json_close(struct json_writer *w, char bracket);
void json_string(struct json_writer *w, const char *key, const char *text); /* NULL: null */
void json_whole(struct json_writer *w, const char *key, int64_t value);
void json_truth(struct json_writer *w, const char *key, int value);
void json_number(struct json_writer *w, const char *key, double value); /* the fewest digits that read back as it */

#endif
