"""`audit_graybox`: the shift that additive noise must hide, exactly, from recorded runs with the same random numbers.

Both data sets are run with the same seeds and every draw is recorded (`recording`). Write z for all noise drawn, in
units of its scale, and y for the numbers in the output. Where y = f(D) + A z, with the same A on both data sets, all
there is to know about the pair is A and the shift Δ = f(D') − f(D) = y' − y, which one run on each side shows.

*Proof of what is reported.*

1. If Δ = A s and the columns of A are independent, y ↦ A⁺(y − f(D)) is one to one on the values of either side, and
   turns the pair of output laws into those of z and of s + z. So the privacy loss is that of coordinates moved by s_j
   scales, neither less nor more: Σ |s_j| of Laplace noise at δ = 0, one Laplace pair, or a Gaussian pair at
   μ = (Σ s_j²)^{1/2}. Any other product has at least the ε of each factor, which is a post-processing of it, and at
   most the sum of the Gaussian factor's ε and of all |s_j|, by basic composition (`epsilon_between`).
2. If Δ is outside the range of A, the two laws live on disjoint affine spaces, and no ε is enough.
3. If the columns are dependent, the outputs are post-processed noise (a sum of draws, say) and s is not determined. For
   normal noise alone y − f(D) is normal with covariance A Aᵀ, and the shortest s with A s = Δ gives its μ. For Laplace
   noise nothing follows.
4. If A differs between the data sets and both are one to one on the same space, then with T = A⁺A' the second law is
   that of T z + s. The logarithms of the two densities are −|x|₁ and −|x|²/2 in the coordinates of either kind, so
   that their difference is bounded only if T is orthogonal: else no ε is enough at δ = 0.
5. To look at some coordinates of y alone is post-processing: what they show is a lower bound.

What is measured is A (each draw moved by one scale, on both data sets), and that y is f + A z: at the draws of further
seeds, and with draws moved by up to `FAR` scales, by themselves and together. Coordinates that fail are left out; then
a claim can be refuted, but that it is not is "undecided". That y stays affine at all other values of z, that draws are
independent, and that there is no noise beyond the recorded, is assumed and said. Where other random numbers are drawn
(a coin, a sample of the records) the law of y given them is not the law of y, and everything is undecided; and so it is
where nothing is recorded. Draws of the generator that the function is given are recorded, and no others.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dpbench.auditing.audit import check_relation, refuse_equal
from dpbench.auditing.outputs import Walk, paths
from dpbench.core import validation
from dpbench.core.blas import one_blas_thread
from dpbench.core.validation import invalid
from dpbench.privacy import gaussian, laplace
from dpbench.privacy.inversion import crossing
from dpbench_libraries.recording import ADDITIVE, Draw, Record, run

MOST_NOISE = 512
"""Numbers of noise in a run, at most: each is moved by itself, on both data sets."""

FAR = 64.0
"""Scales by which noise is moved to see that outputs stay affine: Laplace noise is larger with probability e^-64."""

ALONE, TOGETHER = 64, 8
"""Numbers of noise up to which each is moved far by itself, and random moves of all together."""

TOLERANCE, ROUNDING = 1e-7, 1e-13
"""Errors of measured noise relative to itself, and relative to the output that it is in."""

LAST_BITS = 16 * 2.0**-52
"""Relative to an output, what may be the rounding of few sums and products: a shift that is larger may be real."""

CLAIM = 10.0 * TOLERANCE
"""Relative to a claim, an excess that is neglected: shifts are measured, and noise may meet its claim exactly."""

ASSUMED = (
    "outputs are affine in the noise at every value",
    "draws are independent",
    "there is no noise beyond the recorded",
)


@dataclass(frozen=True)
class Shift:
    """One recorded call of additive noise: what it has to hide.

    Attributes
    ----------
    call : int
        Its place among the recorded calls.
    kind : {"laplace", "normal"}
    size : int
    scale : float
        The largest, where there are several.
    ratio : float
        Shift over scale: of Laplace noise the sum over its numbers of |shift|/scale, of normal noise the root of the
        sum of squares.
    """

    call: int
    kind: str
    size: int
    scale: float
    ratio: float


@dataclass(frozen=True)
class GrayBoxResult:
    """What recorded runs imply about a claim.

    Attributes
    ----------
    verdict : {"refuted", "not refuted", "undecided"} or None
        "refuted" if a lower bound on the pair's ε is beyond the claim; "not refuted" if an upper bound on it is not;
        "undecided" (`reason`) otherwise. The bounds are `epsilon_lower` and `epsilon_upper`, made wider by what
        rounding of the outputs may do, and a claim is taken larger by a millionth (`CLAIM`). None without a claim.
    epsilon_lower : float or None
        A lower bound on ε at `delta`, by the shifts measured; None if nothing follows.
    epsilon_upper : float or None
        An upper bound, where the record determines ε; else None. It is the lower one but for rounding, except where
        δ > 0 and several coordinates move, not all of normal noise.
    exact : bool
        Whether the record determines the pair's ε, and implies more than a lower bound.
    epsilon, delta : float
        The claim.
    mu : float
        Of the normal noise.
    shifts : tuple of Shift
        Of each call of noise, where they are determined.
    control_flow : str
        How the calls on the two data sets differ; empty if they do not. Such a difference is a leak wherever an
        observer sees it; that the claim is false does not follow from it alone.
    reason : str
        Why the verdict is what it is.
    assumed : tuple of str
    draws : tuple of str
        The calls recorded on the first data set.
    runs : int
        Runs of the function, on both data sets together.
    relation : str or None
    """

    verdict: str | None
    epsilon_lower: float | None
    epsilon_upper: float | None
    exact: bool
    epsilon: float | None
    delta: float
    mu: float
    shifts: tuple[Shift, ...]
    control_flow: str
    reason: str
    assumed: tuple[str, ...]
    draws: tuple[str, ...]
    runs: int
    relation: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings, ready for JSON; an infinite ε as the text "inf"."""
        document = asdict(self)
        return document | {name: "inf" for name in ("epsilon_lower", "epsilon_upper") if document[name] == math.inf}

    def __str__(self) -> str:
        text = "epsilon not determined"
        if self.epsilon_lower is not None:
            low = f"{self.epsilon_lower:.6g}"
            high = "" if self.epsilon_upper is None else f"{self.epsilon_upper:.6g}"
            text = f"epsilon {'=' if low == high else '>='} {low}{f' and <= {high}' if high not in ('', low) else ''}"
            text += f" at delta = {self.delta:g}"
        claim = "" if self.epsilon is None else f"; claim {self.epsilon:g}: {self.verdict}"
        lines = [f"{text}, from {self.runs} recorded runs{claim} ({self.reason})"]
        if self.control_flow:
            lines.append(f"leak of control flow: {self.control_flow}")
        lines += [
            f"call {s.call}: {s.kind} noise, {s.size} of scale {s.scale:.6g}, shift over scale {s.ratio:.6g}"
            for s in self.shifts
        ]
        return "\n".join([*lines, f"if {'; '.join(self.assumed)}"])


