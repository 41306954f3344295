# SPDX-License-Identifier: MIT
"""A function or more of every family of operators, whose results check_wrong.c spoils."""

from tilefoundry import func, module
from tilefoundry.dsl import ReduceKind, Tensor, Topology, tf
from tilefoundry.target import CudaTarget

R, N = 6, 96


@module(entry="add", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1),))
class Wrong:
    @func
    def add(x: Tensor[(R, N), "f32"], y: Tensor[(R, N), "f32"]):
        return x + y

    @func
    def chain(x: Tensor[(R, N), "bf16"], y: Tensor[(R, N), "bf16"]):
        return (x * y - x) / (tf.abs(y) + tf.square(x))

    @func
    def curve(x: Tensor[(R, N), "f32"]):
        return tf.exp(x) * tf.rsqrt(tf.abs(x) + 0.5)

    @func
    def choice(x: Tensor[(R, N), "f32"], y: Tensor[(R, N), "f32"]):
        return tf.clamp(tf.where(x > y, x, -y), -1.5, 1.5)

    @func
    def total(x: Tensor[(R, 8, N), "f32"]):
        return tf.reduce(x, (-1,), False, ReduceKind.SUM)

    @func
    def mean(x: Tensor[(R, 8, N), "bf16"]):
        return tf.reduce(tf.square(x), (-1,), False, ReduceKind.MEAN)

    @func
    def largest(x: Tensor[(R, 8, N), "f32"]):
        return tf.reduce(x, (-1,), False, ReduceKind.ABS_MAX)

    @func
    def product(x: Tensor[(R, N), "f32"], w: Tensor[(N, 8), "f32"]):
        return tf.matmul(x, w)

    @func
    def narrow(x: Tensor[(R, N), "bf16"], w: Tensor[(N, 8), "bf16"]):
        return tf.matmul(x, w)

    @func
    def fp8(x: Tensor[(R, N), "fp8e4m3"], w: Tensor[(N, 8), "fp8e4m3"]):
        return tf.matmul(x, w, out_dtype="f32")

    @func
    def rms(x: Tensor[(R, N), "f32"], w: Tensor[(N,), "f32"]):
        return tf.rms_norm(x, w)

    @func
    def layer(x: Tensor[(R, N), "bf16"], w: Tensor[(N,), "bf16"], b: Tensor[(N,), "bf16"]):
        return tf.layer_norm(x, w, b, axis=1, eps=1e-5)

    @func
    def shares(x: Tensor[(R, N), "f32"]):
        return tf.softmax(x, 1)

    @func
    def halves(x: Tensor[(R, N), "bf16"]):
        return tf.softmax(x, 1)

    @func
    def codes(x: Tensor[(R, N), "f32"]):
        scale = tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) / 448.0
        return tf.cast(x / scale, "fp8e4m3"), scale

    @func
    def cast(x: Tensor[(R, N), "f32"]):
        return tf.cast(x, "fp8e5m2"), tf.cast(x, "bf16"), tf.cast(x * 20.0, "i32")

    @func
    def quantised(x: Tensor[(R, 256), "bf16"]):
        return tf.quant(x)

    @func
    def turned(x: Tensor[(R, N), "f32"]):
        return tf.transpose(x, (1, 0)), tf.concat([x, x + x], axis=0)

    @func
    def cut(x: Tensor[(R, N), "bf16"]):
        return x[1:5, 8:80]

    @func
    def taken(x: Tensor[(R, N), "f32"], i: Tensor[(4,), "i64"]):
        return tf.index_select(x, i, 1)

    @func
    def greatest(x: Tensor[(R, N), "f32"]):
        return tf.argmax(x, -1)

    @func
    def best(x: Tensor[(R, N), "f32"]):
        return tf.topk(x, 4)

    @func
    def loop(x: Tensor[(R, N), "f32"]):
        y = x
        for i in range(4):
            y = y * 0.5 + x
        return y

    @func
    def activation(x: Tensor[(R, N), "f32"]):
        return tf.silu(x), tf.gelu(x)

    @func
    def truth(x: Tensor[(R, N), "f32"], y: Tensor[(R, N), "f32"]):
        return x > y
