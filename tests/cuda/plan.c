/* SPDX-License-Identifier: MIT
 *
 *     plan FILE
 *
 * Sources between lines `--- what it is`: prints what is read of each one's plan, or the diagnostic.
 */
#include "fake.h"

static void show_parameter(const struct plan *plan, enum parameter_kind kind, uint32_t index)
{
    switch (kind) {
    case PARAMETER_ARGUMENT: printf(" a%u", index); break;
    case PARAMETER_RESULT: printf(" r%u", index); break;
    case PARAMETER_SCRATCH: printf(" %s", plan->scratch[index].name); break;
    case PARAMETER_MAP: printf(" map %s", plan->maps[index].name); break;
    }
}

static void show_map(const struct plan *plan, const struct map *m)
{
    printf("map %s of", m->name);
    show_parameter(plan, m->of, m->index);
    printf(" type %d swizzle %d promote %d:", m->dtype, m->swizzle, m->promotion);
    for (uint32_t i = 0; i < m->rank; i++)
        printf(" %llu stride %llu box %u", (unsigned long long)m->extents[i],
            (unsigned long long)(i ? m->strides[i - 1] : 0), m->box[i]);
    printf("\n");
}

static void show_launch(const struct plan *plan, const struct launch *l)
{
    printf("launch %s (%u %u %u) of (%u %u %u), %u bytes, cluster %u, overlap %d:", l->kernel, l->grid[0], l->grid[1],
        l->grid[2], l->block[0], l->block[1], l->block[2], l->shared, l->cluster, l->overlaps);
    for (uint32_t i = 0; i < l->n_parameters; i++)
        show_parameter(plan, l->parameters[i].kind, l->parameters[i].index);
    printf("\n");
}

static void show(const char *text)
{
    struct plan plan;
    if (plan_read(NULL, text, &plan)) {
        printf("%s [%s]\n", diagnostic, diagnosed);
        fake_forget();
        return;
    }
    for (uint32_t i = 0; i < plan.n_scratch; i++)
        printf("scratch %s of %zu bytes\n", plan.scratch[i].name, plan.scratch[i].bytes);
    for (uint32_t i = 0; i < plan.n_maps; i++)
        show_map(&plan, &plan.maps[i]);
    for (uint32_t i = 0; i < plan.n_launches; i++)
        show_launch(&plan, &plan.launches[i]);
    fake_forget();
}

int main(int argc, char **argv)
{
    static char text[1 << 16], line[1 << 13];
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
    size_t n = 0;
    if (!file)
        return 2;
    int is_open = 0;
    while (fgets(line, sizeof(line), file)) {
        int is_head = strncmp(line, "--- ", 4) == 0;
        if (is_head && is_open)
            show(text);
        if (is_head) {
            fputs(line, stdout);
            n = 0;
        }
        is_open |= is_head;
        if (!is_head && n + strlen(line) < sizeof(text))
            n += strlen(strcpy(text + n, line));
        text[n] = 0;
    }
    if (is_open)
        show(text);
    fclose(file);
    return 0;
}
