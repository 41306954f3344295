/* SPDX-License-Identifier: MIT
 * cases/NAME.py is loaded and printed: as authored (NAME.out), and with its entry's calls copied in (NAME.flat).  Each
 * text must read back to the same program, and print as itself again.  TF_UPDATE=1 writes the texts.
 * A case whose first line is `# select: MODULE` has several modules.
 */
#include "hir_equal.h"
#include "random_program.h"

#include "front/front.h"
#include "plugin/registry.h"
#include "util/diag.h"

#include <check.h>
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static tf_ctx *ctx;
static char folder[] = P_tmpdir "/tilefoundry-print-XXXXXX", source_folder[PATH_MAX];

static void open_context(void)
{
    char path[PATH_MAX];
    ctx = ctx_create();
    snprintf(path, sizeof(path), "%s/plugins/.libs", getenv("TF_BUILD") ? getenv("TF_BUILD") : ".");
    ck_assert_ptr_nonnull(registry_create(ctx));
    registry_only_added_paths(ctx);
    ck_assert_int_eq(registry_add_path(ctx, path), 0);
}

static void close_context(void)
{
    registry_destroy(ctx->registry);
    ctx_destroy(ctx);
}

static void setup(void)
{
    snprintf(source_folder, sizeof(source_folder), "%s/tests/print/cases", getenv("TF_SRC") ? getenv("TF_SRC") : ".");
    strcpy(folder + sizeof(folder) - 7, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    open_context();
}

static void teardown(void)
{
    char path[PATH_MAX];
    close_context();
    snprintf(path, sizeof(path), "%s/back.py", folder);
    unlink(path);
    ck_assert(!rmdir(folder));
}

/* ---- files ---------------------------------------------------------------------------------------------------------*/

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    ck_assert_msg(file != NULL, "cannot write %s", path);
    fputs(text, file);
    fclose(file);
}

static char *read_text(const char *path)
{
    struct buf text = {0};
    char part[4096];
    FILE *file = fopen(path, "r");
    for (size_t n; file && (n = fread(part, 1, sizeof(part), file)) > 0;)
        buf_add(&text, part, n);
    if (file)
        fclose(file);
    buf_add(&text, "", 0);
    return text.at;
}

static void compare(const char *name, const char *ending, const char *got)
{
    char path[PATH_MAX + 16];
    snprintf(path, sizeof(path), "%s/%.*s.%s", source_folder, (int)strlen(name) - 3, name, ending);
    if (getenv("TF_UPDATE") && !strcmp(getenv("TF_UPDATE"), "1")) {
        write_text(path, got);
        return;
    }
    char *want = read_text(path);
    if (strcmp(want, got))
        fprintf(stderr, "expected:\n%s\ngot:\n%s\n", want, got);
    ck_assert_msg(!strcmp(want, got), "%s differs", path);
    free(want);
}

static void refuse(const char *what, const char *text)
{
    diag_flush(ctx, stderr, 0);
    fprintf(stderr, "%s\n", text);
    ck_abort_msg("%s", what);
}

/* ---- printing and reading back -------------------------------------------------------------------------------------*/

static const struct ir_module *root_of(const struct ir_module *module)
{
    while (module->parent)
        module = module->parent;
    return module;
}

static struct selection load_back(const char *text, const char *module)
{
    struct selection back;
    char path[PATH_MAX], source[PATH_MAX + 128];
    snprintf(path, sizeof(path), "%s/back.py", folder);
    write_text(path, text);
    snprintf(source, sizeof(source), "%s:%s", path, module);
    if (front_load(ctx, source, &back))
        refuse("what was printed is not read", text);
    return back;
}

/* name: of the case whose golden file the text must be; or NULL. */
static void check_authored(const char *name, const struct ir_module *module)
{
    struct buf text = {0}, again = {0};
    ir_print_module(ctx, &text, module, NULL);
    if (name)
        compare(name, "out", buf_text(&text));
    struct selection back = load_back(buf_text(&text), module->name);
    const char *why = hir_modules_differ(ctx, module, back.module);
    if (why)
        refuse(why, buf_text(&text));
    ir_print_module(ctx, &again, back.module, NULL);
    ck_assert_str_eq(buf_text(&text), buf_text(&again));
    buf_free(&text);
    buf_free(&again);
}

/* ---- with calls copied in ------------------------------------------------------------------------------------------*/

struct places {
    size_t n;
    struct {
        const char *name;
        size_t line;
    } at[256];
};

static const char *note(void *data, const struct tf_node *node)
{
    (void)data;
    return node->kind == TF_NODE_CALL ? "; call" : node->kind == TF_NODE_LOOP ? "; loop" : NULL;
}

static void placed(void *data, const struct tf_node *node, const char *name, size_t line)
{
    struct places *places = data;
    (void)node;
    if (places->n < 256) {
        places->at[places->n].name = name;
        places->at[places->n++].line = line;
    }
}

/* Each name stands on the line that it is said to. */
static void check_places(const struct places *places, const char *text)
{
    for (size_t i = 0; i < places->n; i++) {
        const char *line = text;
        for (size_t k = 1; k < places->at[i].line; k++)
            line = strchr(line, '\n') + 1;
        size_t n = strcspn(line, "\n");
        char *copy = strndup(line, n);
        const char *found = strstr(copy, places->at[i].name);
        ck_assert_msg(found != NULL || strstr(copy, "with "), "'%s' is not on line %zu: %s", places->at[i].name,
            places->at[i].line, copy);
        free(copy);
    }
}

