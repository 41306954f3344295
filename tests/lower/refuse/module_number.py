"""A number among the members."""

from tilefoundry import func, module
from tilefoundry.dsl import Tensor


@module(entry="go")
class M:
    ROWS = 4

    @func
    def go(x: Tensor[(4,), "f32"]):
        return x
