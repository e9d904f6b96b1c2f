"""What every mechanism promises: `dpbench.testing.check_mechanism` and more, over the one registry.

The pairs of mechanism and problem are those of `registry.PAIRS`, one for each way in which the code treats a problem;
kernels are held against their reference implementations for every loss elsewhere. The default run checks the whole
contract of one pair a mechanism.
"""

from dataclasses import fields, replace
from functools import partial

import numpy as np
import pytest
from registry import LOSSES, MECHANISMS, PAIRS, PUBLIC_MECHANISMS, REGISTRY, problem

from dpbench.core import validation
from dpbench.core.sampling import canonical, stream
from dpbench.core.validation import LARGEST_SIZE, LEAST_SIZE
from dpbench.papers.glm.problem import GLMProblem
from dpbench.testing import check_mechanism
from dpbench.testing.hostile import hostile_pairs

TRIALS = 130  # two blocks of 64 and a part of a third
IN_INTEGERS = ("output-perturbation", "regularized-perturbation", "regularized-laplace", "rrspm-laplace",
               "rrspm-gaussian", "rspm", "exponential-enumerate")  # fmt: skip
LIMITS = [(x, radius) for x in (LEAST_SIZE, 1.0, LARGEST_SIZE) for radius in (LEAST_SIZE, 1.0, LARGEST_SIZE)]


def over(*cases, marked=lambda case, kind: ()):
    """Parametrise by the pairs of these mechanisms, or of all."""
    return pytest.mark.parametrize(
        ("case", "kind"),
        [
            pytest.param(case, kind, id=f"{case}-{kind}", marks=marked(case, kind))
            for case, kind in PAIRS if case in (cases or REGISTRY)
        ],
    )  # fmt: skip


def but_for_the_first(case, kind):
    return () if kind == (case.sampled or case.kinds)[0] else (pytest.mark.slow,)


def and_kernels(case, kind):
    """Without the JIT halfspaces and the hull take 11 s and 32 s; their kernels have tests of their own."""
    kernel = () if kind in ("halfspaces", "hull-absolute") else (pytest.mark.kernel,)
    return (*but_for_the_first(case, kind), *kernel)


each = over()
glm = over(*MECHANISMS)
all_cases = pytest.mark.parametrize("case", REGISTRY, ids=str)


def noise(case, mechanism, problem):
    return float(getattr(mechanism, case.noise)(problem))


@over(marked=but_for_the_first)
def test_contract(case, kind):
    p, m = case.problem(kind), case.make()
    q = case.neighbour(p, np.random.default_rng(11))
    feasible = None if case.feasible is None else partial(case.feasible, m, p)
    done = check_mechanism(
        m, p, neighbour=q, feasible=feasible, hostile=hostile_pairs(p, 5, 0), trials=250,
        noise=partial(noise, case) if case.noise else None,
    )  # fmt: skip
    assert {"guarantee", "release contents", "audit within the guarantee", "trials of a call"} <= set(done)
    assert not case.noise or "more budget, no more noise" in done
    assert ("feasible outputs" in done) == (case.feasible is not None)


@over(marked=and_kernels)
def test_outputs(case, kind):
    """Shape, type, finite, another seed others, and a statistic is what travels."""
    p, m = case.problem(kind), case.make()
    first = m.sample(p, TRIALS, seed=3)
    assert first.ndim == 2 and first.shape[0] == TRIALS and first.dtype == np.float64
    assert first.shape[1] == (p.hypotheses.width if case in PUBLIC_MECHANISMS else p.d)
    assert not np.isnan(first).any() if case in PUBLIC_MECHANISMS else np.isfinite(first).all()
    assert not (case.varies and np.array_equal(first, m.sample(p, TRIALS, seed=4)))
    assert np.allclose(m.sample(p, TRIALS, seed=3, statistic=p.empirical_risk), p.empirical_risk(first), rtol=1e-13)


@glm
@pytest.mark.kernel
def test_sparse_and_dense_agree(case, kind):
    m = case.make(noise_scale=0.0)
    outputs = [m(p, 2, stream("sparse")) for p in (problem(kind), problem(kind, as_sparse=True))]
    assert np.allclose(*outputs, rtol=1e-7, atol=1e-9)


@each
def test_exact_calibration_meets_its_claim_and_wastes_nothing(case, kind):
    p = case.problem(kind)
    for epsilon, delta in ((0.1, 1e-6), (1.0, 1e-3), (4.0, 1e-6)):
        profile = case.make(epsilon, delta).guarantee(p)
        assert profile.kind in ("exact", "upper")
        if case.pure:
            assert profile.delta(epsilon) == 0.0 < profile.delta(epsilon * (1.0 - 1e-6))
            assert profile.epsilon(0.0) <= epsilon
        else:
            assert case.least * delta * (1.0 - 1e-6) <= profile.delta(epsilon) <= delta
            assert profile.epsilon(delta) <= epsilon
            assert profile.delta(0.9 * epsilon) > profile.delta(epsilon)


