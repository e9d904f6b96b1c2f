"""Ceilings and parameters of the GLM paper against the printed formulas, written out again, and against each other."""

import math

import pytest

from dpbench.papers.glm import theory, theory_selection

L = math.log(1e5)


def test_lemmas_2_3_and_9_to_the_letter():
    assert theory.smooth_gradient_bound(2.0, 3.0, 5.0, 7.0) == pytest.approx(2 * 5 * math.sqrt(2) * 3 + 2 * 2 * 7 * 9)
    assert theory_selection.ball_loss_bound(2.0, 3.0, 5.0, 7.0) == 25 + 2 * 49 * 9


def test_theorem_1_to_the_letter():
    assert theory.noisy_gd_noise(4.0, 100, 50, 0.5, 1e-5) ** 2 == pytest.approx(8 * 16 * 100 * L / (50 * 0.5) ** 2)
    first = theory.noisy_gd_step_size(2.0, 100, 2.0, 1.0, 3.0, 0.0, 9)
    assert first == pytest.approx(min(2.0 / (10 * math.sqrt(2) * 3), 1 / 8))
    noisy = theory.noisy_gd_step_size(2.0, 100, 2.0, 1.0, 3.0, 5.0, 9)
    assert noisy == pytest.approx(2.0 / (10 * 15))


def test_theorem_1_rates():
    """The private term where it is the larger one, the statistical one else, and H̃B²/n beside either."""
    given, bound = (2.0, 3.0, 5.0, 7.0, 100), theory.smooth_gradient_bound(2.0, 3.0, 5.0, 7.0)
    private = bound * 7 * math.sqrt(8 * 400 * L) / (100 * 0.1)
    assert theory.noisy_gd_rate(*given, 400, 0.1, 1e-5) == pytest.approx(private + 18 * 49 / 100)
    assert theory.noisy_gd_rate(*given, 1, 1e9, 1e-5) == theory.gradient_descent_rate(*given)
    assert theory.gradient_descent_rate(2.0, 3.0, 5.0, 7.0, 100) == pytest.approx(
        math.sqrt(18) * 5 * 7 / 10 + 18 * 49 / 100
    )


@pytest.mark.parametrize("y", [2.0, 1e-4])
@pytest.mark.parametrize("n", [10, 100, 1_000, 10**4, 10**5, 10**6])
def test_counts_are_the_least_that_reach_what_they_are_for(n, y):
    """Radii 2^K, K ≥ 1, at which ceilings reach ‖Y‖² (‖Y‖ of a Lipschitz loss); models of which one is good but for
    β/4."""
    h, x, size, beta = 5.0, 0.3, 0.7 * n, 1.0 / n

    def least(reached):
        return next(k for k in range(1, 200) if reached(k))

    def statistical(k):
        return math.sqrt(h) * 2**k * x * y / math.sqrt(n) >= y**2

    assert theory_selection.smooth_grid_size_corrected(h, x, y, n, 0.7) == least(
        lambda k: statistical(k) and h * (2**k * x) ** 2 / size ** (2 / 3) >= y**2
    )
    assert theory_selection.smooth_grid_size(h, x, y, n, 0.7) == least(
        lambda k: statistical(k) and math.sqrt(h) * 2**k * x**2 / size ** (2 / 3) >= y**2
    )
    assert theory_selection.lipschitz_grid_size(h, x, y, n) == least(lambda k: h * 2**k * x / math.sqrt(n) >= y)
    assert theory_selection.boosting_models(beta) == least(lambda m: math.exp(-m / 4) <= beta / 4)
    assert theory_selection.boosting_models_corrected(beta) == least(lambda m: 4.0**-m <= beta / 4)


def test_corollaries_and_rates_of_table_1_to_the_letter():
    h = math.sqrt(2) * 3
    private = (h * 5 + h**2 * 7) * 7 * math.sqrt(9 * L) / 50
    assert theory.noisy_gd_glm_rate(2.0, 3.0, 5.0, 7.0, 100, 9, 0.5, 1e-5) == pytest.approx(h * 7 * 5 / 10 + private)
    assert theory.erm_gap_rate(2.0, 3.0, 5.0, 7.0, 100) == pytest.approx((h * 7 * 5 + 25) / 10)
    assert theory.nonprivate_lipschitz_rate(2.0, 3.0, 7.0, 100) == pytest.approx(4.2)
    rate = theory.lipschitz_low_rank_rate(2.0, 3.0, 5.0, 100, 9, 0.5, 1e-5)
    assert rate == pytest.approx(2 * 3 * 5 * 3 * math.sqrt(L) / (100 * 0.5))
    for radius, reach in ((0.25, 0.25 * math.sqrt(2)), (7.0, 1)):
        transition = theory.transition_dimension(2.0, 1.0, 1.0, radius, 1000, 0.5)
        assert transition == pytest.approx((500 * reach) ** (2 / 3))


