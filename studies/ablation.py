"""``python -m studies.ablation``: what each layer of the auditor's choosing part is worth, over the three zoos.

Every mechanism of the zoos is audited with all layers and with each one left out, on the same seeds, at 95%. What an
audit without a layer certifies less, as a share of what the whole one certifies, is the layer's worth there: its mean
over the mechanisms that the layer can have an effect on, and the largest, with the standard error over seeds. A layer
is worth its lines where it saves more than 3% in the mean of any zoo or 10% anywhere. ``--json FILE`` keeps the rows.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from dpbench import audit
from dpbench.auditing import choose, scores
from dpbench.auditing.planar import Planar
from dpbench.auditing.views import Summaries
from studies import second_zoo, third_zoo
from studies.first_zoo import ZOO
from studies.power import CONFIDENCE, keep

TRIALS = 200_000
MEAN, ANYWHERE = 0.03, 0.10
"""Of the certified bound: from which a layer is worth its lines."""


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


def _without(kind: type) -> list[AbstractContextManager[Any]]:
    whole = scores.candidates
    return [patch.object(choose, "candidates", lambda a, b: [s for s in whole(a, b) if not isinstance(s, kind)])]


def _without_view(kind: type) -> list[AbstractContextManager[Any]]:
    whole = scores.candidates

    def fewer(a: np.ndarray, b: np.ndarray) -> list[Any]:
        return [s for s in whole(a, b) if not isinstance(getattr(s, "view", None), kind)]

    return [patch.object(choose, "candidates", fewer)]


def _once(score: scores.Additive, first: np.ndarray, second: np.ndarray, cut: int) -> tuple[Any, Any]:
    nested = choose._chain(score, first[cut:], second[cut:])
    return score.without_errors(), nested


LAYERS: dict[str, Layer] = {
    "shapes": Layer("log-ratios of one mode, and the distances from its middle",
                    lambda: [patch.object(choose, "_shapes", _nothing)], "scalars"),
    "folds": Layer("distances from a centre", lambda: [patch.object(choose, "_folds", _nothing)], "scalars"),
    "second event": Layer("a second event with a share of the level",
                          lambda: [patch.object(choose, "second_event", _none)]),
    "rare": Layer("events seen a few times", lambda: [patch.object(choose, "boldest", _none)]),
    "hedges": Layer("events chosen with more and with less trust in the fit",
                    lambda: [patch.object(choose, "HEDGES", ())]),
    "learned again": Layer("additive scores learned again from all rows",
                           lambda: [patch.object(choose, "_relearned", _once)]),
    "linear views": Layer("whitened coordinates, and the direction of the difference",
                          lambda: [patch.object(scores, "linear_views", _nothing)], "vectors"),
    "summaries": Layer("extremes and equalities of a row", lambda: _without_view(Summaries), "vectors"),
    "planar": Layer("a log-ratio on the plane of projection and rest", lambda: _without(Planar), "vectors"),
    "quadratic": Layer("a quadratic form", lambda: [patch.object(scores, "quadratic", _none)], "vectors"),
    "parities": Layer("parities of several bits", lambda: [patch.object(scores, "parities", _none)], "vectors"),
    "trees": Layer("boosted trees", lambda: [patch.object(scores, "trees", _none)], "vectors"),
    "values": Layer("a log-ratio a value that recurs", lambda: [patch.object(scores, "_values", _none)]),
}  # fmt: skip


def zoos() -> dict[str, dict[str, Mechanism]]:
    """All three, by name."""
    first = {e.name: Mechanism(e.sampler, e.dataset, e.neighbour, e.delta) for e in ZOO}
    others = {name: {key: Mechanism(e.sampler, e.one, e.other, e.delta) for key, e in zoo.items()}
              for name, zoo in (("second", second_zoo.ENTRIES), ("third", third_zoo.ENTRIES))}  # fmt: skip
    return {"first": first, **others}


def bounds(one: Mechanism, seeds: range, trials: int, layer: Layer | None = None) -> list[float]:
    """The certified ε of each seed, the layer left out."""
    with ExitStack() as stack:
        for change in [] if layer is None else layer.put():
            stack.enter_context(change)
        return [audit(one.sampler, one.one, one.other, delta=one.delta, trials=trials, confidence=CONFIDENCE,
                      seed=seed).epsilon_lower for seed in seeds]  # fmt: skip


def measured(one: Mechanism, seeds: range, trials: int, names: list[str]) -> dict[str, Any]:
    """Mean bound with all layers, and without each the share of it that is lost, with its standard error."""
    whole = np.array(bounds(one, seeds, trials))
    probe = np.asarray(one.sampler(one.one, 4, np.random.default_rng(0)))
    kind = "scalars" if probe.ndim == 1 else "vectors"
    row: dict[str, Any] = {"mean": float(whole.mean()), "kind": kind, "trials": trials, "seeds": len(seeds), "lost": {}}
    for name in names:
        if LAYERS[name].of in ("all", kind):
            lost = whole - np.array(bounds(one, seeds, trials, LAYERS[name]))
            scale = float(whole.mean()) or 1.0
            error = float(np.std(lost, ddof=1)) / math.sqrt(len(seeds)) / scale
            row["lost"][name] = [float(lost.mean()) / scale, error]
    return row


def table(rows: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Of each layer: the mean loss in each zoo, where it is largest, and whether it is worth its lines."""
    made = {}
    for name, layer in LAYERS.items():
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
    given = parser.parse_args()
    names = given.layer or list(LAYERS)
    kept = json.loads(given.json.read_text(encoding="utf-8")) if given.json and given.json.exists() else {}
    rows: dict[str, dict[str, Any]] = {}
    for zoo, mechanisms in zoos().items():
        for key, mechanism in mechanisms.items():
            row = kept.get(f"{zoo} zoo", {}).get(key)
            if row is None and (given.zoo is None or zoo in given.zoo):
                row = measured(mechanism, range(given.seeds), given.trials, names)
                print(json.dumps({f"{zoo} zoo, {key}": row}), flush=True)
                if given.json is not None:
                    keep(given.json, {f"{zoo} zoo": {key: row}})
            if row is not None:
                rows.setdefault(zoo, {})[key] = row
    made = table(rows)
    for name, one in made.items():
        print(f"{name:14} mean {max(one['mean'].values()):7.1%}  most {one['most']:7.1%} ± {one['most_se']:.1%}"
              f"  {one['where']}{'' if one['kept'] else '  NOT WORTH ITS LINES'}")  # fmt: skip
    if given.json is not None:
        keep(given.json, {"layers": made})


if __name__ == "__main__":
    main()
