"""A mesh of two axes without saying which."""

from tilefoundry import func, module
from tilefoundry.dsl import Mesh, Tensor, Topology, tf
from tilefoundry.target import CudaTarget


@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 8)))
class M:
    @func
    def go(x: Tensor[(4, 8), "f32"]):
        with Mesh(("cta",), (2, 2), ("a", "b")) as m:
            return tf.reshard(x, (4 @ m, 8), "smem")
