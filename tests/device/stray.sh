#!/bin/sh
# SPDX-License-Identifier: MIT
# Kernels that read, write or ask for what is not theirs.
. "${TF_BUILD:?}/tests/functions.sh"
run "$TF_BUILD/tests/device/stray"
[ "$status" != 77 ] || skip "$(cat "$scratch/out")"
[ "$status" = 0 ] || fail "$(cat "$scratch/out" "$scratch/err")"
finish
