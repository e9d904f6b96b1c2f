"""Random errors: where they are drawn, how they are planted, and what counts as noticed, in a project of two files."""

import ast
from pathlib import Path

import pytest
from mutations.__main__ import Tree, stands
from mutations.draw import Error, draw, errors_of, found, functions, planted, text_of
from mutations.reach import Reach, record

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
TESTS = """import subprocess, sys
from shapes.made import A, other
class Twice(list):
    __getitem__ = lambda self, at: 1.0
    __gt__ = lambda self, other: False
def test_others(): assert other(4) and not other(2)
def test_clip(): assert A.clip(None, Twice()) < 0.5
def test_broken(): assert False
def test_session(): print("FAILED other.py::test_inner"); assert other(4)
def test_started(): subprocess.run([sys.executable, "-c", "from shapes.made import other; assert other(4)"], check=True)
"""
AREA = """
def shape(x):
    return x
def idle():
    return 1
class Box:
    def __init__(self):
        "A box of one."
        self.x = shape(1)
"""
TESTS_OF_AREA = """
import pytest
from checker.area import Box, shape
@pytest.fixture
def box(): return Box()
def test_of_box(box): pass
@pytest.mark.parametrize("x", [1, 2])
def test_of_shape(x): assert shape(x) == x
def test_of_nothing(): pass
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
    for path, text in {"shapes/made.py": CODE, "tests/test_made.py": TESTS, "shapes/__init__.py": ""}.items():
        (tmp_path / "tree" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "tree" / path).write_text(text)
    tree = Tree(tmp_path / "tree", tmp_path)
    seen = Error("shapes/made.py", "other", "    return x > 3", 0, 15, "3", "(4)")
    unseen = Error("shapes/made.py", "A.clip", "    return x[0] - 1.0", 0, 18, "1.0", "(1.1)")
    others, clip, broken, started, session = (
        f"tests/test_made.py::test_{name}" for name in ("others", "clip", "broken", "started", "session")
    )
    assert tree.meet(seen, [[others]], 60.0)["by"] == others
    assert tree.meet(seen, [[clip], [started]], 60.0)["by"] == started, (
        "the processes that it starts have the error too"
    )
    assert tree.meet(seen, [[session]], 60.0)["by"] == session, "another session may be printed within"
    assert tree.meet(seen, [[broken]], 60.0)["said"] == "survives", "it fails without the error too"
    assert tree.meet(unseen, [[clip, others], [broken]], 60.0)["said"] == "survives"
    assert tree.meet(seen, [[others]], 0.0)["said"] == "undecided"


def test_recorded_are_the_cases_that_run_a_line_of_a_function(tmp_path):
    (tmp_path / "checker").mkdir()
    (tmp_path / "tests").mkdir()
    (tmp_path / "checker" / "area.py").write_text(AREA)
    (tmp_path / "tests" / "test_a.py").write_text(TESTS_OF_AREA)
    reach = record(tmp_path)
    box, first, second = (f"tests/test_a.py::test_of_{name}" for name in ("box", "shape[1]", "shape[2]"))
    assert reach.cases == {"checker/area.py": {"shape": [box, first, second], "idle": [], "Box.__init__": [box]}}
    assert set(reach.seconds) == {box, first, second, "tests/test_a.py::test_of_nothing"}
    (tmp_path / "tests" / "test_b.py").write_text("def test_fails(): assert False")
    with pytest.raises(RuntimeError, match="the tests must pass"):
        record(tmp_path)


def test_near_files_come_first_then_those_that_take_least():
    far = [f"tests/cli/test_{k:02}.py::test_x" for k in range(20)]
    word, folder, both = (
        "tests/test_area.py::test_x",
        "tests/rates/test_z.py::test_x",
        "tests/rates/test_area.py::test_",
    )
    seconds = {case: 0.5 - 0.01 * k for k, case in enumerate(far)} | {f"{both}long": 9.0, f"{both}short": 1.0}
    cases = [*far, word, folder, f"{both}long", f"{both}short"]
    reach = Reach(seconds, {"dpbench/rates/area.py": {"f": cases}})
    batches = reach.batches(Error("dpbench/rates/area.py", "f", "", 0, 0, "", ""))
    assert batches[0][:4] == [f"{both}short", f"{both}long", folder, word] and [*map(len, batches)] == [9, 15]
    assert batches[0][4:] + batches[1] == far[::-1]
    assert reach.batches(Error("dpbench/rates/area.py", "g", "", 0, 0, "", "")) == []
