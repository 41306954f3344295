"""Two sets of bindings."""

from tilefoundry import func, module
from tilefoundry.dsl import B, Tensor, Topology
from tilefoundry.target import CudaTarget


@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 8)))
class M:
    @func
    def go(x: Tensor[(4, 8), "f32"]):
        y: where(layout=((4, 8), {cta @ B()}, {thread @ B()})) = x + x
        return y
