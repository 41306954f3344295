from tilefoundry import func, module
from tilefoundry.dsl import Tensor, tf


@module(entry="twice")
class One:
    @func
    def twice(x: Tensor[(4,), "f32"]):
        return x + x

    @func
    def sum(x: Tensor[(4,), "f32"], y: Tensor[(4,), "f32"]):
        return x + y
