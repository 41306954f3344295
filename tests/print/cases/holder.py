# select: Holder
"""A module that only joins its children."""
from tilefoundry import Layout, ShardLayout, func, module
from tilefoundry.dsl import B, ConstTensor, DimVar, DimVarRangePat, Mesh, P, S, Tensor, Topology, tf
from tilefoundry.target import CudaTarget

H200 = CudaTarget("nvidia.h200_sxm")
CTA = Topology("cta", 4)

@module(entry="f", topologies=())
class Part:
    @func
    def f(x: Tensor[(4,), "f32"]):
        return x


@module(target=H200)
class Holder:
    parts = tuple(Part.renamed(f"part{i}") for i in range(3))
