/* SPDX-License-Identifier: MIT
 * What the four analyzers share: texts that grow, checked counts, and maps from names to counts that come out sorted.
 * Header only, since plugins link to nothing.
 */
#ifndef ANALYZERS_KIT_H
#define ANALYZERS_KIT_H

#include <tilefoundry/plugin.h>

#include <stdlib.h>
#include <string.h>

typedef unsigned __int128 wide;

/* ---- texts ---------------------------------------------------------------------------------------------------------*/

/* Grows in the context's memory; text_clear keeps the room, so that one serves all calls. */
struct text {
    tf_ctx *ctx;
    char *at;
    size_t n, room;
};

static inline void text_reserve(struct text *text, size_t more)
{
    if (text->n + more < text->room)
        return;
    size_t room = text->room ? text->room * 2 : 256;
    while (room <= text->n + more)
        room *= 2;
    char *at = tf_host->alloc(text->ctx, room);
    if (text->n)
        memcpy(at, text->at, text->n);
    text->at = at;
    text->room = room;
}

static inline void text_clear(struct text *text)
{
    text_reserve(text, 1);
    text->n = 0;
    text->at[0] = 0;
}

static inline void text_add(struct text *text, const char *more)
{
    size_t n = strlen(more);
    text_reserve(text, n);
    memcpy(text->at + text->n, more, n + 1);
    text->n += n;
}

static inline void text_number(struct text *text, uint64_t number)
{
    char digits[24], *at = digits + sizeof(digits) - 1;
    *at = 0;
    do
        *--at = (char)('0' + number % 10);
    while (number /= 10);
    text_add(text, at);
}

/* ---- counts --------------------------------------------------------------------------------------------------------*/

static inline const char *call_word(const struct tf_node *call);

/* Reports that a count of the step (NULL: of the function) passes 2^63 - 1. */
static inline int count_overflow(
    tf_ctx *ctx, const struct tf_program *program, const struct tf_step *step, const char *what)
{
    const struct tf_loc *loc = step ? &step->node->loc : &program->function->loc;
    const char *name = step ? call_word(step->node) : program->function->name;
    tf_host->error(ctx, loc, "overflow", "the %s of %s pass 2^63 - 1", what, name);
    return TF_E_OVERFLOW;
}

/* into += a * b; non-zero when the sum passes 2^63 - 1. */
static inline int count_add(uint64_t *into, uint64_t a, uint64_t b)
{
    wide sum = (wide)a * b + *into;
    *into = (uint64_t)sum;
    return sum > INT64_MAX;
}

/* ceil(amount * 1e9 / rate), or UINT64_MAX when it passes 2^63 - 1 */
static inline uint64_t nanoseconds(uint64_t amount, uint64_t rate)
{
    wide ns = ((wide)amount * 1000000000u + rate - 1) / rate;
    return ns > INT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

/* ---- names ---------------------------------------------------------------------------------------------------------*/

static const char *const kit_services[TF_SERVICE_COUNT] = {"integer", "predicate", "select", "special"};
static const char *const kit_pipes[] = {"tensor", "vector", "integer", "special"};

static inline int kit_is_call(const struct tf_step *step)
{
    return step->node->kind == TF_NODE_CALL;
}

/* What the author calls the operator: binary with kind "add" is add. */
static inline const char *call_word(const struct tf_node *call)
{
    const struct tf_op *op = call->op;
    for (size_t i = 0; i < op->n_aliases; i++)
        for (uint32_t a = 0; a < call->n_attrs; a++)
            if (call->attrs[a].kind == TF_VAL_STRING && strcmp(op->attrs[a].name, op->aliases[i].attr) == 0 &&
                strcmp(call->attrs[a].u.s, op->aliases[i].value) == 0)
                return op->aliases[i].name;
    return op->name;
}

/* 0..n-1 in the order of their names. */
static inline void sort_names(uint32_t n, const char *const *names, uint32_t *order)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = i;
        for (; at > 0 && strcmp(names[order[at - 1]], names[i]) > 0; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

#endif
