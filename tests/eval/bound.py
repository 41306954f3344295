# SPDX-License-Identifier: MIT
"""Functions whose legal results are enclosed."""

from tilefoundry import func, module
from tilefoundry.dsl import ReduceKind, Tensor, Topology, tf
from tilefoundry.target import CudaTarget

R, N = 4, 512


@module(entry="total", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1),))
class Bound:
    @func
    def total(x: Tensor[(R, N), "f32"]):
        return tf.reduce(x, (-1,), True, ReduceKind.SUM)

    @func
    def mean(x: Tensor[(R, N), "f32"]):
        return tf.reduce(x, (-1,), True, ReduceKind.MEAN)

    @func
    def squares(x: Tensor[(R, N), "f32"]):
        return tf.reduce(tf.square(x), (-1,), True, ReduceKind.SUM)

    @func
    def product(x: Tensor[(R, N), "f32"], w: Tensor[(N, 3), "f32"]):
        return tf.matmul(x, w)

    @func
    def narrow(x: Tensor[(R, N), "bf16"], w: Tensor[(N, 3), "bf16"]):
        return tf.matmul(x, w)

    @func
    def shares(x: Tensor[(R, N), "f32"], w: Tensor[(N, 3), "f32"]):
        return tf.matmul(x / tf.reduce(x, (-1,), True, ReduceKind.SUM), w)

    @func
    def across(x: Tensor[(R, N), "f32"], w: Tensor[(3, N), "f32"]):
        return tf.matmul(w, x / tf.reduce(x, (-1,), True, ReduceKind.SUM), "MK", "NK")

    @func
    def upright(x: Tensor[(R, N), "f32"], w: Tensor[(3, N), "f32"]):
        y = x / tf.reduce(x, (-1,), True, ReduceKind.SUM)
        return tf.matmul(tf.transpose(y, (1, 0)), w, "KM", "NK")

    @func
    def matrices(x: Tensor[(2, R // 2, N), "f32"], w: Tensor[(1, N, 3), "f32"]):
        return tf.matmul(x / tf.reduce(x, (-1,), True, ReduceKind.SUM), w)

    @func
    def turned(x: Tensor[(2, R // 2, N), "f32"], w: Tensor[(1, 3, N), "f32"]):
        return tf.matmul(w, tf.transpose(x / tf.reduce(x, (-1,), True, ReduceKind.SUM), (0, 2, 1)))

    @func
    def points(x: Tensor[(R, N), "f32"]):
        y = tf.cast(x * x - x, "bf16")
        return tf.cast(tf.clamp(tf.where(x > 0.0, tf.cast(y, "f32"), -x), -2.0, 2.0), "fp8e4m3")

    @func
    def largest(x: Tensor[(R, N), "f32"]):
        return tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX), tf.transpose(x, (1, 0))

    @func
    def chain(a: Tensor[(R, N), "f32"], b: Tensor[(R, N), "f32"], c: Tensor[(R, N), "f32"]):
        return a * b + c

    @func
    def curves(x: Tensor[(R, N), "f32"]):
        return tf.exp(x), tf.rsqrt(tf.abs(x)), tf.log(tf.abs(x)), tf.exp2(x) / (x * x + 1.0)

    @func
    def codes(r: Tensor[(1,), "f32"], x: Tensor[(1,), "f32"], scale: Tensor[(1,), "f32"]):
        n = tf.cast(x * tf.rsqrt(r), "bf16")
        return tf.cast(tf.cast(n, "f32") / scale, "fp8e4m3")

    @func
    def delivered(x: Tensor[(R, N), "f32"]):
        scale = tf.reduce(x * x, (-1,), True, ReduceKind.SUM)
        return scale, scale * 3.0
