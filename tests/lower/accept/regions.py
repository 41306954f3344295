"""Meshes opened in every way, with what they capture and what escapes."""

from tilefoundry import func, module
from tilefoundry.dsl import Mesh, Tensor, Topology, tf
from tilefoundry.target import CudaTarget

G = Mesh((Topology("cta", 4),), (4,), ("c",))



@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 8)))
class M:
    @func
    def go(x: Tensor[(4, 8), "f32"]):
        with Mesh(("cta",), (4,), ("c",)) as m:
            held = tf.reshard(x, (4 @ m.c, 8), "smem")
            twice = held + held
            out = tf.reshard(twice, (4, 8), "gmem")
        with G as g:
            y = tf.reshard(x, (4 @ g, 8), "smem")
            z = tf.reshard(y * y, (4, 8), "gmem")
            w = out + z
        both = w + out
        mm = Mesh(("cta",), layout=(2, 2), names=("a", "b"))
        with mm as m:
            with Mesh((Topology("thread", 8),), layout=(8,), names=("t",)) as th:
                p = tf.reshard(both, (4 @ (m.a, m.b), 8 @ th.t), "rmem")
                both = tf.reshard(p, (4, 8), "gmem")
            kept = x + x
        with G as g:
            with g[0:2] as h:
                q = tf.exp(x)
            return q, kept
