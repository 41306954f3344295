"""A child without an entry that is called."""

from tilefoundry import func, module
from tilefoundry.dsl import Tensor


@module(entry="go")
class M:
    @module()
    class core:
        @func
        def leaf(x: Tensor[(4,), "f32"]):
            return x

    @func
    def go(x: Tensor[(4,), "f32"]):
        return core(x)
