"""An entry that is no string."""

from tilefoundry import func, module
from tilefoundry.dsl import Tensor


@module(entry=4)
class M:
    @func
    def go(x: Tensor[(4,), "f32"]):
        return x
