"""Planted errors: a fixed list, each with the tests that must notice it. `python -m tests.mutations` counts."""
