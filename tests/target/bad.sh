#!/bin/sh
# SPDX-License-Identifier: MIT
# Every wrong document is refused with its line; the messages are golden.
. "${TF_BUILD:?}/tests/functions.sh"
here=$TF_SRC/tests/target
cd "$here/bad"
for document in *.xml; do
    expect_status 1 "$TF" target validate "$document"
    [ ! -s "$scratch/out" ] || fail "$document: something was written to stdout"
    same "$here/bad/${document%.xml}.err" "$scratch/err"
done
finish
