"""A function without a name."""

from tilefoundry import func, module
from tilefoundry.dsl import Tensor


@module()
class M:
    @func
    def _(x: Tensor[(4,), "f32"]):
        return x
