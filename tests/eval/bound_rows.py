# SPDX-License-Identifier: MIT
"""Operators that choose, quantise and put in elements: their legal results are enclosed."""

from tilefoundry import func, module
from tilefoundry.dsl import ReduceKind, Tensor, Topology, tf
from tilefoundry.target import CudaTarget

R, N = 4, 256
ROWS, WIDTH, GIVEN = 6, 8, 20


@module(entry="quant_f32", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 1),))
class Bound:
    @func
    def quant_f32(x: Tensor[(R, N), "f32"]):
        return tf.quant(x)

    @func
    def quant_bf16(x: Tensor[(R, N), "bf16"]):
        return tf.quant(x)

    @func
    def choice(x: Tensor[(R, 16, 64), "f32"]):
        sums = tf.reduce(x, (-1,), False, ReduceKind.SUM)
        best, places = tf.topk(sums, 3)
        return tf.argmax(sums), best, places

    @func
    def points(x: Tensor[(R, N), "f32"]):
        best, places = tf.topk(x, 3)
        least, at = tf.topk(x, 3, -1, False)
        any_best, any_place = tf.topk(x, 3, -1, True, False)
        return tf.argmax(x), best, places, least, at, any_best, any_place

    @func
    def doubtful(x: Tensor[(1, 8, 64), "f32"]):
        sums = tf.reduce(x, (-1,), False, ReduceKind.SUM)
        ratio = sums * sums / sums
        best, places = tf.topk(ratio, 3)
        return tf.argmax(ratio), best, places

    @func
    def add_f32(
        x: Tensor[(ROWS, WIDTH), "f32"], i: Tensor[(GIVEN,), "i32"], y: Tensor[(GIVEN, WIDTH), "f32"]
    ):
        return tf.index_add(x, i, y)

    @func
    def add_bf16(
        x: Tensor[(ROWS, WIDTH), "bf16"], i: Tensor[(GIVEN,), "i32"], y: Tensor[(GIVEN, WIDTH), "bf16"]
    ):
        return tf.index_add(x, i, y)

    @func
    def add_f16(
        x: Tensor[(ROWS, WIDTH), "f16"], i: Tensor[(GIVEN,), "i32"], y: Tensor[(GIVEN, WIDTH), "f16"]
    ):
        return tf.index_add(x, i, y)

    @func
    def moved(x: Tensor[(ROWS, WIDTH), "f32"], i: Tensor[(3,), "i64"], y: Tensor[(3, WIDTH, 64), "f32"]):
        rows = tf.reduce(y, (-1,), False, ReduceKind.SUM)
        return (
            tf.index_copy(x, i, rows),
            tf.full_like(x, 2.5),
            tf.full_like(i, 7),
            tf.full_like(x, 1e60),
            tf.shape_of(x),
            tf.rank(x),
        )

    @func
    def cached(c: Tensor[(2, 5, 2, 4), "f32"], y: Tensor[(2, 3, 2, 4, 64), "f32"]):
        rows = tf.reduce(y, (-1,), False, ReduceKind.SUM)
        return tf.cache_update(c, tf.cast(2, "i32"), tf.cast(2, "i32"), rows)

    @func
    def open_add(
        x: Tensor[(ROWS, WIDTH), "f32"], y: Tensor[(1, WIDTH), "f32"], z: Tensor[(1, 2, 64), "f32"]
    ):
        at = tf.argmax(tf.reduce(tf.concat((z, z), axis=1), (-1,), False, ReduceKind.SUM))
        return tf.index_add(x, at, y)

    @func
    def open_copy(
        x: Tensor[(ROWS, WIDTH), "f32"], y: Tensor[(1, WIDTH), "f32"], z: Tensor[(1, 2, 64), "f32"]
    ):
        at = tf.argmax(tf.reduce(tf.concat((z, z), axis=1), (-1,), False, ReduceKind.SUM))
        return tf.index_copy(x, at, y)

    @func
    def open_rope(
        q: Tensor[(1, 1, 2, 8), "f32"], c: Tensor[(4, 8), "f32"], z: Tensor[(1, 2, 64), "f32"]
    ):
        at = tf.argmax(tf.reduce(tf.concat((z, z), axis=1), (-1,), False, ReduceKind.SUM))
        return tf.rope(q, q, c, c, at)

    @func
    def too_often(x: Tensor[(1, WIDTH), "bf16"], y: Tensor[(128, WIDTH), "bf16"]):
        return tf.index_add(x, tf.full_like(tf.zeros(Tensor[(128,), "i32"]), 0), y)

    @func
    def truths(x: Tensor[(8, 64), "f32"], i: Tensor[(8,), "i32"]):
        sums = tf.reduce(x, (-1,), False, ReduceKind.SUM)
        above, below = sums > 1.0, sums < 3.0
        count = tf.cast(above, "i32") * tf.cast(5, "i32") + i
        return (
            tf.logical_and(above, below),
            tf.logical_or(above, tf.logical_not(below)),
            tf.where(above, i, tf.neg(i)),
            count,
            tf.where(tf.logical_and(above, below), sums, tf.zeros(Tensor[(8,), "f32"])),
            tf.clamp(tf.abs(tf.neg(count)), 2, 6),
            tf.mod(tf.neg(count), tf.cast(4, "i32")) + tf.floor_div(tf.neg(count), tf.cast(4, "i32")),
            tf.relu(tf.min(count, i) - tf.max(count, i)),
            tf.cast(tf.square(count), "f32"),
            tf.logical_not(below),
        )

    @func
    def carried(x: Tensor[(4, 6, 64), "f32"], i: Tensor[(3,), "i32"]):
        sums = tf.reduce(x, (-1,), False, ReduceKind.SUM)
        halves = tf.split(sums, 1, 2)
        base = tf.zeros(Tensor[(4, 6), "f32"])
        at = tf.cast(1, "i32")
        return (
            tf.stack([halves[1], halves[0]], axis=0),
            tf.concat([halves[1], halves[0]], axis=1),
            tf.reshape(tf.transpose(sums, (1, 0)), (3, 8)),
            tf.repeat_interleave(sums, 2, 1),
            tf.index_select(sums, tf.arange(Tensor[(3,), "i32"]), 0),
            sums[1:3, 2:5],
            tf.reshard(sums, (4, 6), "smem"),
            tf.insert_slice(base, sums[0:2, 0:2], (at, at)),
        )

    @func
    def chosen(x: Tensor[(3, 8, 64), "f32"], w: Tensor[(8, 5), "f32"]):
        sums = tf.reduce(x[0, :, :], (-1,), False, ReduceKind.SUM)
        best, places = tf.topk(sums, 2)
        return tf.index_select(w, places, 0), tf.index_select(tf.transpose(w, (1, 0)), places, 1), places
