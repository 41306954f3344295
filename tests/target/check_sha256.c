/* SPDX-License-Identifier: MIT */
#include "target/sha256.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* The examples of FIPS 180-4's own test data, and lengths around the padding's corners. */
static const struct {
    const char *text;
    size_t repeat;
    const char *digest;
} CASES[] = {
    {"", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    {"a", 55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
    {"a", 56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"},
    {"a", 64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
    {"a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
};

START_TEST(known_digests)
{
    size_t length = strlen(CASES[_i].text);
    char *text = malloc(length * CASES[_i].repeat + 1), hex[65];
    ck_assert_ptr_nonnull(text);
    for (size_t i = 0; i < CASES[_i].repeat; i++)
        memcpy(text + i * length, CASES[_i].text, length);
    sha256_hex(text, length * CASES[_i].repeat, hex);
    ck_assert_str_eq(hex, CASES[_i].digest);
    free(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sha256");
    TCase *cases = tcase_create("digests");
    tcase_add_loop_test(cases, known_digests, 0, sizeof(CASES) / sizeof(*CASES));
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
