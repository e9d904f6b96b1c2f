"""PublicDataProblem, populations with exact risks, the point z*, and real data split into public and private."""

import itertools
import math

import numpy as np
import pytest
from naive.publicdata import LOSSES
from registry import PUBLIC_MECHANISMS, public_problem

from dpbench.core.sampling import stream
from dpbench.core.validation import InvalidInput
from dpbench.papers.publicdata import datasets as datasets_publicdata
from dpbench.papers.publicdata.algorithms.anchored import anchored_class, with_anchor
from dpbench.papers.publicdata.algorithms.averaged_perturbation import AveragedPerturbation
from dpbench.papers.publicdata.algorithms.rrspm import RRSPM
from dpbench.papers.publicdata.complexity import gaussian_complexity
from dpbench.papers.publicdata.hypotheses.constants import Constants
from dpbench.papers.publicdata.hypotheses.finite import FiniteClass
from dpbench.papers.publicdata.hypotheses.halfspaces import Halfspaces
from dpbench.papers.publicdata.hypotheses.line import Intervals, Stumps, Thresholds
from dpbench.papers.publicdata.hypotheses.linear import LinearBall
from dpbench.papers.publicdata.objective import Objective
from dpbench.papers.publicdata.populations import FinitePopulation, anchored, circle, constants, line, plane
from dpbench.papers.publicdata.problem import PublicDataProblem

X, Y, Z = [0.1, 0.4, 0.7], [1.0, -1.0, 1.0], [0.2, 0.5]
GOOD = {"hypotheses": Thresholds(), "loss": "zero-one", "smoothness": 0.5}


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"x": [0.1, math.nan, 0.7]}, "x"), ({"x": [0.1, math.inf, 0.7]}, "x"), ({"x": []}, "x"), ({"x": "a"}, "x"),
        ({"x": [[0.1], [0.2, 0.3], [0.4]]}, "x"), ({"x": np.zeros((3, 0)), "public": np.zeros((2, 0))}, "x"),
        ({"y": [1.0, -1.0]}, "y"), ({"y": [1.0, 0.5, 1.0]}, "y"), ({"y": [1.0, math.nan, 1.0]}, "y"),
        ({"y": [1.0, 1.5, 1.0], "loss": "squared"}, "y"), ({"public": []}, "public"),
        ({"public": [[0.2], [0.5]]}, "public"), ({"public": [0.2, math.nan]}, "public"),
        ({"loss": "hinge"}, "loss"), ({"loss": None}, "loss"), ({"smoothness": 0.0}, "smoothness"),
        ({"smoothness": 1.5}, "smoothness"), ({"smoothness": "1"}, "smoothness"), ({"hypotheses": None}, "hypotheses"),
        ({"hypotheses": Thresholds}, "hypotheses"), ({"hypotheses": object()}, "hypotheses"),
    ],
)  # fmt: skip
def test_bad_problems_are_named(change, named):
    with pytest.raises(InvalidInput, match=rf"^{named} must .*, got "):
        PublicDataProblem(**{"x": X, "y": Y, "public": Z, **GOOD, **change})


def test_a_class_must_have_a_name():
    class Own:
        def __init__(self, secret):
            self.secret = secret

        def erm(self, points, objective):
            return np.zeros(1)

        def predict(self, parameters, points):
            return np.ones((len(parameters), len(points)))

    first, second = (PublicDataProblem(X, Y, Z, **{**GOOD, "hypotheses": Own(k)}) for k in (1, 2))
    assert first.digest != second.digest
    with pytest.raises(InvalidInput, match="a text `digest` that names it"):
        PublicDataProblem(X, Y, Z, **{**GOOD, "hypotheses": Own(object())})


