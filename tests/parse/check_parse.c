/* SPDX-License-Identifier: MIT
 * The lexer, the parser and the source reader.  cases/NAME.py is parsed; NAME.ast holds its tree, or NAME.err what is
 * said against it.  TF_UPDATE=1 writes those files.
 */
#include "ast_dump.h"

#include "front/lex.h"
#include "util/diag.h"
#include "util/vec.h"

#include <check.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static tf_ctx *ctx;

static void setup(void)
{
    ctx = ctx_create();
}

static void teardown(void)
{
    ctx_destroy(ctx);
}

/* All diagnostics so far, as the user would see them. */
static char *errors_text(void)
{
    char *text = NULL;
    size_t length;
    FILE *to = open_memstream(&text, &length);
    diag_flush(ctx, to, 0);
    fclose(to);
    return text;
}

/* ---- the cases -----------------------------------------------------------------------------------------------------*/

static int is_update(void)
{
    const char *update = getenv("TF_UPDATE");
    return update && !strcmp(update, "1");
}

static char *read_file(const char *path)
{
    struct buf text = {0};
    char part[4096];
    FILE *file = fopen(path, "r");
    if (!file)
        return NULL;
    for (size_t n; (n = fread(part, 1, sizeof(part), file)) > 0;)
        buf_add(&text, part, n);
    fclose(file);
    buf_add(&text, "", 0);
    return text.at;
}

static void compare(const char *path, const char *got)
{
    if (is_update()) {
        FILE *file = fopen(path, "w");
        ck_assert_ptr_nonnull(file);
        fputs(got, file);
        fclose(file);
        return;
    }
    char *want = read_file(path);
    int same = want && !strcmp(want, got);
    if (!same)
        fprintf(stderr, "expected:\n%s\ngot:\n%s\n", want ? want : "(no file)", got);
    ck_assert_msg(same, "%s differs", path);
    free(want);
}

static int is_case(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);
    return n > 3 && !strcmp(entry->d_name + n - 3, ".py");
}

static void run_case(const char *name)
{
    int stem = (int)strlen(name) - 3;
    char path[256];
    struct buf tree = {0};
    if (strcmp(name, "err_many.py") != 0)
        ctx->limits.errors = 1000;
    uint32_t file = source_read(ctx, name);
    struct ast *ast = file ? parse_source(ctx, file) : NULL;
    char *errors = errors_text();
    ck_assert_msg((ast != NULL) == (errors[0] == '\0'), "%s: a tree and errors, or neither", name);
    if (ast)
        ast_dump(&tree, ast, !strncmp(name, "places", 6));
    snprintf(path, sizeof(path), "%.*s.%s", stem, name, ast ? "ast" : "err");
    compare(path, ast ? buf_text(&tree) : errors);
    free(errors);
    buf_free(&tree);
}

