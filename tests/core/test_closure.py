"""The key of the code that a function rests on: what changes it, what does not, and what names it cannot see."""

from __future__ import annotations

import importlib
import itertools
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from dpbench.core import sources
from dpbench.core.code import Closure, closure, edited
from dpbench.core.validation import InvalidInput

FILES = {
    "__init__": "from NAME.relay import *\n",
    "top": '''
"""A module."""
import math
from typing import Any
import NAME.chain
from NAME import by_package, constants as c
from NAME.registry import TABLE
from NAME.shapes import Round as Shape

LOCAL = 3.0


def unrelated():
    return math.pi


def decorated(function):
    return function


@decorated
def measure(x: float, scale=c.SCALE) -> float:
    """What is measured."""
    from NAME.late import late

    if x < 0:
        raise ValueError("x must be positive, got " + repr(x))
    hidden = [unrelated for unrelated in (1, 2)]
    value = NAME.chain.link(x) + Shape().area() + TABLE["a"](x) + by_package(x) + late(x)
    return dict(value=value * scale * LOCAL, hidden=hidden, notes=("what it means",))
''',
    "chain": "from NAME.base import helper\n\n\ndef link(x):\n    return helper(x)\n\n\ndef beside(x):\n    return 1\n",
    "base": "LIMIT = 5\n\n\ndef helper(x):\n    # as in the paper\n    return min(x, LIMIT)\n",
    "constants": "SCALE = 2.0\nOTHER = 7\n",
    "registry": "from NAME.base import helper\n\nTABLE = {}\nTABLE['a'] = helper\n",
    "shapes": "from NAME.relay import area_of\n\n\n"
    "class Base:\n    def half(self):\n        return 0.5\n\n\nclass Round(Base):\n"
    "    side: float = 4.0\n\n"
    "    area_of = area_of\n\n"
    "    def area(self):\n        return self.half()\n\n    def other(self):\n        return 1\n",
    "relay": "def by_package(x):\n    return -x\n\n\ndef area_of(x):\n    return 3\n",
    "late": "def late(x):\n    return x\n",
}
_numbers = itertools.count()


