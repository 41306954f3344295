"""The step of rms_norm_quant.py written with numpy, as somebody's own implementation of it.

Try:
    tilefoundry check rms_norm_quant_twin.py:Numpy --inputs random --weights random \\
        --out 'output[0]' --fn equal --out 'output[1]' --fn allclose --atol 1e-6 --rtol 1e-6
"""

import numpy as np
from rms_norm_quant import BLOCK, BLOCKS, EPS, FP8_MAX, H, ROWS, Fused

from tilefoundry.runtime import decode, encode, runtime_func, runtime_module


def as_f32(array):
    """bf16 as numpy has it: codes in uint16, or a dtype of ml_dtypes where that is installed."""
    return decode(array, "bf16") if array.dtype == np.uint16 else array.astype(np.float32)


def to_bf16(numbers):
    return decode(encode(numbers, "bf16"), "bf16")


@runtime_module(Fused)
class Numpy:
    @runtime_func
    def rms_norm_quant(self, a, gamma):
        rows = as_f32(a)
        mean = np.mean(rows.astype(np.float64) ** 2, axis=1, keepdims=True).astype(np.float32)
        rsqrt = (1 / np.sqrt((mean + np.float32(EPS)).astype(np.float64))).astype(np.float32)
        normed = to_bf16(to_bf16(rows * rsqrt) * as_f32(gamma))
        blocks = normed.reshape(ROWS, BLOCKS, BLOCK)
        scale = np.abs(blocks).max(axis=2, keepdims=True) * np.float32(1 / FP8_MAX)
        quant = encode(np.clip(blocks / scale, -FP8_MAX, FP8_MAX), "fp8e4m3")
        return quant.reshape(ROWS, H), scale.reshape(ROWS, BLOCKS)
