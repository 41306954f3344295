#!/bin/sh
# SPDX-License-Identifier: MIT
# Faults that random inputs let through, and which inputs find them.
. "${TF_BUILD:?}/tests/functions.sh"
requires cc
cp "$TF_SRC/tests/cases/steps.py" "$scratch"
cd "$scratch"
cc -O1 -ffp-contract=off -shared -fPIC -I "$TF_SRC/include" -o wrong.so "$TF_SRC/tests/cases/wrong.c" -lm ||
    fail "the twins do not compile"

two="--out output[0] --fn equal --out output[1] --fn equal"
one="--out output --fn equal"
# verdict WORD ARGUMENTS...: the last line of the report, before warnings
verdict() {
    wanted=$1; shift
    run "$TF" check "$@"
    got=$(sed -n 's/^\(PASS\|FAIL\|VACUOUS\|NONDETERMINISTIC\)\(  .*\)*$/\1/p' out)
    [ "$got" = "$wanted" ] || { fail "'$got' instead of $wanted: check $*"; cat out err; }
}
# failing: the classes that fail, on one line
failing() { awk '/^  class:/ { class = $2 } / FAIL$/ && class != last { printf "%s ", class; last = class }' out; }
finds() {
    got=$(failing)
    [ "$got" = "$1 " ] || fail "the classes that fail are '$got', not '$1'"
}

# shellcheck disable=SC2086
{
    # a reciprocal instead of a division
    verdict PASS steps.py:Divides --twin steps.py:Multiplies --inputs random $two
    verdict FAIL steps.py:Divides --twin steps.py:Multiplies --inputs adversarial:ties $two
    verdict PASS steps.py:Divides --twin steps.py:Multiplies --inputs adversarial:ties --out 'output[0]' --fn grid --max 1 \
        --budget 400 --out 'output[1]' --fn equal
    verdict FAIL steps.py:Divides --twin steps.py:Multiplies --inputs all $two
    finds 'ties tiny-groups'
    verdict PASS steps.py:Divides --twin steps.py:Divides --inputs all $two
    same "$TF_SRC/tests/cases/all.golden" out
    verdict PASS steps.py:ByRow --twin steps.py:ByRow --inputs adversarial $two
    verdict PASS steps.py:Divides --twin steps.py:Divides --inputs random --draw x=adversarial $two

    # ties away from zero
    verdict PASS steps.py:Convert --twin wrong.so:away --inputs random --seed 1 $one
    verdict FAIL steps.py:Convert --twin wrong.so:away --inputs adversarial:ties --seed 1 $one

    # NaN that is left out of a sum
    verdict PASS steps.py:Total --twin wrong.so:drops_nan --inputs random $one
    verdict FAIL steps.py:Total --twin wrong.so:drops_nan --inputs all $one
    finds 'nonfinite-first nonfinite-middle nonfinite-last'

    # a mask that is left off for every even k
    for k in 1 31 32 33 34 48; do
        verdict PASS steps.py:Product --twin wrong.so:whole_steps --inputs random --dim K=$k $one
    done
    for k in 1 31 32 33; do
        verdict PASS steps.py:Product --twin wrong.so:even_steps --inputs random --dim K=$k $one
    done
    for k in 34 48; do
        run "$TF" check steps.py:Product --twin wrong.so:even_steps --inputs random --dim K=$k $one
        [ "$status" = 1 ] || fail "K=$k: exit $status"
        grep -q '^FAIL' out || grep -q 'argument b' err || { fail "K=$k: what it read is not named"; cat out err; }
    done
}

# the class is in the report's JSON, once for each run
run "$TF" check steps.py:ByRow --twin steps.py:ByRow --inputs all --json - --out 'output[0]' --fn equal --out 'output[1]' --fn equal
[ "$(grep -c '"class": "' out)" = 11 ] || { fail "JSON names $(grep -c '"class"' out) classes"; head -50 out; }
# a group is what has one scale: every other row is zeros as a whole, and its scale 0
run "$TF" eval steps.py:ByRow --inputs adversarial:zero-groups -o rows.safetensors
[ "$status" = 0 ] || fail "eval takes no adversarial inputs: $(cat err)"

expect_status 2 "$TF" check steps.py:Total --inputs all --expected rows.safetensors --out output --fn equal
expect_status 2 "$TF" check steps.py:Total --inputs adversarial:tie --out output --fn nan_inf
expect_status 2 "$TF" eval steps.py:Total --inputs all
finish