class Toy:
    """A package of a user's, written to disk and imported under a name of its own each time."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.files = folder, dict(FILES)

    def key(self) -> Closure:
        name = f"toy{next(_numbers)}"
        for file, text in self.files.items():
            path = self.folder / name / f"{file}.py"
            path.parent.mkdir(exist_ok=True)
            path.write_text(text.replace("NAME", name))
        importlib.invalidate_caches()
        self.top = importlib.import_module(f"{name}.top")
        return closure(self.top.measure)

    def edit(self, file: str, old: str, new: str) -> Toy:
        assert old in self.files[file]
        self.files[file] = self.files[file].replace(old, new)
        return self


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Toy]:
    monkeypatch.syspath_prepend(tmp_path)
    yield Toy(tmp_path)
    for name in [name for name in sys.modules if name.startswith("toy")]:
        del sys.modules[name]


def test_the_closure_holds_what_names_reach(toy: Toy) -> None:
    found = {label.split(".", 1)[1] for label in toy.key().definitions}
    assert found == {
        "top:measure", "top:LOCAL", "top:decorated", "chain:link", "base:helper", "base:LIMIT", "constants:SCALE",
        "registry:TABLE", "shapes:Round", "shapes:Base", "relay:by_package", "relay:area_of",
        "late:late",
    }  # fmt: skip


NEUTRAL: dict[str, Callable[[Toy], Any]] = {
    "a comment": lambda t: t.edit("base", "# as in the paper", "# as printed, page 3"),
    "a docstring": lambda t: t.edit("top", "What is measured.", "What this measures."),
    "an annotation": lambda t: t.edit("top", "x: float", "x: Any"),
    "blank lines": lambda t: t.edit("base", "\n\n\ndef", "\n\n\n\n\n\ndef"),
    "an unused definition": lambda t: t.edit("chain", "return 1", "return 2"),
    "a new definition": lambda t: t.edit("base", "LIMIT = 5\n", "LIMIT = 5\nNEW = 6\n"),
    "an unused constant": lambda t: t.edit("constants", "OTHER = 7", "OTHER = 8"),
    "the function whose name is hidden": lambda t: t.edit("top", "return math.pi", "return math.e"),
    "an import by another name": lambda t: t.edit("top", "Shape", "Disc"),
    "a chain in place of a name": lambda t: t.edit("top", "NAME.registry import TABLE", "NAME import registry").edit(
        "top", 'TABLE["a"]', 'registry.TABLE["a"]'
    ),
    "an import at the top": lambda t: t.edit("top", "    from NAME.late import late\n", "").edit(
        "top", "import math\n", "import math\nfrom NAME.late import late\n"
    ),
    "a definition that moved": lambda t: t.edit("base", "LIMIT = 5\n", "from NAME.constants import LIMIT\n").edit(
        "constants", "OTHER = 7", "OTHER = 7\nLIMIT = 5"
    ),
}  # fmt: skip

CHANGES: dict[str, tuple[str, Callable[[Toy], Any]]] = {
    "a body": ("helper", lambda t: t.edit("base", "min(", "max(")),
    "a constant": ("LIMIT", lambda t: t.edit("base", "LIMIT = 5", "LIMIT = 6")),
    "a constant behind an alias": ("SCALE", lambda t: t.edit("constants", "2.0", "2.5")),
    "a registry": ("TABLE", lambda t: t.edit("registry", "TABLE['a'] = helper", "TABLE['a'] = abs")),
    "a method": ("Round", lambda t: t.edit("shapes", "return self.half()", "return 2 * self.half()")),
    "a method that is not called": ("Round", lambda t: t.edit("shapes", "return 1", "return 2")),
    "a base class": ("Base", lambda t: t.edit("shapes", "return 0.5", "return 0.25")),
    "a field": ("Round", lambda t: t.edit("shapes", "= 4.0", "= 5.0")),
    "a default": ("measure", lambda t: t.edit("top", "scale=c.SCALE", "scale=1.0")),
    "a decorator": ("decorated", lambda t: t.edit("top", "return function", "return function or None")),
    "what a class takes over": ("area_of", lambda t: t.edit("relay", "return 3", "return 4")),
    "what a star exports": ("by_package", lambda t: t.edit("relay", "-x", "+x")),
    "a late import": ("late", lambda t: t.edit("late", "return x", "return x + 1")),
    "a condition": ("measure", lambda t: t.edit("top", "if x < 0", "if x <= 0")),
    "a message": ("measure", lambda t: t.edit("top", "x must be positive, got", "x must be at least 0, got")),
    "a note": ("measure", lambda t: t.edit("top", "what it means", "what it shows")),
    "another class of error": ("measure", lambda t: t.edit("top", "ValueError", "TypeError")),
}


@pytest.mark.parametrize("edit", NEUTRAL.values(), ids=NEUTRAL)
def test_what_decides_nothing_changes_no_key(toy: Toy, edit: Callable[[Toy], Any]) -> None:
    before = toy.key().key
    edit(toy)
    assert toy.key().key == before


@pytest.mark.parametrize(("name", "edit"), CHANGES.values(), ids=CHANGES)
def test_a_changed_definition_is_seen_and_named(toy: Toy, name: str, edit: Callable[[Toy], Any]) -> None:
    before = toy.key()
    edit(toy)
    after = toy.key()
    assert after.key != before.key
    assert name in after.differences(before.definitions)


def test_swapped_references_are_seen(toy: Toy) -> None:
    """The same definitions that refer to each other otherwise: a key of the set alone would not tell."""
    both = "def one(x):\n    return x\n\n\ndef two(x):\n    return -x\n\n\n"
    toy.files["chain"] = both + "def link(x):\n    return one(x) / two(x)\n"
    before = toy.key().key
    toy.edit("chain", "one(x) / two(x)", "two(x) / one(x)")
    assert toy.key().key != before


def test_a_constant_counts_with_the_value_that_it_has_now(toy: Toy) -> None:
    before = toy.key().key
    base = sys.modules[toy.top.__name__.replace(".top", ".base")]
    base.LIMIT = 6
    changed = closure(toy.top.measure).key
    base.LIMIT = 5
    assert changed != before == closure(toy.top.measure).key
    base.helper = toy.top.unrelated
    assert closure(toy.top.measure).key != before


def test_a_reloaded_module_has_a_new_key_and_an_edited_one_is_named(toy: Toy) -> None:
    before = toy.key()
    base = sys.modules[toy.top.__name__.replace(".top", ".base")]
    modules = {module for module, _ in before.names}
    assert edited(modules) == []
    path = Path(str(base.__file__))
    # Python takes a cached file of equal size and second for the same: hence the longer text.
    path.write_text(path.read_text().replace("min(", "max(") + "\n")
    assert edited(modules) == [path], "the process still runs the old helper"
    importlib.reload(base)
    assert edited(modules) == []
    assert closure(toy.top.measure).key != before.key


def test_our_own_files_are_compared_with_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    path = sources.our_path("dpbench.papers.glm.theory")
    assert path is not None and edited(["dpbench.papers.glm.theory", "dpbench.papers.glm.losses"]) == []
    monkeypatch.setitem(sources._AT_START, path, (0, 0, 0))
    assert edited(["dpbench.papers.glm.theory", "dpbench.papers.glm.losses"]) == [path]
    assert sources.changed() == [path]


def test_roots_of_every_form(toy: Toy) -> None:
    toy.key()
    chain = importlib.import_module(toy.top.__name__.replace(".top", ".chain"))
    whole = closure(partial(toy.top.unrelated, chain.link, key=[chain.beside, {"a": toy.top.Shape()}]))
    assert {"unrelated", "link", "beside", "Round", "helper"} <= {name for _, name in whole.names}
    declared = closure(toy.top.unrelated, depends=[f"{chain.__name__}:link"])
    assert ("helper" in {name for _, name in declared.names}) and len(declared.names) == 4
    with pytest.raises(InvalidInput, match="depends must be names of definitions, as module:name"):
        closure(toy.top.unrelated, depends=[f"{chain.__name__}:nothing"])
    with pytest.raises(InvalidInput, match="depends"):
        closure(toy.top.unrelated, depends=["no.such.module:name"])


def test_our_entries_reach_kernels_and_no_run_time() -> None:
    from dpbench.papers.glm.algorithms.noisy_gd import NoisyGD

    names = closure(NoisyGD).names
    assert {("dpbench.papers.glm.losses", "loss_derivative"), ("dpbench.core.kernel", "kernel")} <= names
    assert not [module for module, _ in names if module.startswith(("dpbench.runs", "dpbench.cli", "dpbench.report"))]


DECLARED = """
from dpbench.ledger import Paper, margins

