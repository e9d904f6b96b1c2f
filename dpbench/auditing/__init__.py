"""Auditing of mechanisms: sampling bounds, one-run and floating-point modes, mechanisms broken on purpose."""
