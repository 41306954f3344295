# SPDX-License-Identifier: MIT
# The public structs lie in memory as they did.
. "${TF_BUILD:-.}/tests/functions.sh"
[ "$(uname -m)" = x86_64 ] || skip "the listing is of x86-64"
run "$TF_BUILD/tests/plugin/layout"
[ "$status" = 0 ] || fail "a struct has a hole, or a member that the listing lacks"
same "$TF_SRC/tests/plugin/layout.expected" "$scratch/out"
finish