def audit_graybox(
    function: Callable[..., Any],
    dataset: Any,
    neighbour: Any,
    *,
    epsilon: float | None = None,
    delta: float = 0.0,
    relation: str | None = None,
    seeds: int = 4,
    seed: int = 0,
    ignore: Sequence[str] = (),
) -> GrayBoxResult:
    """The privacy loss of additive noise on two data sets, from a few runs with the same random numbers.

    Parameters
    ----------
    function : callable
        ``function(dataset, rng) -> result``, in one thread. Draws of the `numpy.random.Generator` that it is given, of
        its copies and of what it spawns are recorded, and no others.
    dataset, neighbour : any
        Two neighbouring data sets; equal ones are refused. Each run has a deep copy.
    epsilon, delta : float
        The claim. Without ε there is a bound and no verdict.
    relation : {"replace", "add", "remove", "add_remove"}, optional
        As for `dpbench.audit`.
    seeds : int
        Runs at different seeds on each data set, at least 2.
    seed : int
        Of the first.
    ignore : sequence of str
        Leaves of the outputs to leave out, as for `dpbench.audit`.

    Returns
    -------
    GrayBoxResult

    Raises
    ------
    InvalidInput
        A parameter cannot be used, or the function raised.

    Notes
    -----
    The record-and-replay idea is that of Re:cord-play (arXiv 2602.17454), there with replayed outputs of a library's
    mechanisms.

    Examples
    --------
    >>> from dpbench_libraries.graybox import audit_graybox
    >>> def noisy_sum(values, rng):
    ...     return sum(values) + rng.laplace(scale=1.0)
    >>> found = audit_graybox(noisy_sum, [1.0, 0.0], [1.0, 2.0], epsilon=1.0)
    >>> found.verdict, found.epsilon_lower
    ('refuted', 2.0)
    """
    if not callable(function):
        raise invalid("function", "callable as function(dataset, rng)", function)
    claim = None if epsilon is None else validation.real("epsilon", epsilon, at_least=0.0)
    delta = validation.delta(delta)
    seeds = validation.integer("seeds", seeds, at_least=2)
    seed = validation.integer("seed", seed, at_least=0)
    refuse_equal(dataset, neighbour)
    relation = check_relation(dataset, neighbour, relation)
    runs = _Runs(function, (dataset, neighbour), seed, paths(ignore))
    with one_blas_thread():
        examined = _examined(runs, seeds, delta)
    verdict = None if claim is None else _verdict(examined, claim)
    affine = f"{ASSUMED[0]}, as they are at {examined.tried} values tried, up to {FAR:g} scales away"
    return GrayBoxResult(
        verdict, examined.between and examined.between[0],
        examined.between[1] if examined.between and examined.exact else None, examined.exact, claim, delta, examined.mu,
        examined.shifts, examined.control_flow, examined.reason,
        (affine if examined.tried else ASSUMED[0], *ASSUMED[1:]), tuple(map(str, examined.draws)), runs.made, relation,
    )  # fmt: skip


