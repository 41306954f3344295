/* SPDX-License-Identifier: MIT
 * Runs what the fuzzer has found interesting, without the fuzzer:
 *     replay CORPUS              every input of a packed corpus
 *     replay --pack FILE...      the packed form of loose inputs, on stdout
 * A packed corpus is a sequence of inputs, each behind its length in two bytes, low one first.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define LONGEST 65535u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t data[LONGEST];

static int pack(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 1;
    }
    size_t n = fread(data, 1, sizeof(data), file);
    fclose(file);
    putchar((int)(n & 0xFF));
    putchar((int)(n >> 8));
    return fwrite(data, 1, n, stdout) != n;
}

static int replay(const char *path)
{
    size_t inputs = 0;
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 1;
    }
    for (uint8_t length[2]; fread(length, 1, 2, file) == 2; inputs++) {
        size_t n = (size_t)length[0] | (size_t)length[1] << 8;
        if (fread(data, 1, n, file) != n)
            break;
        LLVMFuzzerTestOneInput(data, n);
    }
    int whole = feof(file);
    fclose(file);
    printf("%zu inputs\n", inputs);
    return !whole || !inputs;
}

int main(int argc, char **argv)
{
    int failed = 0;
    if (argc == 2)
        return replay(argv[1]);
    if (argc < 3 || strcmp(argv[1], "--pack") != 0) {
        fputs("usage: replay CORPUS | replay --pack FILE...\n", stderr);
        return 2;
    }
    for (int i = 2; i < argc; i++)
        failed |= pack(argv[i]);
    return failed;
}
