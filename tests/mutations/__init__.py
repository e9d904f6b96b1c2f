"""Random errors, planted one at a time: `python -m tests.mutations` counts those that a test notices."""
