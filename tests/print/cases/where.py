# Wishes about values, wherever a value comes from.
from tilefoundry import func, module
from tilefoundry.dsl import DimVar, Mesh, Tensor, Topology, tf
from tilefoundry.target import CudaTarget

GRID = Mesh((Topology("cta", 4),), (2, 2), ("r", "c"))
N = DimVar("N", 4, 64)


@module(entry="main", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4),))
class Where:
    @func
    def pair(x: Tensor[(N, 8), "f32"]):
        y: where(layout=(N @ cta, 8)) = tf.exp(x)
        return y, x

    @func
    def main(x: Tensor[(N, 8), "f32"], s: Tensor[(4, 8), "f32"]):
        own: where(storage="smem") = x
        a: where(layout=(_, 8 @ m.r), mesh=GRID) = x + x
        b: where(layout=(((N + 2) @ "odd one", _), {cta @ P("sum"), gpc @ B()})) = tf.square(a)
        c, d = pair(b)
        e: where(layout=(8,), storage="gmem") = d
        for i in range(3):
            last: where(storage="rmem") = s * 2.0
            s = last + s
        with GRID as m:
            inside: where(mesh=m) = s
            u: where(mesh=m, storage="rmem") = s + s
        f: where(storage="smem") = u
        return c, e, u
