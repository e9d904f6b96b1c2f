"""Each study runs at its smallest size, keeps what it measured with the code that it measured, and has its table.

Nobody runs the studies at full size but those who refresh their evidence: this shows that they still can.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from studies import dpsgd
from tools import code_key
from tools.pages import tables

pytestmark = pytest.mark.slow

SMALL: dict[str, tuple[str, tuple[str, ...], str, Callable[[Any], str] | None]] = {
    "scalars and zoo": ("power", ("--part", "zoo", "--entry", "geometric", "--seeds", "2"), "zoo", tables.power),
    "second zoo": ("second_power", ("--seeds", "2", "--trials", "4000"), "second zoo",
                   tables.second_zoo),
    "third zoo": ("second_power", ("--zoo", "third", "--seeds", "2", "--trials", "4000"), "third zoo",
                  tables.third_zoo),
    "arrays": ("arrays", ("--law", "Laplace, 300 rows", "--seeds", "2"), "laws", tables.arrays),
    "DP-SGD": ("dpsgd", (), "", dpsgd.shown),
    "one run": ("one_run", ("--seeds", "2"), "", tables.one_run),
    "validity": ("validity", ("--case", "laplace", "--audits", "4"), "validity", tables.validity),
    "dependence": ("dependence", ("--planted", "1", "--correct", "1"), "dependence", tables.dependence),
    "last bits": ("own_bits", ("--trials", "2000", "--cases", "control"), "", tables.bits),
    "search": ("search", ("--seconds", "0.02", "--evaluations", "20"), "", tables.recall),
    "heavy tails": ("heavytail", (), "", tables.sampler),
    "real heavy tails": ("heavytail_real", (), "", None),
    "risk on public data": ("publicdata_risk", (), "", None),
}  # fmt: skip
"""The module, the options of a small run, the part of the file that has its rows, and the table of the pages."""
EVIDENCE = {"power": "audit.json", "validity": "audit.json", "dependence": "audit.json", "second_power":
            "second_zoo.json", "own_bits": "bits.json", "heavytail": "heavytail_speed.json"}  # fmt: skip


def shrink(module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sizes that no option sets."""
    name = module.__name__.rpartition(".")[2]
    if name == "second_power":
        monkeypatch.setattr(module, "ZOOS", {key: dict([*zoo.items()][:2]) for key, zoo in module.ZOOS.items()})
    elif name == "dpsgd":
        monkeypatch.setattr(module, "LOOPS", dict([*module.LOOPS.items()][-2:]))
        monkeypatch.setattr(module, "CELLS", module.CELLS[2:3])
        monkeypatch.setattr(module, "TRIALS", 2000)
    elif name == "heavytail":
        monkeypatch.setattr(module, "SETTINGS", (module.Setting(1, 200, 2.0, 1, 100.0),))
    elif name == "heavytail_real":
        monkeypatch.setattr(module, "SIZES", (100, 200))
    elif name == "publicdata_risk":
        document, base = module.document, {**module.BASE, "n": 1000}
        grids = {"n": (300, 1000), "sigma": (1.0,), "m": (64,), "epsilon": (1.0,)}
        monkeypatch.setattr(module, "BASE", base)
        monkeypatch.setattr(module, "CALLS", 8)
        sets = dict.fromkeys(module.DATA_SETS, 8)
        monkeypatch.setattr(module, "document", lambda store: document(grids, sets, store=None))


@pytest.mark.parametrize("case", SMALL)
def test_a_study_runs_and_its_evidence_has_a_code_and_a_table(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, options, part, shown = SMALL[case]
    module = importlib.import_module(f"studies.{name}")
    file, evidence = tmp_path / "found.json", EVIDENCE.get(name, f"{name}.json")
    shrink(module, monkeypatch)
    monkeypatch.setattr(sys, "argv", [name, *options, "--json", str(file)])
    assert module.main() in (None, 0)
    found = json.loads(file.read_text(encoding="utf-8"))
    if evidence in code_key.RESTS_ON:
        assert code_key.fresh(evidence, found[part] if part else found)
        monkeypatch.setitem(code_key.RESTS_ON, evidence, ("checker",))
        code_key.key.cache_clear()
        assert not code_key.fresh(evidence, found[part] if part else found), "measured with other code"
        code_key.key.cache_clear()
    if shown is not None:
        assert shown(found).count("\n") >= 2


def test_a_docstring_is_no_other_code_and_a_number_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code_key, "ROOT", tmp_path)
    monkeypatch.setitem(code_key.RESTS_ON, "x.json", ("made",))
    (tmp_path / "made").mkdir()
    keys = []
    for body in ("return 1", '"""One."""\n    return 1  # one', "return 2"):
        (tmp_path / "made/a.py").write_text(f"def f():\n    {body}\n")
        code_key.key.cache_clear()
        keys.append(code_key.key("x.json"))
    assert keys[0] == keys[1] != keys[2]
