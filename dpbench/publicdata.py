"""The public names of `dpbench.papers.publicdata`."""

from dpbench.papers import publicdata as _paper

__all__ = _paper.__all__
__getattr__ = _paper.__getattr__


def __dir__() -> list[str]:
    return sorted(__all__)
