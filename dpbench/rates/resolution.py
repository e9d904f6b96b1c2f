"""How finely a rate is measured: a number that a declaration needs, and nothing of what measures."""

RESOLUTION = 0.1
"""How finely a rate is measured before it is said to be consistent, unless the entry says otherwise."""
