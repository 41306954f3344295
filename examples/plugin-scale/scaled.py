"""A program that uses the plugin's operator."""

from tilefoundry import func, module
from tilefoundry.dsl import Tensor, tf
from tilefoundry.target import CudaTarget


@module(entry="half", target=CudaTarget("nvidia.h200_sxm"))
class Scaled:
    """Halved twice, then four times more in a loop."""

    @func
    def half(x: Tensor[(128, 64), "f32"]):
        y = tf.scale(x, 0.5)
        y = tf.scale(y, factor=0.5)
        for i in range(4):
            y = tf.scale(y, 0.5)
        return y
