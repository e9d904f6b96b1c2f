"""Auditing of mechanisms: sampling bounds, one-run and floating-point modes, recorded random numbers."""
