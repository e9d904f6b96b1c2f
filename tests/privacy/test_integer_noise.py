"""Integer noise: kernels against rational twins word by word, laws, tables, and what it is in floating point."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from given_words import Words, stream_of
from naive import integer_noise as naive
from scipy import stats

from dpbench.core import validation
from dpbench.core.bits import Source, SystemGenerator, words
from dpbench.privacy import _integer_kernels as kernels
from dpbench.privacy import exact_coins, gaussian, integer_choice, integer_laplace, integer_noise
from dpbench.privacy.profile import gaussian_profile

SIGMA = 2.0**28 * 1.37


@pytest.mark.kernel
@pytest.mark.parametrize("scale", [1, 2, 7, 1000, 2**20 - 3, 2**31 + 5, 2**40])
@pytest.mark.few(3)
def test_discrete_laplace_against_rational_arithmetic(scale):
    given = stream_of(scale % 1009)
    made = integer_laplace.laplace(Source(Words(given)), scale, 150)
    table = integer_laplace.laplace_table(scale)
    parts = table.bits, table.thresholds.tolist(), table.aliases.tolist(), list(table.weights), table.unit
    twin = iter(int(word) for word in given)
    exact = [naive.discrete_laplace(twin, scale, *parts) for _ in range(150)]
    assert exact == made.tolist()
    if scale >= 1000:  # below, each block is one integer, and every proposal is kept
        planted = iter(int(word) for word in given)
        spoiled = [max(1, weight // 2) for weight in table.weights]  # the chance of acceptance doubled
        assert [naive.discrete_laplace(planted, scale, *parts[:3], spoiled, table.unit) for _ in range(150)] != exact


def drawn_by_alias(table):
    """Of all thresholds of all columns those that give each block."""
    given = [0] * len(table.weights)
    for column, (threshold, alias) in enumerate(zip(table.thresholds.tolist(), table.aliases.tolist(), strict=True)):
        given[column] += threshold
        given[alias] += (1 << kernels.THRESHOLD) - threshold
    return given


@pytest.mark.parametrize("scale", [1, 5, 31, 1000, 2**20 - 3, 2**40])
def test_the_laplace_envelope_covers_and_its_alias_table_is_exact(scale):
    table = integer_laplace.laplace_table(scale)
    blocks = 1 << kernels.LAPLACE_COLUMNS
    assert drawn_by_alias(table) == list(table.weights) and sum(table.weights) == blocks << kernels.THRESHOLD
    for block in (0, 1, 2, 77, 500, blocks - 2):
        left, last = block << table.bits, ((block + 1) << table.bits) - 1
        height = Fraction(table.weights[block], table.unit)
        with mpmath.workdps(500):
            chances = [mpmath.exp(-mpmath.mpf(z) / scale) * height.denominator / height.numerator for z in (left, last)]
            assert chances[0] <= 1
            assert mpmath.mpf(int(table.sure[block])) / 2**kernels.COIN <= chances[1]


@pytest.mark.parametrize("scale", [1, 4])
def test_a_geometric_draw_has_its_law(scale):
    """3,000 draws of what lies beyond the blocks: a scale off by 30% is caught (planted)."""
    source = Source(np.random.default_rng(7))
    draws = np.array([integer_laplace._geometric(scale, source) for _ in range(3_000)])
    values = np.arange(3 * scale)
    for factor, holds in ((1.0, True), (1.3, False)):
        t = scale * factor
        statistic, limit = misfit(draws, -values / t + math.log(-math.expm1(-1.0 / t)), values)
        assert (statistic < limit) is holds


@pytest.mark.kernel
def test_discrete_gaussian_against_rational_arithmetic():
    given = stream_of(3)
    made = integer_noise.gaussian(Source(Words(given)), SIGMA, 80)
    table = integer_noise.gaussian_table(SIGMA)
    parts = table.thresholds.tolist(), table.aliases.tolist(), list(table.weights), table.unit
    twin = iter(int(word) for word in given)
    exact = [naive.discrete_gaussian(twin, Fraction(SIGMA), 21, *parts) for _ in range(80)]
    assert exact == made.tolist()
    planted = iter(int(word) for word in given)
    assert [naive.discrete_gaussian(planted, Fraction(SIGMA), 20, *parts) for _ in range(80)] != made.tolist()


@pytest.mark.kernel
@pytest.mark.parametrize("law", ["laplace", "gaussian"])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_coin_at_its_threshold_is_decided_by_the_words_behind_it(law, sign):
    """The kernel leaves it open. Digits of 0 keep the draw; digits of 1 reject it, and the next place is drawn."""
    if law == "laplace":
        draw, parameter, columns, block = integer_laplace.laplace, 1000, kernels.LAPLACE_COLUMNS, 77
        table = integer_laplace.laplace_table(parameter)
        z = block << table.bits
        chance = math.exp(-z / parameter)
    else:
        draw, parameter, columns, block = integer_noise.gaussian, SIGMA, kernels.COLUMNS, 300
        table = integer_noise.gaussian_table(parameter)
        z = block << integer_noise.BLOCK_BITS
        chance = math.exp(-0.5 * (z / SIGMA) ** 2)
    column = next(c for c in range(1 << columns) if c == block or table.aliases[c] == block)
    inside = 0 if column == block and table.thresholds[column] > 0 else int(table.thresholds[column])
    first = column | (inside << columns) | ((sign < 0) << 63)
    coin = int(chance / table.heights[block] * 2**kernels.COIN)
    for digits, expected in ((0, z), (2**64 - 1, z + 1)):
        given = np.array([first, coin, digits, first, 1 << kernels.COIN, *[0] * 40], dtype=np.uint64)
        assert draw(Source(Words(given)), parameter, 1).tolist() == [sign * expected]


@pytest.mark.parametrize("many", [1, 7, 1000])
def test_words_at_hand_do_not_change_the_draws(many):
    """Words fetched few at a time or all at once: a draw that meets the end of them is begun again."""
    given = stream_of(9)

    def drawn(laplace):
        slow, fast = Source(Words(given)), Source(Words(given))
        slow.more(many)
        draw = integer_laplace.laplace if laplace else integer_noise.gaussian
        size = 50 if laplace else SIGMA
        one_by_one = [int(draw(slow, size, 1)[0]) for _ in range(100)]
        return one_by_one, draw(fast, size, 100).tolist()

    for laplace in (True, False):
        one_by_one, together = drawn(laplace)
        assert one_by_one == together


def misfit(draws, log_weights, values):
    """Chi-squared of the counts of `values` and of the rest, and its limit at a false-alarm rate of 1e-6."""
    p = np.exp(log_weights)
    counts = np.array([(draws == value).sum() for value in values], dtype=float)
    counts, p = np.append(counts, len(draws) - counts.sum()), np.append(p, 1.0 - p.sum())
    expected = p * len(draws)
    return float(((counts - expected) ** 2 / expected).sum()), float(stats.chi2.isf(1e-6, len(p) - 1))


@pytest.mark.parametrize("scale", [1, 3, 9])
def test_laplace_law(scale):
    """200,000 draws: a scale off by 3% is caught (planted)."""
    draws = integer_laplace.laplace(Source(np.random.default_rng(1)), scale, 200_000)
    values = np.arange(-2 * scale, 2 * scale + 1)
    for factor, holds in ((1.0, True), (1.03, False)):
        t = scale * factor
        statistic, limit = misfit(draws, -np.abs(values) / t + math.log(math.tanh(0.5 / t)), values)
        assert (statistic < limit) is holds


def test_gaussian_law_on_the_grid_in_use():
    """Kolmogorov–Smirnov on 200,000 draws: null a normal law, level 1e-6; σ off by 4% is caught (planted)."""
    draws = integer_noise.gaussian(Source(np.random.default_rng(3)), SIGMA, 200_000) / SIGMA
    assert stats.kstest(draws, "norm").pvalue > 1e-6
    assert stats.kstest(1.04 * draws, "norm").pvalue < 1e-6
    assert set(np.unique(np.signbit(draws))) == {True, False}


@pytest.mark.parametrize("sigma", [2.0**28, SIGMA, 2.0**29 * (1 - 2.0**-50)])
def test_the_envelope_covers_and_the_alias_table_is_exact(sigma):
    table = integer_noise.gaussian_table(sigma)
    assert drawn_by_alias(table) == list(table.weights) and sum(table.weights) == 1 << 60
    for block in (0, 1, 2, 77, 500, 1000):
        left, right = (Fraction(end << integer_noise.BLOCK_BITS) for end in (block, block + 1))
        height = Fraction(table.weights[block], table.unit)
        highest = exact_coins.exp_bounds(left**2 / (2 * Fraction(sigma) ** 2), 80)[1]
        lowest = exact_coins.exp_bounds((right - 1) ** 2 / (2 * Fraction(sigma) ** 2), 80)[0]
        assert highest <= height
        assert Fraction(int(table.sure[block]), 1 << kernels.COIN) <= lowest / height


@pytest.mark.parametrize("x", [Fraction(0), Fraction(1, 3), Fraction(7, 2), Fraction(41), Fraction(10**9, 10**8 + 7)])
def test_bounds_of_the_exponential(x):
    for bits in (40, 72, 200):
        low, high = exact_coins.exp_bounds(x, bits)
        twin = naive.exp_minus(x)
        assert low <= twin[1] and twin[0] <= high
        assert high - low <= Fraction(1, 1 << bits)
    assert not low <= naive.exp_minus(x + Fraction(1, 10**12))[0] <= high  # planted: an argument off by 1e-12


@pytest.mark.parametrize("scale", [3, 700, 2**20, 2**40])
def test_a_coin_at_the_border_of_the_tail_asks_for_more_bits(scale):
    """The coin whose cell holds the exact probability: with low bits it is below it, with high ones above."""
    table = integer_laplace.laplace_table(scale)
    exponent = Fraction((len(table.weights) - 1) << table.bits, scale)
    (low, high), (less, more) = naive.exp_minus(exponent), naive.exp_minus(Fraction(1, scale))
    share = Fraction(table.unit, table.weights[-1] << table.bits)
    chance = share * low / (1 - less)
    assert share * high / (1 - more) - chance < Fraction(1, 1 << 100)
    coin = math.floor(chance * (1 << kernels.COIN))
    below, above = (Source(Words(np.full(1000, word, dtype=np.uint64))) for word in (0, 2**64 - 1))
    assert integer_laplace._beyond_is_kept(table, exponent, coin, below)
    assert not integer_laplace._beyond_is_kept(table, exponent, coin, above)


@pytest.mark.parametrize("sigma", [48.0, 60.0, 200.0])
def test_distance_from_the_rounded_gaussian(sigma):
    """Summed over the integers, the distance is at most the bound; half of the bound's 1/(48σ²) is too little."""
    k = np.arange(-int(12 * sigma), int(12 * sigma) + 1)
    cells = np.diff(stats.norm.cdf(np.append(k - 0.5, k[-1] + 0.5) / sigma))
    law = np.exp(-0.5 * (k / sigma) ** 2)
    distance = 0.5 * float(np.abs(cells - law / law.sum()).sum())
    assert 0.5 * integer_noise.distance_from_rounded(sigma) < distance <= integer_noise.distance_from_rounded(sigma)


