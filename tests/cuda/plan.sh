#!/bin/sh
# SPDX-License-Identifier: MIT
# The plan in a source: what it says, and each way of saying it wrongly.
. "${TF_BUILD:?}/tests/functions.sh"
expect_status 0 "$TF_BUILD/tests/cuda/plan" "$TF_SRC/tests/cuda/plan.cases"
same "$TF_SRC/tests/cuda/plan.golden" "$scratch/out"
finish
