"""Open dimensions in shapes, bounds, attributes and subscripts."""

from tilefoundry import func, module
from tilefoundry.dsl import DimVar, Tensor, Topology, ceildiv, tf
from tilefoundry.target import CudaTarget

N = DimVar("N", 2, 100)



@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 8)))
class M:
    @func
    def go(v: Tensor[(N, 8), "f32"]):
        y = tf.reshape(v, (2 * N, 4))
        z = v[0:N, :], v[-2:, :], v[N - 2 : N, 1:3]
        w = tf.zeros(Tensor[(ceildiv(N, 4) * 4, N % 3 + 1), "f32"])
        return y, z, w
