# SPDX-License-Identifier: MIT
"""Names of the language that do nothing when a file of programs is imported by Python.

`tilefoundry` parses programs and never runs them.  A file that holds an implementation in Python imports its program, so
that the program's file has to load: every name of the language exists here, and stands for nothing.
"""


def _nothing(*_args, **_kwargs):
    return Inert()


class Inert:
    """What every expression of the language comes to: it takes any operator, call, subscript or attribute."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Inert()

    def __call__(self, *args, **kwargs):
        return Inert()

    def __getitem__(self, key):
        return Inert()

    def __iter__(self):
        return iter(())

    def __enter__(self):
        return Inert()

    def __exit__(self, *exc):
        return False

    def __bool__(self):
        return True


for _name in (
    "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift "
    "radd rsub rmul rtruediv rfloordiv rmod rpow rmatmul rand ror rxor rlshift rrshift "
    "neg pos abs invert lt le gt ge"
).split():
    setattr(Inert, f"__{_name}__", _nothing)


class Function:
    """A function of the language, by its name."""

    def __init__(self, name):
        self.name = name

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Inert()

    def __call__(self, *args, **kwargs):
        raise TypeError(f"'{self.name}' is a function of a program: it is priced and evaluated by tilefoundry, not called")


class Module:
    """A Module of the language: what a twin has to implement."""

    def __init__(self, cls, entry):
        self.name = cls.__name__
        self.entry = entry
        self.functions = [k for k, v in vars(cls).items() if isinstance(v, Function)]
        self.children = {k: v for k, v in vars(cls).items() if isinstance(v, Module)}
        self._class = cls

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._class, name, Inert())


def func(function=None, **_options):
    """Marks a function of a Module.  As `@func` or `@func(...)`."""
    if function is None:
        return func
    return Function(function.__name__)


def module(cls=None, *, entry=None, **_options):
    """Marks a Module.  As `@module` or `@module(entry=..., ...)`."""
    if cls is None:
        return lambda given: Module(given, entry)
    return Module(cls, entry)
