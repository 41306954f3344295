"""A parameter that is no weight."""

from tilefoundry import func, module
from tilefoundry.dsl import ConstTensor, Tensor


@module(entry="go")
class M:
    @func
    def go(x: Tensor[(4,), "f32"], w: ConstTensor[(4,), "f32"]):
        return x * w

    @go.converter("x")
    def _(w: Tensor[(4,), "f32"]):
        return w + w