def test_theorem_3_to_the_letter():
    lam = theory.smooth_erm_regularization(2.0, 3.0, 5.0, 7.0, 100, 0.5, 1e-5)
    assert lam == pytest.approx(((5 + 2 * 7 * 9) * math.sqrt(2) * 3 / (7 * 100 * 0.5)) ** (2 / 3) * L ** (1 / 3))
    noise = theory.smooth_erm_noise(2.0, 3.0, 5.0, 7.0, 100, 0.5, 1e-5, lam)
    assert noise**2 == pytest.approx(4 * (25 + 4 * 49 * 81) * L / (lam**2 * 100**2 * 0.5**2))
    assert theory.smooth_erm_noise(2.0, 3.0, 5.0, 7.0, 100, 0.5, 1e-5, lam, constant=9.0) == pytest.approx(1.5 * noise)
    h = math.sqrt(2) * 7 * 3
    statistical = (h * 5 * math.log(100) ** 1.5 + 25) / 10
    private = (h ** (4 / 3) * 5 ** (2 / 3) + h**2) * L ** (1 / 3) / 50 ** (2 / 3)
    assert theory.smooth_erm_rate(2.0, 3.0, 5.0, 7.0, 100, 0.5, 1e-5) == pytest.approx(statistical + private)


def test_theorem_5_to_the_letter():
    lam = theory.lipschitz_erm_regularization(2.0, 3.0, 7.0, 100, 0.5, 1e-5)
    assert lam == pytest.approx(2 * 3 * L**0.25 / (7 * math.sqrt(50)))
    assert theory.lipschitz_erm_noise(2.0, 3.0, 100, 0.5, 1e-5, lam) ** 2 == pytest.approx(
        4 * 4 * 9 * L / (lam**2 * 100**2 * 0.5**2)
    )
    rate = theory.lipschitz_erm_rate(2.0, 3.0, 7.0, 100, 0.5, 1e-5)
    assert rate == pytest.approx(42 / 10 + 42 * L**0.25 / math.sqrt(50))


def test_theorem_2_to_the_letter():
    h, log = math.sqrt(2.0) * 7 * 3, math.log(200 / 1e-5)
    k = theory.smooth_jl_dimension(2.0, 3.0, 5.0, 7.0, 100, 0.5, 1e-5)
    assert k == pytest.approx((h * log * 50 / (5 * 3 + math.sqrt(2.0) * 7 * 9)) ** (2 / 3))
    assert theory.smooth_jl_dimension(2.0, 3.0, 5.0, 7.0, 100, 0.5, 1e-5, 4.0) == pytest.approx(4 * k)
    bound = theory.smooth_gradient_bound(2.0, 3.0, 5.0, 7.0)
    balanced = theory.smooth_jl_balance(2.0, 3.0, 5.0, 7.0, 100, 0.5)
    assert balanced == pytest.approx((2 * 7 * 9 * 50 / bound) ** (2 / 3))
    # Where both terms of A.4 are equal, without their logarithms: GB√k/(nε) = HB²‖X‖²/k.
    assert bound * 7 * math.sqrt(balanced) / 50 == pytest.approx(2 * 49 * 9 / balanced)
    rate = theory.smooth_jl_rate(2.0, 3.0, 5.0, 7.0, 100, 0.5, 1e-5)
    assert rate == pytest.approx(h * 5 / 10 + (h * 5 + h**2) * math.sqrt(k * L) / 50 + h**2 * log / k)


def test_theorem_10_to_the_letter():
    log = math.log(200 / 1e-5)
    assert theory.lipschitz_jl_dimension(100, 0.5, 1e-5, 3.0) == pytest.approx(3 * log * 50)
    assert theory.lipschitz_jl_noise(2.0, 3.0, 10_000, 100, 0.5, 1e-5) ** 2 == pytest.approx(
        8 * 10_000 * 4 * 9 * math.log(2e5) / 50**2
    )
    assert theory.lipschitz_jl_step_size(2.0, 3.0, 7.0, 10_000, 100, 64, 0.5, 1e-5) == pytest.approx(
        7 / (6 * (1 + 8 * math.sqrt(math.log(2e5)) / 50) * 1000)
    )
    k = log * 50
    assert theory.lipschitz_jl_rate(2.0, 3.0, 7.0, 100, 0.5, 1e-5) == pytest.approx(
        42 * (0.1 + math.sqrt(k * L) / 50 + math.sqrt(log / k))
    )


@pytest.mark.parametrize("case", [(1.0, 1.0, 1.0, 1.0), (4.0, 0.01, 3.0, 0.5), (0.1, 100.0, 0.2, 30.0)])
def test_the_k_of_theorem_2_and_the_k_of_its_proof_agree_up_to_a_constant(case):
    """(BHX log(2n/δ)nε/G)^{2/3} of the last line of A.4, G = 2√H(XY + √HBX²): the base is half of the theorem's."""
    h, x, y, radius = case
    n, epsilon, delta = 10**6, 0.1, 1e-5
    bound = theory.smooth_gradient_bound(h, x, y, radius)
    proof = (radius * h * x * math.log(2.0 * n / delta) * n * epsilon / bound) ** (2.0 / 3.0)
    assert theory.smooth_jl_dimension(h, x, y, radius, n, epsilon, delta) == pytest.approx(2.0 ** (2.0 / 3.0) * proof)
