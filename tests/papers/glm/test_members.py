"""A mechanism on many members in one call: the same numbers as one at a time, whatever comes together."""

import pickle

import numpy as np
import pytest
from naive.noisy_gd import average, noisy_gd
from planted import wrong
from scipy import sparse

from dpbench.core.validation import InvalidInput
from dpbench.papers.glm.algorithms import _noisy_gd_members
from dpbench.papers.glm.algorithms._noisy_gd_members import one_run_each
from dpbench.papers.glm.algorithms.noisy_gd import NoisyGD
from dpbench.papers.glm.algorithms.noisy_mean import NoisyMean
from dpbench.papers.glm.algorithms.output_perturbation import OutputPerturbation
from dpbench.papers.glm.algorithms.scoring import clipped_risk
from dpbench.papers.glm.attacks.accuracy import measure_accuracy
from dpbench.papers.glm.attacks.members import errors_on, outputs_on
from dpbench.papers.glm.moment_problem import MomentProblem
from dpbench.papers.glm.problem import GLMProblem
from dpbench.papers.glm.theorems.floors import Zero
from lowerbounds import chaudhuri_hsu, fingerprinting, nonprivate, norm_packing, packing

pytestmark = pytest.mark.kernel

GD = NoisyGD(0.5, 1e-6, steps=12)
FAMILIES = {
    "packing": lambda: packing(60, 4, 0.5, 1e-6),
    "norm packing": lambda: norm_packing(60, 4, 0.3),
    "two-point": lambda: chaudhuri_hsu(31, 0.5, 1e-5, distance=3),
    "fingerprinting": lambda: fingerprinting(40, 6, 0.2, active=4, mass=0.5, beta=0.5, constants="tight"),
    "cube": lambda: nonprivate(60, 4),
    "rare record": lambda: nonprivate(60, 1, radius=7.0),
    "two-piece": lambda: nonprivate(50, theorem="16", y_bound=2.0, radius=3.0),
}


