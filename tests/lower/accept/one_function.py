"""A function that is a Module of its own."""

from tilefoundry import func
from tilefoundry.dsl import Mesh, Tensor, Topology, tf
from tilefoundry.target import CudaTarget


@func(target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4),))
def M(x: Tensor[(4, 8), "f32"]):
    with Mesh(("cta",), (4,), ("c",)) as m:
        return tf.reshard(x, (4 @ m.c, 8), "smem")
