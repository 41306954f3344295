/* SPDX-License-Identifier: MIT
 * SHA-256 (FIPS 180-4), for the digests of documents.
 */
#ifndef TF_TARGET_SHA256_H
#define TF_TARGET_SHA256_H

#include <stddef.h>

void sha256_hex(const void *bytes, size_t length, char hex[65]);

#endif
