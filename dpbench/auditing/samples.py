"""`audit_samples`: a lower bound on ε from outputs that were drawn already."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from dpbench.auditing.audit import CHOOSE_NUMBERS, CHOOSE_ROWS, CHOOSE_SHARE, Drawn, Request, report
from dpbench.auditing.blocks import ENCODE, LEARN, Counter
from dpbench.auditing.choose import Event, choose
from dpbench.auditing.dependence import DISPERSED, LEAST_STRETCHES, Check, Watch, check_arrays
from dpbench.auditing.outputs import as_rows, learn
from dpbench.auditing.pair import RELATIONS
from dpbench.auditing.results import AuditResult
from dpbench.auditing.wording import Seen
from dpbench.core import sampling, validation
from dpbench.core.blas import one_blas_thread
from dpbench.core.validation import InvalidInput, invalid, native

LEAST = 100
"""Outputs a side, at least."""

CHUNK = 65_536  # rows scored at a time


def audit_samples(
    outputs: Any,
    neighbour_outputs: Any,
    *,
    epsilon: float | None = None,
    delta: float = 0.0,
    claim: Any = None,
    confidence: float = 0.999,
    seed: int = 0,
    score: Callable[[Any], Any] | None = None,
    relation: str | None = None,
    ignore: Sequence[str] = (),
) -> AuditResult:
    """Bound the privacy loss of a mechanism from below, from its outputs on two neighbouring data sets.

    Parameters
    ----------
    outputs, neighbour_outputs : array
        Independent runs on the data set and on the neighbour, one a row, in the order in which they were drawn; those
        of the two sides independent of each other too (no random numbers in common): numbers
        or booleans of shape (rows,) or (rows, k), or texts of shape (rows,); or a list or a data frame of outputs of
        any kind, which are taken apart as by `dpbench.encode`. At least 100 rows each, and not necessarily as many of
        both.
    epsilon, delta, claim, confidence, score, relation, ignore
        As in `dpbench.audit`.
    seed : int
        Decides which rows choose the event: a fifth of the smaller side's number, drawn from each side at random.

    Returns
    -------
    AuditResult
        `trials` are the rows of the smaller side. It makes the checks of independence that `dpbench.audit` makes.

    Raises
    ------
    InvalidInput
    DependentOutputs
        The rows are seen not to be independent, or were sorted.

    Examples
    --------
    >>> import numpy as np
    >>> from dpbench import audit_samples
    >>> rng = np.random.default_rng(0)
    >>> audit_samples(rng.laplace(size=20_000), 1 + rng.laplace(size=20_000), epsilon=0.5).verdict
    'refuted'
    """
    seed = validation.integer("seed", seed, at_least=0)
    if relation is not None:
        validation.choice("relation", relation, list(RELATIONS))
    request = Request.of(epsilon, delta, claim, confidence, score, ignore, relation)
    one, other = _given("outputs", outputs), _given("neighbour_outputs", neighbour_outputs)
    layout = getattr(one, "layout", None)
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        one, other = _alike(one, other)
    elif isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        raise InvalidInput("neighbour_outputs must be of the kind that outputs are, got an array and a list of results")
    if isinstance(one, np.ndarray) and (one.dtype.kind not in "SU" or score is not None):
        if request.ignore:
            raise InvalidInput(f"ignore must be left out beside arrays of numbers, got {list(request.ignore)}")
    else:
        one, other = list(one), list(other)
    with one_blas_thread(), threadpool_limits(1, user_api="openmp"):
        fewest = min(len(one), len(other))
        kept = isinstance(one, list)
        most = LEARN if kept or layout is not None else CHOOSE_ROWS
        rows = max(20, min(int(CHOOSE_SHARE * fewest), most))
        # Rows that choose anything, columns or event, certify nothing.
        chosen = [_chosen(len(x), rows, seed, side) for side, x in enumerate((one, other))]
        if kept:
            some = [[x[k] for k in np.flatnonzero(mask)] for x, mask in zip((one, other), chosen, strict=True)]
            layout = learn(some[0], some[1], request.ignore)
            one, other = layout.encode(one), layout.encode(other)
        checks = check_arrays(one, other)
        width = 1 if one.ndim == 1 else one.shape[1]
        thin = -(-rows * width // CHOOSE_NUMBERS)
        first, second = (x[mask][::thin] for x, mask in zip((one, other), chosen, strict=True))
        rest, left = (x[~mask] for x, mask in zip((one, other), chosen, strict=True))
        sizes = len(rest), len(left)
        certify = 2 * sizes[0] * sizes[1] // sum(sizes)  # as many on each side have as small an error
        if request.own is not None:
            request.own.check_rows(first, second)
        events = choose(first, second, certify, request.against, request.alpha, request.own)
        seen = Seen.of(events[0].score, first, second, layout)
        counter = Counter(events, () if layout is None else tuple(column for _, _, column in layout.seen))
        counts = np.stack([_counts(counter, x) for x in (rest, left)])
        checks += _over_rows(events[0], rest, left)
    return report(events, seen, counts, sizes, fewest, request, checks, Drawn(None, layout, "", 0, seed))


def _over_rows(event: Event, rest: np.ndarray, left: np.ndarray) -> tuple[Check, ...]:
    """The dispersion of the event over stretches of the rows of each side.

    Raises
    ------
    DependentOutputs
    """
    watch = Watch("the outputs", looks=1, arrays=True)
    for side, rows in enumerate((rest, left)):
        events = event(rows)
        size = max(1, len(rows) // LEAST_STRETCHES)
        hits = [int(np.count_nonzero(events[k : k + size])) for k in range(0, len(rows), size)]
        sizes = [min(size, len(rows) - k) for k in range(0, len(rows), size)]
        watch.add_event("", side, hits, sizes)
    return tuple(check for check in watch.examine() if check.what == DISPERSED)


def _given(name: str, made: Any) -> Any:
    """An array, checked, or a list of results of any kind."""
    table = hasattr(made, "columns") or (isinstance(made, np.ndarray) and made.dtype.names is not None)
    if table or (isinstance(made, (list, tuple)) and len(made) > 0 and not _numbers_throughout(made)):
        rows = as_rows(made)
        if not isinstance(rows, np.ndarray):
            if len(rows) < LEAST:
                raise invalid(name, f"at least {LEAST} rows, one a run", f"{len(rows)} rows")
            return rows
    return _checked(name, made)


def _numbers_throughout(made: Any) -> bool:
    try:
        return np.asarray(made).dtype.kind in "fiub"
    except ValueError:  # of several shapes
        return False


def _checked(name: str, made: Any) -> np.ndarray:
    must_be = f"numbers or booleans of shape (rows,) or (rows, k), or texts of shape (rows,) ({ENCODE})"
    array = native(name, made, must_be)
    text = array.dtype.kind in "SU"
    if array.dtype.kind not in "fiubSU" or array.ndim not in ((1,) if text else (1, 2)) or 0 in array.shape[1:]:
        raise invalid(name, must_be, array)
    if len(array) < LEAST:
        raise invalid(name, f"at least {LEAST} rows, one a run", array)
    return array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array


def _alike(one: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both of one type, or one message."""
    text = [x.dtype.kind in "SU" for x in (one, other)]
    if one.shape[1:] != other.shape[1:] or text[0] != text[1] or (text[0] and one.dtype.kind != other.dtype.kind):
        raise InvalidInput(
            f"neighbour_outputs must be of the width and type of outputs, shape (rows,{_width(one)}) of {one.dtype}, "
            f"got shape (rows,{_width(other)}) of {other.dtype}"
        )
    kind = np.result_type(one, other)
    return one.astype(kind, copy=False), other.astype(kind, copy=False)


def _width(array: np.ndarray) -> str:
    return f" {array.shape[1]}" if array.ndim == 2 else ""


def _chosen(total: int, rows: int, seed: int, side: int) -> np.ndarray:
    """bool[total]: which rows choose the event."""
    chosen = np.zeros(total, dtype=bool)
    chosen[sampling.stream(seed, "samples", "choose", side).choice(total, rows, replace=False, shuffle=False)] = True
    return chosen


def _counts(counter: Counter, outputs: np.ndarray) -> np.ndarray:
    total = np.zeros(counter.width, dtype=np.int64)
    for start in range(0, len(outputs), CHUNK):
        total += counter(outputs[start : start + CHUNK])[0]
    return total
