"""A string for a pattern."""

from tilefoundry import func, module
from tilefoundry.dsl import DimVar, Tensor

N = DimVar("N", 2, 100)



@module(entry="go")
class M:
    @func
    def go(x: Tensor[(N, 4), "f32"]) -> Tensor[(N, 4), "f32"]:
        pass

    @go.specialize("N")
    def all(x: Tensor[(N, 4), "f32"]):
        return x + x
