"""A mesh that is none."""

from tilefoundry import func, module
from tilefoundry.dsl import S, Tensor, Topology, tf
from tilefoundry.ir.types.shard import Layout, ShardLayout
from tilefoundry.target import CudaTarget


@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 8)))
class M:
    @func
    def go(x: Tensor[(4, 8), "f32"]):
        return tf.reshard(x, ShardLayout(layout=Layout((4, 8)), attrs=(S(0),), mesh=x), "smem")
