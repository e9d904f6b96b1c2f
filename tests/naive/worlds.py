"""Slow twin of the small worlds: Lemmas 5 and 6 by loops over ordered data sets, written from the definitions."""

import math
from itertools import product


def descend(records, slope, value, radius, eta, noise):
    """The average iterate, and the mean over iterates of the empirical risk."""
    d = len(records[0][0])
    w, total, risk = [0.0] * d, [0.0] * d, 0.0
    steps = len(noise) + 1
    for t in range(steps):
        z = [sum(a * b for a, b in zip(w, x, strict=True)) for x, _ in records]
        total = [a + b for a, b in zip(total, w, strict=True)]
        risk += sum(value(zi, y) for zi, (_, y) in zip(z, records, strict=True)) / len(records)
        if t == steps - 1:
            break
        for j in range(d):
            pull = sum(slope(zi, y) * x[j] for zi, (x, y) in zip(z, records, strict=True)) / len(records)
            w[j] -= eta * (pull + noise[t][j])
        size = math.sqrt(sum(a * a for a in w))
        if size > radius:
            w = [a * radius / size for a in w]
    return [a / steps for a in total], risk / steps


def expectations(atoms, chance, n, slope, value, radius, eta, noise):
    """(average argument stability squared, expected mean risk) over all ordered data sets."""
    stability, risk = 0.0, 0.0
    m = len(atoms)
    for picks in product(range(m), repeat=n):
        weight = math.prod(chance[a] for a in picks)
        own, level = descend([atoms[a] for a in picks], slope, value, radius, eta, noise)
        risk += weight * level
        for i in range(n):
            for b in range(m):
                other = [atoms[a] for a in picks]
                other[i] = atoms[b]
                moved, _ = descend(other, slope, value, radius, eta, noise)
                gap = sum((p - q) ** 2 for p, q in zip(own, moved, strict=True))
                stability += weight * chance[b] / n * gap
    return stability, risk
