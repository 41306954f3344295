"""The language's names under other names."""

import math as m
import tilefoundry as t
import tilefoundry.dsl as d
import tilefoundry.dsl.tf as ops
from tilefoundry import func as f, module as mod
from tilefoundry.dsl import Mesh as Grid, Tensor as T, Topology as Level
from tilefoundry.dsl.storage import smem as near
from tilefoundry.dsl.tf import exp
from tilefoundry.ir.types import DType
from tilefoundry.target import CudaTarget as Cuda

HALF = DType.bf16
KIND = d.ReduceKind


@mod(entry="go", target=Cuda("nvidia.h200_sxm"), topologies=(Level("cta", 4),))
class M:
    @t.func
    def first(x: d.Tensor[(4, 8), "f32"]):
        return ops.reduce(exp(x), (1,), True, KIND.SUM)

    @f()
    def go(x: T[(4, 8), f32]):
        with Grid(("cta",), (4,), ("c",)) as g:
            y = d.tf.reshard(x, (4 @ g.c, 8), near)
            z = t.dsl.tf.cast(y * m.pi, HALF)
        return first(x), z
