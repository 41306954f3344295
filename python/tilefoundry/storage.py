# SPDX-License-Identifier: MIT
"""Names of the language; see `tilefoundry._inert`."""

from ._inert import Inert


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return Inert()
