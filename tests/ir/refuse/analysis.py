"""What loads, and is refused when it is analysed."""

from tilefoundry import func, module
from tilefoundry.dsl import ConstTensor, DimVar, DimVarRangePat, Mesh, Tensor, Topology, tf
from tilefoundry.target import CpuTarget, CudaTarget

N = DimVar("N", 0, 4096)
WIDTH = DimVar("WIDTH", 1, 9)
H200 = CudaTarget("nvidia.h200_sxm")
CTA = (Topology("cta", 4),)


@module(entry="go", target=H200, topologies=CTA)
class Open:
    @func
    def rows(x: Tensor[(N, 8), "f32"]):
        return x + x

    @func
    def go(x: Tensor[(N, 8), "f32"], y: Tensor[(WIDTH,), "f32"]):
        return rows(x), y


@module(entry="go", target=H200, topologies=CTA)
class Divides:
    @func
    def go(x: Tensor[(8 // N, 8), "f32"]):
        return x + x


@module(entry="go", target=H200, topologies=CTA)
class Bound:
    @func
    def go(x: Tensor[(4, 8), "f32"], n: Tensor[(), "i64"]):
        count = n + 1
        for i in range(count):
            x = x + x
        return x


@module(entry="go", target=H200, topologies=CTA)
class Often:
    @func
    def go(x: Tensor[(4, 8), "f32"]):
        for i in range(9223372036854775807):
            for j in range(3):
                x = x + x
        return x


@module(entry="go", target=H200, topologies=CTA)
class Prototype:
    @func
    def step(x: Tensor[(4, 8), "f32"]) -> Tensor[(4, 8), "f32"]:
        pass

    @func
    def go(x: Tensor[(4, 8), "f32"]):
        return step(x)


@module(entry="go", topologies=(Topology("cta", 8),))
class Wide:
    @func
    def go(x: Tensor[(4, 8), "f32"]):
        return x * x


@module(entry="go", target=H200, topologies=CTA)
class Hierarchy:
    wide = Wide

    @func
    def go(x: Tensor[(4, 8), "f32"]):
        return wide(x)


@module(entry="go", target=H200, topologies=(Topology("cta", 4), Topology("thread", 1025)))
class Extent:
    @func
    def go(x: Tensor[(4, 8), "f32"]):
        return x * x


@module(entry="go", target=H200, topologies=(Topology("cta", 4), Topology("warp", 4)))
class Level:
    @func
    def go(x: Tensor[(4, 8), "f32"]):
        return x * x


@module(entry="go", target=CpuTarget(), topologies=CTA)
class NoLevel:
    @func
    def go(x: Tensor[(4, 8), "f32"]):
        return x * x


@module(entry="go", target=H200)
class Undeclared:
    @func
    def go(x: Tensor[(4, 8), "f32"]):
        return x * x


@module(entry="go", target=H200, topologies=CTA)
class Doubling:
    @func
    def one(x: Tensor[(4, 8), "f32"]):
        return x * x

    @func
    def two(x: Tensor[(4, 8), "f32"]):
        return one(one(x))

    @func
    def four(x: Tensor[(4, 8), "f32"]):
        return two(two(x))

    @func
    def go(x: Tensor[(4, 8), "f32"]):
        return four(four(x))


@module(entry="go", target=H200, topologies=CTA)
class TensorMemory:
    @func
    def go(x: Tensor[(4, 8), "f32"]):
        return tf.reshard(x, (4, 8), "tmem")
