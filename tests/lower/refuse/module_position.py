"""An argument by position."""

from tilefoundry import func, module
from tilefoundry.dsl import Tensor


@module("go")
class M:
    @func
    def go(x: Tensor[(4,), "f32"]):
        return x
