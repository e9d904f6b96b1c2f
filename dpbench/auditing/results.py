"""What an audit returns, `AuditResult` (as a program: see `script`)."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dpbench.auditing.certified import Certified, Origin
from dpbench.auditing.dependence import Check
from dpbench.bounds import Region
from dpbench.core import validation

if TYPE_CHECKING:
    from dpbench.auditing.one_run import Guessed


@dataclass(frozen=True)
class AuditResult:
    """What an audit found.

    Attributes
    ----------
    epsilon_lower : float
        Lower bound on the ε at `delta`, at least 0, at the stated confidence, with no assumption on the
        outputs.
    epsilon : float or None
        The claim.
    delta, confidence : float
    trials : int
        Runs a side, choosing and certifying together.
    event : str
        The event behind `bound`, in words, with its frequencies: that of `epsilon_lower`, or of a whole claim the event
        that exceeds it most (`epsilon_lower` is then over all events certified).
    verdict : {"refuted", "blind", "not refuted"} or None
        "refuted" iff the bound exceeds the claim; "blind" if most certifying runs have, in some leaf of their outputs
        that is known by identity alone, a value not seen before (`blind` says which and what to do); None without a
        claim.
    mu_lower : float or None
        Only under ``assume="gaussian"``: no μ-GDP guarantee below this holds (Dong, Roth & Su 2019). That
        much needs no assumption; reading it as an ε (`epsilon_gaussian`) does. The verdict never uses it.
    certified : Certified or None
        The counts of `event`. None in one-run mode, whose bound is of another kind.
    family : tuple of Certified or of Guessed
        All events that were certified, or in one-run mode all guess sets, at levels that sum to at most
        1 − confidence: `epsilon_lower`, `curve` and `mu_lower` hold together at that confidence.
    seed : int
    pair : tuple or None
        The pair of data sets that a search found.
    assumptions : tuple of str
        What the bounds rest on beyond independent runs: empty for `audit`, the coins and more in one-run mode.
    checks : tuple of Check
        What was tested of the runs' independence, each kind with its p-value (see `dependence`); runs that fail are
        refused.
    excludes : str
        What the audit would have found, in words.
    claim : str
        The claim in words, where it is not `epsilon` at `delta`.
    columns : tuple of int
        The columns that drive a learned score, most telling first.
    examples : tuple of str
        Outputs in the event, from the choosing part.
    relation : {"replace", "add", "remove", "add_remove"} or None
        Of the two data sets, as it was given.
    detectable : float or None
        The smallest loss, in the claim's unit, at which this event would have refuted the claim with probability one
        half: its frequency on the side where it is rarer as observed, the other as that loss has it. None: no loss.
    bound, unit : float, str
        The lower bound in the unit of the claim: "epsilon", "mu", "rho", "Renyi divergence at order 8", ...
    claim_value : float or None
        A whole claim in that unit, where it is one number.
    blind : str
        Which leaves most runs give unseen values of, and what to do about it.
    ignored : tuple of str
        Leaves that were left out.
    origin : Origin or None
        What `script` is made from; not compared, shown or stored.
    """

    epsilon_lower: float
    epsilon: float | None
    delta: float
    confidence: float
    trials: int
    event: str
    verdict: str | None
    mu_lower: float | None
    certified: Certified | None
    family: tuple[Certified | Guessed, ...]
    seed: int
    pair: tuple[Any, Any] | None = None
    assumptions: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()
    excludes: str = ""
    claim: str = ""
    columns: tuple[int, ...] = ()
    examples: tuple[str, ...] = ()
    relation: str | None = None
    detectable: float | None = None
    bound: float | None = None
    unit: str = "epsilon"
    claim_value: float | None = None
    blind: str = ""
    ignored: tuple[str, ...] = ()
    origin: Origin | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        # What a result says holds together at its confidence if the levels of all its certificates sum to at most
        # 1 - confidence (the union bound); this is the one place that looks, however a result was made.
        spent = math.fsum(c.alpha for c in self.family)
        if spent > (1.0 - self.confidence) * (1.0 + 1e-9):
            raise RuntimeError(f"levels of an audit sum to {spent:g}, beyond 1 - {self.confidence:g}")

    def curve(self, epsilons: Any) -> np.ndarray:
        """Lower bounds on δ(ε), valid simultaneously for all ε ≥ 0 at the audit's confidence.

        Parameters
        ----------
        epsilons : float64[m]
            Values of ε ≥ 0, in any order.

        Returns
        -------
        float64[m]
            At least 0.
        """
        wanted = validation.array("epsilons", np.atleast_1d(epsilons), ndim=1)
        if (wanted < 0.0).any():
            raise validation.invalid("epsilons", "values >= 0", float(wanted.min()))
        found = np.zeros_like(wanted)
        for certified in self.family:
            found = np.maximum(found, certified.delta(wanted))
        return found

    def tradeoff(self, false_positive_rates: Any) -> np.ndarray:
        """Upper bounds on the trade-off function f, valid simultaneously, at the audit's confidence.

        Some attack on one of the two directions misses at most this share, at each rate of false alarms: the claim
        "f-DP" is refuted for every f above the bound anywhere.

        Parameters
        ----------
        false_positive_rates : float64[m]
            In [0, 1].

        Returns
        -------
        float64[m]
            False-negative rates.

        Raises
        ------
        InvalidInput
            Of a one-run audit too: guesses bound δ(ε), and no single attack's two error rates.
        """
        from dpbench.auditing.tradeoff import upper_bound

        rates = validation.array("false_positive_rates", np.atleast_1d(false_positive_rates), ndim=1)
        if not ((rates >= 0.0) & (rates <= 1.0)).all():
            raise validation.invalid("false_positive_rates", "values in [0, 1]", false_positive_rates)
        return upper_bound(self._regions(), rates)

    def _regions(self) -> list[Region]:
        if any(not isinstance(c, Certified) for c in self.family):
            raise validation.invalid("the result", "of an audit of two data sets", "a one-run audit")
        return [c.region(128) for c in self.family if isinstance(c, Certified)]

    @property
    def beside(self) -> dict[str, float]:
        """In one-run mode, the ε that published analyses give for the same guesses at the same levels."""
        found: dict[str, float] = {}
        for guessed in self.family if self.certified is None else ():
            for name, bound in guessed.published(self.delta).items():  # type: ignore[union-attr]
                found[name] = max(found.get(name, 0.0), bound)
        return found

    @property
    def epsilon_gaussian(self) -> float | None:
        """ε at `delta` of a Gaussian pair `mu_lower` apart: a bound only if the pair IS Gaussian."""
        if self.mu_lower is None:
            return None
        from dpbench.privacy import gaussian

        return gaussian.epsilon(self.delta, self.mu_lower)

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings, ready for JSON (without `pair`, which may be any objects)."""
        plain = asdict(replace(self, pair=None, origin=None))
        del plain["pair"], plain["origin"]
        return {**plain, "epsilon_gaussian": _finite(self.epsilon_gaussian), "beside": self.beside}

    def script(self) -> str:
        """A Python program that stands alone: it draws the pair again, counts the event, prints the exact interval.

        Raises
        ------
        InvalidInput
            There is no event of two data sets, or no sampler to draw it from.
        """
        from dpbench.auditing.script import script

        return script(self)

    @property
    def claimed(self) -> str:
        """The claim in words, with the relation it is made for."""
        said = self.claim or f"({self.epsilon:g}, {self.delta:g})-differential privacy"
        return said + ("" if self.relation is None else f" under {self.relation.replace('_', '/')}")

    @property
    def claimed_value(self) -> float | None:
        """The claim as one number in its unit, where it is one."""
        return self.epsilon if self.epsilon is not None else self.claim_value

    @property
    def noise_caught(self) -> float | None:
        """How many times too little noise the audit would have caught with probability one half, of a claim that is one
        number; None: none that is known. A loss is taken to be in proportion to 1/noise (rho to its square)."""
        claimed = self.claimed_value
        if self.detectable is None or not claimed:
            return None
        times = self.detectable / claimed
        return math.sqrt(times) if self.unit == "rho" else times

    @property
    def outcome(self) -> str:
        """The verdict in one line: of a refuted claim by how much, else what would have been caught."""
        claimed = self.claimed_value
        if self.verdict is None:
            return "no claim"
        if self.verdict == "refuted":
            return f"refuted: {self.unit} >= {self.bound:.4g}{'' if claimed is None else f' > {claimed:g}'}"
        if self.detectable is None:
            return f"{self.verdict}; no power shown{f': {self.excludes}' if self.excludes else ''}"
        times = self.noise_caught
        if times is not None and times > POWERLESS:
            return f"{self.verdict}; no power: would not have caught ten times too little noise"
        noise = "" if times is None else f" (noise {times:.3g} times too small)"
        return f"{self.verdict}; would have caught {self.unit} {self.detectable:.3g}{noise}"

    @property
    def convention(self) -> str:
        """Of a refuted ε: whether twice the claim is refuted too, which another relation cannot explain.

        If it is not, the relation is to be checked, unless it is given as one that changes the number of records: then
        the claim was not read as one for records replaced.
        """
        if self.verdict != "refuted" or self.epsilon is None or self.certified is None:
            return ""
        if self.epsilon_lower > 2.0 * self.epsilon:
            return "twice the claimed epsilon is refuted too: no convention of neighbours explains it, a bug"
        if self.relation not in (None, "replace"):
            return ""
        return (
            "twice the claimed epsilon is not refuted: a claim for records added or removed, read as one for records "
            "replaced, would look like this; check the convention before the code"
        )

    def __str__(self) -> str:
        said = self.claim if self.epsilon is None else f"{self.epsilon:g}"
        said += "" if self.relation is None else f" under {self.relation.replace('_', '/')}"
        claim = "" if self.verdict is None else f"; claim {said}: {self.outcome}"
        if self.verdict == "blind":
            claim += f" ({self.blind})"
        event, over = f" ({self.event})", ""
        if self.claim and self.bound is not None and self.certified is not None:  # the event is that of this bound
            unit = "the epsilon claimed" if self.unit == "epsilon" else self.unit
            event, over = f"; {unit} >= {self.bound:.4g}{event}", ", over all events certified"
        elif self.claim and self.bound is not None:
            claim = f"; {self.unit} >= {self.bound:.4g}{claim}"
        if self.convention:
            claim += f" ({self.convention})"
        if self.ignored:
            claim += f"; left out: {', '.join(self.ignored)}"
        mu = "" if self.mu_lower is None else f"; assuming a Gaussian pair: mu >= {self.mu_lower:.4g}"
        rests = f"; if {' and '.join(self.assumptions)}" if self.assumptions else ""
        return (
            f"epsilon >= {self.epsilon_lower:.4g} at delta = {self.delta:g}, confidence {self.confidence:g}, "
            f"{self.trials} {'canaries' if self.assumptions else 'runs a side'}{over}{event}{claim}{mu}{rests}"
        )


def _finite(value: float | None) -> float | None:
    return value if value is not None and np.isfinite(value) else None


POWERLESS = 10.0  # times too little noise: an audit that would not have caught that has no power
