"""A child with a target of its own."""

from tilefoundry import func, module
from tilefoundry.dsl import Tensor
from tilefoundry.target import CudaTarget


@module(entry="go", target=CudaTarget("nvidia.h200_sxm"))
class M:
    @module(entry="leaf", target=CudaTarget("nvidia.b200_sxm"))
    class core:
        @func
        def leaf(x: Tensor[(4,), "f32"]):
            return x

    @func
    def go(x: Tensor[(4,), "f32"]):
        return core(x)
