"""Table 1's crossover: closed forms against the mechanisms, d* against power laws, and planted exponents."""

import math
from dataclasses import replace

import numpy as np
import pytest
from declared import declared, measured

from dpbench.papers.glm import theory
from dpbench.papers.glm.theorems import hard_scales, table1
from dpbench.papers.glm.theorems.hard_scales import (
    DELTA,
    Scale,
    crossing_dimension,
    noisy_gd_envelope,
)
from dpbench.runs.context import RunContext


def test_envelope_of_noisy_gd_between_two_dimensions_lies_between_theirs():
    low, middle, high = (noisy_gd_envelope(500, d, 1.0, "exact").excess for d in (90, 90.5, 91))
    assert low < middle < high
    assert noisy_gd_envelope(500, 90, 1.0, "printed").excess > low


def test_no_dimension_has_a_level_above_zero_s_or_below_what_the_plane_costs():
    for level in (2.0, 1e-6):
        with pytest.raises(ArithmeticError, match=f"excess risk of {level:g} at n = 50"):
            crossing_dimension(50, 1.0, "exact", level)


@pytest.mark.parametrize(("power", "crossing"), [(0.5, 2.0), (1.0, 1.0)])
def test_crossing_of_planted_power_laws(power, crossing, monkeypatch):
    """d^power/n meets 0.01 at (0.01 n)^(1/power); the slope in n is 1/power."""

    def planted(n, dimension, epsilon, calibration):
        return Scale(1, 1.0, dimension**power / n, 1.0)

    monkeypatch.setattr(hard_scales, "noisy_gd_envelope", planted)
    for n in (400, 6400):
        d, steepness = crossing_dimension(n, 1.0, "exact", 0.01)
        assert d == pytest.approx((0.01 * n) ** crossing, rel=2e-3)
        assert steepness == pytest.approx(power, rel=1e-6)


def test_level_in_a_jump_of_the_envelope_is_refused(monkeypatch):
    def planted(n, dimension, epsilon, calibration):
        return Scale(1, 1.0, 0.1 if dimension < 30 else 0.5, 1.0)

    monkeypatch.setattr(hard_scales, "noisy_gd_envelope", planted)
    with pytest.raises(ArithmeticError, match="40 steps find no dimension"):
        crossing_dimension(400, 1.0, "exact", 0.2)


def test_what_is_said_of_the_mechanism_is_its_ratio_to_the_closed_form_farthest_from_one():
    run = {"algorithm": ["noisy GD", "JL method", "noisy GD"], "excess": [0.3, 9.0, 0.1]}
    assert table1._check({"measured on the curve": run, "curve": {"noisy GD closed": [0.25, 0.25]}}) == 0.1 / 0.25


def test_the_step_term_makes_the_cell_the_whole_regret():
    """√(G²X² + σ²·rank), in units of its noise term."""
    for n, rank, epsilon in ((256, 16, 2.0), (256, 64, 0.25), (1000, 3, 8.0)):
        cell = theory.lipschitz_low_rank_rate(1.0, 1.0, 1.0, n, rank, epsilon, DELTA)
        noise = theory.noisy_gd_noise(1.0, table1.STEPS, n, epsilon, DELTA) * math.sqrt(rank)
        assert noise * (cell + table1._step_term(n, rank, epsilon)) == pytest.approx(cell * math.hypot(1.0, noise))


CLOSED = [claim for claim in declared(table1) if "crossover" in claim.id and not claim.level]


def test_a_comparator_that_falls_like_n_to_the_minus_half_is_inconsistent(monkeypatch):
    """Planted: with the level C/(nε)^(1/2) in place of (nε)^(-2/3), d* has slope 1, and the entry says so."""
    monkeypatch.setattr(table1, "_erm_scale", lambda n, epsilon: Scale(1, 1.0, 2.0 / math.sqrt(n * epsilon), 1.0))
    with RunContext(level="quick", seed=0, workers=1) as context:
        verdict, evidence = context.run(replace(CLOSED[0], id="glm.planted.rate", entry=""))
    assert verdict == "inconsistent" and evidence.value > 0.9
    over = np.divide(evidence.column("measured"), evidence.column("ceiling"))
    assert evidence.column("ratio") == pytest.approx(over)
    assert f"d* is {over.min():.2f} to {over.max():.2f} times" in " ".join(evidence.notes)


@pytest.mark.slow
def test_the_jl_entry_on_small_sizes():
    """Seed 0; its slope over n = 100 to 800 is not that of the entry, whose sizes are larger: the parts must agree."""
    with RunContext(level="quick", seed=0, workers=1) as context:
        verdict, evidence = measured(table1.jl, context, 1.0, (100, 800), (64, 32), 1, (4, 16, 64), 16)
    series, tables = evidence.rows, evidence.tables
    assert verdict in ("consistent", "undecided") and evidence.trials == 96
    for n, d, level in zip(series["n"], series["measured"], series["excess at the crossing"], strict=True):
        assert noisy_gd_envelope(n, d, 1.0, "exact").excess == pytest.approx(level, rel=5e-3)
    ratios = np.array(series["excess at the crossing"]) / series["closed form of the descent in R^k"]
    assert ((ratios > 0.7) & (ratios < 1.4)).all()
    run, curve = tables["measured on the curve"], {name: np.array(part) for name, part in tables["curve"].items()}
    assert run["algorithm"].count("noisy GD") == 2 and run["d"][:2] == [4, 16]
    assert run["excess"][:2] == pytest.approx(curve["noisy GD closed"][:2], rel=0.25)
    assert (curve["floor"] < curve["noisy GD closed"]).all() and (curve["noisy GD closed"] < curve["theory"]).all()


def test_benign_entry_reaches_its_verdict_and_sees_a_ceiling_that_is_too_low(monkeypatch):
    claim = next(claim for claim in declared(table1) if claim.kind == "inequality")
    with RunContext(level="quick", seed=0, workers=1) as context:
        verdict, evidence = context.run(claim)
        assert verdict == claim.expected == "not refuted" and 0.0 < evidence.value < 1.0
        low = {name: lambda n, d: 1e-3 for name in table1._CEILINGS}
        monkeypatch.setattr(table1, "_CEILINGS", low)
        assert context.run(claim)[0] == "refuted"
