"""A callee that was refused is told once."""

from tilefoundry import func, module
from tilefoundry.dsl import Tensor


@module(entry="go")
class M:
    @func
    def half(x: Tensor[(4,), "f32"]):
        return x ** 2

    @func
    def go(x: Tensor[(4,), "f32"]):
        return half(x) + half(x)
