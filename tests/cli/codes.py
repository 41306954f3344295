# SPDX-License-Identifier: MIT
"""Functions whose values cannot be had, or cannot be enclosed."""

from tilefoundry import func, module
from tilefoundry.dsl import Tensor, Topology, tf
from tilefoundry.target import CudaTarget


@module(entry="writes", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1),))
class Codes:
    @func
    def writes(x: Tensor[(64,), "f32"], y: Tensor[(4,), "f32"]):
        return tf.index_copy(x, tf.cast(tf.rsqrt(tf.abs(y)) * 100000000.0, "i64") % 64, y)

    @func
    def trips(x: Tensor[(4,), "f32"], n: Tensor[(), "f32"]):
        y = x
        for i in range(tf.cast(tf.exp(n) * 1000000000.0, "i64") % 7):
            y = y + x
        return y

    @func
    def none(x: Tensor[(4,), "f32"]):
        y = x
        for i in range(3, 3):
            y = x * tf.cast(i, "f32")
        return y

    @func
    def huge(x: Tensor[(4,), "f32"]):
        return tf.zeros(Tensor[(1099511627776, 1099511627776), "f32"])

    @func
    def divides(x: Tensor[(4,), "i32"]):
        return x // x

    @func
    def nothing(x: Tensor[(0, 4), "f32"]):
        return tf.argmax(x, 0)

    @func
    def counts(x: Tensor[(4,), "i32"]):
        return tf.arange(Tensor[(4,), "i32"], start=2147483646)

    @func
    def picks(x: Tensor[(4,), "f32"], i: Tensor[(4,), "i64"]):
        return tf.index_select(x, i, 0)

    @func
    def narrow(x: Tensor[(3,), "f32"]):
        return tf.cast(x, "f4e2m1")

    @func
    def turns(
        q: Tensor[(1, 2, 4, 8), "f32"],
        k: Tensor[(1, 2, 4, 8), "f32"],
        c: Tensor[(2, 8), "f32"],
        s: Tensor[(2, 8), "f32"],
        p: Tensor[(1, 4), "i64"],
    ):
        return tf.rope(q, k, c, s, p)

    @func
    def open_turns(
        q: Tensor[(1, 2, 4, 8), "f32"],
        k: Tensor[(1, 2, 4, 8), "f32"],
        c: Tensor[(9, 8), "f32"],
        s: Tensor[(9, 8), "f32"],
        p: Tensor[(1, 4), "f32"],
    ):
        return tf.rope(q, k, c, s, tf.cast(tf.exp(p) * 1000000000.0, "i64") % 9)
