# Callees that end in a loop that carries nothing stay functions: only so can what it leaves be read.
from tilefoundry import func, module
from tilefoundry.dsl import Mesh, Tensor, Topology, tf
from tilefoundry.target import CudaTarget

H200 = CudaTarget("nvidia.h200_sxm")
CTAS = (Topology("cta", 4),)


@module(entry="main", target=H200, topologies=CTAS)
class Endings:
    @func
    def last(x: Tensor[(4, 8), "f32"]):
        for i in range(4):
            y = tf.exp(x)

    @func
    def window(x: Tensor[(4, 8), "f32"]):
        with Mesh(("cta",), (4,), ("r",)) as m:
            for t in tile(8, 2):
                y = tf.square(x[:, t])

    @func
    def through(x: Tensor[(4, 8), "f32"]):
        return last(x * 2.0)

    @func
    def inner(x: Tensor[(4, 8), "f32"]):
        for i in range(3):
            for k in range(2):
                z = last(x) + x

    @func
    def main(x: Tensor[(4, 8), "f32"]):
        a = last(x)
        for i in range(2):
            a = through(a) + last(a)
        b = window(a)
        with Mesh(("cta",), (4,), ("r",)) as m:
            c = inner(a)
        return a + c, b