def _verdict(examined: _Found, claim: float) -> str:
    """What bounds on ε say of the claim; where it is between them, why they are so far apart."""
    allowed = claim * (1.0 + CLAIM)
    if examined.between is None or examined.blurred is None:
        return "undecided"
    low, high = examined.blurred
    if low > allowed:
        return "refuted"
    if examined.exact and high <= allowed:
        return "not refuted"
    if examined.between[0] > allowed or (examined.exact and examined.between[1] <= allowed):
        examined.reason = "whether epsilon is beyond the claim cannot be told from rounding"
    elif examined.exact:
        examined.reason = (
            f"the claim is between the bounds on epsilon, {examined.between[0]:.9g} and {examined.between[1]:.9g}: "
            "that of several shifts together is computed no more closely"
        )
    return "undecided"


@dataclass
class _Found:
    draws: list[Draw]
    reason: str
    between: tuple[float, float] | None = None  # bounds on epsilon by the shifts as measured
    blurred: tuple[float, float] | None = None  # by any shifts that rounding may have made these
    exact: bool = False
    mu: float = 0.0
    shifts: tuple[Shift, ...] = ()
    control_flow: str = ""
    tried: int = 0


class _Runs:
    """Recorded runs of one function on two data sets."""

    def __init__(self, function: Any, sides: tuple[Any, Any], seed: int, ignore: tuple[str, ...]) -> None:
        self.function, self.sides, self.seed = function, sides, seed
        self.walk = Walk(ignore)
        self.made = 0

    def __call__(self, side: int, number: int, nudges: Any = None) -> tuple[Record, np.ndarray, tuple[Any, ...]]:
        """The record, the numbers in the output, and all that is not a number there."""
        self.made += 1
        try:
            dataset = copy.deepcopy(self.sides[side])  # the function may change it
        except Exception as error:
            raise invalid("dataset", f"data sets that copy.deepcopy can copy ({error})", self.sides[side]) from error
        try:
            record = run(self.function, dataset, self.seed + number, nudges)
        except (Exception, SystemExit) as error:
            name = getattr(self.function, "__name__", "the function")
            raise validation.InvalidInput(f"function {name} raised {type(error).__name__}: {error}") from error
        numbers, rest = _numbers(self.walk(record.output))
        return record, numbers, rest


