# SPDX-License-Identifier: MIT
# What cuda-h200 says that it could lower, and why not the rest.
. "${TF_BUILD:-.}/tests/functions.sh"
for module in Mixed Elsewhere; do
    expect_status 0 "$TF" --plugin cuda-h200 analyze "$TF_SRC/tests/plugin/backend.py:$module" --compute-cost
    grep '^# backend' "$scratch/out" >>"$scratch/said" || fail "$module: no backend line"
done
same "$TF_SRC/tests/plugin/backend.expected" "$scratch/said"
# a backend that was not named says nothing
expect_status 0 "$TF" analyze "$TF_SRC/tests/plugin/backend.py:Mixed" --compute-cost
! grep '^# backend' "$scratch/out" || fail "a backend speaks unasked"
finish
