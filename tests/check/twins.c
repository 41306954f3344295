/* SPDX-License-Identifier: MIT
 * Implementations of y = 2 * x on f32, one that is right and the others each with one fault.
 */
#include <tilefoundry/twin.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int64_t count(const struct tf_tensor *tensor)
{
    int64_t n = 1;
    for (uint32_t i = 0; i < tensor->rank; i++)
        n *= tensor->extents[i];
    return n;
}

static float *data_of(const struct tf_tensor *tensor)
{
    return tensor->data;
}

static void twice(const struct tf_twin_call *call, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        data_of(call->results[0])[i] = 2 * data_of(call->args[0])[i];
}

TF_TWIN(tilefoundry_twin)
{
    twice(call, count(call->args[0]));
    return 0;
}

TF_TWIN(wrong)
{
    twice(call, count(call->args[0]));
    data_of(call->results[0])[1] += 1;
    return 0;
}

TF_TWIN(silent)
{
    (void)call;
    return 0;
}

TF_TWIN(unfinished)
{
    twice(call, count(call->args[0]) - 3);
    return 0;
}

TF_TWIN(past_the_end)
{
    twice(call, count(call->args[0]));
    data_of(call->results[0])[count(call->results[0])] = 1;
    return 0;
}

TF_TWIN(before_the_start)
{
    twice(call, count(call->args[0]));
    data_of(call->results[0])[-1] = 1;
    return 0;
}

TF_TWIN(far_past_the_end)
{
    twice(call, count(call->args[0]));
    data_of(call->results[0])[count(call->results[0]) + 100] = 1;
    return 0;
}

TF_TWIN(reads_past_the_end)
{
    volatile float sum = 0;
    twice(call, count(call->args[0]));
    for (int64_t i = 0; i < 64; i++)
        sum += data_of(call->args[0])[count(call->args[0]) + i];
    return sum > 1e30f;
}

TF_TWIN(clears_inputs)
{
    twice(call, count(call->args[0]));
    memset(call->args[0]->data, 0, 4);
    return 0;
}

TF_TWIN(keeps_answers)
{
    static float kept[64];
    static const void *of;
    int64_t n = count(call->args[0]);
    if (of != call->args[0]->data) {
        twice(call, n);
        memcpy(kept, call->results[0]->data, (size_t)n * sizeof(float));
        of = call->args[0]->data;
    }
    memcpy(call->results[0]->data, kept, (size_t)n * sizeof(float));
    return 0;
}

TF_TWIN(varies)
{
    static int calls;
    twice(call, count(call->args[0]));
    if (++calls % 3 == 0)
        data_of(call->results[0])[0] *= 1.0000001f;
    return 0;
}

TF_TWIN(crashes)
{
    (void)call;
    raise(SIGILL);
    return 0;
}

TF_TWIN(follows_nothing)
{
    volatile int *volatile nowhere = (volatile int *)8;
    (void)call;
    *nowhere = 1;
    return 0;
}

TF_TWIN(exits)
{
    (void)call;
    exit(0);
}

TF_TWIN(hangs)
{
    (void)call;
    for (;;)
        pause();
}

TF_TWIN(prints)
{
    twice(call, count(call->args[0]));
    puts("PASS");
    fflush(stdout);
    return 0;
}

TF_TWIN(forks)
{
    twice(call, count(call->args[0]));
    if (!fork())
        for (;;)
            pause();
    return 0;
}

/* as a daemon does it: twice, and in a session of its own */
TF_TWIN(daemons)
{
    twice(call, count(call->args[0]));
    if (fork())
        return 0;
    setsid();
    fork();
    for (;;)
        pause();
}

TF_TWIN(refuses_in_red)
{
    snprintf(call->message, call->message_room, "\033[31mnot\007 today");
    return 7;
}

TF_TWIN(refuses)
{
    snprintf(
        call->message, call->message_room, "rows must be a multiple of 16, got %d", (int)call->args[0]->extents[0]);
    return 7;
}
