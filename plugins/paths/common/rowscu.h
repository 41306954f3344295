/* SPDX-License-Identifier: MIT
 *
 * The file of CUDA C++ that a path makes of rows.cu: which threads have what of a row, the plan of the launch, and what
 * the program says as functions between the kernel's parts.
 */
#ifndef TF_PATHS_COMMON_ROWSCU_H
#define TF_PATHS_COMMON_ROWSCU_H

#include "pathkit.h"
#include "rows_text.h" /* rows_cu: rows.cu as text */

#define CU_WARP 32u
#define CU_MOST_THREADS 1024u
#define CU_MOST_CLUSTER 8u
#define CU_UNITS 132u            /* SMs of an H200 */
#define CU_MOST_OVERLAPPED 8192u /* rows up to which a launch's beginning counts */

struct cu_rows {
    tf_ctx *ctx;
    const char *name;           /* of the kernel */
    const char *title;          /* lines of the head, each with " * " before it */
    size_t rows, length, group; /* group: 0 none; length: the row */
    uint32_t in, held, codes;   /* dtypes; codes where there are groups */
    uint32_t norm;              /* 0: none; 1: of squares; 2: of squares about the mean */
    unsigned weight_bytes, bias_bytes, scale_bytes;
    int adds, keeps_sum, divides;
    const char *parameters; /* of the kernel, as declared */
    const char *with;       /* and as the plan names them */
    const char *functions;
};

/* Who has what of a row. */
struct cu_shape {
    unsigned team, teams, vectors, cluster, loops, overlap;
};

static inline unsigned cu_ceil(size_t n, size_t by)
{
    return (unsigned)((n + by - 1) / by);
}

static inline unsigned cu_team(size_t eights, unsigned vectors)
{
    return cu_ceil(cu_ceil(eights, vectors), CU_WARP) * CU_WARP;
}

/* Parts of whole eights and whole groups: sums and scales are each of one CTA's own. */
static inline int cu_has_parts(const struct cu_rows *r, unsigned parts)
{
    return r->length % (8 * parts) == 0 && (!r->group || r->group == r->length || r->length / parts % r->group == 0);
}

/* The fewest CTAs a row that have it in registers; 0: it is too long, or does not go into equal parts. */
static inline unsigned cu_cluster(const struct cu_rows *r, unsigned vectors)
{
    for (unsigned cluster = 1; cluster <= CU_MOST_CLUSTER; cluster *= 2) {
        size_t part = r->length / cluster;
        if (cluster > 1 && !cu_has_parts(r, cluster))
            return 0;
        if (cu_ceil(part, 8) <= CU_MOST_THREADS * vectors)
            return cluster;
    }
    return 0;
}

/* Vectors a thread.  With few rows it is threads that are wanted; with many and a norm, whose sums each thread folds,
 * that each has more to do.  As measured: bench/results/h200-rows-2026-12-01.md. */
static inline unsigned cu_vectors(const struct cu_rows *r, size_t eights)
{
    unsigned least = cu_ceil(eights, CU_MOST_THREADS), wanted = 2;
    if ((r->norm && (r->rows >= 64 || eights > 1024)) || eights > 2048)
        wanted = 4;
    return wanted > least ? wanted : least;
}

/* Numbers of $TILEFOUNDRY_ROWS, "team=448 vectors=2 cluster=1 loops=0 overlap=1"; what it leaves out stays. */
static inline const char *cu_override(struct cu_shape *shape)
{
    const struct {
        const char *name;
        unsigned *at, most;
    } words[] = {{"team=", &shape->team, CU_MOST_THREADS}, {"vectors=", &shape->vectors, 16},
        {"cluster=", &shape->cluster, CU_MOST_CLUSTER}, {"loops=", &shape->loops, 16},
        {"overlap=", &shape->overlap, 1}};
    const char *text = getenv("TILEFOUNDRY_ROWS");
    while (text && *text) {
        size_t i = 0;
        char *end = NULL;
        text += strspn(text, " ");
        while (i < sizeof(words) / sizeof(*words) && strncmp(text, words[i].name, strlen(words[i].name)) != 0)
            i++;
        if (!*text)
            break;
        if (i == sizeof(words) / sizeof(*words))
            return text;
        unsigned long value = strtoul(text + strlen(words[i].name), &end, 10);
        if (value > words[i].most || (*end && *end != ' '))
            return text;
        *words[i].at = (unsigned)value;
        text = end;
    }
    return NULL;
}

static inline int cu_is_lane_group(size_t group)
{
    size_t lanes = group / 8;
    return group % 8 == 0 && lanes <= CU_WARP && (lanes & (lanes - 1)) == 0;
}

/* What was asked for is a launch, and has the row. */
static inline int cu_fits(const struct cu_rows *r, const struct cu_shape *s)
{
    if (!s->team || s->team % CU_WARP || !s->cluster || (s->cluster > 1 && !cu_has_parts(r, s->cluster)))
        return 0;
    return s->team * s->vectors >= cu_ceil(r->length / s->cluster, 8);
}

