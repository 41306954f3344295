"""A target by its name alone."""

from tilefoundry import func, module
from tilefoundry.dsl import Tensor


@module(entry="go", target="nvidia.h200_sxm")
class M:
    @func
    def go(x: Tensor[(4,), "f32"]):
        return x
