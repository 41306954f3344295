/* SPDX-License-Identifier: MIT
 *
 *     compile [--spills] FILE.cu...
 *
 * Reads the plan of each file and compiles it for sm_90a, as the backend does before it launches, on a machine that need
 * have no device.  A file fails with what the compiler warns of, with a kernel of its plan that it does not have and,
 * but for --spills, with registers that do not suffice.  77: there is no NVRTC.
 */
#include "fake.h"

static char *read_whole(const char *path)
{
    FILE *file = fopen(path, "rb");
    long n = file && !fseek(file, 0, SEEK_END) ? ftell(file) : -1;
    char *text = n >= 0 ? fake_alloc(NULL, (size_t)n + 1) : NULL;
    if (text) {
        rewind(file);
        if (fread(text, 1, (size_t)n, file) != (size_t)n)
            text = NULL;
    }
    if (file)
        fclose(file);
    return text;
}

/* A line of the log in which registers are spilled, or NULL. */
static const char *spill(const char *log)
{
    static const char words[] = " bytes spill stores";
    for (const char *at = strstr(log, words); at; at = strstr(at + 1, words))
        if (at[-1] != '0' || (at - 2 >= log && at[-2] >= '0' && at[-2] <= '9')) {
            while (at > log && at[-1] != '\n')
                at--;
            return fake_format(NULL, "%.*s", (int)strcspn(at, "\n"), at);
        }
    return NULL;
}

static const char *missing_kernel(const struct plan *plan, const char *log)
{
    for (uint32_t i = 0; i < plan->n_launches; i++)
        if (!strstr(log, fake_format(NULL, "entry function '%s'", plan->launches[i].kernel)))
            return fake_format(NULL, "the code has no kernel %s", plan->launches[i].kernel);
    return NULL;
}

/* NULL, or what is wrong. */
static const char *try_file(const char *path, int may_spill)
{
    struct plan plan;
    struct compiled compiled;
    char *text = read_whole(path);
    if (!text)
        return "it cannot be read";
    if (plan_read(NULL, text, &plan) || compile_source(NULL, text, &compiled))
        return diagnostic;
    const char *why = missing_kernel(&plan, compiled.log);
    if (!why && (compiled.length < 4 || memcmp(compiled.cubin, "\177ELF", 4) != 0))
        why = "what NVRTC gives is no cubin";
    return why || may_spill ? why : spill(compiled.log);
}

int main(int argc, char **argv)
{
    int failures = 0, first = 1, may_spill = argc > 1 && strcmp(argv[1], "--spills") == 0;
    for (int i = first + may_spill; i < argc; i++) {
        const char *why = try_file(argv[i], may_spill);
        if (strcmp(diagnosed, NO_NVRTC) == 0) {
            puts(diagnostic);
            return 77;
        }
        if (why)
            printf("%s: %s\n", argv[i], why);
        failures += why != NULL;
        fake_forget();
    }
    return failures != 0;
}
