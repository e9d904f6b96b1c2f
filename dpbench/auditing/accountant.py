"""What an accountant of DP-SGD said, held against the exact privacy loss: Gaussian noise and Poisson sampling.

A step takes each record with probability q, sums vectors of norm at most 1, and adds N(0, σ²I). Its dominating pair for
a record that is removed is P = (1 − q)N(0, σ²) + qN(1, σ²) and Q = N(0, σ²), for one that is added the same turned
round (Zhu, Dong & Wang 2022). For a record that is replaced qN(1, σ²) stands against qN(−1, σ²): vectors of one data
set, so that what they lose is lost; for q < 1 no upper bound is claimed of them. The losses of steps add up, and

    δ(ε) = E[(1 − e^{ε − L})₊],    L = Σ L_i,    each L_i under P,

is enclosed in the manner of Gopi, Lee & Wutschitz (2021):

*Grid.* Each L_i is rounded to L_i', the nearest point of a grid of step h, and L' = Σ (L_i' + c_i) with c_i =
E[L_i − L_i']. The differences L_i − L_i' − c_i are independent, of mean 0 and range h: by Hoeffding's inequality
|L − L'| is at most s = h √(T log(2/η)/2) but for a probability of η. So δ(ε) is at most E[(1 − e^{ε − s − L'})₊] + η,
and at least the same with −s, less η.

*Tilt.* The law of L' is convolved by FFT with masses times e^{θL'}, normalised, θ that of Chernoff's bound on δ(ε).
What is small in δ is not small in that transform: δ far below the rounding of doubles are known.

*Errors.* η is 10⁻⁸ of Chernoff's bound. To either side are added the mass of the tilted law beyond the grid, by
Chernoff's bound at both ends; and the error of FFTs of N points, at most `_FFT` log₂ N in each entry of each transform,
whose T factors are at most 1 (Higham 2002, Section 24.1). The rounding of losses and of c_i is allowed for, not bounded
by a proof: `_ROUNDING` of each loss, some hundred units of it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq, minimize_scalar
from scipy.special import ndtr

from dpbench.core import validation
from dpbench.core.validation import invalid
from dpbench.privacy import gaussian

RELATIONS = ("add_remove", "replace")
_FEWEST, _MOST = 2**16, 2**22  # points of the grid of sums
_FFT = 20.0 * 2.0**-53
_ROUNDING = 1e-13
_SHARE = 1e-8
_NOTHING = 1e-30  # of the product of spectra, which is 1 at most and has an error of `_FFT` at least
_TAIL, _ROUGH = 1e-18, 1e-60
_FINE = 1e-3  # error of L' that a finer grid is not taken for
_SOLVED = 1e-9
_FEW = -math.log(1e-15)
_SMALLEST = 1e-30
_STEEP, _FAR = 30.0, 300.0  # e to twice this power is finite
_LEAST_NOISE, _MOST_NOISE, _LEAST_RATE, _MOST_KINDS = 0.1, 1e8, 1e-12, 16
_LEAST = math.log(1e-40)  # of a δ that is not told from 0
_NEAR = 0.005
"""Relative distance at which a slip explains a claimed ε."""


class Steps(NamedTuple):
    """Steps of DP-SGD of one kind: noise over clipping norm σ, probability q of each record, number T."""

    noise_multiplier: float
    sampling_rate: float
    steps: int


@dataclass(frozen=True)
class _Pair:
    """The dominating pair of a step; `direction` is "remove", "add" or "replace".

    Under P x has the law (1 − q)N(0, σ²) + qN(1, σ²), or N(0, σ²) where a record is added.
    """

    sigma: float
    q: float
    direction: str

    def loss(self, x: np.ndarray) -> np.ndarray:
        """log P/Q at x."""
        moved = self._mixed(x)
        if self.direction == "replace":
            return moved - self._mixed(-x)
        return moved if self.direction == "remove" else -moved

    def _mixed(self, x: np.ndarray) -> np.ndarray:
        logs = (x - 0.5) / self.sigma**2
        return logs if self.q == 1.0 else np.logaddexp(math.log1p(-self.q), math.log(self.q) + logs)

    def place(self, loss: np.ndarray) -> np.ndarray:
        """The x of a loss; infinite beyond the losses that there are."""
        if self.direction == "replace":
            if self.q == 1.0:
                return 0.5 * self.sigma**2 * loss
            # u = e^{x/σ²} solves kq u² + (1 − q)(1 − e^t)u − kq e^t = 0, k = e^{−1/(2σ²)}; by symmetry at |t| alone.
            size, k = np.abs(loss), self.q * math.exp(-0.5 / self.sigma**2)
            half = 0.5 * (1.0 - self.q) * -np.expm1(-size)
            logs = size + np.log(half + np.sqrt(half**2 + k**2 * np.exp(-size))) - math.log(k)
            return np.sign(loss) * self.sigma**2 * logs
        moved = loss if self.direction == "remove" else -loss
        with np.errstate(divide="ignore", invalid="ignore"):
            near = np.log1p(np.expm1(np.minimum(moved, 30.0)) / self.q)
        inside = np.where(moved > 30.0, moved - math.log(self.q), near)
        return np.where(np.isnan(inside), -math.inf, 0.5 + self.sigma**2 * inside)

    def masses(self, edges: np.ndarray) -> np.ndarray:
        """Probability of each interval of losses between rising `edges`, under P."""
        x = self.place(edges)
        if self.direction == "add":
            return _between(x[::-1] / self.sigma)[::-1]  # the loss falls as x grows
        return (1.0 - self.q) * _between(x / self.sigma) + self.q * _between((x - 1.0) / self.sigma)

    @cached_property
    def mean(self) -> float:
        """E[L] under P: the trapezoidal rule, whose error falls exponentially for what is analytic."""
        width = min(self.sigma, self.sigma**2) / 16.0
        x = width * np.arange(-math.ceil(40.0 * self.sigma / width), math.ceil((40.0 * self.sigma + 1.0) / width) + 1)
        density = np.exp(-0.5 * (x / self.sigma) ** 2)
        if self.direction != "add":
            density = (1.0 - self.q) * density + self.q * np.exp(-0.5 * ((x - 1.0) / self.sigma) ** 2)
        return float(width * (density @ self.loss(x)) / (self.sigma * math.sqrt(2.0 * math.pi)))

    def reach(self, tail: float) -> tuple[float, float]:
        """Losses that P leaves with a probability of at most `tail` in all."""
        z = math.sqrt(2.0 * math.log(2.0 / tail)) * self.sigma
        ends = self.loss(np.array([-z, z + (self.direction != "add")]))
        return float(ends.min()), float(ends.max())


def _between(edges: np.ndarray) -> np.ndarray:
    """Probability of each interval between rising `edges` under a standard normal law, from the nearer tail."""
    tails = ndtr(-np.abs(edges))
    below = np.where(edges > 0.0, 1.0 - tails, tails)
    return np.where(edges[:-1] > 0.0, tails[:-1] - tails[1:], np.diff(below))


class _Law:
    """The law of the summed losses, tilted for δ(ε) at one ε, or for the ε of one δ."""

    def __init__(self, parts: Sequence[tuple[_Pair, int]], *, epsilon: float | None = None, delta: float = 1.0) -> None:
        steps = sum(count for _, count in parts)
        rough = _Sum(parts, [(high - low) / 4096 for low, high in (pair.reach(_ROUGH) for pair, _ in parts)], _ROUGH)

        def chernoff(log_theta: float) -> float:
            """The bound on log δ(ε), or the ε where it is `delta`."""
            theta = math.exp(log_theta)
            log_delta = rough.cumulant(theta) + theta * log_theta - (1.0 + theta) * math.log1p(theta)
            return (log_delta - math.log(delta)) / theta if epsilon is None else log_delta - theta * epsilon

        best = minimize_scalar(chernoff, bounds=(-7.0, 14.0), method="bounded")
        theta = math.exp(best.x)
        least = math.log(delta) if epsilon is None else min(0.0, float(best.fun))
        self.failure = _SHARE * math.exp(max(_LEAST, least))
        tail = min(_TAIL, self.failure / steps)
        spread = math.sqrt(0.5 * steps * math.log(2.0 / self.failure))
        while True:
            low, high, down, up = rough.window(theta)
            width = 1.02 * max(high - low, *(np.ptp(pair.reach(tail)) for pair, _ in parts))
            points = _FEWEST
            while points < _MOST and width / points * spread > _FINE * min(1.0, width):
                points *= 2
            if theta * width / points * spread < _STEEP:
                break
            theta /= 4.0  # of bounded losses the best tilt may be infinite
        self.theta = theta
        law = _Sum(parts, [width / points] * len(parts), tail)
        step, first = width / points, math.floor((low - law.shift) * points / width)
        self.log_scale, kinds = law.tilted(theta)
        kept, slack = np.arange(points // 2 + 1), np.zeros(points // 2 + 1)
        product = np.ones(points // 2 + 1, dtype=np.complex128)
        for (_, count), (losses, _), masses in zip(parts, law.steps, kinds, strict=True):
            placed = np.zeros(points)
            placed[np.rint(losses / step).astype(np.int64) % points] = masses
            spectrum = np.fft.rfft(placed)[kept]
            if count > 1:  # of many steps most frequencies are left out
                large = np.abs(spectrum) > _NOTHING ** (1.0 / (count - 1))
                kept, product, slack, spectrum = (array[large] for array in (kept, product, slack, spectrum))
            others = spectrum ** (count - 1)
            # an error of 1 in each entry of the spectra moves the product by `slack`, to first order
            slack = slack * np.abs(others * spectrum) + count * np.abs(product * others)
            product = product * others * spectrum
        error = float((slack + np.abs(product)).sum())
        whole = np.zeros(points // 2 + 1, dtype=np.complex128)
        whole[kept] = product
        places = first + np.arange(points)
        self.masses = np.maximum(np.fft.irfft(whole, points)[places % points], 0.0)
        self.losses = step * places + law.shift
        # Errors of all entries alike, 2/N times `error`; e^{−θv} leaves a sum of 1/(θh) + 1 of them, or all.
        weight = min(points, 1.0 + 1.0 / (theta * step))
        below = law.cumulant(theta - down) + down * float(self.losses[0])
        above = law.cumulant(theta + up) - up * float(self.losses[-1])
        self.lost = sum(math.exp(min(0.0, end - self.log_scale)) for end in (below, above))
        self.lost += float(2.0 * error * weight / points * _FFT * math.log2(points))
        self.failure += steps * tail
        self.reach = step * spread + _ROUNDING * steps * (1.0 + max(np.abs(losses).max() for losses, _ in law.steps))

    def delta(self, epsilon: float, side: float) -> float:
        """The bound on δ(ε) from above (`side` 1) or below (−1)."""
        scale = self.log_scale - self.theta * epsilon
        if max(scale, self.theta * self.reach) > _FAR:  # so far below the tilt's own ε nothing is known
            return 1.0 if side > 0.0 else 0.0
        start = int(np.searchsorted(self.losses, epsilon - side * self.reach))
        over = self.losses[start:] - epsilon
        terms = self.masses[start:] * np.exp(-self.theta * over) * -np.expm1(-over - side * self.reach)
        total = float(terms.sum()) + side * self.lost * math.exp(self.theta * self.reach)
        return min(1.0, max(0.0, math.exp(scale) * max(0.0, total) + side * self.failure))

    def epsilons(self, delta: float) -> tuple[float, float]:
        """Bounds on the ε of `delta`, from below and from above."""
        if self.delta(0.0, 1.0) <= delta:
            return 0.0, 0.0
        high = 1.0
        while self.delta(high, 1.0) > delta:
            high *= 2.0
        top = float(brentq(lambda e: math.log(max(self.delta(e, 1.0), 1e-300) / delta), 0.0, high, xtol=_SOLVED))
        low, back = top, 4.0 * self.reach
        while low > 0.0 and self.delta(low, -1.0) <= delta:  # far below the tilt's own ε the bound is not sharp
            low, back = max(0.0, top - back), 2.0 * back
        return low, top + 2.0 * _SOLVED


class _Sum:
    """Rounded losses of steps: of each kind losses and logarithms of masses, `shift` the sum of the c_i."""

    def __init__(self, parts: Sequence[tuple[_Pair, int]], widths: Sequence[float], tail: float) -> None:
        self.counts = [count for _, count in parts]
        self.steps: list[tuple[np.ndarray, np.ndarray]] = []
        self.shift = 0.0
        for (pair, count), step in zip(parts, widths, strict=True):
            low, high = pair.reach(tail)
            places = np.arange(math.floor(low / step), math.ceil(high / step) + 1)
            masses = pair.masses(step * (np.arange(places.size + 1) + (places[0] - 0.5)))
            self.shift += count * (pair.mean - float(masses @ (step * places)))
            with np.errstate(divide="ignore"):
                self.steps.append((step * places, np.log(masses)))

    def tilted(self, theta: float) -> tuple[float, list[np.ndarray]]:
        """log E[e^{θL'}], and of each kind the masses times e^{θL}, normalised."""
        total, kinds = theta * self.shift, []
        for (losses, logs), count in zip(self.steps, self.counts, strict=True):
            exponents = theta * losses + logs
            top = float(exponents.max())
            masses = np.exp(exponents - top)
            mass = float(masses.sum())
            total += count * (top + math.log(mass))
            kinds.append(masses / mass)
        return total, kinds

    def cumulant(self, theta: float) -> float:
        """log E[e^{θL'}]."""
        return self.tilted(theta)[0]

    def window(self, theta: float) -> tuple[float, float, float, float]:
        """Ends that sums of the law tilted by θ pass with a chance of 1e-15 each, by Chernoff's bound; their tilts."""
        (here, kinds), variance = self.tilted(theta), 0.0
        for (losses, _), masses, count in zip(self.steps, kinds, self.counts, strict=True):
            variance += count * float(masses @ (losses - masses @ losses) ** 2)
        # Losses that are all rounded to one point have no variance. Any tilt gives a bound; this scale, a useful one.
        scale = max(math.sqrt(variance), 1e-3 * max(float(losses[1] - losses[0]) for losses, _ in self.steps))
        powers = [float(p) for p in np.geomspace(0.5, 20.0, 16) / scale]
        high, up = min(((self.cumulant(theta + p) - here + _FEW) / p, p) for p in powers)
        low, down = max(((here - self.cumulant(theta - p) - _FEW) / p, p) for p in powers)
        return low, high, down, up


@dataclass(frozen=True)
class AccountantCheck:
    """What an accountant said, beside the exact privacy loss.

    Attributes
    ----------
    verdict : {"refuted", "holds", "undecided"}
        Whether the mechanism is (ε, δ)-differentially private as claimed: "refuted" where the exact δ(ε) is larger
        than claimed, "holds" where it is not, "undecided" where the bounds do not tell.
    claimed : tuple of float
        ε and δ of the claim.
    epsilon : tuple of float
        Bounds on the exact ε at the claimed δ.
    delta : tuple of float
        Bounds on the exact δ at the claimed ε. Of replaced records with a sampling rate below 1 the upper bounds are
        infinity and 1: one pair of data sets says nothing of the others.
    relation : {"add_remove", "replace"}
    slips : tuple of str
        Mistakes that would explain the claim: each gives its ε within 0.5%.
    steps : tuple of tuple
        Noise multiplier, sampling rate and number of the steps.
    """

    verdict: str
    claimed: tuple[float, float]
    epsilon: tuple[float, float]
    delta: tuple[float, float]
    relation: str
    slips: tuple[str, ...]
    steps: tuple[Steps, ...]

    def __str__(self) -> str:
        epsilon, delta = self.claimed
        verdict = self.verdict + " (the bounds enclose the claim)" * (self.verdict == "undecided")
        sampled = ", Poisson sampling" * any(kind.sampling_rate < 1.0 for kind in self.steps)
        text = (
            f"{verdict}: claimed ({epsilon:.4g}, {delta:.3g}), {_RELATIONS[self.relation]}{sampled}; exact epsilon at "
            f"this delta {_range(self.epsilon)}, exact delta at this epsilon {_range(self.delta)}"
        )
        return text + "".join(f"\nas if: {slip}" for slip in self.slips)

    def to_dict(self) -> dict[str, Any]:
        """For JSON: plain numbers and texts; an infinite bound is None."""
        plain = asdict(self)
        plain["epsilon"] = [bound if math.isfinite(bound) else None for bound in self.epsilon]
        return plain


_RELATIONS = {"add_remove": "one record added or removed", "replace": "one record replaced"}


def check_accountant(
    steps: Any, epsilon: float | None = None, delta: float = 1e-5, *, relation: str = "add_remove"
) -> AccountantCheck:
    """Hold what an accountant of DP-SGD said against the exact privacy loss.

    Parameters
    ----------
    steps : mapping, sequence of mappings, accountant or event
        ``{"noise_multiplier": 1.1, "sampling_rate": 0.01, "steps": 10_000}`` (sampling_rate 1 and steps 1 where
        absent), or several of these one after the other; an accountant of Opacus (its ``history``); an event of
        dp-accounting made of Gaussian and Poisson-sampled Gaussian events. Each record is taken with probability
        `sampling_rate`, at least 1e-12, independently (Poisson sampling), vectors have norm at most 1, noise has
        standard deviation `noise_multiplier`, from 0.1 to 1e8. At most 16 kinds of steps, of any number: each takes an
        FFT of at most 2^22 points.
    epsilon : float, optional
        > 0 or 0: the claim. Default: what the accountant's ``get_epsilon`` says.
    delta : float
        In [1e-30, 1).
    relation : {"add_remove", "replace"}
        What neighbouring data sets are; noise is that of real numbers. Under "replace" with a sampling rate below 1 a
        claim may be refuted, and is never said to hold.

    Returns
    -------
    AccountantCheck

    Raises
    ------
    InvalidInput
        Naming the parameter, what it must be and what it was.

    Examples
    --------
    >>> from dpbench import check_accountant
    >>> found = check_accountant({"noise_multiplier": 3, "sampling_rate": 0.2, "steps": 50}, 1.83, 1 / 48_000)
    >>> found.verdict, found.slips
    ('refuted', ('the central limit of Gaussian differential privacy',))
    >>> [round(bound, 2) for bound in found.epsilon]
    [1.96, 1.96]
    """
    kinds = _steps(steps)
    if validation.delta(delta) < _SMALLEST:
        raise invalid("delta", f"in [{_SMALLEST:g}, 1)", delta)
    if epsilon is None:
        epsilon = _asked(steps, delta)
    epsilon = validation.real("epsilon", epsilon, at_least=0.0)
    validation.choice("relation", relation, RELATIONS)
    at_delta, at_epsilon = _exact(kinds, relation, delta=delta), _exact(kinds, relation, epsilon=epsilon)
    verdict = "refuted" if at_epsilon[0] > delta else "holds" if at_epsilon[1] <= delta else "undecided"
    slips = _slips(kinds, relation, epsilon, delta, verdict, at_delta[0])
    return AccountantCheck(verdict, (epsilon, delta), at_delta, at_epsilon, relation, slips, kinds)


def _exact(
    kinds: Sequence[Steps], relation: str, *, epsilon: float | None = None, delta: float = 1.0
) -> tuple[float, float]:
    """Bounds on the δ at `epsilon`, or else on the ε at `delta`."""
    bounds = []
    for direction in ("remove", "add") if relation == "add_remove" else ("replace",):
        law = _Law([(_Pair(sigma, q, direction), count) for sigma, q, count in kinds], epsilon=epsilon, delta=delta)
        bounds.append(law.epsilons(delta) if epsilon is None else (law.delta(epsilon, -1.0), law.delta(epsilon, 1.0)))
    low, high = np.max(bounds, axis=0).tolist()
    if relation == "replace" and any(kind.sampling_rate < 1.0 for kind in kinds):
        high = math.inf if epsilon is None else 1.0
    return low, high


def _slips(
    kinds: Sequence[Steps], relation: str, epsilon: float, delta: float, verdict: str, least: float
) -> tuple[str, ...]:
    """Which mistakes give the claimed ε at `delta`, where the exact ε is `least` or more."""

    def near(value: float) -> bool:
        return abs(value - epsilon) <= _NEAR * epsilon

    def explains(changed: Sequence[Steps], other: str = relation) -> bool:
        low, high = _exact(changed, other, delta=delta)
        return near(low) and high < least

    (first, *others), slips = kinds, []
    sensitivity = 1.0 if relation == "add_remove" else 2.0
    whole = sensitivity * math.sqrt(sum(count / sigma**2 for sigma, _, count in kinds))
    if any(kind.sampling_rate < 1.0 for kind in kinds) and near(gaussian.epsilon(delta, whole)):
        slips.append("no sampling: every record in every step")
    if verdict != "refuted":
        return tuple(slips)
    limit = math.sqrt(sum(count * q**2 * math.expm1(sigma**-2) for sigma, q, count in kinds))
    if near(gaussian.epsilon(delta, limit)):
        slips.append("the central limit of Gaussian differential privacy")
    if relation == "replace" and explains(kinds, "add_remove"):
        slips.append("a record added or removed, where one is replaced")
    if first.steps > 1 and explains([first._replace(steps=first.steps - 1), *others]):
        slips.append("a step fewer")
    if (first.steps > 1 or others) and explains([first._replace(steps=1)]):
        slips.append("a single step")
    return tuple(slips)


def _steps(steps: Any) -> tuple[Steps, ...]:
    must_be = (
        "mappings with noise_multiplier, sampling_rate and steps, an accountant of Opacus, or an event of "
        "dp-accounting made of Gaussian and Poisson-sampled Gaussian events"
    )
    history = getattr(steps, "history", None)
    if isinstance(history, list) and all(isinstance(entry, tuple) and len(entry) == 3 for entry in history):
        kinds = [Steps(*entry) for entry in history]
    elif isinstance(steps, Mapping):
        kinds = [_read(steps, must_be)]
    elif isinstance(steps, Sequence) and all(isinstance(kind, Mapping) for kind in steps):
        kinds = [_read(kind, must_be) for kind in steps]
    else:
        kinds = _of_event(steps, 1, must_be)
    counts: dict[tuple[float, float], int] = {}
    for kind in kinds:
        noise = validation.real("noise_multiplier", kind.noise_multiplier, at_least=_LEAST_NOISE)
        rate = validation.fraction("sampling_rate", kind.sampling_rate, up_to_one=True)
        if noise > _MOST_NOISE:
            raise invalid("noise_multiplier", f"at most {_MOST_NOISE:g}", noise)
        if rate < _LEAST_RATE:
            raise invalid("sampling_rate", f"at least {_LEAST_RATE:g}", rate)
        counts[noise, rate] = counts.get((noise, rate), 0) + validation.integer("steps", kind.steps, at_least=1)
    if not 1 <= len(counts) <= _MOST_KINDS:
        raise invalid("steps", f"1 to {_MOST_KINDS} kinds of {must_be}", steps)
    return tuple(Steps(noise, rate, count) for (noise, rate), count in counts.items())


def _read(kind: Mapping[str, Any], must_be: str) -> Steps:
    unknown = kind.keys() - set(Steps._fields)
    if unknown or "noise_multiplier" not in kind:
        raise invalid("steps", must_be, dict(kind))
    return Steps(kind["noise_multiplier"], kind.get("sampling_rate", 1.0), kind.get("steps", 1))


def _of_event(event: Any, count: int, must_be: str, rate: float = 1.0) -> list[Steps]:
    """The steps of an event of dp-accounting, by the name of its class: it need not be installed."""
    name = type(event).__name__
    if name == "SelfComposedDpEvent" and rate == 1.0:
        return _of_event(event.event, count * event.count, must_be)
    if name == "ComposedDpEvent" and rate == 1.0:
        return [kind for part in event.events for kind in _of_event(part, count, must_be)]
    if name == "PoissonSampledDpEvent" and rate == 1.0:
        return _of_event(event.event, count, must_be, event.sampling_probability)
    if name == "GaussianDpEvent":
        return [Steps(event.noise_multiplier, rate, count)]
    raise invalid("steps", must_be, event)


def _asked(accountant: Any, delta: float) -> float:
    """The ε that an accountant says at `delta`."""
    if not callable(getattr(accountant, "get_epsilon", None)):
        raise invalid("epsilon", "a number, where steps are no accountant with get_epsilon", None)
    return float(accountant.get_epsilon(delta=delta))


def _range(bounds: tuple[float, float]) -> str:
    low, high = bounds
    if f"{low:.3g}" == f"{high:.3g}":
        return f"{high:.4g}" if f"{low:.4g}" == f"{high:.4g}" else f"{high:.3g}"
    return f"at least {low:.4g}" if high in (math.inf, 1.0) else f"{low:.4g} to {high:.4g}"
