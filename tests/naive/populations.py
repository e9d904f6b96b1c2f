"""Reference implementation of the excess risks: enumeration from the definitions of the losses."""

from naive.losses import values


def basis_risk(loss, parameter, masses, biases, x_bound, y_bound, w):
    """Risk on the scaled basis by enumeration of the atoms."""
    total = (1 - sum(masses)) * (values(loss, parameter, 0.0, y_bound) + values(loss, parameter, 0.0, -y_bound)) / 2
    for p, b, wj in zip(masses, biases, w, strict=True):
        for sign in (1, -1):
            total += p * (1 + sign * b) / 2 * values(loss, parameter, x_bound * wj, sign * y_bound)
    return total
