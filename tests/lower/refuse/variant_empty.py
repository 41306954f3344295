"""A pattern of nothing."""

from tilefoundry import func, module
from tilefoundry.dsl import DimVar, DimVarRangePat, Tensor

N = DimVar("N", 2, 100)



@module(entry="go")
class M:
    @func
    def go(x: Tensor[(N, 4), "f32"]) -> Tensor[(N, 4), "f32"]:
        pass

    @go.specialize(DimVarRangePat("N", 9, 9))
    def all(x: Tensor[(N, 4), "f32"]):
        return x + x