def drawn(family, count):
    rngs = [np.random.default_rng((7, k)) for k in range(count)]
    return [family.members(rng) for rng in rngs], rngs


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("mechanism", [GD, OutputPerturbation(0.5, 1e-6), Zero()], ids=lambda m: type(m).__name__)
def test_many_members_get_what_each_gets_alone(name, mechanism):
    """Two runs a member: the mechanism on the records, checked as a problem, with the member's own Generator."""
    family = FAMILIES[name]()
    (members, rngs), (again, others), (_, alone) = (drawn(family, 5) for _ in range(3))
    found = outputs_on(mechanism, family, members, 2, rngs)
    errors = errors_on(mechanism, family, again, 2, others)
    for k, (member, rng) in enumerate(zip(members, alone, strict=True)):
        want = mechanism(GLMProblem.from_instance(family.instances(member, rng)), 2, rng)
        np.testing.assert_allclose(found[k], want, rtol=1e-9, atol=1e-13)
        np.testing.assert_allclose(errors[k, :, 0], family.excess(member, want), rtol=1e-9, atol=1e-13)
        np.testing.assert_allclose(errors[k, :, 1], family.excess(member, family.clip(want)), rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("name", ["packing", "cube", "fingerprinting"])
@pytest.mark.parametrize("trials", [1, 3])
def test_numbers_do_not_depend_on_what_comes_together(name, trials):
    family = FAMILIES[name]()
    (members, rngs), (again, others) = drawn(family, 11), drawn(family, 11)
    whole = outputs_on(GD, family, members, trials, rngs)
    parts = [outputs_on(GD, FAMILIES[name](), again[a:b], trials, others[a:b]) for a, b in ((0, 3), (3, 4), (4, 11))]
    np.testing.assert_array_equal(whole, np.concatenate(parts))
    assert len(np.unique(whole[:, 0, 0])) == 11
    ways = {"workers": 1}, {"workers": 2}, {"mapped": lambda function, blocks: [*map(function, blocks)]}
    one, *others = (measure_accuracy(GD, family, draws=20, trials=trials, **way) for way in ways)
    assert others == [one, one]


def one_each(run, monkeypatch, most=8.0):
    """Means of the iterates of three data sets with four steps, in calls of two steps."""
    rng = np.random.default_rng(4)
    curvature, pull = rng.random((3, 4)), rng.random((3, 4))
    monkeypatch.setattr(_noisy_gd_members, "_NUMBERS_PER_CALL", most)
    problem = MomentProblem(
        4, np.eye(4), pull[0], 1.0, loss="half-squared", x_bound=2.0, y_bound=4.0, radius=1.0,
    )  # fmt: skip
    mechanism = NoisyGD(0.5, 1e-6, steps=5, step_size=0.9, noise_scale=0.5)
    return run(mechanism, problem, curvature, pull, [np.random.default_rng(k) for k in range(3)])


def test_single_runs_are_algorithm_1(monkeypatch):
    """Single runs against the paper's loop on records with these moments; planted errors are seen."""
    rng = np.random.default_rng(4)
    curvature, pull = rng.random((3, 4)), rng.random((3, 4))
    want = []
    for k in range(3):
        X = np.diag(np.sqrt(4.0 * curvature[k]))  # XᵀX/n = diag(curvature) with n = 4 records
        y = 4.0 * pull[k] / np.diag(X)
        noise = np.random.default_rng(k)
        xi = [0.5 * noise.standard_normal(4) for _ in range(4)]
        want.append(average(noisy_gd(X, y, lambda z, label: z - label, 1.0, 0.9, xi)))
    np.testing.assert_allclose(one_each(one_run_each, monkeypatch), want, rtol=1e-12)
    for old, new in (
        ("curvature[k], pull[k]", "curvature[0], pull[k]"),
        ("done), rng", "done), rngs[0]"),
    ):
        planted = one_each(wrong(_noisy_gd_members, "one_run_each", old, new), monkeypatch)
        assert not np.allclose(planted, want, rtol=1e-6), new


def test_single_runs_need_a_quadratic_loss():
    problem = GLMProblem([[1.0]], [1.0], loss="absolute", x_bound=1.0, y_bound=1.0, radius=1.0)
    with pytest.raises(InvalidInput, match="loss must be quadratic, got 'absolute'"):
        GD.one_run_each(problem, np.ones((1, 1)), np.ones((1, 1)), [np.random.default_rng(0)])


def moment_problem(**changes):
    given = {"second": np.eye(2) / 2.0, "cross": np.ones(2) / 4.0, "square": 1.0, "loss": "squared", "n": 8}
    parts = given | changes
    return MomentProblem(
        parts["n"], parts["second"], parts["cross"], parts["square"], loss=parts["loss"], x_bound=1.0, y_bound=1.0,
        radius=1.0,
    )  # fmt: skip


def test_a_problem_of_moments_runs_as_its_records_do_and_has_none():
    X, y = np.eye(2)[np.arange(8) % 2], np.array([1.0, 1.0, 1.0, 1.0, -1.0, 1.0, 1.0, -1.0])
    problem = GLMProblem(X, y, loss="squared", x_bound=1.0, y_bound=1.0, radius=1.0)
    made = moment_problem(cross=X.T @ y / 8.0)
    assert (made.n, made.d) == (8, 2) and "n=8" in repr(made)
    outputs = [GD(p, 3, np.random.default_rng(0)) for p in (problem, made)]
    np.testing.assert_allclose(*outputs, rtol=1e-12)
    for name in ("X", "y"):
        with pytest.raises(InvalidInput, match=f"a MomentProblem has no records: {name} must not"):
            getattr(made, name)
    with pytest.raises(InvalidInput, match="no records"):
        OutputPerturbation(0.5, 1e-6)(made, 2, np.random.default_rng(0))
    assert not hasattr(made, "rows")
    other = made.with_cross(np.zeros(2), 1.0)
    assert other.digest != made.digest == moment_problem(cross=X.T @ y / 8.0).digest and other.second is made.second
    for changes, message in (
        ({"loss": "absolute"}, "loss must be quadratic"),
        ({"second": np.ones((3, 2))}, r"second must be of shape \(2, 2\)"),
        ({"n": 0}, "n must be"),
        ({"cross": [np.nan, 0.0]}, "cross must be finite"),
    ):
        with pytest.raises(InvalidInput, match=message):
            moment_problem(**changes)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_other_labels_share_the_features_and_are_checked(form):
    X, y = np.eye(3)[np.arange(9) % 3], np.ones(9)
    bounds = {"loss": "squared", "x_bound": 1.0, "y_bound": 1.0, "radius": 1.0}
    problem = GLMProblem(form(X), y, **bounds)
    for prepared in (False, True):
        if prepared:
            assert problem.digest and problem.moments and problem.axes
        made, fresh = problem.with_labels(-0.5 * y), GLMProblem(form(X), -0.5 * y, **bounds)
        assert made.digest == fresh.digest != problem.digest and made.X is problem.X
        np.testing.assert_array_equal(made.moments[1], fresh.moments[1])
    assert made.axes is problem.axes and made.second is problem.second
    wider = problem.with_radius(2.0)
    assert wider.digest == GLMProblem(form(X), y, **bounds | {"radius": 2.0}).digest
    back = pickle.loads(pickle.dumps(problem))
    assert back.digest == problem.digest and back.with_labels(-0.5 * y).digest == fresh.digest
    for labels, message in ((2.0 * y, "y must be at most y_bound"), (y[:3], "length 9"), (np.nan * y, "finite")):
        with pytest.raises(InvalidInput, match=message):
            problem.with_labels(labels)


def test_other_labels_of_few_different_records_are_counted_anew():
    """5,000 records of one kind, absolute loss: the risk is that of the new labels."""
    problem = GLMProblem(np.ones((5000, 1)), np.ones(5000), loss="absolute", x_bound=1.0, y_bound=1.0, radius=1.0)
    model = np.array([[0.5]])
    assert clipped_risk(problem, model, 0.5) == pytest.approx(0.5)
    assert clipped_risk(problem.with_labels(-problem.y), model, 0.5) == pytest.approx(1.5)


def test_a_mean_of_the_labels_needs_no_records():
    family = chaudhuri_hsu(31, 0.5, distance=3)
    found = outputs_on(NoisyMean(0.5), family, [0, 1], 4, [np.random.default_rng(k) for k in (0, 1)])
    for k in (0, 1):
        problem = GLMProblem.from_instance(family.instances(k))
        np.testing.assert_allclose(found[k], NoisyMean(0.5)(problem, 4, np.random.default_rng(k)), rtol=1e-12)