START_TEST(test_cases)
{
    struct dirent **entries;
    char path[1024];
    snprintf(path, sizeof(path), "%s/tests/parse/cases", getenv("TF_SRC") ? getenv("TF_SRC") : ".");
    ck_assert_msg(!chdir(path), "no folder %s", path);
    int n = scandir(".", &entries, is_case, alphasort);
    ck_assert_int_gt(n, 20);
    for (int i = 0; i < n; i++) {
        teardown();
        setup();
        run_case(entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
}
END_TEST

/* ---- texts made here -----------------------------------------------------------------------------------------------*/

/* The text is kept: messages show its lines. */
static struct ast *parse_n(const char *text, size_t length)
{
    return parse_source(ctx, source_add(ctx, "t.py", arena_strndup(&ctx->arena, text, length), length));
}

static struct ast *parse(const struct buf *text)
{
    return parse_n(buf_text(text), text->n);
}

static void repeat(struct buf *out, const char *text, unsigned times)
{
    while (times--)
        buf_str(out, text);
}

static void expect_error(const char *want)
{
    char *text = errors_text();
    ck_assert_msg(strstr(text, want) != NULL, "expected '%s', got:\n%s", want, text);
    free(text);
}

static void expect_none(void)
{
    char *text = errors_text();
    ck_assert_msg(!*text, "%s", text);
    free(text);
}

/* left^times middle right^times: nested as deep as it says. */
static void nest(const char *left, const char *middle, const char *right, unsigned times)
{
    struct buf text = {0};
    repeat(&text, left, times);
    buf_str(&text, middle);
    repeat(&text, right, times);
    buf_str(&text, "\n");
    parse(&text);
    buf_free(&text);
}

START_TEST(test_depth)
{
    static const char *const shapes[][3] = {{"(", "a", ")"}, {"[", "a", "]"}, {"{", "a", "}"}, {"f(", "a", ")"},
        {"x[", "a", "]"}, {"-", "a", ""}, {"not ", "a", ""}, {"a ** ", "a", ""}, {"lambda: ", "a", ""},
        {"a if b else ", "a", ""}, {"await ", "a", ""}, {"{a: ", "b", "}"}, {"(a, ", "b", ")"}, {"f'{", "a", "}'"},
        {"[a for b in ", "c", "]"}, {"f(a=", "b", ")"}, {"f(*", "b", ")"}, {"(yield ", "b", ")"},
        {"f'{a:{", "b", "}}'"}, {"if a: pass\nelse:\n if b: pass\n", "", ""}};
    for (size_t i = 0; i + 1 < sizeof(shapes) / sizeof(*shapes); i++) {
        nest(shapes[i][0], shapes[i][1], shapes[i][2], 90);
        expect_none();
        nest(shapes[i][0], shapes[i][1], shapes[i][2], 201);
        expect_error("more than 200 levels of nesting (--limit depth=N raises this) [limit]");
        nest(shapes[i][0], shapes[i][1], shapes[i][2], 100000);
        expect_error("more than 200 levels of nesting (--limit depth=N raises this) [limit]");
    }
}
END_TEST

START_TEST(test_depth_raised)
{
    ctx->limits.depth = 1900;
    nest("(", "a", ")", 1899);
    expect_none();
    ctx->limits.depth = 1000000000;
    nest("(", "a", ")", 1900);
    expect_none();
    nest("(", "a", ")", 1000000);
    expect_error("more than 2000 levels of nesting [limit]");
    nest("-", "a", "", 1000000);
    expect_error("more than 2000 levels of nesting [limit]");
}
END_TEST

START_TEST(test_depth_statements)
{
    struct buf text = {0};
    for (unsigned depth = 0; depth < 300; depth++) {
        repeat(&text, " ", depth);
        buf_str(&text, "if a:\n");
    }
    parse(&text);
    expect_error("t.py:202:202: error: more than 200 levels of nesting (--limit depth=N raises this) [limit]");
    buf_free(&text);
    buf_str(&text, "if a: pass\n");
    repeat(&text, "elif a: pass\n", 300);
    parse(&text);
    expect_error("more than 200 levels of nesting (--limit depth=N raises this) [limit]");
    buf_free(&text);
}
END_TEST

/* Chains that lean left are as long as the file. */
START_TEST(test_chains)
{
    static const char *const links[] = {" + a", ".a", "(a)", "[a]", " and a", " < a", ", a", " or a", " // a", "; a"};
    for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++) {
        struct buf text = {0};
        buf_str(&text, "a");
        repeat(&text, links[i], 100000);
        ck_assert_ptr_nonnull(parse(&text));
        expect_none();
        buf_free(&text);
    }
}
END_TEST

START_TEST(test_long_line)
{
    struct buf text = {0};
    buf_str(&text, "a = [");
    repeat(&text, "123456, ", 131072);
    buf_str(&text, "]\nb = '");
    repeat(&text, "x", 1 << 20);
    buf_str(&text, "'\nc = 1 2 # ");
    repeat(&text, "y", 1 << 20);
    ck_assert_ptr_null(parse(&text));
    expect_error("t.py:3:7: error: expected the end of the statement, found number '2' [syntax]");
    buf_free(&text);
}
END_TEST

START_TEST(test_numbers)
{
    struct buf text = {0};
    buf_str(&text, "0x");
    repeat(&text, "f", 4300);
    struct ast *ast = parse(&text);
    ck_assert_ptr_nonnull(ast);
    ck_assert_uint_eq(strlen(ast->body[0]->value->name), 5178);
    ck_assert_uint_eq(ast->body[0]->value->fits64, 0);
    buf_free(&text);
    repeat(&text, "9", 4301);
    ck_assert_ptr_null(parse(&text));
    expect_error("t.py:1:1: error: a number of more than 4300 digits [syntax]");
    buf_free(&text);
    ast = parse_n("0x7fffffffffffffff, 0x8000000000000000", 38);
    ck_assert_uint_eq(ast->body[0]->value->items[0]->fits64, 1);
    ck_assert(ast->body[0]->value->items[0]->i == INT64_MAX);
    ck_assert_uint_eq(ast->body[0]->value->items[1]->fits64, 0);
    ck_assert_str_eq(ast->body[0]->value->items[1]->name, "9223372036854775808");
}
END_TEST

START_TEST(test_limits)
{
    ctx->limits.tokens = 10;
    ck_assert_ptr_null(parse_n("a = 1\nb = 2\nc = 3\nd = (\n", 24));
    expect_error("t.py:3:5: error: more than 10 tokens in one file (--limit tokens=N raises this) [limit]");
    ctx->limits.tokens = 1000;
    ctx->limits.statements = 3;
    ck_assert_ptr_null(parse_n("a\nb; c\nif d:\n    e 1\n", 21));
    expect_error("more than 3 statements in one file (--limit statements=N raises this) [limit]");
    ctx->limits.statements = 1000;
    ctx->limits.errors = 2;
    ck_assert_ptr_null(parse_n("a a\nb b\nc c\n", 12));
    ck_assert_uint_eq(diag_errors(ctx), 2);
    expect_error("t.py:1:3: error");
    ck_assert_ptr_null(parse_n("?\n?\n?\na a\n", 10));
    ck_assert_uint_eq(diag_errors(ctx), 2);
}
END_TEST

/* Text that came in by another way than source_read. */
START_TEST(test_odd_bytes)
{
    ck_assert_ptr_null(parse_n("a = \0", 5));
    expect_error("t.py:1:5: error: the control character U+0000 cannot stand here [syntax]");
    struct ast *ast = parse_n("'a\0b', f'a\0b{c}'", 16);
    ck_assert_ptr_nonnull(ast);
    ck_assert_int_eq(ast->body[0]->value->items[0]->kind, EXPR_OTHER);
    ck_assert_int_eq(ast->body[0]->value->items[1]->kind, EXPR_OTHER);
    parse_n("\xff\xfe = 1", 6);
    ck_assert_ptr_null(parse_n("'\xff", 2));
    ck_assert_ptr_null(parse_n("f'{", 3));
    ck_assert_ptr_null(parse_n("f'\\N{", 5));
    ck_assert_ptr_null(parse_n("\\", 1));
    ck_assert_ptr_null(parse_n("@\n", 2));
    parse_n("\xc3", 1);
}
END_TEST

/* Cuts a text short at every byte: whatever is said, nothing breaks. */
START_TEST(test_cut_anywhere)
{
    static const char text[] =
        "@func\nasync def f(a: b = c, *, d) -> e:\n    with (a as b, c): x = f'{a!r:{b}}' \"\\x41\"\n"
        "    for i in [x[1:2, ::3], {a: b, **c}, {d}]:\n\ty = lambda *a: (yield)\n    return 0x1f if é "
        "else '''q\n'''\nmatch a:\n case [b, *c] if d: pass\nclass A(B, m=C):\n try: pass\n "
        "finally: from .a import (b as c,)\n";
    for (size_t n = 0; n < sizeof(text); n++) {
        char *part = malloc(n + 1);
        memcpy(part, text, n);
        part[n] = '\0';
        parse_n(part, n);
        teardown();
        setup();
        free(part);
    }
}
END_TEST

/* ---- files ---------------------------------------------------------------------------------------------------------*/

static char scratch[] = P_tmpdir "/tilefoundry-parse-XXXXXX";

static void files_setup(void)
{
    setup();
    strcpy(scratch + sizeof(scratch) - 7, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(scratch));
    ck_assert(!chdir(scratch));
}

static void files_teardown(void)
{
    static const char *const made[] = {"a.py", "dir", "pipe", "sock", "big.py"};
    for (size_t i = 0; i < sizeof(made) / sizeof(*made); i++)
        remove(made[i]);
    ck_assert(!chdir("/"));
    ck_assert(!rmdir(scratch));
    teardown();
}

static uint32_t read_bytes(const char *bytes, size_t n)
{
    FILE *file = fopen("a.py", "w");
    ck_assert_ptr_nonnull(file);
    fwrite(bytes, 1, n, file);
    fclose(file);
    return source_read(ctx, "a.py");
}

START_TEST(test_encoding)
{
    ck_assert_uint_ne(read_bytes("# \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\n", 14), 0);
    ck_assert_uint_ne(read_bytes("", 0), 0);
    expect_none();
    ck_assert_uint_eq(read_bytes("a = 1\nb\0 = 2\n", 13), 0);
    expect_error("a.py:2:2: error: a NUL byte: this is not a file of text [encoding]");
    ck_assert_uint_eq(read_bytes("# \xc3\xa9\n\xc3\xa9 = \xff\n", 12), 0);
    expect_error("a.py:2:5: error: byte 0xFF is not UTF-8 [encoding]");
    static const char *const bad[] = {"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xed\xa0\x80",
        "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe2\x82", "\xc3("};
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        ck_assert_uint_eq(read_bytes(bad[i], strlen(bad[i])), 0);
        expect_error("a.py:1:1: error: byte 0x");
    }
}
END_TEST

