"""The entries of the JL method: the numbers the derivations predict, and planted failures."""

from dpbench.papers.glm import losses
from dpbench.papers.glm.algorithms.jl import JLMethod
from dpbench.papers.glm.theorems import jl_privacy
from dpbench.papers.glm.theorems.pairs import cancelling_pair


def test_theorem2_printed_needs_no_particular_constant(context):
    """A constant of 1,000 in k is met by a smaller BX: the same k and the same violation."""
    for constant, radius in ((1.0, 1e-5), (1000.0, 1e-10)):
        p, q = cancelling_pair(
            losses.capped_linear(40 * radius), 1001, x_bound=1.0, y_bound=1.0, radius=radius, dimension=64
        )
        m = JLMethod(1.0, 1e-8, calibration="printed", dimension_constant=constant)
        assert m.projected_dimension(p) == 1
        assert m.pair_profile(p, q).delta(1.0) > 80e-8


def test_an_exact_noise_halved_is_not_proved(context, monkeypatch):
    """Planted: the entry with half of σ has a guarantee beyond the claim."""
    whole = JLMethod.sigma
    monkeypatch.setattr(JLMethod, "sigma", lambda self, problem: 0.5 * whole(self, problem))
    verdict, _ = jl_privacy._exact(context, 10, (losses.absolute(),))
    assert verdict != "proved"
