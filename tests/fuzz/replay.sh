#!/bin/sh
# SPDX-License-Identifier: MIT
# The committed corpus, and the examples, through every fuzz target.
. "${TF_BUILD:?}/tests/functions.sh"
corpus=$TF_SRC/tests/fuzz/corpus
for target in front target tensors plan; do
    expect_status 0 "$TF_BUILD/tests/fuzz/replay_$target" "$corpus/$target"
done
expect_status 0 "$TF_BUILD/tests/fuzz/replay_front" "$TF_SRC"/examples/*.py
expect_status 0 "$TF_BUILD/tests/fuzz/replay_target" "$TF_SRC"/targets/*.xml
finish