/* TF_E_UNSUPPORTED: rows.cu is not for this. */
static inline int cu_choose(const struct cu_rows *r, struct cu_shape *shape)
{
    size_t eights = (r->length + 7) / 8;
    *shape = (struct cu_shape){.teams = 1, .overlap = r->rows <= CU_MOST_OVERLAPPED};
    if (r->group && r->group != r->length && (!cu_is_lane_group(r->group) || r->length % r->group != 0))
        return TF_E_UNSUPPORTED;
    shape->cluster = cu_cluster(r, 4);
    if (!shape->cluster)
        return TF_E_UNSUPPORTED;
    eights = cu_ceil(r->length / shape->cluster, 8);
    shape->vectors = cu_vectors(r, eights);
    shape->team = cu_team(eights, shape->vectors);
    if (eights <= 2 * CU_WARP && shape->cluster == 1) {
        shape->team = CU_WARP;
        shape->vectors = cu_ceil(eights, CU_WARP);
        shape->teams = 8;
    }
    const char *wrong = cu_override(shape);
    if (shape->team != CU_WARP || shape->cluster != 1) /* only a warp's sums are apart from those beside it */
        shape->teams = 1;
    if (!wrong && !cu_fits(r, shape))
        wrong = getenv("TILEFOUNDRY_ROWS");
    if (!wrong)
        return TF_OK;
    tf_host->error(r->ctx, NULL, "rows-override",
        "$TILEFOUNDRY_ROWS at '%s': expected team= (a multiple of 32), vectors=, cluster=, loops=, overlap= that have "
        "rows of %zu",
        wrong, r->length);
    return TF_E_REFUSED;
}

static inline const char *cu_accessors(tf_ctx *ctx, const char *what, uint32_t dtype)
{
    const char *type = dtype == TF_DTYPE_F16 ? "f16" : "bf16";
    return tf_host->format(ctx, "#define LOW_%s low_%s\n#define HIGH_%s high_%s\n", what, type, what, type);
}

static inline unsigned cu_bytes(uint32_t dtype)
{
    return dtype == TF_DTYPE_F32 ? 4 : 2;
}

static inline void cu_add_sizes(struct pk_text *out, const struct cu_rows *r, const struct cu_shape *s)
{
    const struct {
        const char *name;
        size_t value;
    } sizes[] = {{"ROWS", r->rows}, {"LENGTH", r->length}, {"GROUP", r->group}, {"TEAM", s->team}, {"TEAMS", s->teams},
        {"VECTORS", s->vectors}, {"CLUSTER", s->cluster}, {"LOOPS", s->loops != 0}, {"OVERLAPS", s->overlap},
        {"IN_BYTES", cu_bytes(r->in)}, {"HELD_BYTES", cu_bytes(r->held)}, {"WEIGHT_BYTES", r->weight_bytes},
        {"BIAS_BYTES", r->bias_bytes}, {"SCALE_BYTES", r->scale_bytes ? r->scale_bytes : 4}, {"NORM", r->norm},
        {"ADDS", r->adds != 0}, {"KEEPS_SUM", r->keeps_sum != 0}, {"DIVIDES", r->divides != 0}};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
        pk_add(out, "#define %s %zu\n", sizes[i].name, sizes[i].value);
    pk_add(out, "%s%s", cu_accessors(r->ctx, "IN", r->in), cu_accessors(r->ctx, "HELD", r->held));
    pk_add(out, "#ifndef FP8_OVERFLOW\n#define FP8_OVERFLOW 0\n#endif\n#define CODES_END %s\n#define CODES_BEYOND %s\n",
        r->codes == TF_DTYPE_FP8E5M2 ? "61440.0f" : "464.000031f", r->codes == TF_DTYPE_FP8E5M2 ? "0x7cu" : "0x7fu");
    pk_add(out, "#define CODES \"%s\"\n#define SCALE_TYPE %s\n#define KERNEL %s\n#define ROW_PARAMETERS %s\n\n",
        r->codes == TF_DTYPE_FP8E5M2 ? "e5m2" : "e4m3", r->scale_bytes == 2 ? "unsigned short" : "float", r->name,
        r->parameters);
}

/* The text of rows.cu stands around the functions, which its head leaves room for. */
static inline int cu_rows_text(const struct cu_rows *r, struct tf_artifact *artifact)
{
    static const char mark[] = "/* ---- the kernel ";
    struct pk_text out = {.ctx = r->ctx};
    struct cu_shape s;
    int status = cu_choose(r, &s);
    if (status)
        return status;
    const char *kernel = strstr(rows_cu, mark);
    size_t blocks = (r->rows + s.teams - 1) / s.teams;
    if (s.loops && blocks > CU_UNITS * s.loops)
        blocks = CU_UNITS * s.loops;
    if (!kernel || blocks * s.cluster > INT32_MAX)
        return TF_E_UNSUPPORTED;
    pk_add(&out, "%s * A row is in the registers of %u threads%s, %u times eight elements each%s.\n */\n", r->title,
        s.team, s.cluster > 1 ? tf_host->format(r->ctx, " of each of %u CTAs", s.cluster) : "", s.vectors,
        s.loops ? "; a CTA does one row after another" : "");
    pk_add(&out, "//@ launch %s grid %zu 1 1 block %u 1 1 shared 0 cluster %u overlap %u with %s\n\n", r->name,
        blocks * s.cluster, s.team * s.teams, s.cluster, s.overlap, r->with);
    cu_add_sizes(&out, r, &s);
    pk_add(&out, "#define BLOCKS_AN_SM 1\n\n%.*s", (int)(kernel - rows_cu), rows_cu);
    pk_add(&out,
        "/* ---- what the program says "
        "-----------------------------------------------------------------------------------*/\n\n%s\n%s",
        r->functions, kernel);
    artifact->text = out.at;
    artifact->length = out.n;
    artifact->suffix = ".cu";
    artifact->entry = r->name;
    return TF_OK;
}

#endif
