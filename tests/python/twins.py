"""Implementations of Plain in numpy: right, and with one fault each."""

import os

import numpy as np
from step import Plain

from tilefoundry.runtime import runtime_func, runtime_module


@runtime_module(Plain)
class Right:
    @runtime_func
    def twice(self, x):
        return self.helper(x)

    def helper(self, x):
        return x + x


@runtime_module(Plain)
class Prints:
    @runtime_func
    def twice(self, x):
        print("said by the twin")
        return x + x


@runtime_module(Plain)
class Wrong:
    @runtime_func
    def twice(self, x):
        return x + x + np.float32(1e-3)


@runtime_module(Plain)
class Changes:
    @runtime_func
    def twice(self, x):
        y = x + x
        x[:] = 0
        return y


@runtime_module(Plain)
class Keeps:
    kept = None

    @runtime_func
    def twice(self, x):
        if self.kept is None:
            self.kept = x + x
        return self.kept


@runtime_module(Plain)
class Counts:
    runs = 0

    @runtime_func
    def twice(self, x):
        self.runs += 1
        return x + x + np.float32(self.runs == 3)


@runtime_module(Plain)
class Two:
    @runtime_func
    def twice(self, x):
        return x + x, x


@runtime_module(Plain)
class Wide:
    @runtime_func
    def twice(self, x):
        return (x + x).astype(np.float64)


@runtime_module(Plain)
class Flat:
    @runtime_func
    def twice(self, x):
        return (x + x).reshape(2, 5)


@runtime_module(Plain)
class Listed:
    @runtime_func
    def twice(self, x):
        return {"y": x + x}


@runtime_module(Plain)
class Raises:
    @runtime_func
    def twice(self, x):
        raise ValueError("no such row")


@runtime_module(Plain)
class Ends:
    @runtime_func
    def twice(self, x):
        os._exit(3)


@runtime_module(Plain)
class Crashes:
    @runtime_func
    def twice(self, x):
        os.kill(os.getpid(), 11)


class Nothing:
    def twice(self, x):
        return x + x


@runtime_module(Plain)
class Declares:
    tilefoundry_declares = "accumulator=f64 fma=no"

    @runtime_func
    def twice(self, x):
        return x + x


@runtime_module(Plain)
class DeclaresNumber:
    tilefoundry_declares = 2

    @runtime_func
    def twice(self, x):
        return x + x
