"""A function of the file that is no program function."""

from tilefoundry import func, module
from tilefoundry.dsl import Tensor, Topology
from tilefoundry.target import CudaTarget

def double(v):
    return v + v



@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 8)))
class M:
    @func
    def go(x: Tensor[(4, 8), "f32"]):
        return double(x)
