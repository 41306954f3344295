"""Subscripts: ints, ends, steps, values, windows, dims."""
from tilefoundry import Layout, ShardLayout, func, module
from tilefoundry.dsl import B, ConstTensor, DimVar, DimVarRangePat, Mesh, P, S, Tensor, Topology, tf
from tilefoundry.target import CudaTarget

H200 = CudaTarget("nvidia.h200_sxm")
CTA = Topology("cta", 4)

N = DimVar("N", 4, 65)


@module(entry="f", target=H200, topologies=(CTA,))
class Index:
    @func
    def f(x: Tensor[(8, 16), "f32"], y: Tensor[(N, 6, 1), "f32"], at: Tensor[(), "i64"], t: Tensor[(1, 1, 4), "f32"]):
        a = x[0, :]
        b = x[-1, 2:6]
        c = x[:, ::3]
        d = x[1:7:2, 4:4]
        e = x[at, 3]
        g = x[at : at + 2, :]
        h = x[at : at + 5 : 2, 0:16]
        i = y[N - 3 : N, :, :]
        j = y[0, 1:, 0:1]
        k = t[0, :, 1]
        l = y[1 : N, 0, :]
        m = tf.slice(x, (0, 2), (4, 4), (2, 1))
        start = 3
        n = tf.slice(x, (start, 0), (2, 16), (1, 1)) * tf.slice(x, (start, 0), (2, 16), (1, 1))
        o = tf.reshape(x[2:3, :], (16,))
        q = tf.reshape(x[4:5, :], (4, 4))
        at2 = at * 2
        r = x[at2 + 1, at : at + 3]
        return a, b, c, d, e, g, h, i, j, k, l, m, n, o, q, r
