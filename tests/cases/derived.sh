#!/bin/sh
# SPDX-License-Identifier: MIT
# Where legal implementations differ: cancellation, other orders of a sum, an accumulator that is narrower than f32.
. "${TF_BUILD:?}/tests/functions.sh"
requires cc
cp "$TF_SRC/tests/cases/derived.py" "$scratch"
cd "$scratch"
cc -O1 -ffp-contract=off -shared -fPIC -I "$TF_SRC/include" -o legal.so "$TF_SRC/tests/cases/derived.c" -lm ||
    fail "the twins do not compile"

# NAME DTYPE SHAPE: says what NAME.raw holds
describe() { printf '{"dtype": "%s", "shape": %s}' "$2" "$3" >"$1.raw.json"; }
printf '\040\274\276\114\000\000\200\077\040\274\276\314' >cancel.raw # 1e8, 1, -1e8
printf '\000\000\200\077\000\000\200\077\000\000\200\077' >ones.raw
describe cancel f32 '[1, 3]'
describe ones f32 '[3, 1]'
for k in 128 4096; do # 448, and ones
    { printf '\176'; head -c $((k - 1)) /dev/zero | tr '\000' '\070'; } >"a$k.raw"
    cp "a$k.raw" "b$k.raw"
    describe "a$k" fp8e4m3 "[1, $k]"
    describe "b$k" fp8e4m3 "[$k, 1]"
done

# check ARGUMENTS...: the report from the first output on, without warnings
check() {
    run "$TF" check "$@"
    { printf '$ check'; printf ' %s' "$@"; printf '\n'; sed -n '/^  output/,/^  warning/p' out | { grep -v '^  warning\|^$' || :; }; cat err
        echo "exit $status"; } >>got
}
: >got
for twin in one nothing forty; do
    check derived.py:Cancel --twin legal.so:$twin --inputs files:cancel.raw,ones.raw --allow-vacuous --out output --fn derived
done
check derived.py:Cancel --twin legal.so:nothing --inputs files:cancel.raw,ones.raw --out output --fn allclose --rtol 1e-5 --atol 0
check derived.py:Cancel --twin legal.so:forty --inputs files:cancel.raw,ones.raw --out output --fn allclose --rtol 1e-5 --atol 0

for k in 128 4096; do
    for twin in plain promoted stops; do
        check derived.py:Fp8 --twin legal.so:$twin --inputs files:a$k.raw,b$k.raw --dim K=$k --out output --fn derived
        for accumulator in wgmma-e4m3 wgmma-e4m3+promote128; do
            check derived.py:Fp8 --twin legal.so:$twin --inputs files:a$k.raw,b$k.raw --dim K=$k --declare \
                accumulator=$accumulator --out output --fn derived
        done
    done
done

# codes that differ at ties alone are excused below equal, and one that is off elsewhere is not
check derived.py:Norm --twin legal.so:lanes --inputs random --out 'output[0]' --fn derived --out 'output[1]' --fn derived
check derived.py:Norm --twin legal.so:lanes --inputs random --out 'output[0]' --fn equal --out 'output[1]' --fn equal
check derived.py:Norm --twin legal.so:lanes_off --inputs random --out 'output[0]' --fn derived --out 'output[1]' --fn derived
check derived.py:Norm --twin legal.so:lanes_off --inputs random --out 'output[0]' --fn equal --out 'output[1]' --fn derived

# where other admissible values than the reference's were taken
run "$TF" --verbose check derived.py:Norm --twin legal.so:lanes --inputs random --out 'output[0]' --fn derived --out 'output[1]' --fn derived
grep -q '^      163 other values than the reference.s are admissible, at elements 3169, ' out || { fail "ties are not listed"; cat out; }

# how an interval came about, of an element that is named and of the worst
check derived.py:Norm --twin legal.so:lanes --inputs random --out 'output[0]' --fn equal --out 'output[1]' --fn equal \
    --explain 'output[0]=3,97'
check derived.py:Norm --twin legal.so:lanes_off --inputs random --out 'output[0]' --fn derived --out 'output[1]' --fn derived \
    --explain 'output[0]'
check derived.py:Norm --twin legal.so:lanes --inputs random --out 'output[0]' --fn derived --out 'output[1]' --fn derived \
    --explain 'output[1]'
check derived.py:Fp8 --twin legal.so:plain --inputs files:a128.raw,b128.raw --dim K=128 --declare accumulator=wgmma-e4m3 \
    --out output --fn derived --explain output
check derived.py:Paths --twin derived.py:Paths --inputs random --out 'output[0]' --fn derived --out 'output[1]' --fn derived \
    --explain 'output[0]=1,2'
check derived.py:Paths --twin derived.py:Paths --inputs random --out 'output[0]' --fn derived --out 'output[1]' --fn derived \
    --explain 'output[1]=2'
for element in outputs 'output=3' 'output[1]=' 'output[1]=a' 'output[1]=0,256' 'output[1]=256,0' 'output[1]=-1,0' 'output[1]=0,0,0'; do
    check derived.py:Norm --twin legal.so:lanes --inputs random --out 'output[0]' --fn equal --out 'output[1]' --fn equal \
        --explain "$element"
done
check derived.py:Fp8 --actual none.raw --expected none.raw --out output --fn equal --explain output
check derived.py:Fp8 --twin legal.so:plain --inputs random --out output --fn equal --explain output --explain output
same "$TF_SRC/tests/cases/derived.golden" got

run "$TF" check derived.py:Norm --twin legal.so:lanes --inputs random --out 'output[0]' --fn derived --out 'output[1]' --fn derived \
    --explain 'output[0]=3,97' --json -
same "$TF_SRC/tests/cases/explained.json" out
finish
