/* SPDX-License-Identifier: MIT
 * python: implementations in Python, classes under @runtime_module.  The host calls open and run in a process that may
 * die; Python runs in one that this starts, so that the watched memory stays out of its reach: tensors cross by a
 * piece of memory that both map, requests and answers by two pipes of their own.
 */
#include <tilefoundry/plugin.h>

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define NO_PYTHON "python-start"
#define REFUSED "python-twin"
#define REQUESTS 3
#define ANSWERS 4
#define MEMORY 5
#define ABOVE 10 /* descriptors of ours lie above those that the worker is given */
#define ALIGNMENT ((size_t)64)

extern char **environ;

/* ---- what is claimed: a file's class under @runtime_module, found without running anything ------------------------*/

static int is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Whether the line defines the class of that name. */
static int defines(const char *line, const char *name, size_t length)
{
    return !strncmp(line, "class ", 6) && !strncmp(line + 6, name, length) && !is_name(line[6 + length]);
}

static int has_twin(FILE *file, const char *name, size_t length)
{
    char *line = NULL;
    size_t room = 0;
    int decorated = 0, found = 0;
    while (!found && getline(&line, &room, file) >= 0) {
        if (line[0] == '@' && strstr(line, "runtime_module"))
            decorated = 1;
        else if (!strncmp(line, "class ", 6)) {
            found = decorated && defines(line, name, length);
            decorated = 0;
        } else if (is_name(line[0]))
            decorated = 0;
    }
    free(line);
    return found;
}

static int py_claims(tf_ctx *ctx, const char *source)
{
    const char *colon = strchr(source, ':');
    if (!colon || colon - source < 4 || memcmp(colon - 3, ".py", 3) != 0)
        return TF_E_UNSUPPORTED;
    FILE *file = fopen(tf_host->format(ctx, "%.*s", (int)(colon - source), source), "re");
    int found = file && has_twin(file, colon + 1, strcspn(colon + 1, "."));
    if (file)
        fclose(file);
    return found ? TF_OK : TF_E_UNSUPPORTED;
}

/* ---- the process --------------------------------------------------------------------------------------------------*/

struct worker {
    pid_t pid;
    int memory;
    FILE *requests, *answers;
    char *map;
    size_t mapped;
    const char *declares; /* or NULL */
};

static int fail(tf_ctx *ctx, const char *what, int error)
{
    tf_host->error(ctx, NULL, NO_PYTHON, "%s: %s", what, strerror(error));
    return TF_E_REFUSED;
}

static int raised(int descriptor)
{
    int high = fcntl(descriptor, F_DUPFD_CLOEXEC, ABOVE);
    close(descriptor);
    return high;
}

/* Both ends, above what the worker is given. */
static int make_pipe(int ends[2])
{
    if (pipe2(ends, O_CLOEXEC))
        return -1;
    ends[0] = raised(ends[0]);
    ends[1] = raised(ends[1]);
    return ends[0] < 0 || ends[1] < 0 ? -1 : 0;
}

/* PYTHONPATH begins with what is installed for twins. */
static void set_path(tf_ctx *ctx)
{
    const char *data = getenv("TILEFOUNDRY_DATA"), *before = getenv("PYTHONPATH");
    if (data)
        setenv("PYTHONPATH",
            tf_host->format(ctx, "%s/python%s%s", data, before && *before ? ":" : "", before ? before : ""), 1);
    setenv("PYTHONDONTWRITEBYTECODE", "1", 0);
}

static int start(tf_ctx *ctx, struct worker *w, const char *source, int requests, int answers)
{
    const char *python = getenv("TILEFOUNDRY_PYTHON"), *device = getenv("TILEFOUNDRY_DEVICE");
    python = python && *python ? python : "python3";
    const char *const argv[] = {python, "-m", "tilefoundry._worker", source, device && *device ? device : "auto", NULL};
    posix_spawn_file_actions_t actions;
    char *arguments[sizeof(argv) / sizeof(*argv)];
    memcpy(arguments, argv, sizeof(argv)); /* the interface is older than const */
    set_path(ctx);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, requests, REQUESTS);
    posix_spawn_file_actions_adddup2(&actions, answers, ANSWERS);
    posix_spawn_file_actions_adddup2(&actions, w->memory, MEMORY);
    int error = posix_spawnp(&w->pid, python, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (!error)
        return TF_OK;
    tf_host->error(ctx, NULL, NO_PYTHON,
        "%s cannot be started: %s; install Python 3, or name one in TILEFOUNDRY_PYTHON", python, strerror(error));
    return TF_E_REFUSED;
}

