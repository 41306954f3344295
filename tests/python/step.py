"""A Module with a child, for implementations in Python."""

from tilefoundry import func, module
from tilefoundry.dsl import DimVar, Tensor, Topology
from tilefoundry.target import CudaTarget

N = DimVar("N", 1, 64)
HALF = N // 2 + 1


@module(entry="twice", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1),))
class Step:
    @module(entry="thrice")
    class part:
        @func
        def thrice(x: Tensor[(10,), "f32"]):
            return x + x + x

    @func
    def twice(x: Tensor[(10,), "f32"]):
        return x + x


@module(entry="twice", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1),))
class Plain:
    @func
    def twice(x: Tensor[(10,), "f32"]):
        return x + x
