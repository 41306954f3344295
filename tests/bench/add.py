# SPDX-License-Identifier: MIT
from tilefoundry import func, module
from tilefoundry.dsl import ReduceKind, Tensor, tf, tile
from tilefoundry.target import CpuTarget, CudaTarget


@module(entry="add", target=CpuTarget())
class Add:
    @func
    def add(a: Tensor[(1000,), "f32"], b: Tensor[(1000,), "f32"]):
        return a + b


@module(entry="add", target=CpuTarget())
class Other:
    @func
    def add(a: Tensor[(1000,), "f32"], b: Tensor[(1000,), "f32"]):
        return b + a


@module(entry="add", target=CpuTarget())
class Short:
    @func
    def add(a: Tensor[(10,), "f32"], b: Tensor[(10,), "f32"]):
        return b + a


@module(entry="norm", target=CudaTarget("nvidia.h200_sxm"))
class Norm:
    @func
    def norm(a: Tensor[(4096, 8192), "bf16"], gamma: Tensor[(1, 8192), "bf16"]):
        rows = tf.cast(a, "f32")
        mean = tf.reduce(tf.square(rows), (-1,), True, ReduceKind.MEAN)
        return tf.cast(rows * tf.rsqrt(mean + 1e-6), "bf16") * gamma


@module(entry="some", target=CpuTarget())
class Part:
    """What is read of a: its even half.  Of table: nothing that can be told before."""

    @func
    def some(a: Tensor[(1000,), "f32"], table: Tensor[(5000,), "f32"], where: Tensor[(500,), "i64"]):
        return a[0:500] + tf.index_select(table, where, dim=0)


@module(entry="total", target=CpuTarget())
class Loop:
    @func
    def total(a: Tensor[(1000,), "f32"], unread: Tensor[(7,), "f32"]):
        """All of a, a tenth at a time; of the other nothing."""
        acc = tf.zeros(Tensor[(1,), "f32"])
        for k in tile(1000, 100):
            acc = acc + tf.reduce(a[k], axes=(0,), kind="sum")
        return acc
