/* SPDX-License-Identifier: MIT */
#include "bench/bench.h"

#include "util/diag.h"
#include "util/place.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* What is measured may print: that is no part of the report. */
int bench_mute(void)
{
    fflush(stdout);
    int kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    return kept;
}

void bench_unmute(int kept)
{
    fflush(stdout);
    if (kept >= 0) {
        dup2(kept, STDOUT_FILENO);
        close(kept);
    }
}

int bench_apart(tf_ctx *ctx)
{
    const char *data = place_dir(ctx, PLACE_DATA);
    pid_t parent = getpid();
    int status = 0;
    fflush(stdout);
    pid_t pid = fork();
    if (!pid) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != parent)
            raise(SIGTERM);
        setenv("TILEFOUNDRY_DATA", data, 1); /* for twins whose plugin has files of its own there */
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
