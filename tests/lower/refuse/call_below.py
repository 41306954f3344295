"""A function that stands below."""

from tilefoundry import func, module
from tilefoundry.dsl import Tensor


@module(entry="go")
class M:
    @func
    def go(x: Tensor[(4,), "f32"]):
        return later(x)

    @func
    def later(x: Tensor[(4,), "f32"]):
        return x