START_TEST(test_kinds_of_file)
{
    ck_assert_uint_eq(source_read(ctx, "missing.py"), 0);
    expect_error("tilefoundry: error: cannot read 'missing.py': No such file or directory [io]");
    ck_assert(!mkdir("dir", 0700));
    ck_assert_uint_eq(source_read(ctx, "dir"), 0);
    expect_error("error: 'dir' is a directory, not a file of text [io]");
    ck_assert(!mkfifo("pipe", 0600));
    ck_assert_uint_eq(source_read(ctx, "pipe"), 0);
    expect_error("error: 'pipe' is a pipe, not a file of text [io]");
    ck_assert_uint_eq(source_read(ctx, "/dev/null"), 0);
    expect_error("error: '/dev/null' is a device, not a file of text [io]");
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "sock"};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    ck_assert(!bind(fd, (struct sockaddr *)&address, sizeof(address)));
    ck_assert_uint_eq(source_read(ctx, "sock"), 0);
    expect_error("error: 'sock' is a socket, not a file of text [io]");
    close(fd);
    read_bytes("a", 1);
    ck_assert(!chmod("a.py", 0));
    if (geteuid() != 0) {
        ck_assert_uint_eq(source_read(ctx, "a.py"), 0);
        expect_error("error: cannot read 'a.py': Permission denied [io]");
    }
}
END_TEST

