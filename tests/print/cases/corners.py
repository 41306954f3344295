"""Corners: results of regions and loops in every place, values that come by several ways."""
from tilefoundry import func, module
from tilefoundry.dsl import DimVar, Mesh, Tensor, Topology, tf
from tilefoundry.target import CudaTarget

CTA = Topology("cta", 4)
N = DimVar("N", 1, 9)
M = Mesh((CTA,), (4,), ("c",))


@func
def held_later(x: Tensor[(4, 4), "f32"]):
    return tf.exp(x)


@func
def tuples_of(x: Tensor[(8, 16), "f32"]):
    return x, x * 3.0


@module(entry="whole", target=CudaTarget("nvidia.h200_sxm"), topologies=(CTA,))
class Corners:
    @func
    def same(x: Tensor[(4, 8), "f32"]):
        return x

    @func
    def none(x: Tensor[(4, 8), "f32"]):
        return ()

    @func
    def tuples(x: Tensor[(4, 8), "f32"], n: Tensor[(4, 8), "f32"], same: Tensor[(4, 8), "f32"]):
        é = tf.exp(x)
        return (é,), (n, (same, 1, 2.5)), (x,)

    @func
    def whole(x: Tensor[(8, 16), "f32"]):
        with M as m:
            a = tf.reshard(x, (8, 16), "gmem")
            p = (a, a * 2.0)
        first = p[0]
        last = p[1]
        both, none = tuples_of(x)
        return first, last, p[1], both + none

    @func
    def two_ways(x: Tensor[(8, 16), "f32"], s: Tensor[(), "f32"]):
        t = tf.split(x, axis=0, num_splits=2)
        with M as m:
            h = tf.reshard(x, (8, 16), "gmem")
            a = h
            b = a
            kept = x
            number = 2.0
            left, right = t
            up, down = tf.split(h, axis=1, num_splits=2)
            c = left + right
        return a, b, kept, number, c, down, up

    @func
    def early(x: Tensor[(8, 16), "f32"]):
        with M as m:
            a = tf.reshard(x, (8, 16), "gmem")
            dead = tf.exp(a)
            return a * 2.0
        z = dead + dead

    @func
    def ends_in_loop(x: Tensor[(8, 16), "f32"], y: Tensor[(8, 16), "f32"]):
        with M as m:
            for i in range(3):
                x = x + 1.0
                y = y + x

    @func
    def ends_in_one(x: Tensor[(8, 16), "f32"]):
        with M as m:
            for i in range(3):
                x = x + 1.0

    @func
    def on_captured(x: Tensor[(8, 16), "f32"]):
        with M as m:
            for i in range(3):
                x = x + 1.0
            y = x
        return y, x

    @func
    def nested(x: Tensor[(8, 16), "f32"]):
        with M as outer:
            with outer as m:
                a = tf.reshard(x, (8, 16), "gmem")
                b = a + a
            c = b * a
            with outer as again:
                d = c + a
            f = d
        e = f + c
        return e

    @func
    def three(x: Tensor[(4, 4, 4), "f32"]):
        s = tf.zeros(Tensor[(), "f32"])
        n = s + 1.0
        for i in range(4):
            for j in range(4):
                for k in range(4):
                    v = x[i, j, k]
                    s = s + v
                    n = tf.max(n, v)
        return s * n

    @func
    def crossed(x: Tensor[(4, 4), "f32"], a: Tensor[(4,), "f32"], b: Tensor[(4,), "f32"]):
        for i in range(4):
            for j in range(4):
                b = b + x[j, :]
            a = a + b
            held = tf.exp(x)
            for j in range(4):
                a = a * held[j, :]
        return b, a, held_later(x)

    @func
    def counted(x: Tensor[(N, 8), "f32"], n: Tensor[(), "i64"]):
        acc = tf.zeros(Tensor[(8,), "f32"])
        for i in range(0, N, 1):
            at = i + 1
            acc = acc + x[i, :] * tf.cast(at, "f32")
        for i in range(n, n + 4, n):
            acc = acc + acc
        for i in range(-1, 3):
            acc = acc * acc
        return acc

    @func
    def same_twice(x: Tensor[(4,), "f32"]):
        zero = tf.zeros(Tensor[(4,), "f32"])
        a = zero
        b = zero
        for i in range(2):
            a, b = b, a
        p = zero
        for i in range(2):
            p = p + x
        for i in range(2):
            p = p * x
        q = p
        for i in range(2):
            q = q - x
        return a, b, p, q

    @func
    def coordinates(x: Tensor[(8, 16), "f32"]):
        with Mesh(("cta",), (2, 2), ("r", "r")) as m:
            a = tf.meshcoord(0, mesh=m) + tf.meshcoord(1, mesh=m) + m.r
            return x[a, :]
