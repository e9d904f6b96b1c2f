"""Random errors: where they are drawn, how they are planted, and what counts as noticed, in a project of two files."""

import ast
from pathlib import Path

import pytest
from mutations.__main__ import Tree, stands
from mutations.draw import Error, draw, errors_of, found, functions, planted, text_of
from mutations.near import Users

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
def test_started(): subprocess.run([sys.executable, "-c", "from shapes.made import other; assert other(4)"], check=True)
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
    others, clip, broken, started = (
        f"tests/test_made.py::test_{name}" for name in ("others", "clip", "broken", "started")
    )
    assert tree.meet(seen, [others], 60.0)["by"] == others
    assert tree.meet(seen, [started], 60.0)["by"] == started, "the processes that it starts have the error too"
    assert tree.meet(seen, [broken], 60.0)["said"] == "survives", "it fails without the error too"
    assert tree.meet(unseen, [clip, others, broken], 60.0)["said"] == "survives"
    assert tree.meet(seen, [others], 0.0)["said"] == "undecided"


def test_near_are_tests_that_meet_errors_of_the_function_then_of_its_users_then_of_a_namesake(tmp_path):
    texts = {
        "dpbench/area.py": "def shape(x): return x\nclass Box:\n    def __init__(self): shape(1)\n",
        "dpbench/user.py": "from .area import shape\ndef drawn(x): return shape(x)\n",
        "dpbench/other.py": "def shape(x): return -x\n",
        "tests/test_a.py": "from dpbench.area import Box, shape\ndef test_b(): Box()\ndef test_a(): shape(1)\n",
        "tests/test_b.py": "from dpbench.user import drawn\ndef test_c(): drawn(1)\n",
        "tests/test_c.py": "from dpbench.other import shape\ndef test_d(): shape(1)\n",
        "tests/test_d.py": "def test_e(): run('other shape')\ndef test_f(): run('shape of a Box')\n",
        "tests/test_e.py": "import pytest\n@pytest.mark.slow\ndef test_g(): shape(1)\n",
        "tests/test_f.py": "pytestmark = [pytest.mark.kernel, pytest.mark.meta]\ndef test_h(): shape(1)\n",
    }
    for path, text in texts.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    near = Users(tmp_path).nearest(Error("dpbench/area.py", "shape", "", 0, 0, "", ""), 9)
    assert [test[-1] for test in near] == ["a", "b", "c", "d", "f", "e"], (
        "f names more of the module; g and h meet no error"
    )
