"""``python -m studies.ablation``: what each layer of the auditor's choosing part is worth, over the three zoos.

Every mechanism of the zoos is audited with all layers and with each one left out, on the same seeds, at 95%. What an
audit without a layer certifies less, as a share of what the whole one certifies, is the layer's worth there: its mean
over the mechanisms that the layer can have an effect on, and the largest, with the standard error over seeds. A layer
is worth its lines where it saves more than 3% in the mean of any zoo or 10% anywhere.

``--constants`` halves and doubles each constant of `dpbench.auditing.events` in the place of leaving out layers: how
much hangs on its value.

``--joint`` audits with the code of the commit `BEFORE`, the last one that had the layers that were then taken out
together (`REMOVED`), and with that of today; ``--now`` audits with today's again, and keeps what that commit's gave on
the same seeds. ``--json FILE`` keeps the rows.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from dpbench import audit
from dpbench.auditing import choose, events, scores
from studies import second_zoo, third_zoo
from studies.before import former
from studies.first_zoo import ZOO
from studies.power import CONFIDENCE, keep

TRIALS = 200_000
MEAN, ANYWHERE = 0.03, 0.10
"""Of the certified bound: from which a layer is worth its lines."""

BEFORE = "8d476e5a76967a7ed476ee0da20447226f62e65a"
"""The last commit with these layers:"""

REMOVED = (
    "a share of the level for a common event beside a rare one; hedges; distances "
    "from a centre; scores learned again from all rows; summaries of a row; the projection on the difference of the "
    "means beside the length of the rest, as a sum and on the plane"
)


@dataclass(frozen=True)
class Mechanism:
    """A sampler on two neighbouring data sets, and the δ of its bound."""

    sampler: Callable[..., Any]
    one: Any
    other: Any
    delta: float


@dataclass(frozen=True)
class Layer:
    """What is left out: `put` makes the patches; `vectors` or `scalars` alone where it has no effect on the others."""

    says: str
    put: Callable[[], list[AbstractContextManager[Any]]]
    of: str = "all"


def _none(*_given: Any, **_named: Any) -> None:
    return None


def _nothing(*_given: Any, **_named: Any) -> list[Any]:
    return []


LAYERS: dict[str, Layer] = {
    "shapes": Layer("log-ratios of one mode, and the distances from its middle",
                    lambda: [patch.object(choose, "_shapes", _nothing)], "scalars"),
    "second event": Layer("a second event with a share of the level",
                          lambda: [patch.object(choose, "second_event", _none)]),
    "rare": Layer("events seen a few times", lambda: [patch.object(events, "FEW", -1)]),
    "linear views": Layer("whitened coordinates",
                          lambda: [patch.object(scores, "linear_views", _nothing)], "vectors"),
    "quadratic": Layer("a quadratic form", lambda: [patch.object(scores, "quadratic", _none)], "vectors"),
    "parities": Layer("parities of several bits", lambda: [patch.object(scores, "parities", _none)], "vectors"),
    "trees": Layer("boosted trees", lambda: [patch.object(scores, "trees", _none)], "vectors"),
    "values": Layer("a log-ratio a value that recurs", lambda: [patch.object(scores, "_values", _none)]),
}  # fmt: skip


CONSTANTS = (
    "SMOOTH_CHARGE", "ATOMS_CHARGE", "LEAST_CHARGE", "LEARNED_CHARGE", "RAW_CHARGE", "LIGHT", "TRUST", "UNSEEN",
    "ADDED", "FEW", "PRIOR", "LEAST_PRIOR", "NEXT",
)  # fmt: skip


def _times(name: str, factor: float) -> Layer:
    """The layer in which a constant has another value."""
    value = factor * getattr(events, name)
    return Layer(f"{name} = {value:g}", lambda: [patch.object(events, name, value)])


CHANGED = {f"{name} {word}": _times(name, factor) for name in CONSTANTS for word, factor in (("/2", 0.5), ("*2", 2.0))}


def zoos() -> dict[str, dict[str, Mechanism]]:
    """All three, by name."""
    first = {e.name: Mechanism(e.sampler, e.dataset, e.neighbour, e.delta) for e in ZOO}
    others = {name: {key: Mechanism(e.sampler, e.one, e.other, e.delta) for key, e in zoo.items()}
              for name, zoo in (("second", second_zoo.ENTRIES), ("third", third_zoo.ENTRIES))}  # fmt: skip
    return {"first": first, **others}


def bounds(
    one: Mechanism, seeds: range, trials: int, layer: Layer | None = None, audit: Callable[..., Any] = audit
) -> list[float]:
    """The certified ε of each seed, the layer left out."""
    with ExitStack() as stack:
        for change in [] if layer is None else layer.put():
            stack.enter_context(change)
        return [audit(one.sampler, one.one, one.other, delta=one.delta, trials=trials, confidence=CONFIDENCE,
                      seed=seed).epsilon_lower for seed in seeds]  # fmt: skip


def measured(one: Mechanism, seeds: range, trials: int, layers: Mapping[str, Layer]) -> dict[str, Any]:
    """Mean bound with all layers, and without each the share of it that is lost, with its standard error."""
    whole = np.array(bounds(one, seeds, trials))
    probe = np.asarray(one.sampler(one.one, 4, np.random.default_rng(0)))
    kind = "scalars" if probe.ndim == 1 else "vectors"
    row: dict[str, Any] = {"mean": float(whole.mean()), "kind": kind, "trials": trials, "seeds": len(seeds), "lost": {}}
    for name, layer in layers.items():
        if layer.of in ("all", kind):
            lost = whole - np.array(bounds(one, seeds, trials, layer))
            scale = float(whole.mean()) or 1.0
            error = float(np.std(lost, ddof=1)) / math.sqrt(len(seeds)) / scale
            row["lost"][name] = [float(lost.mean()) / scale, error]
    return row


def joint(one: Mechanism, seeds: range, trials: int, kept: dict[str, Any] | None = None) -> dict[str, Any]:
    """The bounds of each seed with the layers of `REMOVED` (where none are kept) and without them."""
    if kept is not None:
        now = bounds(one, range(len(kept["before"])), kept["trials"])
        return {"before": kept["before"], "now": now, "trials": kept["trials"]}
    whole = former("dpbench.auditing.audit", BEFORE).audit
    return {"before": bounds(one, seeds, trials, audit=whole), "now": bounds(one, seeds, trials), "trials": trials}


def joint_table(rows: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Of each zoo: how many mechanisms, the mean share of the bound that is lost, the largest and its error."""
    made = {}
    for zoo, found in rows.items():
        losses = []
        for key, row in found.items():
            before, now = np.array(row["before"]), np.array(row["now"])
            scale = float(before.mean()) or 1.0
            error = float(np.std(before - now, ddof=1)) / math.sqrt(len(before)) / scale
            losses.append((float((before - now).mean()) / scale, error, key))
        most, error, where = max(losses)
        mean = float(np.mean([loss for loss, _, _ in losses]))
        made[zoo] = {"mechanisms": len(losses), "mean": mean, "most": most, "most_se": error, "where": where}
    return made


