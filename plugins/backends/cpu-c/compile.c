/* SPDX-License-Identifier: MIT
 * Running the C compiler.  A process of its own holds the compiler and a directory for all that it writes, and takes
 * both away when the work is done, or when the program that waits for it ends, however it does.
 */
#include "run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define HOW_DONE 'D'
#define HOW_REFUSED 'R'
#define LINES 6      /* of them that are shown */
#define MESSAGE 2048 /* bytes of what a compiler says that are shown */

/* Flags that a compiler may not take; then it is asked again without. */
static const char *const OPTIONAL[] = {"-fopenmp", "-march=native"};
#define N_OPTIONAL (sizeof(OPTIONAL) / sizeof(*OPTIONAL))

static int word_push(struct words *words, const char *word)
{
    if (words->n + 1 >= sizeof(words->at) / sizeof(*words->at))
        return -1;
    words->at[words->n++] = word;
    words->at[words->n] = NULL;
    return 0;
}

static int words_add(tf_ctx *ctx, struct words *words, const char *text)
{
    for (size_t n; *(text += strspn(text, " \t\n")); text += n) {
        n = strcspn(text, " \t\n");
        if (word_push(words, tf_host->format(ctx, "%.*s", (int)n, text)))
            return -1;
    }
    return 0;
}

/* ---- processes ----------------------------------------------------------------------------------------------------*/

/* In a child: its group, its end with that of its parent, and where it reads and writes. */
static void become(pid_t parent, int out)
{
    static const int SIGNALS[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ};
    sigset_t none;
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    for (size_t i = 0; i < sizeof(SIGNALS) / sizeof(*SIGNALS); i++)
        signal(SIGNALS[i], SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 ||
        (out >= 0 && (dup2(out, STDOUT_FILENO) < 0 || dup2(out, STDERR_FILENO) < 0)))
        _exit(127);
    if (getppid() != parent)
        _exit(127);
}

static pid_t start_program(const struct words *command, int out)
{
    pid_t parent = getpid(), pid = fork();
    if (pid)
        return pid;
    setpgid(0, 0);
    become(parent, out);
    execvp(command->at[0], (char *const *)(uintptr_t)command->at);
    _exit(errno == ENOENT ? 127 : 126);
}

static int wait_status(pid_t pid)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Up to room - 1 bytes and a NUL; the rest is read and left. */
static void read_whole(int from, char *to, size_t room)
{
    char rest[512];
    size_t n = 0;
    for (;;) {
        ssize_t got = n + 1 < room ? read(from, to + n, room - 1 - n) : read(from, rest, sizeof(rest));
        if (got == 0 || (got < 0 && errno != EINTR))
            break;
        if (got > 0 && n + 1 < room)
            n += (size_t)got;
    }
    to[n] = '\0';
}

/* ---- the compiler -------------------------------------------------------------------------------------------------*/

static int no_compiler(tf_ctx *ctx, const struct compiler *compiler)
{
    tf_host->error(ctx, NULL, NO_COMPILER,
        "the C compiler '%s' cannot be run; $CC names another, and `tilefoundry emit` writes the source without one",
        compiler->command.n ? compiler->command.at[0] : "");
    return TF_E_REFUSED;
}

/* What it says of itself, which changes with its version. */
static int ask_identity(tf_ctx *ctx, struct compiler *compiler)
{
    static char text[4096];
    int ends[2];
    struct words command = compiler->command;
    if (word_push(&command, "--version") || pipe2(ends, O_CLOEXEC))
        return no_compiler(ctx, compiler);
    pid_t pid = start_program(&command, ends[1]);
    close(ends[1]);
    read_whole(ends[0], text, sizeof(text));
    close(ends[0]);
    if (pid < 0 || wait_status(pid))
        return no_compiler(ctx, compiler);
    compiler->identity = tf_host->format(ctx, "%s", text);
    return TF_OK;
}

