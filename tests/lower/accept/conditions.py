"""Module-level statements that are read, not run."""

from tilefoundry import func, module
from tilefoundry.dsl import Tensor, tf
from tilefoundry.target import CudaTarget

import os
import sys
from pathlib import Path

try:
    import torch
except ImportError:
    torch = None
if len(sys.argv) > 3:
    ROWS = 4
else:
    ROWS = 8
SCALES = {"a": 1.0}
SCALES["b"] = 2.0
HOME = Path(os.environ["HOME"])
TARGET = CudaTarget("nvidia.h200_sxm")


def helper(*args, **kwargs):
    while args:
        yield args[0]



@module(entry="go", target=TARGET)
class M:
    @func
    def go(x: Tensor[(ROWS, 8), "f32"]):
        return tf.clamp(x, SCALES["a"], SCALES["b"])
