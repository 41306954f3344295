/* SPDX-License-Identifier: MIT
 * Every operator has an enclosure that some test of enclosures uses, or a reason to have none.
 */
#include "eval/enclosed.h"

/* Operators that are not evaluated: there is no unit of a mesh whose part, or whose number, they could give. */
static const char *const NEVER[] = {"local", "meshcoord"};

struct names {
    const struct tf_op *ops[256];
    size_t n;
};

static int has(const struct names *names, const struct tf_op *op)
{
    size_t i = 0;
    while (i < names->n && names->ops[i] != op)
        i++;
    return i < names->n;
}

static int add_operator(void *data, const struct tf_node *node)
{
    struct names *names = data;
    if (node->kind != TF_NODE_CALL || has(names, node->op))
        return 0;
    ck_assert_uint_lt(names->n, 256);
    names->ops[names->n++] = node->op;
    return 0;
}

static void add_used(struct names *names, const char *file)
{
    struct selection selected;
    const char *source = getenv("TF_SRC");
    source = arena_format(&ctx->arena, "%s/tests/eval/%s:Bound", source ? source : ".", file);
    ck_assert_msg(front_load(ctx, source, &selected) == 0, "%s", told());
    for (uint32_t k = 0; k < selected.module->n_functions; k++) {
        const struct walk walk = {.visit = add_operator, .data = names};
        ck_assert_int_eq(walk_function(ctx, &selected.module->functions[k]->pub, &walk), 0);
    }
}

START_TEST(every_operator_has_an_enclosure)
{
    struct names used = {{NULL}, 0};
    const char *const *names;
    add_used(&used, "bound.py");
    add_used(&used, "bound_ops.py");
    add_used(&used, "bound_rows.py");
    for (size_t i = 0; i < sizeof(NEVER) / sizeof(*NEVER); i++)
        used.ops[used.n++] = registry_op(ctx, NEVER[i], NULL);
    size_t n = registry_names(ctx, "op", &names);
    ck_assert_uint_gt(n, 40);
    for (size_t i = 0; i < n; i++)
        ck_assert_msg(has(&used, registry_op(ctx, names[i], NULL)), "%s is in no test of enclosures", names[i]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("bounds of all operators");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, set_up, end_context);
    tcase_add_test(all, every_operator_has_an_enclosure);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
