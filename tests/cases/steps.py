"""Steps that wrong implementations get through random inputs with."""

from tilefoundry import func, module
from tilefoundry.dsl import DimVar, ReduceKind, Tensor, Topology, tf
from tilefoundry.target import CudaTarget

_H200 = CudaTarget("nvidia.h200_sxm")
_CTA = Topology("cta", 1)
K = DimVar("K", 1, 64)


@module(entry="quant", target=_H200, topologies=(_CTA,))
class Divides:
    @func
    def quant(x: Tensor[(8, 256), "f32"]):
        blocks = tf.reshape(x, (8, 2, 128))
        scale = tf.reduce(blocks, (-1,), True, ReduceKind.ABS_MAX) / 448.0
        codes = tf.cast(tf.clamp(blocks / scale, -448.0, 448.0), "fp8e4m3")
        return tf.reshape(codes, (8, 256)), tf.reshape(scale, (8, 2))


@module(entry="quant", target=_H200, topologies=(_CTA,))
class Multiplies:
    @func
    def quant(x: Tensor[(8, 256), "f32"]):
        blocks = tf.reshape(x, (8, 2, 128))
        scale = tf.reduce(blocks, (-1,), True, ReduceKind.ABS_MAX) / 448.0
        codes = tf.cast(tf.clamp(blocks * (1.0 / scale), -448.0, 448.0), "fp8e4m3")
        return tf.reshape(codes, (8, 256)), tf.reshape(scale, (8, 2))


@module(entry="quant", target=_H200, topologies=(_CTA,))
class ByRow:
    """One scale for a row, which the scale's shape tells."""

    @func
    def quant(x: Tensor[(8, 96), "f32"]):
        scale = tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) / 448.0
        return tf.cast(tf.clamp(x / scale, -448.0, 448.0), "fp8e4m3"), scale


@module(entry="total", target=_H200, topologies=(_CTA,))
class Total:
    @func
    def total(x: Tensor[(4, 128), "f32"]):
        return tf.reduce(x, (-1,), True, ReduceKind.SUM)


@module(entry="convert", target=_H200, topologies=(_CTA,))
class Convert:
    @func
    def convert(x: Tensor[(16, 32), "f32"]):
        return tf.cast(x, "bf16")


@module(entry="product", target=_H200, topologies=(_CTA,))
class Product:
    @func
    def product(a: Tensor[(32, K), "f32"], b: Tensor[(K, 32), "f32"]):
        return tf.matmul(a, b)
