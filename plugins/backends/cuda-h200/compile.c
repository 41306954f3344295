/* SPDX-License-Identifier: MIT
 *
 * Source to a cubin, by NVRTC.  No device is needed for that.
 *
 * NVRTC brings the driver along, which from then on works in that process only and in none that it forks, such as the
 * one where a candidate runs.  So it has a process of its own, unless the driver is in use in this one already.
 */
#include "cuda.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const options[] = {
    "--gpu-architecture=sm_90a", "--std=c++17", "--fmad=false", "--ptxas-options=-v", "--extra-device-vectorization"};

/* What the compiler says only as information, and means that the code is not what was written. */
static const char *const faults[] = {"C7508", "C7510", "serialized", "warning"};

static const char *log_of(tf_ctx *ctx, const struct nvrtc *nvrtc, nvrtc_program program)
{
    size_t bytes = 0;
    if (nvrtc->log_size(program, &bytes) || !bytes)
        return "";
    char *log = tf_host->alloc(ctx, bytes + 1);
    nvrtc->log(program, log);
    return log;
}

static int take_cubin(tf_ctx *ctx, const struct nvrtc *nvrtc, nvrtc_program program, struct compiled *compiled)
{
    size_t bytes = 0;
    if (nvrtc->cubin_size(program, &bytes) || !bytes)
        return TF_E_REFUSED;
    char *cubin = tf_host->alloc(ctx, bytes);
    if (nvrtc->cubin(program, cubin))
        return TF_E_REFUSED;
    compiled->cubin = cubin;
    compiled->length = bytes;
    return TF_OK;
}

static const char *obstacle(tf_ctx *ctx, const char *log)
{
    for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
        const char *at = strstr(log, faults[i]);
        const char *line = at;
        while (line && line > log && line[-1] != '\n')
            line--;
        if (at)
            return tf_host->format(ctx, "%.*s", (int)strcspn(line, "\n"), line);
    }
    return NULL;
}

/* What came of it; why is NULL where the code is there. */
struct outcome {
    const char *code, *why;
    struct compiled compiled;
};

static void compile_here(tf_ctx *ctx, const char *text, struct outcome *o)
{
    const struct nvrtc *nvrtc;
    nvrtc_program program;
    *o = (struct outcome){.code = NO_NVRTC, .why = nvrtc_open(ctx, &nvrtc)};
    if (o->why)
        return;
    o->code = NOT_COMPILED;
    if (nvrtc->create(&program, text, "kernel.cu", 0, NULL, NULL)) {
        o->why = "NVRTC takes no program";
        return;
    }
    int failed = nvrtc->compile(program, (int)(sizeof(options) / sizeof(*options)), options);
    o->compiled.log = log_of(ctx, nvrtc, program);
    if (!failed)
        failed = take_cubin(ctx, nvrtc, program, &o->compiled);
    nvrtc->destroy(&program);
    const char *fault = failed ? o->compiled.log : obstacle(ctx, o->compiled.log);
    if (fault)
        o->why = tf_host->format(ctx, "NVRTC on the generated source: %s", fault);
}

/* ---- in a process of its own --------------------------------------------------------------------------------------*/

/* What the process sends before a text, the reason or the log, and the code. */
struct message {
    int is_refused, is_missing; /* of NVRTC */
    size_t text, code;
};

static int send_all(int to, const char *at, size_t n)
{
    while (n) {
        ssize_t sent = write(to, at, n);
        if (sent < 0 && errno != EINTR)
            return -1;
        at += sent > 0 ? sent : 0;
        n -= sent > 0 ? (size_t)sent : 0;
    }
    return 0;
}

static int take_all(int from, char *at, size_t n)
{
    while (n) {
        ssize_t taken = read(from, at, n);
        if (taken == 0 || (taken < 0 && errno != EINTR))
            return -1;
        at += taken > 0 ? taken : 0;
        n -= taken > 0 ? (size_t)taken : 0;
    }
    return 0;
}

static void compile_and_send(tf_ctx *ctx, const char *text, int to)
{
    struct outcome o;
    signal(SIGPIPE, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    compile_here(ctx, text, &o);
    const char *words = o.why ? o.why : o.compiled.log;
    struct message m = {o.why != NULL, strcmp(o.code, NO_NVRTC) == 0, strlen(words), o.why ? 0 : o.compiled.length};
    int failed = send_all(to, (const char *)&m, sizeof(m)) || send_all(to, words, m.text);
    _exit(failed || send_all(to, o.compiled.cubin, m.code));
}

static int take_outcome(tf_ctx *ctx, int from, struct outcome *o)
{
    struct message m;
    if (take_all(from, (char *)&m, sizeof(m)))
        return -1;
    char *words = tf_host->alloc(ctx, m.text + 1), *code = tf_host->alloc(ctx, m.code + 1);
    if (take_all(from, words, m.text) || take_all(from, code, m.code))
        return -1;
    *o = (struct outcome){.code = m.is_missing ? NO_NVRTC : NOT_COMPILED, .why = m.is_refused ? words : NULL};
    o->compiled = (struct compiled){.cubin = code, .length = m.code, .log = words};
    return 0;
}

static void compile_apart(tf_ctx *ctx, const char *text, struct outcome *o)
{
    int ends[2], got = -1;
    *o = (struct outcome){.code = NOT_COMPILED, .why = "the system has no process for NVRTC"};
    if (pipe2(ends, O_CLOEXEC))
        return;
    pid_t pid = fork();
    if (pid == 0)
        compile_and_send(ctx, text, ends[1]);
    close(ends[1]);
    if (pid > 0)
        got = take_outcome(ctx, ends[0], o);
    close(ends[0]);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    if (pid > 0 && got)
        *o = (struct outcome){.code = NOT_COMPILED, .why = "the process that runs NVRTC was ended"};
}

int compile_source(tf_ctx *ctx, const char *text, struct compiled *compiled)
{
    struct outcome o;
    if (cuda_is_open())
        compile_here(ctx, text, &o);
    else
        compile_apart(ctx, text, &o);
    *compiled = o.compiled;
    if (o.why)
        tf_host->error(ctx, NULL, o.code, "%s", o.why);
    return o.why ? TF_E_REFUSED : TF_OK;
}
