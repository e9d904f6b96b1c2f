"""Bad input to the command line: one line that names the option, exit code 2, and never a traceback.

Each case says which command line, which option its message must name, and what else the message must hold. Numbers
that are none follow from the declarations of the options.
"""

import sys

import numpy as np
import pytest
from messages import names
from typer.main import get_command

from dpbench import cli
from dpbench.cli.app import app, homes

group = get_command(app)

GOOD_TABLE = "age,bmi,y\n0.1,0.2,1\n0.3,0.1,0\n0.2,0.2,1\n"
TABLES = {
    "empty.csv": (b"", "empty"),
    "blank.csv": (b"\n\n", "empty"),
    "header.csv": (b"age,bmi,y\n", "at least one row"),
    "numbers.csv": (b"1,2,3\n4,5,6\n", "names of the columns"),
    "twice.csv": (b"age,age,y\n1,2,3\n", "'age' comes twice"),
    "unnamed.csv": (b"age,,y\n1,2,3\n", "column 2 has none"),
    "word.csv": (b"age,bmi,y\n0.1,0.2,1\n0.3,tall,0\n", "'tall' in line 3, column 'bmi'"),
    "nan.csv": (b"age,bmi,y\n0.1,nan,1\n", "'nan' in line 2, column 'bmi'"),
    "inf.csv": (b"age,bmi,y\n0.1,0.2,inf\n", "'inf' in line 2, column 'y'"),
    "missing.csv": (b"age,bmi,y\n0.1,,1\n", "'' in line 2, column 'bmi'"),
    "short.csv": (b"age,bmi,y\n0.1,0.2,1\n0.1,0.2\n", "got 2 in line 3"),
    "long.csv": (b"age,bmi,y\n0.1,0.2,1,7\n", "got 4 in line 2"),
    "latin.csv": ("age,größe,y\n1,2,3\n".encode("latin-1"), "UTF-8"),
    "utf16.csv": (GOOD_TABLE.encode("utf-16"), "UTF-8"),
    "nul.csv": (b"age,bmi,y\n0.1,\x00,1\n", "line 2"),
    "quote.csv": (b'age,bmi,y\n"0.1,0.2,1\n', "line 2"),
    "alone.csv": (b"y\n1\n", "at least one feature"),
}