def test_sizes_digest_and_neighbours():
    p = PublicDataProblem(X, Y, Z, **GOOD)
    assert (p.n, p.m, p.d) == (3, 2, 1) and p == PublicDataProblem(np.array(X), Y, Z, **GOOD)
    q = p.replace_record(1, 0.9, 1.0)
    assert q.x.tolist() == [0.1, 0.9, 0.7] and q.y.tolist() == [1.0, 1.0, 1.0] and p.x.tolist() == X
    assert p.records_apart(q) == 1 and p.records_apart(p) == 0
    assert p.records_apart(q.replace_record(0, 0.0, -1.0)) == 2
    others = [
        PublicDataProblem(X, Y, [0.2, 0.6], **GOOD), PublicDataProblem(X, Y, Z, **{**GOOD, "smoothness": 1.0}),
        PublicDataProblem(X, Y, Z, **{**GOOD, "loss": "squared"}), q,
        PublicDataProblem(X, Y, Z, **{**GOOD, "hypotheses": Intervals()}),
    ]  # fmt: skip
    assert len({p.digest, *(o.digest for o in others)}) == 6
    for other in (o for o in others if o is not q):
        with pytest.raises(InvalidInput, match=r"^neighbour must have the same public points"):
            p.records_apart(other)
    for index, point, label, named in ((3, 0.1, 1.0, "index"), (0, math.nan, 1.0, "x"), (0, 0.1, 0.3, "y")):
        with pytest.raises(InvalidInput, match=rf"^{named} must "):
            p.replace_record(index, point, label)
    assert not p.x.flags.writeable and not p.public.flags.writeable
    given = [np.array(part) for part in (X, Y, Z)]
    own = PublicDataProblem(*given, **GOOD)
    for part in given:
        part[0] = -1.0
    assert own == p


@pytest.mark.parametrize(
    ("hypotheses", "inside", "outside"),
    [(LinearBall(2), [0.6, 0.8], [3.0, 0.0]), (Halfspaces(), [0.5, 0.5], [5.0, 0.0]),
     (FiniteClass([[1.0, -1.0]]), 1.0, 2.0), (Constants(anchored=True), 1.0, 0.5)],
)  # fmt: skip
def test_a_record_outside_of_the_class_is_refused_before_any_release(hypotheses, inside, outside):
    declared = {"hypotheses": hypotheses, "loss": "absolute"}
    problem = PublicDataProblem([inside], [1.0], [inside], **declared)
    with pytest.raises(InvalidInput, match="points must"):
        problem.replace_record(0, outside, 1.0)
    with pytest.raises(InvalidInput, match="points must"):
        PublicDataProblem([inside], [1.0], [outside], **declared)


@pytest.mark.parametrize("kind", ["thresholds", "stumps", "table", "constants-huber"])
def test_empirical_risk_is_the_mean_loss(kind):
    p = public_problem(kind)
    rows = {"thresholds": [[0.3], [-math.inf], [math.inf]], "stumps": [[1.0, -1.0, 0.2]], "table": [[0.0], [3.0]],
            "constants-huber": [[-0.7], [1.0]]}[kind]  # fmt: skip
    f = p.hypotheses.predict(np.array(rows), p.x)
    want = [np.mean([LOSSES[p.loss](float(a), float(b)) for a, b in zip(row, p.y, strict=True)]) for row in f]
    assert np.allclose(p.empirical_risk(rows), want, rtol=1e-13)
    for bad in ([[math.nan]], [0.3], np.zeros((0, 1)), "x"):
        with pytest.raises(InvalidInput, match=r"^outputs must be "):
            p.empirical_risk(bad)


@pytest.mark.parametrize("sigma", [1.0, 0.3, 0.01])
@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_threshold_population_has_its_closed_form(sigma, noise):
    """L(f_t) − L(f*) = (1 − 2·noise)·ν between t and the target; σ is the share of the cells that ν is on."""
    population = line(Thresholds(), sigma, noise=noise, cells=1000)
    assert population.smoothness == pytest.approx(round(1000 * sigma) / 1000)
    assert population.best_risk == pytest.approx(noise, abs=1e-12)
    for t in (-math.inf, 0.1, 0.4995, 0.503, 0.77, math.inf):
        between = population.private[(population.points >= min(t, 0.5)) & (population.points < max(t, 0.5))].sum()
        got = float(population.excess_risk([[t]])[0])
        assert got == pytest.approx((1.0 - 2.0 * noise) * between, abs=1e-12)


