"""Regions: results, captures, meshes in meshes, slices of meshes, layouts with and without sugar."""
from tilefoundry import Layout, ShardLayout, func, module
from tilefoundry.dsl import B, ConstTensor, DimVar, DimVarRangePat, Mesh, P, S, Tensor, Topology, tf
from tilefoundry.target import CudaTarget

H200 = CudaTarget("nvidia.h200_sxm")
CTA = Topology("cta", 4)

THREAD = Topology("thread", 128)
GRID = Mesh((CTA,), (2, 2), ("r", "c"))
ODD = Mesh((CTA,), ((2, 2), (1, 2)), ("a", "b"))
ROWS = ShardLayout(layout=Layout((2, 2, 8), (16, 8, 1)), attrs=(S(0), B()), mesh=GRID)


@module(entry="plain", target=H200, topologies=(CTA, THREAD))
class Regions:
    @func
    def plain(x: Tensor[(8, 16), "f32"], scale: Tensor[(1, 1), "f32"]):
        with Mesh(("cta",), (4,), ("row",)) as m:
            h = tf.reshard(x, (8 @ m.row, 16), "smem")
            s = tf.reshard(scale, (1, 1), "smem")
            h = h * s
            y = tf.reshard(h, (8, 16), "gmem")
        z = y * 2.0
        n = 3.0
        with Mesh(("cta",), (4,), ("row",)) as m:
            a = tf.reshard(z * n, (8 @ m.row, 16), "smem")
            b = tf.reshard(a, (8, 16), "gmem")
            a = tf.reshard(a + a, (8, 16), "gmem")
        return a + b

    @func
    def deep(x: Tensor[(4, 512), "f32"]):
        with Mesh(("cta",), (4,), ("c",)) as cta:
            i = cta.c * 2
            with Mesh(("thread",), (128,), ("lane",)) as th:
                held = tf.reshard(x, (4 @ cta.c, 512 @ th.lane), "rmem")
                held = held * held
                back = tf.reshard(held, (4, 512), "gmem")
            both = back
            own = x[:, i : i + 2]
        return both, own

    @func
    def parts(x: Tensor[(8, 16), "f32"]):
        with GRID[0:1, :] as g:
            z = tf.reshard(x, (8, 16 @ g.c), "smem")
        with GRID as whole:
            with whole[0:2, 1:2] as half:
                y = tf.reshard(x, (8 @ half.r, 16), "smem")
                w = tf.reshard(y, (8, 16), "gmem")
            return w

    @func
    def forms(x: Tensor[(8, 8), "f32"], p: Tensor[(4, 8), "f32", ROWS], q: Tensor[(4, 8), "f32", (4 @ GRID.r, 8), "smem"]):
        with GRID as m:
            a = tf.reshard(x, (8 @ (m.r, m.c), 8), "smem")
            b = tf.reshard(x, ShardLayout(layout=Layout((8, 8), (8, 1)), attrs=(B(), B()), mesh=m), "smem")
            c = tf.reshard(x, Layout((8, 8), (1, 8)), "gmem")
            d = tf.reshard(x, (8, 8), "rmem")
            e = tf.zeros(Tensor[(8, 2 @ m.r, 4), "f32", "smem"])
            k = m.r + m.c * 2
            f = x[k, :]
            return a, b, c, d, e, f, p, q

    @func
    def letters(x: Tensor[(8, 8), "f32"]):
        with Mesh(("cta",), (2, 2)) as m:
            r = x[m.y, :]
            s = x[m.x, :] + r
        with ODD as odd:
            t = x[odd.b, :]
            return t + s

    @func(mesh=Mesh((CTA,), (4,), ("c",)))
    def on(x: Tensor[(8 @ mesh.c, 8), "f32", "smem"]):
        y = tf.exp(x)
        return y, mesh.c

    @func
    def loop_inside(x: Tensor[(8, 64), "f32"], acc: Tensor[(8, 16), "f32"]):
        with Mesh(("cta",), (4,), ("c",)) as m:
            top = tf.reshard(acc, (8 @ m.c, 16), "smem")
            low = top * 1.0
            for k in tile(64, 16):
                part = tf.reshard(x[:, k], (8 @ m.c, 16), "smem")
                top = tf.max(top, part)
                low = tf.min(low, part)
            done = tf.reshard(top - low, (8, 16), "gmem")
        with Mesh(("cta",), (4,), ("c",)) as m:
            last = tf.reshard(done, (8 @ m.c, 16), "smem")
            for k in range(3):
                last = last + last
        return last, done
