"""Ten mechanisms of three libraries at the claims they make: ``pip install opendp``, then
``pytest libraries/tests/test_ten_lines.py -n 0`` (the other libraries are installed by the audit)."""

import pytest

dp = pytest.importorskip("opendp.prelude", reason="pip install opendp")
dp.enable_features("contrib", "idealized-numerics")
REAL = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
SCORES = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int)
AGES = dp.vector_domain(dp.atom_domain(bounds=(0, 100))), dp.symmetric_distance()
MEASUREMENTS = {
    "laplace": REAL >> dp.m.then_laplace(scale=1.0),
    "gaussian": REAL >> dp.m.then_gaussian(scale=1.0),
    "noisy max": SCORES >> dp.m.then_noisy_max(dp.max_divergence(), scale=1.0),
    "sum": AGES >> dp.t.then_sum() >> dp.m.then_laplace(scale=100.0),
    "count": AGES >> dp.t.then_count() >> dp.m.then_laplace(scale=1.0),
}
UNIT = {"epsilon": 1.0, "bounds": [0.0, 1.0]}


@pytest.mark.parametrize("name", MEASUREMENTS)
def test_opendp(dp_audit, name):
    dp_audit.library("opendp", MEASUREMENTS[name])


@pytest.mark.parametrize("name", ["mean", "sum", "median"])
def test_diffprivlib(dp_audit, name):
    dp_audit.library("diffprivlib", f"tools.{name}", UNIT)


@pytest.mark.parametrize("name", ["BoundedSum", "BoundedMean"])
def test_pydp(dp_audit, name):
    unit = {"epsilon": 1.0, "lower_bound": 0.0, "upper_bound": 1.0, "dtype": "float"}
    dp_audit.library("pydp", f"algorithms.laplacian.{name}", unit)