@pytest.mark.parametrize(
    "population",
    [
        line(Thresholds(), 0.5, target=(0.3, 0.6), noise=0.1, cells=40),
        line(Intervals(), 1.0, target=(0.3, 0.6), cells=40),
        line(Stumps(1), 0.2, noise=0.3, cells=40), plane(Halfspaces(), 0.4, noise=0.1, side=7),
        constants(Constants(), 0.3), constants(Constants(), -0.4, "squared"),
        FinitePopulation([0, 1], [0.5, 0.5], [0.9, 0.1], [[0.5, -1.0], [1.0, 0.0]], [[0.2, 0.8], [1.0, 0.0]],
                         FiniteClass([[1.0, 0.2], [-0.3, 0.4], [0.0, 0.0]]), "huber"),
    ],
    ids=lambda p: type(p.hypotheses).__name__ + p.loss,
)  # fmt: skip
def test_risk_is_the_sum_over_the_support_and_nothing_beats_the_best(population):
    rng = np.random.default_rng(3)
    rows = {
        "Thresholds": rng.random((30, 1)), "Intervals": np.sort(rng.random((30, 2))),
        "Stumps": np.column_stack([np.zeros(30), rng.choice([-1.0, 1.0], 30), rng.random(30)]),
        "Halfspaces": rng.integers(-9, 9, (30, 3)).astype(float) * (1, 1, 2**20),
        "Constants": rng.uniform(-1, 1, (30, 1)),
        "FiniteClass": np.arange(3.0)[:, None],
    }[type(population.hypotheses).__name__]  # fmt: skip
    f = population.hypotheses.predict(rows, population.points)
    loss = LOSSES[population.loss]
    for values, got in zip(f, population.risk(rows), strict=True):
        want = math.fsum(
            population.private[k] * population.law[k, j] * loss(float(values[k]), float(population.labels[k, j]))
            for k in range(len(values))
            for j in range(population.labels.shape[1])
        )
        assert got == pytest.approx(want, rel=1e-12)
    assert population.excess_risk(rows).min() >= -1e-12
    assert population.excess_risk(population.best[None])[0] == 0.0
    if type(population.hypotheses).__name__ == "Constants":  # closed forms: the sign of the mean, the mean
        mean = float(population.law[0] @ population.labels[0])
        assert population.best[0] == pytest.approx(np.sign(mean) if population.loss == "absolute" else mean)