def test_blurred_profile_pays_for_the_distance():
    """Two Gaussians mixed with atoms of mass η that give them away: within δ(ε) + (1 + e^ε)η, beyond δ(ε) alone."""
    plain, eta = gaussian_profile(1.0, kind="exact", why="shift"), 1e-3
    blurred = integer_noise.blurred(plain, eta)
    for epsilon in (0.0, 1.0, 3.0):
        mixed = (1.0 - eta) * plain.delta(epsilon) + eta
        assert plain.delta(epsilon) < mixed <= blurred.delta(epsilon) <= plain.delta(epsilon) + eta * 21.1
    assert blurred.kind == "upper" and blurred.delta(500.0) == 1.0


def test_values_on_the_grid_are_clamped_in_integers():
    values = np.array([0.3, -7.0, math.nan, math.inf, -math.inf, 1e300])
    assert integer_noise.to_grid(values, 0.25, 1.0).tolist() == [1, -4, 0, 4, -4, 4]
    with pytest.raises(validation.InvalidInput, match=r"^bound must be below 4\.61e\+18 steps of the grid"):
        integer_noise.to_grid(values, 1e-30, 1.0)


def test_grids_are_powers_of_two_and_lose_nothing():
    for deviation in (1e-40, 0.3, 1.0, 7e30):
        grid = integer_noise.gaussian_grid(deviation)
        assert math.frexp(grid.spacing)[0] == 0.5
        assert grid.sigma * grid.spacing == deviation and 2.0**28 <= grid.sigma < 2.0**29
        assert integer_noise.distance_from_rounded(grid.sigma) < 3e-19
        for finest in (1e300, 2.0**-20):
            spacing, scale = integer_laplace.laplace_grid(deviation, finest)
            most = integer_laplace.LARGEST_STEP * deviation
            assert math.frexp(spacing)[0] == 0.5 and spacing <= min(finest, most) < 2.0 * spacing
            assert deviation <= scale * Fraction(spacing) < Fraction(deviation) + Fraction(spacing)


