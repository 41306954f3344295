from tilefoundry import func, module
from tilefoundry.dsl import ConstTensor, DimVar, Tensor, Topology, tf
from tilefoundry.dsl.tf import tile
from tilefoundry.target import CudaTarget

H200 = CudaTarget("nvidia.h200_sxm")
CTA = (Topology("cta", 4),)
N = DimVar("N", 1, 9)


@module(entry="floats", target=H200, topologies=CTA)
class Math:
    @func
    def floats():
        x = tf.cast(tf.arange(Tensor[(6,), "i32"]), "f32") - 2.5
        y = tf.reshape(tf.cast(tf.arange(Tensor[(2,), "i32"]), "f32"), (2, 1))
        return x / y, tf.maximum(x, y), tf.clamp(x / y, -1.0, 1.5), tf.round(x), tf.ceil(x), tf.rsqrt(x), x < y

    @func
    def rounded():
        x = tf.cast(tf.arange(Tensor[(4,), "i32"]), "f32") + 254.0
        h = tf.cast(x, "bf16")
        return h, h + tf.cast(1.0, "bf16"), tf.square(h), tf.cast(tf.square(x), "f16"), tf.cast(x * 2.0, "fp8e4m3")

    @func
    def integers():
        x = tf.arange(Tensor[(5,), "i32"], start=-7, step=3)
        d = tf.cast(3, "i32")
        big = tf.cast(65536, "i32")
        return x // d, x % d, x // (-d), x % (-d), x * big * big, tf.abs(x), tf.cast(x, "bool"), tf.clamp(x, -2, 3)

    @func
    def divided(x: Tensor[(3,), "i64"]):
        return tf.arange(Tensor[(3,), "i64"]) // x


@module(entry="products", target=H200, topologies=CTA)
class Nn:
    @func
    def products():
        a = tf.reshape(tf.cast(tf.arange(Tensor[(6,), "i32"]), "f32"), (2, 3))
        b = tf.transpose(a, (1, 0))
        return a @ b, tf.matmul(b, b, a_layout="KM"), tf.matmul(a, a, b_layout="NK", out_dtype="bf16")

    @func
    def cancels(x: Tensor[(1, 3), "f32"], y: Tensor[(3, 1), "f32"]):
        return x @ y

    @func
    def rows():
        x = tf.reshape(tf.cast(tf.arange(Tensor[(8,), "i32"]), "f32"), (2, 4))
        one = tf.full_like(tf.reshape(tf.cast(tf.arange(Tensor[(4,), "i32"]), "f32"), (4,)), 1.0)
        return tf.softmax(x, 1), tf.softmax(x, 0), tf.rms_norm(x, one), tf.layer_norm(x, one, one, axis=1, eps=0.0)

    @func
    def curves():
        x = tf.cast(tf.arange(Tensor[(5,), "i32"]), "f32") - 2.0
        return tf.relu(x), tf.sigmoid(x), tf.silu(x), tf.tanh(x), tf.gelu(x), tf.softplus(x)

    @func
    def windows():
        x = tf.reshape(tf.cast(tf.arange(Tensor[(16,), "i32"]), "f32"), (1, 1, 4, 4))
        w = tf.full_like(tf.reshape(tf.cast(tf.arange(Tensor[(4,), "i32"]), "f32"), (1, 1, 2, 2)), 1.0)
        b = tf.cast(tf.arange(Tensor[(1,), "i32"], start=100), "f32")
        return tf.conv2d(x, w, b, stride=(2, 1), padding=(1, 0), dilation=(1, 2), groups=1)

    @func
    def whole_windows():
        """Those of `windows` in integers, and sums that wrap."""
        x = tf.reshape(tf.arange(Tensor[(16,), "i32"]), (1, 1, 4, 4))
        w = tf.full_like(tf.reshape(tf.arange(Tensor[(4,), "i32"]), (1, 1, 2, 2)), 1)
        b = tf.arange(Tensor[(1,), "i32"], start=100)
        large = tf.full_like(tf.cast(x, "i8"), 100)
        two = tf.full_like(tf.cast(w, "i8"), 2)
        return (
            tf.conv2d(x, w, b, stride=(2, 1), padding=(1, 0), dilation=(1, 2), groups=1),
            tf.conv2d(large, two, tf.cast(b, "i8"), stride=(2, 2), padding=(0, 0), dilation=(1, 1), groups=1),
        )

    @func
    def turned(pos: Tensor[(2,), "i64"]):
        q = tf.reshape(tf.cast(tf.arange(Tensor[(8,), "i32"]), "f32"), (1, 2, 1, 4))
        c = tf.reshape(tf.cast(tf.arange(Tensor[(12,), "i32"]), "f32"), (3, 4))
        return tf.rope(q, q, c, c * 10.0, pos)


@module(entry="carried", target=H200, topologies=CTA)
class Loops:
    @func
    def carried():
        x = tf.cast(tf.arange(Tensor[(4,), "i32"]), "f32")
        a = x
        b = x * 0.0
        for i in range(5):
            b = b + a
            a = a + 1.0
        return a, b

    @func
    def nested():
        x = tf.reshape(tf.cast(tf.arange(Tensor[(6,), "i32"]), "f32"), (2, 3))
        total = tf.reshape(tf.zeros(Tensor[(1,), "f32"]), ())
        for i in range(2):
            twice = tf.square(x) * 2.0
            for k in range(3):
                row = x[i, :]
                total = total + row[k] + twice[i, k]
        return total, tf.square(x)

    @func
    def inner():
        x = tf.reshape(tf.cast(tf.arange(Tensor[(6,), "i32"]), "f32"), (2, 3))
        zero = tf.cast(tf.arange(Tensor[(3,), "i32"]), "f32") * 0.0
        total = zero
        for i in range(2):
            part = zero
            for k in range(4):
                part = part + x[i, :]
            total = total * 10.0 + part
        return total

    @func
    def never():
        x = tf.cast(tf.arange(Tensor[(4,), "i32"]), "f32")
        a = x
        for i in range(3, 3):
            a = a + x
        return a

    @func
    def tiles():
        x = tf.reshape(tf.cast(tf.arange(Tensor[(16,), "i32"]), "f32"), (2, 8))
        acc = tf.zeros(Tensor[(2, 1), "f32"])
        for k in tile(8, 4):
            acc = acc + tf.reduce(x[:, k], axes=(1,), kind="sum")
        return acc


@module(entry="go", target=H200, topologies=CTA)
class Calls:
    @module(entry="scaled")
    class child:
        @func
        def scaled(x: Tensor[(N, 2), "f32"], w: ConstTensor[(2,), "f32"]):
            return x * w, w

    @func
    def go(x: Tensor[(N, 2), "f32"], v: ConstTensor[(2,), "f32"]):
        y, w = child(x)
        return y + v, (w, v)


@module(entry="top", target=H200, topologies=CTA)
class Levels:
    @module(entry="leaf", topologies=(Topology("cta", 2), Topology("thread", 32)))
    class core:
        @func
        def leaf(x: Tensor[(2, 2), "f32"]):
            return x + x

    @func
    def top(x: Tensor[(2, 2), "f32"]):
        return core(x)
