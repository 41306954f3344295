"""What a mesh captures comes before it, by name; what its suite assigns too, as it is read."""

from tilefoundry import func, module
from tilefoundry.dsl import Mesh, Tensor, Topology, tf
from tilefoundry.target import CudaTarget

G = Mesh((Topology("cta", 4),), (4,), ("c",))



@module(entry="go", target=CudaTarget("nvidia.h200_sxm"), topologies=(Topology("cta", 4), Topology("thread", 8)))
class M:
    @func
    def go(x: Tensor[(4, 8), "f32"]):
        zz = tf.exp(x)
        aa = tf.abs(x)
        mm = tf.square(x)
        two = 2.0
        with G as g:
            r = tf.reshard(aa, (4 @ g.c, 8), "smem") * two + tf.reshard(zz, (4 @ g.c, 8), "smem")
            p = tf.reshard(r, (4, 8), "gmem")
            mm = tf.exp(mm)
        return p + mm
