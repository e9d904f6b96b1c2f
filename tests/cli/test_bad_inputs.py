"""Bad input to Python: the right message, and never an exception of another type.

`CALLS` has a good call of each public function. From it follow the calls with one wrong value: of each of its
parameters that `WRONG` constrains, by the parameter's name, and those of `SPECIAL`, where what is wrong depends on the
call. Mechanisms are held to their declarations in `test_mechanism`.
"""

import datetime
import inspect
import math
import sys
from collections import deque
from dataclasses import make_dataclass
from types import SimpleNamespace

import numpy as np
import pytest
from bad_calls import GOOD, PROBLEM, X, Y
from messages import names
from scipy import sparse

import dpbench
from dpbench import InvalidInput, Profile, audit, audit_one_run, audit_one_run_scores, audit_samples
from dpbench.ledger.verify import select, verify
from dpbench.papers.glm import comparison, datasets, losses
from dpbench.papers.glm.populations import ScaledBasis
from dpbench.papers.glm.problem import GLMProblem
from dpbench.privacy import composition
from dpbench.privacy.profile import gaussian_profile, laplace_profile, pure_profile
from dpbench.scores import poisson_gaussian

NAN, INF = math.nan, math.inf
ANY = (NAN, INF, -INF, "1", None, True, [1.0], 1j)  # no numbers
SIZES = (*ANY, 0, -1.0, 1e51, 1e200, 1e308, 1e-51, 1e-200, 1e-320)  # what would overflow or underflow on the way
WHOLE = (1.5, "3", None, True, NAN, [3])
SHARES = (0.0, 1.0, 2, -1.0, NAN, "high", None)
NOTHING = (None, 3, "noise")

WRONG = {
    "epsilon": (NAN, INF, "1", True, -1e-9, [1.0]), "delta": (NAN, "0", None, True, -1e-9, 1.0), "confidence": SHARES,
    "trials": (*WHOLE, 0, -5, 99, INF, 1000.5), "seed": (-1, 0.5, "0", None), "workers": (0, -1, 1.5, "2"),
    "progress": (3, "bar"), "gap": (-3, 0.0, "x", None), "budget": ("x", 999, 1.5, None), "sampler": NOTHING,
    "run": NOTHING, "x_bound": SIZES, "y_bound": SIZES, "radius": SIZES, "kappa": SIZES, "end": (*ANY, -1.0, 1e51),
    "loss": (None, 3, "", NAN, ["squared"], "squred"), "on_excess": (None, True, "ignore", "clp"),
    "index": (-1, 3, 1.0, "0", None), "mu": (NAN, -1e-9, "1", None), "shift": (NAN, -1e-9, "1", None),
    "kind": ("uper", None, 1), "neighbours": ("swap", None), "level": ("quik", None, 3), "paper": ("gml", 3, ""),
    "processes": (0, True), "store": (3, b"x"), "active": (0, -1, 1.5, "2", 5), "dimension": (0, -1, 1.5, "2"),
    "fraction": (NAN, "1", None, -1e-9), "direction": ("up",), "independent": ("yes",), "exceptions": ("ignore",),
    "search_trials": (99,), "max_seconds": (0.0, -1e-9, NAN, "1", True),
    "mutations": (-1,), "seconds": (0.0,), "score": (3,), "relation": ("swap",),
    "parts": ([3], None, [], 3, "x"), "q": (0.0, 1.5), "sigma": (0.0,), "claims": ("nothing.*", "", 3, []),
    "name": ("", None, 3, "diabtes"),
}  # fmt: skip
"""Values that are wrong wherever a parameter of this name is taken."""


def noise(data, trials, rng):
    return np.sum(data) + rng.laplace(size=trials)


def never(data, trials, rng):
    raise AssertionError("what is wrong before any run must be refused before it")


def response(included, rng):
    return included ^ (rng.random(len(included)) < 0.3)


