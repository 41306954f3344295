"""Every operator that syntax has."""

from tilefoundry import func, module
from tilefoundry.dsl import Tensor, Topology, tf
from tilefoundry.target import CudaTarget


@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 8)))
class M:
    @func
    def go(x: Tensor[(4, 8), "f32"], i: Tensor[(), "i64"], k: Tensor[(4, 8), "i64"], t: Tensor[(4, 8), "bool"]):
        """A docstring."""
        a = x + x - x * x / x
        b = k // k % k
        c = tf.matmul(x, tf.transpose(x, (1, 0)))
        d = x @ tf.transpose(c @ x, (1, 0))
        e = x == x, x != x, x < x, x <= x, x > x, x >= x
        f = (x < x) and (x > x) or not t
        return -a, b, d, e, f