/* How the worker ended, which gave no answer. */
static int tell_end(tf_ctx *ctx, struct worker *w)
{
    int status = 0;
    while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (WIFSIGNALED(status))
        tf_host->error(
            ctx, NULL, REFUSED, "Python was ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        tf_host->error(ctx, NULL, REFUSED, "Python ended with status %d instead of answering", WEXITSTATUS(status));
    return TF_E_REFUSED;
}

static int hear(tf_ctx *ctx, struct worker *w)
{
    char line[1024];
    if (!fgets(line, sizeof(line), w->answers))
        return tell_end(ctx, w);
    line[strcspn(line, "\n")] = '\0';
    if (!strncmp(line, "declares ", 9)) {
        w->declares = tf_host->intern(ctx, line + 9);
        return TF_OK;
    }
    if (!strcmp(line, "ok"))
        return TF_OK;
    tf_host->error(ctx, NULL, REFUSED, "%s", strncmp(line, "error ", 6) ? "Python answered something else" : line + 6);
    return TF_E_REFUSED;
}

static int py_open(tf_ctx *ctx, const char *source, void **twin)
{
    int down[2], up[2];
    struct worker *w = tf_host->alloc(ctx, sizeof(*w));
    w->memory = memfd_create("tilefoundry", MFD_CLOEXEC);
    w->memory = w->memory < 0 ? -1 : raised(w->memory);
    if (w->memory < 0)
        return fail(ctx, "memory to share with Python cannot be had", errno);
    if (make_pipe(down) || make_pipe(up))
        return fail(ctx, "pipes to Python cannot be had", errno);
    int status = start(ctx, w, source, down[0], up[1]);
    close(down[0]);
    close(up[1]);
    w->requests = fdopen(down[1], "w");
    w->answers = fdopen(up[0], "r");
    if (status == TF_OK && (!w->requests || !w->answers))
        status = fail(ctx, "pipes to Python cannot be had", errno);
    *twin = w;
    return status == TF_OK ? hear(ctx, w) : status;
}

/* ---- runs ---------------------------------------------------------------------------------------------------------*/

static size_t bytes_of(const struct tf_tensor *tensor)
{
    size_t n = tf_host->element_bytes(tensor->dtype);
    for (uint32_t i = 0; i < tensor->rank; i++)
        n *= (size_t)tensor->extents[i];
    return n;
}

static size_t after(size_t offset, const struct tf_tensor *tensor)
{
    return (offset + bytes_of(tensor) + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
}

static size_t ask_for(FILE *to, const struct tf_tensor *tensor, size_t offset)
{
    fprintf(to, "%s %zu", tf_host->dtype(tensor->dtype)->name, offset);
    for (uint32_t i = 0; i < tensor->rank; i++)
        fprintf(to, " %lld", (long long)tensor->extents[i]);
    fputc('\n', to);
    return after(offset, tensor);
}

static int share(tf_ctx *ctx, struct worker *w, size_t bytes)
{
    if (w->map || !bytes)
        return TF_OK;
    if (ftruncate(w->memory, (off_t)bytes))
        return fail(ctx, "memory to share with Python cannot be had", errno);
    void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, w->memory, 0);
    if (map == MAP_FAILED)
        return fail(ctx, "memory to share with Python cannot be had", errno);
    w->map = map;
    w->mapped = bytes;
    return TF_OK;
}

/* What Python did to its arguments is done to the host's, which looks at them. */
static void give_back(const struct worker *w, const struct tf_tensor *tensor, size_t offset)
{
    size_t n = bytes_of(tensor);
    if (n && memcmp(tensor->data, w->map + offset, n) != 0)
        memcpy(tensor->data, w->map + offset, n);
}

/* One request with these last words, and what it did to the tensors. */
static int ask(tf_ctx *ctx, struct worker *w, const struct tf_tensor *const *args, size_t n_args,
    struct tf_tensor *const *results, size_t n_results, const char *words)
{
    size_t offset = 0, total = 0;
    for (size_t i = 0; i < n_args + n_results; i++)
        total = after(total, i < n_args ? args[i] : results[i - n_args]);
    int status = share(ctx, w, total);
    if (status)
        return status;
    fprintf(w->requests, "%zu %zu\n", n_args, n_results);
    for (size_t i = 0; i < n_args + n_results; i++) {
        const struct tf_tensor *tensor = i < n_args ? args[i] : results[i - n_args];
        if (bytes_of(tensor))
            memcpy(w->map + offset, tensor->data, bytes_of(tensor));
        offset = ask_for(w->requests, tensor, offset);
    }
    fprintf(w->requests, "%s\n", words);
    fflush(w->requests);
    status = hear(ctx, w);
    offset = 0;
    for (size_t i = 0; status == TF_OK && i < n_args + n_results; i++) {
        const struct tf_tensor *tensor = i < n_args ? args[i] : results[i - n_args];
        give_back(w, tensor, offset);
        offset = after(offset, tensor);
    }
    return status;
}

static const char *py_declares(tf_ctx *ctx, void *twin)
{
    (void)ctx;
    return ((const struct worker *)twin)->declares;
}

static int py_run(tf_ctx *ctx, void *twin, const struct tf_tensor *const *args, size_t n_args,
    struct tf_tensor *const *results, size_t n_results)
{
    return ask(ctx, twin, args, n_args, results, n_results, "go");
}

static size_t last_cache(void)
{
    long l3 = sysconf(_SC_LEVEL3_CACHE_SIZE), l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
    long last = l3 > l2 ? l3 : l2;
    return last > 0 ? (size_t)last : (size_t)64 << 20;
}

/* The worker times the calls themselves: nothing of what goes between the processes is in them. */
static int py_measure(tf_ctx *ctx, void *twin, const struct tf_tensor *const *args, size_t n_args,
    struct tf_tensor *const *results, size_t n_results, struct tf_timing *timing)
{
    struct worker *w = twin;
    size_t cache = last_cache(), each = 1, sets = 1;
    for (size_t i = 0; i < n_args; i++)
        each += bytes_of(args[i]);
    if (!timing->warm)
        sets = 2 * cache / each + 2 < timing->n_samples + 1u ? 2 * cache / each + 2 : timing->n_samples + 1u;
    int status = ask(ctx, w, args, n_args, results, n_results,
        tf_host->format(ctx, "time %u %zu %zu", timing->n_samples, sets, timing->warm ? 0 : cache));
    for (uint32_t i = 0; i < timing->n_samples && status == TF_OK; i++)
        if (fscanf(w->answers, "%lf", &timing->ns[i]) != 1)
            status = tell_end(ctx, w);
    if (status == TF_OK)
        fgetc(w->answers); /* the line's end */
    timing->rotated_bytes = sets > 1 ? sets * each : 0;
    timing->conditions = "Python calls an implementation, on copies of its arguments alone";
    return status;
}

static void py_close(tf_ctx *ctx, void *twin)
{
    (void)ctx, (void)twin; /* the process ends, and the worker with it */
}

static const struct tf_twin TWIN = {
    .struct_size = sizeof(TWIN),
    .name = "python",
    .summary = "a class under @runtime_module in a Python file: FILE.py:CLASS, FILE.py:CLASS.FUNCTION",
    .claims = py_claims,
    .open = py_open,
    .run = py_run,
    .close = py_close,
    .declares = py_declares,
    .takes_device = 1,
    .measure = py_measure,
};
static const struct tf_twin *const TWINS[] = {&TWIN};

static const struct tf_code CODES[] = {
    {NO_PYTHON, "Python, or what connects to it, cannot be had"},
    {REFUSED, "an implementation in Python raised, ended, or gave something else than the program says"},
};

static const struct tf_plugin PLUGIN = {
    TF_PLUGIN_HEAD,
    .name = "python",
    .version = "1.0",
    .summary = "runs implementations in Python",
    .n_twins = 1,
    .twins = TWINS,
    .n_codes = sizeof(CODES) / sizeof(*CODES),
    .codes = CODES,
};
TF_PLUGIN(PLUGIN);
