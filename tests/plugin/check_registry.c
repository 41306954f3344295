/* SPDX-License-Identifier: MIT
 * The registry over folders of fixtures: what is found, what is opened for it, and what a refusal leaves behind.
 */
#include "plugin/module.h"
#include "plugin/registry.h"
#include "util/buf.h"
#include "util/diag.h"

#include <check.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/tilefoundry-registry.XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[2][256];
    static int turn;
    turn = !turn;
    snprintf(path[turn], sizeof(path[turn]), "%s/%s", folder, name);
    return path[turn];
}

static void copy(const char *fixture, const char *name)
{
    char from[512], block[65536];
    const char *build = getenv("TF_BUILD");
    snprintf(from, sizeof(from), "%s/tests/plugin/fixtures/.libs/%s.so", build ? build : ".", fixture);
    unlink(in_folder(name)); /* it may be open, and its pages mapped */
    FILE *in = fopen(from, "rb"), *out = fopen(in_folder(name), "wb");
    ck_assert_msg(in && out, "%s is not built", from);
    for (size_t n; (n = fread(block, 1, sizeof(block), in));)
        ck_assert_uint_eq(fwrite(block, 1, n, out), n);
    fclose(in);
    fclose(out);
}

static void make_folder(void)
{
    memcpy(folder + sizeof(folder) - 7, "XXXXXX", 6);
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void drop_folder(void)
{
    char command[300];
    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}

/* A context that looks in the folder and nowhere else. */
static tf_ctx *look(void)
{
    tf_ctx *ctx = ctx_create();
    registry_only_added_paths(ctx);
    ck_assert_int_eq(registry_add_path(ctx, folder), 0);
    return ctx;
}

static void leave(tf_ctx *ctx)
{
    registry_destroy(ctx->registry);
    ctx_destroy(ctx);
}

static size_t n_loaded(tf_ctx *ctx)
{
    const struct plugin *const *plugins;
    return registry_plugins(ctx, &plugins);
}

/* What has been reported, as it would be printed. */
static const char *said(tf_ctx *ctx)
{
    static char text[4096];
    FILE *to = fmemopen(text, sizeof(text), "w");
    diag_flush(ctx, to, 0);
    fclose(to);
    return text;
}

/* As the build does it: by another process.  (The loader gives one that has a path open already what it opened then.) */
static void write_index(void)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        tf_ctx *ctx = ctx_create();
        _exit(registry_write_index(ctx, folder) != 0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}

START_TEST(an_index_keeps_files_closed)
{
    const struct tf_alias *alias;
    copy("whole", "whole.so");
    copy("older", "older.so");
    copy("newer", "newer.so");
    write_index();
    tf_ctx *ctx = look();
    const struct tf_op *op = registry_op(ctx, "older", &alias);
    ck_assert_ptr_nonnull(op);
    ck_assert_ptr_null(alias);
    ck_assert_uint_eq(n_loaded(ctx), 1);
    op = registry_op(ctx, "whole_flat", &alias);
    ck_assert_str_eq(op->name, "whole");
    ck_assert_str_eq(alias->value, "flat");
    ck_assert_uint_eq(n_loaded(ctx), 2);
    ck_assert_str_eq(registry_owner(ctx, op)->descriptor.name, "whole");
    ck_assert_ptr_null(registry_owner(ctx, alias));
    leave(ctx);
}
END_TEST

START_TEST(members_of_enumerations)
{
    copy("whole", "whole.so");
    copy("older", "older.so");
    write_index();
    tf_ctx *ctx = look();
    ck_assert_str_eq(registry_enum_member(ctx, "WholeShape", "FLAT"), "flat");
    ck_assert_ptr_null(registry_enum_member(ctx, "WholeShape", "flat"));
    ck_assert_ptr_null(registry_enum_member(ctx, "WholeShape", "FLA"));
    ck_assert_ptr_null(registry_enum_member(ctx, "OtherShape", "FLAT"));
    ck_assert_uint_eq(n_loaded(ctx), 1);
    leave(ctx);
}
END_TEST

START_TEST(a_file_dropped_in_is_found)
{
    copy("whole", "whole.so");
    write_index();
    copy("null-optional", "dropped.so");
    tf_ctx *ctx = look();
    ck_assert_ptr_nonnull(registry_op(ctx, "null_optional", NULL));
    ck_assert_ptr_null(registry_op(ctx, "nobodys", NULL));
    ck_assert_uint_eq(n_loaded(ctx), 1);
    leave(ctx);
}
END_TEST

START_TEST(a_stale_index_is_not_believed)
{
    copy("whole", "a.so");
    write_index();
    copy("older", "a.so");
    tf_ctx *ctx = look();
    ck_assert_ptr_null(registry_op(ctx, "whole", NULL));
    ck_assert_ptr_nonnull(registry_op(ctx, "older", NULL));
    leave(ctx);
    unlink(in_folder("a.so"));
    ctx = look();
    ck_assert_ptr_null(registry_op(ctx, "whole", NULL));
    ck_assert_uint_eq(diag_errors(ctx), 0);
    leave(ctx);
}
END_TEST

static void put_index(const char *format, ...)
{
    va_list args;
    FILE *index = fopen(in_folder("plugins.index"), "w");
    va_start(args, format);
    vfprintf(index, format, args);
    va_end(args);
    fclose(index);
}

/* An index that lies about a file is believed only while both its time and its size are the file's. */
START_TEST(time_and_size_both_count)
{
    struct stat status;
    copy("older", "a.so");
    ck_assert_int_eq(stat(in_folder("a.so"), &status), 0);
    for (int time_off = 0; time_off < 2; time_off++)
        for (int size_off = 0; size_off < 2; size_off++) {
            const char *const *names;
            put_index("tilefoundry-plugin-index 1\nfile a.so %lld %lld\nop lie\n",
                (long long)status.st_mtime + time_off, (long long)status.st_size + size_off);
            tf_ctx *ctx = look();
            ck_assert_uint_eq(registry_names(ctx, "op", &names), 1);
            ck_assert_str_eq(names[0], time_off || size_off ? "older" : "lie");
            ck_assert_ptr_null(registry_op(ctx, "lie", NULL));
            leave(ctx);
        }
}
END_TEST

START_TEST(an_index_of_nonsense_is_passed_over)
{
    static const char *const texts[] = {"", "\n", "tilefoundry-plugin-index 2\nfile a.so 1 1\nop x\n",
        "tilefoundry-plugin-index 1\nop lost\n", "tilefoundry-plugin-index 1\nfile ../a.so 1 1\n",
        "tilefoundry-plugin-index 1\nfile a.so\n", "tilefoundry-plugin-index 1\nfile a.so 1 1\ngadget x\n",
        "tilefoundry-plugin-index 1\nfile a.so 1 1\nop \n", "tilefoundry-plugin-index 1\nfile a.so 1 1\nop",
        "tilefoundry-plugin-index 1\nfile a.c 1 1\n", "tilefoundry-plugin-index 1\nfile sub/a.so 1 1\n",
        "tilefoundry-plugin-index 1\nop lost\nfile a.so 1 1\n"};
    copy("whole", "a.so");
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        const struct index_module *modules;
        put_index("%s", texts[i]);
        tf_ctx *ctx = look();
        ck_assert_msg(index_read(ctx, folder, &modules) == 0, "index %zu is read", i);
        ck_assert_ptr_nonnull(registry_op(ctx, "whole", NULL));
        ck_assert_ptr_null(registry_op(ctx, "lost", NULL));
        leave(ctx);
    }
}
END_TEST

