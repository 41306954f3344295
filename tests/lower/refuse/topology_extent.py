"""A level of nothing."""

from tilefoundry import func, module
from tilefoundry.dsl import Tensor, Topology


@module(entry="go", topologies=(Topology("cta", 0),))
class M:
    @func
    def go(x: Tensor[(4,), "f32"]):
        return x
