"""Small regression problems for every loss."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from dpbench.papers.glm import losses
from dpbench.papers.glm.problem import GLMProblem

SMOOTH = {
    "squared": losses.squared(),
    "half-squared": losses.half_squared(),
    "logistic": losses.logistic(),
    "huber": losses.huber(0.3),
    "capped-linear": losses.capped_linear(0.2),
}
ALL = {**SMOOTH, "absolute": losses.absolute(), "linear": losses.linear()}


def problem(loss: losses.Loss, *, n: int = 12, d: int = 3, radius: float = 1.0, seed: int = 0, **k: Any) -> GLMProblem:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    X /= np.maximum(1.0, np.linalg.norm(X, axis=1, keepdims=True))
    y = np.clip(X @ rng.standard_normal(d) + 0.3 * rng.standard_normal(n), -1.0, 1.0)
    y = np.where(y > 0.0, 1.0, -1.0) if loss.name == "logistic" else y
    X = sparse.csr_array(X) if k.pop("as_sparse", False) else X
    return GLMProblem(X, y, loss=loss, x_bound=1.0, y_bound=1.0, radius=radius)