int compiler_find(tf_ctx *ctx, struct compiler *compiler, uint32_t fp8_overflow)
{
    const char *cc = getenv("CC"), *more = getenv("TILEFOUNDRY_CFLAGS");
    *compiler = (struct compiler){0};
    int too_many =
        words_add(ctx, &compiler->command, cc && cc[strspn(cc, " \t\n")] ? cc : "cc") ||
        words_add(ctx, &compiler->flags, "-std=c17 -O3 -march=native -fopenmp -fPIC -shared -ffp-contract=off") ||
        words_add(ctx, &compiler->flags, fp8_overflow ? "-DFP8_OVERFLOW=1" : "") ||
        words_add(ctx, &compiler->flags, more ? more : "");
    if (too_many) {
        tf_host->error(ctx, NULL, NO_COMPILER, "$CC and $TILEFOUNDRY_CFLAGS have too many words");
        return TF_E_REFUSED;
    }
    return ask_identity(ctx, compiler);
}

static int first_lines(const char *text)
{
    int n = 0;
    for (int lines = 0; text[n] && lines < LINES; n++)
        lines += text[n] == '\n';
    while (n && text[n - 1] == '\n')
        n--;
    return n;
}

/* ---- in the process that holds it: the keeper -----------------------------------------------------------------------*/

struct keeper {
    const struct compiler *compiler;
    const struct tf_artifact *artifact;
    const char *kept;
    char directory[4096], source[4200], object[4200], said[4200];
    int answer, go_on;
    char message[MESSAGE];
};

static volatile sig_atomic_t compiling, ended; /* the compiler's process group; whether this is to end */

/* All that lies in the directory is the compiler's. */
static void remove_directory(const char *path)
{
    DIR *directory = opendir(path);
    for (struct dirent *entry; directory && (entry = readdir(directory));)
        unlinkat(dirfd(directory), entry->d_name, 0);
    if (directory)
        closedir(directory);
    rmdir(path);
}

