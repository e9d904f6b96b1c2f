"""The arithmetics of mechanisms: a word that each of them takes, and nothing of what draws the noise."""

from dpbench.core import validation

ARITHMETICS = ("float", "exact")
"""Whether a mechanism idealises real numbers, or is private to the last bit of what it puts out."""


def float_alone(arithmetic: str) -> None:
    """Refuse "exact" for a mechanism of many noisy steps: exact arithmetic is for noise that is added once.

    Raises
    ------
    InvalidInput
        For "exact" and for what is no arithmetic.
    """
    if validation.choice("arithmetic", arithmetic, ARITHMETICS) == "exact":
        must_be = "'float' for a mechanism of many noisy steps or calls (noise that is added once has 'exact')"
        raise validation.invalid("arithmetic", must_be, arithmetic)
