"""What is computed before the program runs."""

from tilefoundry import func, module
from tilefoundry.dsl import Tensor, Topology, tf
from tilefoundry.target import CudaTarget

LIMIT = 448.0
ROWS = 4
FLAT = (ROWS * 8,)



@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 8)))
class M:
    @func
    def go(x: Tensor[(4, 8), "f32"]):
        n = 2 ** 3
        shape = (4, n)
        a, b = 1, 5
        rows = 4
        return tf.reshape(x, (n, ROWS)), tf.clamp(x, -LIMIT, LIMIT * 2), tf.reshape(x, FLAT), x[:, a:b], tf.zeros(Tensor[(rows, n), "f32"])
