#!/bin/sh
# SPDX-License-Identifier: MIT
# Products against sums of products, on numbers whose sums are exact in every order; and the examples that multiply.
. "${TF_BUILD:?}/tests/functions.sh"
cp "$TF_SRC/tests/eval/products.py" "$TF_SRC/examples/fp8_linear.py" "$TF_SRC/examples/attention.py" "$scratch"
cd "$scratch"

for pair in f32:folded_f32 f64:folded_f64 i32:folded_i32 turned:f32; do
    expect_status 0 "$TF" check "products.py:Products.${pair%:*}" --twin "products.py:Products.${pair#*:}" \
        --inputs random --draw 'a=int(-9,9)' --draw 'b=int(-9,9)' --out output --fn equal
done

for dim in 1 37; do
    for layer in quantised biased bf16_weight; do
        expect_status 0 "$TF" analyze "fp8_linear.py:Linear.$layer" - --compute-cost --memory --dim "M=$dim"
        expect_status 0 "$TF" eval "fp8_linear.py:Linear.$layer" --inputs random --dim "M=$dim"
        grep -q "($dim, 320) bf16 norm=[0-9.]*$" out || { fail "$layer"; cat out; }
    done
done

# the commands that the examples show
for example in fp8_linear.py attention.py; do
    sed -n "s/^    tilefoundry \(analyze\|eval\|check\)/\1/p" "$example" >commands
    while read -r command; do
        eval "set -- $command"
        expect_status 0 "$TF" "$@"
    done <commands
    [ "$(wc -l <commands)" = 3 ] || fail "$example shows $(wc -l <commands) commands"
done
finish
