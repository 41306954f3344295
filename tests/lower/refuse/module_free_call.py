"""A Module called from a free function."""

from tilefoundry import func, module
from tilefoundry.dsl import Tensor


@module(entry="leaf")
class Leaf:
    @func
    def leaf(x: Tensor[(4,), "f32"]):
        return x


@func
def free(x: Tensor[(4,), "f32"]):
    return Leaf(x)


@module(entry="go")
class M:
    @func
    def go(x: Tensor[(4,), "f32"]):
        return free(x)
