"""Whether what a certificate says is true, by mpmath at 60 digits: a second reading, apart from the checker.

Form (digests, widths of enclosures, names of assumptions) is not looked at.
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
    betatail,
    compare,
    number,
)


def within(pair: list[str], value: Any) -> bool:
    low, high = map(number, pair)
    return compare("<=", low, value) and compare("<=", value, high)


def pair_discrete(claim: dict[str, Any], shows: dict[str, Any], read: Reading, verdict: str) -> bool:
    laws = []
    for texts in (claim["p"], claim["q"]):
        law = [read(text) for text in texts if text != "rest"]
        law += [1 - sum(law)] if "rest" in texts else []
        if claim["normalise"] is True:
            law = [weight / sum(law) for weight in law]
        if min(law) < -EQUAL or not compare("=", sum(law), mpmath.mpf(1)):
            return False
        laws.append(law)
    first, second = (sum(law[i] for i in claim["event"]) for law in laws)
    excess = first - mpmath.exp(read(claim["epsilon"])) * second
    return within(shows["delta"], excess) and excess > read(claim["delta"]) and len(laws[0]) == len(laws[1])


def shift(claim: dict[str, Any], shows: dict[str, Any], read: Reading, verdict: str) -> bool:
    ratio, epsilon, delta = read(claim["shift"]) / read(claim["scale"]), read(claim["epsilon"]), read(claim["delta"])
    if claim["family"] == "pure":
        return verdict == "proved" and ratio >= 0 and within(shows["loss"], ratio) and compare("<=", ratio, epsilon)
    if claim["family"] == "bound":
        return verdict == "proved" and within(shows["delta"], ratio) and compare("<=", ratio, delta)
    value = FUNCTIONS[f"{claim['family']}_delta"](ratio, epsilon)
    relation = {"refuted": ">", "proved": "<="}[verdict]
    return within(shows["delta"], value) and compare(relation, value, delta) and delta >= 0


def inequality(claim: dict[str, Any], shows: dict[str, Any], read: Reading, verdict: str) -> bool:
    left, right = read(claim["left"]), read(claim["right"])
    broken = compare(OPPOSITE[claim["relation"]], left, right)
    return broken and within(shows["left"], left) and within(shows["right"], right)


def sample(claim: dict[str, Any], shows: dict[str, Any], read: Reading, verdict: str) -> bool:
    at = {name: read(text) for name, text in claim.items()}
    k, n, j, m = (at[name] for name in ("first_count", "first_runs", "second_count", "second_runs"))
    if any(value != int(value) or value < 0 for value in (k, j, n - k, m - j)):
        return False
    tails = betatail(at["p_lower"], k, n - k + 1), betatail(1 - at["q_upper"], m - j, j + 1)
    return (
        within(shows["first_tail"], tails[0])
        and within(shows["second_tail"], tails[1])
        and compare("<=", sum(tails), at["level"])
        and at["p_lower"] > mpmath.exp(at["bound"]) * at["q_upper"] + at["delta"]
        and (at["bound"] > at["epsilon"] if verdict == "refuted" else at["bound"] <= at["epsilon"])
    )


def sample_mean(claim: dict[str, Any], shows: dict[str, Any], read: Reading, verdict: str) -> bool:
    """The bound's own tail from its law; a bound at the end of the range costs nothing."""
    lower = {"<=": True, ">=": False}[claim["relation"]]
    bound, level, right = read("bound"), read("level"), read(claim["right"])
    end = None
    if claim["family"] == "count":
        n, k = read("runs"), read("hits")
        if n != int(n) or k != int(k) or not 0 <= k <= n:
            return False
        end = mpmath.mpf(0 if lower else 1)
    elif claim["family"] == "range":
        end = read("low") if lower else read("high")
    free = end is not None and compare("=", bound, end)
    if not free:
        tail = _mean_tail(claim["family"], read, bound, lower)
        if not (within(shows["tail"], tail) and compare("=", tail, read(claim["tail"])) and compare("<=", tail, level)):
            return False
    beyond = bound > right if lower else bound < right
    return bool(beyond == (verdict == "refuted"))


def _mean_tail(family: str, read: Reading, bound: Any, lower: bool) -> Any:
    """The chance that a bound so far out misses, in the words of its theorem."""
    if family == "count":
        n, k = read("runs"), read("hits")
        return betatail(bound, k, n - k + 1) if lower else betatail(1 - bound, n - k, k + 1)
    if family == "normal":
        away = (read("mean") - bound) / read("error") * (1 if lower else -1)
        return mpmath.ncdf(-away)
    n, total = read("runs"), read("total")
    away = total / n - bound if lower else bound - total / n
    variance = (read("squares") - n * (total / n) ** 2) / (n - 1)
    width = read("high") - read("low")
    if away <= 0 or variance < 0 or width <= 0:
        raise Undefined

    def missing(t: Any) -> Any:  # of the deviation at probability 2 exp(-t)
        return mpmath.sqrt(2 * variance * t / n) + 7 * width * t / (3 * (n - 1)) - away

    low, high = mpmath.mpf(0), 3 * (n - 1) * away / (7 * width) + 1
    for _ in range(220):
        middle = (low + high) / 2
        low, high = (low, middle) if missing(middle) > 0 else (middle, high)
    return 2 * mpmath.exp(-low)


