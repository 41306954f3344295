"""Coordinates as indices, ends and numbers."""

from tilefoundry import func, module
from tilefoundry.dsl import Mesh, Tensor, Topology
from tilefoundry.target import CudaTarget


@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 8)))
class M:
    @func
    def go(x: Tensor[(4, 8), "f32"]):
        with Mesh(("cta",), (2, 2), ("a", "")) as m:
            own = x[m.a, :] + x[m.y, :]
            base = m.a * 2
            part = x[base : base + 2, :], x[:, m.a * 4 : m.a * 4 + 4]
            return own, part
