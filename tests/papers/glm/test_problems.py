"""GLMProblem: bounds are enforced, data are private and frozen, digests name everything."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from dpbench.core.validation import InvalidInput
from dpbench.papers.glm._records import row_norms
from dpbench.papers.glm.problem import GLMProblem

X = np.array([[0.6, 0.8], [0.0, -1.0], [0.5, 0.5]])
Y = np.array([1.0, -1.0, 1.0])


def make(X=X, y=Y, **changes):
    keywords = {"loss": "squared", "x_bound": 1.0, "y_bound": 1.0, "radius": 2.0, **changes}
    return GLMProblem(X, y, **keywords)


def test_clipping_is_asked_for_and_complete():
    p = make(3.0 * X, [5.0, -0.5, 1.0], on_excess="clip")
    assert np.all(np.linalg.norm(p.X, axis=1) <= 1.0)
    assert np.allclose(np.linalg.norm(p.X, axis=1), 1.0)
    assert np.array_equal(p.y, [1.0, -0.5, 1.0])
    s = make(sparse.csr_array(3.0 * X), [5.0, -0.5, 1.0], on_excess="clip")
    assert np.allclose(s.X.toarray(), p.X, rtol=1e-14)


@given(arrays(float, (4, 3), elements=st.floats(-1e3, 1e3)), st.floats(1e-3, 1e3))
def test_no_record_is_ever_outside_its_bounds(points, bound):
    p = make(points, np.zeros(4), x_bound=bound, on_excess="clip")
    assert np.all(np.sqrt(np.einsum("ij,ij->i", p.X, p.X)) <= bound)


def test_rounding_is_scaled_back_not_refused():
    over = np.array([[np.nextafter(1.0, 2.0), 0.0]])
    assert np.linalg.norm(make(over, [0.0]).X) <= 1.0
    with pytest.raises(InvalidInput):
        make(over * (1.0 + 1e-9), [0.0])


def test_data_are_private_and_frozen():
    mine = X.copy()
    p = make(mine)
    mine[0, 0] = 9.0
    assert p.X[0, 0] == 0.6
    for part in (p.X, p.y, p.moments[0], p.moments[1]):
        with pytest.raises(ValueError, match="read-only"):
            part[0] = 0.0


def test_digest_names_everything():
    base = make()
    others = [
        make(loss="half-squared"), make(x_bound=1.5), make(y_bound=1.5), make(radius=2.5),
        make(X[::-1]), make(y=-Y), make(sparse.csr_array(X)), base.replace_record(0, [0.0, 0.0], 1.0),
    ]  # fmt: skip
    assert len({p.digest for p in (base, *others)}) == 1 + len(others)
    assert make() == base and hash(make()) == hash(base) and base != others[0]


def test_no_eigenvalue_of_a_design_of_low_rank_is_negative():
    """Of rank 3 in 20 dimensions: some of the seventeen zeros come out below 0."""
    points = np.random.default_rng(0).normal(size=(3, 20)) / 20.0
    problem = make(points)
    values, vectors = problem.axes
    assert np.linalg.eigvalsh(problem.second).min() < 0.0 <= values.min()
    assert np.allclose(vectors * values @ vectors.T, points.T @ points / 3, atol=1e-15)


@pytest.mark.parametrize("wrap", [np.asarray, sparse.csr_array])
def test_replace_record(wrap):
    base = make(wrap(X))
    changed = base.replace_record(1, [0.1, 0.2], 0.5)
    dense = changed.X.toarray() if sparse.issparse(changed.X) else changed.X
    assert np.array_equal(dense, [[0.6, 0.8], [0.1, 0.2], [0.5, 0.5]])
    assert np.array_equal(changed.y, [1.0, 0.5, 1.0])
    assert base.y[1] == -1.0
    for index, y, named in ((3, 0.0, "index"), (-1, 0.0, "index"), (0, 2.0, "y")):
        with pytest.raises(InvalidInput, match=rf"^{named} must be"):
            base.replace_record(index, [0.0, 0.0], y)


@pytest.mark.parametrize("wrap", [np.asarray, sparse.csr_array])
def test_risk_and_moments(wrap):
    p = make(wrap(X))
    w = np.array([0.3, -0.7])
    by_hand = sum((x @ w - y) ** 2 for x, y in zip(X, Y, strict=True)) / 3
    assert p.empirical_risk(w) == pytest.approx(by_hand, rel=1e-14)
    assert p.empirical_risk(np.stack([w, 0 * w])) == pytest.approx([by_hand, 1.0], rel=1e-14)
    second, cross, square = p.moments
    assert w @ second @ w - 2 * cross @ w + square == pytest.approx(by_hand, rel=1e-13)


def norms(X):
    scale, sizes = row_norms(X)
    return sizes * scale


@pytest.mark.parametrize("wrap", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("size", [1e-170, 1e-15, 1.0, 1e15, 1e170, 1e300])
def test_norms_neither_underflow_nor_overflow(wrap, size):
    direction = np.array([[0.6, 0.0, 0.8], [0.0, -1.0, 0.0], [0.0, 0.0, 0.0]])
    p = make(wrap(size * direction), Y, x_bound=1.0, on_excess="clip")
    held = p.X.toarray() if p.sparse else p.X
    assert np.allclose(held, min(size, 1.0) * direction, rtol=1e-14, atol=0.0)
    assert np.linalg.norm(held, axis=1).max() <= 1.0
    assert np.allclose(norms(wrap(size * direction)), [size, size, 0.0], rtol=1e-15, atol=0.0)
    if size > 1.0:
        with pytest.raises(InvalidInput, match=r"^X must be made of rows .* at row"):
            make(wrap(size * direction))


@pytest.mark.parametrize("wrap", [np.asarray, sparse.csr_array])
def test_a_bound_holds_where_squares_underflow(wrap):
    with pytest.raises(InvalidInput, match=r"^X must be made of rows"):
        make(wrap(np.full((3, 2), 1e-25)), x_bound=1e-29)
    assert norms(wrap(np.full((1, 4), 1e-170))) == pytest.approx([2e-170], rel=1e-15, abs=0.0)
    assert norms(wrap(np.full((1, 4), 5e-324))) == [1e-323]


@pytest.mark.parametrize("wrap", [np.asarray, sparse.csr_array])
def test_a_norm_beyond_every_float_is_refused_or_clipped(wrap):
    huge = wrap(np.full((3, 4), 1.7e308))
    with pytest.raises(InvalidInput, match=r"^X must be made of rows .* got inf at row 0"):
        make(huge)
    p = make(huge, on_excess="clip")
    assert np.allclose(p.X.toarray() if p.sparse else p.X, 0.5, rtol=1e-14)


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.coo_matrix])
def test_sparse_matrices_without_real_numbers_are_refused(form):
    for made in (form(X + 1j), form(X.astype(complex))):
        with pytest.raises(InvalidInput, match=r"^X must be a matrix of finite numbers, got 'dtype complex128'"):
            make(made)
    for shape in ((0, 2), (2, 0)):
        with pytest.raises(InvalidInput, match=r"^X must be a matrix with at least 1 row and 1 column, got 'shape "):
            make(form(shape))
