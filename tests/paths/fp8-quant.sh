#!/bin/sh
# SPDX-License-Identifier: MIT
# The path's values and its kernel equal the composed operators; a program that is nearly one is refused.
. "${TF_BUILD:?}/tests/functions.sh"
cd "$scratch"
source=$TF_SRC/tests/paths/row.py
expect_status 0 "$TF" eval "$source" --inputs random -o composed.safetensors
expect_status 0 "$TF" eval "$source" --inputs random --path fp8-quant -o path.safetensors
cmp composed.safetensors path.safetensors || fail "values differ"
expect_status 1 "$TF" emit "$TF_SRC/tests/paths/near.py" --backend cpu-c --path fp8-quant -o near.c
grep -q path-refuses err || fail "no refusal"
requires "${CC:-cc}"
expect_status 0 "$TF" check "$source" --inputs random --backend cpu-c --path fp8-quant \
    --out 'output[0]' --fn equal --out 'output[1]' --fn equal
finish
