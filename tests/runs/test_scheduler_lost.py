"""A worker that is lost after its result has come: the result stands."""

from concurrent.futures import CancelledError
from importlib.util import find_spec

import pytest
from patience import STARTS, start

from dpbench.runs.scheduler import Cluster

pytestmark = [
    pytest.mark.skipif(find_spec("distributed") is None, reason="distributed is not installed (extra cluster)"),
    pytest.mark.process,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of distributed's own imports
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


@pytest.fixture
def client():
    """Of a scheduler and a worker within this process."""
    import distributed  # takes seconds: where it is used alone

    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0", protocol="inproc://"
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as made,
    ):
        yield made


def four(scale):
    return [scale, 2, 3, 4]


def fails(scale):
    raise ZeroDivisionError(f"planted {scale}")


def test_a_result_whose_worker_is_lost_afterwards_is_a_result(client, monkeypatch):
    """Planted: Dask's own executor, which looks at the state of the task again, and takes the list for an error."""
    gather = type(client)._gather

    async def loses(self, futures, *arguments, **named):
        made = await gather(self, futures, *arguments, **named)
        for future in futures:
            future._state.lose()
        return made

    monkeypatch.setattr(type(client), "_gather", loses)
    with pytest.raises(ValueError, match="too many values to unpack"):
        client.get_executor().submit(four, 1).result(timeout=STARTS * start())
    with Cluster(client) as executor:
        assert executor.submit(four, 7).result(timeout=STARTS * start()) == [7, 2, 3, 4]


def test_outcomes_are_passed_on_and_nothing_is_begun_after_shutdown(client):
    with Cluster(client) as executor:
        assert list(executor.map(four, range(3))) == [[k, 2, 3, 4] for k in range(3)]
        with pytest.raises(ZeroDivisionError, match="planted 5"):
            executor.submit(fails, 5).result(timeout=STARTS * start())
        left = executor.submit(four, 9)
    assert left.done() and left.result() == [9, 2, 3, 4]
    with pytest.raises(RuntimeError, match="after shutdown"):
        executor.submit(four, 1)
    other = Cluster(client)
    pending = other.submit(four, 10)
    other.shutdown(wait=False)
    try:
        assert pending.result(timeout=STARTS * start()) == [10, 2, 3, 4]
    except CancelledError:
        assert pending.cancelled()
