#!/bin/sh
# SPDX-License-Identifier: MIT
# Loop nests of every kind of operator: the evaluator's bits, or, of functions that are not rounded from their exact
# values, what is legal.
. "${TF_SRC:?}/tests/device/device.sh"
for one in $(functions ops.py); do
    case $one in
    Elements.f32 | Elements.narrow | Elements.wide | Rows.*) checked derived "ops.py:$one" none ;;
    Elements.divided) checked equal "ops.py:$one" none --draw 'b=int(1,9)' ;;
    Moves.named) checked equal "ops.py:$one" none --draw 'i=int(0,5)' ;;
    *) checked equal "ops.py:$one" none ;;
    esac
done
finish
