#!/bin/sh
# SPDX-License-Identifier: MIT
# The path's values equal the composed operators' bit for bit; a program that is nearly a quantisation is not taken, and is
# told why.
. "${TF_BUILD:?}/tests/functions.sh"
here=$TF_SRC/tests/paths
cp "$here/quant.py" "$here/near.py" "$scratch"
cd "$scratch"

functions() { sed -n 's/^    def \([a-z0-9_]*\)(.*/\1/p' "$1"; }

# equal FUNCTION [OPTION]...: what both write
equal() {
    name=$1; shift
    expect_status 0 "$TF" eval "quant.py:Q.$name" "$@" -o composed.safetensors
    expect_status 0 "$TF" eval "quant.py:Q.$name" "$@" --path fp8-quant -o path.safetensors
    cmp -s composed.safetensors path.safetensors || fail "$name $*: the values differ"
}

for name in $(functions quant.py); do
    for class in ties zero-groups tiny-groups nonfinite-first nonfinite-middle nonfinite-last outliers magnitudes \
        cancelling largest-finite; do
        equal "$name" --inputs "adversarial:$class"
    done
    equal "$name" --inputs random
    equal "$name" --inputs random --draw 'a=uniform(-1e-38,1e-38)'
done
# just above a power of two, whose logarithm is rounded to a whole number
equal power_bare --inputs random --draw 'a=const(1.7500001192092896)'
for name in unclamped unclamped_bf16 e5m2_unclamped row; do
    for class in ties tiny-groups nonfinite-middle; do
        equal "$name" --inputs "adversarial:$class" --fp8-overflow nan
    done
done

# the two draws are not the same, so that equal files say something
expect_status 0 "$TF" eval quant.py:Q.row --inputs random -o one.safetensors
expect_status 0 "$TF" eval quant.py:Q.row --inputs random --seed 1 --path fp8-quant -o other.safetensors
! cmp -s one.safetensors other.safetensors || fail "another seed gives the same"

for name in $(functions near.py); do
    run "$TF" eval "near.py:Q.$name" --inputs random --path fp8-quant -o near.safetensors
    [ "$status" = 1 ] || fail "near.py: $name is taken"
    head -n 2 err
done >near.said
same "$here/near.golden" near.said
# without the demand the backend has its own code, and --verbose says why the path has none
expect_status 0 "$TF" emit near.py:Q.columns --backend cpu-c -o near.c
grep -q 'backend cpu-c' near.c || fail "not the backend's code"
[ ! -s err ] || fail "something is told without --verbose"
expect_status 0 "$TF" --verbose emit near.py:Q.columns --backend cpu-c -o near.c
grep -q "note: 'columns' is not what path fp8-quant does: its groups are not runs" err || fail "no reason with --verbose"
expect_status 0 "$TF" emit quant.py:Q.row --backend cpu-c -o row.c
grep -q 'path fp8-quant' row.c || fail "not the path's code"
expect_status 0 "$TF" emit quant.py:Q.row --backend cpu-c --path none -o row.c
grep -q 'backend cpu-c' row.c || fail "--path none has the path's code"
finish
