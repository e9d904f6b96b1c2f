"""The search for counterexamples: spaces of hypotheses, questions on them, and what the checker accepts.

- `Space` with `Real`, `Integer`, `Choice` and `vector`: a theorem's hypotheses.
- `inequality`, `pair_shift`, `pair_event`, `order`: what is claimed on a space; a `Question`, for a claim's ``space=``.
- `Audited`: a mechanism whose pairs of neighbours are searched; its certificate is a fresh audit.
- `find_counterexample` searches; `nearest` reports how near a claim comes to its bound.

A paper of ours has its questions in the package ``spaces`` beside its claims, a table `QUESTIONS` from id to question.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpbench.certificates.search.audited import Audited
    from dpbench.certificates.search.find import SearchResult, find_counterexample
    from dpbench.certificates.search.growth import order
    from dpbench.certificates.search.question import Question, inequality, pair_event, pair_shift
    from dpbench.certificates.search.space import Choice, Integer, Real, Space, vector

_HOME = {
    "Audited": "audited", "SearchResult": "find", "find_counterexample": "find", "order": "growth",
    "Question": "question", "inequality": "question", "pair_event": "question", "pair_shift": "question",
    "Choice": "space", "Integer": "space", "Real": "space", "Space": "space", "vector": "space",
}  # fmt: skip

__all__ = [
    "Audited",
    "Choice",
    "Integer",
    "Question",
    "Real",
    "SearchResult",
    "Space",
    "find_counterexample",
    "inequality",
    "order",
    "pair_event",
    "pair_shift",
    "vector",
]


def __getattr__(name: str) -> Any:
    from dpbench.core.lazy import load

    return load(__name__, {key: f"{__name__}.{module}" for key, module in _HOME.items()}, name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
