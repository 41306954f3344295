"""Fewer attributes than mesh axes."""

from tilefoundry import func, module
from tilefoundry.dsl import Mesh, Tensor, Topology, tf
from tilefoundry.ir.types.shard import Layout, ShardLayout
from tilefoundry.target import CudaTarget

G = Mesh((Topology("cta", 4),), (4,), ("c",))



@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 8)))
class M:
    @func
    def go(x: Tensor[(4, 8), "f32"]):
        with G as m:
            return tf.reshard(x, ShardLayout(layout=Layout((4, 8)), attrs=(), mesh=m), "smem")
