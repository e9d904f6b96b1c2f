"""Read records of samples and fits: ``python -m dpbench_records FILE... [--json]``.

A record says what was counted or measured, with which command, seed and versions, and the bound or
the interval that follows at a level. It decides nothing: that the runs gave these numbers is a
matter of record, and a bound that holds but for its level proves nothing. It is read with the
arithmetic of `dpbench_check`, which it needs beside it; the bounds are recomputed.
Exit status: 0 all consistent, 1 one is not, 2 bad use.
"""

import hashlib
import json
import sys
from pathlib import Path

from dpbench_check import (
    ONE,
    ZERO,
    Refused,
    Scope,
    added,
    decide,
    enclosed,
    evaluate,
    integer,
    must,
    need,
    num,
    parse,
    plain,
    rational,
    renew,
    same,
    say,
    shape,
    show,
)

OPPOSITE = {"<=": ">", ">=": "<"}
_RANGE = (
    "2*exp(-((sqrt(2*(squares - total^2/runs)/(runs - 1)/runs + {away}*28*(high - low)"
    "/(3*(runs - 1))) - sqrt(2*(squares - total^2/runs)/(runs - 1)/runs))*3*(runs - 1)"
    "/(14*(high - low)))^2)"
)
TAILS = {  # family: ends of the range; the chance that a bound from below, from above, misses
    "count": (
        ("0", "1"),
        "betatail(bound, hits, runs - hits + 1)",
        "betatail(1 - bound, runs - hits, hits + 1)",
    ),  # Clopper and Pearson 1934
    "range": (
        ("low", "high"),
        _RANGE.format(away="max(total/runs - bound, 0)"),
        _RANGE.format(away="max(bound - total/runs, 0)"),
    ),  # Maurer and Pontil 2009, Theorem 4
    "normal": (
        None,
        "erfc((mean - bound)/(error*sqrt(2)))/2",
        "erfc((bound - mean)/(error*sqrt(2)))/2",
    ),  # nominal
}
SHAPE = {
    "schema": int, "kind": str, "id": str, "verdict": str, "statement": str, "digest": str,
    "quote": {"text": str, "place": str, "sha256": str}, "symbols": {"*": str}, "claim": dict,
    "instances": [{"values": {"*": str}, "shows": dict}], "derivation": [{"says": str}],
    "made": {"seed": int, "command": str, "versions": {"*": str}, "evidence": str,
             "fewest": list, "would_refute": str},
}  # fmt: skip


def level_of(node: tuple, scope: Scope) -> None:
    need(">", node, ZERO, scope, "the level")
    need("<", node, ONE, scope, "the level")


def whole(scope: Scope, least: int, *texts: str) -> list[int]:
    integers = [integer(evaluate(parse(text), scope)) for text in texts]
    must(min(integers) >= least, f"{', '.join(texts)}: integers from {least} on")
    return integers


def bound_reached(right: tuple, hits: int, runs: int, level: tuple, scope: Scope) -> bool:
    """Whether so many hits put the Clopper-Pearson lower bound at `right` or beyond it."""
    if hits == 0:
        return False
    tail = ("betatail", right, num(hits), num(runs - hits + 1))
    return decide("<=", tail, level, scope)


def fewest_hits(given: object, right: tuple, runs: int, level: tuple, scope: Scope) -> None:
    """The record's number of hits is the least that would have refuted; null: none would."""
    must(given is None or type(given) is int, "fewest is an integer or null")
    if not decide(">=", right, ZERO, scope) or not decide("<", right, ONE, scope):
        return
    if given is None:
        must(not bound_reached(right, runs, runs, level, scope), "all hits would refute")
        return
    must(0 < given <= runs and bound_reached(right, given, runs, level, scope), "fewest refutes")
    must(not bound_reached(right, given - 1, runs, level, scope), "one hit less refutes as well")


