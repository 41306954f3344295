/* SPDX-License-Identifier: MIT
 * The memory analyzer's sets of coordinates, held against marking every coordinate.
 */
#include "sets.h"

#include <check.h>

const struct tf_host *tf_host;

#define SIDE 40 /* coordinates of an axis that are marked */
#define MAX_RANK 3
#define MAX_PRODUCTS 6

static uint32_t seed;
static int64_t pick(int64_t lo, int64_t hi) /* lo..hi */
{
    seed = seed * 1664525u + 1013904223u;
    return lo + (int64_t)((seed >> 8) % (uint32_t)(hi - lo + 1));
}

struct factor { /* one axis of a product, as it was asked for */
    int64_t base, lo, hi;
    uint32_t n;
    struct digit digit[3];
};

static void random_factor(struct factor *f)
{
    f->base = pick(-5, 20);
    f->lo = pick(0, 3) ? 0 : pick(0, 10);
    f->hi = pick(0, 3) ? SIDE : pick(f->lo, SIDE);
    f->n = (uint32_t)pick(0, 3);
    for (uint32_t i = 0; i < f->n; i++)
        f->digit[i] = (struct digit){pick(0, 5) ? pick(1, 7) : pick(-4, 0), (uint64_t)pick(pick(0, 9) ? 1 : 0, 5)};
}

static void mark(const struct factor *f, uint32_t digit, int64_t at, unsigned char *seen)
{
    if (digit == f->n) {
        if (at >= f->lo && at < f->hi)
            seen[at] = 1;
        return;
    }
    for (uint64_t i = 0; i < f->digit[digit].extent; i++)
        mark(f, digit + 1, at + (int64_t)f->digit[digit].stride * (int64_t)i, seen);
}

static uint64_t count_slowly(struct factor f[MAX_PRODUCTS][MAX_RANK], uint32_t n, uint32_t rank)
{
    static unsigned char all[SIDE * SIDE * SIDE];
    uint64_t count = 0;
    memset(all, 0, sizeof(all));
    for (uint32_t p = 0; p < n; p++) {
        unsigned char seen[MAX_RANK][SIDE] = {{0}};
        for (uint32_t a = 0; a < rank; a++)
            mark(&f[p][a], 0, f[p][a].base, seen[a]);
        for (uint32_t a = rank; a < MAX_RANK; a++)
            seen[a][0] = 1;
        for (int x = 0; x < SIDE; x++)
            for (int y = 0; y < SIDE && seen[0][x]; y++)
                for (int z = 0; z < SIDE && seen[1][y]; z++)
                    all[(x * SIDE + y) * SIDE + z] |= seen[2][z];
    }
    for (uint32_t i = 0; i < sizeof(all); i++)
        count += all[i];
    return count;
}

START_TEST(random_unions)
{
    struct pool pool = {0};
    for (uint32_t round = 0; round < 8000; round++) {
        static struct factor f[MAX_PRODUCTS][MAX_RANK];
        seed = round * 7919u + 5u;
        uint32_t n = (uint32_t)pick(0, MAX_PRODUCTS), rank = (uint32_t)pick(1, MAX_RANK), kept = 0;
        struct spans sets[MAX_PRODUCTS][MAX_RANK], *products[MAX_PRODUCTS];
        pool_reset(&pool);
        for (uint32_t p = 0; p < n; p++) {
            int empty = 0;
            for (uint32_t a = 0; a < rank; a++) {
                struct digit digits[3];
                random_factor(&f[p][a]);
                memcpy(digits, f[p][a].digit, sizeof(digits));
                ck_assert_int_eq(
                    spans_make(&pool, f[p][a].base, f[p][a].n, digits, f[p][a].lo, f[p][a].hi, &sets[p][a]), SET_OK);
                empty |= sets[p][a].n == 0;
            }
            if (!empty)
                products[kept++] = sets[p];
        }
        uint64_t ours, right = count_slowly(f, n, rank);
        ck_assert_int_eq(products_count(&pool, rank, kept, products, &ours), SET_OK);
        ck_assert_msg(
            ours == right, "round %u: %llu, expected %llu", round, (unsigned long long)ours, (unsigned long long)right);
    }
    pool_free(&pool);
}
END_TEST

START_TEST(large_sets)
{
    struct pool pool = {0};
    struct spans set[2], *products[2] = {&set[0], &set[1]};
    struct digit tiles[2] = {{(coord)1 << 40, (uint64_t)1 << 20}, {1, (uint64_t)1 << 40}}; /* tiles that touch */
    struct digit apart[2] = {{3, 1000}, {7, 70000}};
    uint64_t count;
    ck_assert_int_eq(spans_make(&pool, 0, 2, tiles, 0, (coord)1 << 59, &set[0]), SET_OK);
    ck_assert_uint_eq(set[0].n, 1);
    ck_assert_int_eq(spans_make(&pool, (coord)1 << 58, 1, tiles, 0, (coord)1 << 59, &set[1]), SET_OK);
    ck_assert_int_eq(products_count(&pool, 1, 2, products, &count), SET_OK);
    ck_assert_uint_eq(count, (uint64_t)1 << 59);
    ck_assert_int_eq(spans_make(&pool, 0, 2, apart, 0, (coord)1 << 59, &set[0]), SET_TOO_MUCH);
    pool_free(&pool);
}
END_TEST

/* A diagonal of squares costs by the square, not by the pair. */
START_TEST(many_products)
{
    struct pool pool = {0};
    enum { N = 20000 };
    struct spans *sets = calloc(2 * N, sizeof(*sets)), **products = calloc(N, sizeof(*products));
    uint64_t count;
    for (int64_t i = 0; i < N; i++) {
        for (int a = 0; a < 2; a++) {
            struct digit side = {1, 4};
            spans_make(&pool, 3 * i, 1, &side, 0, (coord)1 << 40, &sets[2 * i + a]);
        }
        products[i] = &sets[2 * i];
    }
    ck_assert_int_eq(products_count(&pool, 2, N, products, &count), SET_OK);
    ck_assert_uint_eq(count, (uint64_t)N * 16 - (N - 1));
    free(products);
    free(sets);
    pool_free(&pool);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sets");
    TCase *cases = tcase_create("sets");
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, random_unions);
    tcase_add_test(cases, large_sets);
    tcase_add_test(cases, many_products);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
