"""The inner loop of the generalised exponential mechanism."""

from __future__ import annotations

import math

from numba import types

from dpbench.core.kernel import arr, f8, kernel


@kernel(types.void(arr(f8, 2), arr(f8, 1), f8, arr(f8, 2, True)))
def selection_logs(shifted, gammas, epsilon, out):
    """log of exp(−εs_i/2)/Σ_j exp(−εs_j/2), s_i = max_j (shifted_i − shifted_j)/(γ_i + γ_j) ≥ 0, for each row."""
    count = gammas.shape[0]
    for row in range(shifted.shape[0]):
        top = -math.inf
        for i in range(count):
            worst = 0.0
            for j in range(count):
                if j != i:
                    apart = (shifted[row, i] - shifted[row, j]) / (gammas[i] + gammas[j])
                    worst = apart if apart > worst else worst
            out[row, i] = -0.5 * epsilon * worst
            top = max(top, out[row, i])
        total = 0.0
        for i in range(count):
            total += math.exp(out[row, i] - top)
        for i in range(count):
            out[row, i] -= top + math.log(total)
