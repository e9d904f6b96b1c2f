"""The arithmetics of mechanisms: a word that each of them takes, and nothing of what draws the noise."""

ARITHMETICS = ("float", "exact")
"""Whether a mechanism idealises real numbers, or is private to the last bit of what it puts out."""
