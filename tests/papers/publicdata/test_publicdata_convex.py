"""The linear ball and convex hulls: least values against slow searches, and certificates that tell the truth."""

from __future__ import annotations

import inspect
from typing import Any

import numba
import numpy as np
import pytest
from naive import oracles
from planted import wrong

from dpbench import InvalidInput
from dpbench.papers.publicdata.hypotheses import _ball_kernels, _interior, _pieces
from dpbench.papers.publicdata.hypotheses.constants import Constants
from dpbench.papers.publicdata.hypotheses.finite import ConvexHull
from dpbench.papers.publicdata.hypotheses.linear import LinearBall
from dpbench.papers.publicdata.objective import Objective

pytestmark = pytest.mark.kernel

INSTANCES = 4 if numba.config.DISABLE_JIT else 25


def objectives(loss: str, count: int, *, signed: bool) -> Any:
    rng = np.random.default_rng([*loss.encode(), signed])
    for number in range(count):
        n = int(rng.integers(1, 7))
        y = rng.uniform(-1.0, 1.0, n) if number % 2 else rng.choice([-1.0, 0.0, 1.0], n)
        w, a, b = rng.normal(size=(3, n)) * rng.choice([0.0, 0.3, 3.0], 3)[:, np.newaxis]
        if not signed:
            w, a = np.abs(w), np.abs(a) * rng.choice([0.0, 1.0])
        yield rng, Objective(y, w, b, a, loss)


def parts(objective: Objective) -> tuple[Any, ...]:
    return objective.labels, objective.weights, objective.linear, objective.quadratic


def ball_disagreement(loss: str, count: int) -> str:
    """The solver against a search of the disk: the value is the least, and the certificate bounds its error."""
    for rng, objective in objectives(loss, count, signed=False):
        hypotheses = LinearBall(2, radius=0.5, anchored=True)
        x = rng.normal(size=(objective.size, 3))
        x[:, :2] *= 2.0 / np.maximum(1.0, np.linalg.norm(x[:, :2], axis=1, keepdims=True))
        x[:, :2] *= np.minimum(1.0, 2.0 / np.linalg.norm(x[:, :2], axis=1, keepdims=True))
        x[:, 2] = rng.random(objective.size) < 0.2
        x[x[:, 2] == 1.0, :2] = 0.0
        rows, gaps = hypotheses.prepare(x).certified(objective, objective.linear[np.newaxis])

        def f(u: float, v: float, x: Any = x, objective: Objective = objective) -> float:
            return oracles.total(loss, x[:, 0] * u + x[:, 1] * v + x[:, 2], *parts(objective))

        problem = report(f(*rows[0]), gaps[0], oracles.disk_least(f, 0.5), objective)
        if problem or np.linalg.norm(rows[0]) > 0.5 + 1e-15:
            return problem or f"{rows[0]} lies outside"
    return ""


def hull_disagreement(loss: str, count: int) -> str:
    for rng, objective in objectives(loss, count, signed=False):
        table = rng.integers(-2, 3, (3, 5)) / 2.0
        x = rng.integers(0, 5, objective.size)
        rows, gaps = ConvexHull(table).prepare(x).certified(objective, objective.linear[np.newaxis])

        def f(*p: float, x: Any = x, table: Any = table, objective: Objective = objective) -> float:
            return oracles.total(loss, np.array(p) @ table[:, x], *parts(objective))

        problem = report(f(*rows[0]), gaps[0], oracles.triangle_least(f), objective)
        if problem or abs(rows[0].sum() - 1.0) > 1e-12 or rows[0].min() < 0.0:
            return problem or f"{rows[0]} is no mixture"
    return ""


def report(value: float, gap: float, least: float, objective: Objective) -> str:
    """'' unless the value is above the least one, the certificate is loose, or it claims a bound that is none."""
    size = 1.0 + sum(np.abs(part).sum() for part in parts(objective))
    if not (value <= least + 1e-9 * size and gap <= 1e-10 * size and least >= value - gap - 1e-13 * size):
        return f"{objective}: {value} with certificate {gap}, the least is {least}"
    return ""