def _numbers(leaves: Mapping[Any, Any]) -> tuple[np.ndarray, tuple[Any, ...]]:
    numbers: list[np.ndarray] = []
    rest: list[tuple[Any, Any]] = []
    for path, value in leaves.items():
        if isinstance(value, (float, np.ndarray)):
            numbers.append(np.ravel(value))
            rest.append((path, np.shape(value)))
        elif not isinstance(value, tuple):  # what is counted is read by its place too
            rest.append((path, value))
    return np.concatenate([np.empty(0), *numbers]), tuple(rest)


def _examined(runs: _Runs, seeds: int, delta: float) -> _Found:
    """Compare the calls; measure A on both sides; conclude."""
    plain = [[runs(side, number) for number in range(seeds)] for side in (0, 1)]
    draws = plain[0][0][0].draws
    examined = _Found(draws, "")
    for one, other in zip(*plain, strict=True):
        examined.control_flow = examined.control_flow or _difference(one[0].draws, other[0].draws)
    shapes = {tuple(d.shape for d in record.draws) for side in plain for record, _, _ in side}
    kinds = {(rest, len(numbers)) for side in plain for _, numbers, rest in side}
    noise = [k for k, draw in enumerate(draws) if draw.kind in ADDITIVE]
    columns = sum(draws[k].size for k in noise)
    if len(shapes) > 1:
        examined.reason = (
            "the calls differ between the data sets" if examined.control_flow else "the calls depend on the noise"
        )
    elif len(kinds) > 1:
        examined.reason = "the structure of the output, or what is not a number in it, differs between runs"
    elif not draws:
        examined.reason = "no draw was recorded: the function has no noise, or draws it from another generator"
    elif columns > MOST_NOISE:
        examined.reason = f"{columns} numbers of noise are more than the {MOST_NOISE} that are moved one by one"
    else:
        try:
            _concluded(examined, runs, plain, noise, delta)
        except _Changed as change:
            examined.reason = str(change)
    return examined


class _Changed(Exception):
    """Moving the noise changes the calls or the structure of the output."""


def _difference(one: list[Draw], other: list[Draw]) -> str:
    """The first difference between the calls on the two data sets."""
    if len(one) != len(other):
        return f"{len(one)} draws on one data set and {len(other)} on the other"
    for k, (a, b) in enumerate(zip(one, other, strict=True)):
        if a.shape != b.shape or not np.allclose(a.scale, b.scale, rtol=1e-12, atol=0.0):
            return f"draw {k} is {a} on one data set and {b} on the other"
        if a.arguments != b.arguments:
            return f"draw {k}, {a.kind}, has other arguments on the other data set"
    return ""


