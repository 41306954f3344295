"""Calls that a kernel for the H200 can be made of, and calls that it cannot."""

from tilefoundry import func, module
from tilefoundry.dsl import Tensor, tf
from tilefoundry.target import AmxTarget, CudaTarget


@module(entry="mixed", target=CudaTarget("nvidia.h200_sxm"))
class Mixed:
    """Sums and products in several dtypes."""

    @func
    def mixed(
        x: Tensor[(64, 64), "bf16"],
        q: Tensor[(64, 64), "f4e2m1"],
        s: Tensor[(64, 64), "f8e8m0"],
    ):
        a = tf.matmul(x, x)
        b = tf.exp(a)
        c = q + q
        d = s * s
        e = tf.reshape(q, (32, 128))
        return b, c, d, e


@module(entry="elsewhere", target=AmxTarget("apple.m2_pro"))
class Elsewhere:
    """For another machine."""

    @func
    def elsewhere(x: Tensor[(64, 64), "f32"]):
        return x + x
