#!/bin/sh
# SPDX-License-Identifier: MIT
# The same values give the same bytes however they lie, and what is read without its strides, or goes back with another
# scale, is found.
. "${TF_BUILD:?}/tests/functions.sh"
requires cc
cp "$TF_SRC/tests/cases/layouts.py" "$scratch"
cd "$scratch"
export XDG_CACHE_HOME="$scratch/cache"

"$TF" eval layouts.py:Inputs.points --inputs zeros -o points/ >made 2>&1 || { cat made; fail "points"; }
"$TF" eval layouts.py:Inputs.groups --inputs zeros -o groups/ >made 2>&1 || { cat made; fail "groups"; }

# groups of zeros are zeros, with the scale 1; the other one's is 1 / 448
"$TF" eval layouts.py:Inputs.lonely --inputs zeros -o lonely/ >made 2>&1 || { cat made; fail "lonely"; }
codes=$(od -An -v -tx1 'lonely/out[0].raw' | tr -s ' \n' ' ' | sed 's/ 00//g')
[ "$codes" = ' 7e ' ] || fail "codes of groups of zeros: $codes"
scales=$(tail -c 16 'lonely/out[1].npy' | od -An -tf4 | tr -s ' ')
[ "$scales" = ' 0.002232143 1 1 1' ] || fail "scales of groups of zeros: $scales"

# check ARGUMENTS...: the report from the first output on, without warnings
check() {
    run "$TF" check "$@"
    { printf '$ check'; printf ' %s' "$@"; printf '\n'; sed -n '/^  output/,/^  warning/p' out | grep -v '^  warning\|^$'; cat err
        echo "exit $status"; } >>got
}
: >got
# made with one scale and undone with another: 0.49; with a power of two both times 0.027
for twin in RoundedAfter RoundedBefore; do
    check layouts.py:Given --twin layouts.py:$twin --inputs files:points/out.npy --out output --fn rel_l2 --max 0.1
done

two="--out output[0] --fn equal --out output[1] --fn equal"
# shellcheck disable=SC2086
{
    # groups of zeros and of 1e-9, packed, strided, and turned; and what of it is compiled
    for twin in Strided Turned OtherFloor; do
        check layouts.py:Packed --twin layouts.py:$twin --inputs files:groups/out.npy $two
    done
    for program in Packed Strided Turned; do
        check layouts.py:$program --backend cpu-c --inputs files:groups/out.npy $two
    done
    # views
    for program in Transposed EveryOther; do
        check layouts.py:$program --backend cpu-c --inputs random $two
        check layouts.py:$program --twin layouts.py:$program.misread --inputs random $two
    done
}
same "$TF_SRC/tests/cases/layouts.golden" got

# a view gives the bytes that a copy of it does
"$TF" eval layouts.py:Inputs.rows --inputs random -o rows/ >made 2>&1 || { cat made; fail "rows"; }
for i in 0 1; do
    program=$([ $i = 0 ] && echo Transposed || echo EveryOther)
    "$TF" eval layouts.py:$program --inputs random -o view.safetensors >made 2>&1 || { cat made; fail "$program"; }
    "$TF" eval layouts.py:$program.copied --inputs files:"$(echo rows/out*$i*.raw)" -o copy.safetensors >made 2>&1 ||
        { cat made; ls rows; fail "$program.copied"; }
    cmp view.safetensors copy.safetensors || fail "$program: a view is not quantised as a copy of it"
done
finish
