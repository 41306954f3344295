#!/bin/sh
# SPDX-License-Identifier: MIT
# What cuda-h200 makes: its plan and its kernels, each nest one where nothing stands between them, else one in all.
. "${TF_BUILD:?}/tests/functions.sh"
cp "$TF_SRC/tests/backend/ops.py" "$TF_SRC/examples/rms_norm_quant.py" "$scratch"
cd "$scratch"
TARGET='--target nvidia.h200_sxm'

# shown SELECTOR: the head, the plan and the kernels, without what they call
shown() {
    # shellcheck disable=SC2086
    expect_status 0 "$TF" $TARGET emit "$1" --backend cuda-h200 --path none -o "made.cu"
    { echo "\$ $1"; sed -n '1,/^$/p; /^extern "C"/,$p' made.cu | sed 's/ops\.py:[0-9]*/ops.py:N/'; } >>shown
}
shown ops.py:Stored.near
shown ops.py:Loops.tiles
shown rms_norm_quant.py:Fused
same "$TF_SRC/tests/backend/cuda.golden" shown

# what cpu-c lowers it lowers too
for selector in Elements.f32 Elements.integers Elements.divided Bits Rows.folds Rows.normed Rows.chosen \
    Rows.quantised Products.products Products.turned Products.windows Moves.moved Moves.cut Moves.named Loops.swapped \
    Placed Stored.called; do
    # shellcheck disable=SC2086
    expect_status 0 "$TF" $TARGET emit "ops.py:$selector" --backend cuda-h200 --path none -o made.cu
    launches=$(grep -c '^//@ launch ' made.cu) kernels=$(grep -c '^extern "C" __global__ ' made.cu)
    [ "$launches" = "$kernels" ] && [ "$kernels" -gt 0 ] || fail "$selector: $launches launches of $kernels kernels"
done
finish