static int make_scratch(struct keeper *k)
{
    const char *tmp = getenv("TMPDIR");
    const char *slash = k->kept ? strrchr(k->kept, '/') : NULL;
    int n = slash ? snprintf(k->directory, sizeof(k->directory), "%.*s/tmp-XXXXXX", (int)(slash - k->kept), k->kept)
                  : snprintf(k->directory, sizeof(k->directory), "%s/tilefoundry-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (n < 0 || (size_t)n >= sizeof(k->directory) || !mkdtemp(k->directory))
        return -1;
    snprintf(k->source, sizeof(k->source), "%s/kernel.c", k->directory);
    snprintf(k->object, sizeof(k->object), "%s/kernel.so", k->directory);
    snprintf(k->said, sizeof(k->said), "%s/said", k->directory);
    setenv("TMPDIR", k->directory, 1); /* what the compiler leaves when it is killed goes with it */
    return 0;
}

static int write_source(const struct keeper *k)
{
    FILE *file = fopen(k->source, "we");
    if (!file)
        return -1;
    size_t written = fwrite(k->artifact->text, 1, k->artifact->length, file);
    return fclose(file) || written != k->artifact->length ? -1 : 0;
}

static int is_left_out(const char *flag, unsigned left_out)
{
    for (size_t i = 0; i < N_OPTIONAL; i++)
        if (left_out >> i & 1 && !strcmp(flag, OPTIONAL[i]))
            return 1;
    return 0;
}

static struct words command_of(const struct keeper *k, unsigned left_out)
{
    struct words command = k->compiler->command;
    const char *const rest[] = {"-o", k->object, k->source, "-lm"};
    for (size_t i = 0; i < k->compiler->flags.n; i++)
        if (!is_left_out(k->compiler->flags.at[i], left_out))
            word_push(&command, k->compiler->flags.at[i]);
    for (size_t i = 0; i < sizeof(rest) / sizeof(*rest); i++)
        word_push(&command, rest[i]);
    return command;
}

/* A signal comes either before it is started, and then it is not, or finds it there to be ended. */
static pid_t start_compiler(const struct words *command, int said)
{
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t pid = ended ? -1 : start_program(command, said);
    if (pid > 0)
        setpgid(pid, pid);
    compiling = pid > 0 ? pid : 0;
    sigprocmask(SIG_SETMASK, &before, NULL);
    return pid;
}

/* Runs it once; its exit status. */
static int run_compiler(struct keeper *k, unsigned left_out)
{
    struct words command = command_of(k, left_out);
    int said = open(k->said, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    pid_t pid = said < 0 ? -1 : start_compiler(&command, said);
    int status = pid < 0 ? -1 : wait_status(pid);
    compiling = 0;
    if (said >= 0) {
        lseek(said, 0, SEEK_SET);
        read_whole(said, k->message, sizeof(k->message));
        close(said);
    }
    return status;
}

static int build(struct keeper *k)
{
    if (write_source(k)) {
        snprintf(k->message, sizeof(k->message), "the source cannot be written: %s", strerror(errno));
        return -1;
    }
    for (unsigned left_out = 0; left_out < 1u << N_OPTIONAL && !ended; left_out++)
        if (!run_compiler(k, left_out))
            return 0;
    return -1;
}

/* One byte, then the file's name or what went wrong. */
static void tell(const struct keeper *k, char how, const char *text)
{
    ssize_t written = write(k->answer, &how, 1);
    written += written == 1 ? write(k->answer, text, strlen(text)) : 0;
    close(k->answer);
    (void)written; /* who is to read it may have gone */
}

static void work(struct keeper *k)
{
    if (build(k))
        tell(k, HOW_REFUSED, *k->message ? k->message : "it said nothing");
    else
        tell(k, HOW_DONE, k->kept && rename(k->object, k->kept) == 0 ? k->kept : k->object);
}

static void on_end(int number)
{
    (void)number;
    ended = 1;
    if (compiling)
        kill(-(pid_t)compiling, SIGKILL);
}

static void keep(struct keeper *k, pid_t parent)
{
    char byte;
    setpgid(0, 0);
    become(parent, -1);
    signal(SIGTERM, on_end);
    signal(SIGINT, on_end);
    signal(SIGPIPE, SIG_IGN);
    if (make_scratch(k)) {
        tell(k, HOW_REFUSED, strerror(errno));
        _exit(0);
    }
    work(k);
    while (!ended && read(k->go_on, &byte, 1) < 0 && errno == EINTR)
        continue; /* it is being loaded */
    remove_directory(k->directory);
    _exit(0);
}

/* ---- in the program -------------------------------------------------------------------------------------------------*/

static int hear(tf_ctx *ctx, const struct keeper *k, int from, int (*use)(void *data, const char *file), void *data)
{
    char answer[MESSAGE + sizeof(k->object)] = "";
    read_whole(from, answer, sizeof(answer));
    if (*answer == HOW_DONE)
        return use(data, answer + 1);
    const char *said = *answer == HOW_REFUSED ? answer + 1 : "the process that runs it was ended";
    tf_host->error(ctx, NULL, NOT_COMPILED, "%s cannot compile the kernel:\n%.*s", k->compiler->command.at[0],
        first_lines(said), said);
    return TF_E_REFUSED;
}

static int no_process(tf_ctx *ctx)
{
    tf_host->error(ctx, NULL, NOT_COMPILED, "the system has no process for the compiler: %s", strerror(errno));
    return TF_E_REFUSED;
}

int compile_text(tf_ctx *ctx, const struct compiler *compiler, const struct tf_artifact *artifact, const char *kept,
    int (*use)(void *data, const char *file), void *data)
{
    struct keeper k = {.compiler = compiler, .artifact = artifact, .kept = kept};
    pid_t parent = getpid();
    int up[2], down[2];
    if (pipe2(up, O_CLOEXEC))
        return no_process(ctx);
    if (pipe2(down, O_CLOEXEC)) {
        close(up[0]), close(up[1]);
        return no_process(ctx);
    }
    pid_t pid = fork();
    if (!pid) {
        close(up[0]), close(down[1]);
        k.answer = up[1], k.go_on = down[0];
        keep(&k, parent);
    }
    close(up[1]), close(down[0]);
    int status = pid < 0 ? no_process(ctx) : hear(ctx, &k, up[0], use, data);
    close(up[0]), close(down[1]); /* which lets it go */
    if (pid > 0)
        wait_status(pid);
    return status;
}
