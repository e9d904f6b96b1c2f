"""At most forty errors that together turn the verdicts of the ledger: in what an entry measures, then in what reads it.

`Mutation.tests` holds patterns of the entries that an error is held against: those whose own code it changes, or where
it can change a verdict. `NEAR` are errors in the mechanisms, bounds, instances and kernels that entries measure. `FAR`
are errors in the rules that all entries of a kind share, for the entries that no error of `NEAR` turns.
"""

from .mutation import Mutation, planted

NEAR: list[Mutation] = []

FAR: list[Mutation] = [
    *planted(
        "dpbench/privacy/profile.py", "*.privacy*",
        ("return self.delta_of(validation.real(\"epsilon\", epsilon, at_least=0.0))", "return self.delta_of(0.5 * validation.real(\"epsilon\", epsilon, at_least=0.0))"),
    ),
    *planted(
        "dpbench/ledger/core.py", "*.privacy*",
        ("pair.delta(epsilon) > delta:", "pair.delta(100.0 * epsilon) > delta:"),
    ),
    *planted(
        "dpbench/rates/slopes.py", "*.rate*",
        ("value, parts = _line(weights, np.log(means)),", "value, parts = -_line(weights, np.log(means)),"),
        ("return _line(weights, np.log(validation.array(", "return -_line(weights, np.log(validation.array("),
    ),
    *planted(
        "dpbench/ledger/harness.py", "*.inequality* *.floor* *.stability*",
        ("[(right - left) / abs(right) for left, right in pairs]", "[(left - right) / abs(right) for left, right in pairs]"),
    ),
]  # fmt: skip

PLANTS: tuple[Mutation, ...] = (*NEAR, *FAR)

CANNOT: dict[str, str] = {}
"""By entry: why no error can turn it."""
