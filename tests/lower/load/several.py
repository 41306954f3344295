"""Two Modules, one of them broken, and statements that cannot be evaluated."""

import os
import torch

from tilefoundry import func, module
from tilefoundry.dsl import DimVar, Tensor
from tilefoundry.target import CudaTarget

N = DimVar("N", 1, 9)
home = os.environ["HOME"]
print(home)


@module(entry="go", target=CudaTarget("nvidia.h200_sxm"))
class Good:
    @func
    def go(x: Tensor[(4,), "f32"]):
        return x

    @func
    def other(x: Tensor[(4,), "f32"]):
        return x + x


@module(entry="go", target=CudaTarget("nvidia.h200_sxm"))
class Broken:
    @func
    def go(x: Tensor[(4,), "f32"]):
        return x ** 2


entry = Broken.entry_function()
if __name__ == "__main__":
    raise SystemExit(torch.cuda.device_count())
