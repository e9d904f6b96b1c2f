"""Real data: five sets that come with scikit-learn and statsmodels, and any CSV file.

Every set is scaled by constants declared in this file, column by column: u = (value − centre)/spread. The
constants are what the quantity can be (a scale of 1 to 5, a pixel of 0 to 16, the reference range of a blood
test), never a statistic of the records, whose release would spend privacy budget. A constant
column comes first, and x = (1, u_1, …, u_k)/√(k + 1), so that a record whose columns all lie within one
spread of their centres has ‖x‖ ≤ 1 = `x_bound`; the few that do not are scaled onto the bound by
`GLMProblem(on_excess="clip")`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dpbench.core import validation
from dpbench.core.csv_table import read_table
from dpbench.papers.glm.losses import Loss, resolve
from dpbench.papers.glm.problem import GLMProblem

Scale = tuple[float, float]  # (centre, spread)


@dataclass(frozen=True)
class DataSet:
    """A set of real records with its declared scaling.

    Attributes
    ----------
    source : str
        Package and function that the records come from.
    about : str
        What a record is, and what the label is.
    columns : dict of str to (centre, spread)
        Declared scaling of the features, in the order of the source.
    label : (centre, spread) or None
        Declared scaling of a real label; None where the label is a class, ±1.
    read : callable
        Returns the raw features (n, k) and the raw labels (n,).
    """

    source: str
    about: str
    columns: dict[str, Scale]
    label: Scale | None
    read: Callable[[], tuple[np.ndarray, np.ndarray]]


def _breast_cancer() -> tuple[np.ndarray, np.ndarray]:
    from sklearn import datasets

    X, y = datasets.load_breast_cancer(return_X_y=True)
    return X, np.where(y == 0, 1.0, -1.0)  # scikit-learn codes malignant as 0


def _digits() -> tuple[np.ndarray, np.ndarray]:
    from sklearn import datasets

    X, y = datasets.load_digits(return_X_y=True)
    return X, np.where(y % 2 == 1, 1.0, -1.0)


def _diabetes() -> tuple[np.ndarray, np.ndarray]:
    from sklearn import datasets

    return datasets.load_diabetes(return_X_y=True, scaled=False)


def _fair() -> tuple[np.ndarray, np.ndarray]:
    table = validation.extra("statsmodels.datasets.fair", "data").load_pandas()
    return np.asarray(table.exog, float), np.where(np.asarray(table.endog) > 0.0, 1.0, -1.0)


def _randhie() -> tuple[np.ndarray, np.ndarray]:
    table = validation.extra("statsmodels.datasets.randhie", "data").load_pandas()
    return np.asarray(table.exog, float), np.asarray(table.endog, float)


# Geometry of a cell nucleus under the microscope (radius up to about 30, so perimeter 2πr and area πr²);
# smoothness, compactness, concavity, symmetry and fractal dimension are ratios with a typical size each. The
# standard error of a mean over a dozen nuclei is a tenth of the quantity; "worst" is the mean of the three
# largest.
_NUCLEUS: dict[str, Scale] = {
    "radius": (15.0, 10.0),
    "texture": (20.0, 15.0),
    "perimeter": (94.0, 63.0),
    "area": (700.0, 700.0),
    "smoothness": (0.1, 0.05),
    "compactness": (0.1, 0.15),
    "concavity": (0.1, 0.2),
    "concave points": (0.05, 0.1),
    "symmetry": (0.2, 0.1),
    "fractal dimension": (0.06, 0.02),
}

SETS: dict[str, DataSet] = {
    "breast_cancer": DataSet(
        source="scikit-learn load_breast_cancer",
        about="569 tumours, 30 measures of cell nuclei; label +1 malignant, -1 benign",
        columns={f"mean {name}": scale for name, scale in _NUCLEUS.items()}
        | {f"{name} error": (0.1 * centre, 0.2 * spread) for name, (centre, spread) in _NUCLEUS.items()}
        | {f"worst {name}": (1.3 * centre, 1.5 * spread) for name, (centre, spread) in _NUCLEUS.items()},
        label=None,
        read=_breast_cancer,
    ),
    "digits": DataSet(
        source="scikit-learn load_digits",
        about="1,797 handwritten digits, 8 x 8 pixels of 0 to 16; label +1 odd, -1 even",
        columns={f"pixel_{i // 8}_{i % 8}": (0.0, 16.0) for i in range(64)},
        label=None,
        read=_digits,
    ),
    "diabetes": DataSet(
        source="scikit-learn load_diabetes(scaled=False)",
        about="442 patients, 10 clinical measures; label: disease progression in a year, 0 to 350",
        columns={
            "age": (50.0, 30.0),  # years, adults
            "sex": (1.5, 0.5),  # coded 1, 2
            "bmi": (25.0, 15.0),  # kg/m², normal 18.5 to 25, severe obesity 40
            "bp": (95.0, 35.0),  # mmHg, mean arterial pressure, normal 70 to 100
            "s1": (200.0, 100.0),  # mg/dl, total cholesterol, high from 240
            "s2": (115.0, 85.0),  # mg/dl, LDL, high from 160
            "s3": (50.0, 30.0),  # mg/dl, HDL, normal 40 to 60
            "s4": (4.0, 3.0),  # ratio of total cholesterol to HDL, high from 5
            "s5": (4.7, 1.3),  # log of triglycerides, 30 to 400 mg/dl
            "s6": (95.0, 40.0),  # mg/dl, fasting glucose, diabetes from 126
        },
        label=(175.0, 175.0),
        read=_diabetes,
    ),
    "fair": DataSet(
        source="statsmodels fair",
        about="6,366 married women, 8 answers to a survey; label +1 if any affair, else -1",
        columns={
            "rate_marriage": (3.0, 2.0),  # 1 very poor to 5 very good
            "age": (35.0, 18.0),  # years, answers binned from 17.5 to 42 and over
            "yrs_married": (12.0, 12.0),
            "children": (2.0, 3.0),
            "religious": (2.5, 1.5),  # 1 not to 4 strongly
            "educ": (14.0, 6.0),  # years of schooling, 9 to 20
            "occupation": (3.5, 2.5),  # classes 1 to 6
            "occupation_husb": (3.5, 2.5),
        },
        label=None,
        read=_fair,
    ),
    "randhie": DataSet(
        source="statsmodels randhie",
        about="20,190 person-years of the RAND health experiment, 9 features; label: outpatient visits",
        columns={
            "lncoins": (2.3, 2.4),  # log(coinsurance + 1), coinsurance 0 to 100 percent
            "idp": (0.5, 0.5),  # 0 or 1
            "lpi": (3.6, 3.6),  # log of an annual payment of up to 1,300 dollars
            "fmde": (4.0, 4.5),  # log of a deductible of up to 5,000 dollars
            "physlm": (0.5, 0.5),  # 0 or 1
            "disea": (15.0, 15.0),  # number of chronic conditions on a list of about 60
            "hlthg": (0.5, 0.5),
            "hlthf": (0.5, 0.5),
            "hlthp": (0.5, 0.5),
        },
        label=(0.0, 26.0),  # one visit a fortnight is 1; more is cut
        read=_randhie,
    ),
}


def names() -> tuple[str, ...]:
    """The names that `load` knows."""
    return tuple(SETS)


def load(name: str, *, loss: Loss | str | None = None, radius: float = 2.0) -> GLMProblem:
    """A real data set as a problem with ‖x‖ ≤ 1 and |y| ≤ 1.

    Parameters
    ----------
    name : {"breast_cancer", "digits", "diabetes", "fair", "randhie"}
        The last two need the extra ``data``.
    loss : Loss or str, optional
        Default logistic where the label is a class, squared where it is a number.
    radius : float, optional
        Radius of the domain, in the scaled units. The default is one number for all sets, tuned to none.

    Returns
    -------
    GLMProblem
        First column 1/√(k + 1), then the k scaled columns of the set.

    Raises
    ------
    InvalidInput
        For an unknown name, or the logistic loss on a label that is a number.
    MissingExtra
        Where the package that holds the records is not installed.
    """
    known = SETS[validation.choice("name", name, SETS)]
    chosen = resolve(loss if loss is not None else "logistic" if known.label is None else "squared")
    if chosen.binary and known.label is not None:
        raise validation.invalid("loss", f"a loss for real labels, which {name} has", chosen.name)
    raw, labels = known.read()
    centre, spread = np.array(list(known.columns.values())).T
    scaled = np.column_stack([np.ones(len(raw)), (raw - centre) / spread]) / math.sqrt(1 + len(centre))
    if known.label is not None:
        labels = (labels - known.label[0]) / known.label[1]
    return GLMProblem(
        scaled,
        labels,
        loss=chosen,
        x_bound=1.0,
        y_bound=1.0,
        radius=radius,
        on_excess="clip",
    )


def from_csv(
    path: str | Path,
    target: str,
    x_bound: float,
    y_bound: float,
    loss: Loss | str = "squared",
    radius: float = 1.0,
    *,
    on_excess: str = "error",
) -> GLMProblem:
    """A CSV file as a problem: one header line, numbers below it, every column but `target` a feature.

    Parameters
    ----------
    path : path
        UTF-8 text, cells separated by commas, semicolons or tabs (whichever the header has).
    target : str
        Name of the column with the labels. For the logistic loss a label 0 is read as -1.
    x_bound, y_bound : float
        Bounds on ‖x_i‖₂ and |y_i| in the units of the file. They are promises about what a record can be,
        made before the records are seen: do not compute them from the file.
    loss, radius, on_excess
        As in `GLMProblem`.

    Raises
    ------
    InvalidInput
        For a file that cannot be read, a missing target, ragged rows, cells that are not finite numbers (the
        message names line and column), or records outside the bounds.
    """
    chosen = resolve(loss)
    limit = validation.real("y_bound", y_bound, above=0.0)
    if chosen.binary and limit < 1.0:
        raise validation.invalid("y_bound", f"at least 1 for the {chosen.name} loss (labels -1 and +1)", y_bound)
    header, values = read_table(path)
    if target not in header:
        known = f"{', '.join(header[:12])}{', ...' if len(header) > 12 else ''}"
        hint = validation.did_you_mean(target, header)
        raise validation.invalid("target", f"a column of {path} ({known}){hint}", target)
    if len(header) < 2:
        raise validation.invalid("path", "a table with at least one feature beside the target", str(path))
    place = header.index(target)
    labels = values[:, place]
    if chosen.binary:
        labels = np.where(labels == 0.0, -1.0, labels)
    return GLMProblem(
        np.delete(values, place, axis=1),
        labels,
        loss=chosen,
        x_bound=x_bound,
        y_bound=limit,
        radius=radius,
        on_excess=on_excess,
    )
