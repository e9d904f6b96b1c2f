"""Whether what a record of samples or fits says follows from its numbers, by mpmath at 60 digits: a second reading."""

from __future__ import annotations

from typing import Any

import mpmath
from naive.certificate_reading import Reading, Undefined, betatail, compare, number


def within(pair: list[str], value: Any) -> bool:
    low, high = map(number, pair)
    return compare("<=", low, value) and compare("<=", value, high)


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
        if not (within(shows["tail"], tail) and compare("<=", tail, level)):
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
    resolution, tight = read(claim["resolution"]), claim["side"] == "tight"
    least, most = (read(claim["expected"]) + read(claim[name]) for name in ("faster", "slower"))
    shown = within(shows["slope_low"], ends[0]) and within(shows["slope_high"], ends[1])
    if not shown or resolution < 0 or least > most:
        return False
    beyond = ends[0] > most or (tight and ends[1] < least)
    fine = ends[1] <= most + resolution and (not tight or ends[0] >= least - resolution)
    return fine and not beyond if verdict == "consistent" else beyond


def true(record: dict[str, Any]) -> bool:
    """Whether each bound holds at its level, and lies beyond the claim or not as the record says."""
    kind = {"sample": sample, "sample-mean": sample_mean, "rate": rate}[record["kind"]]
    try:
        read = [(i["shows"], Reading(record | {"definitions": []}, i)) for i in record["instances"]]
        return bool(read) and all(kind(record["claim"], shows, one, record["verdict"]) for shows, one in read)
    except (Undefined, ValueError, ZeroDivisionError, KeyError, SyntaxError, TypeError, OverflowError):
        return False
