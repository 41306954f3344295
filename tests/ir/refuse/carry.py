from tilefoundry import func, module
from tilefoundry.dsl import ConstTensor, DimVar, DimVarRangePat, Tensor, Topology, tf
from tilefoundry.target import CudaTarget

N = DimVar("N", 1, 65)


@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4),))
class M:
    @func
    def dtype(x: Tensor[(4, 8), "f32"]):
        for i in range(3):
            x = tf.cast(x, "bf16")
        return x

    @func
    def storage(x: Tensor[(4, 8), "f32"]):
        for i in range(3):
            x = tf.reshard(x, (4, 8), "smem")
        return x

    @func
    def go(x: Tensor[(4, 8), "f32"]):
        n = 0
        for i in range(3):
            n = x
        return n
