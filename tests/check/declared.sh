#!/bin/sh
# SPDX-License-Identifier: MIT
# What candidates declare, by whom, and what the target's facts say of it.
. "${TF_BUILD:?}/tests/functions.sh"
requires cc
cp "$TF_SRC/tests/eval/walk.py" "$scratch"
cd "$scratch"
# twins NAME [DECLARATION]: in a shared object
twins() {
    cc -O1 -ffp-contract=off -shared -fPIC -I "$TF_SRC/include" ${2:+"-DDECLARES=\"$2\""} -o "$1.so" \
        "$TF_SRC/tests/check/declared.c" -lm || fail "the twins do not compile"
}
twins declared
twins says 'accumulator=wgmma-e4m3 div=1'
twins wrong 'accumulator=wgmma-e4m3 dvi=1'
twins much 'tanh=200'
twins long "$(printf '%3000s' ' ')"

set -f
while IFS= read -r line; do
    case $line in '' | '#'*) echo "$line" >>got; continue ;; esac
    # shellcheck disable=SC2086
    run "$TF" check $line
    { echo "\$ tilefoundry check $line"; cat out err; echo "exit $status"; } >>got
done <"$TF_SRC/tests/check/declared.cases"
set +f
same "$TF_SRC/tests/check/declared.golden" got

# what holds in the end is in the report
expect_status 0 "$TF" check walk.py:Walk.short --twin walk.py:Walk.short --inputs random --declare accumulator=wgmma-e4m3 \
    --out output --fn derived --json report.json
grep -q '"declared": "accumulator=wgmma-e4m3 ' report.json || { fail "JSON does not say what was declared"; cat report.json; }
grep -q '"walked_rows": 3' report.json || { fail "JSON does not say how many rows were walked"; cat report.json; }
finish
