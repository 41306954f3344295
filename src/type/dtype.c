/* SPDX-License-Identifier: MIT */
#include "type/type.h"

#include <string.h>

static const struct tf_dtype_info DTYPES[] = {
#define X(NAME, text, nbits, kind, e, m)                                                                               \
    {.name = (text), .bits = (nbits), .cls = (kind), .exponent_bits = (e), .fraction_bits = (m)},
    TF_DTYPES(X)
#undef X
};

static const char *const STORAGES[] = {
#define X(NAME, text) text,
    TF_STORAGES(X)
#undef X
};

const struct tf_dtype_info *dtype_info(uint32_t dtype)
{
    return dtype < TF_DTYPE_COUNT ? &DTYPES[dtype] : NULL;
}

int dtype_find(const char *name, uint32_t *dtype)
{
    for (uint32_t i = 0; i < TF_DTYPE_COUNT; i++)
        if (!strcmp(DTYPES[i].name, name)) {
            *dtype = i;
            return 0;
        }
    return -1;
}

const char *storage_name(uint32_t storage)
{
    return storage < TF_STORAGE_COUNT ? STORAGES[storage] : "?";
}

int storage_find(const char *name, uint32_t *storage)
{
    for (uint32_t i = 0; i < TF_STORAGE_COUNT; i++)
        if (!strcmp(STORAGES[i], name)) {
            *storage = i;
            return 0;
        }
    return -1;
}
