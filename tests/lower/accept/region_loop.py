"""A loop within a mesh whose carried values come from outside."""

from tilefoundry import func, module
from tilefoundry.dsl import Mesh, Tensor, Topology, tf
from tilefoundry.target import CudaTarget
from tilefoundry.dsl.tf import *

G = Mesh((Topology("cta", 4),), (4,), ("c",))



@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 8)))
class M:
    @func
    def go(x: Tensor[(4, 8), "f32"]):
        acc = tf.zeros(Tensor[(4, 2), "f32"])
        with G as g:
            for j in tile(8, 2):
                acc = acc + x[:, j]
            out = acc + acc
        return out
