"""One value of several is read."""

from tilefoundry import func, module
from tilefoundry.dsl import Tensor, Topology, tf
from tilefoundry.target import CudaTarget


@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 8)))
class M:
    @func
    def go(x: Tensor[(4, 8), "f32"]):
        lo, hi = tf.split(x, 1, 2)
        top, where_ = tf.topk(x, 2)
        keep = (lo, where_)
        first, last = keep
        return first, top
