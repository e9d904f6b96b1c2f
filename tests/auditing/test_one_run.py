"""One-run audits: validity, assumptions, ties and bad input."""

import math

import numpy as np

from dpbench import audit_one_run


def response(included, rng):
    """Randomised response at ε = 1."""
    return included ^ (rng.random(len(included)) < 1.0 / (1.0 + math.e))


# The whole audit


def test_one_run_is_near_on_randomised_response():
    found = [audit_one_run(response, 400, confidence=0.9, seed=s, guesses=400).epsilon_lower for s in range(100)]
    assert 0.75 < np.mean(found) < 1.0


def test_one_run_refutes_and_says_so():
    found = audit_one_run(lambda inc, r: 3.0 * inc + r.laplace(size=len(inc)), 2_000, epsilon=1.0, delta=1e-6)
    assert found.verdict == "refuted" and found.trials == 2_000
    assert "guesses at 2000 canaries are right, in one run" in found.event
    assert found.certified is None and 0.0 < found.curve([1.0])[0] < found.curve([0.0])[0]


def test_assumptions_are_in_the_result():
    def sum_with_noise(included, rng):
        return included + rng.standard_normal(len(included))

    plain = audit_one_run(sum_with_noise, 500, epsilon=4.0, delta=1e-5)
    trusting = audit_one_run(sum_with_noise, 500, epsilon=4.0, delta=1e-5, independent=True)
    assert len(plain.assumptions) == 1 and "coins are fair, independent" in plain.assumptions[0]
    assert trusting.assumptions[:1] == plain.assumptions and "independent parts" in trusting.assumptions[1]
    assert 0.0 < plain.epsilon_lower <= trusting.epsilon_lower
    weaker, stronger = (
        audit_one_run(sum_with_noise, 500, claim={"mu": 2.0}, independent=apart).bound for apart in (False, True)
    )
    assert weaker is not None and stronger is not None and 0.0 < weaker < stronger < 1.2
    assert "500 canaries" in str(plain) and trusting.assumptions[1] in str(trusting)
    assert trusting.to_dict()["assumptions"] == trusting.assumptions
    assert plain.verdict == "not refuted"
