"""One step of attention: the scores of queries against keys, their softmax, and the values that it weighs.

Try:
    tilefoundry analyze attention.py:Attention - --compute-cost --memory --roofline --dim S=100
    tilefoundry eval attention.py:Attention --inputs random --dim S=100
    tilefoundry check attention.py:Attention --twin attention.py:Attention.wide --inputs random --dim S=100 --out output --fn rel_l2 --max 0.01
"""

from tilefoundry import func, module
from tilefoundry.dsl import DimVar, Tensor, Topology, tf
from tilefoundry.target import CudaTarget

HEADS = 4
QUERIES = 3
S = DimVar("S", 1, 1000)  # keys so far
D = 64
SCALE = 0.125  # one over the root of D


@module(entry="step", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 132),))
class Attention:
    @func
    def step(
        q: Tensor[(HEADS, QUERIES, D), "bf16"], k: Tensor[(HEADS, S, D), "bf16"], v: Tensor[(HEADS, S, D), "bf16"]
    ):
        scores = tf.matmul(q, k, b_layout="NK", out_dtype="f32") * SCALE
        weights = tf.cast(tf.softmax(scores, -1), "bf16")
        return tf.matmul(weights, v)

    @func
    def wide(
        q: Tensor[(HEADS, QUERIES, D), "bf16"], k: Tensor[(HEADS, S, D), "bf16"], v: Tensor[(HEADS, S, D), "bf16"]
    ):
        """The same with weights that are kept in f32 up to the second product."""
        scores = tf.matmul(q, k, b_layout="NK", out_dtype="f32") * SCALE
        return tf.cast(tf.matmul(tf.softmax(scores, -1), tf.cast(v, "f32")), "bf16")
