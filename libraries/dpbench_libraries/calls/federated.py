"""One round of Flower, server and client. It runs in the environment of that library, which does not have us."""

import logging

import numpy as np
from flwr.app import Array, ArrayRecord, Message, MetricRecord, RecordDict
from flwr.clientapp.mod import LocalDpMod
from flwr.serverapp import strategy
from flwr.supercore.task_identity import TaskIdentity

logging.disable(logging.CRITICAL)
TaskIdentity.task_id = TaskIdentity.run_id = TaskIdentity.node_id = 1  # what a running application has


def arrays(numbers):
    return ArrayRecord({"weights": Array(np.array(numbers))})


def message(numbers, examples=1):
    """What a client sends: its weights, and of how many examples."""
    content = RecordDict({"arrays": arrays(numbers), "metrics": MetricRecord({"num-examples": examples})})
    return Message(content, dst_node_id=1, message_type="train")


def aggregate(clients, *, wrapper, seed, **settings):
    """What a server with central privacy releases of clients [examples, update...] whose model was 0; an exception is
    its name, since who trains sees it."""
    np.random.seed(seed)  # noqa: NPY002 - what Flower draws from
    server = getattr(strategy, wrapper)(strategy.FedAvg(), num_sampled_clients=len(clients), **settings)
    server.current_arrays = arrays([0.0] * (len(clients[0]) - 1))
    try:
        aggregated, _ = server.aggregate_train(1, [message(update, count) for count, *update in clients])
    except ArithmeticError as error:
        return type(error).__name__
    return aggregated.to_numpy_ndarrays()[0]


def local(update, *, seed, **settings):
    """What a client with local privacy sends of an update whose model was 0."""
    np.random.seed(seed)  # noqa: NPY002 - what Flower draws from
    told = message(np.zeros_like(np.array(update)))
    sent = LocalDpMod(**settings)(told, None, lambda given, context: message(update))
    return sent.content["arrays"].to_numpy_ndarrays()[0]
