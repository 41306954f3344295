"""A value that only the inner loop assigns, and a name that no loop carries."""

from tilefoundry import func, module
from tilefoundry.dsl import Tensor, Topology
from tilefoundry.target import CudaTarget


@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 8)))
class M:
    @func
    def go(x: Tensor[(4, 8), "f32"]):
        t = x + x
        for i in range(3):
            seen = x * x
            for j in range(2):
                t = t + seen
        return t
