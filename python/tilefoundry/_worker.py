# SPDX-License-Identifier: MIT
"""The process that runs an implementation in Python: python3 -m tilefoundry._worker SOURCE DEVICE.

Descriptors: 3 requests, 4 answers, 5 shared memory.  A request is lines: "ARGS RESULTS", then for each tensor
"DTYPE OFFSET EXTENT...", then "go", or "time CALLS SETS BYTES": after one call that does not count, that many are timed,
on so many copies of the arguments in turn, after a walk over other memory of so many bytes.  An answer is one line, "ok"
or "error MESSAGE", and after "ok" to "time" one with the nanoseconds of each call; before the first request there is an
answer too, which may be "declares TEXT".
"""

import importlib.util
import mmap
import os
import signal
import sys
import time
import traceback

_TORCH = {
    "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "fp8e4m3": "float8_e4m3fn",
    "fp8e5m2": "float8_e5m2", "f8e8m0": "float8_e8m0fnu", "f4e2m1": "uint8", "i8": "int8", "i32": "int32",
    "i64": "int64", "u8": "uint8", "bool": "bool",
}
_NUMPY = {
    "f16": "float16", "bf16": "uint16", "f32": "float32", "f64": "float64", "fp8e4m3": "uint8", "fp8e5m2": "uint8",
    "f8e8m0": "uint8", "f4e2m1": "uint8", "i8": "int8", "i32": "int32", "i64": "int64", "u8": "uint8", "bool": "bool",
}
_ML = {"bf16": "bfloat16", "fp8e4m3": "float8_e4m3fn", "fp8e5m2": "float8_e5m2", "f8e8m0": "float8_e8m0fnu"}
_WIDTH = {"f64": 8, "i64": 8, "f32": 4, "i32": 4, "f16": 2, "bf16": 2}


class Refusal(Exception):
    """What is told without a traceback."""


def _die_with_parent():
    try:
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    except (OSError, AttributeError, ImportError):
        pass  # the requests' end of file ends the process as well, once the implementation returns


# ---- the implementation --------------------------------------------------------------------------------------------


def _load(path):
    folder = os.path.dirname(os.path.abspath(path))
    sys.path.insert(0, folder)
    name = os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _select(module, selector):
    from tilefoundry.runtime import RuntimeModule

    parts = selector.split(".")
    twin = getattr(module, parts[0], None)
    if not isinstance(twin, RuntimeModule):
        raise Refusal(f"'{parts[0]}' is no class under @runtime_module")
    for i, part in enumerate(parts[1:], 2):
        if part in twin.children:
            twin = twin.children[part]
        elif part in twin.functions and i == len(parts):
            return getattr(twin.instance, part)
        else:
            raise Refusal(f"'{twin.name}' has no function or child '{part}'")
    entry = twin.semantic.entry
    if entry not in twin.functions:
        raise Refusal(f"Module '{twin.semantic.name}' declares no entry; select one of its functions")
    return getattr(twin.instance, entry)


def _declares(module, selector):
    """What the class, or else the file, says of its arithmetic, in one line; None where it says nothing."""
    twin = getattr(module, selector.split(".")[0])
    text = getattr(twin.instance, "tilefoundry_declares", getattr(module, "tilefoundry_declares", None))
    if text is None:
        return None
    if not isinstance(text, str):
        raise Refusal(f"tilefoundry_declares must be a str, got {type(text).__name__}")
    text = " ".join(text.split())
    if len(text.encode("utf-8", "replace")) > 900:
        raise Refusal("tilefoundry_declares is longer than 900 bytes")
    return text


# ---- arrays --------------------------------------------------------------------------------------------------------


class Numpy:
    def __init__(self, _device):
        import numpy

        self.np = numpy
        try:
            import ml_dtypes

            self.ml = ml_dtypes
        except ImportError:
            self.ml = None

    def dtype(self, name):
        if self.ml and name in _ML and hasattr(self.ml, _ML[name]):
            return self.np.dtype(getattr(self.ml, _ML[name]))
        return self.np.dtype(_NUMPY[name])

    def argument(self, memory, name, offset, shape):
        count = 1
        for extent in shape:
            count *= extent
        return self.np.frombuffer(memory, self.dtype(name), count, offset).reshape(shape)

    def back(self, memory, array, offset):
        """An array lies in the memory itself."""

    def copy(self, array):
        return array.copy()

    def wait(self):
        """Nothing runs on after a call."""

    def is_tensor(self, value):
        return isinstance(value, (self.np.ndarray, self.np.generic))

    def describe(self, value):
        return f"{value.dtype}{list(value.shape)}"

    def result(self, memory, value, where, name, offset, shape):
        value = self.np.asarray(value)
        wanted = self.dtype(name)
        raw = value.dtype == self.np.dtype(_NUMPY[name])
        if tuple(value.shape) != shape or not (value.dtype == wanted or raw):
            raise Refusal(f"{where} is {self.describe(value)}, and the program gives {name}{list(shape)}")
        data = self.np.ascontiguousarray(value).tobytes()
        memory[offset : offset + len(data)] = data


