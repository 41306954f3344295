# SPDX-License-Identifier: MIT
# Casts of what eight bits have no number for.
from tilefoundry import func, module
from tilefoundry.dsl import Tensor, Topology, tf
from tilefoundry.target import CudaTarget


@module(entry="f", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1),))
class Over:
    @func
    def f(a: Tensor[(64,), "f32"]):
        return (tf.cast(a * 1000.0, "fp8e4m3"), tf.cast(a * 100000.0, "fp8e5m2"))
