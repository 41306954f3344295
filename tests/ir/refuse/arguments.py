from tilefoundry import func, module
from tilefoundry.dsl import ConstTensor, DimVar, DimVarRangePat, Tensor, Topology, tf
from tilefoundry.target import CudaTarget

N = DimVar("N", 1, 65)


@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4),))
class M:
    @func
    def scaled(x: Tensor[(4, 8), "f32"], by: Tensor[(), "f32"]):
        return x * by

    @func
    def few(x: Tensor[(4, 8), "f32"]):
        return scaled(x)

    @func
    def shape(x: Tensor[(8, 8), "f32"]):
        return scaled(x, 2.0)

    @func
    def open(x: Tensor[(N, 8), "f32"]):
        return scaled(x, 2.0)

    @func
    def go(x: Tensor[(4, 8), "bf16"]):
        return scaled(x, 2.0)
