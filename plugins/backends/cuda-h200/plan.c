/* SPDX-License-Identifier: MIT
 *
 * The plan of a source: comment lines that say what is launched, so that a file that was emitted says all that is needed
 * to run it.
 *
 *     //@ scratch NAME bytes N
 *     //@ map NAME of REF type u8|bf16|f16|f32 extents N.. strides N.. box N.. swizzle N promote N
 *     //@ launch KERNEL grid X Y Z block X Y Z shared N cluster N overlap 0|1 with PARAMETER..
 *
 * REF is a0, a1, ... (an argument), r0, r1, ... (a result) or the name of scratch memory; PARAMETER one of them or the
 * name of a map.  Extents, strides and boxes go from the axis that is dense to the outermost; strides are in bytes and
 * leave out the dense axis.
 */
#include "cuda.h"

#include <errno.h>
#include <string.h>

struct reader {
    tf_ctx *ctx;
    const char *at, *end; /* of the line */
    uint32_t line;
    const char *wrong; /* NULL so far */
    char word[128];
};

/* ---- words --------------------------------------------------------------------------------------------------------*/

static void wrong(struct reader *r, const char *what)
{
    if (!r->wrong)
        r->wrong = tf_host->format(r->ctx, "%s, not '%s'", what, r->word);
}

/* The next word of the line, or "" at its end.  A longer one is wrong, since two may differ in what is cut off. */
static const char *next(struct reader *r)
{
    size_t n = 0, length = 0;
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r'))
        r->at++;
    while (r->at < r->end && *r->at != ' ' && *r->at != '\t' && *r->at != '\r') {
        if (n + 1 < sizeof(r->word))
            r->word[n++] = *r->at;
        r->at++;
        length++;
    }
    r->word[n] = 0;
    if (length > n)
        wrong(r, tf_host->format(r->ctx, "expected words of at most %zu characters", sizeof(r->word) - 1));
    return r->word;
}

static void expect(struct reader *r, const char *word)
{
    if (!r->wrong && strcmp(next(r), word) != 0)
        wrong(r, tf_host->format(r->ctx, "expected '%s'", word));
}

static int is_number(const char *word)
{
    return *word >= '0' && *word <= '9';
}

/* 0 where it is wrong: what is too large goes no further. */
static uint64_t number_of(struct reader *r, uint64_t most)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(r->word, &end, 10);
    int is_within = is_number(r->word) && !*end && !errno && value <= most;
    if (!is_within)
        wrong(r, tf_host->format(r->ctx, "expected a number up to %llu", (unsigned long long)most));
    return is_within ? value : 0;
}

static uint64_t number(struct reader *r, uint64_t most)
{
    next(r);
    return r->wrong ? 0 : number_of(r, most);
}

/* Numbers up to the next word that is none, which is left to be read. */
static uint32_t numbers(struct reader *r, uint64_t *to, uint32_t most)
{
    uint32_t n = 0;
    const char *before = r->at;
    while (!r->wrong && is_number(next(r))) {
        if (n == most)
            wrong(r, tf_host->format(r->ctx, "expected at most %u numbers", most));
        else
            to[n++] = number_of(r, UINT64_MAX >> 1);
        before = r->at;
    }
    r->at = before;
    return n;
}

static const char *name(struct reader *r)
{
    next(r);
    if (!r->wrong && !*r->word)
        wrong(r, "expected a name");
    return tf_host->intern(r->ctx, r->word);
}

/* ---- references ---------------------------------------------------------------------------------------------------*/

/* The number behind a letter, as in a12. */
static int is_numbered(const char *word, char letter, uint32_t *index)
{
    char *end;
    if (word[0] != letter || !is_number(word + 1))
        return 0;
    unsigned long value = strtoul(word + 1, &end, 10);
    *index = (uint32_t)value;
    return !*end && value < UINT32_MAX;
}

static int find_scratch(const struct plan *plan, const char *word, uint32_t *index)
{
    for (*index = 0; *index < plan->n_scratch; ++*index)
        if (strcmp(plan->scratch[*index].name, word) == 0)
            return 1;
    return 0;
}

static int find_map(const struct plan *plan, const char *word, uint32_t *index)
{
    for (*index = 0; *index < plan->n_maps; ++*index)
        if (strcmp(plan->maps[*index].name, word) == 0)
            return 1;
    return 0;
}

static void reference(struct reader *r, const struct plan *plan, int with_maps, struct parameter *parameter)
{
    if (is_numbered(r->word, 'a', &parameter->index))
        parameter->kind = PARAMETER_ARGUMENT;
    else if (is_numbered(r->word, 'r', &parameter->index))
        parameter->kind = PARAMETER_RESULT;
    else if (find_scratch(plan, r->word, &parameter->index))
        parameter->kind = PARAMETER_SCRATCH;
    else if (with_maps && find_map(plan, r->word, &parameter->index))
        parameter->kind = PARAMETER_MAP;
    else
        wrong(r, "expected an argument (a0), a result (r0), or what an earlier line names");
}

/* ---- lines --------------------------------------------------------------------------------------------------------*/

static void read_scratch(struct reader *r, struct plan *plan)
{
    struct scratch *s = &plan->scratch[plan->n_scratch];
    s->name = name(r);
    expect(r, "bytes");
    s->bytes = (size_t)number(r, UINT64_MAX >> 2);
    plan->n_scratch++;
}