def sample(c: dict, shows: dict, scope: Scope, fewest: object) -> str:
    """Clopper and Pearson on both sides; the levels of the two bounds sum to the level at most."""
    at = {name: parse(text) for name, text in c["claim"].items()}
    p, q, bound, level = at["p_lower"], at["q_upper"], at["bound"], at["level"]
    k, n, j, m = (
        integer(evaluate(at[name], scope))
        for name in ("first_count", "first_runs", "second_count", "second_runs")
    )
    must(0 <= k <= n and 0 <= j <= m and min(n, m) >= 2, "counts are from 0 to the runs, 2 on")
    level_of(level, scope)
    for name in ("epsilon", "delta", "bound"):
        need(">=", at[name], ZERO, scope, name)
    need("<", at["delta"], ONE, scope, "delta")
    tails = (
        ("betatail", p, num(k), num(n - k + 1)),
        ("betatail", ("-", ONE, q), num(m - j), num(j + 1)),
    )
    same("what is shown", {"first_tail", "second_tail"}, set(shows))
    for end, tail in zip(("first_tail", "second_tail"), tails, strict=True):
        enclosed(shows[end], tail, scope, end)
    need("<=", ("+", *tails), level, scope, "the level pays for both tails")
    if decide(">", bound, ZERO, scope):
        right = ("+", ("*", ("exp", bound), q), at["delta"])
        need(">", p, right, scope, "the bounds on the frequencies give epsilon")
    relation = ">" if c["verdict"] == "refuted" else "<="
    need(relation, bound, at["epsilon"], scope, "the bound against the claim")
    needed = ("+", ("*", ("exp", at["epsilon"]), q), at["delta"])
    fewest_hits(fewest, needed, n, ("/", level, num(2)), scope)
    return f"epsilon >= {show(num(evaluate(bound, scope)))} but for the level"


def sample_mean(c: dict, shows: dict, scope: Scope, fewest: object) -> str:
    """A one-sided bound on a chance or a mean beside what is claimed of it."""
    claim = c["claim"]
    ends, *tails = TAILS[claim["family"]]
    upper = {"<=": 0, ">=": 1}[claim["relation"]]
    tail, right, level = parse(tails[upper]), parse(claim["right"]), ("sym", "level")
    level_of(level, scope)
    if claim["family"] != "normal":
        (runs,) = whole(scope, 2, "runs")
    if claim["family"] == "count":
        whole(scope, 0, "hits", "runs - hits")
        if upper == 0:
            fewest_hits(fewest, right, runs, level, scope)
    elif claim["family"] == "range":
        need("<", parse("low"), parse("high"), scope, "the range")
        need(">=", parse("total/runs"), parse("low"), scope, "the mean")
        need("<=", parse("total/runs"), parse("high"), scope, "the mean")
        need(">=", parse("squares*runs"), parse("total^2"), scope, "the variance")
    else:
        need(">", parse("error"), ZERO, scope, "the standard error")
    bound = ("sym", "bound")
    if ends and decide("=", bound, parse(ends[upper]), scope):
        same("what is shown", {}, shows)
    else:
        same("what is shown", {"tail"}, set(shows))
        enclosed(shows["tail"], tail, scope, "the tail")
        need("<=", tail, level, scope, "the level pays for the tail")
    relation = OPPOSITE[claim["relation"]] if c["verdict"] == "refuted" else claim["relation"]
    need(relation, bound, right, scope, "the bound against the claim")
    return f"bound {scope['bound']} {relation} {show(right)} but for the level"


def rate(c: dict, shows: dict, scope: Scope, fewest: object) -> str:
    """The least-squares slope of log mean in log x, and `reach` standard errors either way."""
    claim = c["claim"]
    points = [[rational(number) for number in point] for point in claim["points"]]
    positive = all(x > 0 and mean > 0 and error >= 0 for x, mean, error in points)
    must(len(points) > 2 and positive, "three points or more, positive")
    logs = [("log", num(p[0])) for p in points]
    apart = [("-", x, ("/", added(logs), num(len(logs)))) for x in logs]
    square = added(("*", a, a) for a in apart)
    pairs = list(zip(points, apart, strict=True))
    slope = ("/", added(("*", a, ("log", num(p[1]))) for p, a in pairs), square)
    parts = [("*", a, num(p[2] / p[1])) for p, a in pairs]
    error = ("/", ("sqrt", added(("*", a, a) for a in parts)), square)
    level, expected, resolution = (parse(claim[n]) for n in ("level", "expected", "resolution"))
    faster, slower = (parse(claim[n]) for n in ("faster", "slower"))
    same("what is shown", {"slope_low", "slope_high"}, set(shows))
    ends = []
    for sign, name in (("-", "low"), ("+", "high")):
        reach = parse(claim[f"reach_{name}"])
        need(">=", reach, ZERO, scope, "a reach")
        pair = enclosed(shows[f"slope_{name}"], (sign, slope, ("*", reach, error)), scope, name)
        ends.append(num(pair[sign == "+"]))
        if any(p[2] for p in points):
            level_of(level, scope)
            tail = ("erfc", ("/", reach, ("sqrt", num(2))))
            need("<=", tail, level, scope, "the level pays for the reach")
    need(">=", resolution, ZERO, scope, "the resolution")
    need("<=", faster, slower, scope, "what is allowed")
    most, least = ("+", expected, slower), ("+", expected, faster)
    tight = {"tight": True, "upper": False}[claim["side"]]
    out = decide(">", ends[0], most, scope) or (tight and decide("<", ends[1], least, scope))
    inside = decide("<=", ends[1], ("+", most, resolution), scope) and (
        not tight or decide(">=", ends[0], ("-", least, resolution), scope)
    )
    decided = {"consistent": inside and not out, "inconsistent": out}[c["verdict"]]
    must(decided, "the slope decides otherwise")
    return f"slope in [{show(ends[0])}, {show(ends[1])}] against {show(expected)} ({claim['side']})"


