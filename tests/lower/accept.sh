#!/bin/sh
# SPDX-License-Identifier: MIT
# Each program of accept/ is read as NAME.out prints it back.  TF_UPDATE=1 writes those files.
. "${TF_BUILD:-.}/tests/functions.sh"

cd "$TF_SRC/tests/lower/accept"
for program in *.py; do
    name=${program%.py}
    run "$TF" analyze "$program:M"
    [ "$status" = 0 ] || { fail "$program: exit $status"; cat "$scratch/err"; continue; }
    same "$name.out" "$scratch/out"
done
finish
