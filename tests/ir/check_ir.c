/* SPDX-License-Identifier: MIT */
#include "fake.h"

#include <stdlib.h>

int main(void)
{
    SRunner *runner = srunner_create(build_suite());
    srunner_add_suite(runner, walk_suite());
    srunner_add_suite(runner, inline_suite());
    srunner_add_suite(runner, program_suite());
    srunner_add_suite(runner, verify_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