def compare(algorithm="noisy-gd", epsilon=1.0, delta=1e-5, confidence=0.95, seed=0, workers=1, runs=4):
    best, more = comparison.Fit(np.zeros(2), 0.0, 0.0), {"delta": delta, "confidence": confidence, "seed": seed}
    return list(comparison.compare(PROBLEM, best, [algorithm], [epsilon], trials=runs, workers=workers, **more))


def profile(kind="upper", neighbours="replace"):
    return Profile(kind, "", float, None, neighbours)


def dpsgd(noise_multiplier=1.0, sampling_rate=1.0, steps=1):
    return {"noise_multiplier": noise_multiplier, "sampling_rate": sampling_rate, "steps": steps}


ROWS, COINS = np.random.default_rng(0).laplace(size=(2, 200)), np.arange(200) % 2 == 0
PAIR = {"sampler": noise, "dataset": 0.0, "neighbour": 1.0, "trials": 1000}
FLAT = gaussian_profile(1.0, kind="exact", why="a test")
ONE = "glm.thm1.privacy.exact"
CALLS = {
    "audit": (audit, PAIR),
    "audit_bits": (dpbench.audit_bits, PAIR),
    "audit_samples": (audit_samples, {"outputs": ROWS[0], "neighbour_outputs": ROWS[1]}),
    "audit_one_run": (audit_one_run, {"run": response, "canaries": 20}),
    "audit_one_run_scores": (audit_one_run_scores, {"included": COINS, "scores": ROWS[0]}),
    "find_neighbours": (dpbench.find_neighbours, {"sampler": never, "domain": {"records": 3}, "trials": 1000}),
    "each": (dpbench.each, {"function": lambda data: data}),
    "check_accountant": (dpbench.check_accountant, {"steps": dpsgd(), "epsilon": 1.0}),
    "poisson_gaussian": (poisson_gaussian, {"steps": [[1.0]], "q": 0.5, "sigma": 1.0}),
    "GLMProblem": (GLMProblem, {"X": X, "y": Y, **GOOD}),
    "replace_record": (PROBLEM.replace_record, {"index": 0, "x": X[0], "y": 1.0}),
    "empirical_risk": (PROBLEM.empirical_risk, {"w": np.zeros(2)}),
    "huber": (losses.huber, {"kappa": 1.0}),
    "capped_linear": (losses.capped_linear, {"end": 1.0}),
    "even": (ScaledBasis.even, {"loss": "squared", "dimension": 4, "active": 2, "fraction": 0.5}),
    "Profile.delta": (FLAT.delta, {"epsilon": 1.0}),
    "Profile.epsilon": (FLAT.epsilon, {"delta": 0.1}),
    "gaussian_profile": (gaussian_profile, {"mu": 1.0, "kind": "upper", "why": ""}),
    "laplace_profile": (laplace_profile, {"shift": 1.0, "kind": "upper", "why": ""}),
    "pure_profile": (pure_profile, {"epsilon": 1.0, "why": ""}),
    "Profile": (profile, {}),
    "compose": (composition.compose, {"parts": [FLAT]}),
    "parallel": (composition.parallel, {"parts": [FLAT]}),
    "basic": (composition.basic, {"parts": [(1.0, 0.1)], "why": "a test"}),
    "optimal": (composition.optimal, {"parts": [(1.0, 0.1)], "why": "a test"}),
    "verify": (verify, {"claims": ONE}),
    "load": (datasets.load, {"name": "diabetes"}),
    "select": (select, {"patterns": ONE}),
    "compare": (compare, {}),
}  # fmt: skip
"""A call of each function that is right."""


def of(call, parameter, *rows):
    """Calls with one wrong value of one parameter: value, what the message holds, and the parameter that it names."""
    return [(call, {parameter: value}, named[0] if named else parameter, holds) for value, holds, *named in rows]


def each_of(call, parameter, holds, *values):
    return of(call, parameter, *((value, holds) for value in values))


def sampler(function, holds):
    return "audit", {"sampler": function}, "sampler", holds


def marred(array, value):
    return np.where(np.arange(array.size).reshape(array.shape) == 0, value, array)