KINDS = {
    "sample": (sample, ("refuted", "not refuted")),
    "sample-mean": (sample_mean, ("refuted", "not refuted")),
    "rate": (rate, ("consistent", "inconsistent")),
}


def check(c: dict) -> dict:
    """What follows from the numbers recorded; raises `Refused`."""
    shape(c, SHAPE, "a record")
    same("schema", 3, c["schema"])
    body = {k: v for k, v in c.items() if k != "digest"}
    sealed = json.dumps(body, sort_keys=True, separators=(",", ":"))
    same("digest", hashlib.sha256(sealed.encode()).hexdigest(), c["digest"])
    must(c["kind"] in KINDS, "no such kind of record")
    run, verdicts = KINDS[c["kind"]]
    must(c["verdict"] in verdicts, f"a record of this kind is {verdicts}, not {c['verdict']}")
    fewest = c["made"]["fewest"]
    must(bool(c["instances"]) and len(fewest) == len(c["instances"]), "an instance or more")
    lines = []
    for instance, few in zip(c["instances"], fewest, strict=True):
        same("symbols with a value", sorted(c["symbols"]), sorted(instance["values"]))
        values = {name: rational(value) for name, value in instance["values"].items()}
        lines.append(run(c, instance["shows"], Scope(values, {}), few))
    return {"verified": lines, "made": c["made"]}


def report_on(text: str) -> dict:
    """What `check` says of one record, or why it is refused."""
    report = {"id": None, "kind": None, "accepted": False, "because": ""}
    renew()
    try:
        c = json.loads(text, parse_float=rational, parse_constant=rational)
        must(isinstance(c, dict), "a record is an object")
        report |= {key: c.get(key) for key in ("id", "kind", "verdict")}
        report |= check(c) | {"accepted": True}
    except Refused as error:
        report["because"] = str(error)
    except (LookupError, TypeError, ValueError, ArithmeticError, RecursionError) as error:
        report["because"] = f"not of the documented form ({type(error).__name__}: {error})"
    return report


def main(arguments: list[str]) -> int:
    files = [name for name in arguments if name != "--json"]
    try:
        if not files or any(name.startswith("-") for name in files):
            raise OSError("usage: python -m dpbench_records FILE... [--json]")
        reports = [{"file": name} | report_on(Path(name).read_text("utf-8")) for name in files]
    except (OSError, UnicodeDecodeError) as error:
        sys.stderr.write(f"{plain(str(error))}\n")
        return 2
    consistent = sum(r["accepted"] for r in reports)
    lines = []
    for r in reports:
        said = "consistent" if r["accepted"] else "REFUSED"
        lines.append(f"{said} {plain(r['id'])} ({plain(r['kind'])}) {plain(r['because'])}")
        lines += [f"  recorded: {plain(line)}" for line in r.get("verified", ())]
        if r["accepted"]:
            lines.append(f"  would have refuted: {plain(r['made']['would_refute'])}")
            lines.append(f"  again: {plain(r['made']['command'])}")
    text = "\n".join([*lines, f"{consistent} of {len(reports)} consistent"])
    say(json.dumps({"schema": 3, "files": reports}, indent=1) if "--json" in arguments else text)
    return int(consistent < len(reports))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
