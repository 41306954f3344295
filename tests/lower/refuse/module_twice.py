"""Two functions of one name."""

from tilefoundry import func, module
from tilefoundry.dsl import Tensor


@module(entry="go")
class M:
    @func
    def go(x: Tensor[(4,), "f32"]):
        return x

    @func
    def go(x: Tensor[(4,), "f32"]):
        return x + x
