"""Parameters and results of every kind of type."""

from tilefoundry import func, module
from tilefoundry.dsl import ConstTensor, Mesh, Tensor, Topology
from tilefoundry.target import CudaTarget

G = Mesh((Topology("cta", 4),), (4,), ("c",))
LEVELS = (Topology("cta", 4), Topology("thread", 8))
SHAPE = (4, 8)
ROWS = 2
ROW = Tensor[(4,), "f32"]



@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=LEVELS)
class M:
    @func
    def go(
        a: Tensor[(), "f32"],
        b: Tensor[SHAPE, "bf16"],
        c: ConstTensor[(ROWS * 2, 8), "i32"],
        d: Tensor[(4 @ G.c, 8), "f32", "smem"],
        e: Tensor[(4, 8), "f32", ((4, 8), (8, 1))],
        f: Tensor[(4, 8), "f32", None, "gmem"],
        g: tuple[Tensor[(4,), "f32"], Tensor[(4,), "f32"]],
        h: ROW,
    ) -> tuple[Tensor[(), "f32"], ROW]:
        p, q = g
        return a * a, h + p + q
