from tilefoundry import func, module
from tilefoundry.dsl import ConstTensor, DimVar, DimVarRangePat, Tensor, Topology, tf
from tilefoundry.target import CudaTarget

N = DimVar("N", 1, 65)


@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4),))
class M:
    @func
    def go(x: Tensor[(N, 8), "f32"]) -> Tensor[(N, 8), "f32"]:
        pass

    @go.specialize(DimVarRangePat("N", 1, 65))
    def all(x: Tensor[(N, 8), "f32"]):
        return tf.reduce(x, (1,), True, "sum")
