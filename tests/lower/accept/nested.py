"""Meshes within one another: placement over both, plain dimensions on the inner one, coordinates of each."""

from tilefoundry import func, module
from tilefoundry.dsl import Mesh, Tensor, Topology, tf
from tilefoundry.target import CudaTarget


@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 8)))
class M:
    @func
    def go(x: Tensor[(4, 8), "f32"]):
        with Mesh(("cta",), (4,), ("c",)) as m:
            with Mesh(("thread",), (8,), ("t",)) as th:
                a = tf.reshard(x, (4 @ m.c, 8 @ th.t), "rmem")
                c = tf.reshard(a, (4, 8), "gmem")
                d = x[m.c, :] + x[th.t, :]
                e = x[m.c, :]
            f = x[m.c, :]
            return c, d, e, f