def test_draws_follow_the_declared_laws():
    """Null: the declared masses. 12 frequencies of 40,000 draws stay within 6 sd (false alarm below 1e-7); a mass
    that is off by 0.03 is outside."""
    labels = [[1.0, -1.0, 0.5]] * 3
    law = [[0.2, 0.5, 0.3], [1.0, 0.0, 0.0], [0.0, 0.25, 0.75]]
    population = FinitePopulation(
        [0, 1, 2], [0.5, 0.2, 0.3], [0.1, 0.4, 0.5], labels, law, FiniteClass([[1.0, 1.0, 1.0]]), "squared"
    )
    assert population.smoothness == pytest.approx(0.5)
    n = 40_000
    p = population.draw(n, n, stream("law"))
    joint = [(k, j) for k in range(3) for j in range(3)]
    cells = [((p.x == k) & (p.y == labels[k][j]), float(population.private[k] * law[k][j])) for k, j in joint]
    cells += [(p.public == k, float(population.public[k])) for k in range(3)]

    def outside(shift):
        sds = [6.0 * math.sqrt(max(q * (1 - q), 1e-12) / n) for _, q in cells]
        return sum(abs(hit.mean() - q - shift) > sd for (hit, q), sd in zip(cells, sds, strict=True))

    assert outside(0.0) == 0 and outside(0.03) == len(cells)
    assert p.smoothness == population.smoothness and p.loss == "squared"


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: line(Thresholds(), 0.0), "smoothness"), (lambda: line(Thresholds(), noise=0.5), "noise"),
        (lambda: line(Thresholds(), cells=0), "cells"), (lambda: constants(Constants(), 1.5), "mean"),
        (lambda: plane(Halfspaces(), side=1), "side"),
        (lambda: constants(Constants(), 0.0).draw(0, 5, stream("x")), "n"),
        (lambda: constants(Constants(), 0.0).draw(5, 0, stream("x")), "m"),
        (lambda: FinitePopulation([0.0], [0.9], [1.0], [[1.0]], [[1.0]], Thresholds(), "zero-one"), "public"),
        (lambda: FinitePopulation([0.0, 1.0], [0.0, 1.0], [0.5, 0.5], [[1.0]] * 2, [[1.0]] * 2, Thresholds(), "huber"),
         "public"),
        (lambda: FinitePopulation([0.0], [1.0], [1.0], [[1.0, -1.0]], [[1.0]], Thresholds(), "zero-one"), "law"),
        (lambda: FinitePopulation([0.0], [1.0], [1.0], [[0.4]], [[1.0]], Thresholds(), "zero-one"), "y"),
        (lambda: FinitePopulation([0.0], [0.5, 0.5], [1.0], [[1.0]], [[1.0]], Thresholds(), "zero-one"), "public"),
        (lambda: FinitePopulation([0.0], [1.0], [1.0], [[1.0]] * 2, [[1.0]], Thresholds(), "zero-one"), "labels"),
        (lambda: FinitePopulation([0.0], [1.0], [1.0], [[1.0, -1.0]], [[1.5, -0.5]], Thresholds(), "zero-one"), "law"),
        (lambda: circle(LinearBall(2), coefficients=(0.9, 0.9)), "coefficients"),
        (lambda: PublicDataProblem(X, Y, Z, **GOOD).records_apart(X), "neighbour"),
        (lambda: datasets_publicdata.load("iris", hypotheses=Stumps(5)), "name"),
        (lambda: datasets_publicdata.load("diabetes", hypotheses=Stumps(11)), "loss"),
        (lambda: datasets_publicdata.load("breast_cancer", hypotheses=Stumps(31), public=1.0), "public"),
    ],
)  # fmt: skip
def test_bad_populations_are_named(call, named):
    with pytest.raises(InvalidInput, match=rf"^{named} must "):
        call()


def test_the_plane_is_the_grid_in_the_unit_disc():
    inside = [[i / 2.0, j / 2.0] for i, j in itertools.product(range(-2, 3), repeat=2) if i * i + j * j <= 4]
    np.testing.assert_allclose(sorted(plane(Halfspaces(), side=5).points.tolist()), sorted(inside))


def test_real_data_is_split_and_learned_from():
    p = datasets_publicdata.load("breast_cancer", hypotheses=Stumps(31), public=0.1)
    assert (p.n, p.m, p.d) == (512, 57, 31) and p.smoothness == 1.0
    whole = datasets_publicdata.load("breast_cancer", hypotheses=Stumps(31), public=0.1, seed=1)
    assert p.digest != whole.digest
    everyone = [np.sort(np.concatenate([q.x, q.public]), axis=0) for q in (p, whole)]
    assert np.array_equal(*everyone)
    best = p.hypotheses.erm(p.x, Objective(p.y))
    risks = p.empirical_risk(RRSPM(1.0, noise_scale=0.01)(p, 8, stream("real")))
    assert p.empirical_risk(best[None])[0] < 0.1 and risks.max() < 0.2


