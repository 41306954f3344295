#!/bin/sh
# SPDX-License-Identifier: MIT
# The tutorial's step, as two functions and as one, by its path and by its loop nests: the evaluator's bits.
. "${TF_SRC:?}/tests/device/device.sh"
for placed in Naive Fused; do
    for path in fused-norm none; do
        checked equal "rms_norm_quant.py:$placed" $path
    done
done
finish