def rate(claim: dict[str, Any], shows: dict[str, Any], read: Reading, verdict: str) -> bool:
    points = [tuple(map(number, point)) for point in claim["points"]]
    if len(points) < 3 or any(min(point[:2]) <= 0 or point[2] < 0 for point in points):
        return False
    x = [mpmath.log(point[0]) for point in points]
    weights = [v - sum(x) / len(x) for v in x]
    weights = [w / sum(w * w for w in weights) for w in weights]
    slope = sum(w * mpmath.log(p[1]) for w, p in zip(weights, points, strict=True))
    error = mpmath.sqrt(sum((w * p[2] / p[1]) ** 2 for w, p in zip(weights, points, strict=True)))
    reach = read(claim["reach_low"]), read(claim["reach_high"])
    if error and 2 * mpmath.ncdf(-min(reach)) > min(read(claim["level"]), 1):
        return False
    ends = slope - reach[0] * error, slope + reach[1] * error
    expected, tolerance = read(claim["expected"]), read(claim["tolerance"])
    if not (within(shows["slope_low"], ends[0]) and within(shows["slope_high"], ends[1]) and tolerance >= 0):
        return False
    slow, fast = ends[0] > expected + tolerance, ends[1] < expected - tolerance
    inside = ends[1] <= expected + tolerance and (claim["side"] == "upper" or ends[0] >= expected - tolerance)
    return inside if verdict == "consistent" else slow or (claim["side"] == "tight" and fast)


def mixture(claim: dict[str, Any], shows: dict[str, Any], read: Reading, verdict: str) -> bool:
    edges = [number(edge) for edge in claim["partition"]]
    at = [read.given(**{claim["variable"]: e}) for e in edges]
    profiles, tails = [r(claim["profile"]) for r in at], [r(claim["tail"]) for r in at]
    falls = all(a >= b for a, b in itertools.pairwise(tails)) and tails[-1] >= 0 and tails[0] <= 1
    rises = all(a <= b for a, b in itertools.pairwise(profiles)) and all(a < b for a, b in itertools.pairwise(edges))
    cells = [a - b for a, b in itertools.pairwise(tails)] + [tails[-1]]
    lower = sum(c * f for c, f in zip(cells, profiles, strict=True))
    return falls and rises and within(shows["delta"], lower) and lower > read(claim["delta"])


def box(claim: dict[str, Any], shows: dict[str, Any], read: Reading, verdict: str) -> bool:
    """On a grid of points of the box, its corners among them: a necessary condition."""
    sides = {name: [number(edge) for edge in edges] for name, edges in claim["box"].items()}
    if any(not all(a < b for a, b in itertools.pairwise(edges)) for edges in sides.values()):
        return False
    some = [[*edges[:: max(1, len(edges) // 6)], edges[-1]] for edges in sides.values()]
    for point in itertools.product(*some):
        at = read.given(**dict(zip(sides, point, strict=True)))
        if not compare(claim["relation"], at(claim["left"]), at(claim["right"])):
            return False
    return True


def growth(claim: dict[str, Any], shows: dict[str, Any], read: Reading, verdict: str) -> bool:
    at = [read.given(**{claim["variable"]: mpmath.mpf(2) ** j}) for j in range(claim["from"], claim["to"] + 1)]
    bounds, quantities = [r(claim["bound"]) for r in at], [r(claim["quantity"]) for r in at]
    power = read(claim["power"])
    return (
        len(at) > 3
        and len(shows["quantity"]) == len(at)
        and all(within(pair, q) for pair, q in zip(shows["quantity"], quantities, strict=True))
        and all(q >= b for q, b in zip(quantities, bounds, strict=True))
        and bounds[0] > 0
        and power > 0
        and all(compare(">=", b, a * 2**power) for a, b in itertools.pairwise(bounds))
    )


def true(certificate: dict[str, Any]) -> bool:
    """Whether the assumptions hold at every instance, every enclosure holds, and the conclusion follows."""
    try:
        kind = {"pair-shift": shift, "guarantee": shift}.get(certificate["kind"]) or globals()[
            certificate["kind"].replace("-", "_")
        ]
        return bool(certificate["instances"]) and all(
            all(Reading(certificate, i).holds(a["formula"]) for a in certificate["assumptions"])
            and kind(certificate["claim"], i["shows"], Reading(certificate, i), certificate["verdict"])
            for i in certificate["instances"]
        )
    except (Undefined, ValueError, ZeroDivisionError, KeyError, SyntaxError, TypeError, OverflowError):
        return False
