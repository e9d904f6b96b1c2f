"""What runs under the interpreter of a release's environment: draws only, audited by the caller.

``python draws.py OUT.npz CASE VERSION TRIALS SEED``, VERSION "broken" or "mended". It imports nothing of ours: that
environment does not have us. OUT holds "0" and "1", the outputs on the two neighbours, one a row.
"""

import importlib.metadata
import importlib.util
import inspect
import sys
import warnings

import numpy as np


def linear_regression(mended):
    from diffprivlib.models import linear_regression as module

    if mended:  # pull request 110, on the text of the release
        old = "bounds_X[0][i], bounds_X[0][i]"
        text = inspect.getsource(module._construct_regression_obj)
        assert text.count(old) == 1
        exec(text.replace(old, "bounds_X[0][i], bounds_X[1][i]"), vars(module))

    def fit(rows):
        model = module.LinearRegression(epsilon=1.0, bounds_X=(0, 1), bounds_y=(0, 1), fit_intercept=False)
        return model.fit(rows, np.ones(len(rows))).coef_

    return fit, np.array([[0.1], [1.0]]), np.array([[0.1]])


def quantile_nan(mended):
    from diffprivlib.tools import quantile

    def answer(values):
        kept = np.nan_to_num(values, nan=0.0) if mended else values
        return [quantile(kept, 0.5, epsilon=1.0, bounds=(0, 1))]

    return answer, np.array([0.1, 0.5, 0.9]), np.array([0.1, 0.5, np.nan])


def classes_of_the_data(mended):
    from diffprivlib.models import GaussianNB

    def classes(labels):
        model = GaussianNB(epsilon=1.0, bounds=(0, 1))
        rows = np.array([[0.0], [1.0], [0.5], [0.5]])[: len(labels)]
        if mended:
            model.partial_fit(rows, labels, classes=[0, 1])
        else:
            model.fit(rows, labels)
        return [len(model.classes_), model.theta_[0, 0]]

    return classes, np.array([0, 0, 0]), np.array([0, 0, 0, 1])


def laplace_bits(mended):
    from diffprivlib.mechanisms import Geometric, Laplace

    mechanism = Geometric(epsilon=1.0, sensitivity=1) if mended else Laplace(epsilon=1.0, sensitivity=1.0)
    return lambda value: [mechanism.randomise(value)], 0, 1


def svt_filter(mended):
    import logging

    from nvflare.apis.dxo import DXO, DataKind, from_shareable
    from nvflare.apis.fl_context import FLContext
    from nvflare.app_common.filters.svt_privacy import SVTPrivacy

    logging.disable(logging.CRITICAL)
    mechanism = SVTPrivacy(fraction=0.5, epsilon=0.5, noise_var=0.5, gamma=1.0, tau=0.1)
    context = FLContext()

    def sent(weights):
        message = DXO(data_kind=DataKind.WEIGHT_DIFF, data={"w": np.array(weights)}).to_shareable()
        return from_shareable(mechanism.process(message, context)).data["w"]

    return sent, [0.5, 0.25], [0.5, -0.5]


def threshold_delta(mended):
    import opendp.prelude as dp

    dp.enable_features("contrib")
    counts = dp.t.make_count_by(dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance())
    release = counts >> dp.m.then_laplace_threshold(scale=1.0, threshold=6 if mended else 5)

    def shown(users):
        released = release(users)
        return [len(released), released.get("rare", 0)]

    return shown, [], ["rare"]


def covariance_clipping(mended):
    import pandas as pd

    # The one file of the release: its package imports a platform that it does not need.
    path = importlib.metadata.distribution("smartnoise-synth").locate_file("snsynth/models/dp_covariance.py")
    spec = importlib.util.spec_from_file_location("dp_covariance", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    limits = pd.DataFrame({0: [0.0, 1.0], 1: [0.0, 1.0]})

    def released(rows):
        frame = pd.DataFrame(np.array(rows, dtype=float))
        return module.DPcovariance(len(rows), [0, 1], limits.copy(), 1.0).release(frame)

    return (
        released,
        [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]],
        [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [100.0, 0.0]],
    )


def main():
    place, name, version, trials, seed = *sys.argv[1:4], int(sys.argv[4]), int(sys.argv[5])
    np.random.seed(seed)  # noqa: NPY002 - what releases draw from
    warnings.simplefilter("ignore")
    call, *pair = globals()[name.replace("-", "_")](version == "mended")
    np.savez(
        place, **{str(k): np.array([call(side) for _ in range(trials)], dtype=float) for k, side in enumerate(pair)}
    )


if __name__ == "__main__":
    main()
