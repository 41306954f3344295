/* SPDX-License-Identifier: MIT */
#include "bench/bench.h"

#include "util/diag.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

int bench_apart(tf_ctx *ctx)
{
    pid_t parent = getpid();
    int status = 0;
    fflush(stdout);
    pid_t pid = fork();
    if (!pid) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != parent)
            raise(SIGTERM);
        return -1;
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (pid > 0 && WIFEXITED(status))
        return WEXITSTATUS(status);
    if (pid < 0)
        ERROR(ctx, NULL, "io", "the system has no process to measure in: %s", strerror(errno));
    else
        ERROR(ctx, NULL, "bench-crashed", "what is measured ended the process by signal %d (%s)", WTERMSIG(status),
            strsignal(WTERMSIG(status)));
    return 1;
}
