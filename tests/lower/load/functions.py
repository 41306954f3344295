from tilefoundry import func
from tilefoundry.dsl import Tensor


@func
def alone(x: Tensor[(4,), "f32"]):
    return x + x
