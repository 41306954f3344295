/* SPDX-License-Identifier: MIT
 * Loop footprints of random programs, held against the oracle; and the other rules' totals stay out of it.
 */
#include "analysis/oracle.h"

#include "front/front.h"
#include "plugin/registry.h"
#include "report/store.h"
#include "target/target.h"
#include "util/diag.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct target_memory memories[] = {
    {.name = "gmem", .scope = "device", .capacity = (uint64_t)1 << 40, .bandwidth = 1000000000, .is_explicit = 1},
    {.name = "smem", .scope = "cta", .capacity = (uint64_t)1 << 40, .is_explicit = 1},
    {.name = "rmem", .scope = "sm", .capacity = (uint64_t)1 << 40, .is_explicit = 1},
};
static const struct target_level levels[] = {{"cta", 0}, {"thread", 1024}};
static const struct tf_target target = {.id = "test.device",
    .family = "cuda",
    .kind = "device",
    .n_memories = 3,
    .memories = memories,
    .n_levels = 2,
    .levels = levels};

static char folder[] = "/tmp/tilefoundry-footprints-XXXXXX";

/* ---- random programs -----------------------------------------------------------------------------------------------*/

static uint32_t seed;
static int pick(int lo, int hi) /* lo..hi */
{
    seed = seed * 1664525u + 1013904223u;
    return lo + (int)((seed >> 8) % (uint32_t)(hi - lo + 1));
}

struct loop_var {
    char name[8];
    int is_tile, start, extent, step;
};

struct making {
    struct buf out;
    struct loop_var loop[3];
    int n_loops, has_mesh, units;
    int image[2];
    int n_values, depth; /* depth: of the statement at hand */
};

