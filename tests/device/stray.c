/* SPDX-License-Identifier: MIT
 *
 * Sources by hand, which the backend compiles and launches as it does those that it makes: each that goes astray is found
 * out, by the guards of its buffers or before it is launched.  Each has a process, as the first fault spoils a context.
 * 77: there is no device, or no NVRTC.
 */
#include "../cuda/fake.h"

#include <sys/wait.h>
#include <unistd.h>

#define COUNT 5u /* f32: of the last 16 bytes that are a buffer's, 12 are nobody's */

static const struct {
    const char *what, *launch, *body, *code; /* code NULL: it is fine */
} cases[] = {
    {"what it should", "", "r[i] = a[i] + 1.0f;", NULL},
    {"no blocks", "grid 0 1 1 block 32 1 1 shared 0", "r[i] = 9.0f;", NULL},
    {"a read past the end", "", "r[i] = a[8 + i];", KERNEL_FAULT},
    {"a write past the end", "", "r[8 + i] = a[i];", KERNEL_FAULT},
    {"a write beside the end", "", "r[i] = a[i]; r[5] = 1.0f;", KERNEL_STRAYS},
    {"a write before the start", "", "r[i] = a[i]; r[-1] = 1.0f;", KERNEL_STRAYS},
    {"a write beside an argument", "", "r[i] = a[i]; a[6] = 1.0f;", KERNEL_STRAYS},
    {"an address that is not aligned", "", "*(float4 *)r = *(float4 *)((char *)a + 4 * (i == 0));", KERNEL_FAULT},
    {"a trap", "", "if (a[i] > 0.0f) __trap();", KERNEL_FAULT},
    {"too much shared memory", "grid 1 1 1 block 32 1 1 shared 300000", "r[i] = a[i];", NOT_LAUNCHED},
    {"too many threads", "grid 1 1 1 block 1024 2 1 shared 0", "r[i] = a[i];", NOT_LAUNCHED},
    {"code that is none", "", "r[i] = a[i]", NOT_COMPILED},
};
#define N_CASES (sizeof(cases) / sizeof(*cases))

static uint32_t element_bytes(uint32_t dtype)
{
    return dtype == TF_DTYPE_F32 ? 4 : 0;
}

static const char *source(size_t i)
{
    const char *launch = *cases[i].launch ? cases[i].launch : "grid 1 1 1 block 32 1 1 shared 0";
    return fake_format(NULL,
        "//@ launch k %s cluster 1 overlap 0 with a0 r0\n"
        "extern \"C\" __global__ void k(float *a, float *r)\n{\n"
        "    int i = threadIdx.x;\n    if (i < %u) {\n        %s\n    }\n}\n",
        launch, COUNT, cases[i].body);
}

/* What the results of the first two are. */
static int is_right(size_t i, const float *given, const float *result)
{
    for (unsigned k = 0; k < COUNT; k++)
        if (result[k] != (i == 0 ? given[k] + 1.0f : 77.0f))
            return 0;
    return 1;
}

/* The exit status of the case's process: 0 as it should be, 1 not, 77 there is nothing to run on. */
static int try_case(size_t i)
{
    static const int64_t extents[1] = {COUNT};
    float given[COUNT] = {1, 2, 3, 4, 5}, result[COUNT] = {77, 77, 77, 77, 77};
    struct tf_tensor a = {
        .struct_size = sizeof(a), .dtype = TF_DTYPE_F32, .rank = 1, .extents = extents, .data = given};
    struct tf_tensor r = a;
    const struct tf_tensor *const args[] = {&a, NULL};
    struct tf_tensor *const results[] = {&r, NULL};
    struct tf_artifact artifact = {.struct_size = sizeof(artifact), .text = source(i), .entry = "k"};
    void *module = NULL;
    r.data = result;
    artifact.length = strlen(artifact.text);
    int failed = cuda_compile(NULL, &artifact, &module) || cuda_launch(NULL, module, args, results);
    if (strcmp(diagnosed, NO_DEVICE) == 0 || strcmp(diagnosed, NO_NVRTC) == 0) {
        puts(diagnostic);
        return 77;
    }
    const char *wanted = cases[i].code ? cases[i].code : "";
    if (strcmp(diagnosed, wanted) != 0 || failed != (*wanted != 0) || (!failed && !is_right(i, given, result))) {
        printf("%s: %s [%s], expected [%s]; the first result is %g\n", cases[i].what, diagnostic, diagnosed, wanted,
            (double)result[0]);
        return 1;
    }
    return 0;
}

int main(void)
{
    static struct tf_host host;
    int worst = 0;
    host = fake_host;
    host.element_bytes = element_bytes;
    tf_host = &host;
    for (size_t i = 0; i < N_CASES && worst != 77; i++) {
        int status = 0;
        fflush(stdout);
        pid_t pid = fork();
        if (pid == 0) {
            status = try_case(i);
            fflush(stdout);
            _exit(status);
        }
        if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFEXITED(status))
            worst = 1;
        else if (WEXITSTATUS(status))
            worst = WEXITSTATUS(status);
    }
    return worst;
}