def table(rows: dict[str, dict[str, Any]], layers: Mapping[str, Layer]) -> dict[str, Any]:
    """Of each layer: the mean loss in each zoo, where it is largest, and whether it is worth its lines."""
    made = {}
    for name, layer in layers.items():
        losses = {zoo: {key: row["lost"][name] for key, row in found.items() if name in row["lost"]}
                  for zoo, found in rows.items()}  # fmt: skip
        means = {zoo: float(np.mean([loss for loss, _ in found.values()])) for zoo, found in losses.items() if found}
        every = [
            (loss, error, f"{key} ({zoo} zoo)") for zoo, found in losses.items() for key, (loss, error) in found.items()
        ]
        if every:
            most, error, where = max(every)
            made[name] = {"is": layer.says, "mean": means, "most": most, "most_se": error, "where": where,
                          "kept": max(means.values()) > MEAN or most > ANYWHERE}  # fmt: skip
    return made


def main() -> None:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(prog="python -m studies.ablation", description=__doc__)
    parser.add_argument("--layer", action="append", choices=list(LAYERS), help="default: all")
    parser.add_argument("--zoo", action="append", choices=["first", "second", "third"], help="default: all")
    parser.add_argument("--seeds", type=int, default=8, help="how many (default 8)")
    parser.add_argument("--trials", type=int, default=TRIALS, help=f"runs a side (default {TRIALS})")
    parser.add_argument("--json", type=Path, help="rows that are in it are not measured again")
    parser.add_argument("--mechanism", action="append", help="by name; default: all")
    parser.add_argument("--joint", action="store_true", help=f"today's code beside that of {BEFORE[:8]}")
    parser.add_argument("--constants", action="store_true", help="each constant halved and doubled, in place of layers")
    parser.add_argument("--now", action="store_true", help="with --joint: today's code again, on the seeds of the file")
    given = parser.parse_args()
    if given.now and not given.joint:
        parser.error("--now must stand beside --joint")
    if given.constants and (given.joint or given.layer):
        parser.error("--constants must stand without --joint and --layer")
    layers = CHANGED if given.constants else {name: LAYERS[name] for name in given.layer or LAYERS}
    word = ", constants" if given.constants else ""
    kept = json.loads(given.json.read_text(encoding="utf-8")) if given.json and given.json.exists() else {}
    rows: dict[str, dict[str, Any]] = {}
    for zoo, mechanisms in zoos().items():
        place = f"{zoo} zoo, before and now" if given.joint else f"{zoo} zoo{word}"
        for key, mechanism in mechanisms.items():
            row = kept.get(place, {}).get(key)
            asked_for = zoo in (given.zoo or [zoo]) and key in (given.mechanism or [key])
            if asked_for and (row is None or given.now):
                asked = mechanism, range(given.seeds), given.trials
                row = joint(*asked, row) if given.joint else measured(*asked, layers)
                print(json.dumps({f"{place}: {key}": row}), flush=True)
                if given.json is not None:
                    keep(given.json, {place: {key: row}})
            if row is not None:
                rows.setdefault(zoo, {})[key] = row
    if given.joint:
        found = joint_table(rows)
        for zoo, one in found.items():
            print(f"{zoo:8} mean {one['mean']:7.1%}  most {one['most']:7.1%} ± {one['most_se']:.1%}  {one['where']}")
        if given.json is not None:
            keep(given.json, {"joint": {"removed": REMOVED, "commit": BEFORE, "zoos": found}})
        return
    made = table(rows, layers)
    for name, one in made.items():
        print(f"{name:17} mean {max(one['mean'].values()):7.1%}  most {one['most']:7.1%} ± {one['most_se']:.1%}"
              f"  {one['where']}{'' if one['kept'] or given.constants else '  NOT WORTH ITS LINES'}")  # fmt: skip
    if given.json is not None:
        keep(given.json, {"constants" if given.constants else "layers": made})


if __name__ == "__main__":
    main()
