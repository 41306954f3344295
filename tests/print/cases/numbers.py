"""Numbers of every kind, where they are written and where they need a name."""
from tilefoundry import Layout, ShardLayout, func, module
from tilefoundry.dsl import B, ConstTensor, DimVar, DimVarRangePat, Mesh, P, S, Tensor, Topology, tf
from tilefoundry.target import CudaTarget

H200 = CudaTarget("nvidia.h200_sxm")
CTA = Topology("cta", 4)

LOW = -2.0
EDGE = float("inf")
FEW = -3
float_like = 1.0 / 3.0


@module(entry="f", target=H200, topologies=(CTA,))
class Numbers:
    @func
    def f(x: Tensor[(4, 8), "f32"], n: Tensor[(4, 8), "i64"], b: Tensor[(4, 8), "bool"]):
        a = x * 0.1 + 1e-30
        c = tf.max(a, LOW)
        d = tf.min(c, EDGE) * float_like
        shared = 2.5
        e = d * shared + shared
        k = (n + 12) * FEW
        flag = b and True
        g = tf.where(flag, e, tf.clamp(e, -1.5, 1e30))
        return g, k, tf.cast(-3.0, "bf16"), 9223372036854775807

