# SPDX-License-Identifier: MIT
# Descriptors and indexes that the fuzzer came upon.
. "${TF_BUILD:-.}/tests/functions.sh"
expect_status 0 "$TF_BUILD/tests/plugin/replay" "$TF_SRC/tests/plugin/descriptor.corpus"
finish
