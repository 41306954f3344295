"""One dimension over two ranges."""

from tilefoundry import func, module
from tilefoundry.dsl import DimVar, Tensor, Topology
from tilefoundry.target import CudaTarget

A = DimVar("N", 1, 9)
B2 = DimVar("N", 1, 17)



@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 8)))
class M:
    @func
    def go(x: Tensor[(A,), "f32"], y: Tensor[(B2,), "f32"]):
        return x
