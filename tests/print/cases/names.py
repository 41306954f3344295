"""Names: taken twice, like the printer's own, of nothing, of tuples."""
from tilefoundry import Layout, ShardLayout, func, module
from tilefoundry.dsl import B, ConstTensor, DimVar, DimVarRangePat, Mesh, P, S, Tensor, Topology, tf
from tilefoundry.target import CudaTarget

H200 = CudaTarget("nvidia.h200_sxm")
CTA = Topology("cta", 4)

@module(entry="names", target=H200, topologies=(CTA,))
class Names:
    @func
    def names(x: Tensor[(4, 8), "f32"], K0: Tensor[(4, 8), "f32"], h_2: Tensor[(4, 8), "f32"]):
        tile = x * -1.5
        h = tile
        h = h + tf.exp(h * K0)
        h = h + h_2
        v1 = tf.exp(h)
        mesh = v1 * 2.0
        a, b = tf.split(mesh, axis=0, num_splits=2)
        t = tf.split(h, axis=0, num_splits=4)
        kept = t[2]
        again = t[2]
        pair = (a, b)
        left, right = pair
        names = left + right
        return tf.log(names), kept, again, t, pair[0]
