"""Whether what a certificate says is true, by mpmath at 60 digits: a second checker, apart from the other one.

It has its own parser, its own numbers and its own logic: a universal statement is looked at on points of the region,
growth far out along t, a monotone profile inside the cells, so that what it calls false is false. Form (digests, widths
of enclosures, names of assumptions) is not looked at.
"""

from __future__ import annotations

import itertools
from typing import Any

import mpmath
from naive.certificate_reading import (
    EQUAL,
    FUNCTIONS,
    OPPOSITE,
    Reading,
    Undefined,
    compare,
    number,
)

FAR = (1, 2, 5, 20, 100, 400, 1500, 9000, 18_000)
"""Doublings beyond the first t at which growth is looked at."""


def within(pair: list[str], value: Any) -> bool:
    low, high = map(number, pair)
    return compare("<=", low, value) and compare("<=", value, high)


def budget(claim: dict[str, Any], read: Reading) -> bool:
    epsilon, delta = read(claim["epsilon"]), read(claim["delta"])
    return bool(epsilon >= 0 and 0 <= delta < 1)


def pair_discrete(claim: dict[str, Any], shows: dict[str, Any], read: Reading, verdict: str) -> bool:
    laws = []
    for texts in (claim["p"], claim["q"]):
        law = [read(text) for text in texts if text != "rest"]
        law += [1 - sum(law)] if "rest" in texts else []
        if min(law) < -EQUAL or not compare("=", sum(law), mpmath.mpf(1)):
            return False
        laws.append(law)
    if not budget(claim, read) or sorted(set(claim["event"])) != claim["event"]:
        return False
    first, second = (sum(law[i] for i in claim["event"]) for law in laws)
    excess = first - mpmath.exp(read(claim["epsilon"])) * second
    return within(shows["delta"], excess) and excess > read(claim["delta"]) and len(laws[0]) == len(laws[1])


def shift(claim: dict[str, Any], shows: dict[str, Any], read: Reading, verdict: str) -> bool:
    ratio, epsilon, delta = read(claim["shift"]) / read(claim["scale"]), read(claim["epsilon"]), read(claim["delta"])
    if not budget(claim, read) or read(claim["scale"]) <= 0 or ratio < 0:
        return False
    if claim["family"] == "pure":
        return verdict == "proved" and within(shows["loss"], ratio) and compare("<=", ratio, epsilon)
    if claim["family"] == "bound":
        return verdict == "proved" and within(shows["delta"], ratio) and compare("<=", ratio, delta)
    value = FUNCTIONS[f"{claim['family']}_delta"](ratio, epsilon)
    relation = {"refuted": ">", "proved": "<="}[verdict]
    return within(shows["delta"], value) and compare(relation, value, delta)


def guarantee(claim: dict[str, Any], shows: dict[str, Any], read: Reading, verdict: str) -> bool:
    """Within the claim; where a number is calibrated, a hundredth less noise is not (or less of a weight is)."""
    if verdict != "proved" or not shift(claim, shows, read, verdict):
        return False
    if not claim["calibrated"]:
        return True
    at = read(claim["calibrated"])
    kept = []
    for factor in (mpmath.mpf("0.99"), mpmath.mpf("1.01")):
        moved = read.given(**{claim["calibrated"]: at * factor})
        ratio = moved(claim["shift"]) / moved(claim["scale"])
        if claim["family"] in ("pure", "bound"):
            kept.append(ratio <= moved(claim["epsilon" if claim["family"] == "pure" else "delta"]))
        else:
            value = FUNCTIONS[f"{claim['family']}_delta"](ratio, moved(claim["epsilon"]))
            kept.append(value <= moved(claim["delta"]))
    return sorted(kept) == [False, True]


def inequality(claim: dict[str, Any], shows: dict[str, Any], read: Reading, verdict: str) -> bool:
    left, right = read(claim["left"]), read(claim["right"])
    if verdict != "refuted":
        return False
    broken = compare(OPPOSITE[claim["relation"]], left, right)
    return broken and within(shows["left"], left) and within(shows["right"], right)


