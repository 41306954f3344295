"""What two other files import."""

from tilefoundry import func, module
from tilefoundry.dsl import ConstTensor, Tensor

ROWS = 2
WIDTH = 3 * 4
_HIDDEN = 5


@func
def double(x: Tensor[(ROWS, WIDTH), "f32"]) -> Tensor[(ROWS, WIDTH), "f32"]:
    return x + x


@module(entry="scale")
class Scale:
    """A Module without target or levels of its own."""

    @func
    def scale(x: Tensor[(ROWS, WIDTH), "f32"], w: ConstTensor[(WIDTH,), "f32"]):
        return x * w
