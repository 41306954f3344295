"""Every operator, and every dtype family, in programs small enough for each rounding to be looked at."""

from tilefoundry import func, module
from tilefoundry.dsl import ConstTensor, Mesh, ReduceKind, Tensor, Topology, tf
from tilefoundry.target import CudaTarget

_H200 = CudaTarget("nvidia.h200_sxm")


@module(entry="f32")
class Elements:
    @func
    def f32(x: Tensor[(3, 20), "f32"], y: Tensor[(20,), "f32"], z: Tensor[(3, 1), "f32"]):
        a = (x + y) * z - x / (y * y + 1.0)
        b = tf.where(tf.cmp_lt(a, z), tf.clamp(a, -1.0, 0.5), -a)
        c = tf.exp(b) + tf.log(x * x + 1.0) + tf.rsqrt(z * z + 1.0)
        d = tf.min(tf.abs(c), tf.max(x, y)) + tf.ceil(x) * tf.round(y)
        return d, tf.exp2(tf.log2(x * x + 2.0)), tf.relu(x), tf.softplus(x), tf.silu(x), tf.sigmoid(x), tf.tanh(x)

    @func
    def narrow(x: Tensor[(3, 20), "f32"]):
        h, b = tf.cast(x, "f16"), tf.cast(x, "bf16")
        e, f = tf.cast(x, "fp8e4m3"), tf.cast(x * 1e4, "fp8e5m2")
        s, t = tf.cast(x, "f8e8m0"), tf.cast(x, "f4e2m1")
        return h * h + h, b / (b * b + b), e, f, s, t, tf.gelu(h), tf.square(b), tf.cast(e, "f32") + tf.cast(t, "f32")

    @func
    def wide(x: Tensor[(3, 20), "f64"], n: Tensor[(3, 20), "i64"]):
        return x * x + x, tf.cast(x, "bf16"), tf.cast(n, "f16"), tf.cast(x, "i32"), tf.gelu(x), tf.cast(n, "f8e8m0")

    @func
    def integers(a: Tensor[(4, 6), "i32"], b: Tensor[(6,), "i32"]):
        c = a * b + a - b
        p = tf.logical_and(tf.cmp_lt(a, b), tf.cmp_ne(c, a))
        return c, p, tf.min(a, b), tf.max(a, b), tf.abs(a), tf.cast(a, "i8"), tf.cast(a, "u8"), tf.cast(p, "f32")

    @func
    def divided(a: Tensor[(4, 6), "i32"], b: Tensor[(6,), "i32"]):
        return a // b, a % b


@module(entry="flat")
class Flat:
    @func
    def flat(x: Tensor[(20,), "f32"]):
        h = tf.cast(x, "bf16")
        y = tf.reshape(h * h, (20,)) + h
        w = tf.cast(h, "f32")
        return y, w + w * x, w, tf.cast(tf.cast(h, "f16"), "f32"), tf.concat([w, x], axis=0)


@module(entry="kept")
class Bits:
    @func
    def kept(c: Tensor[(4,), "bool"], x: Tensor[(4,), "bf16"], y: Tensor[(4,), "fp8e5m2"], n: Tensor[(), "bf16"]):
        return tf.where(c, x, x), tf.cast(y, "fp8e5m2"), tf.where(c, tf.where(c, y, y), y), tf.cast(n, "bf16")


@module(entry="folds")
class Rows:
    @func
    def folds(x: Tensor[(5, 3, 21), "f32"], h: Tensor[(5, 3, 21), "f16"]):
        a = tf.reduce(x, (-1,), True, ReduceKind.SUM)
        b = tf.reduce(x - a, (1, 2), False, ReduceKind.MEAN)
        c = tf.reduce(x, (0,), False, ReduceKind.MAX)
        d = tf.reduce(h, (1,), True, ReduceKind.ABS_MAX)
        return a, b, c, d, x / tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX)

    @func
    def normed(x: Tensor[(4, 6, 40), "bf16"], w: ConstTensor[(40,), "bf16"], v: ConstTensor[(40,), "bf16"]):
        a = tf.rms_norm(x, w)
        return a, tf.layer_norm(x, w, v, axis=-1, eps=1e-5), tf.softmax(a, -1), tf.softmax(x, 1)

    @func
    def chosen(x: Tensor[(4, 16), "f32"]):
        values, places = tf.topk(x, 5)
        return values, places, tf.argmax(x, 0), tf.argmax(values)

    @func
    def quantised(x: Tensor[(6, 256), "bf16"]):
        codes, scales = tf.quant(x)
        return codes, scales


