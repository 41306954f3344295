"""A function called by keywords."""

from tilefoundry import func, module
from tilefoundry.dsl import Tensor


@module(entry="go")
class M:
    @func
    def leaf(x: Tensor[(4,), "f32"]):
        return x

    @func
    def go(x: Tensor[(4,), "f32"]):
        return leaf(x=x)
