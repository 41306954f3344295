"""Tuples made, taken apart and taken from."""

from tilefoundry import func, module
from tilefoundry.dsl import Tensor, Topology, tf
from tilefoundry.target import CudaTarget


@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 8)))
class M:
    @func
    def go(x: Tensor[(4, 8), "f32"]):
        lo, hi = tf.split(x, 1, 2)
        both = (lo, hi)
        p, q = both
        first = both[0]
        last = both[-1]
        return (p + q, first), last
