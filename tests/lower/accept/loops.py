"""Loops of both kinds, nested, with one and with several carried values."""

from tilefoundry import func, module
from tilefoundry.dsl import DimVar, Tensor, Topology, tf
from tilefoundry.target import CudaTarget
from tilefoundry.dsl.tf import *

N = DimVar("N", 2, 100)



@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 8)))
class M:
    @func
    def go(x: Tensor[(4, 8), "f32"]):
        s = tf.zeros(Tensor[(4, 2), "f32"])
        m = s
        for j in tile(8, 2):
            part = x[:, j]
            s = s + part
            m = tf.max(m, part)
        n = tf.zeros(Tensor[(8,), "f32"])
        for r in range(4):
            n = n + x[r, :]
            for c in range(0, 8, 2):
                n = n * n
        for r in range(1, 4):
            a, n = n, n + n
        for r in range(N):
            n = tf.exp(n)
        return s, m, n
