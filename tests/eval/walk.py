# SPDX-License-Identifier: MIT
"""Products whose accumulator is a tensor core's."""

from tilefoundry import func, module
from tilefoundry.dsl import Tensor, Topology, tf
from tilefoundry.target import CudaTarget

M, N = 3, 2


@module(entry="short", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1),))
class Walk:
    @func
    def short(x: Tensor[(M, 128), "fp8e4m3"], w: Tensor[(128, N), "fp8e4m3"]):
        return tf.matmul(x, w, out_dtype="f32")

    @func
    def rounded(x: Tensor[(M, 128), "fp8e4m3"], w: Tensor[(128, N), "fp8e4m3"]):
        return tf.matmul(x, w, out_dtype="bf16")

    @func
    def long(x: Tensor[(M, 4096), "fp8e4m3"], w: Tensor[(4096, N), "fp8e4m3"]):
        return tf.matmul(x, w, out_dtype="f32")

    @func
    def half(x: Tensor[(M, 512), "bf16"], w: Tensor[(512, N), "bf16"]):
        return tf.matmul(x, w, out_dtype="f32")

    @func
    def turned(x: Tensor[(512, M), "bf16"], w: Tensor[(N, 512), "bf16"]):
        return tf.matmul(x, w, "KM", "NK", out_dtype="f32")

    @func
    def single(x: Tensor[(M, 512), "f32"], w: Tensor[(512, N), "f32"]):
        return tf.matmul(x, w)

    @func
    def open(x: Tensor[(M, 512), "f32"], w: Tensor[(512, N), "bf16"]):
        return tf.matmul(tf.cast(tf.rsqrt(tf.abs(x)), "bf16"), w, out_dtype="f32")

    @func
    def many(x: Tensor[(1100, 128), "fp8e4m3"], w: Tensor[(128, 512), "fp8e4m3"]):
        return tf.matmul(x, w, out_dtype="f32")

    @func
    def scaled(x: Tensor[(M, 128), "fp8e4m3"], w: Tensor[(128, N), "fp8e4m3"]):
        y = tf.matmul(x, w, out_dtype="f32")
        return y / (tf.reduce(y, (-1,), True, "sum") + 3.0)


@module(entry="short", topologies=(Topology("cta", 1),))
class NoTarget:
    @func
    def short(x: Tensor[(M, 128), "fp8e4m3"], w: Tensor[(128, N), "fp8e4m3"]):
        return tf.matmul(x, w, out_dtype="f32")
