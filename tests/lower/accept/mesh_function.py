"""A function on a mesh."""

from tilefoundry import func, module
from tilefoundry.dsl import Mesh, Tensor, Topology, tf
from tilefoundry.target import CudaTarget

G = Mesh((Topology("cta", 4),), (4,), ("c",))



@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4),))
class M:
    @func(mesh=G)
    def go(x: Tensor[(4 @ mesh.c, 8), "f32", "smem"], y: Tensor[(4, 8), "f32"]):
        return tf.reshard(x + x, (4, 8), "gmem") + y
