"""Hard instances and floors of the papers: plain frozen records, NumPy, SciPy and Numba alone."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lowerbounds._fingerprinting import fingerprinting
    from lowerbounds._instance import HardFamily, Instance
    from lowerbounds._membership import Membership, membership
    from lowerbounds._nonprivate import nonprivate
    from lowerbounds._packing import packing
    from lowerbounds._parity_cube import CubeData, ParityCube, parity_cube
    from lowerbounds._two_point import chaudhuri_hsu, two_point_constant

_HOME = {
    "CubeData": "lowerbounds._parity_cube",
    "HardFamily": "lowerbounds._instance",
    "Instance": "lowerbounds._instance",
    "Membership": "lowerbounds._membership",
    "ParityCube": "lowerbounds._parity_cube",
    "chaudhuri_hsu": "lowerbounds._two_point",
    "fingerprinting": "lowerbounds._fingerprinting",
    "membership": "lowerbounds._membership",
    "nonprivate": "lowerbounds._nonprivate",
    "packing": "lowerbounds._packing",
    "parity_cube": "lowerbounds._parity_cube",
    "two_point_constant": "lowerbounds._two_point",
}

__all__ = [
    "CubeData",
    "HardFamily",
    "Instance",
    "Membership",
    "ParityCube",
    "chaudhuri_hsu",
    "fingerprinting",
    "membership",
    "nonprivate",
    "packing",
    "parity_cube",
    "two_point_constant",
]


def __getattr__(name: str) -> Any:
    """A public name, imported when it is first asked for (PEP 562), so that the import itself stays light."""
    import importlib

    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