@over(*(case for case in REGISTRY if str(case) in IN_INTEGERS), marked=but_for_the_first)
def test_exact_arithmetic_keeps_the_claim_at_little_more_noise(case, kind):
    p = case.problem(kind)
    for epsilon, delta in ((0.5, 1e-6), (4.0, 1e-3)):
        plain, exact = (case.make(epsilon, delta, arithmetic=arithmetic) for arithmetic in ("float", "exact"))
        assert exact.guarantee(p).delta(epsilon) <= (0.0 if case.pure else delta)
        if case.noise:
            assert 0.999 < noise(case, exact, p) / noise(case, plain, p) < 1.1


@over(*(case for case in REGISTRY if case.noise))
def test_guarantee_follows_the_noise_in_use(case, kind):
    p, m = case.problem(kind), case.make()
    scale = noise(case, m, p)
    halved, doubled = (replace(m, noise_scale=factor * scale).guarantee(p).epsilon(1e-4) for factor in (0.5, 2.0))
    assert halved > 1.5 * m.guarantee(p).epsilon(1e-4) > 2.0 * doubled


@over(*MECHANISMS, *PUBLIC_MECHANISMS)
def test_without_noise_there_is_no_privacy(case, kind):
    assert case.make(noise_scale=0.0).guarantee(case.problem(kind)).delta(1.0) == 1.0


@over(*(case for case in REGISTRY if case.noise))
def test_more_budget_never_means_more_noise(case, kind):
    """Of either calibration, in ε and in δ, whatever the records; for pure mechanisms δ plays no part."""
    p = case.problem(kind)
    q = case.neighbour(p, np.random.default_rng(11))
    for calibration in ("exact", "printed"):
        m = case.make(calibration=calibration)
        assert noise(case, m, p) == noise(case, m, q)
        by_epsilon = [noise(case, case.make(e, 1e-5, calibration=calibration), p) for e in (0.1, 0.5, 1.0, 3.0)]
        by_delta = [noise(case, case.make(1.0, d, calibration=calibration), p) for d in (1e-8, 1e-5, 1e-2)]
        assert by_epsilon == sorted(by_epsilon, reverse=True)
        assert by_delta == sorted(by_delta, reverse=True)
        if case in PUBLIC_MECHANISMS:
            assert len(set(by_epsilon)) == 4 and (case.pure or len(set(by_delta)) == 3)


@each
def test_pair_profile_is_within_the_guarantee(case, kind):
    p, m = case.problem(kind), case.make()
    rng = np.random.default_rng(11)
    for _ in range(5):
        profile = m.pair_profile(p, case.neighbour(p, rng))
        assert profile.kind == "exact" or case not in REGISTRY[-2:]
        for e in (0.1, 0.5, 1.0, 2.0):
            assert profile.delta(e) <= m.guarantee(p).delta(e) * (1.0 + 1e-6) + 1e-12


@each
def test_release_says_what_made_it(case, kind):
    p, m = case.problem(kind), case.make()
    released = m.release(p, seed=5)
    assert np.array_equal(released.output, m.release(p, seed=5).output)
    if case in PUBLIC_MECHANISMS:
        assert np.array_equal(released.predict(p.x), p.hypotheses.predict(released.output[None], p.x)[0])
    else:
        assert np.array_equal(released.w, released.output)
        assert np.allclose(released.predict(p.X[:3]), p.X[:3] @ released.w)
        with pytest.raises(validation.InvalidInput, match=rf"^points must .*length {p.d}"):
            released.predict(np.zeros((2, p.d + 1)))
    assert {"mechanism", "parameters", "seed", "guarantee", "kind", "neighbours"} <= set(released.info)
    assert released.info["seed"] == 5 and released.info["kind"] in ("exact", "upper")
    assert released.info.get("sampler") == getattr(m, "sampler", None)
    assert not case.varies or any(not np.array_equal(m.release(p).output, m.release(p).output) for _ in range(20))


