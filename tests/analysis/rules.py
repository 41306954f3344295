"""Small programs for the rules of counting: multiplicity, lifetimes, what loops reach, timeline, pipes."""

from tilefoundry import func, module
from tilefoundry.dsl import ConstTensor, Mesh, Tensor, Topology, tf
from tilefoundry.dsl.tf import *
from tilefoundry.target import AmxTarget, CpuTarget, CudaTarget

H200 = CudaTarget("nvidia.h200_sxm")
B200 = CudaTarget("nvidia.b200_sxm")
ONE = (Topology("cta", 1),)
FOUR = (Topology("cta", 4),)


# ---- multiplicity

@module(entry="go", target=H200, topologies=ONE)
class CarriedThroughBoth:
    """acc comes from outside both loops: 15 additions."""
    @func
    def go(x: Tensor[(4,), "f32"]):
        acc = tf.zeros(Tensor[(4,), "f32"])
        for i in range(3):
            for j in range(5):
                acc = acc + x
        return acc


@module(entry="go", target=H200, topologies=ONE)
class InnerOnly:
    """What reads k alone runs once a k."""
    @func
    def go(x: Tensor[(3, 5), "f32"], w: Tensor[(5,), "f32"]):
        acc = tf.zeros(Tensor[(), "f32"])
        for i in range(3):
            for k in range(5):
                acc = acc + tf.exp(w[k]) * x[i, k]
        return acc


@module(entry="go", target=H200, topologies=ONE)
class LaterTrips:
    """b starts the same in every i, but its second trip has seen x[i, 0]."""
    @func
    def go(x: Tensor[(3, 5), "f32"], z: Tensor[(), "f32"]):
        acc = tf.zeros(Tensor[(), "f32"])
        for i in range(3):
            b = z
            for k in range(5):
                b = tf.exp(b) + x[i, k]
            acc = acc + b
        return acc


@module(entry="go", target=H200, topologies=ONE)
class NoTrips:
    """A loop of none: what only it reaches costs nothing, and its result is what it began with."""
    @func
    def go(x: Tensor[(8,), "f32"], y: Tensor[(8,), "f32"]):
        acc = tf.exp(x)
        for i in range(5, 5):
            acc = acc * tf.square(y)
        return acc


@module(entry="go", target=H200, topologies=FOUR)
class RaggedTrips:
    """Steps that do not divide: 1, 4, 7, 10."""
    @func
    def go(x: Tensor[(4, 16), "f32"]):
        with Mesh(("cta",), (4,), ("c",)) as m:
            acc = tf.zeros(Tensor[(4 @ m.c, 16), "f32", "smem"])
            for i in range(1, 12, 3):
                acc = acc + tf.reshard(x, (4 @ m.c, 16), "smem")
            return tf.reshard(acc, (4, 16), "gmem")


# ---- lifetimes

@module(entry="go", target=H200, topologies=ONE)
class Invariant:
    """heavy is made once and needed in every trip: it lives to the loop's end."""
    @func
    def go(g: Tensor[(64,), "f32"], x: Tensor[(8, 64), "f32"]):
        acc = tf.zeros(Tensor[(64,), "f32", "smem"])
        for i in range(8):
            heavy = tf.exp(tf.reshard(g, (64,), "smem")) * 2.0
            acc = acc + tf.reshard(x[i, :], (64,), "smem") * heavy
        return tf.reshard(acc, (64,), "gmem")


@module(entry="go", target=H200, topologies=ONE)
class Views:
    """Views hold nothing and keep what they look at."""
    @func
    def go(x: Tensor[(8, 64), "f32"]):
        s = tf.reshard(x, (8, 64), "smem")
        head = s[0:2, :]
        flat = tf.reshape(head, (128,))
        t = tf.exp(s)
        return tf.reshard(tf.reduce(t, (0, 1), False, "sum") + tf.reduce(flat, (0,), False, "sum"), (), "gmem")


@module(entry="go", target=H200, topologies=ONE)
class Results:
    """Several results of one call are one buffer."""
    @func
    def go(x: Tensor[(4, 32), "f32"]):
        values, where = tf.topk(x, 4, 1)
        return values


@module(entry="go", target=H200, topologies=ONE)
class Sum:
    """Each fits, the sum does not: an advisory."""
    @func
    def go(x: Tensor[(160, 256), "f32"]):
        a = tf.reshard(x, (160, 256), "smem")
        b = tf.exp(a)
        return tf.reshard(a + b, (160, 256), "gmem")


@module(entry="go", target=H200, topologies=ONE)
class TooLarge:
    """One value above the capacity."""
    @func
    def go(x: Tensor[(1024, 256), "f32"]):
        tile = tf.reshard(x, (1024, 256), "smem")
        return tf.reshard(tile, (1024, 256), "gmem")


# ---- what loops reach

@module(entry="go", target=H200, topologies=ONE)
class RaggedTile:
    """50 columns in tiles of 16: the last has 2."""
    @func
    def go(x: Tensor[(4, 50), "f32"]):
        acc = tf.zeros(Tensor[(), "f32"])
        for k in tile(50, 16):
            acc = acc + tf.reduce(x[:, k], (0, 1), False, "sum")
        return acc


