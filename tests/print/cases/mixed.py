# One value for two parameters that are declared differently, a variant, and an argument that is handed back.
from tilefoundry import func, module
from tilefoundry.dsl import DimVar, DimVarRangePat, Tensor, Topology, tf
from tilefoundry.target import CudaTarget

H200 = CudaTarget("nvidia.h200_sxm")
CTAS = (Topology("cta", 4),)
N = DimVar("N", 4, 64)


@module(entry="main", target=H200, topologies=CTAS)
class Mixed:
    @func
    def two(x: Tensor[(8, 16), "f32"], y: Tensor[(8, 16), "f32", (8, 16)]):
        return tf.exp(x) + y

    @func
    def back(x: Tensor[(8, 16), "f32"]):
        return x

    @func
    def grow(x: Tensor[(N, 16), "f32"]) -> Tensor[(N, 16), "f32"]:
        pass

    @grow.specialize(DimVarRangePat("N", 4, 16))
    def grow_little(x: Tensor[(N, 16), "f32"]):
        return tf.exp(x)

    @grow.specialize(DimVarRangePat("N", 16, 64))
    def grow_more(x: Tensor[(N, 16), "f32"]):
        return tf.exp(tf.exp(x))

    @func
    def main(x: Tensor[(8, 16), "f32", (8, 16)], y: Tensor[(N, 16), "f32", (N, 16)]):
        return back(two(x, x)) * back(x), grow(y)
