"""What is selected here loads; what stands before it need not be used."""

import os
import time

import numpy as np  # noqa: F401
from step import Plain, Step

from tilefoundry.runtime import runtime_func, runtime_module


@runtime_module(Plain)
class Hangs:
    @runtime_func
    def twice(self, x):
        child = os.fork()
        with open("pids", "a") as pids:
            pids.write(f"{os.getpid()}\n")
        time.sleep(1000 + child)


@runtime_module(Step.part)
class Part:
    @runtime_func
    def thrice(self, x):
        return x + x + x


@runtime_module(Step)
class Whole:
    part = Part

    @runtime_func
    def twice(self, x):
        return x + x


if os.environ.get("EXTRA"):

    @runtime_module(Plain)
    class Extra:
        @runtime_func
        def twice(self, x):
            return x + x

        @runtime_func
        def once(self, x):
            return x