SPECIAL = [
    # problems
    *each_of("GLMProblem", "X", "a matrix", np.zeros(3), np.zeros((2, 2, 2)), 3.0, "text", None, [[1.0, 2.0], [3.0]],
             [["a", "b"]] * 3),
    *of("GLMProblem", "X", (np.zeros((3, 0)), "at least 1 column"), (X * 1j, "finite numbers"),
        (X.astype(object), "finite numbers"), (3.0 * X, "x_bound = 1"), (sparse.csr_array(3.0 * X), "x_bound = 1"),
        *((marred(X, value), "(0, 0)") for value in (NAN, INF, -INF)),
        *((sparse.csr_array(marred(X, value)), "finite") for value in (NAN, INF, -INF))),
    *each_of("GLMProblem", "y", "a vector", Y[:2], np.zeros((3, 1)), "abc", None, 1.0, [[1.0], [1.0], [1.0]]),
    *of("GLMProblem", "y", (3.0 * Y, "y_bound = 1"), *((marred(Y, value), "index 0") for value in (NAN, INF, -INF))),
    ("GLMProblem", {"X": np.zeros((0, 2)), "y": []}, "X", "at least 1 row"),
    ("GLMProblem", {"loss": "logistic", "y": 0.5 * Y}, "y", "-1 or +1"),
    *of("GLMProblem", "loss", ("squred", "did you mean squared?")),
    *each_of("replace_record", "x", "a vector", np.zeros(3), np.zeros((1, 2)), "ab", None),
    *of("replace_record", "x", ([NAN, 0.0], "nan"), ([1.0, 1.0], "x_bound", "X")),
    *each_of("replace_record", "y", "got", *ANY),
    *each_of("empirical_risk", "w", "must be", np.zeros(3), np.zeros((2, 3)), "ab", None, 1.0, np.zeros((1, 1, 2))),
    *of("basic", "parts", ([(1.0,)], "(1.0,)"), ([(1.0, 2.0)], "2.0", "delta")),
    *((call, {"parts": [part]}, "epsilon", "a finite number") for call in ("basic", "optimal")
      for part in (([], 0.0), (np.array([1.0]), 0.0))),
    *of("optimal", "parts", ([(1.0, 0.1, 0.2)], "0.1, 0.2"), ([(1.0, 2.0)], "2.0", "delta")),
    # the ledger and comparisons
    *of("verify", "claims", ("glm.thm1.privacy.exat", "did you mean glm.thm1.privacy.exact?")),
    ("select", {"kind": "rate"}, "claims", "some entry"),
    *of("load", "loss", ("logistic", "'logistic'"), ("hubr", "did you mean huber?")),
    *of("compare", "algorithm", ("noisy-dg", "did you mean noisy-gd?")), *of("compare", "epsilon", (0.0, "got 0.0")),
    *(("compare", {"runs": value}, "trials", f"got {value!r}") for value in (1, 0, 2.5, "4")),
    # samplers and data sets
    sampler(lambda d, n, r: r.normal(size=n + 1), "one row for each of the trials asked for (here 1)"),
    sampler(lambda d, n, r: 1.0, "made a sampler by dpbench.each(function)), got 1.0"),
    sampler(lambda d: 1.0, "dpbench.each(function)"),
    sampler(lambda d, n: np.zeros(n), "dpbench.each(function)"),
    *(sampler(lambda d, n, r, value=value: value(n), "must be numbers or booleans of shape") for value in (
        lambda n: np.array([object()] * n), lambda n: np.zeros(n, dtype=complex), lambda n: np.zeros((n, 2, 2)),
        lambda n: np.zeros((n, 0)))),
    *(sampler(lambda d, n, r, value=value: [value] * n, "dpbench.each")
      for value in ({"a": 1}, None, object(), np.zeros((4, 4)))),
    sampler(lambda d, n, r: [[1.0], [1.0, 2.0]] * n, "must be an array of shape"),
    sampler(lambda d, n, r: np.full((n, 2), "a"), "or texts of shape (1,)"),
    sampler(lambda d, n, r: np.zeros((n, 2 + (n == 8))), "one width and type in every block, got rows of 2"),
    sampler(lambda d, n, r: np.zeros(n, dtype="f4" if n == 8 else "f8"), "one width and type in every block"),
    sampler(lambda d, n, r: [][0], "raised IndexError on the dataset: list index out of range"),
    *(("audit", {"sampler": fails, "workers": 2, "trials": 40_000}, "sampler", word)
      for fails, word in ((lambda d, n, r: 1 // 0, "ZeroDivisionError"), (lambda d, n, r: sys.exit(0), "SystemExit"))),
    *(("audit", {"dataset": same, "neighbour": same}, "neighbour", "differs from dataset") for same in (
        1.0, [1, (2, 3)], {"a": np.array([1.0, NAN])})),
    ("audit", {"claim": {"epsilon": 1.0}, "delta": 0.2}, "delta", "left out beside a claim of epsilon"),
    *(("audit", {"claim": profile(neighbours=claimed), "relation": relation}, "relation", f"neighbours '{claimed}'")
      for claimed, relation in (("add_remove", "replace"), ("replace", "add"), ("replace", "add_remove"))),
    ("audit", {"trials": "auto"}, "epsilon", "given with trials="),
    ("audit", {"ignore": ["id"]}, "ignore", "left out"), ("audit", {"ignore": np.array(1.0)}, "ignore", "of paths"),
    ("audit_bits", {"sampler": lambda d, n, r: r.integers(0, 2, n)}, "sampler", "floating-point numbers"),
    # claims
    *((name, {"epsilon": 1.0, "claim": {"mu": 1.0}}, "epsilon", "left out beside claim")
      for name in ("audit", "audit_samples", "audit_one_run", "audit_one_run_scores", "find_neighbours")),
    *of("audit", "claim", (3.0, "a Profile"), ({"mu": 1.0, "rdp": {2: 1.0}}, 'one of {"mu": number}, {"rho": number}'),
        ({"nu": 1.0}, "one of mu, rho, rdp, epsilon, delta"), ({"mu": -1e-9}, "got -1e-09", "mu"),
        ({"rdp": {}}, "a mapping from orders", "rdp"), ({"rdp": {1.0: 1.0}}, "a finite number > 1", "rdp"),
        ({"rdp": {2.0: -1e-9}}, "order 2 must be", "rdp"), ({"rho": 1.0, "mu": 1.0}, "one of"),
        ({"mu": 1.0, "delta": 0.1}, "one of"), ({"delta": 0.1}, ""), ({}, ""),
        (Profile("upper", "", lambda e: min(1.0, e / 60.0)), "does not increase"),
        (laplace_profile(1.0, kind="lower", why=""), "of kind exact or upper"),
        (Profile("upper", "", lambda e: 2.0), "whose deltas lie in [0, 1]"),
        (Profile("upper", "", lambda e: 1.0 / 0.0), "delta at epsilon 60 is a number, got ZeroDivisionError"),
        (SimpleNamespace(get_delta_for_epsilon=lambda e: None), "delta at epsilon 60 is a number, got TypeError"),
        (SimpleNamespace(get_delta_for_epsilon=lambda e: NAN), "deltas lie in [0, 1], got nan")),
    *each_of("audit_one_run_scores", "claim", "of epsilon, mu or a profile in an audit of one run", {"rho": 1.0},
             {"rdp": {2: 1.0}}),
    # arrays and their scores
    *of("audit_samples", "outputs", (np.zeros(99), "at least 100 rows"), (np.zeros((200, 0)), "numbers"),
        (np.zeros((200, 2, 2)), "numbers"), (np.zeros(200, dtype=complex), "numbers"),
        (np.ma.masked_array(np.zeros(200), np.arange(200) == 3), "without masked"),
        *((value, "the kind that outputs are", "neighbour_outputs") for value in (
            [{"a": 1}] * 200, [[1.0], [1.0, 2.0]] * 100)),
        (np.zeros((200, 3)), "the width and type of outputs", "neighbour_outputs")),
    *of("audit_samples", "neighbour_outputs", (3.0, "numbers or booleans"), (np.array(["a"] * 200), "width and type")),
    *of("audit_samples", "score", (lambda x: x[:5], "numbers of shape"), (lambda x: ["a"] * len(x), "numbers"),
        (lambda x: 1 / 0, "ZeroDivisionError")),
    # searches
    *of("find_neighbours", "domain", (3, "a Domain or a mapping"), ({"low": 0.0}, "the number of records"),
        ({"records": 3, "hight": 1.0}, "did you mean high"), ({"records": 0}, ">= 1", "records"),
        ({"records": 3, "low": 1.0}, "> low", "high"), ({"records": 3, "relation": "swap"}, "one of", "relation"),
        ({"records": 3, "relation": "add_remove", "width": 0}, ">= 1", "width"),
        ({"records": 1, "relation": "add_remove"}, ">= 2", "records"),
        ({"records": 3, "integers": True, "high": 1.5}, "a whole number", "high"),
        ({"records": 3, "low": NAN}, "got nan", "low"),
        *(({"records": 3, name: "yes"}, "True or False", name) for name in ("integers", "nan", "infinities"))),
    *of("find_neighbours", "pairs", ([(1, 2, 3)], "a sequence of"), (3, "a sequence of"),
        ([(1.0, 1.0)], "differs", "neighbour")),
    *of("find_neighbours", "trials", ("auto", "a search takes no words")),
    ("find_neighbours", {"relation": "replace", "domain": {"records": 3, "relation": "add_remove"}}, "relation",
     "the domain's, 'add_remove', got 'replace'"),
    # one run
    *of("audit_one_run", "canaries", (9, ">= 10")), *of("audit_one_run", "guesses", ("all", "an integer")),
    *each_of("audit_one_run", "guesses", "even numbers", 3, 22, []),
    *each_of("audit_one_run", "run", "numbers of shape (20,)", lambda inc, r: np.zeros(3),
             lambda inc, r: [[1.0], [2.0, 3.0]], lambda inc, r: ["a"] * 20),
    *of("audit_one_run", "run", (lambda inc, r: 1 / 0, "raised ZeroDivisionError"),
        (lambda inc, r: np.where(inc, NAN, 0.0), "without NaN"), (lambda inc, r: sys.exit(0), "SystemExit")),
    *each_of("audit_one_run_scores", "included", "at least 10 values", np.arange(200), ["yes"] * 200,
             np.zeros((200, 2)) > 0, [[1], [1, 0]] * 100),
    *of("audit_one_run_scores", "included", (np.arange(200) > 2, "decided by fair coins, got 197 of 200"),
        (np.ma.masked_array(COINS, np.arange(200) == 3), "without masked entries")),
    ("audit_one_run_scores", {"included": COINS[:5], "scores": ROWS[0, :5]}, "included", "at least 10 values"),
    *of("audit_one_run_scores", "scores", (np.zeros(199), "numbers of shape (200,)"), (["a"] * 200, "shape (200,)"),
        (np.where(np.arange(200) > 15, NAN, 0.0), "got 'NaN at index 16'")),
    *each_of("poisson_gaussian", "steps", "finite numbers of shape", [[NAN]], 1.0),
    # functions of one call, and their outputs
    *each_of("each", "function", "callable as function", 3, lambda: 1, lambda a, b, c, d: 1, lambda data, *, key: 1),
    *of("each", "function", (lambda data, trials, rng: 1, "hand it to audit as is")),
    *(("audit_samples", dict.fromkeys(("outputs", "neighbour_outputs"), [{"it": value}] * 100), "outputs", holds)
      for value, holds in (
        ({"a": {1, 2}}, "got a set as output['it']['a']: return sorted(it)"),
        ([datetime.datetime(2020, 1, 1)], "got a datetime as output['it'][0]: return it.timestamp"),
        (1 + 2j, "got a complex as output['it']: return its real and its imaginary part"), (np.array([1j]), "its real"),
        (np.array(["2020"], dtype="datetime64[ns]"), "got a datetime64 as output['it']: return it.astype(float)"),
        (deque([1]), "got a deque as output['it']: return list(it)"),
        (make_dataclass("Answer", ["best"])(object()), "got a object as output['it'].best: return"),
        (np.ma.masked_array([1.0], [True]), "got a MaskedArray as output['it']: return it.filled(nan)"),
        ((x for x in "a"), "got a generator as output['it']: return list(it)"))),
    # accountants
    *each_of("check_accountant", "steps", "must be", {"noise": 1.0}, [], object(), [dpsgd(1.0 + k) for k in range(17)],
             SimpleNamespace(history=[(1.0, 0.5)]), dpsgd(steps=0)),
    *of("check_accountant", "steps", *((dpsgd(value), repr(value), "noise_multiplier") for value in (0.0, NAN, 1e200)),
        *((dpsgd(1.0, value), repr(value), "sampling_rate") for value in (0.0, 1.1, 1e-300))),
    *of("check_accountant", "delta", (0.0, "got 0.0"), (1e-31, "got 1e-31")),
    *of("check_accountant", "epsilon", (None, "got None")),
]  # fmt: skip


def cases(call):
    """(changes, parameter named, what else the message holds) of one function; None is right as a default."""
    for parameter, said in inspect.signature(CALLS[call][0]).parameters.items():
        for value in WRONG.get(parameter, ()):
            if value is not None or said.default is not None:
                yield {parameter: value}, parameter, repr(value)[:70]
    yield from (case for name, *case in SPECIAL if name == call)


@pytest.mark.parametrize("call", CALLS)
def test_bad_input_is_one_message_that_names_the_parameter(call):
    function, good = CALLS[call]
    tried = 0
    for changes, parameter, holds in cases(call):
        try:
            result = function(**{**good, **changes})
        except InvalidInput as refused:
            message = str(refused)
            assert "\n" not in message and names(message, parameter) and holds in message, (changes, message)
            tried += 1
        else:
            pytest.fail(f"{call}({changes}) is {result!r:.80}")
    assert tried


TINY = 1e-9
ENDS = (
    ("audit", {"trials": 100, "epsilon": 0.0, "seed": 0}), ("audit", {"trials": 100, "claim": {"mu": 0.0}}),
    ("audit", {"trials": 100, "claim": {"rho": 0.0}}), ("audit", {"trials": 100, "claim": {"rdp": {1.0 + TINY: 0.0}}}),
    ("audit", {"trials": "auto", "epsilon": 9.0, "budget": 1000, "gap": TINY}), ("audit", {"max_seconds": TINY}),
    ("audit_one_run", {"canaries": 10, "guesses": 2}), ("Profile.delta", {"epsilon": 0.0}),
    ("gaussian_profile", {"mu": 0.0}), ("laplace_profile", {"shift": 0.0}), ("pure_profile", {"epsilon": 0.0}),
    ("basic", {"parts": [(0.0, 0.0)]}), ("huber", {"kappa": TINY}), ("even", {"active": 1, "fraction": 0.0}),
    ("check_accountant", {"steps": dpsgd(1.0, 1e-12), "epsilon": 0.0, "delta": 1e-30}),
    ("GLMProblem", {"radius": TINY}),
)  # fmt: skip


@pytest.mark.parametrize(("call", "changes"), ENDS)
def test_the_ends_of_the_ranges_are_taken(call, changes):
    """The least of each range, or what is near an end that is not of it."""
    function, good = CALLS[call]
    function(**{**good, **changes})


def test_a_message_that_names_another_parameter_would_be_seen():
    assert names("delta must be a number in (0, 1), got 'epsilon'", "delta")
    assert not names("delta must be a number in (0, 1), got 'epsilon'", "epsilon")
    assert not names("y_bound must be a finite number > 0, got 0", "y")
    assert not names("something went wrong", "epsilon")


def test_control_c_in_a_sampler_is_no_bad_input():
    def stopped(data, trials, rng):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        audit(stopped, 0.0, 1.0, trials=200)