/* The driver's numbers of the types that a map can have. */
static int map_type(struct reader *r)
{
    static const struct {
        const char *name;
        int type;
    } types[] = {{"u8", 0}, {"f16", 6}, {"f32", 7}, {"bf16", 9}};
    next(r);
    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
        if (strcmp(types[i].name, r->word) == 0)
            return types[i].type;
    wrong(r, "expected u8, f16, f32 or bf16");
    return 0;
}

/* 0 and three widths from `first` on as 0 to 3, as the driver counts them. */
static int map_width(struct reader *r, int first)
{
    uint64_t bytes = number(r, 4 * (uint64_t)first);
    int code = bytes ? 1 : 0;
    while (code && first << (code - 1) < (int)bytes)
        code++;
    if (bytes && (uint64_t)(first << (code - 1)) != bytes)
        wrong(r, "expected 0 or a power of two");
    return code;
}

static void read_map(struct reader *r, struct plan *plan)
{
    struct map *m = &plan->maps[plan->n_maps];
    struct parameter of = {0};
    uint64_t box[5] = {0};
    m->name = name(r);
    expect(r, "of");
    next(r);
    reference(r, plan, 0, &of);
    m->of = of.kind;
    m->index = of.index;
    expect(r, "type");
    m->dtype = map_type(r);
    expect(r, "extents");
    m->rank = numbers(r, m->extents, 5);
    expect(r, "strides");
    uint32_t strides = numbers(r, m->strides, 4);
    expect(r, "box");
    uint32_t boxes = numbers(r, box, 5);
    for (uint32_t i = 0; i < 5; i++)
        m->box[i] = (uint32_t)box[i];
    expect(r, "swizzle");
    m->swizzle = map_width(r, 32);
    expect(r, "promote");
    m->promotion = map_width(r, 64);
    if (!m->rank || strides + 1 != m->rank || boxes != m->rank)
        wrong(r, "expected as many extents as sides of a box, and a stride less");
    plan->n_maps++;
}

static void three(struct reader *r, const char *word, uint64_t most, unsigned *to)
{
    expect(r, word);
    for (int i = 0; i < 3; i++)
        to[i] = (unsigned)number(r, most);
}

static void read_parameters(struct reader *r, const struct plan *plan, struct launch *l)
{
    struct parameter *list = tf_host->alloc(r->ctx, MAX_PARAMETERS * sizeof(*list));
    expect(r, "with");
    while (!r->wrong && *next(r)) {
        if (l->n_parameters == MAX_PARAMETERS)
            wrong(r, "expected fewer parameters");
        else
            reference(r, plan, 1, &list[l->n_parameters++]);
    }
    l->parameters = list;
}

static void read_launch(struct reader *r, struct plan *plan)
{
    struct launch *l = &plan->launches[plan->n_launches];
    l->kernel = name(r);
    three(r, "grid", INT32_MAX, l->grid);
    three(r, "block", 1024, l->block);
    expect(r, "shared");
    l->shared = (unsigned)number(r, 1 << 20);
    expect(r, "cluster");
    l->cluster = (unsigned)number(r, 16);
    expect(r, "overlap");
    l->overlaps = (int)number(r, 1);
    read_parameters(r, plan, l);
    plan->n_launches++;
}

static void read_line(struct reader *r, struct plan *plan)
{
    next(r);
    if (strcmp(r->word, "scratch") == 0)
        read_scratch(r, plan);
    else if (strcmp(r->word, "map") == 0)
        read_map(r, plan);
    else if (strcmp(r->word, "launch") == 0)
        read_launch(r, plan);
    else
        wrong(r, "expected scratch, map or launch");
    if (!r->wrong && *next(r))
        wrong(r, "expected the end of the line");
}

/* ---- the whole ----------------------------------------------------------------------------------------------------*/

static size_t count_lines(const char *text)
{
    size_t n = 0;
    for (const char *at = strstr(text, PLAN_MARK); at; at = strstr(at + 1, PLAN_MARK))
        n++;
    return n;
}

int plan_read(tf_ctx *ctx, const char *text, struct plan *plan)
{
    struct reader r = {.ctx = ctx};
    size_t most = count_lines(text) + 1;
    *plan = (struct plan){.scratch = tf_host->alloc(ctx, most * sizeof(*plan->scratch)),
        .maps = tf_host->alloc(ctx, most * sizeof(*plan->maps)),
        .launches = tf_host->alloc(ctx, most * sizeof(*plan->launches))};
    for (const char *line = text; *line && !r.wrong; line = *r.end ? r.end + 1 : r.end) {
        r.line++;
        r.end = line + strcspn(line, "\n");
        r.at = line + strlen(PLAN_MARK);
        if (strncmp(line, PLAN_MARK, strlen(PLAN_MARK)) == 0)
            read_line(&r, plan);
    }
    if (r.wrong)
        tf_host->error(ctx, NULL, BAD_PLAN, "line %u of the generated source: %s", r.line, r.wrong);
    else if (!plan->n_launches)
        tf_host->error(
            ctx, NULL, BAD_PLAN, "the generated source launches nothing: it has no line '%slaunch'", PLAN_MARK);
    return r.wrong || !plan->n_launches ? TF_E_REFUSED : TF_OK;
}
