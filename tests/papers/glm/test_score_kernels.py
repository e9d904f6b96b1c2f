"""The pass that scores models for grid search and boosting, against its definition, and what the definition catches."""

import numpy as np
import pytest
from naive import losses as naive_losses
from naive import selection as naive
from planted import wrong
from regressions import ALL
from regressions import problem as regression
from scipy import sparse

from dpbench.papers.glm.algorithms import _score_kernels, scoring
from dpbench.papers.glm.algorithms._score_kernels import ROWS, add_clipped

REACHES = (0.3, 2.0, 50.0)


def disagreement(run, name, as_sparse, n=ROWS + 3):
    """Largest difference, over three models with a reach each, to the mean of clipped losses of the twin."""
    loss = ALL[name]
    p = regression(loss, n=n, d=7, seed=2)
    models = np.random.default_rng(6).standard_normal((3, 7)) * np.array([[5.0], [1.0], [30.0]])
    ranges = [scoring.loss_range(loss, 1.0, reach) for reach in REACHES]
    low, high = np.array(ranges).T.copy()
    rows = sparse.csr_array(p.X)
    none = np.empty(0, dtype=np.int64)
    stored = (p.X, np.empty(0), none, none)
    if as_sparse:
        stored = (np.empty((0, 0)), rows.data, rows.indices.astype(np.int64), rows.indptr.astype(np.int64))
    out, scores, share = np.zeros((2, 3)), np.full((ROWS, 3), np.nan), np.full(n, 1.0 / n)
    run(loss.code, loss.parameter, *stored, p.y, share, models.T.copy(), low, high, scores, out)

    def value(z, label):
        return float(naive_losses.values(name, loss.parameter, z, label))

    want = [naive.mean_clipped_loss(p.X, p.y, w, value, *ends) for w, ends in zip(models, ranges, strict=True)]
    return float(np.abs(out[0] / np.array(want) - 1.0).max())


@pytest.mark.kernel
@pytest.mark.parametrize("as_sparse", [False, True])
@pytest.mark.parametrize("name", ALL)
def test_scores_equal_their_definition(name, as_sparse):
    assert disagreement(add_clipped, name, as_sparse) < 1e-12


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("high[k] if value > high[k] else value", "value"),
        ("total[k] += part[k]", "total[k] = part[k]"),
    ],
)
def test_a_wrong_score_is_caught(old, new):
    changed = wrong(_score_kernels, "add_clipped", old, new)
    assert max(disagreement(changed, name, False) for name in ("huber", "logistic")) > 1e-5


def test_no_loss_of_a_model_that_is_no_number_is_hidden():
    p = regression(ALL["huber"], n=5, d=3)
    w = np.array([[np.nan, 0.0, 0.0], [0.1, 0.0, 0.0]])
    found = scoring.clipped_risk(p, w, 1.0)
    assert np.isnan(found[0]) and np.isfinite(found[1])


def test_reaches_of_their_own_and_calls_in_parts(monkeypatch):
    """A reach for each model gives what each reach gives alone; so do small calls, and few models at a time."""
    for name in ("squared", "absolute", "linear"):
        for as_sparse in (False, True):
            p = regression(ALL[name], n=150, d=3, as_sparse=as_sparse)
            w = np.random.default_rng(8).standard_normal((70, 3)) * 4.0
            reach = np.resize(REACHES, 70)
            alone = [float(scoring.clipped_risk(p, w[k : k + 1], float(reach[k]))[0]) for k in range(70)]
            assert np.allclose(scoring.clipped_risk(p, w, reach), alone, rtol=1e-13)
            with monkeypatch.context() as m:
                m.setattr(scoring, "_WORK", 1.0)
                m.setattr(scoring, "_MODELS", 7)
                assert np.allclose(scoring.clipped_risk(p, w, reach), alone, rtol=1e-13)
    assert scoring.clipped_risk(p, np.empty((0, 3)), 1.0).shape == (0,)
