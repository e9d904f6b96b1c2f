"""Whether what a certificate says is true, by mpmath at 60 digits: a second checker, apart from the other one.

It has its own parser, its own numbers and its own logic: a universal statement is looked at on points of the region,
growth far out along t, a monotone profile inside the cells, so that what it calls false is false. Form (digests, widths
of enclosures, names of assumptions) is not looked at.
"""

from __future__ import annotations

import itertools
import re
from typing import Any

import mpmath
from naive.certificate_reading import (
    EQUAL,
    FUNCTIONS,
    OPPOSITE,
    Reading,
    Undefined,
    compare,
    gaussian_delta,
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
        cut = [number(text) for first, _, text in steps if first == name and not text.endswith(SLOPED)]
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
            held = attained(claim, at) if "steps" in claim else [at.holds(text) for text in claim["claims"]]
            if seen and not all(held):
                return False
        except Undefined:  # an end at which a formula is undefined is no point of the region
            seen = False
    return seen  # of the last point, the witness


NOTIONS = {"gdp": ["mu"], "zcdp": ["rho"], "renyi": ["alpha", "tau"], "dp": ["epsilon", "delta"]}


def attained(claim: dict[str, Any], at: Reading) -> list[bool]:
    """What steps that are no better than they need to be say of a composition, each of which must hold: Gaussian noise,
    randomised responses that fail openly with chance delta, and for groups events of a small chance."""
    each, _, whole = claim["rule"].partition(" to ")
    each = {"pure": "dp", "basic": "dp", "groups": "dp", "advanced": "dp", "optimal": "dp"}.get(
        each, re.split("[, ]", each)[0]
    )
    keys, numbers = NOTIONS[each], [at(text) for text in claim["steps"]]
    rows = [dict(zip(keys, numbers[i:], strict=False)) for i in range(0, len(numbers), len(keys))]
    times, k = [at(text) for text in claim["times"]], at(claim["group"])
    notion = whole.split(",")[0] or ("dp" if "order" in claim["rule"] else each)
    bound = dict(zip(NOTIONS[notion], (at(text) for text in claim["against"]), strict=False))
    steps = list(zip(times, rows, strict=True))
    said = [min([*times, k]) >= 1, len(rows) == len(times), len({row.get("alpha") for row in rows}) == 1]
    said += [row[name] > 1 if name == "alpha" else row[name] >= 0 for row in (*rows, bound) for name in row]
    said += [bound.get("delta", 0) < 1]
    orders = [bound["alpha"]] if notion == "renyi" else [mpmath.mpf(a) for a in ("1.001", "2", "9", "200")]
    room = bound.get("tau") if notion == "renyi" else bound.get("rho")
    if each != "dp":
        per = {"gdp": lambda row: row["mu"] ** 2, "zcdp": lambda row: 2 * row["rho"],
               "renyi": lambda row: 2 * row["tau"] / row["alpha"]}[each]  # fmt: skip
        square = k**2 * sum(t * per(row) for t, row in steps)
        if notion == "gdp":
            return [*said, compare("<=", mpmath.sqrt(square), bound["mu"])]
        if notion == "dp":
            return [*said, compare("<=", gaussian_delta(mpmath.sqrt(square), bound["epsilon"]), bound["delta"])]
        return [*said, *(compare("<=", a * square / 2, room if notion == "renyi" else a * room) for a in orders)]
    e, likely = mpmath.exp, [1 / (1 + mpmath.exp(-row["epsilon"])) for row in rows]
    if notion != "dp":
        if any(row["delta"] > 0 for row in rows):
            return [False]
        gained = [sum(t * mpmath.log(p**a * (1 - p) ** (1 - a) + (1 - p) ** a * p ** (1 - a))
                      for t, p in zip(times, likely, strict=True)) / (a - 1) for a in orders]  # fmt: skip
        return [*said, *(compare("<=", one, room if notion == "renyi" else a * room)
                         for a, one in zip(orders, gained, strict=True))]  # fmt: skip
    safe = mpmath.fprod((1 - row["delta"]) ** t for t, row in steps)
    events = [(1 - safe * (1 - mpmath.fprod(p**t for t, p in zip(times, likely, strict=True))),
               safe * mpmath.fprod((1 - p) ** t for t, p in zip(times, likely, strict=True)))]  # fmt: skip
    if len(steps) == 1 and times[0] == int(times[0]) and times[0] <= 60:
        n, p = int(times[0]), likely[0]
        for j in range(1, n + 1):
            more = [sum(mpmath.binomial(n, i) * x**i * (1 - x) ** (n - i) for i in range(j, n + 1)) for x in (p, 1 - p)]
            events.append((1 - safe * (1 - more[0]), safe * more[1]))
    if k > 1:
        small = [mpmath.fprod((e(-by * k * row["epsilon"]) / 2) ** t for t, row in steps) for by in (1, 2)]
        row = rows[0]
        grown = [row["delta"] * mpmath.expm1(m * row["epsilon"]) / mpmath.expm1(row["epsilon"])
                 if row["epsilon"] else row["delta"] * m for m in (k - 1, k)]  # fmt: skip
        events = [(small[0], small[1]), (grown[1], 0) if grown[0] <= (1 - row["delta"]) * (1 - likely[0]) else (0, 0)]
    return [*said, *(compare("<=", p - e(bound["epsilon"]) * q, bound["delta"] + EQUAL) for p, q in events)]


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
            "region": region, "composition": region, "growth": growth,
        }[certificate["kind"]]  # fmt: skip
        return bool(certificate["instances"]) and all(
            all(Reading(certificate, i).holds(a["formula"]) for a in certificate["assumptions"])
            and kind(certificate["claim"], i["shows"], Reading(certificate, i), certificate["verdict"])
            for i in certificate["instances"]
        )
    except (Undefined, ValueError, ZeroDivisionError, KeyError, SyntaxError, TypeError, OverflowError, AssertionError):
        return False
