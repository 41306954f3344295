#!/bin/sh
# SPDX-License-Identifier: MIT
# Each program of refuse/ is refused: exit 1, nothing on stdout, NAME.err on stderr.  TF_UPDATE=1 writes those files.
. "${TF_BUILD:-.}/tests/functions.sh"

cd "$TF_SRC/tests/lower/refuse"
for program in *.py; do
    name=${program%.py}
    run "$TF" analyze "$program:M" - --compute-cost
    [ "$status" = 1 ] || fail "$program: exit $status, expected 1"
    [ ! -s "$scratch/out" ] || fail "$program: a refused program printed something"
    same "$name.err" "$scratch/err"
done
finish