@all_cases
def test_bad_arguments_of_every_method_are_named(case):
    m, p = case.make(), case.problem(case.kinds[0])
    names = (
        "number_of_steps", "sigma", "eta", "guarantee", "theorem_in_use", "lam", "tau", "sensitivity", "centre",
        "radii", "shares", "sensitivities", "penalties", "gamma", "scale", "stability", "minimiser", "net",
    )  # fmt: skip
    own = [getattr(m, name) for name in names if hasattr(m, name)]
    assert len(own) >= 2
    refusal = rf"^problem must be a ({type(p).__name__}|GLMProblem, or)"
    for value in (None, "x", 3, np.zeros((3, 2))):
        calls = [partial(method, value) for method in own]
        calls += [partial(m.sample, value, 10), partial(m.release, value), partial(m, value, 3, stream("x"))]
        for call in calls:
            with pytest.raises(validation.InvalidInput, match=refusal):
                call()
        with pytest.raises(validation.InvalidInput, match=rf"^neighbour must be a {type(p).__name__}"):
            m.pair_profile(p, value)
    for rng in (None, 3, np.random.RandomState(0)):
        with pytest.raises(validation.InvalidInput, match=r"^rng must be a numpy\.random\.Generator, got "):
            m(p, 3, rng)
    for trials in (0, -1, 2.5, True):
        for call in (partial(m.sample, p, trials), partial(m, p, trials, stream("x"))):
            with pytest.raises(validation.InvalidInput, match=r"^trials must be "):
                call()
    for name, values in {"statistic": (3,), "seed": (-1, 0.5, "1", None), "workers": (0, -1, 1.5, "2")}.items():
        for value in values:
            with pytest.raises(validation.InvalidInput, match=rf"^{name} must be .*, got "):
                m.sample(p, 3, **{name: value})
    for seed in (-1, 0.5, "1"):
        with pytest.raises(validation.InvalidInput, match=r"^seed must be .*, got "):
            m.release(p, seed=seed)
    other = replace(p, public=p.public[:-1]) if case in PUBLIC_MECHANISMS else replace(p, radius=2.0 * p.radius)
    with pytest.raises(validation.InvalidInput, match=r"^neighbour must .* the same"):
        m.pair_profile(p, other)


def equals(value):
    """The same number of other types."""
    if isinstance(value, float):
        others = [np.float64(value), *([np.float32(value)] if float(np.float32(value)) == value else [])]
        return [*others, int(value)] if value.is_integer() else others
    return [{bool: np.bool_, int: np.int64}[type(value)](value)] if isinstance(value, int) else []


@all_cases
def test_equal_mechanisms_give_equal_bits(case):
    p, first, compared = case.problem(case.kinds[0]), case.make(), 0
    assert p == case.problem(case.kinds[0]) and p not in (3, None)
    for field in fields(first):
        for value in equals(getattr(first, field.name)):
            other = case.make(**{field.name: value})
            assert first == other and canonical(first) == canonical(other)
            assert np.array_equal(first.sample(p, 3), other.sample(p, 3))
            compared += 1
    assert compared >= 3


@glm
@pytest.mark.few(11)
@pytest.mark.parametrize("calibration", ["exact", "printed"])
def test_nothing_overflows_at_the_limits(case, kind, calibration):
    """Bounds and radii at the limits: one of the nine pairs a case, another for each loss and calibration."""
    where = 3 * MECHANISMS.index(case) + list(LOSSES).index(kind) + 4 * (calibration == "printed")
    base, (x_bound, radius) = problem(kind), LIMITS[where % len(LIMITS)]
    for y_bound in (1.0,) if kind == "logistic" or str(case) == "jl" else (LEAST_SIZE, 1.0, LARGEST_SIZE):
        p = GLMProblem(
            base.X * (0.5 * x_bound), base.y * y_bound, loss=base.loss, x_bound=x_bound, y_bound=y_bound, radius=radius
        )
        for noise_scale in (None, LEAST_SIZE, LARGEST_SIZE):
            m = case.make(calibration=calibration, noise_scale=noise_scale)
            try:
                outputs = m.sample(p, 3)
            except validation.InvalidInput as refused:  # a minimiser that cannot be certified, by name
                printed_only = calibration == "printed" and not p.loss.smooth_nonnegative
                known = ("tolerance must be", "regularization must be", *(["loss must be"] if printed_only else []))
                assert str(refused).startswith(known)
                continue
            assert np.isfinite(outputs).all() and np.isfinite(p.empirical_risk(outputs)).all()
            profile = m.guarantee(p)
            assert 0.0 <= profile.delta(1.0) <= 1.0
            if noise_scale is None and calibration == "exact":  # an inversion of seconds for the JL method
                assert profile.epsilon(1e-5) >= 0.0


@pytest.mark.parametrize("x_bound", [0.01, 7.0])
def test_hostile_records_reach_the_bound_of_their_problem(x_bound):
    base = problem("squared")
    p = replace(base, X=base.X * (0.1 * x_bound / base.x_bound), x_bound=x_bound)
    most = max(np.linalg.norm(q.X, axis=1).max() for pair in hostile_pairs(p, 12) for q in pair)
    assert 0.999 * x_bound < most <= x_bound


@over(*PUBLIC_MECHANISMS)
def test_noise_at_the_limits(case, kind):
    p = case.problem(kind)
    for scale in (LEAST_SIZE, LARGEST_SIZE):
        m = case.make(noise_scale=scale)
        assert np.isfinite(p.empirical_risk(m.sample(p, 3))).all()
        profile = m.guarantee(p)
        assert 0.0 <= profile.delta(1.0) <= 1.0 and profile.epsilon(1e-5) >= 0.0
