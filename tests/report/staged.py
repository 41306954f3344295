"""A product staged through shared memory, tile by tile."""

from tilefoundry import func, module
from tilefoundry.dsl import ConstTensor, Mesh, Tensor, Topology, tf
from tilefoundry.dsl.tf import *
from tilefoundry.target import CudaTarget

ROWS, DEPTH, COLUMNS = 64, 96, 32


@module(entry="product", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 128)))
class Staged:
    @func
    def product(a: Tensor[(ROWS, DEPTH), "bf16"], b: ConstTensor[(DEPTH, COLUMNS), "bf16"]):
        with Mesh(("cta",), (4,), ("c",)) as m:
            acc = tf.zeros(Tensor[(ROWS @ m.c, COLUMNS), "bf16", "smem"])
            for k in tile(DEPTH, 40):
                left = tf.reshard(a[:, k], (ROWS @ m.c, 40), "smem")
                right = tf.reshard(b[k, :], (40, COLUMNS), "smem")
                acc = acc + left @ right
            best, where = tf.topk(tf.exp(acc), 2, 1)
            return tf.reshard(best, (ROWS, 2), "gmem")
