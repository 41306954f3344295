#!/bin/sh
# SPDX-License-Identifier: MIT
# `check` as it is used: each line of check.cases with what it prints, and its exit status, is in check.golden.
. "${TF_BUILD:?}/tests/functions.sh"
requires cc
cp "$TF_SRC/examples/rms_norm_quant.py" "$TF_SRC/tests/check/steps.py" "$TF_BUILD/tests/check/.libs/twins.so" "$scratch"
cd "$scratch"
# products and sums as they are written, as the program has them
cc -O1 -ffp-contract=off -shared -fPIC -I "$TF_SRC/include" -o step.so "$TF_SRC/examples/rms_norm_quant_twin.c" -lm ||
    fail "the example does not compile"

make_files() {
    "$TF" eval steps.py:Step.twice --inputs files:x.npy -o twice.safetensors
    "$TF" eval steps.py:Step.thrice --inputs files:x.npy -o thrice.safetensors
    "$TF" eval steps.py:Step.sign --inputs random -o sign.safetensors
    "$TF" eval steps.py:Step.matrix --inputs random -o matrix.safetensors
}
# ten numbers of f32 from 1 to 10
{
    printf '\223NUMPY\001\000\166\000'
    printf '%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (10,), }"
    printf '\000\000\200\077\000\000\000\100\000\000\100\100\000\000\200\100\000\000\240\100'
    printf '\000\000\300\100\000\000\340\100\000\000\000\101\000\000\020\101\000\000\040\101'
} >x.npy
make_files >made 2>&1 || { cat made; fail "eval"; }

set -f
while IFS= read -r line; do
    case $line in '' | '#'*) echo "$line" >>got; continue ;; esac
    # shellcheck disable=SC2086
    set -- $line
    verbose=
    [ "$1" != -v ] || { verbose=--verbose; shift; }
    run "$TF" $verbose check "$@"
    { echo "\$ tilefoundry check $line"; cat out err; echo "exit $status"; } >>got
done <"$TF_SRC/tests/check/check.cases"
set +f
same "$TF_SRC/tests/check/check.golden" got

# the report as JSON is JSON, in a file and on stdout
expect_status 1 "$TF" check steps.py --twin twins.so:wrong --inputs random --out output --fn equal --fn grid --max 1 --budget 1 \
    --json report.json
[ ! -s out ] || fail "--json PATH prints"
same "$TF_SRC/tests/check/wrong.json" report.json
expect_status 0 "$TF" check steps.py:Step.pick --twin steps.py:Step.rows --inputs random --dim N=3,70 --out output --fn equal --json -
same "$TF_SRC/tests/check/dims.json" out
expect_status 1 "$TF" check steps.py:Step.twice --actual thrice.safetensors --inputs files:x.npy --out output --fn max_rel --max 0.1 \
    --json -
same "$TF_SRC/tests/check/files.json" out
expect_status 0 "$TF" check steps.py:Step.rounded --twin twins.so --inputs random --arbiter --out output --fn ulp --max 100000 --json -
same "$TF_SRC/tests/check/arbiter.json" out
cp out pass.json
expect_status 1 "$TF" check steps.py --twin twins.so:refuses --inputs random --out output --fn equal --json -
same "$TF_SRC/tests/check/error.json" out
if command -v python3 >/dev/null 2>&1; then
    for file in report.json pass.json out; do
        python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$file" || fail "$file is no JSON"
    done
fi

# how far it is, is no part of the report
expect_status 0 "$TF" check steps.py --twin twins.so --inputs random --out output --fn equal
cp out plain
expect_status 0 "$TF" check steps.py --twin twins.so --inputs random --out output --fn equal --progress
cmp plain out || fail "--progress changes the report"

# a comparison of somebody else's plugin
whole=$TF_BUILD/tests/plugin/fixtures/.libs/whole.so
expect_status 1 "$TF" --plugin "$whole" check steps.py --twin twins.so --inputs random --out output --fn whole-predicate --atol 1
grep -qx '    whole-predicate(atol=1)  *FAIL' out || fail "the comparison of a plugin: $(cat out err)"
expect_status 0 "$TF" --plugin "$whole" check --help
grep -qx '  whole-predicate --atol X' out || fail "--help lacks the comparison of a plugin"

# an interrupted check leaves no process, and what a twin started ends with it
if command -v pgrep >/dev/null 2>&1; then
    for twin in forks daemons; do
        expect_status 0 "$TF" check steps.py --twin "$scratch/twins.so:$twin" --inputs random --out output --fn equal
        for pid in $(pgrep -f "$scratch/twins.so:$twin" || :); do
            case $(cat "/proc/$pid/stat" 2>/dev/null) in
            *') Z '* | '') ;; # ended, and its parent may take its time
            *) fail "process $pid, which the twin '$twin' started, is left"; kill "$pid" ;;
            esac
        done
    done
    "$TF" check steps.py --twin twins.so:hangs --inputs random --out output --fn equal >/dev/null 2>&1 &
    check=$!
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        child=$(pgrep -P "$check" || :)
        [ -z "$child" ] || break
        sleep 0.2
    done
    kill -TERM "$check"
    wait "$check" 2>/dev/null || :
    sleep 0.2
    [ -n "$child" ] || fail "the twin has no process of its own"
    for pid in $child; do
        ! kill -0 "$pid" 2>/dev/null || fail "process $pid is left"
    done
fi

# every comparison of ours is in the help and in the manual, with its bounds
"$TF" plugin show predicates | sed -n 's/^predicate \([^:]*\):.*/\1/p' >names
[ "$(wc -l <names)" -ge 11 ] || fail "predicates are missing: $(cat names)"
expect_status 0 "$TF" check --help
while read -r name; do
    bounds=$(sed -n "s/^  $name\(.*\)/\1/p" out | sed 's/ --\([a-z]*\) X/ Fl Fl \1/g')
    grep -q "^  $name" out || fail "--help has no $name"
    grep -qx "\.It Cm $name$bounds" "$TF_SRC/man/tilefoundry-check.1" || fail "the manual has no $name$bounds"
done <names
finish
