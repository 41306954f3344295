# Callees that are given something else than they declare stay functions where their calls are copied in.
from tilefoundry import func, module
from tilefoundry.dsl import ConstTensor, Mesh, Tensor, Topology, tf
from tilefoundry.target import CudaTarget

H200 = CudaTarget("nvidia.h200_sxm")
CTAS = (Topology("cta", 4),)


@func
def soften(x: Tensor[(8, 16), "f32"]):
    e = tf.exp(x)
    return e / tf.reduce(e, (1,), True, "sum")


@module(entry="main", target=H200, topologies=CTAS)
class Calls:
    @module(entry="scale")
    class Scaler:
        @func
        def scale(x: Tensor[(8, 16), "f32"], w: ConstTensor[(8, 16), "f32"]):
            for i in range(2):
                y = soften(x * w)

    @func
    def pair(x: Tensor[(8, 16), "f32"], y: Tensor[(8, 16), "f32"]):
        return x - y, soften(x + y)

    @func
    def deep(x: Tensor[(8, 16), "f32"], soften_2: Tensor[(8, 16), "f32"]):
        y = x * 2.0
        a, b = pair(y, x)
        for i in range(3):
            y = soften(y) + a
        return tf.square(y) * b + soften_2

    @func
    def scaled(x: Tensor[(8, 16), "f32"]):
        for i in range(2):
            y = Scaler(x)

    @func
    def main(x: Tensor[(8, 16), "f32"], pair_2: Tensor[(8, 16), "f32"]):
        with Mesh(("cta",), (4,), ("r",)) as m:
            h = tf.reshard(x, (8 @ m.r, 16), "gmem")
            same = soften(x) + soften(h)
            unused, used = pair(h, h)
            v = deep(h, used)
            for k in range(2):
                v = soften(v) + h
            out = tf.reshard(v, (8, 16), "gmem")
        return out + same, scaled(pair_2)