START_TEST(modules_are_listed_in_order)
{
    static const char *const files[] = {"c.so", "a.so", "d.so", "b.so", ".hidden.so", "a.la", ".so"};
    const char *const *names;
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
        fclose(fopen(in_folder(files[i]), "w"));
    tf_ctx *ctx = ctx_create();
    ck_assert_uint_eq(search_list(ctx, folder, &names), 4);
    for (size_t i = 0; i < 4; i++)
        ck_assert_int_eq(names[i][0], (int)('a' + i));
    leave(ctx);
}
END_TEST

START_TEST(letters_of_names)
{
    static const char *const good[] = {"a", "a1", "fused-norm", "h200-2"};
    static const char *const bad[] = {"", "1a", "-a", "a-", "A", "a_b", "a b", "a.so", "a/b", "\303\244"};
    for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
        ck_assert_msg(name_is_plain(good[i]), "%s", good[i]);
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        ck_assert_msg(!name_is_plain(bad[i]), "%s", bad[i]);
    char longest[66];
    memset(longest, 'a', 65);
    longest[65] = '\0';
    ck_assert(!name_is_plain(longest) && !name_is_identifier(longest));
    ck_assert(name_is_plain(longest + 1) && name_is_identifier(longest + 1));
    ck_assert(name_is_identifier("_Ab9") && !name_is_identifier("9a") && !name_is_identifier("a-b"));
}
END_TEST

