"""What can be computed in blocks of rows, what can in part, and what cannot."""

from tilefoundry import func, module
from tilefoundry.dsl import Mesh, ReduceKind, Tensor, Topology, tf
from tilefoundry.target import CudaTarget

_H200 = CudaTarget("nvidia.h200_sxm")
_CTA = Topology("cta", 1)
_THREAD = Topology("thread", 128)


@module(entry="chain", target=_H200, topologies=(_CTA, _THREAD))
class Rows:
    # ---- as a whole by rows -----------------------------------------------------------------------------------------

    @func
    def chain(x: Tensor[(7, 24), "f32"], y: Tensor[(7, 24), "f32"], w: Tensor[(24,), "f32"]):
        return tf.exp(x * y) + w * 0.5

    @func
    def line(x: Tensor[(30,), "bf16"]):
        return tf.cast(tf.cast(x, "f32") * 3.0, "f16")

    @func
    def norm_quant(a: Tensor[(6, 32), "bf16"], gamma: Tensor[(1, 32), "bf16"]):
        rows = tf.cast(a, "f32")
        mean = tf.reduce(tf.square(rows), (-1,), True, ReduceKind.MEAN)
        normed = tf.cast(rows * tf.rsqrt(mean + 1e-6), "bf16") * gamma
        blocks = tf.reshape(tf.cast(normed, "f32"), (6, 4, 8))
        scale = tf.reduce(blocks, (-1,), True, ReduceKind.ABS_MAX) * (1.0 / 448.0)
        quant = tf.cast(tf.clamp(blocks / scale, -448.0, 448.0), "fp8e4m3")
        return tf.reshape(quant, (6, 32)), tf.reshape(scale, (6, 4))

    @func
    def merged(x: Tensor[(12, 8), "f32"]):
        """Rows of the result are three of the argument's."""
        return tf.softmax(tf.reshape(tf.square(x), (4, 3, 8)), -1)

    @func
    def split(x: Tensor[(4, 3, 8), "f32"]):
        """Rows of the argument are three of the result's."""
        return tf.exp(tf.reshape(x + 1.0, (12, 8)))

    @func
    def fields(x: Tensor[(6, 16), "f32"]):
        """Several results of one call, and one value returned twice."""
        values, places = tf.topk(tf.square(x), 3)
        codes, scale = tf.quant(tf.cast(x, "bf16"), "per_token_group", 8)
        return values, places, codes, scale * 2.0, values

    @func
    def turned(x: Tensor[(5, 4, 6), "f32"]):
        return tf.transpose(x, (0, 2, 1)) * 2.0

    @func
    def placed(x: Tensor[(8, 16), "f32"]):
        with Mesh(("thread",), (8, 16), ("a", "b")) as m:
            held = tf.reshard(x, (8 @ m.a, 16 @ m.b), "rmem")
            return tf.reshard(held * held, (8, 16), "gmem"), tf.reshard(tf.cast(held, "bf16"), (8, 16), "gmem")

    @func
    def fused(x: Tensor[(9, 8), "f32"], y: Tensor[(9, 8), "f32"], z: Tensor[(9, 8), "f32"]):
        """A product and a sum that may be one rounding."""
        return x * y + z

    # ---- in part ----------------------------------------------------------------------------------------------------

    @func
    def after_product(a: Tensor[(8, 16), "f32"], b: Tensor[(16, 4), "f32"]):
        return tf.relu(tf.matmul(tf.exp(a), b)) + 1.0

    @func
    def column_means(x: Tensor[(8, 16), "f32"]):
        """The means are of all rows, so what they are taken of is whole."""
        squares = tf.square(x)
        return squares - tf.reduce(squares, (0,), True, ReduceKind.MEAN)

    @func
    def loops(x: Tensor[(8, 16), "f32"]):
        acc = x + 1.0
        for i in range(3):
            acc = acc * x
        return acc - x

    @func
    def mixed(x: Tensor[(8, 16), "f32"]):
        total = tf.reduce(x, (0, 1), False, ReduceKind.SUM)
        return x * 2.0, total

    # ---- not at all -------------------------------------------------------------------------------------------------

    @func
    def columns(x: Tensor[(8, 16), "f32"]):
        return tf.transpose(tf.exp(x), (1, 0))

    @func
    def total(x: Tensor[(8, 16), "f32"]):
        return tf.reduce(tf.exp(x), (0,), True, ReduceKind.SUM)

    @func
    def down_columns(x: Tensor[(8, 16), "f32"]):
        """Along axis 0, which leaves no rows."""
        return tf.softmax(x, 0)

    @func
    def largest_of_columns(x: Tensor[(8, 16), "f32"]):
        values, places = tf.topk(x, 4, 0)
        return values, places

    @func
    def one_row(x: Tensor[(16,), "f32"], w: Tensor[(16,), "f32"], b: Tensor[(16,), "f32"]):
        return tf.layer_norm(x, w, b, 0, 1e-5)
