"""Indices and slices."""

from tilefoundry import func, module
from tilefoundry.dsl import Tensor, Topology
from tilefoundry.target import CudaTarget

FIRST = 1



@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 8)))
class M:
    @func
    def go(x: Tensor[(4, 8), "f32"], i: Tensor[(), "i64"]):
        a = x[0, :], x[-1, :], x[:, 3], x[1, 2]
        b = x[:, 2:6], x[:, :4], x[:, 4:], x[:, -3:], x[:, :-3], x[:, ::2], x[1:3, 1:8:3]
        c = x[i, :], x[:, i : i + 2], x[:, i * 2 : (i + 1) * 2], x[:, i + 1]
        d = x[:, 2:2], x[FIRST : FIRST + 2, :]
        return a, b, c, d
