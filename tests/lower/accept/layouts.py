"""Layouts as placement, plain, explicit and as values."""

from tilefoundry import func, module
from tilefoundry.dsl import Mesh, S, Tensor, Topology, tf
from tilefoundry.ir.types.shard import Layout, ShardLayout
from tilefoundry.target import CudaTarget

G = Mesh((Topology("cta", 4),), (4,), ("c",))
PLAIN = Layout((4, 8), (8, 1))



@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 8)))
class M:
    @func
    def go(x: Tensor[(4, 8), "f32"]):
        with G as m:
            a = tf.reshard(x, (4 @ m.c, 8), "smem")
            b = tf.reshard(x, (4, 8), "smem")
            c = tf.reshard(x, ((4 @ m.c, 8), (8, 1)), "smem")
            d = tf.reshard(x, ShardLayout(layout=Layout((4, 8), (8, 1)), attrs=(S(0),), mesh=m), "smem")
            e = tf.zeros(Tensor[(4 @ m.c, 2), "f32", "rmem"])
        f = tf.reshard(x, ((4, 8), (1, 4)), "smem")
        h = tf.reshard(x, PLAIN, "smem")
        return a, b, c, d, e, f, h
