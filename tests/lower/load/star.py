"""Everything of the other file, but what begins with an underscore."""

from base import *

from tilefoundry import func, module
from tilefoundry.dsl import Tensor
from tilefoundry.target import CudaTarget


@module(entry="go", target=CudaTarget("nvidia.h200_sxm"))
class Star:
    @func
    def go(x: Tensor[(ROWS, WIDTH), "f32"]):
        return double(x)


@module(entry="go", target=CudaTarget("nvidia.h200_sxm"))
class Hidden:
    @func
    def go(x: Tensor[(_HIDDEN,), "f32"]):
        return x
