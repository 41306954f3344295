/* SPDX-License-Identifier: MIT
 * The process that a twin runs in.  It is a server: a byte asks for a run, a byte answers it, and what else there is to
 * say lies in memory that both see.
 */
#include "check/orphans.h"
#include "check/twin.h"

#include "util/diag.h"
#include "util/place.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct child_control {
    const void *fault; /* address whose use was refused */
    int status;        /* of open or run */
    char code[64], message[1024];
    char declared[2048]; /* of its arithmetic, in its own words */
};

static volatile sig_atomic_t running; /* the child's process group, for child_abandon */

/* ---- in the child -------------------------------------------------------------------------------------------------*/

static struct child_control *fault_control;

static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)context;
    fault_control->fault = info->si_addr;
    signal(number, SIG_DFL);
    raise(number);
}

static void catch_faults(struct child_control *control)
{
    static char stack[65536];
    stack_t alternative = {.ss_sp = stack, .ss_size = sizeof(stack)};
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
    fault_control = control;
    action.sa_sigaction = on_fault;
    sigemptyset(&action.sa_mask);
    sigaltstack(&alternative, NULL);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
}

/* What a twin says is shown on people's terminals, and is not to steer them. */
static void calm(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = ' ';
}

/* What the twin's plugin said, taken apart again: "...error: MESSAGE [CODE]". */
static void keep_message(tf_ctx *ctx, struct child_control *control)
{
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    if (!to)
        return;
    diag_flush(ctx, to, 0);
    fclose(to);
    char *begin = strstr(text, "error: "), *end = begin ? strchr(begin, '\n') : NULL;
    if (end) {
        *end = '\0';
        char *code = strrchr(begin, '[');
        if (code && end[-1] == ']' && code > begin + 7) {
            end[-1] = code[-1] = '\0';
            snprintf(control->code, sizeof(control->code), "%s", code + 1);
        }
        snprintf(control->message, sizeof(control->message), "%s", begin + 7);
        calm(control->message);
    }
    free(text);
}