@pytest.mark.few(1)
@pytest.mark.parametrize("loss", ["absolute", "squared", "huber"])
def test_linear_functions_agree_with_a_search(loss: str) -> None:
    assert not ball_disagreement(loss, INSTANCES)


@pytest.mark.few(1)
@pytest.mark.parametrize("loss", ["absolute", "squared", "huber"])
def test_mixtures_agree_with_a_search(loss: str) -> None:
    assert not hull_disagreement(loss, INSTANCES)


def quadratic_disagreement(count: int) -> str:
    """Quadratics of either sign, rank-deficient and hard cases among them."""
    for rng, objective in objectives("squared", count, signed=True):
        x = rng.normal(size=(objective.size, 2))
        x /= np.maximum(1.0, np.linalg.norm(x, axis=1, keepdims=True))
        if rng.random() < 0.4:
            x = np.eye(2)[rng.integers(0, 2, objective.size)]
        rows, gaps = LinearBall(2).prepare(x).certified(objective, objective.linear[np.newaxis])
        square = objective.quadratic + objective.weights / 4.0
        slope = x.T @ (objective.linear - objective.weights * objective.labels / 2.0)
        least = oracles.trust_region_least((2.0 * x.T * square @ x).tolist(), slope.tolist(), 1.0)
        value = rows[0] @ (x.T * square @ x) @ rows[0] + slope @ rows[0]
        problem = report(value, gaps[0], least, objective)
        if problem:
            return problem
    return ""


def test_quadratics_of_either_sign_agree_with_a_search() -> None:
    assert not quadratic_disagreement(10 * INSTANCES)


def test_an_open_direction_of_negative_curvature() -> None:
    """The hard case: −w₁² + w₂ on the unit disk, whose two minimisers differ in the sign of w₁."""
    w = LinearBall(2).erm(np.eye(2), Objective([0.0, 0.0], 0.0, [0.0, 1.0], [-1.0, 0.0]))
    np.testing.assert_allclose(w, [np.sqrt(0.75), -0.5], atol=1e-14)


def test_the_least_norm_among_minimisers() -> None:
    """Two equal features, no second direction: what no point sees stays 0."""
    x = np.array([[0.6, 0.0], [0.6, 0.0]])
    w = LinearBall(2).erm(x, Objective([0.3, 0.3], loss="squared"))
    np.testing.assert_allclose(w, [0.5, 0.0], atol=1e-15)


@pytest.mark.parametrize("loss", ["absolute", "squared", "huber"])
def test_one_dimension_agrees_with_constants(loss: str) -> None:
    """Another exact oracle, of the same class; 300 points."""
    rng = np.random.default_rng(5)
    count = 30 if numba.config.DISABLE_JIT else 300
    y = rng.uniform(-1.0, 1.0, count)
    objective = Objective(y, rng.random(count), 0.3 * rng.normal(size=count), 0.1 * rng.random(count), loss)
    (c,) = Constants().erm(np.zeros(count), objective)
    (w,) = LinearBall(1).erm(np.ones((count, 1)), objective)
    assert abs(c - w) < 1e-9


@pytest.mark.parametrize("loss", ["absolute", "squared", "huber"])
def test_certificates_in_more_dimensions(loss: str) -> None:
    """d = 6, 400 points: the certified gap is below 1e-11 of the total weight, and no random w is better by more."""
    rng = np.random.default_rng(6)
    count = 30 if numba.config.DISABLE_JIT else 400
    x = rng.normal(size=(count, 6))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    y = np.clip(x @ rng.normal(size=6) + 0.3 * rng.normal(size=count), -1.0, 1.0)
    objective = Objective(y, 1.0 / count, loss=loss)
    for hypotheses, points in ((LinearBall(6), x), (ConvexHull(x.T), np.arange(count))):
        rows, gaps = hypotheses.prepare(points).certified(objective, np.zeros((2, count)))
        assert (rows[0] == rows[1]).all() and gaps[0] < 1e-11
        others = rows[:1] + 1e-3 * rng.normal(size=(2000, 6))
        others = np.abs(others) / np.abs(others).sum(axis=1, keepdims=True)  # mixtures, which lie in the ball too
        least = objective.value(hypotheses.predict(rows, points))[0] - gaps[0]
        assert objective.value(hypotheses.predict(others, points)).min() >= least - 1e-15


