"""The search on statements of known truth: no true one refuted, nearly all of the false ones found.

``python -m pytest -n 0 -s -m slow tests/certificates/test_search_statements.py`` searches all and prints the counts.
"""

import pytest
from search_statements import FALSE, TRUE
from whole_certificates import report

from dpbench.certificates.search.find import find_counterexample
from dpbench.ledger import Claim
from dpbench.ledger import statement as made

QUICK_TRUE = ("saturates-1000", "thin-6", "bernoulli-ratio", "twice-cancels", "randomised-response", "textbook-small")
QUICK_FALSE = ("tiny-3", "tiny-6", "dip-4", "cancels", "half-the-noise", "response-tiny", "linear")


def stated(statement):
    name, kind, symbols, left, right, conditions = statement
    ranges = {symbol: (made.Integer if sort == "integer" else made.Real)(symbol, low, high)
              for symbol, (sort, low, high) in symbols.items()}  # fmt: skip
    claim = {
        "order": lambda: made.order(left, to=right, variable="n"),
        "event": lambda: made.event(p=left, q=right, epsilon="epsilon"),
        "inequality": lambda: made.inequality(left, "<=", right),
        "gaussian": lambda: made.gaussian(shift=left, scale="1", epsilon="epsilon", delta=right),
        "laplace": lambda: made.laplace(shift=left, scale="1", epsilon="epsilon", delta=right),
    }[kind]()
    given = {f"c{i}": (text, "given") for i, text in enumerate(conditions)}
    return made.Statement(f"{name}: {{claim}}", ranges, claim, given=given, relation="add")


def searched(statement, seed):
    one = Claim(
        f"known.{statement[0]}.inequality", "known", "nowhere", "inequality", "a statement", "because",
        expected="not refuted", run=lambda run: iter(()), formal=stated(statement),
    )  # fmt: skip
    return find_counterexample(one, seed=seed, seconds=3600.0, evaluations=6_000)


@pytest.mark.few(3)
@pytest.mark.parametrize("statement", [one for one in TRUE if one[0] in QUICK_TRUE], ids=lambda one: one[0])
def test_a_true_statement_is_not_refuted(statement):
    assert not searched(statement, 0).found


@pytest.mark.parametrize("statement", [one for one in FALSE if one[0] in QUICK_FALSE], ids=lambda one: one[0])
def test_a_false_statement_is_found(statement):
    found = searched(statement, 0)
    assert found.found and report(found.certificate)["accepted"]


@pytest.mark.slow
def test_all_statements():
    wrong = [one[0] for one in TRUE if searched(one, 1).found]
    missed = [one[0] for one in FALSE if not searched(one, 1).found]
    print(f"true statements refuted: {wrong} of {len(TRUE)}; false ones missed: {missed} of {len(FALSE)}")
    assert not wrong and len(missed) <= 2
