"""The JL method: its maps, and its trials against Algorithm 2 in plain Python."""

import math
import tracemalloc
from dataclasses import replace

import numpy as np
import planted
import pytest
from naive import jl as naive
from naive import losses as naive_losses
from registry import LOSSES, problem
from scipy import sparse

from dpbench.core.sampling import stream
from dpbench.papers.glm.algorithms import _noisy_gd_kernels, random_map
from dpbench.papers.glm.algorithms.jl import JLMethod
from dpbench.papers.glm.algorithms.random_map import MAPS, RandomMap, by_columns
from dpbench.papers.glm.populations import ScaledBasis

STEPS, K = 6, 3


def drawn_map(kind, k, d, rng):
    """The twin's Φ from the streams that the mechanism's map with this generator uses; takes the key from it."""
    key = rng.bytes(32).hex()
    parts = []
    for start in range(0, d, max(1, random_map._CHUNK // k)):
        source = stream("columns of a random map", key, start)
        shape = (min(max(1, random_map._CHUNK // k), d - start), k)
        parts.append(source.standard_normal(shape) if kind == "gaussian" else source.random(shape))
    return naive.random_map(kind, np.concatenate(parts))


def twin_trials(m, p, trials, rng):
    """Algorithm 2 in plain Python with the same draws."""
    X = p.X.toarray() if p.sparse else p.X
    bound = m.norm_bound(p) if m.calibration == "exact" else math.inf

    def slope(z, y):
        return float(naive_losses.derivative(p.loss.name, p.loss.parameter, z, y))

    outputs = []
    for _ in range(trials):
        phi = drawn_map(m.map, m.projected_dimension(p), p.d, rng)
        xi = m.sigma(p) * rng.standard_normal((m.number_of_steps(p) - 1, len(phi)))
        if p.loss.quadratic and not p.loss.affine:  # drawn along the eigenvectors of the Hessian in R^k
            xi = xi @ m.projected(p, X @ phi.T).axes[1].T
        outputs.append(naive.jl_method(phi, X, p.y, slope, p.radius, m.eta(p), list(xi), bound))
    return np.array(outputs)


def small(loss, *, as_sparse=False, n=11, radius=0.3):
    return replace(problem(loss, n=n, d=5, as_sparse=as_sparse), radius=radius)


@pytest.mark.kernel
@pytest.mark.few(14)
@pytest.mark.parametrize("loss", sorted(LOSSES))
@pytest.mark.parametrize("kind", MAPS)
@pytest.mark.parametrize("calibration", ["exact", "printed"])
def test_equals_algorithm_2(loss, kind, calibration, monkeypatch):
    """fill_map, add_columns and noisy_gd_single: whole trials, clipped and not, on chunks of two columns."""
    monkeypatch.setattr(random_map, "_CHUNK", 2 * K)
    for as_sparse, kept, radius in ((False, 10**6, 0.3), (True, 0, 20.0)):
        monkeypatch.setattr(random_map, "_KEPT", kept)
        p = small(loss, as_sparse=as_sparse, radius=radius)
        m = JLMethod(
            1.0, 1e-5, dimension=K, map=kind, calibration=calibration, distortion=0.05, steps=STEPS,
            step_size=0.4, noise_scale=0.2,
        )  # fmt: skip
        got, want = m(p, 3, np.random.default_rng(4)), twin_trials(m, p, 3, np.random.default_rng(4))
        assert np.allclose(got, want, rtol=1e-11, atol=1e-12)
        if calibration == "exact":
            raw = naive.projected(drawn_map(kind, K, 5, np.random.default_rng(4)), p.X.toarray() if as_sparse else p.X)
            assert (np.linalg.norm(raw, axis=1) > 1.05).any(), "no record is long enough for the clip to be tested"


PLANTED = [
    (random_map, "fill_map", "scale if rng.random() < 0.5", "scale if rng.random() < 0.51"),
    (random_map, "add_columns", "x * rows[j, i]", "x * rows[j, 0]"),
    (_noisy_gd_kernels, "noisy_gd_single", "slope[:] = 0.0", "slope[:1] = 0.0"),
]


@pytest.mark.kernel
@pytest.mark.parametrize(("home", "kernel", "right", "wrong"), PLANTED, ids=[" ".join(case[1:]) for case in PLANTED])
def test_a_planted_error_is_caught(home, kernel, right, wrong, monkeypatch):
    """The kernel with one expression changed, run as Python: the comparison with the twin fails."""
    assert max(differences_from_twin(kernel)) < 1e-12
    monkeypatch.setattr(home, kernel, planted.wrong(home, kernel, right, wrong))
    assert max(differences_from_twin(kernel)) > 1e-6


def differences_from_twin(name):
    """For each kind of map: largest difference of 5,000 entries (fill_map), or of four trials, from the twin's."""
    found = []
    for code, kind in enumerate(MAPS):
        if name == "fill_map":
            got, draws = np.empty((500, 10)), np.random.default_rng(3)
            random_map.fill_map(code, math.sqrt((3.0 if kind == "sparse" else 1.0) / 10), np.random.default_rng(3), got)
            raw = draws.standard_normal((500, 10)) if kind == "gaussian" else draws.random((500, 10))
            want = naive.random_map(kind, raw).T
        else:
            p = small("logistic", as_sparse=True)
            m = JLMethod(1.0, 1e-5, dimension=5, map=kind, steps=STEPS, step_size=0.4, noise_scale=0.0, distortion=5.0)
            got, want = m(p, 4, np.random.default_rng(4)), twin_trials(m, p, 4, np.random.default_rng(4))
        found.append(float(np.abs(got - want).max()))
    return found


def test_a_map_is_drawn_twice_alike_and_chunks_without_data_not_at_all(monkeypatch):
    monkeypatch.setattr(random_map, "_CHUNK", 40)
    monkeypatch.setattr(random_map, "_KEPT", 0)
    rng = np.random.default_rng(0)
    X = sparse.csr_array(([0.5, -1.0, 2.0], ([0, 1, 1], [3, 95, 0])), shape=(2, 101))
    phi = RandomMap("gaussian", 4, 101, rng)
    whole = np.concatenate([phi.chunk(start).copy() for start in phi.starts()])
    drawn = []
    chunk = phi.chunk
    monkeypatch.setattr(phi, "chunk", lambda start: drawn.append(start) or chunk(start))
    assert np.allclose(phi.project(by_columns(X)), X @ whole, rtol=1e-14)
    assert drawn == [0, 90]
    assert np.allclose(phi.project(X.toarray()), X @ whole, rtol=1e-13, atol=1e-14)
    w = rng.standard_normal(4)
    assert np.allclose(phi.lift(w), whole @ w, rtol=1e-14)


def test_neither_the_map_nor_dense_features_are_ever_held():
    """k = 64, d = 1e5: Φ would take 51 MB, dense X 200 MB; beside the output 0.8 MB and the columns of X 1.8 MB."""
    d = 100_000
    p = ScaledBasis.even("squared", d, 16, 1.0).draw(250, np.random.default_rng(3))
    m = JLMethod(1.0, 1e-5, dimension=64, steps=20)
    m(small("squared"), 1, np.random.default_rng(0))
    assert p.sparse
    tracemalloc.start()
    try:
        out = m(p, 1, np.random.default_rng(0))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert out.shape == (1, d) and np.isfinite(out).all() and out.any()
    assert peak < 10e6, peak
