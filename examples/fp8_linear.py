"""A linear layer whose activations are quantised row by row while it runs: y = (x / s) W' * s * t + bias.

W is stored in fp8 with one scale for each output column; s is the largest magnitude of a row of x, over that of fp8.

Try:
    tilefoundry analyze fp8_linear.py:Linear.biased - --compute-cost --memory --dim M=37
    tilefoundry eval fp8_linear.py:Linear.quantised --inputs random --dim M=37
    tilefoundry check fp8_linear.py:Linear.quantised --twin fp8_linear.py:Linear.scaled_rows --inputs random --dim M=37 --out output --fn rel_l2 --max 0.01
"""

from tilefoundry import func, module
from tilefoundry.dsl import ConstTensor, DimVar, ReduceKind, Tensor, Topology, tf
from tilefoundry.target import CudaTarget

M = DimVar("M", 1, 4096)  # rows of activations: any number of them
N = 320
K = 448
FP8_MAX = 448.0  # largest finite value of e4m3


@module(entry="quantised", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 132),))
class Linear:
    @func
    def quantised(
        x: Tensor[(M, K), "bf16"], weight: ConstTensor[(N, K), "fp8e4m3"], weight_scale: ConstTensor[(1, N), "f32"]
    ):
        rows = tf.cast(x, "f32")
        scale = tf.reduce(rows, (-1,), True, ReduceKind.ABS_MAX) / FP8_MAX
        codes = tf.cast(rows / scale, "fp8e4m3")
        product = tf.matmul(codes, weight, b_layout="NK", out_dtype="f32")
        return tf.cast(product * scale * weight_scale, "bf16")

    @func
    def biased(
        x: Tensor[(M, K), "bf16"],
        weight: ConstTensor[(N, K), "fp8e4m3"],
        weight_scale: ConstTensor[(1, N), "f32"],
        bias: ConstTensor[(1, N), "f32"],
    ):
        rows = tf.cast(x, "f32")
        scale = tf.reduce(rows, (-1,), True, ReduceKind.ABS_MAX) / FP8_MAX
        codes = tf.cast(rows / scale, "fp8e4m3")
        product = tf.matmul(codes, weight, b_layout="NK", out_dtype="f32")
        return tf.cast(product * scale * weight_scale + bias, "bf16")

    @func
    def bf16_weight(x: Tensor[(M, K), "bf16"], weight_bf16: ConstTensor[(N, K), "bf16"]):
        """What the layer computed before anything of it was quantised."""
        return tf.matmul(x, weight_bf16, b_layout="NK")

    @func
    def scaled_rows(
        x: Tensor[(M, K), "bf16"], weight: ConstTensor[(N, K), "fp8e4m3"], weight_scale: ConstTensor[(1, N), "f32"]
    ):
        """The quantised layer with the weight made whole again before the product, so scaled in another order."""
        rows = tf.cast(x, "f32")
        scale = tf.reduce(rows, (-1,), True, ReduceKind.ABS_MAX) / FP8_MAX
        codes = tf.cast(tf.cast(rows / scale, "fp8e4m3"), "f32")
        restored = tf.transpose(tf.cast(weight, "f32"), (1, 0)) * weight_scale
        return tf.cast(tf.matmul(codes * scale, restored), "bf16")
