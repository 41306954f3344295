"""Windows, moved and as numbers."""

from tilefoundry import func, module
from tilefoundry.dsl import Tensor, Topology, tf
from tilefoundry.target import CudaTarget
from tilefoundry.dsl.tf import *


@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 8)))
class M:
    @func
    def go(x: Tensor[(4, 8), "f32"]):
        s = tf.zeros(Tensor[(4, 2), "f32"])
        for j in tile(6, 2):
            s = s + x[:, j] + x[:, j + 2] + x[:, 2 + j]
            base = j + 0
            s = s + x[:, base : base + 2]
            s = tf.insert_slice(s, x[:, j], (0, 0))
        for j in tile(8, 2):
            s = tf.insert_slice(s, tf.reshape(x[0:2, j], (2, 2)), (0, j % 1))
        for j in range(2, 8, 2):
            s = s + x[:, j - 2 : j]
        return s
