"""Children, methods, free functions, variants and converters."""

from tilefoundry import func, module
from tilefoundry.dsl import ConstTensor, DimVar, DimVarRangePat, Tensor, Topology, tf
from tilefoundry.target import CudaTarget

N = DimVar("N", 2, 100)



@func
def shared(x: Tensor[(N, 4), "f32"]) -> Tensor[(N, 4), "f32"]:
    return x + x


@module(entry="leaf")
class Leaf:
    @func
    def leaf(x: Tensor[(N, 4), "f32"], w: ConstTensor[(4,), "f32"]):
        return shared(x) * w


@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4),))
class M:
    """Its docstring."""

    first = Leaf
    layers = tuple(Leaf.renamed(f"layer{i}") for i in range(2))

    @module(entry="inner")
    class own:
        @func
        def inner(x: Tensor[(N, 4), "f32"]):
            return tf.exp(x)

        @func
        def other(x: Tensor[(N, 4), "f32"]):
            return inner(x) + x

    def forward(self, x):
        return self.go(x)

    @func
    def pick(x: Tensor[(N, 4), "f32"]) -> Tensor[(N, 4), "f32"]:
        pass

    @pick.specialize(DimVarRangePat("N", 2, 50))
    def few(x: Tensor[(N, 4), "f32"]):
        return tf.exp(x)

    @pick.specialize(DimVarRangePat("N", 50, 100))
    def many(x: Tensor[(N, 4), "f32"]):
        return tf.exp2(x)

    @func
    def go(x: Tensor[(N, 4), "f32"], v: ConstTensor[(4,), "f32"]):
        a = layer1(layer0(first(x)))
        b = own.other(own(a))
        return pick(shared(b)) * v

    @go.converter("v")
    def _(v: Tensor[(4,), "bf16"]):
        return tf.cast(v, "f32")
