from tilefoundry import func, module
from tilefoundry.dsl import ConstTensor, DimVar, DimVarRangePat, Tensor, Topology, tf
from tilefoundry.target import CudaTarget

N = DimVar("N", 1, 65)


@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4),))
class M:
    @func
    def inner(x: Tensor[(4, 8), "f32"]):
        for i in range(3):
            for j in range(3):
                x = x + x
        return x

    @func
    def middle(x: Tensor[(4, 8), "f32"]):
        for i in range(3):
            for j in range(3):
                x = inner(x)
        return x

    @func
    def outer(x: Tensor[(4, 8), "f32"]):
        for i in range(3):
            for j in range(3):
                x = middle(x)
        return x

    @func
    def go(x: Tensor[(4, 8), "f32"]):
        for i in range(3):
            for j in range(3):
                x = outer(x)
        return x
