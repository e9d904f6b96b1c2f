"""The JL method: its maps, its trials against Algorithm 2 in plain Python, its parameters and its privacy."""

from __future__ import annotations

import inspect
import itertools
import math
import tracemalloc
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from naive import jl as naive
from naive import losses as naive_losses
from registry import LOSSES, problem
from scipy import sparse
from scipy.stats import binom, chi2

from dpbench import losses, validation
from dpbench.claims.glm.jl_privacy import realised_gap
from dpbench.claims.glm.pairs import cancelling_pair
from dpbench.glm import _noisy_gd_kernels, _random_map, theory
from dpbench.glm._jl_profiles import log_tail
from dpbench.glm._random_map import MAPS, RandomMap, by_columns
from dpbench.glm.jl import JLMethod
from dpbench.glm.noisy_gd import NoisyGD, printed_gradient_bound
from dpbench.glm.sensitivity import gradient_gap
from dpbench.populations import ScaledBasis
from dpbench.privacy import gaussian
from dpbench.problems import GLMProblem
from dpbench.sampling import stream

STEPS, K = 6, 3


def drawn_map(kind: str, k: int, d: int, rng: np.random.Generator) -> np.ndarray:
    """The twin's Φ from the streams that the mechanism's map with this generator uses; takes the key from it."""
    key = rng.bytes(32).hex()
    parts = []
    for start in range(0, d, max(1, _random_map._CHUNK // k)):
        source = stream("columns of a random map", key, start)
        shape = (min(max(1, _random_map._CHUNK // k), d - start), k)
        parts.append(source.standard_normal(shape) if kind == "gaussian" else source.random(shape))
    return naive.random_map(kind, np.concatenate(parts))


def twin_trials(m: JLMethod, p: GLMProblem, trials: int, rng: np.random.Generator) -> np.ndarray:
    """Algorithm 2 in plain Python with the same draws."""
    X = p.X.toarray() if p.sparse else p.X
    bound = m.norm_bound(p) if m.calibration == "exact" else math.inf

    def slope(z: float, y: float) -> float:
        return float(naive_losses.derivative(p.loss.name, p.loss.parameter, z, y))

    outputs = []
    for _ in range(trials):
        phi = drawn_map(m.map, m.projected_dimension(p), p.d, rng)
        xi = m.sigma(p) * rng.standard_normal((m.number_of_steps(p) - 1, len(phi)))
        if p.loss.quadratic and p.loss.code != losses.LINEAR:  # drawn along the eigenvectors of the Hessian in R^k
            xi = xi @ m.projected(p, X @ phi.T).axes[1].T
        outputs.append(naive.jl_method(phi, X, p.y, slope, p.radius, m.eta(p), list(xi), bound))
    return np.array(outputs)


def small(loss: str, *, as_sparse: bool = False, n: int = 11, radius: float = 0.3) -> GLMProblem:
    return replace(problem(loss, n=n, d=5, as_sparse=as_sparse), radius=radius)


@pytest.mark.kernel
@pytest.mark.parametrize("loss", sorted(LOSSES))
@pytest.mark.parametrize("kind", MAPS)
@pytest.mark.parametrize("calibration", ["exact", "printed"])
def test_equals_algorithm_2(loss: str, kind: str, calibration: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """fill_map, add_columns and noisy_gd_single: whole trials, clipped and not, on chunks of two columns."""
    monkeypatch.setattr(_random_map, "_CHUNK", 2 * K)
    for as_sparse, kept, radius in ((False, 10**6, 0.3), (True, 0, 20.0)):
        monkeypatch.setattr(_random_map, "_KEPT", kept)
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


@pytest.mark.kernel
@pytest.mark.parametrize(("n", "k"), [(1, 1), (4, 4), (7, 2), (6, 9)])
def test_one_trial_of_the_descent_for_every_remainder(n: int, k: int) -> None:
    """noisy_gd_single against a block of eight, whose first column is driven by the same noise."""
    for name in ("logistic", "huber", "absolute", "capped-linear"):
        p = problem(name, n=n, d=k)
        single = NoisyGD(1.0, 1e-5, steps=5, step_size=0.7, noise_scale=0.3)
        xi = np.random.default_rng(2).standard_normal((4, k))

        def slope(z: float, y: float, p: GLMProblem = p) -> float:
            return float(naive_losses.derivative(p.loss.name, p.loss.parameter, z, y))

        from naive import noisy_gd as gd

        want = gd.average(gd.noisy_gd(p.X, p.y, slope, p.radius, 0.7, list(0.3 * xi)))
        assert np.allclose(single.block(p, 1, np.random.default_rng(2))[0], want, rtol=1e-12, atol=1e-14)


PLANTED = [
    (_random_map.fill_map, "u < 1.0", "u < 1.01"),
    (_random_map.fill_map, "scale if rng.random() < 0.5", "scale if rng.random() < 0.51"),
    (_random_map.add_columns, "x * rows[j, i]", "x * rows[j, 0]"),
    (_noisy_gd_kernels.noisy_gd_single, "range(whole_d, d)", "range(whole_d + 1, d)"),
    (_noisy_gd_kernels.noisy_gd_single, "range(whole_n, n)", "range(whole_n, n - 1)"),
    (_noisy_gd_kernels.noisy_gd_single, "/ n\n", "/ (n + 1)\n"),
]


@pytest.mark.kernel
@pytest.mark.parametrize(("kernel", "right", "wrong"), PLANTED, ids=lambda x: x if isinstance(x, str) else x.__name__)
def test_a_planted_error_is_caught(kernel: Any, right: str, wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel with one expression changed, run as Python: the comparison with the twin fails."""
    source = inspect.getsource(kernel.py_func)
    assert right in source
    body = source[source.index("def ") :].replace(right, wrong)
    home = inspect.getmodule(kernel.py_func)
    space = dict(vars(home))
    exec(compile(body, "<planted>", "exec"), space)
    monkeypatch.setattr(home, kernel.__name__, space[kernel.__name__])
    assert max(differences_from_twin(kernel.__name__)) > 1e-6


def differences_from_twin(name: str) -> list[float]:
    """For each kind of map: largest difference of 5,000 entries (fill_map), or of four trials, from the twin's."""
    found = []
    for code, kind in enumerate(MAPS):
        if name == "fill_map":
            got, draws = np.empty((500, 10)), np.random.default_rng(3)
            _random_map.fill_map(
                code, math.sqrt((3.0 if kind == "sparse" else 1.0) / 10), np.random.default_rng(3), got
            )
            raw = draws.standard_normal((500, 10)) if kind == "gaussian" else draws.random((500, 10))
            want = naive.random_map(kind, raw).T
        else:
            p = small("logistic", as_sparse=True)
            m = JLMethod(1.0, 1e-5, dimension=5, map=kind, steps=STEPS, step_size=0.4, noise_scale=0.0, distortion=5.0)
            got, want = m(p, 4, np.random.default_rng(4)), twin_trials(m, p, 4, np.random.default_rng(4))
        found.append(float(np.abs(got - want).max()))
    return found


@pytest.mark.kernel
def test_nothing_differs_where_nothing_is_planted() -> None:
    assert max(differences_from_twin("fill_map") + differences_from_twin("noisy_gd_single")) < 1e-12


def entries(kind: str, k: int, d: int, seed: int) -> np.ndarray:
    phi = RandomMap(kind, k, d, np.random.default_rng(seed))
    return np.concatenate([phi.chunk(start).copy() for start in phi.starts()])


def p_values(kind: str, drawn: np.ndarray, k: int) -> list[float]:
    """Two-sided p values: Σk·Φ² ~ χ² for normal entries; counts of + and of 0 for the others."""
    size, plus = drawn.size, int((drawn > 0.0).sum())
    if kind == "gaussian":
        square = float(k * (drawn**2).sum())
        return [
            2 * min(chi2.cdf(square, size), chi2.sf(square, size)),
            2 * min(binom.cdf(plus, size, 0.5), binom.sf(plus - 1, size, 0.5)),
        ]
    chance = 0.5 if kind == "rademacher" else 1 / 6
    found = [2 * min(binom.cdf(plus, size, chance), binom.sf(plus - 1, size, chance))]
    if kind == "sparse":
        zeros = int((drawn == 0.0).sum())
        found.append(2 * min(binom.cdf(zeros, size, 2 / 3), binom.sf(zeros - 1, size, 2 / 3)))
    return found


@pytest.mark.parametrize("kind", MAPS)
def test_entries_have_their_law(kind: str) -> None:
    """Null: the entries' law. 1e6 entries, fixed seed, false alarm 1e-6: finds 1.5% in them (sparse: 3%)."""
    k, d = 20, 50_000
    drawn = entries(kind, k, d, 6)
    assert min(p_values(kind, drawn, k)) > 1e-6
    if kind != "gaussian":
        assert set(np.unique(np.abs(drawn))) <= {0.0, math.sqrt((3.0 if kind == "sparse" else 1.0) / k)}
    planted = 1.015 * drawn
    if kind != "gaussian":
        flipped = np.random.default_rng(1).random(drawn.shape) < (0.0075 if kind == "rademacher" else 0.03)
        planted = np.where(flipped, np.abs(drawn), drawn)
    assert min(p_values(kind, planted, k)) < 1e-6
    again = entries(kind, k, d, 6)
    assert np.array_equal(drawn, again) and not np.array_equal(drawn[:100], entries(kind, k, d, 7)[:100])


def test_a_map_is_drawn_twice_alike_and_chunks_without_data_not_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_random_map, "_CHUNK", 40)
    monkeypatch.setattr(_random_map, "_KEPT", 0)
    rng = np.random.default_rng(0)
    X = sparse.csr_array(([0.5, -1.0, 2.0], ([0, 1, 1], [3, 95, 0])), shape=(2, 101))
    phi = RandomMap("gaussian", 4, 101, rng)
    whole = np.concatenate([phi.chunk(start).copy() for start in phi.starts()])
    drawn: list[int] = []
    chunk = phi.chunk
    monkeypatch.setattr(phi, "chunk", lambda start: drawn.append(start) or chunk(start))
    assert np.allclose(phi.project(by_columns(X)), X @ whole, rtol=1e-14)
    assert drawn == [0, 90]
    assert np.allclose(phi.project(X.toarray()), X @ whole, rtol=1e-13, atol=1e-14)
    w = rng.standard_normal(4)
    assert np.allclose(phi.lift(w), whole @ w, rtol=1e-14)


def test_neither_the_map_nor_dense_features_are_ever_held() -> None:
    """k = 64, d = 4e5: Φ would take 205 MB, dense X 800 MB; beside the output 3.2 MB and the columns of X 7 MB."""
    d = 400_000
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
    assert peak < 20e6


def test_printed_parameters_are_the_theorems() -> None:
    p = replace(problem("squared", n=50, d=40), radius=0.7)
    m = JLMethod(0.5, 1e-4, calibration="printed")
    bound, n, L = printed_gradient_bound(p), 50, math.log(1e4)
    h = math.sqrt(2.0) * 0.7
    assert m.number_of_steps(p) == n
    assert m.projected_dimension(p) == math.ceil((h * math.log(2 * n / 1e-4) * n * 0.5 / (1.0 + h)) ** (2 / 3))
    assert m.sigma(p) == pytest.approx(math.sqrt(8 * bound**2 * n * L) / (n * 0.5))
    assert m.eta(p) == pytest.approx(min(0.7 / (math.sqrt(n) * max(math.sqrt(2.0), m.sigma(p) * math.sqrt(40))), 1 / 8))
    q = replace(problem("absolute", n=20, d=4000), radius=0.7)
    k = math.ceil(math.log(2 * 20 / 1e-4) * 20 * 0.5)
    assert (m.number_of_steps(q), m.projected_dimension(q)) == (400, k)
    assert m.sigma(q) == pytest.approx(math.sqrt(8 * 400 * math.log(2e4)) / (20 * 0.5))
    assert m.eta(q) == pytest.approx(0.7 / ((1 + math.sqrt(k * math.log(2e4)) / 10) * 400**0.75))
    assert replace(m, dimension_constant=2.0).projected_dimension(q) == math.ceil(2 * math.log(4e5) * 10)
    assert JLMethod(100.0, 1e-4, calibration="printed").projected_dimension(p) == 40, "never above d"


def test_exact_parameters() -> None:
    p = replace(problem("squared", n=50, d=40), radius=0.7)
    m = JLMethod(0.5, 1e-4)
    k = math.ceil((2.0 * 0.7 * 50 * 0.5 / printed_gradient_bound(p)) ** (2 / 3))
    assert (m.projected_dimension(p), m.number_of_steps(p)) == (k, 50)
    assert m.norm_bound(p) == 2.0
    wide = replace(m, dimension=400)
    assert wide.norm_bound(p) == pytest.approx(1.0 + math.sqrt(math.log(100 / 1e-4) / 400))
    assert replace(m, distortion=0.25).norm_bound(p) == 1.25
    gap = gradient_gap(p.loss, 2.0, 1.0, 1.4, 40)
    assert m.sigma(p) == pytest.approx(gap / 50 * 7.0 / gaussian.mu(0.5, 1e-4))
    want = theory.noisy_gd_step_size(0.7, 50, 2.0, 2.0, 1.0, m.sigma(p), k)
    assert m.eta(p) == pytest.approx(want)
    q = problem("absolute", n=50, d=40)
    assert (m.number_of_steps(q), m.projected_dimension(q)) == (50, 25)
    assert m.eta(q) == pytest.approx(2.0 / (math.sqrt(50) * m.sigma(q) * 5.0))


@pytest.mark.parametrize("loss", sorted(LOSSES))
def test_more_budget_never_means_more_noise_when_k_follows_it(loss: str) -> None:
    p = problem(loss, n=60, d=200)
    for calibration in ("exact", "printed"):
        found = [JLMethod(e, 1e-5, calibration=calibration).sigma(p) for e in np.geomspace(0.01, 10.0, 80)]
        assert found == sorted(found, reverse=True)


def test_the_projected_data_is_what_the_bounds_say() -> None:
    rng = np.random.default_rng(2)
    p = problem("squared", n=200)
    for calibration in ("exact", "printed"):
        m = JLMethod(1.0, 1e-5, dimension=2, distortion=0.1, calibration=calibration)
        raw = RandomMap("gaussian", 2, p.d, rng).project(p.X)
        made = m.projected(p, raw)
        assert made.radius == 2.0 * p.radius and np.array_equal(made.y, p.y)
        if calibration == "printed":
            assert np.array_equal(made.X, raw)
        else:
            assert np.linalg.norm(made.X, axis=1).max() <= 1.1 < np.linalg.norm(raw, axis=1).max()


@pytest.mark.parametrize("loss", sorted(LOSSES))
def test_gradients_in_the_projected_space_differ_by_at_most_d(loss: str) -> None:
    """Measured sensitivity; planted: D at radius B and norm X, as the paper has it, is exceeded."""
    p = replace(problem(loss, n=2), radius=2.0)
    found = realised_gap(p, np.random.default_rng(1), 300)
    assert found <= 1.0
    assert found > gradient_gap(p.loss, 1.0, 1.0, 2.0, 5) / gradient_gap(p.loss, 1.5, 1.0, 4.0, 5)


@pytest.mark.parametrize(("k", "mu", "epsilon"), [(1, 0.5, 1.0), (2, 0.5, 0.3), (5, 1.0, 1.0), (40, 1.0, 2.0)])
def test_the_profile_of_a_pair_is_that_of_its_mixture(k: int, mu: float, epsilon: float) -> None:
    """Against the hockey-stick of the marginal, which knows nothing of conditioning on the map."""
    p, q = cancelling_pair("linear", 11, x_bound=1.0, y_bound=1.0, radius=1.0, dimension=50)
    m = JLMethod(1.0, 1e-5, calibration="printed", dimension=k, steps=5, step_size=1e-9)
    m = replace(m, noise_scale=2.0 / 11.0 * math.sqrt(4) / mu)
    profile = m.pair_profile(p, q, released="all")
    want = naive.hockey_stick_on_a_line(k, mu, epsilon)
    assert profile.kind == "lower"
    assert 0.95 * want <= profile.delta(epsilon) <= want * (1.0 + 1e-4)
    fixed = m.pair_profile(p, q, released="all", stretch=1.5)
    assert fixed.delta(epsilon) == pytest.approx(gaussian.delta(epsilon, 1.5 * mu), rel=1e-6)
    assert m.guarantee(p).delta(epsilon) >= profile.delta(epsilon)


def test_the_output_on_a_line_has_the_mean_that_the_profile_assumes() -> None:
    """Null: mean of ⟨u, Φᵀw̃⟩ = η‖g‖(T − 1)/2. 4,000 trials: an error of 15% is 6 standard errors (planted)."""
    p, _ = cancelling_pair("linear", 5, x_bound=1.0, y_bound=1.0, radius=100.0, dimension=20)
    m = JLMethod(1.0, 1e-5, calibration="printed", dimension=4, steps=9, step_size=0.1, noise_scale=0.1)
    found = m(p, 4000, np.random.default_rng(8))[:, 0]
    want, error = 0.1 * 0.2 * 4.0, float(found.std() / math.sqrt(len(found)))
    assert abs(found.mean() - want) < 4.9 * error
    assert abs(found.mean() - 1.15 * want) > 4.9 * error


def test_pairs_that_are_not_on_a_line_get_the_guarantee() -> None:
    p, q = cancelling_pair("linear", 11, x_bound=1.0, y_bound=1.0, radius=1.0, dimension=3)
    printed = JLMethod(1.0, 1e-5, calibration="printed", dimension=4, steps=5, step_size=1e-6)
    off = p.replace_record(0, [0.0, 0.5, 0.0], 1.0)
    beyond = cancelling_pair(losses.capped_linear(0.1), 11, x_bound=1.0, y_bound=1.0, radius=1.0)
    cases = [
        (printed, p, off),
        (printed, p, p),
        (replace(printed, calibration="exact"), p, q),
        (replace(printed, map="sparse"), p, q),
        (replace(printed, steps=1), p, q),
        (printed, problem("squared"), problem("squared", seed=8)),
    ]
    for m, one, other in cases:
        assert m.pair_profile(one, other).kind == "upper"
    assert printed.pair_profile(*beyond, stretch=2.0).kind == "upper"
    assert printed.pair_profile(p, q).kind == "lower"
    assert printed.pair_profile(p, q, stretch=2.0).kind == "lower"


def test_an_active_projection_leaves_no_lower_bound() -> None:
    p, q = cancelling_pair("linear", 11, x_bound=1.0, y_bound=1.0, radius=1.0, dimension=3)
    m = JLMethod(1.0, 0.1, calibration="printed", dimension=4, steps=5, step_size=1e-6)
    assert m.pair_profile(p, q).delta(0.01) > 0.0
    assert replace(m, step_size=5.0).pair_profile(p, q).delta(0.01) == 0.0
    assert replace(m, step_size=1e6).pair_profile(p, q).delta(0.01) == 0.0


def test_unclipped_guarantee_covers_long_projections() -> None:
    """It tends to the Gaussian profile at norm ‖X‖ as k grows, and exceeds it for small k."""
    p = problem("absolute")
    found = []
    for k in (1, 10, 100, 10**5):
        m = JLMethod(1.0, 1e-5, calibration="printed", dimension=k, steps=12)
        found.append(m.guarantee(p).delta(1.0))
    bare = gaussian.delta(1.0, 2.0 / 40.0 * math.sqrt(11) / m.sigma(p))
    assert found == sorted(found, reverse=True)
    assert bare < found[-1] < 2.0 * bare < found[0]
    assert replace(m, noise_scale=0.0).guarantee(p).delta(1.0) == 1.0
    assert m.guarantee(p).epsilon(1e-5) > 0.0


def test_tails_bound_the_chance_of_a_long_projection() -> None:
    """Every map of ±1 or 0 counted, in three dimensions and k = 3; the normal one is χ²."""
    x = np.array([0.6, 0.64, 0.48])
    for kind, values, chances in (
        ("rademacher", (-1.0, 1.0), (0.5, 0.5)),
        ("sparse", (-math.sqrt(3.0), 0.0, math.sqrt(3.0)), (1 / 6, 2 / 3, 1 / 6)),
    ):
        row = [
            (float(np.dot(v, x)) ** 2, math.prod(c))
            for v, c in zip(itertools.product(values, repeat=3), itertools.product(chances, repeat=3), strict=True)
        ]
        law = [
            (sum(s for s, _ in three) / 3, math.prod(c for _, c in three)) for three in itertools.product(row, repeat=3)
        ]
        for stretch in (1.0, 1.2, 1.5, 1.7):
            chance = sum(c for square, c in law if square > stretch**2)
            assert chance <= math.exp(log_tail(kind, 3, stretch))
    assert log_tail("gaussian", 3, 1.2) == pytest.approx(math.log(chi2.sf(3 * 1.44, 3)))
    assert log_tail("gaussian", 3, 1.2) <= log_tail("rademacher", 3, 1.2)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"dimension": 0}, "dimension"),
        ({"dimension": 2.0}, "dimension"),
        ({"map": "normal"}, "map"),
        ({"theorem": 3}, "theorem"),
        ({"theorem": True}, "theorem"),
        ({"distortion": 0.0}, "distortion"),
        ({"steps": 0}, "steps"),
        ({"step_size": 0.0}, "step_size"),
        ({"dimension_constant": -1.0}, "dimension_constant"),
    ],
)
def test_bad_parameters_are_named(arguments: dict[str, Any], named: str) -> None:
    with pytest.raises(validation.InvalidInput, match=rf"^{named} must be .*, got "):
        JLMethod(1.0, 1e-5, **arguments)


def test_a_theorem_whose_conditions_do_not_hold_is_refused() -> None:
    for theorem, loss in ((2, "absolute"), (2, "linear"), (10, "squared")):
        with pytest.raises(validation.InvalidInput, match=r"^loss must be .* for Theorem"):
            JLMethod(1.0, 1e-5, theorem=theorem).sigma(problem(loss))
    p, q = cancelling_pair("linear", 11, x_bound=1.0, y_bound=1.0, radius=1.0)
    for bad in ({"released": "last"}, {"stretch": 0.0}):
        with pytest.raises(validation.InvalidInput, match=r"^(released|stretch) must be "):
            JLMethod(1.0, 1e-5).pair_profile(p, q, **bad)
