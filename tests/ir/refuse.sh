#!/bin/sh
# SPDX-License-Identifier: MIT
# Each line of refuse/cases is refused: exit 1, nothing on stdout, and what refuse.err says.  And each code of the block
# "the typed program" is shown by a test.  TF_UPDATE=1 writes refuse.err.
. "${TF_BUILD:-.}/tests/functions.sh"

cd "$TF_SRC/tests/ir/refuse"
while read -r arguments; do
    # shellcheck disable=SC2086
    run "$TF" $arguments
    [ "$status" = 1 ] || fail "$arguments: exit $status, expected 1"
    [ ! -s "$scratch/out" ] || fail "$arguments: a refused program printed something"
    echo "== $arguments"
    cat "$scratch/err"
done <cases >"$scratch/all"
same ../refuse.err "$scratch/all"

codes=$(sed -n '\|^/\* the typed program \*/|,\|^/\* [a-s]|p' "$TF_SRC/src/util/diag.def" | sed -n 's/^X("\([a-z-]*\)".*/\1/p')
[ -n "$codes" ] || fail "the block is not there"
for code in $codes; do
    grep -q "\[$code\]\$" ../refuse.err || grep -q "\"$code\"" ../check_*.c || fail "no test shows [$code]"
done
finish