def region(claim: dict[str, Any], shows: dict[str, Any], read: Reading, verdict: str) -> bool:
    """At points of the region where what is given holds, far out on half-lines; the cuts must be a tree of it."""
    if verdict != "proved" or not claim["region"]:
        return False
    sides: dict[str, list[Any]] = {}
    for name, (low, high) in claim["region"].items():
        a, b = (None if end in ("inf", "-inf") else number(end) for end in (low, high))
        if (a is None and low != "-inf") or (b is None and high != "inf"):
            return False
        if a is not None and b is not None and a >= b:
            return False
        start, stop = a if a is not None else (b or 0) - 10**6, b if b is not None else (a or 0) + 10**6
        powers = [mpmath.mpf(10) ** -k for k in (12, 6, 3, 1)]
        shares = [*powers, mpmath.mpf("0.25"), mpmath.mpf("0.5"), *(1 - one for one in powers)]
        steps = [one.partition(" ") for one in claim["cuts"]]
        cut = [number(text) for first, _, text in steps if first == name and text not in SLOPED]
        near = [at + by for at in cut[:4] for by in (0, mpmath.mpf(10) ** -16, -(mpmath.mpf(10) ** -16))]
        sides[name] = [start, *(start + (stop - start) * share for share in shares), *near, stop]
    if not tree(claim["cuts"], {name: claim["region"][name] for name in sides}):
        return False
    if len(sides) > 3:  # each symbol alone, the others in the middle and at their ends
        points = [
            {**{n: values[at] for n, values in sides.items()}, name: one}
            for at in (0, 1, 5, -1) for name in sides for one in sides[name]
        ]  # fmt: skip
    else:
        points = [dict(zip(sides, point, strict=True)) for point in itertools.product(*sides.values())]
    points.append({name: number(value) for name, value in claim["witness"].items()})
    seen = False
    for point in points:
        at = read.given(**point)
        try:
            seen = all(at.holds(text) for text in claim["given"])
            held = [at.holds(text) for text in claim["claims"]]
            if seen and not all(held):
                return False
        except Undefined:  # an end at which a formula is undefined is no point of the region
            seen = False
    return seen  # of the last point, the witness


SLOPED = ("rises", "falls")


def tree(cuts: list[str], ends: dict[str, list[str]]) -> bool:
    """Whether cuts are a tree: each within its cell, and as many cells as parts."""
    infinite = {"inf": mpmath.inf, "-inf": -mpmath.inf}
    read = {name: [infinite[e] if e in infinite else number(e) for e in pair] for name, pair in ends.items()}
    left = [{name: (low, high) for name, (low, high) in read.items()}]
    for cut in cuts:
        if not left:
            return False
        cell = left.pop()
        if cut:
            name, _, text = cut.partition(" ")
            if name in cell and text in SLOPED:  # the derivative on the cell, the claim on a face, the rest
                face = {other: ends for other, ends in cell.items() if other != name}
                if cell[name][text == "falls"] in infinite.values():
                    return False
                left += [cell, face, cell]
                continue
            at = number(text)
            if name not in cell or not cell[name][0] < at < cell[name][1]:
                return False
            left += [{**cell, name: (at, cell[name][1])}, {**cell, name: (cell[name][0], at)}]
    return not left


def growth(claim: dict[str, Any], shows: dict[str, Any], read: Reading, verdict: str) -> bool:
    """The quantity over t^power log(t)^log_power does not fall to nothing, up to t = 2^(from + 18,000)."""
    t, first = claim["variable"], claim["from"]
    power, logs = read(claim["power"]), read(claim["log_power"])
    if verdict != "refuted" or not (power, logs) > (0, 0):
        return False
    start = read.given(**{t: mpmath.mpf(2) ** first})(claim["quantity"])
    shares = []
    for j in (0, *FAR):
        at = mpmath.mpf(2) ** (first + j)
        here = read.given(**{t: at})
        if not all(here.holds(text) for text in claim["holds"]):
            return False
        shares.append(here(claim["quantity"]) / (at**power * mpmath.log(at) ** logs))
    kept = shares[0] > 0 and min(shares) >= shares[0] / 10**6 and shares[-1] >= shares[-2] * mpmath.mpf("0.9")
    return bool(kept) and within(shows["quantity"], start)


def true(certificate: dict[str, Any]) -> bool:
    """Whether the assumptions hold at every instance, every enclosure holds, and the conclusion follows."""
    try:
        kind = {
            "pair-discrete": pair_discrete, "pair-shift": shift, "guarantee": guarantee, "inequality": inequality,
            "region": region, "growth": growth,
        }[certificate["kind"]]  # fmt: skip
        return bool(certificate["instances"]) and all(
            all(Reading(certificate, i).holds(a["formula"]) for a in certificate["assumptions"])
            and kind(certificate["claim"], i["shows"], Reading(certificate, i), certificate["verdict"])
            for i in certificate["instances"]
        )
    except (Undefined, ValueError, ZeroDivisionError, KeyError, SyntaxError, TypeError, OverflowError, AssertionError):
        return False
