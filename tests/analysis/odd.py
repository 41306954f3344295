from tilefoundry import func, module
from tilefoundry.dsl import Tensor, Topology, tf
from tilefoundry.dsl.tf import *
from tilefoundry.target import CudaTarget

H200 = CudaTarget("nvidia.h200_sxm")
ONE = (Topology("cta", 1),)


@module(entry="go", target=H200, topologies=ONE)
class Plain:
    @func
    def go(x: Tensor[(4, 8), "f32"]):
        y = x + x
        return y


@module(entry="go", target=H200, topologies=ONE)
class Mute:
    @func
    def go(x: Tensor[(4, 8), "f32"]):
        return tf.odd_mute(x)


@module(entry="go", target=H200, topologies=ONE)
class Less:
    @func
    def go(x: Tensor[(4, 8), "f32"]):
        return tf.odd_less(x)


@module(entry="go", target=H200, topologies=ONE)
class Flat:
    @func
    def go(x: Tensor[(4, 8), "f32"]):
        return tf.odd_flat(x)


@module(entry="go", target=H200, topologies=ONE)
class Pipe:
    @func
    def go(x: Tensor[(4, 8), "f32"]):
        return tf.odd_pipe(x)


@module(entry="go", target=H200, topologies=ONE)
class Large:
    @func
    def go(x: Tensor[(4, 8), "f32"]):
        return tf.odd_large(x)


@module(entry="go", target=H200, topologies=ONE)
class ManyOperations:
    @func
    def go(x: Tensor[(1048576, 1048576), "f32"]):
        acc = x
        for i in range(1099511627776):
            acc = acc + x
        return acc


@module(entry="go", target=H200, topologies=ONE)
class ManyBytes:
    @func
    def go(x: Tensor[(1048576,), "f32"]):
        acc = x
        for i in range(1099511627776):
            acc = tf.reshape(tf.transpose(tf.reshape(acc, (1024, 1024)), (1, 0)), (1048576,))
        return acc


@module(entry="go", target=H200, topologies=ONE)
class ManyNanoseconds:
    @func
    def go(x: Tensor[(1,), "f32"]):
        acc = x
        for i in range(1099511627776):
            for j in range(4194304):
                acc = acc / x
        return acc
