#!/bin/sh
# SPDX-License-Identifier: MIT
# The shipped documents, the compiled form, and a user's own.
. "${TF_BUILD:?}/tests/functions.sh"
XDG_DATA_HOME=$scratch/home
export XDG_DATA_HOME
own=$XDG_DATA_HOME/tilefoundry/targets

# every shipped document is valid, and shown alike whether its compiled form is used or not
expect_status 0 "$TF" target validate "$TF_SRC"/targets/*.xml
for id in nvidia.h200_sxm nvidia.b200_sxm apple.m2_pro cpu; do
    expect_status 0 "$TF" target show $id
    same "$TF_SRC/tests/target/$id.show" "$scratch/out"
done

# a document by path, read afresh
cp "$TF_SRC/targets/nvidia.h200_sxm.xml" "$scratch/mine.xml"
sed -i -e 's/id="nvidia.h200_sxm"/id="acme.mine"/' -e 's/4800000000000/2400000000000/' "$scratch/mine.xml"
expect_status 0 "$TF" target show "$scratch/mine.xml"
grep -q 'memory.hbm.bandwidth: 2400000000000 byte/s \[vendor\]' "$scratch/out" || fail "the document's own bandwidth is not shown"

# added, found by its identity, listed, changed on disk, removed
expect_status 1 "$TF" target show acme.mine
grep -q "unknown target 'acme.mine'" "$scratch/err" || fail "an unknown identity is not named"
expect_status 0 "$TF" target add "$scratch/mine.xml"
[ -f "$own/acme.mine.xml" ] && [ -f "$own/acme.mine.tfc" ] || fail "the copy and its compiled form were not kept"
expect_status 0 "$TF" target show acme.mine
grep -q 'memory.hbm.bandwidth: 2400000000000 byte/s' "$scratch/out" || fail "the added document is not shown"
expect_status 0 "$TF" target list
grep -q 'identity: acme.mine   added' "$scratch/out" || fail "the added document is not listed"
sed -i 's/2400000000000/1200000000000/' "$own/acme.mine.xml"
expect_status 0 "$TF" target show acme.mine
grep -q 'memory.hbm.bandwidth: 1200000000000 byte/s' "$scratch/out" || fail "a stale compiled form was believed"
for junk in '' 'junk' "$(head -c 300 "$own/acme.mine.tfc" | tr '\037' 'x')"; do
    printf '%s' "$junk" >"$own/acme.mine.tfc"
    expect_status 0 "$TF" target show acme.mine
    grep -q 'memory.hbm.bandwidth: 1200000000000 byte/s' "$scratch/out" || fail "a broken compiled form was not passed over"
done
expect_status 0 "$TF" target remove acme.mine
[ ! -e "$own/acme.mine.xml" ] && [ ! -e "$own/acme.mine.tfc" ] || fail "remove left something behind"
expect_status 1 "$TF" target remove acme.mine
expect_status 1 "$TF" target remove nvidia.h200_sxm
expect_status 1 "$TF" target add "$TF_SRC/targets/nvidia.h200_sxm.xml"
grep -q 'is shipped with the program' "$scratch/err" || fail "a shipped identity could be taken"

# files that are none
expect_status 1 "$TF" target validate "$scratch"
expect_status 1 "$TF" target validate "$scratch/none.xml"
mkfifo "$scratch/fifo.xml"
expect_status 1 "$TF" target validate "$scratch/fifo.xml"
expect_status 1 "$TF" target show nvidia.sm90
grep -q 'is an architecture' "$scratch/err" || fail "an architecture passed for a target"
expect_status 1 "$TF" target show nvidia.h200_sxn
grep -q "did you mean 'nvidia.h200_sxm'" "$scratch/err" || fail "no near name was suggested"

# usage
expect_status 2 "$TF" target frobnicate
expect_status 2 "$TF" target show
expect_status 2 "$TF" target list more
expect_status 2 "$TF" target --no-such
expect_status 0 "$TF" target
expect_status 0 "$TF" target --help
finish
