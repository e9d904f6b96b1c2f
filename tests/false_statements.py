"""Statements of every kind of certificate whose truth is known by construction, near the edge between true and false.

``KINDS[kind](rng, false)`` is one false statement, or its true twin: the same construction with the margin on the other
side. Numbers come from mpmath, never from the checker. What a false one shows is its honest number, or a forged one
that would carry the claim, so that the logic is what has to refuse it.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
from naive.certificate_reading import FUNCTIONS
from whole_certificates import certificate

Made = dict[str, Any]
TIES = (
    ("(a + b)^2", "a^2 + 2*a*b + b^2", lambda a, b: (a + b) ** 2),
    ("(a + b)*(a - b) + b^2", "a*a", lambda a, b: a * a),
    ("a/(1/(a + b))", "a*a + b*a", lambda a, b: a * (a + b)),
)
"""Two texts of one value, and the value."""


def real(value: Fraction) -> Any:
    return mpmath.mpf(value.numerator) / value.denominator


def rational(value: Any, digits: int = 40) -> Fraction:
    """A number of mpmath to so many digits."""
    scale = Fraction(10) ** (digits - int(mpmath.floor(mpmath.log10(abs(value))))) if value else Fraction(1)
    return Fraction(int(mpmath.nint(value * real(scale)))) / scale


def shown(value: Any, digits: int = 15) -> list[str]:
    """An enclosure that is narrower than all margins, unless it is told otherwise."""
    ends = sorted(rational(value) * (1 + Fraction(by, 10**digits)) for by in (-1, 1))
    return [str(end) for end in ends]


def margin(rng: random.Random) -> Fraction:
    """At most a percent of the value, down to a billionth of it."""
    return Fraction(rng.randint(1, 99), 10 ** rng.choice((4, 4, 5, 6, 9, 11)))


def number(rng: random.Random, low: float = 0.1, high: float = 10.0) -> Fraction:
    return Fraction(rng.uniform(low, high)).limit_denominator(1000)


def forged(rng: random.Random, honest: Any, wanted: Any) -> Any:
    """The number that is shown: what is, or in a third of the cases what the claim would need."""
    return wanted if rng.random() < 1 / 3 else honest


def texts(**values: Fraction) -> dict[str, str]:
    return {name: str(value) for name, value in values.items()}


def formula(rng: random.Random, values: dict[str, Fraction], deep: int = 3) -> tuple[str, Any]:
    """A positive formula in the symbols, and its value."""
    if deep == 0 or rng.random() < 0.15:
        name = rng.choice(sorted(values))
        return name, real(values[name])
    sort, k = rng.choice(("+", "*", "/", "max", "min", "root", "log", "exp", "power", "count")), rng.randint(2, 4)
    a, x = formula(rng, values, deep - 1)
    b, y = formula(rng, values, deep - 1) if sort in ("+", "*", "/", "max", "min") else ("", mpmath.mpf(1))
    return {
        "+": (f"({a} + {b})", x + y), "*": (f"({a})*({b})", x * y), "/": (f"({a})/({b})", x / y),
        "max": (f"max({a}, {b})", max(x, y)), "min": (f"min({a}, {b})", min(x, y)),
        "root": (f"sqrt({a})", mpmath.sqrt(x)), "log": (f"log(1 + {a})", mpmath.log1p(x)),
        "exp": (f"exp(-1/(1 + {a}))", mpmath.exp(-1 / (1 + x))), "power": (f"({a})^(1/{k})", mpmath.root(x, k)),
        "count": (f"{k}*({a})", k * x),
    }[sort]  # fmt: skip


def inequality(rng: random.Random, false: bool) -> Made:
    """Says "refuted" of a comparison that holds, ties among them."""
    values = {"a": number(rng), "b": number(rng)}
    relation, off = rng.choice(("<=", "<", ">=", ">")), margin(rng)
    if false and relation in ("<=", ">=") and rng.random() < 0.15:
        left, right, value = rng.choice(TIES)
        x = y = value(*map(real, values.values()))
    else:
        factor = 1 + off if (relation[0] == "<") == false else 1 - off
        left, x = formula(rng, values)
        right, y = f"({left})*{factor.numerator}/{factor.denominator}", x * real(factor)
    wanted = y * (1 + (1 if relation[0] == "<" else -1) * mpmath.mpf("1e-4"))
    claim = {"left": left, "relation": relation, "right": right}
    shows = {"left": shown(forged(rng, x, wanted) if false else x), "right": shown(y)}
    used = {name: value for name, value in values.items() if name in f"{left} {right}".replace("max", "")}
    return certificate("inequality", claim, values=texts(**used), shows=shows)


def claimed(rng: random.Random, value: Any, beyond: bool) -> Fraction:
    """A δ by a margin above the value ("within"), or below it ("beyond")."""
    off = margin(rng)
    return rational(value * real(1 - off if beyond else 1 + off))


def pair_discrete(rng: random.Random, false: bool) -> Made:
    """Says "refuted" of a δ that the event does not exceed, or by laws that are none."""
    k, parts = rng.randint(2, 4), []
    for _ in range(2):
        weights = [rng.randint(1, 30) for _ in range(k)]
        parts.append([Fraction(w, sum(weights)) for w in weights])
    e = number(rng, 0.05, 1.5)
    event = sorted(range(k), key=lambda i: -parts[0][i] / parts[1][i])[: rng.randint(1, k - 1)]
    wrong = false and rng.random() < 0.2
    if wrong:  # masses that do not add up to one carry the violation
        parts[0][event[0]] += margin(rng) * 10
    value = real(sum(parts[0][i] for i in event)) - mpmath.exp(real(e)) * real(sum(parts[1][i] for i in event))
    if value <= mpmath.mpf("1e-6"):
        return pair_discrete(rng, false)
    delta = claimed(rng, value, beyond=wrong or not false)
    names = [[f"{law}{i}" for i in range(k)] for law in "pq"]
    values = {name: w for law, ws in zip(names, parts, strict=True) for name, w in zip(law, ws, strict=True)}
    claim = {"p": names[0], "q": names[1], "event": sorted(event), "epsilon": "epsilon",
             "delta": "delta"}  # fmt: skip
    said = forged(rng, value, real(delta) * mpmath.mpf("1.0001")) if false else value
    return certificate("pair-discrete", claim, values=texts(**values, epsilon=e, delta=delta),
                       shows={"delta": shown(said)})  # fmt: skip


def _pair(rng: random.Random) -> tuple[str, dict[str, Fraction], Any]:
    """A family with its values of shift, scale and ε, and its δ there, which is not negligible."""
    family = rng.choice(("gaussian", "laplace"))
    scale, epsilon = number(rng, 0.5, 5.0), number(rng, 0.05, 3.0)
    ratio = number(rng, 0.3, 3.0) if family == "gaussian" else epsilon + number(rng, 0.05, 3.0)
    value = FUNCTIONS[f"{family}_delta"](real(ratio), real(epsilon))
    if value < mpmath.mpf("1e-8"):
        return _pair(rng)
    return family, {"s": ratio * scale, "b": scale, "epsilon": epsilon}, value


def pair_shift(rng: random.Random, false: bool) -> Made:
    """Says "refuted" of a δ that the pair does not exceed."""
    family, values, value = _pair(rng)
    delta = claimed(rng, value, beyond=not false)
    claim = {"family": family, "shift": "s", "scale": "b", "epsilon": "epsilon", "delta": "delta"}
    said = forged(rng, value, real(delta) * mpmath.mpf("1.0001")) if false else value
    return certificate("pair-shift", claim, values=texts(**values, delta=delta), shows={"delta": shown(said)})


def _with_less(family: str, values: dict[str, Fraction]) -> mpmath.mpf:
    """What holds at six per cent less noise, hence at a hundredth less too, however steep the profile is."""
    ratio = real(values["s"] / values["b"]) * mpmath.mpf("1.06")
    return ratio if family in ("pure", "bound") else FUNCTIONS[f"{family}_delta"](ratio, real(values["epsilon"]))


def guarantee(rng: random.Random, false: bool) -> Made:
    """Says "proved" of a claim that is too small, or of a noise that is not the calibrated one."""
    family, values, value = _pair(rng)
    loose = false and rng.random() < 0.2  # the claim holds with less noise too: nothing is calibrated to it
    if rng.random() < 1 / 3:
        family = rng.choice(("pure", "bound"))
        value = real(values["s"] / values["b"])
        if family == "bound" and value >= 1:
            values["b"] *= 10
            value /= 10
    of = "loss" if family == "pure" else "delta"
    within = rational(_with_less(family, values)) if loose else claimed(rng, value, beyond=false)
    if family != "pure" and within >= 1:
        return guarantee(rng, false)
    by = {"epsilon": values.pop("epsilon"), "delta": within}
    by = {"pure": {"epsilon": within}, "bound": {"delta": within}}.get(family, by)
    said = forged(rng, value, real(within) * mpmath.mpf("0.9999")) if false and not loose else value
    claim = {"family": family, "shift": "s", "scale": "b", "calibrated": "b" if loose else ""}
    claim |= {name: name if name in by else "0" for name in ("epsilon", "delta")}
    return certificate("guarantee", claim, values=texts(**values, **by), shows={of: shown(said)}, verdict="proved")


def region(rng: random.Random, false: bool) -> Made:
    """Says "proved" of a bound below the least value on a region, at an end, a turn, or where what is given begins."""
    at, c, more = Fraction(rng.randint(1, 80), 8), number(rng), number(rng)
    low, high = str(at - 1 - more), rng.choice(("inf", str(at + 1 + more)))
    left, least, start, given, cut = rng.choice((
        ("c*(1 + (x - a)^2)", c, low, "", True), ("c*(2 - 1/(1 + x - a))", c, str(at), "", False),
        ("c*(exp(x - a) + a - x)", c, low, "", True), ("c*(1 + x - a)", c, low, "x > a", True),
        ("c*(1 + x - a + abs(a - x))", c, low, "", True), ("c*(1 + max(x - a, 0))", c, low, "x > a", True),
    ))  # fmt: skip
    bound = real(least) * (1 + real(margin(rng)) * (1 if false else -1))
    ends = {"x": [start, high]}
    cuts = [f"x {at}", "", ""] if cut else [""]
    claim = {"region": ends, "cuts": cuts, "given": [given] if given else [], "claims": [f"h <= {left}"],
             "witness": {"x": str(at + more)}}  # fmt: skip
    return certificate("region", claim, values=texts(c=c, a=at, h=rational(bound)), free={"x": ""}, verdict="proved")


def composition(rng: random.Random, false: bool) -> Made:
    """Says "proved" of less, or more, than what T steps, or a group of T, come to by an exact rule."""
    rule, steps, times, group, whole = rng.choice((
        ("gdp", ["c*x"], "T", "1", ["h*sqrt(T)*c*x"]), ("gdp", ["c*x"], "1", "T", ["h*T*c*x"]),
        ("zcdp", ["c*x"], "T", "1", ["h*c*x*T"]), ("zcdp", ["c*x"], "2", "T", ["2*h*c*x*T^2"]),
        ("gdp to zcdp", ["c*x"], "T", "1", ["h*T*(c*x)^2/2"]), ("zcdp to renyi", ["c*x"], "T", "1", ["3", "3*h*T*c*x"]),
        ("renyi", ["4", "c*x"], "T", "1", ["4", "h*T*c*x"]), ("basic", ["c*x", "0"], "T", "1", ["h*T*c*x", "0"]),
    ))  # fmt: skip
    claim = {"rule": rule, "steps": steps, "times": [times], "group": group, "against": whole, "cuts": [""],
             "given": [], "region": {"x": ["1/10", "1/5"], "T": ["1", "3"]}, "integers": ["T"],
             "neighbours": "replace",
             "witness": {"x": "1/8", "T": "2"}}  # fmt: skip
    h = 1 - margin(rng) if false else 1 + margin(rng)
    return certificate("composition", claim, values=texts(c=number(rng), h=h), free={"x": "", "T": ""},
                       verdict="proved")  # fmt: skip


def growth(rng: random.Random, false: bool) -> Made:
    """Says "refuted" by a growth that is slower than it says, or that saturates far out."""
    c, first, a = number(rng), rng.randint(10, 40), Fraction(rng.randint(1, 8), 4)
    late, logs = rng.randint(first, 300), rng.randint(0, 2)
    t = mpmath.mpf(2) ** first
    slow = Fraction(rng.randint(0, 3), 4)
    quantity, value, at = rng.choice((
        (f"c*t^({a})", t ** real(a), (a, 0)),
        (f"c*t^({a})*log(t)^{logs}", t ** real(a) * mpmath.log(t) ** logs, (a, logs)),
        (f"c*t^({a})/(1 + t^({a})/2^{late})", t ** real(a) / (1 + t ** real(a) / mpmath.mpf(2) ** late), (0, 0)),
        (f"c*t^({a})*log(t)^{logs}/(1 + t^({slow})/2^{late})",
         t ** real(a) * mpmath.log(t) ** logs / (1 + t ** real(slow) / mpmath.mpf(2) ** late), (a - slow, logs)),
        (f"min(c*t^({a}), c*2^{late}*t^({slow}))",
         min(t ** real(a), mpmath.mpf(2) ** late * t ** real(slow)), (min(a, slow), 0)),
    ))  # fmt: skip
    power, log_power = Fraction(at[0]), Fraction(at[1])
    off = Fraction(rng.randint(1, 9), rng.choice((10, 100, 1000)))
    if rng.random() < 0.3:
        log_power += Fraction(rng.randint(1, 8), 4) * (1 if false else -1)
    else:
        power += off if false else -off
    if (power, log_power) <= (0, 0):
        return growth(rng, false)
    claim = {"variable": "t", "from": first, "quantity": quantity, "power": str(power), "log_power": str(log_power),
             "holds": []}  # fmt: skip
    return certificate("growth", claim, values=texts(c=c), free={"t": ""},
                       shows={"quantity": shown(real(c) * value)})  # fmt: skip


KINDS: dict[str, Callable[[random.Random, bool], Made]] = {
    "inequality": inequality, "pair-discrete": pair_discrete, "pair-shift": pair_shift, "guarantee": guarantee,
    "region": region, "composition": composition, "growth": growth,
}  # fmt: skip
