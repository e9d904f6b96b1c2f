"""Algorithms 1 to 5 of the GLM paper, a file each, with their kernels and the solver of Algorithm 3 beside them."""
