"""Planted errors: a fixed list of semantic mistakes, each with the tests that must notice it; `python -m tests.mutations`."""
