/* SPDX-License-Identifier: MIT */
#include "util/json_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_utf16(struct buf *out, uint32_t point)
{
    if (point >= 0x10000)
        buf_printf(out, "\\u%04x\\u%04x", 0xd800 + ((point - 0x10000) >> 10), 0xdc00 + ((point - 0x10000) & 0x3ff));
    else
        buf_printf(out, "\\u%04x", point);
}

/* One character of UTF-8; bytes that are none become U+FFFD. */
static const char *put_character(struct buf *out, const char *at)
{
    unsigned char first = (unsigned char)*at++;
    unsigned more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0;
    if (first < 0x80) {
        const char *escape = first == '"' ? "\\\"" : first == '\\' ? "\\\\" : first == '\n' ? "\\n" : NULL;
        if (escape)
            buf_str(out, escape);
        else if (first < 0x20 || first == 0x7f)
            put_utf16(out, first);
        else
            buf_char(out, (char)first);
        return at;
    }
    uint32_t point = more ? first & (0x3fu >> more) : 0xfffd;
    for (unsigned i = 0; i < more; i++, at++) {
        if (((unsigned char)*at & 0xc0) != 0x80) {
            point = 0xfffd;
            break;
        }
        point = point << 6 | ((unsigned char)*at & 0x3f);
    }
    put_utf16(out, point > 0x10ffff ? 0xfffd : point);
    return at;
}

static void put_text(struct buf *out, const char *text)
{
    buf_char(out, '"');
    while (*text)
        text = put_character(out, text);
    buf_char(out, '"');
}

/* What stands before a value: the comma, the line, the key. */
void json_begin(struct json_writer *w, const char *key)
{
    if (w->depth)
        buf_printf(w->out, "%s\n%*s", w->is_empty ? "" : ",", (int)(2 * w->depth), "");
    w->is_empty = 0;
    if (key) {
        put_text(w->out, key);
        buf_str(w->out, ": ");
    }
}

void json_open(struct json_writer *w, const char *key, char bracket)
{
    json_begin(w, key);
    buf_char(w->out, bracket);
    w->depth++;
    w->is_empty = 1;
}

void json_close(struct json_writer *w, char bracket)
{
    w->depth--;
    if (!w->is_empty)
        buf_printf(w->out, "\n%*s", (int)(2 * w->depth), "");
    buf_char(w->out, bracket);
    w->is_empty = 0;
}

void json_string(struct json_writer *w, const char *key, const char *text)
{
    json_begin(w, key);
    if (text)
        put_text(w->out, text);
    else
        buf_str(w->out, "null");
}

void json_whole(struct json_writer *w, const char *key, int64_t value)
{
    json_begin(w, key);
    buf_printf(w->out, "%" PRId64, value);
}

void json_truth(struct json_writer *w, const char *key, int value)
{
    json_begin(w, key);
    buf_str(w->out, value ? "true" : "false");
}

/* The fewest digits that read back as the value: 0.1, 12548.9, 1e-06, 2.0 */
static void number_text(char *text, size_t room, double value)
{
    char digits[40];
    int precision = 0;
    if (!isfinite(value)) {
        snprintf(text, room, "%s", isnan(value) ? "NaN" : value < 0 ? "-Infinity" : "Infinity");
        return;
    }
    do
        snprintf(digits, sizeof(digits), "%.*e", precision++, value);
    while (strtod(digits, NULL) != value && precision < 17);
    int exponent = atoi(strchr(digits, 'e') + 1);
    if (exponent < -4 || exponent >= 16) {
        snprintf(text, room, "%.*g", precision, value);
        return;
    }
    int decimals = precision - 1 - exponent;
    snprintf(text, room, "%.*f", decimals > 0 ? decimals : 1, value);
}

void json_number(struct json_writer *w, const char *key, double value)
{
    char text[64];
    number_text(text, sizeof(text), value);
    json_begin(w, key);
    buf_str(w->out, text);
}
