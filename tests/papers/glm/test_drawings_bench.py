"""The figure of ``dpbench bench``: what is drawn is what its document has."""

import numpy as np
import pytest

from dpbench.core.validation import InvalidInput
from dpbench.papers.glm.drawings_bench import comparison, read

EPSILONS = [0.5, 2.0, 1.0]
EXCESS = {"noisy-gd": [0.6, 0.2, 0.4], "exponential": [0.9, 0.3, 0.5]}


def document(half):
    """Rows out of order, with intervals of this half-width."""
    rows = [
        {"algorithm": name, "epsilon": epsilon, "excess": value, "low": value - half, "delta": 1e-5, "trials": 8}
        for name, values in EXCESS.items()
        for epsilon, value in zip(EPSILONS, values, strict=True)
    ]
    return {
        "data": "to/mine.csv",
        "n": 1200,
        "d": 3,
        "loss": "squared",
        "radius": 1.0,
        "zero_excess": 0.7,
        "rows": rows,
    }


@pytest.mark.parametrize(("half", "scale"), [(0.1, "log"), (0.25, "linear")])
def test_each_algorithm_is_drawn_at_its_epsilons_with_its_intervals(half, scale):
    (axes,) = comparison(document(half)).axes
    assert [bars.get_label() for bars in axes.containers] == ["noisy gd", "exponential mechanism"]
    places = []
    for bars, values in zip(axes.containers, EXCESS.values(), strict=True):
        x, y = bars.lines[0].get_data()
        ends = np.array(bars.lines[2][0].get_segments())
        order = np.argsort(EPSILONS)
        assert x == pytest.approx(np.sort(EPSILONS), rel=0.02) and y == pytest.approx(np.take(values, order))
        assert ends[:, :, 1] == pytest.approx(np.column_stack([y - half, y + half])) and (x == ends[:, :, 0].T).all()
        places.append(x)
    assert (places[0] < places[1]).all()  # side by side
    levels = [line.get_ydata()[0] for line in axes.get_lines() if len(line.get_xdata()) == 2]
    assert levels == ([0.7] if scale == "log" else [0.7, 0.0]) and axes.get_yscale() == scale
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["0.5", "1", "2"]
    low, high = axes.get_xlim()
    assert low < places[0][0] and high > places[1][-1]
    title = axes.get_title(loc="left")
    assert all(part in title for part in ("mine", "1,200", "d = 3", "squared", "10^{-5}", "8 runs"))


def test_a_file_that_bench_did_not_write_is_refused(tmp_path):
    for text in ("[]", '{"schema": 1}', "rows"):
        (tmp_path / "found.json").write_text(text)
        with pytest.raises(InvalidInput, match=r"^--from must be"):
            read(tmp_path / "found.json")
