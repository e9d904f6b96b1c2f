"""`RunContext.map`: the same bits however it is computed, nothing twice, failures named and never stored."""

from __future__ import annotations

import threading
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context

import numpy as np
import pytest
import runs_workload as work

from dpbench.core.validation import InvalidInput
from dpbench.ledger.sources import imported
from dpbench.runs import context as contexts
from dpbench.runs.context import Interrupted, RunContext, name_of
from dpbench.runs.executors import BlockError, WorkersLost, cores
from dpbench.runs.progress import Silent
from dpbench.runs.store import Store

UNIT = {"what": "test"}


@pytest.fixture(params=["memory", "file"])
def store(request, tmp_path):
    return tmp_path / "runs.sqlite" if request.param == "file" else None


def context(store=None, workers=1, seed=0, progress=None):
    return RunContext(level="quick", seed=seed, workers=workers, store=store, progress=progress)


class Counting(Executor):
    """Runs at once, in any order asked for, and counts; `held` of them are kept back before one is let go."""

    def __init__(self, held=0):
        self.calls, self.held, self.waiting = 0, held, []

    def submit(self, fn, /, *args, **kwargs):
        self.calls += 1
        future = Future()
        self.waiting.append((future, fn, args))
        if len(self.waiting) > self.held:
            while self.waiting:  # the last one submitted lands first
                future_, fn_, args_ = self.waiting.pop()
                try:
                    future_.set_result(fn_(*args_))
                except Exception as error:
                    future_.set_exception(error)
        return future


def test_workers_and_order_change_no_bit(store):
    function = partial(work.block_of, 2.0)
    expected = work.digest([function(b) for b in range(37)])
    for n, workers in enumerate((1, 2, 5, ThreadPoolExecutor(2), Counting(held=36))):
        with context(store and store.with_name(f"{n}.sqlite"), workers) as run:
            assert work.digest(run.map(UNIT, function, range(37))) == expected
    with context(store) as run:
        backwards = run.map(UNIT, function, range(36, -1, -1))
        assert work.digest(backwards[::-1]) == expected


@pytest.mark.process
def test_spawned_processes_give_the_same_bits(store):
    matrix = np.random.default_rng(0).standard_normal((200, 150))
    calls = partial(work.block_of, 2.0), partial(work.product_of, matrix)
    with context(workers=2) as run:
        expected = [work.digest(run.map(UNIT, f, range(6))) for f in calls]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool, context(store, pool) as run:
        assert [work.digest(run.map(UNIT, f, range(6))) for f in calls] == expected
        assert all(counts and set(counts) == {1} for counts in run.map(UNIT, work.blas_threads, range(4)))


def test_a_block_is_computed_once(store):
    count = Counting()
    with context(store, count) as run:
        first = run.map(UNIT, partial(work.block_of, 2.0), [3, 1, 3])
        assert count.calls == 2
        again = run.map(UNIT, partial(work.block_of, 2.0), [1, 3, 5])
        assert count.calls == 3
        assert len(run.store) == 3
    assert work.digest([first[0], first[1]]) == work.digest([again[1], again[0]])
    with context(store, count) as run:
        run.map(UNIT, partial(work.block_of, 2.0), [1, 3, 5])
    assert count.calls == (3 if store else 6)


def test_fresh_and_stored_values_are_alike():
    """A fresh value takes the road through the store too: no layout or type can differ after a resume."""
    with context() as run:
        fresh, stored = (run.map(UNIT, partial(work.product_of, np.eye(3)[:, ::-1]), [0])[0] for _ in range(2))
    for made in (fresh, stored):
        assert made.flags.c_contiguous and made.flags.writeable
    assert fresh.tobytes() == stored.tobytes()


@dataclass(frozen=True)
class Outside:
    """A mechanism from outside the package, as far as a name needs one."""

    scale: float


def use(thing, block):
    return block


OTHERS = [
    ({"what": "other"}, partial(work.block_of, 2.0), 0),
    (UNIT, partial(work.block_of, 2.0000000000000004), 0),
    *((UNIT, partial(work.block_of, scale=scale), 0) for scale in (2.0, 3.0)),
    (UNIT, partial(work.failing, 2.0), 0),
    (UNIT, partial(work.block_of, 2.0), 1),
    (UNIT, partial(work.product_of, np.eye(2)), 0),
    (UNIT, partial(work.product_of, -np.eye(2)), 0),
    (UNIT, partial(use, Outside(1.0)), 0),
    (UNIT, partial(use, Outside(2.0)), 0),
    *((UNIT, partial(use, [Outside(scale)]), 0) for scale in (1.0, 2.0)),
    (UNIT, partial(use, work.block_of), 0),
]


