"""What runs under the interpreter of an environment that has diffprivlib: draws only, audited by the caller.

``python diffprivlib_draws.py OUT.npz TRIALS SEED``. It imports nothing of ours: that environment does not have us.
Each mechanism answers one call at a time. OUT holds "NAME/0" and "NAME/1", the answers on the two neighbours;
"NAME/claim", the ε and δ asked of it; and the version.
"""

import sys

import numpy as np


def cases(seed):
    """Name: the mechanism's call on either neighbour, the ε and the δ asked of it."""
    from diffprivlib import mechanisms as dpl

    def answers(made):
        return lambda: made.randomise(0), lambda: made.randomise(1)

    def chooses(kind):
        """Counts of four candidates that one record can move by one each."""
        sides = [
            kind(epsilon=1.0, sensitivity=1.0, utility=u, random_state=seed + k)
            for k, u in enumerate(([3, 2, 1, 0], [2, 3, 2, 1]))
        ]
        return tuple(made.randomise for made in sides)

    pure = {"epsilon": 1.0, "sensitivity": 1, "random_state": seed}
    return {
        "Laplace": (answers(dpl.Laplace(**pure)), 1.0, 0.0),
        "Geometric": (answers(dpl.Geometric(**pure)), 1.0, 0.0),
        "Staircase": (answers(dpl.Staircase(**pure)), 1.0, 0.0),
        "Snapping": (answers(dpl.Snapping(lower=-20.0, upper=20.0, **pure)), 1.0, 0.0),
        "Gaussian": (answers(dpl.Gaussian(delta=0.01, **pure)), 1.0, 0.01),
        "GaussianAnalytic": (answers(dpl.GaussianAnalytic(delta=0.01, **pure)), 1.0, 0.01),
        "Exponential": (chooses(dpl.Exponential), 1.0, 0.0),
        "PermuteAndFlip": (chooses(dpl.PermuteAndFlip), 1.0, 0.0),
    }


def main():
    import diffprivlib

    place, trials, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    made = {"version": diffprivlib.__version__}
    for name, (sides, epsilon, delta) in cases(seed).items():
        for side, call in enumerate(sides):
            made[f"{name}/{side}"] = np.array([call() for _ in range(trials)], dtype=np.float64)
        made[f"{name}/claim"] = np.array([epsilon, delta])
    np.savez(place, **made)


if __name__ == "__main__":
    main()
