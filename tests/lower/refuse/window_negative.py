"""A window taken from a number."""

from tilefoundry import func, module
from tilefoundry.dsl import Tensor, Topology, tf
from tilefoundry.target import CudaTarget
from tilefoundry.dsl.tf import *


@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 8)))
class M:
    @func
    def go(x: Tensor[(4, 8), "f32"]):
        y = tf.zeros(Tensor[(4, 2), "f32"])
        for k in tile(8, 2):
            y = y + x[:, 6 - k]
        return y
