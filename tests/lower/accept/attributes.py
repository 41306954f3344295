"""Attributes by position, by name, by member, by word."""

from tilefoundry import func, module
from tilefoundry.dsl import ReduceKind, Tensor, Topology, tf
from tilefoundry.target import CudaTarget

from tilefoundry.ir.types import DType

LOW = DType.fp8e4m3



@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 8)))
class M:
    @func
    def go(x: Tensor[(4, 8), "f32"]):
        a = tf.reduce(x, (1,), True, ReduceKind.MAX)
        b = tf.reduce(x, axes=[-1], kind="sum", keepdim=False)
        c = tf.cast(x, bf16), tf.cast(x, "f16"), tf.cast(x, dtype=LOW)
        d = tf.softmax(x, -1)
        e = tf.binary(x, x, kind="max")
        return a, b, c, d, e
