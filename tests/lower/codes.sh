#!/bin/sh
# SPDX-License-Identifier: MIT
# Every code of the block "reading programs" is shown by one of the refused programs at least.
. "${TF_BUILD:-.}/tests/functions.sh"

codes=$(sed -n '\|^/\* reading programs \*/|,\|^/\* counting|p' "$TF_SRC/src/util/diag.def" | sed -n 's/^X("\([a-z-]*\)".*/\1/p')
[ -n "$codes" ] || fail "the block is not there"
for code in $codes; do
    case $code in
    operator-missing) continue ;; # needs a run without plugins: check_static
    esac
    grep -q "\[$code\]\$" "$TF_SRC"/tests/lower/refuse/*.err "$TF_SRC"/tests/lower/*.err || fail "no test shows [$code]"
done
finish