START_TEST(a_failed_start_leaves_nothing)
{
    copy("refuses", "a.so");
    tf_ctx *ctx = ctx_create();
    registry_only_added_paths(ctx);
    ck_assert_int_eq(registry_load(ctx, in_folder("a.so")), PLUGIN_START_REFUSED);
    ck_assert_ptr_null(registry_op(ctx, "refuses", NULL));
    ck_assert_ptr_null(registry_plugin(ctx, "refuses"));
    ck_assert_uint_eq(n_loaded(ctx), 0);
    leave(ctx);
    /* looked at from a folder it is a warning, and the run goes on */
    ctx = look();
    ck_assert_ptr_null(registry_op(ctx, "refuses", NULL));
    ck_assert_uint_eq(diag_errors(ctx), 0);
    ck_assert_ptr_nonnull(strstr(said(ctx), "warning: plugin "));
    leave(ctx);
}
END_TEST

START_TEST(a_refusal_is_told_once)
{
    copy("null-infer", "a.so");
    put_index("tilefoundry-plugin-index 1\n");
    tf_ctx *ctx = look();
    for (int i = 0; i < 3; i++)
        ck_assert_ptr_null(registry_op(ctx, "null_infer", NULL));
    registry_load_all(ctx);
    const char *text = said(ctx), *first = strstr(text, "[plugin-incomplete]");
    ck_assert_ptr_nonnull(first);
    ck_assert_ptr_null(strstr(first + 1, "[plugin-incomplete]"));
    leave(ctx);
}
END_TEST

START_TEST(two_that_provide_one_name)
{
    const struct tf_alias *alias;
    copy("whole", "whole.so");
    write_index();
    /* the holder is known from the index alone */
    tf_ctx *ctx = look();
    char elsewhere[] = "/tmp/tilefoundry-rival.XXXXXX";
    ck_assert_ptr_nonnull(mkdtemp(elsewhere));
    copy("rival", "rival.so");
    char moved[300];
    snprintf(moved, sizeof(moved), "%s/rival.so", elsewhere);
    ck_assert_int_eq(rename(in_folder("rival.so"), moved), 0);
    ck_assert_int_eq(registry_load(ctx, moved), TF_E_REFUSED);
    const char *text = said(ctx);
    ck_assert_ptr_nonnull(strstr(text, "rival.so: provides op whole_flat, and so does "));
    ck_assert_ptr_nonnull(strstr(text, in_folder("whole.so")));
    ck_assert_str_eq(registry_op(ctx, "whole_flat", &alias)->name, "whole");
    ck_assert_ptr_nonnull(alias);
    leave(ctx);
    unlink(moved);
    rmdir(elsewhere);
}
END_TEST

START_TEST(a_first_folder_hides_files_of_later_ones)
{
    copy("whole", "a.so");
    write_index();
    mkdir(in_folder("first"), 0755);
    copy("older", "first/a.so");
    tf_ctx *ctx = ctx_create();
    registry_only_added_paths(ctx);
    ck_assert_int_eq(registry_add_path(ctx, in_folder("first")), 0);
    ck_assert_int_eq(registry_add_path(ctx, folder), 0);
    ck_assert_ptr_null(registry_op(ctx, "whole", NULL));
    ck_assert_ptr_nonnull(registry_op(ctx, "older", NULL));
    leave(ctx);
}
END_TEST

START_TEST(older_and_newer_structs)
{
    copy("older", "older.so");
    copy("newer", "newer.so");
    tf_ctx *ctx = look();
    const struct tf_op *older = registry_op(ctx, "older", NULL), *newer = registry_op(ctx, "newer", NULL);
    ck_assert_ptr_null(older->eval);
    ck_assert_uint_eq(older->flags, 0);
    ck_assert_uint_eq(registry_owner(ctx, older)->descriptor.n_backends, 0);
    ck_assert_uint_eq(newer->struct_size, sizeof(struct tf_op) + 16);
    ck_assert_uint_eq(registry_owner(ctx, newer)->descriptor.abi_minor, 7);
    leave(ctx);
}
END_TEST

