"""Faults of several functions and statements in one run."""

from tilefoundry import func, module
from tilefoundry.dsl import Tensor, Topology, tf
from tilefoundry.target import CudaTarget


@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 8)))
class M:
    @func
    def first(x: Tensor[(4, 8), "f32"]):
        y = x ** 2
        z = y + missing
        return tf.expp(z)

    @func
    def second(x: Tensor[(4, 8), "f33"]):
        return x

    @func
    def go(x: Tensor[(4, 8), "f32"]):
        return second(first(x)) + x[0]
