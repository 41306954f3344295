"""Quantisation of values that do not lie one after the other, and scales that are powers of two."""

from tilefoundry import func, module
from tilefoundry.dsl import ReduceKind, Tensor, Topology, tf
from tilefoundry.target import CudaTarget

_H200 = CudaTarget("nvidia.h200_sxm")
_CTA = Topology("cta", 1)


@module(entry="points", target=_H200, topologies=(_CTA,))
class Inputs:
    @func
    def points(z: Tensor[(1, 128), "f32"]):
        """128 numbers from -300 to 300."""
        return z + (tf.cast(tf.arange(Tensor[(128,), "i32"]), "f32") * (600.0 / 127.0) - 300.0)

    @func
    def groups(z: Tensor[(4, 256), "f32"]):
        """Groups of 128 whose largest magnitude is 0, 1e-9, 256 and more."""
        ramp = tf.reshape(tf.cast(tf.arange(Tensor[(128,), "i32"]), "f32") * (1.0 / 127.0), (1, 1, 128))
        number = tf.reshape(tf.cast(tf.arange(Tensor[(8,), "i32"]), "f32"), (4, 2, 1))
        tiny = tf.where(number == 1.0, number * 1e-9, tf.where(number > 1.0, number * 128.0, number * 0.0))
        return z + tf.reshape(ramp * tiny, (4, 256))

    @func
    def rows(z: Tensor[(128, 64), "bf16"]):
        return tf.transpose(z, (1, 0)), z[:, ::2]

    @func
    def lonely(z: Tensor[(2, 256), "bf16"]):
        """A single number that is not 0, in the first of four groups."""
        number = tf.reshape(tf.cast(tf.arange(Tensor[(512,), "i32"]), "f32"), (2, 256))
        return tf.quant(z + tf.cast(tf.where(number == 0.0, number + 1.0, number * 0.0), "bf16"), "per_token_group", 128)


# ---- a scale that is rounded after it was used ---------------------------------------------------------------------------


@module(entry="step", target=_H200, topologies=(_CTA,))
class Given:
    @func
    def step(x: Tensor[(1, 128), "f32"]):
        return x * 1.0


@module(entry="step", target=_H200, topologies=(_CTA,))
class RoundedAfter:
    """The codes are made with 300 / 448, and go back with 1."""

    @func
    def step(x: Tensor[(1, 128), "f32"]):
        scale = tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) / 448.0
        codes = tf.cast(tf.clamp(x / scale, -448.0, 448.0), "fp8e4m3")
        return tf.cast(codes, "f32") * tf.cast(tf.cast(scale * 1.4999, "f8e8m0"), "f32")


@module(entry="step", target=_H200, topologies=(_CTA,))
class RoundedBefore:
    @func
    def step(x: Tensor[(1, 128), "f32"]):
        scale = tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX) / 448.0
        power = tf.cast(tf.cast(scale * 1.4999, "f8e8m0"), "f32")
        codes = tf.cast(tf.clamp(x / power, -448.0, 448.0), "fp8e4m3")
        return tf.cast(codes, "f32") * power


# ---- the same values, packed and not -------------------------------------------------------------------------------------


@module(entry="quant", target=_H200, topologies=(_CTA,))
class Packed:
    @func
    def quant(x: Tensor[(4, 256), "f32"]):
        blocks = tf.reshape(x, (4, 2, 128))
        scale = tf.max(tf.reduce(blocks, (-1,), True, ReduceKind.ABS_MAX), 1e-10) / 448.0
        power = tf.cast(tf.cast(scale * 1.4999, "f8e8m0"), "f32")
        codes = tf.cast(tf.clamp(blocks / power, -448.0, 448.0), "fp8e4m3")
        return tf.reshape(codes, (4, 256)), tf.reshape(power, (4, 2))


@module(entry="quant", target=_H200, topologies=(_CTA,))
class Strided:
    """Every second column of an array that is twice as wide."""

    @func
    def quant(x: Tensor[(4, 256), "f32"]):
        wide = tf.repeat_interleave(x, 2, 1)
        blocks = tf.reshape(wide[:, ::2], (4, 2, 128))
        scale = tf.max(tf.reduce(blocks, (-1,), True, ReduceKind.ABS_MAX), 1e-10) / 448.0
        power = tf.cast(tf.cast(scale * 1.4999, "f8e8m0"), "f32")
        codes = tf.cast(tf.clamp(blocks / power, -448.0, 448.0), "fp8e4m3")
        return tf.reshape(codes, (4, 256)), tf.reshape(power, (4, 2))


@module(entry="quant", target=_H200, topologies=(_CTA,))
class Turned:
    """Columns of an array that holds the rows."""

    @func
    def quant(x: Tensor[(4, 256), "f32"]):
        blocks = tf.reshape(tf.transpose(tf.transpose(x, (1, 0)) * 1.0, (1, 0)), (4, 2, 128))
        scale = tf.max(tf.reduce(blocks, (-1,), True, ReduceKind.ABS_MAX), 1e-10) / 448.0
        power = tf.cast(tf.cast(scale * 1.4999, "f8e8m0"), "f32")
        codes = tf.cast(tf.clamp(blocks / power, -448.0, 448.0), "fp8e4m3")
        return tf.reshape(codes, (4, 256)), tf.reshape(power, (4, 2))


@module(entry="quant", target=_H200, topologies=(_CTA,))
class OtherFloor:
    """A path that has another least scale."""

    @func
    def quant(x: Tensor[(4, 256), "f32"]):
        blocks = tf.reshape(x, (4, 2, 128))
        scale = tf.max(tf.reduce(blocks, (-1,), True, ReduceKind.ABS_MAX), 1e-7) / 448.0
        power = tf.cast(tf.cast(scale * 1.4999, "f8e8m0"), "f32")
        codes = tf.cast(tf.clamp(blocks / power, -448.0, 448.0), "fp8e4m3")
        return tf.reshape(codes, (4, 256)), tf.reshape(power, (4, 2))


# ---- views, copies of them, and what is read without their strides -------------------------------------------------------


@module(entry="quant", target=_H200, topologies=(_CTA,))
class Transposed:
    @func
    def quant(x: Tensor[(128, 64), "bf16"]):
        return tf.quant(tf.transpose(x, (1, 0)), "per_token_group", 32)

    @func
    def copied(x: Tensor[(64, 128), "bf16"]):
        return tf.quant(x, "per_token_group", 32)

    @func
    def misread(x: Tensor[(128, 64), "bf16"]):
        return tf.quant(tf.reshape(x, (64, 128)), "per_token_group", 32)


@module(entry="quant", target=_H200, topologies=(_CTA,))
class EveryOther:
    @func
    def quant(x: Tensor[(128, 64), "bf16"]):
        return tf.quant(x[:, ::2], "per_token_group", 32)

    @func
    def copied(x: Tensor[(128, 32), "bf16"]):
        return tf.quant(x, "per_token_group", 32)

    @func
    def misread(x: Tensor[(128, 64), "bf16"]):
        return tf.quant(x[:, :32], "per_token_group", 32)
