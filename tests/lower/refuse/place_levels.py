"""Two meshes of one level."""

from tilefoundry import func, module
from tilefoundry.dsl import Mesh, Tensor, Topology, tf
from tilefoundry.target import CudaTarget

G = Mesh((Topology("cta", 4),), (4,), ("c",))



@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 8)))
class M:
    @func
    def go(x: Tensor[(4, 8), "f32"]):
        with G as m:
            with Mesh(("cta",), (2, 2), ("a", "b")) as n:
                return tf.reshard(x, (4 @ m.c, 8 @ n.a), "smem")
