"""Operators that take several operands."""

from tilefoundry import func, module
from tilefoundry.dsl import Tensor, Topology, tf
from tilefoundry.target import CudaTarget


@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 8)))
class M:
    @func
    def go(x: Tensor[(4, 8), "f32"]):
        a = tf.concat([x, x + x], axis=0)
        b = tf.concat((x, x), axis=1)
        c = tf.stack([x[j : j + 1, :] for j in range(4)], axis=0)
        d = tf.concat([x[:, j : j + 2] for j in range(6, -1, -2)], axis=1)
        return a, b, c, d