@pytest.fixture
def tables(tmp_path, monkeypatch):
    """A working directory with a good table, bad ones, and modules to audit."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.csv").write_text(GOOD_TABLE)
    for name, (content, _) in TABLES.items():
        (tmp_path / name).write_bytes(content)
    np.save(tmp_path / "a.npy", 0.0)
    np.save(tmp_path / "b.npy", 1.0)
    np.save(tmp_path / "rows.npy", np.arange(200.0) % 7.0)
    (tmp_path / "broken.parquet").write_text("no table")
    (tmp_path / "broken.npy").write_text("no array")
    (tmp_path / "broken.npz").write_text("no archive")
    (tmp_path / "broken.json").write_text("[1, 2")
    (tmp_path / "folder").mkdir()
    (tmp_path / "notes.txt").write_text("words")
    (tmp_path / "mech_user.py").write_text(
        "def noise(data, trials, rng):\n    return rng.random(trials)\n"
        "def raises(data, trials, rng):\n    return 1 // 0\n"
        "def leaves(data, trials, rng):\n    raise SystemExit(0)\n"
        "number = 3\n"
    )
    (tmp_path / "mech_syntax.py").write_text("def noise(:\n")
    (tmp_path / "mech_raises.py").write_text("raise RuntimeError('no licence')\n")
    (tmp_path / "mech_asks.py").write_text("import surely_not_installed_anywhere\n")
    (tmp_path / "mech_exits.py").write_text("raise SystemExit(0)\n")
    return tmp_path


BENCH_CSV = "bench --data good.csv --target y --x-bound 1 --y-bound 1"
AUDIT = "audit mech_user:noise --data a.npy --neighbour b.npy --trials 200"
COMMANDS = (  # command line, parameter named, what else the message holds
    ("verfy", "verfy", "'verify'"),
    ("lst", "lst", "'list'"),
    ("--verison", "--verison", "--version"),
    ("verify --lvel full", "--lvel", "--level"),
    ("verify --level", "--level", "argument"),
    ("verify nothing.*", "claims", "'nothing.*'"),
    ("verify glm.thm1.privacy.exat", "claims", "did you mean glm.thm1.privacy.exact?"),
    ("verify --paper gml", "--paper", "did you mean glm?"),
    ("verify --kind privcy", "--kind", "did you mean privacy?"),
    ("verify --level quik", "--level", "did you mean quick?"),
    ("verify --seed -1", "--seed", "got -1"),
    ("verify --workers 0", "--workers", "got 0"),
    ("verify --workers 2 --scheduler tcp://nowhere:1", "--workers", "--scheduler"),
    ("verify --store folder", "--store", "folder"),
    ("verify --store good.csv", "--store", "good.csv"),
    ("verify --json nowhere/a.json", "--json", "No such file"),
    ("verify --json folder", "--json", "it is a folder"),
    ("verify --json good.csv/a.json", "--json", "Not a directory"),
    ("verify glm.thm1.privacy.exact --kind rate", "claims", "some entry"),
    ("list nothing.*", "claims", "'nothing.*'"),
    ("list --kind x", "--kind", "'x'"),
    ("list --paper x", "--paper", "'x'"),
    ("show", "CLAIM", "Missing argument"),
    ("show glm.thm1.privacy.exat", "claims", "did you mean glm.thm1.privacy.exact?"),
    ("show glm.thm1.privacy.exact --store nowhere.sqlite", "--store", "nowhere.sqlite"),
    ("show glm.thm1.privacy.exact --store good.csv", "--store", "good.csv"),
    ("figures rate_thm", "FIGURE", "did you mean rate_thm"),
    ("figures --column icml --width 3", "--column", "--width"),
    ("figures --format gif", "--format", "pdf"),
    ("figures --width 0", "--width", "got 0.0"),
    ("figures --height -1", "--height", "got -1.0"),
    ("figures rate_thm1 --out good.csv", "--out", "folder"),
    ("figures rate_thm1 --font nothing-like-it", "--font", "installed"),
    ("figures rate_thm1 --font-size 0", "--font-size", "got 0.0"),
    ("figures rate_thm1 --style nothing", "--style", "matplotlib"),
    ("figures --store nowhere.sqlite", "--store", "nowhere.sqlite"),
    ("figures --store folder", "--store", "folder"),
    ("bench", "--data", "must be given"),
    ("bench --data diabtes", "--data", "did you mean diabetes?"),
    ("bench --data nowhere.csv --target y --x-bound 1 --y-bound 1", "--data", "No such file"),
    ("bench --data folder --target y --x-bound 1 --y-bound 1", "--data", "folder"),
    ("bench --data diabetes --target y", "--target", "diabetes"),
    ("bench --data diabetes --x-bound 1", "--x-bound", "declared"),
    ("bench --data diabetes --y-bound 1", "--y-bound", "declared"),
    ("bench --data diabetes --on-excess clip", "--on-excess", "declared"),
    ("bench --data diabetes --loss squred", "--loss", "did you mean squared?"),
    ("bench --data diabetes --loss logistic", "--loss", "real labels"),
    ("bench --data diabetes --radius 0", "--radius", "got 0.0"),
    ("bench --data diabetes --radius wide", "--radius", "got 'wide'"),
    ("bench --data diabetes --algorithm noisy-dg", "--algorithm", "did you mean noisy-gd?"),
    ("bench --data diabetes --algorithm noisy-gd,,", "--algorithm", "commas"),
    ("bench --data diabetes --epsilon 0.5,x", "--epsilon", "'0.5,x'"),
    ("bench --data diabetes --epsilon 0", "--epsilon", "got 0.0"),
    ("bench --data diabetes --delta 0", "--delta", "got 0.0"),
    ("bench --data diabetes --trials 1", "--trials", "got 1"),
    ("bench --data diabetes --json folder", "--json", "it is a folder"),
    ("bench --data diabetes --figure nowhere/plot", "--figure", "No such file"),
    ("bench --data good.csv --x-bound 1 --y-bound 1", "--target", "CSV"),
    ("bench --data good.csv --target y --y-bound 1", "--x-bound", "CSV"),
    ("bench --data good.csv --target y --x-bound 1", "--y-bound", "CSV"),
    ("bench --data good.csv --target z --x-bound 1 --y-bound 1", "--target", "age, bmi, y"),
    ("bench --data good.csv --target agee --x-bound 1 --y-bound 1", "--target", "did you mean age?"),
    ("bench --data good.csv --target y --x-bound 0.1 --y-bound 1", "X", "--x-bound = 0.1, got"),
    ("bench --data good.csv --target y --x-bound 1 --y-bound 0.1", "y", "--y-bound = 0.1 in absolute value"),
    ("bench --data good.csv --target y --x-bound 0 --y-bound 1", "--x-bound", "got 0.0"),
    ("bench --data good.csv --target y --x-bound 1 --y-bound -1", "--y-bound", "got -1.0"),
    ("bench --data good.csv --target bmi --x-bound 2 --y-bound 1 --loss logistic", "y", "-1 or +1"),
    ("bench --data good.csv --target y --x-bound 1 --y-bound 0.5 --loss logistic", "--y-bound", "at least 1"),
    (f"{BENCH_CSV} --on-excess cut", "--on-excess", "'cut'"),
    ("bench --data good.csv --target y --x-bound 0.2 --y-bound 1", "X", "; --on-excess clip scales such rows"),
    ("bench --data good.csv --target y --x-bound 1 --y-bound 0.2", "y", "; --on-excess clip cuts such labels"),
    (f"{AUDIT[:-4]} auto", "--epsilon", "given with --trials auto"),
    (f"{BENCH_CSV} extra", "extra", "unexpected"),
    ("audit mech_user:noise --data a.npy", "--neighbour", "Missing option"),
    ("audit mech_user --data a.npy --neighbour b.npy", "MODULE:SAMPLER", "a colon"),
    ("audit mech_user.py:noise --data a.npy --neighbour b.npy", "MODULE:SAMPLER", "mech_user:noise?"),
    ("audit :noise --data a.npy --neighbour b.npy", "MODULE:SAMPLER", "':noise'"),
    ("audit mech_usr:noise --data a.npy --neighbour b.npy", "MODULE:SAMPLER", "working directory"),
    ("audit mech_user:nois --data a.npy --neighbour b.npy", "MODULE:SAMPLER", "did you mean noise?"),
    ("audit mech_user:number --data a.npy --neighbour b.npy", "MODULE:SAMPLER", "a callable"),
    ("audit mech_syntax:noise --data a.npy --neighbour b.npy", "MODULE:SAMPLER", "SyntaxError"),
    ("audit mech_raises:noise --data a.npy --neighbour b.npy", "MODULE:SAMPLER", "no licence"),
    (
        "audit mech_asks:noise --data a.npy --neighbour b.npy",
        "MODULE:SAMPLER",
        "surely_not_installed_anywhere",
    ),
    ("audit mech_exits:noise --data a.npy --neighbour b.npy", "MODULE:SAMPLER", "SystemExit"),
    ("audit mech_user:raises --data a.npy --neighbour b.npy --trials 200", "sampler", "ZeroDivisionError"),
    ("audit mech_user:leaves --data a.npy --neighbour b.npy --trials 200", "sampler", "SystemExit on the dataset: 0"),
    ("audit mech_user:noise --data nowhere.npy --neighbour b.npy", "--data", "No such file"),
    ("audit mech_user:noise --data a.npy --neighbour nowhere.npy", "--neighbour", "No such file"),
    ("audit mech_user:noise --data notes.txt --neighbour b.npy", "--data", ".npy, .npz, .csv, .parquet or .json"),
    ("audit mech_user:noise --data broken.npy --neighbour b.npy", "--data", "sound .npy"),
    ("audit mech_user:noise --data broken.npz --neighbour b.npy", "--data", "sound .npz"),
    ("audit mech_user:noise --data broken.json --neighbour b.npy", "--data", "sound .json"),
    ("audit mech_user:noise --data short.csv --neighbour b.npy", "--data", "got 2 in line 3"),
    ("audit", "MODULE:SAMPLER", "Missing argument"),
    ("audit-arrays rows.npy", "NEIGHBOUR_OUTPUTS", "Missing argument"),
    ("audit-scores rows.npy", "SCORES", "Missing argument"),
    ("audit-arrays notes.txt rows.npy", "OUTPUTS", ".npy, .csv or .parquet"),
    ("audit-arrays rows.npy nowhere.csv", "NEIGHBOUR_OUTPUTS", "No such file"),
    ("audit-arrays rows.npy a.npy", "neighbour_outputs", "shape (rows,)"),
    ("audit-arrays rows.npy rows.npy --trials 200", "--trials", "No such option"),
    ("audit-scores rows.npy rows.npy", "included", "True or False"),
    (f"{AUDIT} --claim mu", "--claim", "mu=NUMBER"),
    (f"{AUDIT} --claim rdp=2", "--claim", "rdp=ORDER:EPSILON"),
    (f"{AUDIT} --claim mu=1 --epsilon 1", "--epsilon", "left out beside claim"),
    ("audit-bits mech_user:noise --claim mu=1", "--claim", "No such option"),
    (f"{AUDIT} --score mech_user:number", "--score", "a callable (outputs)"),
    (f"{AUDIT} --curve 1,x", "--curve", "numbers separated by commas"),
    # before the sampler is looked for
    ("audit mech_user:absent --data a.npy --neighbour b.npy --curve=-0.001", "--curve", "got -0.001"),
    ("audit mech_user:absent --data a.npy --neighbour b.npy --json nowhere/b.json", "--json", "No such file"),
    (f"{AUDIT} --max-seconds 0", "--max-seconds", "got 0.0"),
    ("errata glm --evidence nowhere", "--evidence", "an existing folder"),
    ("errata glm --coverage --evidence .", "--evidence", "which read none"),
    ("errata glm --latex --evidence .", "--evidence", "which read none"),
    ("errata glm --latex --coverage", "--latex", "must not be given with --coverage"),
    ("evidence status --evidence nowhere", "--evidence", "an existing folder"),
    ("compare folder folder", "ledger", "folder of evidence"),
    ("compare nowhere.json folder", "ledger", "nowhere.json"),
    ("audit-search mech_user:noise records=3 --data a.npy", "--data", "No such option"),
    ("audit-search mech_user:noise 3", "DOMAIN", "name=value"),
    ("audit-search mech_user:noise recods=3", "domain", "did you mean records?"),
    ("audit-one-run mech_user:noise --canaries 9", "--canaries", "got 9"),
    (f"{AUDIT} --epsilon -0.001", "--epsilon", "got -0.001"),
    (f"{AUDIT} --delta 1", "--delta", "got 1.0"),
    (f"{AUDIT} --confidence 1", "--confidence", "got 1.0"),
    (f"{AUDIT} --seed -1", "--seed", "got -1"),
    (f"{AUDIT} --workers 0", "--workers", "got 0"),
    ("audit mech_user:noise --data a.npy --neighbour b.npy --trials many", "--trials", "got 'many'"),
    ("hunt nothing", "claims", "must be ids or globs"),
    *((f"hunt {name}", "claim", "one with a statement to search") for name in ("glm.thm4.floor", "glm.*.rate")),
    ("hunt glm.lemma9.inequality --seconds 0", "--seconds", "a finite number > 0"),
    ("hunt glm.lemma9.inequality --evaluations 0", "--evaluations", "got 0"),
    ("hunt", "CLAIM", "must be given"),
    *((f"bench --data {name} --target y --x-bound 9 --y-bound 9", "--data", s) for name, (_, s) in TABLES.items()),
)


def refused(line, parameter, holds, capsys):
    """One line that names the parameter, and exit code 2."""
    before = list(sys.path)
    code = cli.run(line.split())
    sys.path[:] = before
    out, err = capsys.readouterr()
    assert (code, out) == (2, ""), (line, err)
    message = err
    if any(f" {name} " in line for name in RAISE):  # the lines of the reader's own code stand before the message
        where, message = err[: err.rindex("dpbench: ")], err[err.rindex("dpbench: ") :]
        assert where.startswith("In your own code:\n") and "mech_" in where and "dpbench" not in where, err
    assert message.startswith("dpbench: ") and message.count("\n") == 1, (line, err)
    assert names(message.removeprefix("dpbench: "), parameter) and holds in message, (line, err)


@pytest.mark.parametrize("command", sorted({line.split()[0] for line, *_ in COMMANDS}))
def test_command_line(command, tables, capsys):
    for line, parameter, holds in COMMANDS:
        if line.split()[0] == command:
            refused(line, parameter, holds, capsys)


def test_a_text_for_a_number_is_refused(capsys):
    """Of every option of every command whose declaration says that it takes a number."""
    tried = 0
    for name in homes():
        for parameter in getattr(group.get_command(None, name), "params", ()):
            for value in {"INTEGER": ("many", "1.5"), "FLOAT": ("many",)}.get(parameter.metavar, ()):
                if parameter.opts[0].startswith("-"):
                    refused(f"{name} {parameter.opts[0]} {value}", parameter.opts[0], f"got '{value}'", capsys)
                    tried += 1
    assert tried >= 40


RAISE = ("mech_raises:noise", "mech_asks:noise", "mech_exits:noise", "mech_user:raises", "mech_user:leaves")
"""Samplers that fail in code that is not this package's."""
