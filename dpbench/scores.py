"""Scores of canaries for `dpbench.audit_one_run_scores`, by what a mechanism shows of each."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpbench.core import validation
from dpbench.core.validation import invalid, native

__all__ = ["poisson_gaussian"]


def poisson_gaussian(steps: Any, q: float, sigma: float) -> np.ndarray:
    """The log-likelihood ratio of canaries of DP-SGD under Poisson sampling: included, or not.

    In each step an included canary is sampled with probability q and then moves its coordinate by 1, and the step adds
    N(0, σ²): the score is Σ_t log(1 − q + q e^{(x_t − ½)/σ²}). No other score of these numbers tells more. A sum over
    the steps, which weighs each by its size alone, sees a fraction of it where q is small.

    Parameters
    ----------
    steps : float64[canaries] or float64[canaries, steps]
        Of each canary and step, the noisy gradient's component along the canary's clipped gradient, in units of the
        clipping norm. Scores of several calls, on some of the steps each, add up.
    q : float
        In (0, 1]: the probability with which a step takes a record.
    sigma : float
        > 0: the noise, in the same unit. What is seen in `steps` may say it (``1.4826 * np.median(np.abs(steps))``):
        a score may use the whole output.

    Returns
    -------
    float64[canaries]

    Raises
    ------
    InvalidInput

    Examples
    --------
    >>> import numpy as np
    >>> from dpbench.scores import poisson_gaussian
    >>> poisson_gaussian(np.array([[0.5, 0.5], [3.0, 0.0]]), q=0.1, sigma=1.0).round(3).tolist()
    [0.0, 0.71]
    """
    q = validation.fraction("q", q, up_to_one=True)
    sigma = validation.real("sigma", sigma, above=0.0)
    must_be = "finite numbers of shape (canaries,) or (canaries, steps)"
    x = native("steps", steps, must_be)
    if x.ndim not in (1, 2) or x.dtype.kind not in "fiub" or not np.isfinite(x).all():
        raise invalid("steps", must_be, steps)
    logs = (x.astype(np.float64) - 0.5) / sigma**2
    each = logs if q == 1.0 else np.logaddexp(np.log1p(-q), np.log(q) + logs)
    return np.asarray(each if each.ndim == 1 else each.sum(axis=1))