@module(entry="go", target=H200, topologies=FOUR)
class EachUnit:
    """A window that goes with the unit: one unit's is a quarter of the device's."""
    @func
    def go(x: Tensor[(64, 32), "f32"]):
        with Mesh(("cta",), (4,), ("c",)) as m:
            acc = tf.zeros(Tensor[(), "f32"])
            base = m.c * 16
            for k in tile(32, 8):
                acc = acc + tf.reduce(x[base : base + 16, k], (0, 1), False, "sum")
            return acc


@module(entry="go", target=H200, topologies=ONE)
class Overlap:
    """Windows that overlap count what they share once."""
    @func
    def go(x: Tensor[(100,), "f32"]):
        acc = tf.zeros(Tensor[(), "f32"])
        for i in range(0, 90, 5):
            acc = acc + tf.reduce(x[i : i + 10], (0,), False, "sum") * tf.reduce(x[i + 5 : i + 15], (0,), False, "sum")
        return acc


@module(entry="go", target=H200, topologies=ONE)
class Diagonal:
    """One variable moves both axes."""
    @func
    def go(x: Tensor[(16, 16), "f32"]):
        acc = tf.zeros(Tensor[(), "f32"])
        for i in tile(16, 4):
            acc = acc + tf.reduce(x[i, i], (0, 1), False, "sum")
        return acc


@module(entry="go", target=H200, topologies=ONE)
class ByData:
    """Where the window starts is data: all of x, as a bound."""
    @func
    def go(x: Tensor[(100,), "f32"], p: Tensor[(), "i64"]):
        acc = tf.zeros(Tensor[(), "f32"])
        for i in range(4):
            start = p + i
            acc = acc + tf.reduce(x[start : start + 10], (0,), False, "sum")
        return acc


@module(entry="go", target=H200, topologies=ONE)
class CarriedView:
    """The next window is yielded: all of x, as a bound."""
    @func
    def go(x: Tensor[(8, 16), "f32"]):
        acc = tf.zeros(Tensor[(16,), "f32"])
        row = x[0, :]
        for i in range(7):
            acc = acc + row
            row = x[i + 1, :]
        return acc


@module(entry="go", target=H200, topologies=ONE)
class Huge:
    """Trips and tensors that could not be gone through."""
    @func
    def go(x: Tensor[(1048576, 65536), "bf16"]):
        acc = tf.zeros(Tensor[(), "bf16"])
        for i in tile(1048576, 3):
            for j in tile(65536, 128):
                acc = acc + tf.reduce(x[i, j], (0, 1), False, "sum")
        return acc


# ---- timeline

@module(entry="go", target=H200, topologies=(Topology("cta", 264),))
class Timeline:
    """b varies in k alone: before both loops, four times back to back.  Two waves."""
    @func
    def go(x: Tensor[(3, 4, 64), "f32"], w: Tensor[(4, 16), "f32"]):
        acc = tf.zeros(Tensor[(64,), "f32", "smem"])
        for i in range(3):
            for k in range(4):
                b = tf.reshard(w[k, :], (16,), "smem")
                a = tf.reshard(x[i, k, :], (64,), "smem")
                acc = acc + a * tf.reduce(b, (0,), True, "sum")
        return tf.reshard(acc, (64,), "gmem")


@module(entry="go", target=H200, topologies=ONE)
class AtLeastTheBound:
    """One unit's share takes less time than the whole device's bound."""
    @func
    def go(x: Tensor[(8, 8), "f32"]) -> Tensor[(8, 8), "f32"]:
        return x


# ---- pipes

@module(entry="go", target=H200, topologies=ONE)
class Pipes:
    """Each pipe, and narrow floats and integers where they go."""
    @func
    def go(a: Tensor[(64, 64), "bf16"], b: Tensor[(64, 64), "bf16"], i: Tensor[(64, 64), "i32"], f: Tensor[(64, 64), "f32"]):
        c = a @ b
        d = tf.cast(tf.exp(c) + c, "fp8e4m3")
        return d, tf.reduce(i, (1,), False, "max"), i > i, f @ f, d @ d


@module(entry="go", target=B200, topologies=ONE)
class Unrated:
    """No rate for special work there: said, and nothing is assumed."""
    @func
    def go(x: Tensor[(8, 16), "f32"]):
        return tf.where(x > x, tf.exp(x), x)


@module(entry="go", target=CpuTarget(), topologies=())
class NoFacts:
    @func
    def go(x: Tensor[(8, 16), "f32"]):
        return tf.exp(x)


@module(entry="go", target=AmxTarget(), topologies=(Topology("core", 4),))
class NoUnits:
    @func
    def go(x: Tensor[(8, 16), "f32"]):
        return x + x


@module(entry="go", target=H200, topologies=(Topology("cta", 4), Topology("thread", 64)))
class Levels:
    @func
    def go(x: Tensor[(64, 64), "f32"]):
        with Mesh(("cta",), (4,), ("c",)) as c:
            with Mesh(("thread",), (64,), ("t",)) as m:
                h = tf.reshard(x, (64 @ c.c, 64 @ m.t), "rmem")
                return tf.reshard(h + h, (64, 64), "gmem")


@module(entry="go", target=H200)
class NoLevels:
    @func
    def go(x: Tensor[(8, 16), "f32"]):
        return x + x
