"""Audits of other people's libraries: what a library says of its own mechanisms is the claim, and nothing is imported
until it is used.

`opendp.audit(measurement)` reads domain, metric, measure and map of a measurement. `diffprivlib.audit` and `pydp.audit`
take the name of a mechanism and its parameters; it runs in an environment of its own, made when it is first asked for.
`jax_privacy.audit` takes a clipped gradient. ``dpbench audit-library`` audits each library's listed cases.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpbench_libraries import diffprivlib, jax_privacy, opendp, pydp

_HOME = {name: f"dpbench_libraries.{name}" for name in ("diffprivlib", "jax_privacy", "opendp", "pydp")}

__all__ = ["diffprivlib", "jax_privacy", "opendp", "pydp"]


def __getattr__(name: str) -> Any:
    from dpbench.core.lazy import load

    return load(__name__, _HOME, name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
