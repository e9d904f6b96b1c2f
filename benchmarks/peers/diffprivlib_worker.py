"""What runs under the interpreter of an environment that has diffprivlib: fits only, judged by the caller.

``python diffprivlib_worker.py IN.npz OUT.npz``. It imports nothing of dpbench, which that environment does not have.
"""

import sys
import warnings

import numpy as np


def main() -> None:
    """Fit `trials` times at each ε; OUT holds w, shape (len(epsilons), trials, d), and the version."""
    import diffprivlib
    from diffprivlib.models import LinearRegression, LogisticRegression

    given = np.load(sys.argv[1])
    X, y, bound = given["X"], given["y"], float(given["y_bound"])
    lowest, highest = np.full(X.shape[1], -1.0), np.ones(X.shape[1])
    w = np.empty((len(given["epsilons"]), int(given["trials"]), X.shape[1]))
    warnings.simplefilter("ignore")
    for i, epsilon in enumerate(given["epsilons"]):
        for trial in range(w.shape[1]):
            if given["classes"]:
                model = LogisticRegression(epsilon=epsilon, data_norm=1.0, fit_intercept=False, random_state=trial)
            else:
                model = LinearRegression(
                    epsilon=epsilon,
                    bounds_X=(lowest, highest),
                    bounds_y=(-bound, bound),
                    fit_intercept=False,
                    random_state=trial,
                )
            w[i, trial] = np.ravel(model.fit(X, y).coef_)
    np.savez(sys.argv[2], w=w, version=diffprivlib.__version__)


if __name__ == "__main__":
    main()
