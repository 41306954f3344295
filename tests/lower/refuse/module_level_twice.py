"""One level twice."""

from tilefoundry import func, module
from tilefoundry.dsl import Tensor, Topology


@module(entry="go", topologies=(Topology("cta", 4), Topology("cta", 2)))
class M:
    @func
    def go(x: Tensor[(4,), "f32"]):
        return x
