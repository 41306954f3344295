"""A Module of nothing."""

from tilefoundry import module


@module()
class M:
    """Nothing in it."""
