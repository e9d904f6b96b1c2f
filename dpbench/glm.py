"""The public names of `dpbench.papers.glm`."""

from typing import Any

from dpbench.papers import glm as _paper

__all__ = _paper.__all__


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(_paper, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
