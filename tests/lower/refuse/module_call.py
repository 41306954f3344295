"""A method that has no effect."""

from tilefoundry import func, module
from tilefoundry.dsl import Tensor


@module(entry="go")
class M:
    def __call__(self):
        pass

    @func
    def go(x: Tensor[(4,), "f32"]):
        return x
