/* SPDX-License-Identifier: MIT
 * SHA-256 (FIPS 180-4): what is kept under its name is code that will run, so names must not be made to collide.
 */
#include "run.h"

#include <string.h>

static const uint32_t ROUND[64] = {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
    0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152,
    0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138,
    0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70,
    0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5,
    0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa,
    0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

struct digest {
    uint32_t state[8];
    uint8_t block[64];
    uint64_t bytes;
};

static uint32_t turn(uint32_t x, int by)
{
    return x >> by | x << (32 - by);
}

static void mix(struct digest *d)
{
    uint32_t w[64], s[8];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)d->block[4 * i] << 24 | (uint32_t)d->block[4 * i + 1] << 16 |
               (uint32_t)d->block[4 * i + 2] << 8 | d->block[4 * i + 3];
    for (int i = 16; i < 64; i++)
        w[i] = w[i - 16] + w[i - 7] + (turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3) +
               (turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10);
    memcpy(s, d->state, sizeof(s));
    for (int i = 0; i < 64; i++) {
        uint32_t one = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) +
                       ROUND[i] + w[i];
        uint32_t two =
            (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof(*s));
        s[4] += one;
        s[0] = one + two;
    }
    for (int i = 0; i < 8; i++)
        d->state[i] += s[i];
}

static void feed(struct digest *d, const void *from, size_t n)
{
    const uint8_t *at = from;
    for (size_t i = 0; i < n; i++) {
        d->block[d->bytes++ % 64] = at[i];
        if (d->bytes % 64 == 0)
            mix(d);
    }
}

static void feed_number(struct digest *d, uint64_t number)
{
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(number >> (56 - 8 * i));
    feed(d, bytes, sizeof(bytes));
}

const char *digest_text(tf_ctx *ctx, const struct piece *pieces, size_t n)
{
    struct digest d = {
        {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}, {0}, 0};
    for (size_t i = 0; i < n; i++) {
        feed_number(&d, pieces[i].n); /* so that no two lists of pieces read alike */
        feed(&d, pieces[i].at, pieces[i].n);
    }
    uint64_t bits = d.bytes * 8;
    feed(&d, "\x80", 1);
    while (d.bytes % 64 != 56)
        feed(&d, "", 1);
    feed_number(&d, bits);
    return tf_host->format(ctx, "%08x%08x%08x%08x%08x%08x%08x%08x", d.state[0], d.state[1], d.state[2], d.state[3],
        d.state[4], d.state[5], d.state[6], d.state[7]);
}