START_TEST(test_file_limits)
{
    ctx->limits.bytes = 10;
    ck_assert_uint_ne(read_bytes("0123456789", 10), 0);
    ck_assert_uint_eq(read_bytes("0123456789\n", 11), 0);
    expect_error("error: 'a.py' is longer than 10 bytes (--limit bytes=N raises this) [limit]");
    ctx->limits.files = 2;
    ck_assert_uint_ne(read_bytes("a", 1), 0);
    ck_assert_uint_eq(read_bytes("a", 1), 0);
    expect_error("error: 'a.py': more than 2 source files (--limit files=N raises this) [limit]");
}
END_TEST

/* A file whose size is not known before it is read. */
START_TEST(test_file_of_unknown_size)
{
    ck_assert_uint_ne(source_read(ctx, "/proc/self/status"), 0);
    expect_none();
}
END_TEST

START_TEST(test_names_of_tokens)
{
    const char *const *words;
    ck_assert_uint_eq(token_keywords(&words), 35);
    ck_assert_str_eq(token_what(TOKEN_KW_IF), "'if'");
    ck_assert_str_eq(token_text(TOKEN_DOUBLESLASHEQUAL), "//=");
    ck_assert_ptr_null(token_text(TOKEN_NAME));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("parse");
    TCase *texts = tcase_create("texts");
    tcase_add_checked_fixture(texts, setup, teardown);
    tcase_set_timeout(texts, 60);
    tcase_add_test(texts, test_cases);
    tcase_add_test(texts, test_depth);
    tcase_add_test(texts, test_depth_raised);
    tcase_add_test(texts, test_depth_statements);
    tcase_add_test(texts, test_chains);
    tcase_add_test(texts, test_long_line);
    tcase_add_test(texts, test_numbers);
    tcase_add_test(texts, test_limits);
    tcase_add_test(texts, test_odd_bytes);
    tcase_add_test(texts, test_cut_anywhere);
    tcase_add_test(texts, test_names_of_tokens);
    suite_add_tcase(suite, texts);
    TCase *files = tcase_create("files");
    tcase_add_checked_fixture(files, files_setup, files_teardown);
    tcase_add_test(files, test_encoding);
    tcase_add_test(files, test_kinds_of_file);
    tcase_add_test(files, test_file_limits);
    tcase_add_test(files, test_file_of_unknown_size);
    suite_add_tcase(suite, files);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
