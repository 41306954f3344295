# Products with all that the path takes after them; sizes are given on the command line.
from tilefoundry import func, module
from tilefoundry.dsl import ConstTensor, DimVar, ReduceKind, Tensor, Topology, tf
from tilefoundry.target import CudaTarget

M = DimVar("M", 1, 4096)
N = DimVar("N", 1, 4096)
K = DimVar("K", 1, 4096)


@module(entry="plain", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 132),))
class Gemm:
    @func
    def plain(a: Tensor[(M, K), "f32"], b: Tensor[(K, N), "f32"]):
        return tf.matmul(a, b)

    @func
    def bf16(a: Tensor[(M, K), "bf16"], w: ConstTensor[(N, K), "bf16"]):
        return tf.matmul(a, w, b_layout="NK")

    @func
    def f16(a: Tensor[(K, M), "f16"], b: Tensor[(K, N), "f16"]):
        return tf.matmul(a, b, a_layout="KM", out_dtype="f32")

    @func
    def fp8(
        a: Tensor[(M, K), "fp8e4m3"],
        b: ConstTensor[(N, K), "fp8e4m3"],
        sa: Tensor[(M, 1), "f32"],
        sb: ConstTensor[(1, N), "f32"],
        bias: ConstTensor[(N,), "f32"],
    ):
        product = tf.matmul(a, b, b_layout="NK", out_dtype="f32")
        return tf.cast(tf.gelu(product * sa * sb + bias), "bf16")

    @func
    def e5m2(a: Tensor[(M, K), "fp8e5m2"], b: Tensor[(K, N), "fp8e5m2"], s: Tensor[(1, 1), "f32"]):
        return tf.silu(tf.matmul(a, b, out_dtype="f32") * s * 0.25)

    @func
    def narrow(a: Tensor[(M, K), "bf16"], b: Tensor[(K, N), "bf16"], bias: Tensor[(N,), "bf16"], r: Tensor[(M, N), "bf16"]):
        x = tf.matmul(a, b) + bias
        return tf.maximum(x * tf.sigmoid(x), r) - r

    @func
    def turned(a: Tensor[(K, M), "f32"], b: Tensor[(N, K), "bf16"]):
        left = tf.transpose(a, (1, 0))
        right = tf.cast(tf.transpose(b, (1, 0)), "f32")
        return tf.cast(tf.relu(tf.matmul(left, right)), "fp8e4m3")

    @func
    def batched(a: Tensor[(3, 1, M, K), "f16"], b: Tensor[(2, K, N), "f16"], s: Tensor[(3, 2, 1, 1), "f16"]):
        return tf.gelu(tf.matmul(a, b) / s, "none")

    @func
    def blocks(a: Tensor[(M, K), "bf16"], b: Tensor[(K, 256), "bf16"], s: Tensor[(M, 2), "f32"]):
        product = tf.reshape(tf.matmul(a, b, out_dtype="f32"), (M, 2, 128))
        scaled = product * tf.reshape(s, (M, 2, 1))
        return tf.cast(tf.clamp(tf.reshape(scaled, (M, 256)), -2.0, 3.0), "f16")

    @func
    def quantised(x: Tensor[(2, M, K), "f16"], b: Tensor[(K, N), "fp8e5m2"], s: Tensor[(N,), "bf16"]):
        rows = tf.cast(x, "f32")
        scale = tf.maximum(tf.reduce(rows, (-1,), True, ReduceKind.ABS_MAX), 0.5) * (1.0 / 57344.0)
        codes = tf.cast(tf.clamp(rows / scale, -57344.0, 57344.0), "fp8e5m2")
        return tf.cast(tf.abs(tf.matmul(codes, b, out_dtype="f32") * scale - tf.cast(s, "f32")), "bf16")