def test_words_of_the_system_and_of_a_seed():
    system = SystemGenerator()
    made = words(system, 1000)
    assert made.dtype == np.uint64 and len(set(made.tolist())) == 1000
    ones = int(np.unpackbits(made.view(np.uint8)).sum())
    assert abs(ones - 32_000) < 5 * 126.5  # five standard deviations: 6e-7
    first, second = (words(np.random.default_rng(4), 5).tolist() for _ in range(2))
    assert first == second


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda s: integer_laplace.laplace(s, 0, 1), r"scale must be an integer >= 1, got 0"),
        (lambda s: integer_laplace.laplace(s, 2**41, 1), r"scale must be at most"),
        (lambda s: integer_noise.gaussian(s, 2.0**31, 1), r"sigma must be at most"),
        (lambda s: integer_noise.distance_from_rounded(5.0), r"sigma must be at least 48 steps"),
        (lambda s: integer_noise.gaussian_deviation(1.0, 2.0**29, 1, 1.0, 1e-5), r"epsilon must be larger"),
        (lambda s: integer_noise.gaussian_deviation(1.0, 1.0, 10**15, 1.0, 1e-6), r"delta must be larger"),
        (lambda s: integer_choice.noisy_max_scale(2.0**60), r"noise_scale must be at most"),
    ],
)
def test_bad_parameters(call, said):
    with pytest.raises(validation.InvalidInput, match=said):
        call(Source(np.random.default_rng(0)))


def test_the_deviation_leaves_room_for_the_steps_of_rounding():
    """A record moves a centre by s + slack steps, a step being at most σ/2²⁸: (s + slack·σ/2²⁸)/σ must be at most μ."""
    slack, (epsilon, delta) = 2.0**22, (1.0, 1e-5)
    sigma = integer_noise.gaussian_deviation(3.0, slack, 1, epsilon, delta)
    mu = gaussian.mu(epsilon, delta)
    assert 0.99 * mu < (3.0 + slack * sigma / 2.0**28) / sigma <= mu
    assert (3.0 + 2.0 * slack * sigma / 2.0**28) / sigma > mu, "planted: twice the slack"
