# What regions capture though nothing that counts reads it: values that are made of each other, of calls, of loops.
from tilefoundry import func, module
from tilefoundry.dsl import Mesh, Tensor, Topology, tf
from tilefoundry.target import CudaTarget


@module(entry="main", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4),))
class Captures:
    @func
    def twice(x: Tensor[(4, 8), "f32"]):
        return tf.exp(x) * 2.0

    @func
    def beside(x: Tensor[(4, 8), "f32"], a: Tensor[(4, 8), "f32"]):
        z = twice(x)
        b = tf.square(a)
        with Mesh(("cta",), (4,), ("c",)) as m:
            unread = b * z
            y = a - x
        return y

    @func
    def main(x: Tensor[(4, 8), "f32"], v9: Tensor[(4, 8), "f32"]):
        q = tf.square(x)
        z = tf.exp(x) + q
        k = beside(q, v9)
        d = twice(v9)
        for i in range(3):
            d = d + x
        b = tf.square(q)
        a = z - d
        with Mesh(("cta",), (4,), ("c",)) as m:
            v1 = a + q
            v2 = b * d
            with Mesh(("cta",), (4,), ("c",)) as n:
                v3 = z + k
            r = tf.square(v9)
        with Mesh(("cta",), (4,), ("c",)) as m:
            v4 = r - r
            u = beside(v9, k)
            return q
