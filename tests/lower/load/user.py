"""Names, a free function and a Module from the file beside this one."""

import base as b
from base import ROWS, Scale, double
from dataclasses import replace

from tilefoundry import func, module
from tilefoundry.dsl import Tensor, Topology
from tilefoundry.target import CudaTarget


@module(entry="step", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1),))
class User:
    """Two children made of one Module, each with its weight."""

    first = Scale
    rest = tuple(Scale.renamed(f"scale{i}") for i in range(2))

    @func
    def step(x: Tensor[(ROWS, b.WIDTH), "f32"]):
        return scale1(scale0(first(double(x))))


Other = replace(Scale, target=CudaTarget("nvidia.b200_sxm"))
Alias = User
