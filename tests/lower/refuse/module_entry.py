"""An entry that is no function."""

from tilefoundry import func, module
from tilefoundry.dsl import Tensor


@module(entry="gone")
class M:
    @func
    def go(x: Tensor[(4,), "f32"]):
        return x
