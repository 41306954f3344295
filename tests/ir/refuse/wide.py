from tilefoundry import func, module
from tilefoundry.dsl import ConstTensor, DimVar, DimVarRangePat, Tensor, Topology, tf
from tilefoundry.target import CudaTarget

N = DimVar("N", 1, 65)


@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4),))
class M:
    @func
    def go(x: Tensor[(4, 8), "f32"]):
        return tf.reshape(x, (2, 2, 8))
