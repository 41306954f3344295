"""Assignments with annotations."""

from tilefoundry import func, module
from tilefoundry.dsl import B, Mesh, P, Tensor, Topology
from tilefoundry.target import CudaTarget

G = Mesh((Topology("cta", 4),), (4,), ("c",))



@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 8)))
class M:
    @func
    def go(x: Tensor[(4, 8), "f32"]):
        y: Tensor[(4, 8), "f32"] = x + x
        z: where(storage="smem", layout=(_, 8 @ cta), mesh=G) = y * y
        w: where(layout=((4, 8), {cta @ P("sum"), thread @ B()})) = z + y
        return w
