"""Loops: carried values of every kind, nested, swapped, unchanged, none."""
from tilefoundry import Layout, ShardLayout, func, module
from tilefoundry.dsl import B, ConstTensor, DimVar, DimVarRangePat, Mesh, P, S, Tensor, Topology, tf
from tilefoundry.target import CudaTarget

H200 = CudaTarget("nvidia.h200_sxm")
CTA = Topology("cta", 4)

@module(entry="one", target=H200, topologies=(CTA,))
class Loops:
    @func
    def one(x: Tensor[(4, 64), "f32"]):
        acc = tf.zeros(Tensor[(4, 16), "f32"])
        for k in tile(64, 16):
            part = x[:, k]
            acc = acc + part * part
        return acc

    @func
    def shared(x: Tensor[(4, 64), "f32"], w: Tensor[(4, 16), "f32"]):
        zero = tf.zeros(Tensor[(4, 16), "f32"])
        a = zero
        b = zero
        for k in range(0, 64, 16):
            a = a + x[:, k : k + 16]
            b = tf.max(b, a)
        for k in range(3):
            w = w + zero
        return a, b, w, w * zero

    @func
    def swap(x: Tensor[(4, 4), "f32"], y: Tensor[(4, 4), "f32"], z: Tensor[(4, 4), "f32"]):
        for i in range(5):
            t = x
            x = y
            y = t
            z = z
        return x, y, z

    @func
    def nested(x: Tensor[(8, 8), "f32"]):
        s = tf.zeros(Tensor[(), "f32"])
        m = s * 1.0
        for i in range(2, 8):
            row = x[i, :]
            for j in range(1, 7):
                v = row[j]
                s = s + v
                m = tf.max(m, v)
        return s, m

    @func
    def crossed(x: Tensor[(8, 8), "f32"]):
        s = tf.zeros(Tensor[(8,), "f32"])
        m = s * 1.0
        for i in range(8):
            s = s + x[i, :]
            for j in range(8):
                m = m + x[j, :] * s
            late = m * 2.0
        return m, s

    @func
    def moved(x: Tensor[(64, 8), "f32"], n: Tensor[(), "i64"]):
        out = tf.zeros(Tensor[(8, 8), "f32"])
        for k in tile(32, 8):
            base = k + 0
            out = out + x[k + 16, :] + x[base : base + 8, :] * x[k, :]
        for j in range(0, n, 2):
            out = out + x[j : j + 8, :]
        held = tf.exp(x)
        for j in tile(64, 8):
            out = tf.insert_slice(out, held[j, :], (0, 0))
        return out + held[0:8, :]

    @func
    def tail(x: Tensor[(4, 8), "f32"], y: Tensor[(4, 8), "f32"]):
        for i in range(4):
            x = x + 1.0
            y = y + x
            dead = tf.exp(x)

    @func
    def bare(x: Tensor[(4, 8), "f32"]):
        for i in range(4):
            z = tf.exp(x[i, :])