@pytest.mark.parametrize("name", ["ball", "constants"])
def test_anchor_is_the_papers_z_star(name):
    """f(z*) = 1 for all f; elsewhere f is as it was; inf ‖f‖_m ≥ √(2/3), so that Algorithm 2 runs; σ falls by 3."""
    rng = np.random.default_rng(5)
    x = rng.standard_normal((9, 2)) / 5.0 if name == "ball" else np.zeros(9)
    base_class = LinearBall(2) if name == "ball" else Constants()
    base = PublicDataProblem(x, np.ones(9), x[:4], hypotheses=base_class, loss="squared", smoothness=0.6)
    p = with_anchor(base)
    assert (p.n, p.m) == (9, 12) and p.smoothness == pytest.approx(0.2)
    rows = rng.uniform(-0.5, 0.5, (3, p.hypotheses.width))
    f = p.hypotheses.predict(rows, p.public)
    assert np.allclose(f[:, :4], base.hypotheses.predict(rows, base.public)) and (f[:, 4:] == 1.0).all()
    assert np.allclose(p.empirical_risk(rows), base.empirical_risk(rows))
    assert p.hypotheses.minimum_norm(p.public) == pytest.approx(math.sqrt(2.0 / 3.0))
    assert gaussian_complexity(p.hypotheses, p.public) <= gaussian_complexity(base_class, base.public)
    m = AveragedPerturbation(1.0, 1e-5, calls=2)
    assert np.isfinite(m.sample(p, 3)).all()
    with pytest.raises(InvalidInput, match=r"^hypotheses must be a class with inf"):
        m.sample(base, 3)
    population = circle(base_class, 0.5) if name == "ball" else constants(base_class, 0.3)
    starred = anchored(population)
    assert starred.smoothness == pytest.approx(population.smoothness / 3.0)
    assert starred.best_risk == pytest.approx(population.best_risk, rel=1e-12)
    assert np.allclose(starred.excess_risk(rows), population.excess_risk(rows))
    drawn = starred.draw(300, 300, stream("z*"))
    assert not (drawn.x.reshape(300, -1)[:, -1] == 1.0).any()
    assert 0.5 < (drawn.public.reshape(300, -1)[:, -1] == 1.0).mean() < 0.8
    for other in (Thresholds(), object()):
        with pytest.raises(InvalidInput, match=r"^hypotheses must be a class that can be anchored"):
            anchored_class(other)


@pytest.mark.parametrize("realisable", [False, True])
def test_linear_population_has_its_closed_form(realisable):
    """Squared loss: L(w) − L(w*) = (w − w*)ᵀE[xxᵀ](w − w*)/4, w* inside the ball; realisable: L(w*) = 0."""
    population = circle(LinearBall(2), 0.3, noise=not realisable, cells=64)
    assert np.allclose(population.best, (0.5, 0.3), atol=1e-9)
    assert population.best_risk == pytest.approx(0.0 if realisable else population.best_risk, abs=1e-12)
    second = (population.points * population.private[:, None]).T @ population.points
    rows = np.random.default_rng(1).uniform(-0.6, 0.6, (20, 2))
    apart = rows - (0.5, 0.3)
    assert np.allclose(population.excess_risk(rows), 0.25 * np.einsum("ij,jk,ik->i", apart, second, apart), atol=1e-12)


@pytest.mark.parametrize(
    ("name", "arithmetic"),
    [("averaged-perturbation", "float"), ("regularized-perturbation", "exact"),
     *itertools.product(("rrspm-laplace", "rspm"), ("float", "exact"))],
)  # fmt: skip
def test_two_records_apart_are_not_given_the_guarantee_of_one(name, arithmetic):
    """Where a mechanism knows no more of a pair than its guarantee; a pair of one record is given it."""
    case = next(case for case in PUBLIC_MECHANISMS if case.name == name)
    mechanism, p = case.make(arithmetic=arithmetic), case.problem("finite" if name == "rspm" else case.kinds[0])
    one = p.replace_record(0, p.x[1], -float(p.y[0]))
    assert mechanism.pair_profile(p, one).delta(1.0) <= mechanism.guarantee(p).delta(1.0)
    with pytest.raises(InvalidInput, match="neighbour must be at most one record apart"):
        mechanism.pair_profile(p, one.replace_record(2, p.x[1], -float(p.y[2])))
