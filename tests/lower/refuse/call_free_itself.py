"""A free function that calls itself."""

from tilefoundry import func, module
from tilefoundry.dsl import Tensor


@func
def again(x: Tensor[(4,), "f32"]):
    return again(x)


@module(entry="go")
class M:
    @func
    def go(x: Tensor[(4,), "f32"]):
        return again(x)
