# SPDX-License-Identifier: MIT
"""Operators that are formulas, and what picks out and puts in elements: their legal results are enclosed."""

from tilefoundry import func, module
from tilefoundry.dsl import ReduceKind, Tensor, Topology, tf
from tilefoundry.target import CudaTarget

R, N = 4, 384


@module(entry="softmax_f32", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1),))
class Bound:
    @func
    def softmax_f32(x: Tensor[(R, N), "f32"]):
        return tf.softmax(x, -1)

    @func
    def softmax_bf16(x: Tensor[(R, N), "bf16"]):
        return tf.softmax(x, -1)

    @func
    def softmax_upright(x: Tensor[(N, R), "f32"]):
        return tf.softmax(x, 0)

    @func
    def softmax_64(x: Tensor[(R, 64), "f32"]):
        return tf.softmax(x, -1)

    @func
    def softmax_2(x: Tensor[(64, 2), "f32"]):
        return tf.softmax(x, -1)

    @func
    def narrow(x: Tensor[(R, N), "fp8e4m3"], y: Tensor[(R, N), "fp8e5m2"], w: Tensor[(N,), "f32"]):
        return tf.softmax(x, -1), tf.rms_norm(y, w, 1e-6), tf.gelu(x), tf.silu(y), tf.tanh(x), tf.sigmoid(y)

    @func
    def empty(x: Tensor[(0, N), "f32"], w: Tensor[(N,), "f32"]):
        y = tf.rms_norm(tf.softmax(x, -1), w, 1e-6)
        return tf.layer_norm(y, w, w, 1, 1e-5), tf.gelu(y), tf.silu(y)

    @func
    def rms_2(x: Tensor[(64, 2), "f32"], w: Tensor[(2,), "f32"]):
        return tf.rms_norm(x, w, 1e-6)

    @func
    def rms_f32(x: Tensor[(R, N), "f32"], w: Tensor[(N,), "f32"]):
        return tf.rms_norm(x, w, 1e-6)

    @func
    def rms_bf16(x: Tensor[(R, N), "bf16"], w: Tensor[(N,), "bf16"]):
        return tf.rms_norm(x, w, 1e-6)

    @func
    def rms_f16(x: Tensor[(R, N), "f16"], w: Tensor[(N,), "f32"]):
        return tf.rms_norm(x, w, 1e-6)

    @func
    def layer_f32(x: Tensor[(R, N), "f32"], w: Tensor[(N,), "f32"], b: Tensor[(N,), "f32"]):
        return tf.layer_norm(x, w, b, 1, 1e-5)

    @func
    def layer_bf16(x: Tensor[(R, N), "bf16"], w: Tensor[(N,), "f32"], b: Tensor[(N,), "f32"]):
        return tf.layer_norm(x, w, b, 1, 1e-5)

    @func
    def curves_f32(x: Tensor[(R, N), "f32"]):
        return tf.silu(x), tf.sigmoid(x), tf.tanh(x), tf.gelu(x), tf.gelu(x, "none"), tf.relu(x), tf.softplus(x)

    @func
    def curves_bf16(x: Tensor[(R, N), "bf16"]):
        return tf.silu(x), tf.sigmoid(x), tf.tanh(x), tf.gelu(x), tf.gelu(x, "none"), tf.relu(x), tf.softplus(x)

    @func
    def rope_f32(
        q: Tensor[(1, 8, 4, 16), "f32"],
        k: Tensor[(1, 8, 2, 16), "f32"],
        c: Tensor[(8, 16), "f32"],
        s: Tensor[(8, 16), "f32"],
        p: Tensor[(8,), "i32"],
    ):
        return tf.rope(q, k, c, s, p)

    @func
    def rope_bf16(
        q: Tensor[(1, 8, 4, 16), "bf16"],
        k: Tensor[(1, 8, 2, 16), "bf16"],
        c: Tensor[(8, 16), "f32"],
        s: Tensor[(8, 16), "f32"],
        p: Tensor[(8,), "i32"],
    ):
        return tf.rope(q, k, c, s, p)

    @func
    def conv_f32(
        x: Tensor[(2, 8, 9, 9), "f32"], w: Tensor[(6, 4, 3, 3), "f32"], b: Tensor[(6,), "f32"]
    ):
        return tf.conv2d(x, w, b, (2, 1), (1, 1), (1, 2), 2)

    @func
    def conv_f16(
        x: Tensor[(2, 8, 9, 9), "f16"], w: Tensor[(6, 4, 3, 3), "f16"], b: Tensor[(6,), "f16"]
    ):
        return tf.conv2d(x, w, b, (2, 1), (1, 1), (1, 2), 2)
