#!/bin/sh
# SPDX-License-Identifier: MIT
# What SOURCE selects: each line of load.cases with the module and function that were loaded, or what is said against it.
. "${TF_BUILD:-.}/tests/functions.sh"

cd "$TF_SRC/tests/lower/load"
while read -r source; do
    run "$TF" analyze "$source" - --compute-cost
    echo "$source: exit $status"
    sed -n 's/^# analysis.*\(module=.*\) topology.*/    \1/p; s/^# analysis.*\(module=[^ ]* function=[^ ]*\)$/    \1/p' "$scratch/out"
    sed "s|$PWD/||; s/^/    /" "$scratch/err"
done <../load.cases >"$scratch/all"
same ../load.err "$scratch/all"
finish