paper = Paper("mine")


@paper.floor(
    "x", source="s", statement="{text}", expected="refuted", because="{text}", arguments={{"size": 1}}, weight="range",
    quote="{text}",
)
def measure(run, size):
    return margins([{{"left": {left}, "right": 1.0}}], "value: {note}", f"{{size}}")


paper.variant(measure, "other", statement="{text}", expected="refuted", because="{text}", arguments={{"size": 2}})
"""


def test_texts_of_a_declaration_are_no_part_of_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Statements, variants and quotations may be mended; what is computed, a note of it, and what is bound, may not."""
    monkeypatch.syspath_prepend(tmp_path)
    keys = []
    given = {
        "d1": ("a text", 0.5, "a note"),
        "d2": ("another text", 0.5, "a note"),
        "d3": ("a text", 0.25, "a note"),
        "d4": ("a text", 0.5, "another note"),
    }
    for name, (text, left, note) in given.items():
        (tmp_path / f"declared_{name}.py").write_text(DECLARED.format(text=text, left=left, note=note))
        first, other = importlib.import_module(f"declared_{name}").paper.claims
        keys.append(first.digest)
        assert first.digest != other.digest, "bound to another size"
    assert keys[0] == keys[1] and len(set(keys)) == 3


OF_A_USER = {
    "a text handed to a function of one's own called growing": (
        "def growing(x, name):\n    return x * len(name)\n\n\ndef measure(block):\n    return growing(block, 'ABC')\n"
    ),
    "an argument of one's own called notes": (
        "def count(x, notes):\n    return x * len(notes)\n\n\n"
        "def measure(block):\n    return count(block, notes='ABC')\n"
    ),
    "a decorator of one's own called variant": (
        "class Widths:\n    def variant(self, name):\n        return lambda f: lambda x: x * len(name)\n\n\n"
        "paper = Widths()\n\n\n@paper.variant('ABC')\ndef width(x):\n    return x\n\n\n"
        "def measure(block):\n    return width(block)\n"
    ),
    "a warning": "import warnings\n\n\ndef measure(block):\n    warnings.warn('ABC')\n    return block\n",
}


@pytest.mark.parametrize("text", OF_A_USER.values(), ids=OF_A_USER)
def test_no_name_of_a_user_hides_a_text(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    keys = set()
    for word in ("abc", "abcdef"):
        name = f"toy{next(_numbers)}"
        (tmp_path / f"{name}.py").write_text(text.replace("ABC", word))
        keys.add(closure(importlib.import_module(name).measure).key)
        del sys.modules[name]
    assert len(keys) == 2


MARKED = """
from dataclasses import dataclass
from typing import Annotated

from dpbench.core import code
from dpbench.core.code import Prose as Words, declaring


@dataclass(frozen=True)
class Said:
    about: Words
    steps: Annotated[tuple, code.Prose]
    scale: str

    def replace(self, **changes):
        return Said(**(vars(self) | changes))


@declaring
class Register:
    def entry(self, text):
        return lambda function: function


@dataclass(frozen=True)
class Named:
    about: str


register = Register()
PRINTED = Said(about="{about}", steps=("{step}",), scale="{scale}")
CORRECTED = PRINTED.replace(about="{changed}", scale="2/n")
NAMED = Named(about="{named}")


@register.entry("{entry}")
def measure(block):
    return PRINTED.scale, CORRECTED.scale, NAMED.about, block
"""


def test_prose_says_so_where_it_is_defined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fields marked as prose and what a declaring object is given stay out; the same names of another class do not."""
    monkeypatch.syspath_prepend(tmp_path)

    def key(**changes: str) -> str:
        fields = dict.fromkeys(("about", "step", "scale", "changed", "named", "entry"), "text") | changes
        name = f"toy{next(_numbers)}"
        (tmp_path / f"{name}.py").write_text(MARKED.format(**fields))
        return closure(importlib.import_module(name).measure).key

    first = key()
    assert {key(**{name: "other"}) for name in ("about", "step", "changed", "entry")} == {first}
    assert first not in {key(scale="other"), key(named="other")}
