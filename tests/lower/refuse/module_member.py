"""A function that a child lacks."""

from tilefoundry import func, module
from tilefoundry.dsl import Tensor


@module(entry="go")
class M:
    @module(entry="leaf")
    class core:
        @func
        def leaf(x: Tensor[(4,), "f32"]):
            return x

    @func
    def go(x: Tensor[(4,), "f32"]):
        return core.stem(x)
