"""The gray box under the interpreter of a release's environment, which finds our modules by its path alone.

``python recorded.py CASE VERSION EPSILON DELTA SEED`` prints the result as JSON.
"""

from __future__ import annotations

import json
import sys
import warnings

from dpbench_libraries.graybox import audit_graybox


def main() -> None:
    """Record both data sets of one version."""
    import draws  # beside this file

    warnings.simplefilter("ignore")
    name, version, epsilon, delta, seed = sys.argv[1:6]
    call, one, other = getattr(draws, name.replace("-", "_"))(version == "mended")
    found = audit_graybox(call, one, other, epsilon=float(epsilon), delta=float(delta), seed=int(seed))
    print(json.dumps(found.to_dict()))


if __name__ == "__main__":
    main()
