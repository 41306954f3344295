"""The coordinate of a mesh that is opened twice."""

from tilefoundry import func, module
from tilefoundry.dsl import Mesh, Tensor, Topology
from tilefoundry.target import CudaTarget

G = Mesh((Topology("cta", 4),), (4,), ("c",))



@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 8)))
class M:
    @func
    def go(x: Tensor[(4, 8), "f32"]):
        with G as g:
            a = x[g.c, :]
        with G as g:
            b = x[g.c, :]
        return a + b