static void settle(pid_t parent, const char *data)
{
    static const int SIGNALS[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    for (size_t i = 0; i < sizeof(SIGNALS) / sizeof(*SIGNALS); i++)
        signal(SIGNALS[i], SIG_DFL);
    if (nothing >= 0)
        dup2(nothing, STDIN_FILENO);
    setenv("TILEFOUNDRY_DATA", data, 1); /* for twins whose plugin has files of its own there */
    dup2(STDERR_FILENO, STDOUT_FILENO);  /* the report is the parent's, and what a twin prints is no part of it */
}

/* What the twin says of its arithmetic.  It comes from outside, and so may be of any length. */
static int keep_declaration(tf_ctx *ctx, const struct tf_twin *twin, void *opened, struct child_control *control)
{
    const char *text = twin->declares ? twin->declares(ctx, opened) : NULL;
    size_t room = sizeof(control->declared), length = text ? strnlen(text, room) : 0;
    if (length == room) {
        ERROR(ctx, NULL, "check-declared", "what it declares is longer than %zu bytes", room - 1);
        return TF_E_REFUSED;
    }
    memcpy(control->declared, text ? text : "", length);
    return TF_OK;
}

static void answer(int to)
{
    if (write(to, "", 1) != 1)
        _exit(1);
}

static void serve(tf_ctx *ctx, const struct child_work *work, struct child_control *control, int from, int to)
{
    void *twin = NULL;
    char byte;
    catch_faults(control);
    control->status = work->twin->open ? work->twin->open(ctx, work->source, &twin) : TF_OK;
    if (!control->status)
        control->status = keep_declaration(ctx, work->twin, twin, control);
    if (control->status)
        keep_message(ctx, control);
    for (answer(to); read(from, &byte, 1) == 1; answer(to)) {
        control->status = work->twin->run(ctx, twin, work->args, work->n_args, work->results, work->n_results);
        if (control->status)
            keep_message(ctx, control);
    }
    _exit(0);
}

/* ---- in the parent ------------------------------------------------------------------------------------------------*/

static int refuse(tf_ctx *ctx, const char *what)
{
    ERROR(ctx, NULL, "twin-process", "a process for the twin cannot be had: %s: %s", what, strerror(errno));
    return CHECK_ERROR;
}

void child_abandon(void)
{
    if (!running)
        return;
    kill(-(pid_t)running, SIGKILL);
    waitpid((pid_t)running, NULL, 0);
    orphans_end();
}

/* Everything that is left of it, and what it started. */
static int end_process(struct child *child)
{
    int status = 0;
    if (child->pid > 0) {
        kill(-child->pid, SIGKILL);
        kill(child->pid, SIGKILL); /* it may not have come to have a group of its own */
        while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
            continue;
        orphans_end();
    }
    child->pid = 0;
    running = 0;
    return status;
}

/* A twin that has ended by itself is waited for, so that its own status is told and not that of being killed. */
static int ended_status(struct child *child)
{
    int status = 0;
    pid_t done;
    while ((done = waitpid(child->pid, &status, 0)) < 0 && errno == EINTR)
        continue;
    kill(-child->pid, SIGKILL);
    orphans_end();
    child->pid = 0;
    running = 0;
    return done < 0 ? 0 : status;
}

void child_stop(struct child *child)
{
    end_process(child);
    if (child->to >= 0)
        close(child->to);
    if (child->from >= 0)
        close(child->from);
    if (child->control)
        munmap(child->control, sizeof(*child->control));
    *child = (struct child){.to = -1, .from = -1};
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Waits for an answer: 1 when there is one, 0 when time is over, -1 when the other side has ended. */
static int wait_answer(const struct child *child)
{
    int64_t end = now_ms() + (int64_t)child->timeout * 1000, left;
    char byte;
    while ((left = end - now_ms()) > 0) {
        struct pollfd in = {.fd = child->from, .events = POLLIN};
        int ready = poll(&in, 1, left > 1000000 ? 1000000 : (int)left);
        if (ready > 0)
            return read(child->from, &byte, 1) == 1 ? 1 : -1;
        if (ready < 0 && errno != EINTR)
            return -1;
    }
    return 0;
}

static int tell_end(tf_ctx *ctx, struct child *child, const void **fault)
{
    int status = ended_status(child);
    *fault = child->control->fault;
    if (*fault)
        return CHECK_ERROR; /* the caller knows whose memory it is */
    if (WIFSIGNALED(status))
        ERROR(ctx, NULL, "twin-crash", "%s: the twin was ended by signal %d (%s)", child->source, WTERMSIG(status),
            strsignal(WTERMSIG(status)));
    else
        ERROR(ctx, NULL, "twin-crash", "%s: the twin ended its process with status %d instead of returning",
            child->source, WEXITSTATUS(status));
    return CHECK_ERROR;
}

static int hear(tf_ctx *ctx, struct child *child, const void **fault)
{
    int answered = wait_answer(child);
    *fault = NULL;
    if (answered < 0)
        return tell_end(ctx, child, fault);
    if (!answered) {
        end_process(child);
        ERROR(ctx, NULL, "twin-timeout", "%s: the twin did not come back within %u s; --timeout SECONDS gives it more",
            child->source, child->timeout);
        return CHECK_ERROR;
    }
    struct child_control *control = child->control;
    if (!control->status)
        return 0;
    ERROR(ctx, NULL, *control->code ? ctx_intern(ctx, control->code) : "twin-failed", "%s: %s", child->source,
        *control->message ? control->message : "the twin failed without a reason");
    return CHECK_ERROR;
}

int child_start(tf_ctx *ctx, struct child *child, const struct child_work *work, unsigned timeout)
{
    int down[2], up[2];
    const void *fault;
    pid_t parent = getpid();
    const char *data = place_dir(ctx, PLACE_DATA);
    *child = (struct child){.to = -1, .from = -1, .source = work->source, .timeout = timeout};
    child->control = mmap(NULL, sizeof(*child->control), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (child->control == MAP_FAILED)
        return child->control = NULL, refuse(ctx, "shared memory");
    if (pipe2(down, O_CLOEXEC))
        return refuse(ctx, "pipe");
    child->to = down[1];
    if (pipe2(up, O_CLOEXEC)) {
        close(down[0]);
        return refuse(ctx, "pipe");
    }
    child->from = up[0];
    fflush(NULL); /* so that nothing is written twice */
    orphans_expect();
    child->pid = fork();
    if (!child->pid) {
        close(down[1]);
        close(up[0]);
        settle(parent, data);
        serve(ctx, work, child->control, down[0], up[1]);
    }
    close(down[0]);
    close(up[1]);
    if (child->pid < 0)
        return refuse(ctx, "fork");
    setpgid(child->pid, child->pid); /* both sides, as either may come first */
    running = child->pid;
    int status = hear(ctx, child, &fault);
    if (fault)
        ERROR(ctx, NULL, "twin-crash", "%s: the twin crashed while it was loaded, at address %p", child->source, fault);
    if (!status && *child->control->declared)
        child->declared = ctx_intern(ctx, child->control->declared);
    return status;
}

int child_run(tf_ctx *ctx, struct child *child, const void **fault)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGPIPE, &ignore, &before);
    ssize_t written = write(child->to, "", 1); /* a child that has ended is heard of below */
    (void)written;
    int status = hear(ctx, child, fault);
    sigaction(SIGPIPE, &before, NULL);
    return status;
}
