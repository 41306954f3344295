/* SPDX-License-Identifier: MIT
 * What a twin leaves behind outside of its process group.
 *
 * A process may have children that it did not start itself, as a shell's `exec` hands them over, so those that are there
 * before the twin are none of its.  Where the kernel does not list children, nothing is found.
 */
#include "check/orphans.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROOM 8192
#define PASSES 1000 /* each ends a generation; one that multiplies faster than it is ended is not waited for */

static char path[64];
static pid_t before[ROOM / 2];
static size_t n_before;
static volatile sig_atomic_t expecting;

/* The numbers of as many children as there is room for; there is nothing here that a signal handler must not call. */
static size_t list_children(pid_t *to, size_t room)
{
    char text[ROOM];
    size_t n = 0;
    int from = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = from >= 0 ? read(from, text, sizeof(text)) : 0;
    if (from >= 0)
        close(from);
    pid_t number = 0;
    for (ssize_t i = 0; i < length && n < room; i++) {
        if (text[i] >= '0' && text[i] <= '9')
            number = number * 10 + (text[i] - '0');
        else if (number)
            to[n++] = number, number = 0;
    }
    return n; /* a number that the end of the text cuts off is another pass's */
}

static int was_before(pid_t pid)
{
    for (size_t i = 0; i < n_before; i++)
        if (before[i] == pid)
            return 1;
    return 0;
}

void orphans_expect(void)
{
    snprintf(path, sizeof(path), "/proc/self/task/%ld/children", (long)getpid());
    n_before = list_children(before, ROOM / 2);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    expecting = 1;
}

static size_t end_those_listed(void)
{
    pid_t listed[ROOM / 2];
    size_t n = list_children(listed, ROOM / 2), ended = 0;
    for (size_t i = 0; i < n; i++) {
        if (was_before(listed[i]) || kill(listed[i], SIGKILL))
            continue;
        while (waitpid(listed[i], NULL, 0) < 0 && errno == EINTR)
            continue;
        ended++;
    }
    return ended;
}

void orphans_end(void)
{
    if (!expecting)
        return;
    for (int pass = 0; pass < PASSES && end_those_listed(); pass++)
        continue;
    prctl(PR_SET_CHILD_SUBREAPER, 0);
    expecting = 0;
}