@module(entry="products")
class Products:
    @func
    def products(x: Tensor[(2, 5, 19), "bf16"], y: Tensor[(19, 70), "bf16"], b: Tensor[(70,), "f32"]):
        return tf.relu(tf.cast(tf.matmul(x, y), "f32") + b)

    @func
    def turned(x: Tensor[(7, 70), "f32"], y: Tensor[(9, 70), "f32"]):
        return tf.matmul(x, tf.transpose(y, (1, 0))), tf.matmul(tf.transpose(x, (1, 0)), x)

    @func
    def windows(x: Tensor[(2, 4, 7, 8), "f32"], w: Tensor[(6, 2, 3, 3), "f32"], b: Tensor[(6,), "f32"]):
        return tf.conv2d(x, w, b, stride=(2, 1), padding=(1, 2), dilation=(1, 2), groups=2)


@module(entry="moved")
class Moves:
    @func
    def moved(x: Tensor[(4, 6), "bf16"], y: Tensor[(4, 2), "bf16"]):
        a = tf.concat([x, y], axis=1)
        p, q = tf.split(a, axis=1, num_splits=2)
        s = tf.stack([p, q], axis=1)
        return s, tf.repeat_interleave(p, 3, 0), tf.transpose(s, (2, 0, 1)), tf.reshape(tf.transpose(a, (1, 0)), (4, 8))

    @func
    def first(x: Tensor[(6, 8), "f32"]):
        p, _ = tf.split(x * x, axis=0, num_splits=2)
        return p

    @func
    def cut(x: Tensor[(6, 8), "i32"]):
        a = x[1:5, 2:8:2]
        return a * a, tf.full_like(a, 7), a + tf.reshape(a[0:1, :], (3,))

    @func
    def named(x: Tensor[(5, 4), "f32"], i: Tensor[(3,), "i64"], y: Tensor[(3, 4), "f32"]):
        return tf.index_select(x, i, dim=0), tf.index_add(x, i, y, dim=0), tf.index_copy(x, i, y, dim=0)


@module(entry="swapped")
class Loops:
    @func
    def swapped(x: Tensor[(4, 8), "f32"], y: Tensor[(4, 8), "f32"]):
        a, b = x, y
        for _ in range(3):
            a, b = b + 1.0, a
        return a, b

    @func
    def tiles(x: Tensor[(8, 16), "f32"]):
        total = tf.zeros(Tensor[(8, 4), "f32"])
        for i in range(0, 16, 4):
            total = total + tf.square(x[:, i : i + 4])
        return total


@module(entry="step", target=_H200, topologies=(Topology("cta", 4), Topology("thread", 32)))
class Placed:
    @func
    def step(x: Tensor[(4, 32), "f32"]):
        with Mesh(("cta",), (4,), ("r",)) as m:
            held = tf.reshard(x, (4 @ m.r, 32), "smem")
            return tf.reshard(held / tf.reduce(held, (-1,), True, ReduceKind.ABS_MAX), (4, 32), "gmem")


@module(entry="near", target=_H200, topologies=(Topology("cta", 4), Topology("thread", 32)))
class Stored:
    @func
    def near(x: Tensor[(4, 32), "f32"]):
        with Mesh(("cta",), (4,), ("r",)) as m:
            held = tf.reshard(x, (4 @ m.r, 32), "smem")
            scaled = held / tf.reduce(held, (-1,), True, ReduceKind.ABS_MAX)
            again = tf.reshard(tf.reshard(scaled, (4, 32), "gmem"), (4 @ m.r, 32), "rmem")
            return tf.reshard(again * tf.reduce(again, (-1,), True, ReduceKind.SUM), (4, 32), "gmem")

    @func
    def far(x: Tensor[(4, 32), "f32"]):
        scaled = x / tf.reduce(x, (-1,), True, ReduceKind.ABS_MAX)
        return scaled * tf.reduce(scaled, (-1,), True, ReduceKind.SUM)

    @func
    def called(x: Tensor[(4, 32), "f32"]):
        return far(far(x))  # noqa: F821
