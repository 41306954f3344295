"""A dimension used as a value."""

from tilefoundry import func, module
from tilefoundry.dsl import DimVar, Tensor, Topology
from tilefoundry.target import CudaTarget

N = DimVar("N", 2, 100)



@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 8)))
class M:
    @func
    def go(x: Tensor[(4, 8), "f32"]):
        return x * N