def huber_problem(rng: np.random.Generator) -> tuple[Any, ...]:
    """Residuals up to 8 and no label's bound: many steps pass several kinks; a bend in every second one."""
    n, k = int(rng.integers(3, 40)), int(rng.integers(1, 6))
    features = rng.normal(size=(n, k)) * rng.choice([0.3, 1.0, 3.0])
    root = rng.normal(size=(k, k)) * rng.integers(0, 2)
    counts = rng.exponential(size=n) / n
    return features, 3.0 * rng.normal(size=n), counts, root.T @ root / k, 0.1 * rng.normal(size=k), 2.0


def pieces_disagreement(count: int) -> str:
    """Newton's method on pieces ends at the barrier's minimiser, in most of the problems and within 1e-12."""
    rng = np.random.default_rng(12)
    ended = 0
    for _ in range(count):
        features, shift, counts, bend, slope, radius = made = huber_problem(rng)
        found = _pieces.newton_on_pieces(*made, 1e-12)
        if found is None:
            continue
        ended += 1
        problem = _interior.Convex(features, shift, counts, True, bend, slope, radius)
        barrier, _ = problem._follow(np.zeros(len(slope)), 1e-13 / len(shift), 0.1, 8)
        values = [huber_value(*made, theta) for theta in (found, barrier)]
        if (
            values[0] > values[1] + 1e-13
            or np.linalg.norm(found - barrier) > 1e-4
            or np.linalg.norm(found) > 2.0 + 1e-14
        ):
            return f"{made}: {found} and {barrier}, values {values}"
    return "" if ended > 0.9 * count else f"{ended} of {count} ended"


def huber_value(
    features: np.ndarray, shift: np.ndarray, counts: np.ndarray, bend: np.ndarray, slope: np.ndarray, _: float,
    theta: np.ndarray,
) -> float:  # fmt: skip
    sizes = np.abs(features @ theta + shift)
    terms = np.where(sizes <= 1.0, 0.5 * sizes**2, sizes - 0.5)
    return float(counts @ terms + 0.5 * theta @ bend @ theta + slope @ theta)


def test_newton_on_pieces_ends_at_the_minimiser() -> None:
    assert not pieces_disagreement(10 * INSTANCES)


def flat_disagreement() -> str:
    """Where many minimise, the barrier's limit is the answer: records that see one of two directions, and residuals
    beyond 1 on both sides. Where the slope presses on the ball, there is one all the same."""
    x = np.array([[0.6, 0.0], [0.6, 0.0]])
    flat = _pieces.newton_on_pieces(x, np.zeros(2), np.ones(2), np.zeros((2, 2)), np.zeros(2), 1.0, 1e-12)
    apart = _pieces.newton_on_pieces(
        0.1 * x, np.array([3.0, -3.0]), np.ones(2), np.zeros((2, 2)), np.zeros(2), 1.0, 1e-12
    )
    pressed = _pieces.newton_on_pieces(
        0.1 * x, np.array([3.0, 3.0]), np.ones(2), np.zeros((2, 2)), np.zeros(2), 1.0, 1e-12
    )
    if flat is not None or apart is not None:
        return f"{flat} and {apart} are not the only minimisers"
    return "" if pressed is not None and np.allclose(pressed, [-1.0, 0.0]) else f"{pressed} is not the minimiser"


def test_newton_on_pieces_leaves_ties_to_the_barrier() -> None:
    assert not flat_disagreement()


@pytest.mark.parametrize(
    ("function", "old", "new", "disagreement"),
    [
        ("newton_on_pieces", "distinct and", "", flat_disagreement),
        ("newton_on_pieces", "bends[0], steepest", "bends[0], 0.0", flat_disagreement),
        ("newton_on_pieces", "settled and not changed.any()", "settled", lambda: pieces_disagreement(50)),
        ("_curvature", "np.where(curved, counts, -counts)", "np.where(curved, counts, counts)",
         lambda: pieces_disagreement(50)),
        ("_length", "if slope(1.0) <= _FLAT * abs(at_start)", "if True", lambda: pieces_disagreement(200)),
        ("_length", "slope(middle) <= 0.0", "slope(middle) > 0.0", lambda: pieces_disagreement(50)),
    ],
)  # fmt: skip
def test_planted_errors_in_newton_on_pieces(
    monkeypatch: pytest.MonkeyPatch, function: str, old: str, new: str, disagreement: Any
) -> None:
    source, scope = inspect.getsource(getattr(_pieces, function)), dict(vars(_pieces))
    assert source.count(old) == 1
    exec(source.replace(old, new), scope)
    monkeypatch.setattr(_pieces, function, scope[function])
    assert disagreement()


