# SPDX-License-Identifier: MIT
"""Implementations of Modules in Python, as `tilefoundry check FILE.py:CLASS` runs them.

    from program import Step                      # the Module
    from tilefoundry.runtime import runtime_func, runtime_module

    @runtime_module(Step)
    class Fast:
        @runtime_func
        def step(self, x, w):                     # the function's parameters in their order, weights among them
            return x * w                          # a tensor, or a tuple of them

A class has a `@runtime_func` for every function of its Module and a `@runtime_module` attribute for every child.
Arguments are torch tensors, or numpy arrays where the file imports numpy and not torch, or where torch is not installed.
Without torch and ml_dtypes, dtypes that numpy lacks are held as codes: bf16 in uint16, fp8 and narrower in uint8;
`decode` and `encode` here convert them.

`tilefoundry_declares = "accumulator=tensor-core rsqrt=2"`, of the file or of the class, is what the implementation says of
its arithmetic, as --declare takes it; the comparison `derived` computes its bound from that.
"""

from ._inert import Module


class RuntimeFunction:
    """One function's implementation."""

    def __init__(self, function):
        self.function = function
        self.name = function.__name__


def runtime_func(function):
    """Marks the implementation of the function of that name.  TypeError for what is no plain function."""
    if type(function).__name__ != "function":
        raise TypeError(f"runtime_func: expected a plain function, got {type(function).__name__}")
    return RuntimeFunction(function)


def _hold(what, label, have, want):
    have, want = sorted(have), sorted(want)
    if have != want:
        missing, extra = sorted(set(want) - set(have)), sorted(set(have) - set(want))
        raise TypeError(
            f"@runtime_module {what!r}: {label[0]} names {have} must equal {label[1]} names {want}; "
            f"missing {missing}, extra {extra}"
        )


class RuntimeModule:
    """A Module's implementation: an object of the class, and what of it implements which function."""

    def __init__(self, cls, semantic):
        self.name = cls.__name__
        self.semantic = semantic
        items = vars(cls)
        self.functions = {k: v for k, v in items.items() if isinstance(v, RuntimeFunction)}
        self.children = {k: v for k, v in items.items() if isinstance(v, RuntimeModule)}
        _hold(self.name, ("@runtime_func", "semantic function"), self.functions, semantic.functions)
        _hold(self.name, ("child module", "semantic child"), self.children, semantic.children)
        for name, value in self.functions.items():
            setattr(cls, name, value.function)
        self.instance = cls()


def runtime_module(semantic):
    """Marks the class that implements a Module.  TypeError where functions or children are missing or too many."""
    if not isinstance(semantic, Module):
        raise TypeError("runtime_module: expected a Module, got " + type(semantic).__name__)
    return lambda cls: RuntimeModule(cls, semantic)


# ---- numbers that numpy has no dtype for ---------------------------------------------------------------------------

# name: exponent bits, fraction bits, bias, largest finite magnitude's code, code of NaN, code past the largest or None
_FORMATS = {
    "bf16": (8, 7, 127, 0x7F7F, 0x7FC0, 0x7F80),
    "f16": (5, 10, 15, 0x7BFF, 0x7E00, 0x7C00),
    "fp8e4m3": (4, 3, 7, 0x7E, 0x7F, None),
    "fp8e5m2": (5, 2, 15, 0x7B, 0x7F, None),
    "f4e2m1": (2, 1, 1, 0x7, None, None),
}


def _values(name):
    """The value of every magnitude code, in f64; what is no finite number is inf or nan."""
    import numpy as np

    exponent, fraction, bias, largest, nan, infinity = _FORMATS[name]
    codes = np.arange(1 << (exponent + fraction), dtype=np.int64)
    e, m = codes >> fraction, codes & ((1 << fraction) - 1)
    value = np.where(e == 0, m, m + (1 << fraction)) * np.exp2(np.maximum(e, 1) - bias - fraction, dtype=np.float64)
    value[codes > largest] = np.nan
    if infinity is not None or name == "fp8e5m2":
        value[largest + 1] = np.inf
    return value


def decode(codes, name):
    """Codes of a dtype, such as "bf16" in uint16 or "fp8e4m3" in uint8, as an array of f32."""
    import numpy as np

    exponent, fraction = _FORMATS[name][:2]
    codes = np.asarray(codes)
    magnitude = _values(name)[codes & ((1 << (exponent + fraction)) - 1)]
    return np.where(codes >> (exponent + fraction) & 1, -magnitude, magnitude).astype(np.float32)


def encode(numbers, name):
    """Numbers as codes of a dtype: to nearest, ties to even; magnitudes past the largest become it in fp8 and f4."""
    import numpy as np

    exponent, fraction, _bias, largest, nan, infinity = _FORMATS[name]
    numbers = np.asarray(numbers, dtype=np.float64)
    finite = _values(name)[: largest + 1]
    magnitude = np.abs(numbers)
    at = np.clip(np.searchsorted(finite, magnitude, side="right") - 1, 0, largest)
    step = finite[largest] - finite[largest - 1]
    above = np.where(at == largest, finite[largest] + step, finite[np.minimum(at + 1, largest)])
    twice = 2 * magnitude
    middle = finite[at] + above
    with np.errstate(invalid="ignore"):
        up = (twice > middle) | ((twice == middle) & (at & 1 == 1))
    codes = at + (up & (magnitude > finite[at]))
    codes = np.minimum(codes, largest if infinity is None else infinity)
    if infinity is not None:
        codes = np.where(np.isinf(magnitude), infinity, codes)
    if nan is not None:
        codes = np.where(np.isnan(numbers), nan, codes)
    width = exponent + fraction
    codes = codes | (np.signbit(numbers).astype(np.int64) << width)
    return codes.astype(np.uint16 if width > 8 else np.uint8)
