/* SPDX-License-Identifier: MIT
 * libFuzzer: descriptors of any sizes, counts, names and missing members, and index files of any bytes.  What a descriptor
 * points to is there, as long as it is NULL or counted: a plugin that lies about more than that has run its code already.
 */
#include "plugin/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
    const uint8_t *at;
    size_t left;
    tf_ctx *ctx;
};

static uint8_t byte(struct input *in)
{
    if (!in->left)
        return 0;
    in->left--;
    return *in->at++;
}

static const char *text(struct input *in)
{
    size_t n = byte(in);
    if (n == 0xFF)
        return NULL;
    if (n > in->left)
        n = in->left;
    const char *copy = arena_strndup(&in->ctx->arena, (const char *)in->at, n);
    in->at += n;
    in->left -= n;
    return copy;
}

/* What a struct says of its size: the right one, or another. */
static uint64_t stated_size(struct input *in, uint64_t right)
{
    switch (byte(in) % 6) {
    case 0: return byte(in);
    case 1: return right + 8;
    case 2: return (uint64_t)byte(in) << 24;
    default: return right;
    }
}

static size_t stated_count(struct input *in, size_t right)
{
    return byte(in) == 0xFE ? SIZE_MAX / 2 : right;
}

static int infer(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result)
{
    (void)ctx;
    (void)call;
    (void)result;
    return TF_E_INTERNAL;
}

static const char *const *choices(struct input *in)
{
    size_t n = byte(in) % 4;
    const char **list = CTX_ARRAY(in->ctx, const char *, n + 1);
    for (size_t i = 0; i < n; i++)
        list[i] = text(in);
    return n == 3 ? NULL : list;
}

static const struct tf_op *make_op(struct input *in)
{
    struct tf_op *op = CTX_NEW(in->ctx, struct tf_op);
    size_t n = byte(in) % 3;
    struct tf_input *inputs = CTX_ARRAY(in->ctx, struct tf_input, n);
    struct tf_attr_decl *attrs = CTX_ARRAY(in->ctx, struct tf_attr_decl, n);
    struct tf_alias *aliases = CTX_ARRAY(in->ctx, struct tf_alias, n);
    for (size_t i = 0; i < n; i++) {
        inputs[i] = (struct tf_input){.name = text(in), .kind = byte(in) % 6u};
        attrs[i] = (struct tf_attr_decl){.name = text(in), .kind = byte(in) % 16u, .flags = byte(in) % 5u};
        attrs[i].choices = choices(in);
        attrs[i].enumeration = text(in);
        aliases[i] = (struct tf_alias){.name = text(in), .attr = text(in), .value = text(in)};
    }
    *op = (struct tf_op){.struct_size = stated_size(in, sizeof(*op)),
        .name = text(in),
        .summary = text(in),
        .n_inputs = stated_count(in, n),
        .inputs = byte(in) ? inputs : NULL,
        .n_attrs = stated_count(in, n),
        .attrs = byte(in) ? attrs : NULL,
        .n_aliases = stated_count(in, n),
        .aliases = byte(in) ? aliases : NULL,
        .infer = byte(in) ? infer : NULL,
        .flags = byte(in) % 5u};
    return op;
}

/* The other kinds share a head; their bodies are bytes that are no pointers but NULL. */
static const void *make_element(struct input *in, size_t size)
{
    struct element *element = arena_alloc(&in->ctx->arena, size);
    *element = (struct element){stated_size(in, size), text(in), text(in)};
    return element;
}

static const void *list_of(struct input *in, enum plugin_kind kind, size_t size, size_t n)
{
    const void **list = CTX_ARRAY(in->ctx, const void *, n);
    for (size_t i = 0; i < n; i++)
        if (byte(in) != 0xFF)
            list[i] = kind == KIND_OP ? (const void *)make_op(in) : make_element(in, size);
    return byte(in) == 0xFF ? NULL : list;
}

static void fuzz_descriptor(struct input *in)
{
    struct tf_plugin raw = {.struct_size = (uint32_t)stated_size(in, sizeof(raw)),
        .abi_major = byte(in) == 0xFF ? 2 : TF_ABI_MAJOR,
        .abi_minor = byte(in)};
    raw.name = text(in);
    raw.version = text(in);
    raw.summary = text(in);
#define X(KIND, word, member, type, last)                                                                              \
    raw.n_##member = byte(in) % 3u;                                                                                    \
    raw.member = list_of(in, KIND_##KIND, sizeof(type), raw.n_##member);                                               \
    raw.n_##member = stated_count(in, raw.n_##member);
    PLUGIN_KINDS(X)
#undef X
    struct tf_code code = {text(in), text(in)};
    raw.n_codes = byte(in) % 2u;
    raw.codes = byte(in) ? &code : NULL;
    struct plugin plugin;
    descriptor_check(in->ctx, DIAG_ERROR, "fuzzed.so", &raw, &plugin);
}

static void fuzz_index(struct input *in)
{
    static char folder[] = "/tmp/tilefoundry-fuzz.XXXXXX";
    static char path[sizeof(folder) + 32];
    if (!*path) {
        if (!mkdtemp(folder))
            abort();
        snprintf(path, sizeof(path), "%s/" INDEX_FILE, folder);
    }
    FILE *file = fopen(path, "w");
    if (!file)
        abort();
    fwrite(in->at, 1, in->left, file);
    fclose(file);
    const struct index_module *modules;
    size_t n = index_read(in->ctx, folder, &modules);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < modules[i].n; k++)
            if (!*modules[i].names[k].name || strchr(modules[i].file, '/'))
                abort();
    unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {.at = data, .left = size, .ctx = ctx_create()};
    if (byte(&in) % 8)
        fuzz_descriptor(&in);
    else
        fuzz_index(&in);
    ctx_destroy(in.ctx);
    return 0;
}
