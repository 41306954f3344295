"""A shape that is no tuple."""

from tilefoundry import func, module
from tilefoundry.dsl import Tensor, Topology
from tilefoundry.target import CudaTarget


@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 8)))
class M:
    @func
    def go(x: Tensor[tuple((8, 4)), "f32"]):
        return x
