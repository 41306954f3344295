#!/bin/sh
# SPDX-License-Identifier: MIT
# Values of small programs, every element, as od reads the files that eval writes.
. "${TF_BUILD:?}/tests/functions.sh"
requires od
cp "$TF_SRC/tests/eval/values.py" "$scratch/values.py"
cd "$scratch"

header() { head -c 128 "$1" | LC_ALL=C sed "s/.*{//; s/}.*//; s/'fortran_order': False, //"; }

# of each file of a directory its dtype and shape, and its elements
dump() {
    for file in "$1"/*.npy "$1"/*.raw; do
        [ -f "$file" ] || continue
        case $file in
        *.npy)
            echo "  $(basename "$file"): $(header "$file")"
            type=$(header "$file" | sed "s/'descr': '.\(..\)'.*/\1/")
            case $type in f2) type=x2 ;; i*) type=d${type#i} ;; u1 | b1) type=u1 ;; esac
            od -An -v -w32 -j128 -t"$type" "$file" | sed 's/-nan/ nan/g' ;;
        *)
            echo "  $(basename "$file"): $(cat "$file.json")"
            od -An -v -w16 -tx1 "$file" ;;
        esac
    done
}

# values SELECTOR [ARGUMENT...]
values() {
    rm -rf values
    selector=$1; shift
    expect_status 0 "$TF" eval "values.py:$selector" --inputs zeros -o values/ "$@"
    [ ! -s out ] || fail "eval -o wrote to stdout: $selector"
    { echo "$selector $*"; dump values; } >>got
}

: >got
values Math.floats
values Math.rounded
values Math.rounded --fp8-overflow nan
values Math.rounded --exact
values Math.integers
values Math.divided --draw 'x=const(-2)'
values Nn.products
values Nn.products --exact
values Nn.rows
values Nn.curves
values Nn.windows
values Nn.whole_windows
values Nn.turned --draw 'pos=const(2)'
values Nn.turned --exact --draw 'pos=const(2)'
values Loops.carried
values Loops.nested
values Loops.inner
values Loops.never
values Loops.tiles
values Loops.tiles --exact
values Calls --dim N=3 --draw 'x=const(2)' --draw 'v=const(10)' --draw 'child_w=const(3)'
values Levels --draw 'x=const(2)' # a child on another hierarchy: values know of none
same "$TF_SRC/tests/eval/values.golden" got

# values are let go after their last use: ten sums of 16 bytes never come together
expect_status 0 "$TF" --verbose eval values.py:Loops.carried --inputs zeros
grep -q 'at most [0-9]* bytes of values at once' err || fail "--verbose does not tell the peak"
peak=$(sed -n 's/.*at most \([0-9]*\) bytes.*/\1/p' err)
[ "$peak" -le 112 ] || fail "values of 16 bytes each come to $peak"
finish
