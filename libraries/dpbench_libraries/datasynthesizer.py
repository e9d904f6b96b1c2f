"""DataSynthesizer: what its describer publishes of a table, the attributes by themselves or with a Bayesian network.

Its documentation says ε of one record removed; the noise in its source is of the right size for one replaced too. By
reading, the correlated mode spends more: the attributes the whole ε, network and conditional probabilities half of it
each once more, with noise from the same seed again. It runs in an environment of its own, by `calls/describing.py`.
"""

from __future__ import annotations

from typing import Any

from dpbench_libraries.case import Case, Known
from dpbench_libraries.worker import Call

PACKAGE = "DataSynthesizer"
REQUIREMENTS = ("DataSynthesizer==0.1.13", "pandas<4")

TABLE = [[1.0, "a"], [2.0, "b"], [3.0, "a"], [8.0, "b"], [9.0, "a"]]
DECLARED = {"epsilon": 1.0, "ranges": {"age": [0.0, 10.0]}, "domains": {"kind": ["a", "b"]}}
ISSUES = "https://github.com/DataResponsibly/DataSynthesizer/issues"


def cases() -> tuple[Case, ...]:
    """Those that ``dpbench audit-library datasynthesizer`` audits."""
    rest = TABLE[:-1]

    def case(
        about: str, only: str, why: str = "", last: Any = (9.0, "b"), *, trials: int = 400, seed: str | None = "seed",
        **changed: Any,
    ) -> Case:  # fmt: skip
        keywords = {**DECLARED, "only": only, **changed}
        return Case(
            f"describe_dataset_in_{'correlated' if 'correlated' in changed else 'independent'}_attribute_mode",
            "replace" if last else "remove",
            {"epsilon": keywords["epsilon"]},
            ((TABLE, [*rest, list(last)] if last else rest),),
            Call("describing.describe", keywords, seed=seed),
            about=about,
            trials=trials,
            assumes=("epsilon is that of a record replaced",) if last else (),
            known=Known("bug", why) if why else None,
        )

    return (
        case("all declared", "noisy", trials=1_500),
        case("no range declared", "max", "it is read from the data, and published as it is", (2.0, "a"), ranges=None),
        case(
            "no values declared", "distribution_bins", "those that occur are published", (9.0, "c"), domains=None
        ),
        case("num_tuples", "num_tuples", "the number of records is published without noise", None),
        case(
            "no seed given", "noisy",
            "its noise is then the same in every run, and whoever has the library can subtract it", seed=None,
        ),
        case("all declared", "noisy", trials=500, correlated=True),
    )  # fmt: skip
