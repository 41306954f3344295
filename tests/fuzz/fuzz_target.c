/* SPDX-License-Identifier: MIT
 * A target document, or after a first byte of 1 a compiled form for a fixed document.
 */
#include "fuzz/fuzz.h"

#include "target/document.h"

#include <stdlib.h>
#include <string.h>

static const char DOCUMENT[] = "a document";

static void use(tf_ctx *ctx, const struct tf_target *target)
{
    uint64_t value;
    uint32_t priced;
    const char *text;
    struct tf_cache cache;
    for (uint32_t i = 0; i < target->n_facts; i++)
        target_text(target, target->facts[i].path, &text);
    for (uint32_t pipe = 0; pipe < 3; pipe++)
        for (uint32_t key = 0; key < TF_DTYPE_COUNT; key++)
            target_rate(target, pipe, key, &value, &priced);
    for (uint32_t storage = 0; storage < TF_STORAGE_COUNT; storage++)
        target_memory(target, storage, &value);
    target_cache(target, 0, &cache);
    (void)ctx;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tf_ctx *ctx = fuzz_ctx();
    if (size && data[0] == 1) {
        /* the reader cuts its input into fields in place */
        char *compiled = malloc(size);
        if (!compiled)
            abort();
        memcpy(compiled, data + 1, size - 1);
        struct document *d =
            document_from_compiled(ctx, "compiled", DOCUMENT, sizeof(DOCUMENT) - 1, compiled, size - 1);
        struct tf_target *t = d ? document_join(ctx, d, NULL) : NULL;
        if (t)
            use(ctx, t);
        free(compiled);
    } else {
        const struct tf_target *t = target_read(ctx, fuzz_file(data, size));
        if (t)
            use(ctx, t);
        fuzz_file_close();
    }
    fuzz_done(ctx);
    return 0;
}
