"""An argument that the decorator lacks."""

from tilefoundry import func, module
from tilefoundry.dsl import Tensor, Topology


@module(entry="go", topology=(Topology("cta", 4),))
class M:
    @func
    def go(x: Tensor[(4,), "f32"]):
        return x
