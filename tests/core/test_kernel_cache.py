"""The cache of kernels in new processes: what a user sees after an upgrade, under another flag, or without a home."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from patience import waits

from dpbench.core import kernel as turns
from dpbench.core.sources import OURS

ROOT = Path(__file__).resolve().parents[2]


def run(script, *, path, **environment):
    """Run a script in a new process that imports the packages from `path`."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "PYTHON", "COV_"))}
    with waits() as seconds:
        return subprocess.run(
            [sys.executable, "-W", "default::RuntimeWarning", "-c", script],
            env=inherited | {"PYTHONPATH": str(path)} | environment,
            cwd=path,
            capture_output=True,
            text=True,
            timeout=seconds,
        )


def output(script, *, path, **environment):
    done = run(script, path=path, **environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


CALLEE = """
from dpbench.core.kernel import arr, f8, kernel

@kernel(f8(f8))
def callee(x):
    return 10.0 * x
"""
CALLER = """
from lowerbounds._callee import callee
from dpbench.core.kernel import arr, f8, i8, kernel

@kernel(f8(f8))
def caller(x):
    return 2.0 * callee(x)

@kernel(f8(arr(f8, 1), i8))
def element(values, index):
    return values[index]
"""
CALL = "from lowerbounds._caller import caller as f; v = f(1.0); print(v, len(f._dispatcher.stats.cache_hits))"
ELEMENT = "import numpy as np; from lowerbounds._caller import element; element(np.zeros(3), 7); print('no check')"


def copy_into(site):
    """A copy of both packages that has three kernels more, one calling another across files."""
    for package in OURS:
        shutil.copytree(ROOT / package, site / package, ignore=shutil.ignore_patterns("__pycache__"))
    (site / "lowerbounds" / "_callee.py").write_text(CALLEE)
    (site / "lowerbounds" / "_caller.py").write_text(CALLER)
    return site


@pytest.fixture
def installed(tmp_path):
    return copy_into(tmp_path / "site")


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Such a copy, which nobody edits, and the cache of kernels that it made from nothing, without a word."""
    folder = tmp_path_factory.mktemp("whole")
    site, cache = copy_into(folder / "site"), folder / "cache"
    done = run(BOTH, path=site, NUMBA_CACHE_DIR=str(cache))
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "20.0 7.0", "")
    return site, cache


def edit(file, old, new):
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def fix_the_key(site):
    """Planted: a cache folder with the same name whatever the sources and the flag."""
    edit(site / "dpbench" / "core" / "kernel.py", "else _own_folder()) / key)", 'else _own_folder()) / "same")')


@pytest.mark.process
@pytest.mark.parametrize("planted", [False, True], ids=["keyed", "planted"])
def test_an_edited_callee_reaches_its_caller(installed, tmp_path, planted):
    cache = str(tmp_path / "cache")
    if planted:
        fix_the_key(installed)
    assert output(CALL, path=installed, NUMBA_CACHE_DIR=cache) == "20.0 0"
    assert output(CALL, path=installed, NUMBA_CACHE_DIR=cache) == "20.0 1"  # the cache is used
    edit(installed / "lowerbounds" / "_callee.py", "10.0 * x", "15.0 * x")
    expected = "20.0 1" if planted else "30.0 0"  # planted: numba alone keeps the old callee, and this test sees it
    assert output(CALL, path=installed, NUMBA_CACHE_DIR=cache) == expected


@pytest.mark.process
@pytest.mark.parametrize("planted", [False, True], ids=["keyed", "planted"])
def test_bounds_checks_are_not_lost_to_the_cache(installed, tmp_path, planted):
    cache = str(tmp_path / "cache")
    if planted:
        fix_the_key(installed)
    assert output(ELEMENT, path=installed, NUMBA_CACHE_DIR=cache) == "no check"
    checked = run(ELEMENT, path=installed, NUMBA_CACHE_DIR=cache, NUMBA_BOUNDSCHECK="1")
    assert ("IndexError" in checked.stderr) is not planted


@pytest.mark.process
@pytest.mark.parametrize("given", [False, True], ids=["home", "NUMBA_CACHE_DIR"])
def test_no_writable_cache_folder(installed, tmp_path, given):
    """Works, says so once, leaves nothing. A file is where the folder would be: root writes anywhere."""
    file = tmp_path / "a file"
    file.write_text("")
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    where = {"NUMBA_CACHE_DIR": str(file / "cache")} if given else {"HOME": str(file), "XDG_CACHE_HOME": str(file)}
    done = run(f"{CALL}\n{ELEMENT}", path=installed, TMPDIR=str(temporary), **where)
    assert done.returncode == 0 and done.stdout.split() == ["20.0", "0", "no", "check"]
    assert done.stderr.count("RuntimeWarning") == 1
    assert "Set NUMBA_CACHE_DIR to a writable folder of yours" in done.stderr
    assert not list(temporary.iterdir())


PLANTED = b"cos\nsystem\n(S'echo planted code ran'\ntR."


@pytest.mark.process
@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no owners of folders here")
@pytest.mark.parametrize("whose", ["owner", "mode", "mode of a part"])
def test_a_cache_that_others_may_write_is_not_loaded(whole, tmp_path, whose):
    """Planted: pickles that run a command in the place of every index."""
    if whose == "owner" and os.geteuid() != 0:
        pytest.skip("only root gives files away")
    cache = tmp_path / "cache"
    shutil.copytree(whole[1], cache)
    for file in cache.rglob("*.nbi"):
        file.write_bytes(PLANTED)
    trusting = run(BOTH, path=whole[0], NUMBA_CACHE_DIR=str(cache))
    assert "planted code ran" in trusting.stdout  # of a folder that is the user's own alone
    if whose == "owner":
        os.chown(cache, 65534, 65534)
    for folder in [cache] if whose == "mode" else cache.iterdir() if whose == "mode of a part" else ():
        folder.chmod(0o777)
    done = run(BOTH, path=whole[0], NUMBA_CACHE_DIR=str(cache))
    assert (done.returncode, done.stdout.strip()) == (0, "20.0 7.0"), done.stderr
    assert ("another user owns it" if whose == "owner" else "other users may write there") in done.stderr


@pytest.mark.process
def test_a_cache_is_made_for_its_owner_alone(installed, tmp_path):
    cache = tmp_path / "deep" / "cache"
    assert output(f"import os; os.umask(0); {CALL}", path=installed, NUMBA_CACHE_DIR=str(cache)) == "20.0 0"
    assert {file.stat().st_mode & 0o777 for file in (cache.parent, cache, *cache.iterdir())} == {0o700}


FULL = """
import errno, tempfile
from dpbench.core import kernel
from numba.core import caching
left = [LEFT]
class Full:
    def __init__(self, file): self.file = file
    def __enter__(self): return self
    def __exit__(self, *error): self.close()
    def close(self): self.file.close()
    def write(self, data):
        left[0] -= len(data)
        if left[0] < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
plain, real = tempfile.TemporaryFile, caching.IndexDataCacheFile._save_data
kernel.tempfile.TemporaryFile = lambda dir: Full(plain(dir=dir)) if "cache" in str(dir) else plain(dir=dir)
def save(self, name, data):
    if "cache" in self._cache_path:
        Full(plain()).write(bytes(100_000))
    real(self, name, data)
caching.IndexDataCacheFile._save_data = save
"""


@pytest.mark.process
@pytest.mark.parametrize("left", [0, 100_000], ids=["full", "nearly full"])
def test_a_full_disk_under_the_cache(installed, tmp_path, left):
    """An empty file can still be made there; or the disk is filled only while kernels are kept."""
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    script = FULL.replace("LEFT", str(left)) + CALL
    done = run(script, path=installed, NUMBA_CACHE_DIR=str(tmp_path / "cache"), TMPDIR=str(temporary))
    assert (done.returncode, done.stdout.strip()) == (0, "20.0 0"), done.stderr
    assert done.stderr.count("No space left on device): this process compiles its own") == 1
    assert "damaged" not in done.stderr and not list(temporary.iterdir())


def truncate(folder, suffix, size):
    for file in folder.rglob(f"*{suffix}"):
        file.write_bytes(file.read_bytes()[:size])


def garbage(folder):
    for file in folder.rglob("*.nbc"):
        file.write_bytes(b"\x80\x05garbage" * 100)


def swap_the_objects(folder):
    """Each of two kernels of a module gets the other's object."""
    one, other = (next(folder.rglob(f"_caller.{name}-*.nbc")) for name in ("caller", "element"))
    first, second = one.read_bytes(), other.read_bytes()
    one.write_bytes(second)
    other.write_bytes(first)


DAMAGES = {
    "index truncated": lambda folder: truncate(folder, ".nbi", 40),
    "object empty": lambda folder: truncate(folder, ".nbc", 0),
    "object cut": lambda folder: truncate(folder, ".nbc", 5_000),
    "object garbage": garbage,
    "objects swapped": swap_the_objects,
}
BOTH = (
    "import numpy as np; from lowerbounds._caller import caller, element;"
    "print(caller(1.0), element(np.array([5.0, 7.0]), 1))"
)


@pytest.mark.process
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_cache_is_said_once_and_does_no_harm(whole, tmp_path, damage):
    """What a user does who removes the folder is what the fixture did: a run without one, which says nothing."""
    cache, temporary = tmp_path / "cache", tmp_path / "tmp"
    temporary.mkdir()
    site = whole[0]
    shutil.copytree(whole[1], cache)
    DAMAGES[damage](cache)
    for _ in range(2):  # nothing is mended behind the user's back
        done = run(BOTH, path=site, NUMBA_CACHE_DIR=str(cache), TMPDIR=str(temporary))
        assert (done.returncode, done.stdout.strip()) == (0, "20.0 7.0"), done.stderr
        assert done.stderr.count("RuntimeWarning") == 1 and "Traceback" not in done.stderr
        assert f"compiled kernels in {cache} are damaged" in done.stderr and "Remove that folder" in done.stderr
        assert not list(temporary.iterdir())


@pytest.mark.process
def test_a_kernel_at_fault_is_not_taken_for_a_damaged_cache(installed, tmp_path):
    edit(installed / "lowerbounds" / "_callee.py", "10.0 * x", "x.nothing")
    done = run(CALL, path=installed, NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert done.returncode == 1 and "TypingError" in done.stderr and "Unknown attribute 'nothing'" in done.stderr
    assert "damaged" not in done.stderr


@pytest.mark.process
def test_home_is_used_without_a_word_where_it_can_be(installed, tmp_path):
    done = run(CALL, path=installed, HOME=str(tmp_path), XDG_CACHE_HOME=str(tmp_path / "cache"))
    assert done.stdout.split() == ["20.0", "0"] and not done.stderr
    assert list((tmp_path / "cache" / "dpbench" / "numba").rglob("*.nbi"))


@pytest.mark.process
def test_jit_off(installed, tmp_path):
    script = "from lowerbounds._caller import caller; print(caller(1.0), caller.signatures)"
    assert output(script, path=installed, NUMBA_DISABLE_JIT="1", NUMBA_CACHE_DIR=str(tmp_path / "cache")) == "20.0 []"
    assert not (tmp_path / "cache").exists()


def test_turns(tmp_path, monkeypatch):
    file = tmp_path / "folder" / "lock"
    monkeypatch.setattr(turns, "PATIENCE", 0.05)
    with turns.turn(file):
        began = time.monotonic()
        with turns.turn(file):  # its holder was stopped, say
            assert time.monotonic() - began >= 0.05 * (turns.fcntl is not None)
    monkeypatch.setattr(turns, "PATIENCE", 1e9)
    for again in (file, file, file / "no folder" / "lock"):
        with turns.turn(again):
            pass
    monkeypatch.setattr(turns, "fcntl", None)
    with turns.turn(file), turns.turn(file):
        pass
