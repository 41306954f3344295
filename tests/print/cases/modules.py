# select: Tree
"""Modules: children, prototypes with variants, converters, free functions, dimensions."""
from tilefoundry import Layout, ShardLayout, func, module
from tilefoundry.dsl import B, ConstTensor, DimVar, DimVarRangePat, Mesh, P, S, Tensor, Topology, tf
from tilefoundry.target import CudaTarget

H200 = CudaTarget("nvidia.h200_sxm")
CTA = Topology("cta", 4)

N = DimVar("N", 1, 65)
M = DimVar("M", 1, 9)


@func
def twice(x: Tensor[(4, 8), "f32"]):
    return x + x


@func
def thrice(x: Tensor[(4, 8), "f32"]):
    return twice(x) + x


@module(entry="scale", topologies=(CTA,))
class Other:
    @func
    def scale(x: Tensor[(4, 8), "f32"], w: ConstTensor[(8,), "f32"]):
        return x * w


@module(entry="main", target=H200, topologies=(CTA,))
class Tree:
    """A module's own text is not kept."""

    @module(entry="run")
    class Leaf:
        @func
        def run(x: Tensor[(4, 8), "f32"], w: ConstTensor[(8,), "f32"]):
            return x * w

        @func
        def other(x: Tensor[(4, 8), "f32"]):
            return tf.exp(x)

        @run.converter("w")
        def _(raw: Tensor[(16,), "f32"]):
            return raw[0:8]

    second = Other

    @func
    def rows(x: Tensor[(N, 8), "f32"]) -> Tensor[(N, 8), "f32"]:
        """A prototype."""
        pass

    @rows.specialize(DimVarRangePat("N", 1, 10))
    def small(x: Tensor[(N, 8), "f32"]):
        return x + 1.0

    @rows.specialize(DimVarRangePat("N", 10, 65))
    def large(x: Tensor[(N, 8), "f32"]):
        return x * 2.0

    @func
    def shapes(x: Tensor[(N, M, 4), "f32"]):
        a = tf.reshape(x, (N * M, 4))
        b = tf.zeros(Tensor[((N + 3) // 4 * 4, M % 3), "f32"])
        return a, b

    @func
    def main(x: Tensor[(4, 8), "f32"], y: Tensor[(N, 8), "f32"]):
        a = Leaf(x)
        b = Leaf.other(a)
        c = second(b)
        d = thrice(c)
        return d, rows(y)

    def forward(self, x):
        return x
