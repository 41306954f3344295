#!/bin/sh
# SPDX-License-Identifier: MIT
# The kernels of paths over rows that each rule for their threads is for: the evaluator's bits.
. "${TF_SRC:?}/tests/device/device.sh"
for rows in 1 2 37 128; do
    for one in $(functions norms-cuda.py); do
        checked equal "norms-cuda.py:$one" fused-norm --dim R=$rows
    done
done
for one in $(functions quant.py); do
    case $one in
    Q.square | Q.square_odd | Q.square_f32 | Q.whole_large) ;; # left to the loop nests
    *) checked equal "quant.py:$one" fp8-quant ;;
    esac
done
for team in 'team=128 vectors=4' 'team=256 vectors=2 cluster=1 loops=1' 'cluster=2' 'overlap=0'; do
    TILEFOUNDRY_ROWS=$team
    export TILEFOUNDRY_ROWS
    checked equal norms-cuda.py:N.rms fused-norm --dim R=300
done
finish
