"""A member that cannot be read."""

from tilefoundry import func, module
from tilefoundry.dsl import Tensor


@module(entry="go")
class M:
    layers = load()

    @func
    def go(x: Tensor[(4,), "f32"]):
        return x
