"""Hard instances and floors of the papers: plain frozen records, NumPy, SciPy and Numba alone."""
