"""jax-privacy: one step of training, the sum of clipped gradients that it calls private and the noise that it adds.

A function made by `jax_privacy.clipped_grad` states its sensitivity for each relation of neighbours; Gaussian noise of
`noise_multiplier` times that is 1/noise_multiplier-Gaussian differential privacy. It runs in this process (extra
`bench`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dpbench.auditing.audit import Progress, Sampler
from dpbench.auditing.neighbours import Pair
from dpbench.core import validation
from dpbench.core.validation import extra, invalid
from dpbench_libraries.case import GIVEN, Audited, Case, Known, audit_case, checked

PACKAGE = "jax-privacy"
REQUIREMENTS: tuple[str, ...] = ()

RELATIONS = {
    "replace": "REPLACE_ONE",
    "add_remove": "ADD_OR_REMOVE_ONE",
    "add": "ADD_OR_REMOVE_ONE",
    "remove": "ADD_OR_REMOVE_ONE",
}
"""What dp-accounting calls them."""


def audit(
    clipped: Any,
    parameters: Any,
    pairs: Sequence[Pair],
    *,
    noise_multiplier: float,
    relation: str = "add_remove",
    trials: int = 20_000,
    confidence: float = 0.999,
    seed: int = 0,
    progress: Progress | None = None,
) -> Audited:
    """Audit one noisy step of jax-privacy at the sensitivity that its clipped gradient states.

    Parameters
    ----------
    clipped : jax_privacy.clipping.BoundedSensitivityCallable
        What `jax_privacy.clipped_grad` returns, called as ``clipped(parameters, *batch)``.
    parameters : pytree
        At which the gradients are taken.
    pairs : sequence of pairs
        Two neighbouring batches, each a tuple of arrays with one example a row; the one that differs is the canary.
    noise_multiplier : float
        > 0: the noise over the sensitivity.
    relation : {"replace", "add", "remove", "add_remove"}
        For which the sensitivity is asked.
    trials, confidence, seed, progress
        As in `dpbench.audit`.

    Raises
    ------
    InvalidInput
    MissingExtra
        jax or jax-privacy is not installed.
    """
    case = read(clipped, parameters, pairs, noise_multiplier=noise_multiplier, relation=relation)
    return audit_case(case, trials=trials, confidence=confidence, seed=seed, progress=progress)


def read(
    clipped: Any,
    parameters: Any,
    pairs: Sequence[Pair],
    *,
    noise_multiplier: float,
    relation: str = "add_remove",
    stated: str | None = None,
    **more: Any,
) -> Case:
    """The `Case` of a step; `stated`: the relation of the noise, where it is not that of the pairs."""
    extra("jax_privacy", "bench")
    accounting = extra("dp_accounting", "accounting")
    noise_multiplier = validation.real("noise_multiplier", noise_multiplier, above=0.0)
    validation.choice("relation", relation, RELATIONS)
    if not callable(getattr(clipped, "sensitivity", None)):
        raise invalid("clipped", "what jax_privacy.clipped_grad returns (it states its sensitivity)", clipped)
    of = getattr(accounting.NeighboringRelation, RELATIONS[stated or relation])
    sensitivity = float(clipped.sensitivity(of))
    given = checked(pairs)
    for batch in (x for pair in given for x in pair):
        if not isinstance(batch, (list, tuple)):
            raise invalid("pairs", "of batches, each a tuple of arrays", batch)
    sampler = _step(clipped, parameters, noise_multiplier * sensitivity)
    why = f"the noise is {noise_multiplier:g} times the stated sensitivity {sensitivity:g}"
    claim = {"claim": {"mu": 1.0 / noise_multiplier}}
    return Case(
        **{"mechanism": "clipped_grad", **more},
        relation=relation,
        claim=claim,
        pairs=tuple((dict(enumerate(one)), dict(enumerate(other))) for one, other in given),
        sampler=sampler,
        assumes=(why, GIVEN),
    )


def _step(clipped: Any, parameters: Any, deviation: float) -> Sampler:
    """A sampler of the noisy sums of a batch, a run a row."""
    import jax
    from jax.flatten_util import ravel_pytree
    from jax_privacy.noise_addition import gaussian_privatizer

    def noisy(total: Any, key: Any) -> Any:
        privatizer = gaussian_privatizer(stddev=deviation, prng_key=key)
        return ravel_pytree(privatizer.update(total, privatizer.init(total))[0])[0]

    many = jax.jit(jax.vmap(noisy, in_axes=(None, 0)))

    def step(batch: Any, trials: int, rng: np.random.Generator) -> np.ndarray:
        keys = jax.random.split(jax.random.key(int(rng.integers(2**31))), trials)
        return np.asarray(many(clipped(parameters, *batch.values()), keys), dtype=np.float64)

    return step


def cases() -> tuple[Case, ...]:
    """Those that ``dpbench audit-library jax_privacy`` audits: a step of linear regression with a canary."""
    jax_privacy = extra("jax_privacy", "bench")

    def loss(weights: Any, x: Any, y: Any) -> Any:
        return 0.5 * ((x @ weights - y) ** 2).sum()

    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((8, 3)).astype(np.float32), rng.standard_normal(8).astype(np.float32)
    canary = np.array([[0.0, 0.0, 9.0]], dtype=np.float32)
    one, other = (np.append(y, np.float32(end)) for end in (9.0, -9.0))
    added = (np.concatenate([x, canary]), one), (x, y)
    replaced = (added[0], (np.concatenate([x, canary]), other))
    weights = np.zeros(3, dtype=np.float32)
    clipped = jax_privacy.clipped_grad(loss, l2_clip_norm=1.0, batch_argnums=(1, 2))
    given: dict[str, Any] = {"noise_multiplier": 1.0, "trials": 20_000}
    return (
        read(clipped, weights, [added], relation="add_remove", about="a step with a canary", **given),
        read(clipped, weights, [replaced], relation="replace", about="a canary replaced", **given),
        read(
            clipped,
            weights,
            [replaced],
            relation="replace",
            stated="add_remove",
            about="a canary replaced, noise for add/remove",
            **given,
            known=Known("convention", "the sensitivity that it states for a record replaced is twice that"),
        ),
    )
