# SPDX-License-Identifier: MIT
"""Small steps to hold implementations to."""

from tilefoundry import func, module
from tilefoundry.dsl import ConstTensor, DimVar, DimVarRangePat, Tensor, Topology, tf
from tilefoundry.target import CudaTarget

N = DimVar("N", 1, 100)
_H200 = CudaTarget("nvidia.h200_sxm")
_CTA = Topology("cta", 1)


@module(entry="twice", target=_H200, topologies=(_CTA,))
class Step:
    """One input, one output: what the twins of the tests compute."""

    @module(entry="scaled")
    class part:
        @func
        def scaled(x: Tensor[(4, 3), "f32"], w: ConstTensor[(3,), "f32"]):
            return x * w

    @func
    def twice(x: Tensor[(10,), "f32"]):
        return x + x

    @func
    def doubled(x: Tensor[(10,), "f32"]):
        return x * 2.0

    @func
    def rounded(x: Tensor[(10,), "f32"]):
        return tf.cast(tf.cast(x + x, "bf16"), "f32")

    @func
    def thrice(x: Tensor[(10,), "f32"]):
        return x + x + x

    @func
    def matrix(x: Tensor[(5, 2), "f32"]):
        return x + x

    @func
    def sign(x: Tensor[(4, 4), "f32"]):
        return tf.cmp_gt(x, x * 0.0), tf.cast(x, "i32")

    @func
    def ratio(x: Tensor[(2, 2), "f32"]):
        return x / x

    @func
    def scales(x: Tensor[(4,), "f32"]):
        return tf.cast(x / x, "f8e8m0")

    @func
    def small(x: Tensor[(64, 32), "f32"]):
        return tf.exp(x * x * (-1.0)) * 0.0001

    @func
    def rows(x: Tensor[(N, 16), "f32"]):
        return x + x

    @func
    def tripled_rows(x: Tensor[(N, 16), "f32"]):
        return x + x + x

    @func
    def pick(x: Tensor[(N, 16), "f32"]) -> Tensor[(N, 16), "f32"]:
        pass

    @pick.specialize(DimVarRangePat("N", 1, 64))
    def few(x: Tensor[(N, 16), "f32"]):
        return x + x

    @pick.specialize(DimVarRangePat("N", 64, 100))
    def many(x: Tensor[(N, 16), "f32"]):
        return x * 2.0

    @func
    def none(x: Tensor[(0, 4), "f32"]):
        return x + x