class Torch:
    def __init__(self, device):
        import torch

        self.torch = torch
        self.device = device if device != "auto" else ("cuda" if torch.cuda.is_available() else "cpu")
        if self.device == "cuda" and not torch.cuda.is_available():
            raise Refusal("--device cuda: torch sees no CUDA device here")

    def dtype(self, name):
        return getattr(self.torch, _TORCH[name], self.torch.uint8)

    def argument(self, memory, name, offset, shape):
        count = 1
        for extent in shape:
            count *= extent
        dtype = self.dtype(name)
        if not count:
            return self.torch.empty(shape, dtype=dtype, device=self.device)
        flat = self.torch.frombuffer(memory, dtype=self.torch.uint8, count=count * _WIDTH.get(name, 1), offset=offset)
        held = flat.view(dtype).reshape(shape)
        return held if self.device == "cpu" else held.to(self.device)

    def copy(self, tensor):
        return tensor.clone()

    def wait(self):
        if self.device == "cuda":
            self.torch.cuda.synchronize()

    def _bytes(self, tensor):
        flat = tensor.detach().contiguous().cpu().reshape(-1)
        return flat.view(self.torch.uint8).numpy().tobytes() if flat.numel() else b""

    def back(self, memory, array, offset):
        if self.device != "cpu":
            data = self._bytes(array)
            memory[offset : offset + len(data)] = data

    def is_tensor(self, value):
        return isinstance(value, self.torch.Tensor)

    def describe(self, value):
        return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"

    def result(self, memory, value, where, name, offset, shape):
        if tuple(value.shape) != shape or value.dtype != self.dtype(name):
            raise Refusal(f"{where} is {self.describe(value)}, and the program gives {name}{list(shape)}")
        data = self._bytes(value)
        memory[offset : offset + len(data)] = data


def _arrays(device):
    """What the file works with; torch where that is open."""
    if "torch" not in sys.modules and "numpy" in sys.modules:
        return Numpy(device)
    try:
        return Torch(device)
    except ImportError:
        pass
    try:
        return Numpy(device)
    except ImportError:
        raise Refusal("neither torch nor numpy is installed for " + sys.executable) from None


def _leaves(arrays, value, where):
    if arrays.is_tensor(value):
        yield where, value
    elif isinstance(value, (tuple, list)):
        for i, item in enumerate(value):
            yield from _leaves(arrays, item, f"{where}[{i}]")
    else:
        raise Refusal(f"{where} must be a tensor or a tuple of tensors, got {type(value).__name__}")


# ---- requests ------------------------------------------------------------------------------------------------------


def _read_request(requests):
    first = requests.readline()
    if not first:
        return None
    n_args, n_results = map(int, first.split())
    tensors = []
    for _ in range(n_args + n_results):
        name, offset, *shape = requests.readline().split()
        tensors.append((name, int(offset), tuple(map(int, shape))))
    words = requests.readline().split()
    return tensors[:n_args], tensors[n_args:], [int(word) for word in words[1:]]


def _time(function, arrays, given, calls, sets, other):
    """The value of the last call, and how long each took."""
    copies = [given] + [[arrays.copy(a) for a in given] for _ in range(sets - 1)]
    if other:
        bytes(bytearray(other))
    value, taken = function(*copies[-1]), []
    for i in range(calls):
        arrays.wait()
        start = time.perf_counter_ns()
        value = function(*copies[i % sets])
        arrays.wait()
        taken.append(max(1, time.perf_counter_ns() - start))
    return value, taken


def _run(function, arrays, memory, request):
    args, results, timed = request
    given = [arrays.argument(memory, *a) for a in args]
    value, taken = _time(function, arrays, given, *timed) if timed else (function(*given), None)
    leaves = list(_leaves(arrays, value, "output"))
    if len(leaves) != len(results):
        raise Refusal(f"the implementation gave {len(leaves)} tensors, and the program has {len(results)}")
    for (where, leaf), (name, offset, shape) in zip(leaves, results):
        arrays.result(memory, leaf, where, name, offset, shape)
    for array, (_name, offset, _shape) in zip(given, args):
        arrays.back(memory, array, offset)
    return taken


def _answer(to, failure, text="ok"):
    if failure is not None:
        if not isinstance(failure, Refusal):
            traceback.print_exception(type(failure), failure, failure.__traceback__)
            sys.stderr.flush()
        text = str(failure) if isinstance(failure, Refusal) else f"{type(failure).__name__}: {failure}"
        text = "error " + " ".join(text.split())[:900]
    os.write(to, (text + "\n").encode("utf-8", "replace"))


def main():
    _die_with_parent()
    source, device = sys.argv[1:3]
    path, _, selector = source.partition(":")
    requests = os.fdopen(3, "r", encoding="utf-8")
    function = arrays = failure = memory = declares = None
    try:
        module = _load(path)
        function = _select(module, selector)
        declares = _declares(module, selector)
        arrays = _arrays(device)
    except BaseException as e:  # noqa: BLE001: whatever the file raises is told
        failure = e
    _answer(4, failure, f"declares {declares}" if declares else "ok")
    while (request := _read_request(requests)) is not None:
        failure = taken = None
        try:
            if memory is None and os.fstat(5).st_size:
                memory = mmap.mmap(5, os.fstat(5).st_size)
            taken = _run(function, arrays, memory if memory is not None else bytearray(1), request)
        except BaseException as e:  # noqa: BLE001
            failure = e
        _answer(4, failure, "ok\n" + " ".join(map(str, taken)) if taken else "ok")
    os._exit(0)


if __name__ == "__main__":
    main()
