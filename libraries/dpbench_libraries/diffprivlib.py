"""diffprivlib: mechanisms, tools and models, by the bounds of their parameters.

It needs an older scikit-learn than ours, and runs in an environment of its own. Its documentation names no relation of
neighbours function by function; the relation here is the one for which the noise in its source is of the right size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dpbench.auditing.neighbours import Pair
from dpbench.core import validation
from dpbench.core.validation import InvalidInput, invalid
from dpbench_libraries.case import GIVEN, Audited, Case, Known, checked, refuse_others
from dpbench_libraries.worker import Call, audit_there, pairs_within

PACKAGE = "diffprivlib"
REQUIREMENTS = ("diffprivlib==0.6.6", "scikit-learn==1.5.2")

_SIZE = "the noise in its source is scaled by the number of records, which is the same on both sides"
_RANGE = "the noise in its source is of the size of one record's range"
_COUNT = "the noise in its source is of size 1: a count that one record changes"

STATED: dict[str, tuple[str, str]] = {
    **{f"tools.{name}": ("replace", _SIZE) for name in ("mean", "nanmean", "var", "nanvar", "std", "nanstd")},
    **{f"tools.{name}": ("replace", _RANGE) for name in ("sum", "nansum", "count_nonzero")},
    **{f"tools.{name}": ("replace", _SIZE) for name in ("median", "quantile", "percentile")},
    **{f"tools.{name}": ("add_remove", _COUNT) for name in ("histogram", "histogram2d", "histogramdd")},
    "models.LinearRegression": ("add_remove", "the noise in its source is of the size of one record's largest square"),
    "models.KMeans": ("add_remove", "the noise in its source is of one record's range, and 1 for counts"),
    "models.GaussianNB": ("replace", "the number of records is taken as public in its source"),
    "models.StandardScaler": ("replace", _SIZE),
    "models.LogisticRegression": ("replace", "objective perturbation (Chaudhuri et al. 2011), which replaces a record"),
    "models.DecisionTreeClassifier": ("add_remove", _COUNT),
    "models.RandomForestClassifier": ("add_remove", _COUNT),
    "models.PCA": ("replace", "the number of records is taken as public in its source"),
}
"""The relation of each tool and model, and why; of a mechanism the values are `sensitivity` apart."""

TAKEN: dict[str, tuple[str, ...]] = {
    "LinearRegression": ("coef_",),
    "LogisticRegression": ("coef_", "intercept_"),
    "KMeans": ("cluster_centers_",),
    "GaussianNB": ("theta_", "var_", "class_count_"),
    "StandardScaler": ("mean_", "var_"),
    "PCA": ("components_",),
}
"""What comes out of a model: the fitted attributes."""


def audit(
    name: str,
    keywords: Mapping[str, Any],
    *,
    pairs: Sequence[Pair] | None = None,
    relation: str | None = None,
    take: Sequence[str] = (),
    python: str | Path | None = None,
    **settings: Any,
) -> Audited:
    """Audit a mechanism, a tool or a model of diffprivlib at the ε and δ among its parameters.

    Parameters
    ----------
    name : str
        Such as "mechanisms.Laplace", "tools.mean" or "models.KMeans".
    keywords : mapping
        Its parameters, as JSON can hold them; each run adds a `random_state`.
    pairs : sequence of pairs, optional
        Neighbours: lists of records; of a model that learns targets a record's last number is its target. By default of
        records within the parameter `bounds` (or `range`), or two values as far apart as `sensitivity`.
    relation : {"replace", "add", "remove", "add_remove"}, optional
        By default that of `STATED`; needed for a tool or a model that it does not hold.
    take : sequence of str, optional
        Attributes of a fitted model that are looked at, by default those of `TAKEN`.
    python : str or Path, optional
        An interpreter with diffprivlib; by default an environment is made (once, with pip).
    trials, confidence, seed, progress
        As in `dpbench.audit`; by default 10,000 runs a side.
    say : callable, optional
        Told what is done before the audit.

    Raises
    ------
    InvalidInput
        A parameter cannot be used, or diffprivlib raised.
    OSError
        The environment could not be made.
    """
    case = read(name, keywords, pairs=pairs, relation=relation, take=tuple(take))
    return audit_there(PACKAGE, REQUIREMENTS, case, python=python, **settings)


def read(
    name: str,
    keywords: Mapping[str, Any],
    *,
    pairs: Sequence[Pair] | None = None,
    relation: str | None = None,
    take: tuple[str, ...] = (),
    **more: Any,
) -> Case:
    """The `Case` of a name and its parameters."""
    kind, _, short = name.partition(".")
    if kind not in ("mechanisms", "tools", "models") or not short:
        raise invalid("name", 'such as "mechanisms.Laplace", "tools.mean" or "models.KMeans"', name)
    if "epsilon" not in keywords and "delta" not in keywords:
        raise InvalidInput(f"keywords must hold the claim, epsilon, got {sorted(keywords)}")
    call = Call(f"diffprivlib.{name}", keywords, seed="random_state", form="array")
    if kind == "mechanisms":
        utility = short in ("Exponential", "PermuteAndFlip")
        call = Call(call.make, keywords, seed="random_state", method="randomise", into="utility" if utility else None)
    elif kind == "models":
        form = "features and target" if short in TARGETS else "array"
        taken = take or TAKEN.get(short, ())
        if not taken:
            raise invalid("take", f"names of attributes of a fitted {short}", list(take))
        call = Call(call.make, keywords, seed="random_state", method="fit", take=taken, form=form)
    why = "the two values are as far apart as sensitivity"
    if kind != "mechanisms":
        if relation is None and name not in STATED:
            raise InvalidInput(f"relation must be given for {name}, of which none is read, got none")
        stated, why = STATED.get(name, (None, f"the claim is for the relation {relation!r}"))
        relation = stated if relation is None else relation
    claim = {
        "epsilon": validation.real("epsilon", keywords.get("epsilon", 0.0), at_least=0.0),
        "delta": validation.delta(keywords.get("delta", 0.0)),
    }
    if pairs is None:
        return Case(name, relation, claim, _pairs(kind, keywords, relation), call, assumes=(why,), **more)
    given = checked(pairs)
    if kind != "mechanisms":  # whose data are values, or utilities
        refuse_others(given, str(relation))
    return Case(name, relation, claim, given, call, assumes=(why, GIVEN), **more)


TARGETS = ("LinearRegression", "LogisticRegression", "GaussianNB", "DecisionTreeClassifier", "RandomForestClassifier")
"""Models that learn a target."""


def _pairs(kind: str, keywords: Mapping[str, Any], relation: str | None) -> tuple[Pair, ...]:
    if kind == "mechanisms" and "sensitivity" in keywords:
        validation.real("sensitivity", keywords["sensitivity"], above=0.0)
        step = keywords["sensitivity"]
        for end in ("lower", "upper"):
            if not isinstance(keywords.get(end, 0), (int, float)):
                raise invalid(end, "a number", keywords[end])
        starts = {0, keywords.get("lower", 0), keywords.get("upper", step) - step}
        return tuple((x, x + step) for x in sorted(starts) if abs(x) < float("inf"))
    bounds = keywords.get("bounds", keywords.get("range"))
    if kind == "tools" and bounds is not None and relation in ("replace", "add_remove"):
        if not isinstance(bounds, (list, tuple)) or len(bounds) != 2:
            raise invalid("bounds", "two numbers, (low, high)", bounds)
        low, high = (validation.real("bounds", x) for x in bounds)
        return pairs_within(low, high, relation)
    raise InvalidInput("pairs=[(dataset, neighbour), ...] must be given where there are no scalar bounds, got none")


_ISSUE = "https://github.com/IBM/differential-privacy-library/issues/"
_UNIT = {"epsilon": 1.0, "bounds": [0.0, 1.0]}
_STEP = {"epsilon": 1.0, "sensitivity": 1}
_NAN = float("nan")
_PLAIN = ("Laplace", "Geometric", "Staircase")
_BOUNDED = ("LaplaceTruncated", "LaplaceFolded", "LaplaceBoundedDomain", "GeometricTruncated", "GeometricFolded")
_APPROXIMATE = ("Gaussian", "GaussianAnalytic", "GaussianDiscrete", "LaplaceBoundedNoise")


def cases() -> tuple[Case, ...]:
    """Those that ``dpbench audit-library diffprivlib`` audits."""
    return (*_mechanisms(), *_tools(), *_models())


def _mechanisms() -> list[Case]:
    utilities = (([3, 2, 1, 0], [2, 3, 2, 1]), ([0, 0, 0, 0], [1, 0, 0, 0]))
    fine: dict[str, Any] = {"trials": 12_000}
    rounded = (
        "its sampler of four uniform variates is documented to prevent reconstruction attacks on the noise (Holohan "
        "and Braghin 2021); the sum of value and noise is still rounded"
    )
    cases = [read(f"mechanisms.{name}", _STEP, **fine) for name in _PLAIN]
    cases += [read(f"mechanisms.{name}", {**_STEP, "lower": 0, "upper": 3}, **fine) for name in _BOUNDED]
    cases += [read(f"mechanisms.{name}", {**_STEP, "delta": 0.01}) for name in _APPROXIMATE]
    cases += [
        read("mechanisms.Snapping", {**_STEP, "lower": -20.0, "upper": 20.0}, pairs=[(0.0, 1.0)], **fine),
        read("mechanisms.Uniform", {"delta": 0.2, "sensitivity": 1}, **fine),
        read("mechanisms.Binary", {"epsilon": 1.0, "value0": "no", "value1": "yes"}, pairs=[("no", "yes")], **fine),
        read("mechanisms.Exponential", _STEP, pairs=utilities, **fine),
        read("mechanisms.PermuteAndFlip", _STEP, pairs=utilities, **fine),
        read(
            "mechanisms.Laplace",
            _STEP,
            pairs=[(0.0, 1.0)],
            about="last bits",
            bits=True,
            known=Known("floating point", rounded),
            **fine,
        ),
    ]
    return cases


def _tools() -> list[Case]:
    cases = [read(f"tools.{name}", _UNIT) for name in ("mean", "sum", "var", "std", "median")]

    def add(name: str, keywords: Mapping[str, Any], about: str = "", **more: Any) -> None:
        cases.append(read(f"tools.{name}", keywords, about=about, **more))

    one_nan = [([0.5] * 5, [0.5] * 4 + [_NAN])]
    spreads = "a NaN among the records makes the answer NaN, whatever the noise; that data must hold none is not said"
    noted = Known("bug", f"{spreads}, and the source has a note on it", f"{_ISSUE}80")
    two_bins = "noise of size 1 is that of one record added or removed; replacing one changes two bins"
    warned = Known("documented", "without bounds it takes them from the data, and raises a PrivacyLeakWarning")
    middle, rows = {**_UNIT, "quant": 0.5}, {"epsilon": 1.0, "bins": 3, "range": [0.0, 1.0]}
    outlier = [([0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 10.0])]
    few: dict[str, Any] = {"trials": 2_000}
    add("count_nonzero", {"epsilon": 1.0}, pairs=[([1.0, 0.0, 1.0], [1.0, 0.0, 0.0]), ([1.0], [0.0])])
    add("quantile", {**_UNIT, "quant": 0.25})
    add("histogram", rows)
    add("histogram", rows, "a record replaced", relation="replace", known=Known("convention", two_bins))
    add("mean", _UNIT, "a record is NaN", pairs=one_nan, known=Known("bug", spreads), **few)
    add("quantile", middle, "a record is NaN", pairs=one_nan, known=noted, **few)
    add("mean", {"epsilon": 1.0}, "no bounds", pairs=outlier, known=warned, **few)
    return cases


def _models() -> list[Case]:
    cases: list[Case] = []

    def add(
        name: str, keywords: Mapping[str, Any], about: str, trials: int, known: Known | None, *pairs: Pair, **more: Any
    ) -> None:
        cases.append(read(f"models.{name}", keywords, pairs=pairs, about=about, trials=trials, known=known, **more))

    read_classes = (
        "the set of classes is read from the data, so that a class of one record shows whether the record is there"
    )
    squares = "the sensitivity of squares is taken from the lower bound twice, and is 0 here"
    empty = "by reading the source: a cluster without records keeps its old centre, without noise"
    two_counts = "noise of size 1 is that of one record added or removed; replacing one changes two counts"
    zeros, ones = [[0.0]] * 4, [[1.0]] * 4
    add("StandardScaler", _UNIT, "", 5_000, None, ([*zeros, [0.0]], [*zeros, [1.0]]), ([*ones, [1.0]], [*ones, [0.0]]))

    classes = [[0.1, 0.0], [0.9, 0.0], [0.2, 0.0], [0.8, 1.0], [0.7, 1.0]]
    whole, moved, other = ([*classes, [x, y]] for x, y in ((0.6, 1.0), (0.0, 1.0), (0.6, 0.0)))
    add("GaussianNB", _UNIT, "", 4_000, None, (whole, moved), (whole, other))
    lone = [[0.5, 0.0]] * 5
    known = Known("bug", read_classes)
    add("GaussianNB", _UNIT, "a class of one record", 2_000, known, ([*lone, [0.5, 1.0]], [*lone, [0.5, 0.0]]))
    add("LogisticRegression", {"epsilon": 1.0, "data_norm": 1.0}, "", 2_000, None, (whole, other))

    line = [[0.0, 0.0], [0.5, 0.5], [0.0, 0.5], [0.5, 0.0], [0.0, 1.0]]
    corner, opposite = ([*line, [1.0, 1.0]], line), ([*line, [1.0, -1.0]], line)
    for low, known_squares in ((0.0, Known("bug", squares, f"{_ISSUE}105")), (-1.0, None)):
        bounds = [low, 1.0]
        keywords = {"epsilon": 1.0, "bounds_X": bounds, "bounds_y": bounds, "fit_intercept": False}
        about = f"no intercept, bounds ({low:g}, 1)"
        add("LinearRegression", keywords, about, 4_000, known_squares, corner, *([] if low == 0.0 else [opposite]))

    clusters, middle = {**_UNIT, "n_clusters": 2}, [[0.5]] * 5
    known = Known("bug", empty)
    extra = ([*zeros, *ones, [1.0]], [*zeros, *ones]), ([*middle, [0.5], [0.0]], [*middle, [0.5]])
    add("KMeans", clusters, "centres", 3_000, known, *extra, ([*zeros, [1.0]], zeros))
    known = Known("bug", "the attribute inertia_ is published without noise of its own")
    add("KMeans", clusters, "inertia_", 3_000, known, ([*middle, [1.0]], middle), take=("inertia_",))

    tree = {"epsilon": 1.0, "bounds": [0.0, 1.0], "max_depth": 1, "classes": [0, 1]}
    leaves, taken = [[0.5, 0.0]] * 3 + [[0.5, 1.0]] * 2, ("tree_.value",)
    full, swap = [*leaves, [0.5, 1.0]], [*leaves, [0.5, 0.0]]
    add("DecisionTreeClassifier", tree, "", 3_000, None, (full, leaves), take=taken)
    known = Known("convention", two_counts)
    about = "a record replaced"
    add("DecisionTreeClassifier", tree, about, 3_000, known, (full, swap), take=taken, relation="replace")
    return cases
