/* SPDX-License-Identifier: MIT
 * Replays files through a fuzz target, so that the corpus is run without a fuzzer: PROGRAM FILE|DIRECTORY...
 */
#include "fuzz/fuzz.h"

#include "util/ctx.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static size_t n_files;

static void replay_file(const char *path)
{
    FILE *in = fopen(path, "rb");
    struct stat status;
    if (!in || fstat(fileno(in), &status)) {
        perror(path);
        exit(1);
    }
    size_t size = (size_t)status.st_size;
    /* of exactly this size, so that a read past the end is seen */
    uint8_t *data = malloc(size ? size : 1);
    if (!data || fread(data, 1, size, in) != size) {
        perror(path);
        exit(1);
    }
    fclose(in);
    fprintf(stderr, "%s\n", path);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    n_files++;
}

static void replay(const char *path)
{
    DIR *directory = opendir(path);
    if (!directory) {
        replay_file(path);
        return;
    }
    for (struct dirent *entry; (entry = readdir(directory));) {
        char below[4096];
        if (*entry->d_name == '.')
            continue;
        snprintf(below, sizeof(below), "%s/%s", path, entry->d_name);
        replay(below);
    }
    closedir(directory);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        replay(argv[i]);
    printf("%zu inputs\n", n_files);
    return n_files ? 0 : 1;
}
