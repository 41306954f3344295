"""A loop as the end of a body."""

from tilefoundry import func, module
from tilefoundry.dsl import Tensor, Topology, tf
from tilefoundry.target import CudaTarget
from tilefoundry.dsl.tf import *


@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 8)))
class M:
    @func
    def go(x: Tensor[(4, 8), "f32"]):
        acc = tf.zeros(Tensor[(4, 2), "f32"])
        for j in tile(8, 2):
            acc = acc + x[:, j]