START_TEST(names_are_sorted_and_whole)
{
    const char *const *names;
    copy("whole", "z.so");
    copy("older", "a.so");
    write_index();
    tf_ctx *ctx = look();
    ck_assert_uint_eq(registry_names(ctx, "op", &names), 3);
    ck_assert_str_eq(names[0], "older");
    ck_assert_str_eq(names[1], "whole");
    ck_assert_str_eq(names[2], "whole_flat");
    ck_assert_uint_eq(registry_names(ctx, "twin", &names), 1);
    ck_assert(registry_provides(ctx, "op", "whole_flat") && registry_provides(ctx, "analyzer", "whole-analyzer"));
    ck_assert(!registry_provides(ctx, "op", "nobodys") && !registry_provides(ctx, "gadget", "whole"));
    ck_assert_uint_eq(registry_names(ctx, "plugin", &names), 2);
    ck_assert_uint_eq(registry_names(ctx, "gadget", &names), 0);
    ck_assert_uint_eq(n_loaded(ctx), 0);
    leave(ctx);
}
END_TEST

START_TEST(a_plugin_by_its_own_name)
{
    copy("whole", "called-otherwise.so");
    tf_ctx *ctx = look();
    ck_assert_int_eq(registry_load(ctx, "whole"), 0);
    ck_assert_uint_eq(registry_plugin(ctx, "whole")->is_explicit, 1);
    ck_assert_int_eq(registry_load(ctx, "called-otherwise"), 0);
    ck_assert_uint_eq(n_loaded(ctx), 1);
    ck_assert_int_eq(registry_load(ctx, "called-othrwise"), TF_E_REFUSED);
    ck_assert_ptr_nonnull(strstr(said(ctx), "did you mean called-otherwise?"));
    leave(ctx);
}
END_TEST

START_TEST(the_environment)
{
    char path[600];
    copy("whole", "whole.so");
    snprintf(path, sizeof(path), ":relative/plugins:%s:/nonexistent/plugins", folder);
    setenv("TILEFOUNDRY_PLUGIN_PATH", path, 1);
    tf_ctx *ctx = ctx_create();
    ck_assert_ptr_nonnull(registry_op(ctx, "whole", NULL));
    ck_assert_uint_eq(diag_errors(ctx), 0);
    const char *text = said(ctx);
    ck_assert_ptr_nonnull(
        strstr(text, "warning: plugin directory relative/plugins ($TILEFOUNDRY_PLUGIN_PATH): not absolute"));
    ck_assert_ptr_nonnull(strstr(text, "warning: plugin directory /nonexistent/plugins"));
    unsetenv("TILEFOUNDRY_PLUGIN_PATH");
    leave(ctx);
}
END_TEST

START_TEST(the_host_table_is_whole)
{
    size_t first = offsetof(struct tf_host, error);
    ck_assert_uint_eq(host_table.struct_size, sizeof(struct tf_host));
    for (size_t at = first; at < sizeof(struct tf_host); at += sizeof(void (*)(void))) {
        void (*function)(void);
        memcpy(&function, (const char *)&host_table + at, sizeof(function));
        ck_assert_msg(function != NULL, "the function at byte %zu of the host table is missing", at);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("registry");
    TCase *tests = tcase_create("registry");
    tcase_add_checked_fixture(tests, make_folder, drop_folder);
    tcase_add_test(tests, an_index_keeps_files_closed);
    tcase_add_test(tests, members_of_enumerations);
    tcase_add_test(tests, a_file_dropped_in_is_found);
    tcase_add_test(tests, a_stale_index_is_not_believed);
    tcase_add_test(tests, time_and_size_both_count);
    tcase_add_test(tests, an_index_of_nonsense_is_passed_over);
    tcase_add_test(tests, modules_are_listed_in_order);
    tcase_add_test(tests, letters_of_names);
    tcase_add_test(tests, a_failed_start_leaves_nothing);
    tcase_add_test(tests, a_refusal_is_told_once);
    tcase_add_test(tests, two_that_provide_one_name);
    tcase_add_test(tests, a_first_folder_hides_files_of_later_ones);
    tcase_add_test(tests, older_and_newer_structs);
    tcase_add_test(tests, names_are_sorted_and_whole);
    tcase_add_test(tests, a_plugin_by_its_own_name);
    tcase_add_test(tests, the_environment);
    tcase_add_test(tests, the_host_table_is_whole);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