def _concluded(examined: _Found, runs: _Runs, plain: list[list[Any]], noise: list[int], delta: float) -> None:
    draws = examined.draws
    owner = np.array([k for k in noise for _ in range(draws[k].size)], dtype=int)
    unit, drawn = ([_column([record.draws[k] for k in noise]) for record, _, _ in side] for side in plain)
    table = np.array(unit)
    if not np.array_equal(table, np.array(drawn)):
        examined.reason = "the same calls draw other noise on the other data set"
        return
    size = np.max(np.abs([numbers for side in plain for _, numbers, _ in side]), axis=0)
    before = runs.made
    sides = [_response(runs, side, plain[side], noise, unit, size) for side in (0, 1)]
    examined.tried = (runs.made - before) // 2 + len(plain[0])
    kept = sides[0][1] & sides[1][1]
    with np.errstate(invalid="ignore"):  # infinite outputs
        shift = np.array([b[1] - a[1] for a, b in zip(*plain, strict=True)])
    same = [m for m, _ in sides]
    apart = np.abs(same[0] - same[1])
    error = TOLERANCE * np.maximum(_largest(same[0]), _largest(same[1])) + ROUNDING * size
    alike = not bool(np.any(apart[kept] > error[kept, None]))
    if alike:  # then the shift is the same at every seed, or the coordinate is left out
        kept &= np.ptp(shift, axis=0) <= 10.0 * error * (1.0 + np.abs(table).max(initial=0.0))
    whole = bool(kept.all()) and not examined.control_flow
    if not kept.any():
        examined.reason = "no number of the output is affine in Laplace or normal noise" if len(kept) else "no output"
        return
    groups: dict[bytes, list[int]] = {}  # draws that are equal at every seed are one draw
    for j in range(table.shape[1]):
        groups.setdefault(table[:, j].tobytes(), []).append(j)
    first, second = (
        np.array([m[kept][:, members].sum(axis=1) for members in groups.values()]).reshape(len(groups), kept.sum()).T
        for m in same
    )
    used = np.flatnonzero(np.any((first != 0.0) | (second != 0.0), axis=0))
    first, second = first[:, used], second[:, used]
    members = [list(groups.values())[k] for k in used]
    kinds = np.array([draws[owner[m[0]]].kind for m in members])
    moved = shift[0][kept] if alike else shift.mean(axis=0)[kept]
    others = sorted({draw.kind for draw in draws if draw.kind not in ADDITIVE})
    if others:
        examined.reason = (
            f"random numbers of other kinds are drawn ({', '.join(others)}): what the output owes them is open"
        )
        return
    if not alike:
        if not np.any(apart[kept] > 1e3 * error[kept, None]):
            examined.reason = "whether the noise depends on the data cannot be told from rounding"
            return
        _other_noise(examined, first, second, delta)
        return
    s, left, blurred, independent = _solved(first, moved, error[kept], size[kept])
    if left:
        examined.between = examined.blurred = (math.inf, math.inf)
        examined.exact = True
        examined.reason = (
            "the output moves where no noise does: the two data sets are told apart with certainty"
            if len(used)
            else "the output has no noise, and differs between the data sets"
        )
        return
    if blurred:
        examined.reason = "whether the output moves where no noise does cannot be told from rounding"
        return
    if not independent and not np.all(kinds == "normal"):
        examined.reason = "outputs are post-processed noise (fewer than the draws in them): shifts are not determined"
        return
    examined.mu, examined.exact = float(np.linalg.norm(s[kinds == "normal"])), whole
    still = ~np.any(shift[:, kept] != 0.0, axis=0)
    _bounded(examined, delta, s, _blur(first, s, size[kept], still), kinds == "laplace")
    examined.shifts = _by_call(draws, noise, owner, members, s) if independent else ()
    examined.reason = (
        "shift and noise of every number in the output are determined"
        if whole
        else (
            f"{int((~kept).sum())} of {len(kept)} numbers of the output are not affine in the noise, and were left out"
            if not kept.all()
            else "calls differ between the data sets"
        )
    )


def _column(draws: list[Draw]) -> np.ndarray:
    return np.concatenate([np.empty(0), *(draw.unit for draw in draws)])


