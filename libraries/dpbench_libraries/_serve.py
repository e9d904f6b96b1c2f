"""What runs under the interpreter of a library's own environment: it calls the library, and returns what came out.
Where one call is not enough, a module of the folder `calls` makes the others.

``python -I _serve.py``: a JSON request a line on standard input, an answer a line, with the number of its request, on
standard output. It imports nothing of ours, for that environment does not have us; NumPy is there. A request names
what is called::

    {"number": 1, "make": "diffprivlib.tools.mean", "keywords": {"epsilon": 1.0}, "seed": "random_state",
     "method": null, "into": null, "take": null, "form": "array", "data": [0.5, 1.0], "seeds": [1, 2]}

`make` is called with the data, or with the keywords alone where a `method` of what it makes is called with the data;
lists among the keywords are made tuples;
`into` names the keyword that takes the data instead; `take` names attributes that come out instead of what the method
returns. There is one result a seed.
"""

import importlib
import importlib.metadata
import json
import operator
import os
import sys
import warnings
from typing import Any


def resolved(name: str) -> Any:
    """The object of a dotted name: the longest module, then attributes."""
    parts = name.split(".")
    for k in range(len(parts), 0, -1):
        try:
            value = importlib.import_module(".".join(parts[:k]))
        except ModuleNotFoundError:
            continue
        for part in parts[k:]:
            value = getattr(value, part)
        return value
    raise ModuleNotFoundError(name)


def arguments(data: Any, form: str) -> list:
    """The data set as the library takes it."""
    if form == "value":
        return [data]
    import numpy as np

    table = np.array(data, dtype=float)
    return [table] if form == "array" else [table[:, :-1], table[:, -1]]


def plain(value: Any) -> Any:
    """What JSON can hold, with arrays as lists."""
    if isinstance(value, dict):
        return {str(name): plain(x) for name, x in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(x) for x in value]
    return plain(value.tolist()) if hasattr(value, "tolist") else value


def results(request: dict) -> list:
    """One result a seed."""
    make, method, results = resolved(request["make"]), request["method"], []
    given = arguments(request["data"], request["form"])
    for seed in request["seeds"]:
        keywords = {name: tuple(x) if isinstance(x, list) else x for name, x in request["keywords"].items()}
        if request["seed"]:
            keywords[request["seed"]] = seed
        if request["into"]:
            keywords[request["into"]], given = request["data"], []
        if method is None:
            value = make(*given, **keywords)
        else:
            holder = make(**keywords)
            value = getattr(holder, method)(*given)
            if request["take"]:
                value = {name: operator.attrgetter(name)(holder) for name in request["take"]}
        results.append(plain(value))
    return results


def main() -> None:
    answer: dict
    sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "calls"))
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints, from compiled code too, is no answer
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if "version" in request:
                answer = {"version": importlib.metadata.version(request["version"])}
            else:
                answer = {"results": results(request)}
            text = json.dumps({"number": request["number"], **answer})
        except Exception as error:
            text = json.dumps({"number": request["number"], "error": type(error).__name__ + ": " + str(error)})
        out.write(text + "\n")
        out.flush()


if __name__ == "__main__":
    main()