def test_everything_a_block_depends_on_is_in_its_key():
    keys = {(name_of(unit, function), seed) for unit, function, seed in OTHERS}
    assert len(keys) == len(OTHERS)
    assert (name_of(UNIT, partial(work.block_of, 2.0)), 0) not in keys
    plain = name_of(UNIT, partial(work.failing, 1.0)).code
    for bound in (Outside(1.0), [Outside(1.0)], {"a": Outside(1.0)}, use):  # the code of an argument counts too
        assert name_of(UNIT, partial(work.failing, bound)).code != plain


def test_functions_of_one_name_in_modules_that_import_each_other_have_blocks_of_their_own(tmp_path, monkeypatch):
    (tmp_path / "circle").mkdir()
    (tmp_path / "circle" / "__init__.py").write_text("shared = 1\nfrom circle import first, second\n")
    for value, name in enumerate(("first", "second")):
        text = f"from circle import shared\n\n\ndef value(block):\n    return {value}\n"
        (tmp_path / "circle" / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    circle = imported(str(tmp_path / "circle"))
    with context() as run:
        assert [run.map(UNIT, module.value, [0]) for module in (circle.first, circle.second)] == [[0], [1]]


def test_what_has_no_name_is_refused():
    def local(block):
        return block

    with context() as run:
        for function in (local, lambda b: b, partial(local)):
            with pytest.raises(InvalidInput, match="function must be a module-level function or a partial"):
                run.map(UNIT, function, [0])
        with pytest.raises(InvalidInput, match="must be a number, text, array"):
            run.map(UNIT, partial(use, object()), [0])
        with pytest.raises(InvalidInput, match="a block must be an integer >= 0, got -1"):
            run.map(UNIT, partial(use, 1), [-1])


def test_code_that_nobody_can_read_is_refused(monkeypatch):
    monkeypatch.setattr(use, "__module__", "typed_in_a_session")
    with pytest.raises(InvalidInput, match="function must be from a module with a source file"):
        name_of(UNIT, use)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_failure_is_named_and_not_stored(store, workers):
    with context(store, workers) as run:
        with pytest.raises(BlockError, match=r"block 5 of \{'what': 'test'\}: ZeroDivisionError: planted") as caught:
            run.map(UNIT, partial(work.failing, 5), range(40))
        assert isinstance(caught.value.__cause__, ZeroDivisionError)
        stored = len(run.store)
        assert stored == 5 or (workers > 1 and 5 < stored < 40)  # none is begun after the failure
        assert run.store.blocks(1, [5]) == {}
        with pytest.raises(BlockError, match="block 5"):
            run.map(UNIT, partial(work.failing, 5), [5])
        assert run.map(UNIT, partial(work.failing, 5), [4, 6]) == [4, 6]


def test_the_first_of_several_failures_is_told():
    with context(workers=Counting(held=9)) as run, pytest.raises(BlockError, match="block 2 of"):
        run.map(UNIT, partial(work.failing_at, (2, 7)), range(10))


def fails_before_the_workers_are_lost(block):
    if block in (2, 7):
        raise BrokenExecutor if block == 7 else ArithmeticError
    return block


def test_lost_workers_are_told_before_an_earlier_failure():
    with context(workers=Counting(held=9)) as run, pytest.raises(WorkersLost, match=r"block 7 of .*nothing is stored"):
        run.map(UNIT, fails_before_the_workers_are_lost, range(10))


def test_values_that_cannot_be_stored_are_refused():
    with (
        context() as run,
        pytest.raises(BlockError, match="the value of a block must be numbers, text, arrays"),
    ):
        run.map(UNIT, work.stream, [0])


@pytest.mark.process
def test_a_killed_worker_is_one_clear_message(tmp_path):
    path = tmp_path / "runs.sqlite"
    with (
        ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool,
        pytest.raises(WorkersLost, match=rf"block \d+ of .*: a worker died .*; \d+ blocks are stored in {path}"),
        context(path, pool) as run,
    ):
        run.map(UNIT, partial(work.dying, 7), range(20))
    store = Store(path, read_only=True)
    assert store.blocks(1, range(20)) == {b: b for b in range(7)}
    store.close()


class Breaking(Executor):
    """Ends five futures one after the other, as a pool of processes does whose worker died."""

    def __init__(self):
        self.futures, self.thread, self.cancelled = [], threading.Thread(target=self.ends), None

    def submit(self, fn, /, *args, **kwargs):
        self.futures.append(Future())
        if len(self.futures) == 5:
            self.thread.start()
        return self.futures[-1]

    def ends(self):
        first, *others = self.futures
        first.set_exception(BrokenExecutor("a worker died"))
        wait(others, 0.1)  # which nobody else is to end
        self.cancelled = sum(future.cancelled() for future in others)
        for future in others:
            if not future.cancelled():
                future.set_exception(BrokenExecutor("a worker died"))


def test_blocks_of_a_broken_pool_are_left_to_its_thread():
    """Where one of them is cancelled, CPython 3.11 prints a traceback of the thread."""
    pool = Breaking()
    with pytest.raises(WorkersLost, match=r"block 0 of .*: a worker died"), context(workers=pool) as run:
        run.map(UNIT, partial(work.block_of, 2.0), range(5))
    pool.thread.join()
    assert pool.cancelled == 0


@pytest.mark.parametrize("workers", [None, 1, np.int64(3), Counting()])
def test_workers(workers):
    with context(workers=workers) as run:
        assert run.map(UNIT, partial(use, 0), range(3)) == [0, 1, 2]
    assert cores() >= 1


@pytest.mark.parametrize("workers", [1, 2, ThreadPoolExecutor(1)])
def test_blas_has_one_thread(workers):
    with context(workers=workers) as run:
        found = run.map(UNIT, work.blas_threads, range(3))
        assert found and all(counts and set(counts) == {1} for counts in found)
        assert set(work.blas_threads(0)) == {1}


def test_a_user_s_executor_stays_open():
    with ThreadPoolExecutor(1) as pool:
        with context(workers=pool) as run:
            run.map(UNIT, partial(use, 0), [0])
        assert pool.submit(int, "7").result() == 7


def test_few_blocks_are_in_flight():
    """A run of 1,000 blocks hands a bounded number of them to the executor at a time."""

    class Watching(ThreadPoolExecutor):
        alive = most = 0
        lock = threading.Lock()

        def submit(self, fn, /, *args, **kwargs):
            with self.lock:
                self.alive += 1
                self.most = max(self.most, self.alive)
            future = super().submit(fn, *args, **kwargs)
            future.add_done_callback(self.landed)
            return future

        def landed(self, future):
            with self.lock:
                self.alive -= 1

    with Watching(2) as pool, context(workers=pool) as run:
        assert run.map(UNIT, partial(use, 0), range(1000)) == list(range(1000))
        assert 1 <= pool.most <= 256


class Interrupting(Silent):
    """A progress that presses Ctrl-C once, in the main thread, when so many blocks have arrived."""

    def __init__(self, at):
        self.at, self.closed = at, False

    def blocks(self, done, total):
        if done >= self.at:
            raise KeyboardInterrupt

    def close(self):
        self.closed = True


@pytest.mark.parametrize("workers", [1, 3, Counting()])
def test_an_interrupt_keeps_what_has_arrived(tmp_path, workers):
    path, progress = tmp_path / "runs.sqlite", Interrupting(20)
    with (
        pytest.raises(Interrupted, match=rf"(\d+) blocks stored in {path}; run the same command again to resume"),
        context(path, workers, progress=progress) as run,
    ):
        run.map(UNIT, partial(work.failing, -1), range(5000))
    assert progress.closed
    count = Counting()
    with context(path, count) as run:
        assert len(run.store) >= 20
        stored = len(run.store)
        assert run.map(UNIT, partial(work.failing, -1), range(500)) == list(range(500))
    assert count.calls == 500 - stored


def test_an_interrupt_without_a_store_says_so():
    with pytest.raises(KeyboardInterrupt, match="nothing stored"), context(progress=Interrupting(1)) as run:
        run.map(UNIT, partial(work.failing, -1), range(5))


def test_the_executor_serves_what_takes_one():
    for workers in (1, 2):
        with context(workers=workers) as run:
            assert list(run.workers.map(str, range(5))) == list("01234")


def test_blocks_of_another_processor_type_are_not_used(tmp_path, monkeypatch):
    path, log = tmp_path / "runs.sqlite", tmp_path / "log"

    def computed():
        before = len(log.read_text().split()) if log.exists() else 0
        with context(path) as run:
            run.map({"what": "types"}, partial(work.logged_block, str(log), 0.0), range(4))
        return len(log.read_text().split()) - before

    here = contexts.environment()
    assert "processor" in here and (computed(), computed()) == (4, 0)
    monkeypatch.setattr(contexts, "environment", lambda: here | {"processor": "Another, generic"})
    assert (computed(), computed()) == (4, 0)
    monkeypatch.undo()
    assert computed() == 0
    store = Store(path, read_only=True)
    assert len(store) == 8
    store.close()
