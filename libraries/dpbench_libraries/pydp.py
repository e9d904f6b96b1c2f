"""PyDP, Python's door to Google's library: algorithms, mechanisms and the selection of partitions.

A claim is for one user's contributions added or removed, here one record. It runs in an environment of its own; its
noise takes no seed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dpbench.auditing.neighbours import Pair
from dpbench.core import validation
from dpbench.core.validation import InvalidInput
from dpbench_libraries.case import GIVEN, Audited, Case, Known, checked, refuse_others
from dpbench_libraries.worker import Call, audit_there, pairs_within

PACKAGE = "python-dp"
REQUIREMENTS = ("python-dp==1.1.5", "numpy>=2.0")

METHODS = {
    "algorithms.laplacian": "quick_result",
    "algorithms.numerical_mechanisms": "add_noise",
    "algorithms.partition_selection": "should_keep",
}
"""What is called with the data, by the module."""


def audit(
    name: str,
    keywords: Mapping[str, Any],
    *,
    pairs: Sequence[Pair] | None = None,
    relation: str | None = None,
    python: str | Path | None = None,
    **settings: Any,
) -> Audited:
    """Audit an algorithm of PyDP at the ε and δ among its parameters.

    Parameters
    ----------
    name : str
        Such as "algorithms.laplacian.BoundedMean".
    keywords : mapping
        Its parameters, as JSON can hold them.
    pairs : sequence of pairs, optional
        Neighbours: lists of records; of a mechanism two values, of a selection two numbers of users. By default of
        records within `lower_bound` and `upper_bound`, or two values as far apart as `sensitivity`.
    relation : {"replace", "add", "remove", "add_remove"}, optional
        By default a record added or removed.
    python : str or Path, optional
        An interpreter with PyDP; by default an environment is made (once, with pip).
    trials, confidence, seed, progress, say
        As in `dpbench_libraries.diffprivlib.audit`; the seed decides nothing but the choice of pairs.

    Raises
    ------
    InvalidInput
        A parameter cannot be used, or PyDP raised.
    OSError
        The environment could not be made.
    """
    case = read(name, keywords, pairs=pairs, relation=relation)
    return audit_there("pydp", REQUIREMENTS, case, python=python, **settings)


def read(
    name: str,
    keywords: Mapping[str, Any],
    *,
    pairs: Sequence[Pair] | None = None,
    relation: str | None = None,
    **more: Any,
) -> Case:
    """The `Case` of a name and its parameters."""
    module = name.rpartition(".")[0]
    validation.choice("the module of name", module, METHODS)
    if "epsilon" not in keywords:
        raise InvalidInput(f"keywords must hold the claim, epsilon, got {sorted(keywords)}")
    values = module == "algorithms.numerical_mechanisms"
    why = "the two values are as far apart as sensitivity" if values else "one record is one user's contribution"
    if relation is None and not values:
        relation = "add_remove"
    claim = {
        "epsilon": validation.epsilon(keywords["epsilon"]),
        "delta": validation.delta(keywords.get("delta", 0.0)),
    }
    call = Call(f"pydp.{name}", keywords, method=METHODS[module])
    if pairs is None:
        return Case(name, relation, claim, _pairs(values, keywords, relation), call, assumes=(why,), **more)
    given = checked(pairs)
    if not values:
        refuse_others(given, str(relation))
    return Case(name, relation, claim, given, call, assumes=(why, GIVEN), **more)


def _pairs(values: bool, keywords: Mapping[str, Any], relation: str | None) -> tuple[Pair, ...]:
    if values:
        step = validation.real("sensitivity", keywords.get("sensitivity", 1.0), above=0.0)
        return ((0.0, step), (step, 0.0))
    if "lower_bound" in keywords and "upper_bound" in keywords and relation in ("replace", "add_remove"):
        low, high = (validation.real(name, keywords[name]) for name in ("lower_bound", "upper_bound"))
        return pairs_within(low, high, relation, integers=keywords.get("dtype", "int") != "float")
    raise InvalidInput("pairs=[(dataset, neighbour), ...] must be given where there are no bounds, got none")


def cases() -> tuple[Case, ...]:
    """Those that ``dpbench audit-library pydp`` audits."""
    unit = {"epsilon": 1.0, "lower_bound": 0.0, "upper_bound": 1.0, "dtype": "float"}
    whole = {"epsilon": 1.0, "lower_bound": 0, "upper_bound": 10, "dtype": "int"}
    counts = [([1, 1, 1], [1, 1]), ([1], [])]
    users = [(1, 0), (2, 1), (6, 5)]
    laplace, noise = "algorithms.laplacian.", "algorithms.numerical_mechanisms."
    strategy = {"epsilon": 1.0, "delta": 0.01, "max_partitions_contributed": 1}
    fine: dict[str, Any] = {"trials": 12_000}
    bounded = ("BoundedSum", "BoundedMean", "BoundedVariance", "BoundedStandardDeviation")
    return (
        read(f"{laplace}Count", {"epsilon": 1.0, "dtype": "int"}, pairs=counts, **fine),
        *(read(f"{laplace}{name}", unit, **fine) for name in bounded),
        *(read(f"{laplace}{name}", whole) for name in ("Median", "Max", "Min")),
        read(f"{laplace}Percentile", {**whole, "percentile": 0.25}),
        read(
            f"{laplace}BoundedSum",
            {**unit, "lower_bound": -1.0},
            relation="replace",
            about="a record replaced",
            known=Known("convention", "the claim is for a record added or removed"),
            **fine,
        ),
        read(f"{laplace}BoundedSum", unit, pairs=[([1.0, 1.0], [1.0])], about="last bits", bits=True, **fine),
        read(f"{noise}LaplaceMechanism", {"epsilon": 1.0, "sensitivity": 1.0}, **fine),
        read(f"{noise}GaussianMechanism", {"epsilon": 1.0, "delta": 0.01, "sensitivity": 1.0}, **fine),
        *(
            read(
                "algorithms.partition_selection.create_partition_strategy",
                {"strategy": name, **strategy},
                pairs=users,
                about=name,
                **fine,
            )
            for name in ("truncated_geometric", "laplace", "gaussian")
        ),
    )
