"""An operator that asks which unit it runs on: cpu-c's code runs as one."""

from tilefoundry import func, module
from tilefoundry.dsl import Mesh, Tensor, Topology, tf
from tilefoundry.target import CudaTarget


@module(entry="step", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4),))
class Unit:
    @func
    def step(x: Tensor[(8, 4), "f32"]):
        with Mesh(("cta",), (4,), ("c",)) as m:
            base = m.c * 2
            return x[base : base + 2, :]
