"""The exponential mechanism over a net (Algorithms 1 and 2), its sampler on trees of boxes, and its baselines."""
