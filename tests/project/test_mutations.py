"""Random errors: where they are drawn, how they are planted, and what counts as noticed, in a project of two files."""

import ast
from pathlib import Path

import pytest
from mutations.__main__ import Copy, joined, nearest, stands
from mutations.draw import Error, draw, errors_of, found, functions, planted, text_of

pytestmark = pytest.mark.meta

ROOT = Path(__file__).resolve().parents[2]
CODE = '''class A:
    def clip(self, x):
        """At most 2 in size; 7 is no constant of it."""
        if x > 2 and self:  # a comment
            raise ValueError("must be 2 or less")
        return x[0] - 1.0

def other(x):
    return x > 3
'''
TESTS = """from lowerbounds.made import A, other
class Twice(list):
    __getitem__ = lambda self, at: 1.0
    __gt__ = lambda self, other: False
def test_others(): assert other(4) and not other(2)
def test_clip(): assert A.clip(None, Twice()) < 0.5
def test_broken(): assert False
"""


def test_errors_are_of_four_kinds_and_leave_messages_alone():
    name, function = next(functions(CODE))
    errors = errors_of("a.py", name, function)
    assert {(error.old, error.new) for error in errors} == {
        ("x > 2", "(x) >= (2)"), ("x > 2", "(x) <= (2)"), ("2", "(1)"), ("2", "(3)"), ("x > 2 and self", "((self))"),
        ("x > 2 and self", "((x > 2))"), ("0", "-1"), ("0", "1"), ("0", "(-1)"), ("0", "(1)"),
        ("x[0] - 1.0", "(x[0])"), ("1.0", "(1.1)"), ("1.0", "(0.9)"),
    }  # fmt: skip
    for error in errors:
        wrong = dict(functions(planted(CODE, error)))
        assert text_of(wrong["A.clip"]) != text_of(function) and ast.get_docstring(wrong["A.clip"])
        assert text_of(wrong["other"]) == "def other(x):\n    return x > 3"
        assert text_of(dict(functions(planted(CODE, error, wrong=False)))["A.clip"]) == text_of(function)


def test_an_error_is_planted_wherever_its_lines_stand():
    error = Error("a.py", "f", "    return x", 1, 11, "x", "-x")
    text = "def f(x):\n    if x:\n        return x\n    y = 1\n    return x\n    return x\n"
    assert planted(text, error).endswith("    return x\n    return -x\n")
    assert found(text.replace("def f", "def g"), error) is None and found(text.replace("y = 1", "y = 2"), error)
    assert found("def f(x):\n    return x\n", error) is None


def test_a_draw_is_of_its_seed_its_folders_and_of_no_kernel():
    first, again, other = ([*zip(draw(ROOT, seed), range(5), strict=False)] for seed in ("1", "1", "2"))
    assert first == again != other
    paths = {error.path for error in draw(ROOT, "1", ["dpbench/rates", "dpbench/bounds.py"])}
    assert "dpbench/bounds.py" in paths and {Path(path).parent.name for path in paths} == {"dpbench", "rates"}
    for error, _ in first:
        assert stands(error)
        text = (ROOT / error.path).read_text(encoding="utf-8")
        assert "kernel" not in "".join(map(ast.dump, dict(functions(text))[error.function].decorator_list))


@pytest.mark.slow
def test_what_a_test_sees_is_noticed_and_what_fails_anyhow_is_not(tmp_path):
    for path, text in {"lowerbounds/made.py": CODE, "tests/test_made.py": TESTS, "lowerbounds/__init__.py": ""}.items():
        (tmp_path / "tree" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "tree" / path).write_text(text)
    copy = Copy(tmp_path / "tree", tmp_path / "work")
    seen = Error("lowerbounds/made.py", "other", "    return x > 3", 0, 15, "3", "(4)")
    unseen = Error("lowerbounds/made.py", "A.clip", "    return x[0] - 1.0", 0, 18, "1.0", "(1.1)")
    copy.reach([seen, unseen], tmp_path / "reached")
    assert (copy.root / seen.path).read_text() == CODE
    tests = [f"tests/test_made.py::test_{name}" for name in ("others", "clip", "broken")]
    seconds, met = joined(tmp_path / "reached")
    assert {*seconds} == {*tests}
    assert met == {f"{seen.path}::other": {tests[0]}, f"{seen.path}::A.clip": {tests[1]}}
    order = nearest(tmp_path / "tree", [*tests, "tests/test_made.py::test_gone"], seen, {})
    assert order[0] == tests[0]
    assert copy.meet(seen, order, 60.0)["by"] == tests[0]
    assert copy.meet(seen, [tests[2]], 60.0)["said"] == "survives", "it fails without the error too"
    assert copy.meet(unseen, tests, 60.0)["said"] == "survives"
    assert copy.meet(seen, order, 0.0)["said"] == "undecided"