PLANTED = [
    ("solve_secular", "-slope / bend", "-slope", lambda: quadratic_disagreement(40)),
    ("solve_secular", "if norm > radius", "if norm < radius", lambda: quadratic_disagreement(40)),
    ("solve_secular", "multipliers[c] = floor + shift", "multipliers[c] = floor", lambda: quadratic_disagreement(40)),
    ("newton_steps", "0.5 * decrement", "-2.0 * decrement", lambda: ball_disagreement("absolute", 3)),
    ("newton_steps", "length = 1.0", "length = 1e-4", lambda: hull_disagreement("huber", 3)),
]


@pytest.mark.few(1)
@pytest.mark.parametrize(("kernel", "old", "new", "disagreement"), PLANTED)
def test_planted_errors_are_caught(
    monkeypatch: pytest.MonkeyPatch, kernel: str, old: str, new: str, disagreement: Any
) -> None:
    monkeypatch.setattr(_interior, kernel, wrong(_ball_kernels, kernel, old, new))
    assert disagreement()


def test_a_wrong_smooth_loss_shows_in_the_certificate(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: slopes of half the size. The bound stays valid, so the certificate grows."""
    half = lambda r, rho, huber, out: out.fill(0.0)  # noqa: E731
    monkeypatch.setattr(_interior, "smoothed_slopes", half)
    assert "certificate" in ball_disagreement("absolute", 3)


def test_least_norms() -> None:
    anchored = np.array([[0.6, 0.0, 0.0], [0.0, 0.8, 0.0], [0.0, 0.0, 1.0]])
    assert LinearBall(2, anchored=True).minimum_norm(anchored) == pytest.approx(3.0**-0.5)
    assert LinearBall(2).minimum_norm(anchored[:, :2]) == 0.0
    hull = ConvexHull([[1.0, -1.0, 1.0], [-1.0, 1.0, 1.0]])
    assert hull.minimum_norm(np.arange(3)) == pytest.approx(3.0**-0.5, abs=1e-6)
    assert hull.minimum_norm(np.arange(3)) <= 3.0**-0.5
    assert Constants(anchored=True).minimum_norm([0.0, 1.0, 0.0, 0.0]) == 0.5


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: LinearBall(0), "dimension must be an integer >= 1, got 0"),
        (lambda: LinearBall(2, radius=np.nan), "radius must be a finite number > 0, "),
        (lambda: LinearBall(1, radius=2.0).erm([[0.6]], Objective([1.0])), "points must have norm at most 1/radius"),
        (lambda: LinearBall(1, anchored=True).erm([[0.6, 1.0]], Objective([1.0])), "points must be 0 in the last"),
        (lambda: LinearBall(1).erm([[0.6]], Objective([1.0])), "loss must be one of absolute, squared, huber"),
        (lambda: LinearBall(1).erm([[0.6]], Objective([1.0], -1.0, loss="huber")), "weights and quadratic must be"),
        (lambda: ConvexHull([[0.5]]).erm([0], Objective([1.0], 0.0, 0.0, -1.0)), "weights and quadratic must be"),
        (lambda: ConvexHull([[1.5]]), "predictions must be a matrix"),
        (lambda: ConvexHull([[0.5]]).erm([1], Objective([1.0], loss="squared")), "points must be integers from 0 to 0"),
        (lambda: Constants().erm([0.0], Objective([1.0])), "loss must be one of absolute, squared, huber"),
        (lambda: Constants(anchored=True).erm([0.5], Objective([1.0], loss="huber")), "points must be 0, or 1 at z*"),
    ],
)
def test_bad_input(make: Any, message: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        make()
    assert message in str(caught.value)
