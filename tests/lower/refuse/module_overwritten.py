"""A function whose name is bound anew."""

from tilefoundry import func, module
from tilefoundry.dsl import Tensor


@module(entry="go")
class M:
    @func
    def go(x: Tensor[(4,), "f32"]):
        return x

    def go(self):
        pass
