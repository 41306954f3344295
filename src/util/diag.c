/* SPDX-License-Identifier: MIT */
#include "util/diag.h"

#include "util/buf.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

struct message {
    struct tf_loc loc;
    uint32_t severity;
    const char *code;
    const char *text;
};

/* Lives in the context's arena; its arrays grow by copying within it. */
struct diag_state {
    struct source *source;
    size_t n_sources, room_sources;
    struct message *message;
    size_t n_messages, room_messages;
    size_t n_errors;
};

static struct diag_state *state(tf_ctx *ctx)
{
    if (!ctx->diag)
        ctx->diag = CTX_NEW(ctx, struct diag_state);
    return ctx->diag;
}

static void *grown(tf_ctx *ctx, void *old, size_t n, size_t *room, size_t size)
{
    if (n < *room)
        return old;
    *room = *room ? *room * 2 : 8;
    void *more = arena_array(&ctx->arena, *room, size);
    if (n)
        memcpy(more, old, n * size);
    return more;
}

uint32_t source_add(tf_ctx *ctx, const char *path, const char *text, size_t length)
{
    struct diag_state *d = state(ctx);
    VEC(uint32_t) lines = {0};
    VEC_PUSH(&lines, 0);
    for (size_t i = 0; i < length; i++)
        if (text[i] == '\n' || (text[i] == '\r' && !(i + 1 < length && text[i + 1] == '\n')))
            VEC_PUSH(&lines, (uint32_t)(i + 1));
    d->source = grown(ctx, d->source, d->n_sources, &d->room_sources, sizeof(*d->source));
    d->source[d->n_sources++] = (struct source){
        .path = path,
        .text = text,
        .length = length,
        .line_start = arena_copy(&ctx->arena, lines.at, lines.n * sizeof(*lines.at)),
        .n_lines = (uint32_t)lines.n,
    };
    VEC_FREE(&lines);
    return (uint32_t)d->n_sources;
}

const struct source *source_get(const tf_ctx *ctx, uint32_t file)
{
    return ctx->diag && file && file <= ctx->diag->n_sources ? &ctx->diag->source[file - 1] : NULL;
}

struct tf_loc loc_file(uint32_t file)
{
    return (struct tf_loc){.file = file};
}

static int same_message(const struct message *a, const struct message *b)
{
    return a->loc.file == b->loc.file && a->loc.line == b->loc.line && a->loc.column == b->loc.column &&
           a->severity == b->severity && !strcmp(a->text, b->text);
}

void diag_v(
    tf_ctx *ctx, const struct tf_loc *loc, uint32_t severity, const char *code, const char *format, va_list args)
{
    struct diag_state *d = state(ctx);
    struct buf text = {0};
    buf_vprintf(&text, format, args);
    struct message message = {
        .loc = loc ? *loc : (struct tf_loc){0}, .severity = severity, .code = code, .text = buf_text(&text)};
    int seen = d->n_messages && same_message(&d->message[d->n_messages - 1], &message);
    if (!seen) {
        message.text = arena_strndup(&ctx->arena, message.text, text.n);
        d->message = grown(ctx, d->message, d->n_messages, &d->room_messages, sizeof(*d->message));
        d->message[d->n_messages++] = message;
        d->n_errors += severity == DIAG_ERROR;
    }
    buf_free(&text);
}

void diag(tf_ctx *ctx, const struct tf_loc *loc, uint32_t severity, const char *code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag_v(ctx, loc, severity, code, format, args);
    va_end(args);
}

size_t diag_errors(const tf_ctx *ctx)
{
    return ctx->diag ? ctx->diag->n_errors : 0;
}

size_t diag_mark(const tf_ctx *ctx)
{
    return ctx->diag ? ctx->diag->n_messages : 0;
}

void diag_drop(tf_ctx *ctx, size_t mark)
{
    if (!ctx->diag)
        return;
    for (size_t i = mark; i < ctx->diag->n_messages; i++)
        ctx->diag->n_errors -= ctx->diag->message[i].severity == DIAG_ERROR;
    if (mark < ctx->diag->n_messages)
        ctx->diag->n_messages = mark;
}

const char *diag_first_error(const tf_ctx *ctx, size_t mark, const char **code)
{
    for (size_t i = mark; ctx->diag && i < ctx->diag->n_messages; i++)
        if (ctx->diag->message[i].severity == DIAG_ERROR) {
            *code = ctx->diag->message[i].code;
            return ctx->diag->message[i].text;
        }
    return NULL;
}

/* ---- rendering ----------------------------------------------------------------------------------------------------*/

#define LONGEST_SHOWN 240 /* characters of a source line */

static const char *const SEVERITY[] = {"note", "warning", "error"};
static const char *const COLOR[] = {"\033[1;36m", "\033[1;35m", "\033[1;31m"};

