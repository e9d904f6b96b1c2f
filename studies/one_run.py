"""One-run audits on Gaussian sums and on one-sided memorisation, beside jax-privacy on the same scores.

    python -m studies.one_run [--seeds 50] [--json FILE]

m canaries, δ = 1e-5, 95%. Gaussian: scores of included canaries have mean 1, of others 0, standard deviation 1. The
others: that share of the canaries is memorised, that is, scores 10 higher where included. jax-privacy (the extra
`bench`) is left out, and said to be, where it is not installed. Its `epsilon_one_run_fdp` is not among the columns: it
supposes a Gaussian mechanism.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from dpbench.auditing.one_run import audit_one_run_scores
from dpbench.core.sampling import stream
from dpbench.core.validation import MissingExtra, extra
from tools.code_key import stamped

CONFIDENCE, DELTA = 0.95, 1e-5
LAWS = ("gaussian", "0.01", "0.03", "0.1")
CANARIES = (1_000, 10_000)


def canaries(law: str, count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Coins and scores of one run."""
    rng = stream(seed, "one-run benchmark", law, count)
    included = rng.random(count) < 0.5
    if law == "gaussian":
        return included, included + rng.standard_normal(count)
    memorised = rng.random(count) < float(law)
    return included, rng.standard_normal(count) + 10.0 * (included & memorised)


def bounds(included: np.ndarray, scores: np.ndarray, seed: int) -> dict[str, float]:
    """Of ours, and of jax-privacy where it is there."""
    ours = audit_one_run_scores(included, scores, delta=DELTA, confidence=CONFIDENCE, seed=seed, direction="high")
    by_auditor = {"dpbench": ours.epsilon_lower}
    try:
        auditing = extra("jax_privacy.auditing", "bench")
    except MissingExtra:
        return by_auditor
    peer = auditing.CanaryScoreAuditor(scores[included], scores[~included])
    for name, how in (("Bonferroni", auditing.Bonferroni()), ("Split(0.5)", auditing.Split(0.5, seed=seed))):
        bound = peer.epsilon_one_run(1.0 - CONFIDENCE, DELTA, threshold_strategy=how)
        by_auditor[f"jax-privacy, {name}"] = float(bound)
    return by_auditor


def rows(seeds: int) -> list[dict[str, object]]:
    """Means and their standard errors."""
    documents: list[dict[str, object]] = []
    for count in CANARIES:
        for law in LAWS:
            bounds_by_seed = [bounds(*canaries(law, count, seed), seed) for seed in range(seeds)]
            for name in bounds_by_seed[0]:
                values = np.array([f[name] for f in bounds_by_seed])
                error = float(values.std(ddof=1) / np.sqrt(seeds))
                documents.append(
                    {"canaries": count, "law": law, "auditor": name, "mean": float(values.mean()), "error": error}
                )
    return documents


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    documents = rows(given.seeds)
    for row in documents:
        print(f"{row['canaries']:>6} {row['law']:>9} {row['auditor']:<26} {row['mean']:.3f} ({row['error']:.3f})")
    if not any(str(row["auditor"]).startswith("jax") for row in documents):
        print("jax-privacy is not installed: pip install 'dpbench-suite[bench]' for its columns")
    if given.json is not None:
        document = stamped("one_run.json", {"seeds": given.seeds, "rows": documents})
        given.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