def _response(
    runs: _Runs, side: int, plain: list[Any], noise: list[int], unit: list[np.ndarray], size: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """A of this data set, and which outputs are affine: at the draws of other seeds, and far away."""
    record, base, rest = plain[0]
    sizes = [record.draws[k].size for k in noise]
    ends = np.cumsum([0, *sizes])

    def moved(by: np.ndarray) -> np.ndarray:
        nudges = {k: by[ends[i] : ends[i + 1]] for i, k in enumerate(noise)}
        again, numbers, structure = runs(side, 0, nudges)
        if structure != rest or [d.shape for d in again.draws] != [d.shape for d in record.draws]:
            raise _Changed("the calls, or the structure of the output, depend on the noise")
        return numbers

    width = int(ends[-1])
    finite = np.isfinite(base)
    matrix = np.empty((len(base), width))
    for j in range(width):
        one = moved(np.eye(1, width, j)[0])
        matrix[:, j] = np.where(finite & np.isfinite(one), one, np.nan) - base
    finite &= np.isfinite(matrix).all(axis=1)
    matrix[~finite] = 0.0
    tests = [(by, moved(by)) for by in _moves(width, runs.seed)]
    tests += [(z - unit[0], numbers) for z, (_, numbers, _) in zip(unit[1:], plain[1:], strict=True)]
    matrix[np.abs(matrix) <= np.maximum(TOLERANCE * _largest(matrix), 1e-15 * size)[:, None]] = 0.0
    swamped = (_largest(matrix) > 0.0) & (_largest(matrix) <= 1e5 * ROUNDING * size)  # noise measured too roughly
    good = finite & ~swamped
    for by, numbers in tests:
        room = TOLERANCE * (np.abs(matrix) @ np.abs(by)) + ROUNDING * np.maximum(np.abs(numbers), size)
        with np.errstate(invalid="ignore"):
            good &= np.abs(numbers - base - matrix @ by) <= room
    return matrix, good


def _moves(width: int, seed: int) -> list[np.ndarray]:
    """Moves of all noise, in scales, for which outputs must stay affine."""
    rng = np.random.default_rng(seed)
    moves = [sign * FAR * row for row in np.eye(width) for sign in (-1.0, 1.0)] if width <= ALONE else []
    if width:
        moves += [rng.uniform(-8.0, 8.0, width) for _ in range(TOGETHER)]
        moves += [FAR * rng.choice([-1.0, 1.0], width) for _ in range(TOGETHER)]
    return moves


def _largest(matrix: np.ndarray) -> np.ndarray:
    """Of each row."""
    return np.abs(matrix).max(axis=1, initial=0.0)


def _solved(
    matrix: np.ndarray, moved: np.ndarray, error: np.ndarray, size: np.ndarray
) -> tuple[np.ndarray, bool, bool, bool]:
    """The shortest s with A s = Δ; whether Δ is outside the range of A, or perhaps; whether columns are independent."""
    weight = 1.0 / np.maximum(ROUNDING * size, 1e-300)  # of each row: they may have other units
    s: Any = np.zeros(matrix.shape[1])
    rank: Any = 0
    if matrix.size:
        s, _, rank, _ = np.linalg.lstsq(matrix * weight[:, None], moved * weight, rcond=1e-10)
        s[~_reached(matrix, moved != 0.0)] = 0.0  # not 1e-17, with which ε would be infinite at δ = 0
    rest = np.abs(moved - matrix @ s)
    allowed = 1e3 * error + 1e-6 * (np.abs(matrix) @ np.abs(s))
    least = LAST_BITS * size * (1.0 + np.abs(s).sum())
    noisy = _largest(matrix) > 0.0
    blurred = (rest > least) | (noisy & (moved != 0.0) & (np.abs(moved) <= 1e6 * least))
    if np.count_nonzero(noisy) <= rank:  # any shift of these is in the range
        blurred &= ~noisy
    return s, bool(np.any(rest > allowed)), bool(blurred.any()), int(rank) == matrix.shape[1]


def _reached(matrix: np.ndarray, moves: np.ndarray) -> np.ndarray:
    """The columns connected, over outputs that share one, with an output that moves; s is 0 in all others."""
    holds, rows = matrix != 0.0, moves
    while True:
        columns = holds[rows].any(axis=0)
        more = rows | holds[:, columns].any(axis=1)
        if np.array_equal(more, rows):
            return columns
        rows = more


def _blur(matrix: np.ndarray, s: np.ndarray, size: np.ndarray, still: np.ndarray) -> np.ndarray:
    """Errors of s that rounding of outputs of this size may make; those that are `still`, at every seed, make none."""
    unit = np.maximum(size, 1e-300)  # rows of other units weigh as in `_solved`
    inverse = np.linalg.pinv(matrix / unit[:, None], rcond=1e-10)
    errors = ROUNDING * np.abs(inverse) @ (~still + (matrix != 0.0) @ np.abs(s))
    return np.where(_reached(matrix, ~still), errors, 0.0)


def _bounded(examined: _Found, delta: float, s: np.ndarray, blur: np.ndarray, laplace: np.ndarray) -> None:
    """Bounds on ε. A Laplace shift that is larger by h makes densities larger by e^h at most, and so ε by h."""
    moved, more, away = np.abs(s[laplace]).tolist(), math.fsum(blur[laplace]), float(np.linalg.norm(blur[~laplace]))
    examined.between = near = far = epsilon_between(delta, moved, examined.mu)
    if away > 0.0:
        near = epsilon_between(delta, moved, max(0.0, examined.mu - away))
        far = epsilon_between(delta, moved, examined.mu + away)
    examined.blurred = near[0] - more, far[1] + more


def epsilon_between(delta: float, shifts: Sequence[float], mu: float) -> tuple[float, float]:
    """Lower and upper bound on ε at `delta` of Laplace shifts (each in its scale) and a Gaussian shift of μ.

    At δ = 0 they are neighbouring doubles, or one number; of one Laplace shift alone, and of μ alone, their δ differ by
    a few `gaussian.ROUNDING` of itself.

    Examples
    --------
    >>> from dpbench_libraries.graybox import epsilon_between
    >>> epsilon_between(0.0, [1.0, 0.5], 0.0)
    (1.5, 1.5)
    """
    exact = sum(map(Fraction, shifts), Fraction(0))
    near = float(exact)
    total = (
        near if near <= exact else math.nextafter(near, 0.0),
        near if near >= exact else math.nextafter(near, math.inf),
    )
    if delta == 0.0:
        return (math.inf, math.inf) if mu > 0.0 else total
    normal = _of_gaussian(delta, mu)
    if not any(shifts):
        return normal
    largest = _of_laplace(delta, max(shifts))
    if mu == 0.0 and np.count_nonzero(shifts) == 1:
        return largest
    return max(largest[0], normal[0]), math.nextafter(total[1] + normal[1], math.inf)


def _of_gaussian(delta: float, mu: float) -> tuple[float, float]:
    if mu == 0.0:
        return 0.0, 0.0
    target = math.log(delta) + gaussian.ROUNDING
    return max(0.0, crossing(lambda e: gaussian.log_delta(e, mu) <= target)[0]), gaussian.epsilon(delta, mu)


def _of_laplace(delta: float, shift: float) -> tuple[float, float]:
    target = delta * (1.0 + 2.0 * gaussian.ROUNDING)
    return max(0.0, crossing(lambda e: laplace.delta(e, shift) <= target)[0]), laplace.epsilon(delta, shift)


def _other_noise(examined: _Found, first: np.ndarray, second: np.ndarray, delta: float) -> None:
    """Case (4): the noise depends on the data."""
    rank = [int(np.linalg.matrix_rank(m, rtol=1e-10)) for m in (first, second)]
    joint = int(np.linalg.matrix_rank(np.hstack([first, second]), rtol=1e-10))
    if not rank[0] == rank[1] == joint == first.shape[1]:
        examined.reason = "the noise depends on the data, and is not determined by the output"
    elif delta > 0.0:
        examined.reason = "the noise depends on the data: what that means at delta > 0 is left to the black box"
    else:
        turned = np.linalg.lstsq(first, second, rcond=None)[0]
        if np.allclose(turned.T @ turned, np.eye(len(turned)), atol=1e-3):
            examined.reason = (
                "the noise differs too little between the data sets to tell"
                if np.allclose(turned, np.eye(len(turned)), atol=1e-3)
                else "the draws enter the output turned or in another order on the other data set"
            )
            return
        examined.between = examined.blurred = (math.inf, math.inf)
        examined.exact = True
        examined.reason = "the noise depends on the data: the ratio of the two densities is not bounded"


def _by_call(
    draws: list[Draw], noise: list[int], owner: np.ndarray, members: list[list[int]], s: np.ndarray
) -> tuple[Shift, ...]:
    calls = []
    for k in noise:
        mine = np.abs([s[i] for i, m in enumerate(members) if owner[m[0]] == k])
        ratio = math.fsum(mine) if draws[k].kind == "laplace" else float(np.linalg.norm(mine))
        calls.append(Shift(k, draws[k].kind, draws[k].size, float(draws[k].scale.max(initial=0.0)), ratio))
    return tuple(calls)