static void line(struct making *m, int depth, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void line(struct making *m, int depth, const char *format, ...)
{
    va_list args;
    for (int i = 0; i < depth; i++)
        buf_str(&m->out, "    ");
    va_start(args, format);
    buf_vprintf(&m->out, format, args);
    va_end(args);
    buf_char(&m->out, '\n');
}

/* A subscript of an axis of this extent; *size is what is left of it, 0 when the axis goes. */
static void subscript(struct making *m, char *text, size_t room, int extent, int *size)
{
    const struct loop_var *var = m->n_loops ? &m->loop[pick(0, m->n_loops - 1)] : NULL;
    int a = pick(0, extent - 1), b = pick(a + 1, extent);
    *size = extent;
    switch (pick(0, 8)) {
    case 0:
    case 1: snprintf(text, room, ":"); return;
    case 2:
        snprintf(text, room, "%d:%d", a, b);
        *size = b - a;
        return;
    case 3:
        if (m->has_mesh && extent % m->units == 0) {
            *size = extent / m->units;
            snprintf(text, room, "m.c * %d : m.c * %d + %d", *size, *size, *size);
            return;
        }
        snprintf(text, room, "%d", a);
        *size = 0;
        return;
    default: break;
    }
    if (!var) {
        snprintf(text, room, ":");
        return;
    }
    if (var->is_tile) {
        *size = var->step < extent ? var->step : extent;
        snprintf(text, room, var->step <= extent ? "%s" : ":", var->name);
        return;
    }
    int n = pick(1, extent);
    switch (pick(0, 4)) {
    case 0:
        snprintf(text, room, "%s", var->name);
        *size = 0;
        return;
    case 1:
        snprintf(text, room, "%s * %d : %s * %d + %d", var->name, n, var->name, n, n);
        *size = n;
        return;
    case 2:
        snprintf(text, room, "%s + %d : %s + %d", var->name, pick(0, 2), var->name, n + 2);
        *size = 0;
        break;
    case 3:
        line(m, m->depth, "h%d = %s // 2", m->n_values, var->name);
        snprintf(text, room, "h%d : h%d + %d", m->n_values, m->n_values, n);
        m->n_values++;
        *size = n;
        return;
    default:
        snprintf(text, room, "%s : %s + %d", var->name, var->name, n);
        *size = n;
        return;
    }
    snprintf(text, room, "%s", var->name);
}

struct value {
    char name[16];
    int rank, extent[4];
};

static void cut(struct making *m, int depth, const struct value *from, struct value *to)
{
    char text[4][96];
    to->rank = 0;
    m->depth = depth;
    for (int a = 0; a < from->rank; a++) {
        int size;
        subscript(m, text[a], sizeof(text[a]), from->extent[a], &size);
        if (size)
            to->extent[to->rank++] = size;
    }
    snprintf(to->name, sizeof(to->name), "v%d", m->n_values++);
    line(m, depth, "%s = %s[%s%s%s%s%s]", to->name, from->name, text[0], from->rank > 1 ? ", " : "",
        from->rank > 1 ? text[1] : "", from->rank > 2 ? ", " : "", from->rank > 2 ? text[2] : "");
}

static void reshape(struct making *m, int depth, struct value *v)
{
    int n = 1;
    for (int a = 0; a < v->rank; a++)
        n *= v->extent[a];
    int first = pick(1, n);
    while (n % first)
        first--;
    line(m, depth, "r%d = tf.reshape(%s, (%d, %d))", m->n_values, v->name, first, n / first);
    snprintf(v->name, sizeof(v->name), "r%d", m->n_values++);
    v->rank = 2;
    v->extent[0] = first;
    v->extent[1] = n / first;
}

static void use(struct making *m, int depth, const struct value *v)
{
    char axes[32] = "(";
    if (v->rank == 0) {
        line(m, depth, "acc = acc + %s", v->name);
        return;
    }
    for (int a = 0; a < v->rank; a++)
        snprintf(axes + strlen(axes), sizeof(axes) - strlen(axes), "%d,", a);
    line(m, depth, "acc = acc + tf.reduce(%s, %s), False, \"sum\")", v->name, axes);
}

/* Copies the value somewhere else, perhaps with an axis split over the units, and back. */
static void place(struct making *m, int depth, struct value *v)
{
    int n = m->n_values++, split = m->has_mesh ? pick(0, v->rank) : v->rank;
    char layout[128] = "(";
    if (split < v->rank && v->extent[split] % m->units)
        split = v->rank;
    for (int a = 0; a < v->rank; a++)
        snprintf(
            layout + strlen(layout), sizeof(layout) - strlen(layout), a == split ? "%d @ m.c, " : "%d, ", v->extent[a]);
    strcat(layout, ")");
    line(m, depth, "p%d = tf.exp(tf.reshard(%s, %s, \"smem\"))", n, v->name, layout);
    if (pick(0, 2) == 0) {
        struct value placed = *v, part;
        snprintf(placed.name, sizeof(placed.name), "p%d", n);
        if (split == v->rank) {
            cut(m, depth, &placed, &part);
            if (part.rank) {
                *v = part;
                n = m->n_values++;
                line(m, depth, "p%d = tf.abs(%s)", n, v->name);
            }
        }
    }
    char whole[128] = "(";
    for (int a = 0; a < v->rank; a++)
        snprintf(whole + strlen(whole), sizeof(whole) - strlen(whole), "%d, ", v->extent[a]);
    strcat(whole, ")");
    line(m, depth, "q%d = tf.reshard(p%d, %s, \"gmem\")", n, n, whole);
    snprintf(v->name, sizeof(v->name), "q%d", n);
}

/* Writes the value into a window of a larger one. */
static void insert(struct making *m, int depth, struct value *v)
{
    int n = m->n_values++;
    char starts[128] = "(", shape[128] = "(";
    for (int a = 0; a < v->rank; a++) {
        const struct loop_var *var = m->n_loops && pick(0, 1) ? &m->loop[pick(0, m->n_loops - 1)] : NULL;
        int more = pick(0, 4);
        if (var)
            snprintf(starts + strlen(starts), sizeof(starts) - strlen(starts), "%s, ", var->name);
        else
            snprintf(starts + strlen(starts), sizeof(starts) - strlen(starts), "%d, ", pick(0, more));
        v->extent[a] += more;
        snprintf(shape + strlen(shape), sizeof(shape) - strlen(shape), "%d, ", v->extent[a]);
    }
    strcat(starts, ")");
    strcat(shape, ")");
    line(m, depth, "d%d = tf.insert_slice(tf.zeros(Tensor[%s, \"f32\"]), %s, %s)", n, shape, v->name, starts);
    snprintf(v->name, sizeof(v->name), "d%d", n);
}

static void convolve(struct making *m, int depth)
{
    struct value image = {"c", 4, {1, 2, m->image[0], m->image[1]}}, v;
    char text[2][96];
    int size[2];
    m->depth = depth;
    for (int a = 0; a < 2; a++) {
        subscript(m, text[a], sizeof(text[a]), image.extent[2 + a], &size[a]);
        if (size[a] < 3) {
            strcpy(text[a], ":");
            size[a] = image.extent[2 + a];
        }
    }
    int n = m->n_values++;
    line(m, depth, "w%d = c[:, :, %s, %s]", n, text[0], text[1]);
    line(m, depth, "o%d = tf.conv2d(w%d, g, b, (%d, %d), (%d, %d), (1, 1), 1)", n, n, pick(1, 4), pick(1, 3),
        pick(0, 1), pick(0, 1));
    snprintf(v.name, sizeof(v.name), "o%d", n);
    v.rank = 4;
    use(m, depth, &v);
}

static void body(struct making *m, int depth, const struct value *sources, int n)
{
    for (int s = pick(1, 3); s > 0; s--) {
        struct value v = sources[pick(0, n - 1)], next;
        for (int views = pick(0, 3); views > 0 && v.rank; views--) {
            if (pick(0, 2) == 0) {
                reshape(m, depth, &v);
                continue;
            }
            cut(m, depth, &v, &next);
            v = next;
        }
        if (v.rank && pick(0, 2) == 0)
            place(m, depth, &v);
        else if (v.rank && pick(0, 3) == 0)
            insert(m, depth, &v);
        else if (v.rank && pick(0, 4) == 0)
            line(m, depth, "k%d = tf.concat((%s, %s), axis=0)", m->n_values, v.name, v.name),
                snprintf(v.name, sizeof(v.name), "k%d", m->n_values++);
        else if (pick(0, 5) == 0)
            convolve(m, depth);
        use(m, depth, &v);
    }
}

static void open_loop(struct making *m, int depth)
{
    struct loop_var *var = &m->loop[m->n_loops];
    snprintf(var->name, sizeof(var->name), "%c", 'i' + m->n_loops);
    var->is_tile = pick(0, 1);
    var->step = pick(1, 3);
    var->start = var->is_tile ? 0 : pick(0, 2);
    var->extent = pick(var->start + 1, 9);
    if (var->is_tile && var->step == 1)
        var->step = 2;
    if (var->is_tile)
        line(m, depth, "for %s in tile(%d, %d):", var->name, var->extent, var->step);
    else
        line(m, depth, "for %s in range(%d, %d, %d):", var->name, var->start, var->extent, var->step);
    m->n_loops++;
}

static void make_program(struct making *m)
{
    struct value sources[3] = {
        {"x", 2, {pick(2, 12), pick(2, 12)}}, {"y", 3, {pick(1, 4), pick(2, 6), pick(2, 8)}}, {"z", 1, {pick(2, 16)}}};
    m->has_mesh = pick(0, 1);
    m->units = pick(2, 4);
    line(m, 0, "from tilefoundry import func, module");
    line(m, 0, "from tilefoundry.dsl import Mesh, Tensor, Topology, tf");
    line(m, 0, "from tilefoundry.dsl.tf import *");
    line(m, 0, "from tilefoundry.target import CudaTarget");
    line(m, 0, "@module(entry=\"go\", target=CudaTarget(\"nvidia.h200_sxm\"), topologies=(Topology(\"cta\", %d),))",
        m->units);
    line(m, 0, "class M:");
    line(m, 1, "@func");
    m->image[0] = pick(4, 9);
    m->image[1] = pick(4, 9);
    line(m, 1, "def go(x: Tensor[(%d, %d), \"f32\"], y: Tensor[(%d, %d, %d), \"f32\"], z: Tensor[(%d,), \"f32\"],",
        sources[0].extent[0], sources[0].extent[1], sources[1].extent[0], sources[1].extent[1], sources[1].extent[2],
        sources[2].extent[0]);
    line(m, 2,
        "c: Tensor[(1, 2, %d, %d), \"f32\"], g: Tensor[(3, 2, 2, 3), \"f32\"], b: Tensor[(3,), \"f32\"]):", m->image[0],
        m->image[1]);
    int depth = 2;
    if (m->has_mesh)
        line(m, depth++, "with Mesh((\"cta\",), (%d,), (\"c\",)) as m:", m->units);
    line(m, depth, "acc = tf.zeros(Tensor[(), \"f32\"])");
    int inner = depth;
    for (int l = pick(1, 3); l > 0; l--) {
        open_loop(m, inner++);
        if (l == 1 || pick(0, 2) == 0)
            body(m, inner, sources, 3);
    }
    line(m, depth, "return acc");
}

/* ---- comparing -----------------------------------------------------------------------------------------------------*/

struct row {
    char level[8];
    uint64_t bytes, device, repeated;
};

static int by_numbers(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int order = strcmp(x->level, y->level);
    if (order)
        return order;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? -1 : 1;
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    return (x->repeated > y->repeated) - (x->repeated < y->repeated);
}

static uint32_t parse_rows(const char *text, struct row *rows)
{
    uint32_t n = 0;
    for (const char *at = text; (at = strchr(at, '@')); n++) {
        unsigned long long bytes, device, repeated;
        ck_assert_int_eq(sscanf(at + 1, "%7[a-z]:%llu/%llu/%llu", rows[n].level, &bytes, &device, &repeated), 4);
        rows[n].bytes = bytes;
        rows[n].device = device;
        rows[n].repeated = repeated;
        at++;
        if (bytes == 0 && device == 0)
            n--; /* reached, but nothing of it is there */
    }
    qsort(rows, n, sizeof(*rows), by_numbers);
    return n;
}

#define MAX_ROWS 64
static void compare_loop(
    tf_ctx *ctx, const struct tf_program *program, uint32_t loop, uint32_t round, const char *text, uint32_t *uppers)
{
    struct oracle_row right[MAX_ROWS];
    struct row want[MAX_ROWS], have[MAX_ROWS];
    uint32_t n = oracle_loop(ctx, program, loop, right, MAX_ROWS);
    const struct field *field = ctx->report->loops[loop]->first;
    uint32_t m = strcmp(field->key, "footprints") ? 0 : parse_rows(field->value, have);
    const char *status = m || field->next ? field->next->value : field->value;
    ck_assert_uint_ne(n, UINT32_MAX);
    if (strcmp(status, "complete")) {
        ++*uppers;
        if (getenv("TF_SHOW"))
            fprintf(stderr, "upper bound in %u, loop %s: %s\n%s", round, program->loops[loop].name, field->value, text);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        snprintf(want[i].level, sizeof(want[i].level), "%s", storage_name(right[i].level));
        want[i].bytes = right[i].bytes;
        want[i].device = right[i].device;
        want[i].repeated = right[i].repeated;
    }
    qsort(want, n, sizeof(*want), by_numbers);
    int same = n == m;
    for (uint32_t i = 0; i < n && same; i++)
        same = by_numbers(&want[i], &have[i]) == 0;
    struct buf told = {0};
    for (uint32_t i = 0; i < n; i++)
        buf_printf(&told, " %s:%llu/%llu/%llu", want[i].level, (unsigned long long)want[i].bytes,
            (unsigned long long)want[i].device, (unsigned long long)want[i].repeated);
    ck_assert_msg(same, "round %u, loop %s: %s, expected%s\n%s", round, program->loops[loop].name, field->value,
        buf_text(&told), text);
    buf_free(&told);
}

static int run_program(const char *text, uint32_t round, uint32_t *uppers)
{
    char path[256], selector[300], plugins[512];
    tf_ctx *ctx = ctx_create();
    struct selection selection;
    const char *const families[] = {"memory"};
    struct report_options options = {.requested = families, .n_requested = 1};
    snprintf(path, sizeof(path), "%s/program.py", folder);
    snprintf(selector, sizeof(selector), "%s:M", path);
    snprintf(plugins, sizeof(plugins), "%s/plugins/.libs", getenv("TF_BUILD") ? getenv("TF_BUILD") : ".");
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
    registry_create(ctx);
    registry_only_added_paths(ctx);
    ck_assert_int_eq(registry_add_path(ctx, plugins), TF_OK);
    int rc = front_load(ctx, selector, &selection);
    struct ir_function *inlined = rc ? NULL : ir_inline(ctx, selection.module, selection.function, NULL, 0);
    const struct tf_program *program = inlined ? ir_program_make(ctx, selection.module, inlined, &target, NULL) : NULL;
    if (program) {
        report_create(ctx, &options);
        if (report_run(ctx, program) != TF_OK) {
            diag_flush(ctx, stderr, 0);
            ck_abort_msg("round %u: the analysis refused\n%s", round, text);
        }
        for (uint32_t i = 0; i < program->n_loops; i++)
            compare_loop(ctx, program, i, round, text, uppers);
        report_finish(ctx);
    } else if (getenv("TF_SHOW")) {
        diag_flush(ctx, stderr, 0);
    }
    registry_destroy(ctx->registry);
    ctx_destroy(ctx);
    return program != NULL;
}

START_TEST(random_programs)
{
    uint32_t accepted = 0, uppers = 0, rounds = getenv("TF_ROUNDS") ? (uint32_t)atoi(getenv("TF_ROUNDS")) : 300;
    uint32_t first = getenv("TF_FIRST") ? (uint32_t)atoi(getenv("TF_FIRST")) : 0;
    for (uint32_t round = first; round < first + rounds; round++) {
        struct making m = {.n_loops = 0};
        seed = round * 2654435761u + 99u;
        make_program(&m);
        accepted += (uint32_t)run_program(buf_text(&m.out), round, &uppers);
        buf_free(&m.out);
    }
    printf("%u of %u programs accepted, %u loops bounded from above\n", accepted, rounds, uppers);
    ck_assert_uint_ge(accepted, rounds / 3);
}
END_TEST

int main(void)
{
    if (!mkdtemp(folder))
        return 1;
    Suite *suite = suite_create("footprints");
    TCase *cases = tcase_create("footprints");
    tcase_set_timeout(cases, 600);
    tcase_add_test(cases, random_programs);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    char path[256];
    snprintf(path, sizeof(path), "%s/program.py", folder);
    unlink(path);
    rmdir(folder);
    return failed != 0;
}
