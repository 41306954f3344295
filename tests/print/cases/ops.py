"""Operators by alias, with attributes at and off their defaults."""
from tilefoundry import Layout, ShardLayout, func, module
from tilefoundry.dsl import B, ConstTensor, DimVar, DimVarRangePat, Mesh, P, S, Tensor, Topology, tf
from tilefoundry.target import CudaTarget

H200 = CudaTarget("nvidia.h200_sxm")
CTA = Topology("cta", 4)

@module(entry="f", target=H200, topologies=(CTA,))
class Ops:
    @func
    def f(x: Tensor[(4, 8), "f32"], w: ConstTensor[(8, 16), "f32"], q: Tensor[(4, 128), "bf16"]):
        """What "quotes" and \\ do."""
        y = tf.matmul(x, w) @ tf.transpose(w, (1, 0))
        z = tf.reduce(y, axes=(0, -1), keepdim=False, kind="sum")
        s = tf.softmax(y, axis=-1)
        c = tf.concat([x, y, s], axis=0)
        t = tf.stack((x, y), axis=1)
        one = tf.concat([x[i : i + 1, :] for i in range(3)], axis=0)
        g = tf.gelu(s, approximate="none")
        r = tf.reshape(g, (2, 2, 8))
        m = tf.binary(g, s, kind="max")
        n = tf.unary(m, kind="square") / y - (-s)
        low = tf.cast(n, "bf16")
        ar = tf.arange(Tensor[(8,), "i64"], 1, 2)
        codes, scales = tf.quant(q)
        best, where_ = tf.topk(n, k=2)
        return z, c, t, one, r, low, ar, codes, scales, best, where_, x < y, x == y, tf.full_like(x, -1)