static size_t char_length(unsigned char lead)
{
    return lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

/* Prints at most `count` characters of text, control characters as spaces; returns how many were printed. */
static size_t put_chars(FILE *to, const char *text, size_t length, size_t count, int blank)
{
    size_t done = 0;
    for (size_t i = 0; i < length && done < count; done++) {
        size_t step = char_length((unsigned char)text[i]);
        if (step > length - i)
            step = length - i;
        unsigned char c = (unsigned char)text[i];
        if (c == '\t')
            putc('\t', to);
        else if (blank || c < 0x20 || c == 0x7F)
            putc(' ', to);
        else
            fwrite(text + i, 1, step, to);
        i += step;
    }
    return done;
}

static void put_line_and_caret(FILE *to, const struct source *source, const struct tf_loc *loc, int color)
{
    if (!source || !loc->line || loc->line > source->n_lines)
        return;
    const char *line = source->text + source->line_start[loc->line - 1];
    size_t end = loc->line < source->n_lines ? source->line_start[loc->line] : source->length;
    size_t length = end - source->line_start[loc->line - 1];
    while (length && (line[length - 1] == '\n' || line[length - 1] == '\r'))
        length--;
    if (!loc->column || loc->column > LONGEST_SHOWN)
        return;
    fputs("    ", to);
    put_chars(to, line, length, LONGEST_SHOWN, 0);
    fputs("\n    ", to);
    put_chars(to, line, length, loc->column - 1, 1);
    fprintf(to, "%s^%s\n", color ? "\033[1;32m" : "", color ? "\033[0m" : "");
}

static void put_message(tf_ctx *ctx, FILE *to, const struct message *m, int color)
{
    const struct source *source = source_get(ctx, m->loc.file);
    if (source && m->loc.line)
        fprintf(to, "%s:%u:%u: ", source->path, m->loc.line, m->loc.column ? m->loc.column : 1);
    else
        fprintf(to, "%s: ", source ? source->path : "tilefoundry");
    fprintf(to, "%s%s:%s %s [%s]\n", color ? COLOR[m->severity] : "", SEVERITY[m->severity], color ? "\033[0m" : "",
        m->text, m->code);
    put_line_and_caret(to, source, &m->loc, color);
}

/* A note stands below what it explains, wherever it points. */
struct turn {
    const struct message *message, *head;
};

static int by_number(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

/* What stands in no file comes first; of one place, what was said first. */
static int by_place(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;
    const struct tf_loc *at = &x->head->loc, *to = &y->head->loc;
    int order = by_number(at->file, to->file);
    if (!order)
        order = by_number(at->line, to->line);
    if (!order)
        order = by_number(at->column, to->column);
    return order ? order : (x->message > y->message) - (x->message < y->message);
}

static const struct turn *in_order(tf_ctx *ctx, const struct diag_state *d)
{
    struct turn *turns = ARENA_ARRAY(&ctx->arena, struct turn, d->n_messages);
    const struct message *head = d->message;
    for (size_t i = 0; i < d->n_messages; i++) {
        head = d->message[i].severity == DIAG_NOTE ? head : &d->message[i];
        turns[i] = (struct turn){&d->message[i], head};
    }
    if (d->n_messages > 1)
        qsort(turns, d->n_messages, sizeof(*turns), by_place);
    return turns;
}

size_t diag_flush(tf_ctx *ctx, FILE *to, int color)
{
    struct diag_state *d = state(ctx);
    const struct turn *turns = in_order(ctx, d);
    size_t shown = 0, errors = 0;
    for (size_t i = 0; i < d->n_messages; i++) {
        const struct message *m = turns[i].message;
        if (i && same_message(turns[i - 1].message, m))
            continue;
        errors += m->severity == DIAG_ERROR;
        if (m->severity == DIAG_ERROR && errors > ctx->limits.errors)
            continue;
        if (m->severity < DIAG_ERROR && ctx->verbose < 0)
            continue;
        put_message(ctx, to, m, color);
        shown += m->severity == DIAG_ERROR;
    }
    if (errors > shown)
        fprintf(to, "tilefoundry: note: %zu more errors are not shown (--limit errors=N)\n", errors - shown);
    d->n_messages = 0;
    d->n_errors = 0;
    return errors;
}

/* ---- suggestions --------------------------------------------------------------------------------------------------*/

#define LONGEST_NAME 64

/* Edits (insert, delete, replace, swap of neighbours) from a to b. */
static size_t distance(const char *a, size_t n, const char *b, size_t m)
{
    size_t row[3][LONGEST_NAME + 1];
    for (size_t j = 0; j <= m; j++)
        row[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = last[j - 1] + (a[i - 1] != b[j - 1]);
            if (last[j] + 1 < best)
                best = last[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
    }
    return row[n % 3][m];
}

const char *did_you_mean(const char *name, const char *const *names, size_t n)
{
    size_t length = strlen(name);
    const char *best = NULL;
    size_t least = length < 3 ? 1 : length < 6 ? 2 : 3;
    if (length > LONGEST_NAME)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        size_t other = names[i] ? strlen(names[i]) : LONGEST_NAME + 1;
        if (other > LONGEST_NAME)
            continue;
        size_t edits = distance(name, length, names[i], other);
        if (edits && edits < least + (best == NULL) && edits < length) {
            least = edits;
            best = names[i];
        }
    }
    return best;
}