static struct ir_function *flatten(const struct selection *from)
{
    struct dim_var vars[8];
    struct dim_binding bound[8];
    size_t n = ir_dimensions(ctx, from->function, vars, 8);
    ck_assert_uint_le(n, 8);
    for (size_t i = 0; i < n; i++)
        bound[i] = (struct dim_binding){vars[i].name, vars[i].lo + 1};
    struct ir_function *flat = ir_inline(ctx, from->module, from->function, bound, n);
    if (!flat)
        refuse("the calls cannot be copied in", from->function->pub.name);
    return flat;
}

static void print_flat(struct buf *out, const struct selection *from, struct ir_function *flat, struct places *places)
{
    const struct tf_topology *levels;
    struct ir_module view = {.name = from->module->name, .entry = flat->pub.name, .n_functions = 1, .functions = &flat};
    module_levels(from->module, &levels, &view.n_levels);
    view.has_levels = 1;
    view.levels = arena_copy(&ctx->arena, levels, view.n_levels * sizeof(*levels));
    view.target = module_target(from->module);
    struct print_hooks hooks = {.data = places, .note = note, .placed = placed};
    ir_print_module(ctx, out, &view, &hooks);
}

/* Without the comments that say where a part came from. */
static void drop_comments(char *text)
{
    char *to = text;
    for (char *line = text; *line;) {
        size_t n = strcspn(line, "\n") + 1;
        if (line[strspn(line, " ")] != '#') {
            memmove(to, line, n);
            to += n;
        }
        line += n;
    }
    *to = '\0';
}

static void check_flat(const char *name, const struct selection *from)
{
    struct buf text = {0}, again = {0};
    struct places places = {0}, ignored = {0};
    struct ir_function *flat = flatten(from);
    print_flat(&text, from, flat, &places);
    if (name)
        compare(name, "flat", buf_text(&text));
    check_places(&places, buf_text(&text));
    struct selection back = load_back(buf_text(&text), from->module->name);
    struct ir_function *reflat = flatten(&back);
    const char *why = hir_differs(ctx, flat, reflat);
    if (why)
        refuse(why, buf_text(&text));
    print_flat(&again, &back, reflat, &ignored);
    drop_comments(text.at);
    drop_comments(again.at);
    ck_assert_str_eq(text.at, again.at);
    buf_free(&text);
    buf_free(&again);
}

/* ---- the cases -----------------------------------------------------------------------------------------------------*/

static int is_case(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);
    return n > 3 && !strcmp(entry->d_name + n - 3, ".py");
}

static void run_case(const char *name)
{
    static const char mark[] = "# select: ";
    char path[PATH_MAX + 256], module[64] = "";
    struct selection from;
    snprintf(path, sizeof(path), "%s/%s", source_folder, name);
    char *text = read_text(path);
    if (!strncmp(text, mark, strlen(mark)))
        sscanf(text + strlen(mark), "%60s", module + 1);
    if (module[1])
        module[0] = ':';
    free(text);
    strcat(path, module);
    if (front_load(ctx, path, &from))
        refuse("the case is not read", name);
    check_authored(name, root_of(from.module));
    if (from.function)
        check_flat(name, &from);
}

START_TEST(test_cases)
{
    struct dirent **entries;
    int n = scandir(source_folder, &entries, is_case, alphasort);
    ck_assert_int_gt(n, 5);
    for (int i = 0; i < n; i++) {
        close_context();
        open_context();
        run_case(entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
}
END_TEST

#define FIRST_SEED 1u
#define SEEDS 500u
START_TEST(test_random)
{
    char path[PATH_MAX];
    struct selection from;
    snprintf(path, sizeof(path), "%s/back.py", folder);
    for (uint32_t seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
        struct buf text = {0};
        close_context();
        open_context();
        random_program(&text, seed);
        write_text(path, buf_text(&text));
        if (front_load(ctx, path, &from))
            refuse("the program is not read", buf_text(&text));
        check_authored(NULL, root_of(from.module));
        check_flat(NULL, &from);
        buf_free(&text);
    }
}
END_TEST

/* A chain is printed without recursion, and names that come again cost no more than others. */
START_TEST(test_long_chain)
{
    struct buf text = {0};
    char path[PATH_MAX];
    struct selection from;
    buf_str(&text, "from tilefoundry import func, module\nfrom tilefoundry.dsl import Tensor, Topology, tf\n"
                   "from tilefoundry.target import CudaTarget\n"
                   "@module(entry=\"f\", target=CudaTarget(\"nvidia.h200_sxm\"), topologies=(Topology(\"cta\", 4),))\n"
                   "class M:\n    @func\n    def f(x: Tensor[(4,), \"f32\"]):\n");
    for (int i = 0; i < 50000; i++)
        buf_str(&text, i % 2 ? "        x = x + 1.0\n" : "        x = tf.exp(x)\n");
    buf_str(&text, "        return x\n");
    snprintf(path, sizeof(path), "%s/back.py", folder);
    write_text(path, buf_text(&text));
    if (front_load(ctx, path, &from))
        refuse("the chain is not read", path);
    text.n = 0;
    ir_print_module(ctx, &text, from.module, NULL);
    ck_assert_ptr_nonnull(strstr(buf_text(&text), "\n        x_50001 = tf.add(x_50000, 1.0)  # "));
    struct selection back = load_back(buf_text(&text), "M");
    ck_assert_uint_eq(back.function->pub.n_nodes, from.function->pub.n_nodes);
    buf_free(&text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("print");
    TCase *tcase = tcase_create("print");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, test_cases);
    tcase_add_test(tcase, test_random);
    tcase_add_test(tcase, test_long_chain);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
