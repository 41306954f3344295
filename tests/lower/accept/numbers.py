"""Numbers of the file and of the function."""

from tilefoundry import func, module
from tilefoundry.dsl import Tensor, Topology
from tilefoundry.target import CudaTarget

import math

SCALE = 1.0 / math.sqrt(64)


class cfg:
    eps = 1e-5



@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 8)))
class M:
    @func
    def go(x: Tensor[(4, 8), "f32"], i: Tensor[(), "i64"], k: Tensor[(4, 8), "i64"], t: Tensor[(4, 8), "bool"]):
        half = 0.5
        y = x * half * SCALE + cfg.eps
        z = (k + 3) * -2
        return y, z, not True
