# SPDX-License-Identifier: MIT
"""What files of programs import; see `_inert`.  Implementations in Python use `tilefoundry.runtime`."""

from ._inert import Inert, func, module  # noqa: F401


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return Inert()
