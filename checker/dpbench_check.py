"""Check certificates of exact verdicts: ``python -m dpbench_check FILE... [--json]``.

A certificate (JSON, described in the README beside this file) states in a paper's symbols what a
verdict rests on: formulas, assumptions, rational values, and rational enclosures of what follows.
The formulas are parsed, never run as code, and evaluated in ball arithmetic; a certificate is
accepted only if every assumption and conclusion is decided, the precision doubled until it is.
What is accepted is said by the kind, from the claim and the values, not by the author.
Exit status: 0 all accepted, 1 one refused, 2 bad use.
"""

import hashlib
import json
import os
import re
import sys
from contextlib import contextmanager
from math import isqrt, lcm, prod
from pathlib import Path

try:
    from flint import arb, arb_poly, ctx, fmpq
except ImportError:
    sys.stderr.write("dpbench_check needs python-flint: pip install python-flint\n")
    raise SystemExit(2) from None

PRECISIONS = (64, 128, 256, 512, 1024, 2048, 4096)  # bits
WIDEST = fmpq(1, 1000)  # relative width of an enclosure
LEAST = fmpq(1, 1000)  # by which doubling a symbol moves the decided ratio
TEXT, FILE = 4000, 2_000_000  # characters of an expression, of a file
BITS = 40_000  # of a rational that is kept as such; beyond it a ball stands for it
TERMS, CELLS = 20_000, 20_000  # of a sum, of a region
COEFFICIENTS = 4096  # of a polynomial that is multiplied out
COUNT = 10**7  # the largest parameter of a tail
OPERATIONS = 2_000_000  # of one certificate; one takes about 4 microseconds at 256 bits or less
ID = r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}"  # of a certificate: no text that a terminal could wrap
OPPOSITE = {"<=": ">", ">=": "<", "<": ">=", ">": "<="}

class Refused(Exception):
    """Why a certificate is not accepted."""
    vacuous: tuple = ()  # symbols that do not move what is decided, where that is the reason

def must(held: bool, why: str) -> None:
    if not held:
        raise Refused(why)
def same(what: str, wanted: object, given: object) -> None:
    if wanted != given:
        raise Refused(f"{what}: {str(wanted)[:300]} is wanted, not {str(given)[:300]}")
@contextmanager
def bits(precision: int):
    """Here alone is the precision of balls set, and it is restored."""
    before, ctx.prec = ctx.prec, precision
    try:
        yield
    finally:
        ctx.prec = before
_left = [OPERATIONS]
def spend(operations: int) -> None:
    """The budget of one certificate: an operation costs more at a higher precision."""
    _left[0] -= operations * max(1, ctx.prec // 256)
    must(_left[0] >= 0, f"more than {OPERATIONS} operations")
def renew() -> None:
    _left[0] = OPERATIONS
def spent() -> int:
    return OPERATIONS - _left[0]

# ---- Grammar: integers, names, + - * / ^ ( ), functions, comparisons -------------------------
BINDING = {"<=": 0, ">=": 0, "<": 0, ">": 0, "=": 0, "+": 1, "-": 1, "*": 2, "/": 2, "^": 4}
FUNCTIONS = {  # name: number of arguments
    "exp": 1, "log": 1, "sqrt": 1, "abs": 1, "erfc": 1, "integer_part": 1, "loggamma": 1,
    "min": 2, "max": 2,
    "betatail": 3, "gammatail": 2, "gaussian_delta": 2, "laplace_delta": 2, "sum": 4,
}
RESERVED = {*FUNCTIONS, "pi", "rest"}
NAME = r"[A-Za-z_][A-Za-z0-9_]*"
TOKEN = re.compile(rf"\s*(?:([0-9]+)|({NAME})|(<=|>=|[-+*/^(),<>=]))", re.ASCII)

def parse(text: object, comparison: bool = False) -> tuple:
    """The tree of an expression or comparison: (operator or function, part, ...), ("num", q),
    ("sym", name). A sign binds tighter than * and looser than ^, which binds to the right."""
    if not isinstance(text, str) or len(text) > TEXT:
        raise Refused(f"an expression is a text of at most {TEXT} characters")
    pieces = list(TOKEN.finditer(text))
    read = "".join(match.group() for match in pieces) == text.rstrip(" \t\n\r")
    must(read, f"cannot read {text[:40]!r}: integers, names and + - * / ^ ( ) only")
    tokens = [*(match.groups() for match in pieces), (None, None, "end")][::-1]
    def level(least: int) -> tuple:
        number, name, sign = tokens.pop()
        if number:
            node: tuple = ("num", fmpq(int(number)))
        elif name and tokens[-1][2] == "(":
            arguments = []
            while tokens[-1][2] == ("," if arguments else "("):
                tokens.pop()
                arguments.append(level(1))
            known = FUNCTIONS.get(name) == len(arguments) and tokens.pop()[2] == ")"
            known = known and (name != "sum" or arguments[0][0] == "sym")
            must(known, f"no function {name} of {len(arguments)} such arguments: {text!r}")
            node = (name, *arguments)
        elif name:
            node = ("pi",) if name == "pi" else ("sym", name)
        elif sign == "-":
            node = ("neg", level(3))
        elif sign == "(":
            node = level(1)
            must(tokens.pop()[2] == ")", f"a bracket is missing in {text!r}")
        else:
            raise Refused(f"cannot read {text!r} at {sign!r}")
        while BINDING.get(tokens[-1][2], -1) >= least:
            operator = tokens.pop()[2]
            node = (operator, node, level(BINDING[operator] + (operator != "^")))
        return node
    node = level(0 if comparison else 1)
    whole = tokens[-1][2] == "end" and (BINDING.get(node[0]) == 0) == comparison
    must(whole, f"{text!r} is not {'a comparison' if comparison else 'an expression'}")
    return node
def rational(text: object) -> fmpq:
    """``p`` or ``p/q``, with a sign: the only numbers there are."""
    form = r"-?[0-9]{1,400}(/[1-9][0-9]{0,399})?"
    if not isinstance(text, str) or not re.fullmatch(form, text):
        raise Refused(f"{str(text)[:60]!r} is not a rational p/q")
    return fmpq(*map(int, text.split("/")))
def num(value: object) -> tuple:
    return ("num", fmpq(value))

ZERO, ONE, TWO, NAN = num(0), num(1), num(2), arb("nan")
def names(node: tuple) -> set[str]:
    """Free symbols of an expression or a comparison."""
    if node[0] == "sym":
        return {node[1]}
    if node[0] == "sum":
        return names(node[2]) | names(node[3]) | (names(node[4]) - {node[1][1]})
    return set().union(*map(names, [part for part in node[1:] if isinstance(part, tuple)]))
def indices(node: tuple) -> set[str]:
    """Running indices of sums; none may be a symbol, a definition, or the index of a sum around."""
    inner = set().union(*(indices(part) for part in node[1:] if isinstance(part, tuple)))
    index = {node[1][1]} if node[0] == "sum" else set()
    must(not index & (inner | RESERVED), f"the index {index} stands for two things")
    return inner | index

def show(node: tuple) -> str:
    """A text that reads as it was parsed."""
    def bracket(part: tuple, least: float) -> str:
        binds = BINDING.get(part[0], 3 if part[0] == "neg" else 9)
        return show(part) if binds >= least else f"({show(part)})"
    if node[0] in ("num", "sym"):
        return str(node[1])
    if node[0] in BINDING:
        at, sign = BINDING[node[0]], node[0] if node[0] in "*/^" else f" {node[0]} "
        right = at + (node[0] != "^")
        return f"{bracket(node[1], at + (node[0] == '^'))}{sign}{bracket(node[2], right)}"
    if node[0] == "neg":
        return f"-{bracket(node[1], 3)}"
    return f"{node[0]}({', '.join(map(show, node[1:]))})" if node[1:] else node[0]

# ---- Values: a rational where only rational operations occur, else a ball ---------------------
class Scope:
    """What symbols stand for: a rational or a definition. Definitions may use symbols and earlier
    definitions, never the index of a sum."""
    def __init__(self, values: dict, definitions: dict, around: "Scope | None" = None) -> None:
        self.values, self.definitions, self.around = values, definitions, around
        self.known, self.precision = {}, 0
    def changed(self, **more: object) -> "Scope":
        return Scope({**self.values, **more}, self.definitions)
    def __getitem__(self, name: str) -> fmpq | arb:
        if self.around is not None and name not in self.values:
            return self.around[name]
        if self.precision != ctx.prec:
            self.known, self.precision = {}, ctx.prec
        if name not in self.known:
            value = self.values.get(name)
            self.known[name] = evaluate(self.definitions[name], self) if value is None else value
        return self.known[name]

def evaluate(node: tuple, scope: Scope) -> fmpq | arb:
    """The value, or a ball that holds it; NaN where it is undefined or not known to be defined."""
    kind = node[0]
    if kind in ("num", "sym"):
        return node[1] if kind == "num" else scope[node[1]]
    spend(20 if kind in FUNCTIONS else 1)
    if kind == "sum":  # sum(i, first, last, term)
        first, last = (integer(evaluate(part, scope)) for part in node[2:4])
        must(last - first < TERMS, f"a sum of more than {TERMS} terms")
        total = fmpq(0)
        spend(2 * max(0, last - first + 1))
        for i in range(first, last + 1):
            inner = Scope({node[1][1]: fmpq(i)}, {}, scope)
            total = short(total + evaluate(node[4], inner))
        return total
    return short(OPERATIONS_OF[kind](*(evaluate(part, scope) for part in node[1:])))
def short(value: fmpq | arb) -> fmpq | arb:
    """A rational of too many digits becomes a ball that holds it."""
    long = isinstance(value, fmpq) and value.p.bit_length() + value.q.bit_length() > BITS
    return arb(value) if long else value
def power(a: fmpq | arb, b: fmpq | arb) -> fmpq | arb:
    whole = isinstance(b, fmpq) and b.q == 1 and abs(b.p) <= BITS
    if whole and isinstance(a, fmpq):
        if a == 0:
            return fmpq(0) if b > 0 else NAN
        if (a.p.bit_length() + a.q.bit_length()) * abs(int(b.p)) <= BITS:
            return a ** int(b.p)
    if whole:
        return arb(a) ** int(b.p) if b.p > 0 or not arb(a).contains(0) else NAN
    return arb(a) ** arb(b) if a > 0 else NAN
def least(a: fmpq | arb, b: fmpq | arb) -> fmpq | arb:
    return a if a <= b else b if b <= a else arb(a).min(arb(b))
def gammatail(s: fmpq | arb, x: fmpq | arb) -> arb:
    """Q(s, x); charged by about the longest time that Arb was seen to take."""
    if not (x >= 0 and s > 0 and s <= COUNT):
        return NAN
    spend((1 + isqrt(int(arb(s).upper().floor().unique_fmpz()))) * ctx.prec // 16)
    return arb(x).gamma_upper(arb(s), regularized=1)
def betatail(x: fmpq | arb, a: fmpq | arb, b: fmpq | arb) -> arb:
    """I_x(a, b), which grows with x and b and falls with a: the ends of balls give its range."""
    if not (x >= 0 and x <= 1 and a > 0 and b > 0 and a <= COUNT and b <= COUNT):
        return NAN
    x, a, b = arb(x), arb(a), arb(b)
    low, high = x.lower().max(arb(0)), x.upper().min(arb(1))
    ends = beta(low, 1 - low, a.upper(), b.lower()), beta(high, 1 - high, a.lower(), b.upper())
    return ends[0].union(ends[1])
def beta(x: arb, y: arb, a: arb, b: arb) -> arb:
    """I_x(a, b), y = 1 - x: x^a y^b/(a B(a, b)) times the sum of prod_{j < k} r_j over k >= 0, with
    r_j = x (a + b + j)/(a + 1 + j). From k on no r is above the larger of r_k and its limit x, so
    that a geometric series bounds the rest. Each term is charged. On the other side of the mean
    it is 1 - I_y(b, a)."""
    if not x > 0:
        return arb(0) if x == 0 else arb(0).union(arb(1))
    if not x * (a + b + 2) <= a + 1:
        return 1 - beta(y, x, b, a) if y * (a + b + 2) <= b + 1 else NAN
    front = a * x.log() + b * y.log() - a.log() - (a.lgamma() + b.lgamma() - (a + b).lgamma())
    term, total, least, k = arb(1), arb(1), arb(2) ** -ctx.prec, 0
    while not term <= least * total:
        spend(1)
        term *= x * (a + b + k) / (a + 1 + k)
        total += term
        k += 1
    ratio = (x * (a + b + k) / (a + 1 + k)).max(x)
    rest = term * ratio / (1 - ratio) if ratio < 1 else arb("inf")
    return front.exp() * (total + arb(0).union(rest))

def profile(kind: str, shift: fmpq | arb, epsilon: fmpq | arb) -> arb:
    """delta(epsilon) of two laws of scale 1 that are `shift` apart, 0 where they are one; it grows
    with the shift and falls with epsilon, so that the ends of balls give its range."""
    if not (shift >= 0 and epsilon >= 0):
        return NAN
    def at(s: arb, e: arb) -> arb:
        if not s > 0:
            return arb(0)
        if kind == "laplace":
            return (1 - ((e - s) / 2).exp()).max(arb(0))
        root, ratio = arb(2).sqrt(), e / s
        near, far = (ratio - s / 2) / root, (ratio + s / 2) / root
        return near.erfc() / 2 - e.exp() * far.erfc() / 2
    s, e = arb(shift), arb(epsilon)
    return at(s.lower(), e.upper()).union(at(s.upper(), e.lower()))
OPERATIONS_OF = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b,
    "/": lambda a, b: a / b if b > 0 or b < 0 else NAN, "^": power,
    "neg": lambda a: -a, "abs": lambda a: abs(a), "pi": lambda: arb.pi(),
    "min": least, "max": lambda a, b: -least(-a, -b), "exp": lambda a: arb(a).exp(),
    "log": lambda a: arb(a).log() if a > 0 else NAN, "erfc": lambda a: arb(a).erfc(),
    "sqrt": lambda a: arb(a).sqrt() if a >= 0 else NAN,
    "betatail": betatail, "gammatail": gammatail,
    "loggamma": lambda a: arb(a).lgamma() if a > 0 else NAN,
    "integer_part": lambda a: fmpq(a.floor()) if isinstance(a, fmpq) else a.floor(),
    "gaussian_delta": lambda s, e: profile("gaussian", s, e),
    "laplace_delta": lambda s, e: profile("laplace", s, e),
}
def integer(value: fmpq | arb) -> int:
    must(isinstance(value, fmpq) and value.q == 1, "an exact integer is wanted")
    return int(value.p)

# ---- Deciding ---------------------------------------------------------------------------------
def factors(node: tuple, scope: Scope, exponent: fmpq, powers: dict) -> fmpq:
    """A product's rational factor; the exponents of its other factors are added to `powers`."""
    kind = node[0]
    spend(5)
    if kind == "sym" and node[1] in scope.definitions:
        return factors(scope.definitions[node[1]], scope, exponent, powers)
    if kind in ("*", "/"):
        first = factors(node[1], scope, exponent, powers)
        more = factors(node[2], scope, exponent if kind == "*" else -exponent, powers)
        return short_factor(first * more)
    if kind in ("sqrt", "^"):
        by = fmpq(1, 2) if kind == "sqrt" else evaluate(node[2], scope)
        if isinstance(by, fmpq) and evaluate(node[1], scope) > 0:
            return factors(node[1], scope, short_factor(exponent * by), powers)
    value = evaluate(node, scope)
    if isinstance(value, fmpq) and value != 0 and (exponent.q == 1 or value == 1):
        base = fmpq(1) if value == 1 else power(value, exponent)
        if isinstance(base, fmpq):
            return base
    key = str(value) if isinstance(value, fmpq) else show(node)
    powers[key] = powers.get(key, 0) + exponent
    return fmpq(1)
def short_factor(value: fmpq) -> fmpq:
    must(value.p.bit_length() + value.q.bit_length() <= BITS, "a number of too many digits")
    return value
def decide(relation: str, left: tuple, right: tuple, scope: Scope) -> bool:
    """Whether the relation holds; refused where 4096 bits do not tell. Equality is recognised
    where both sides are rational, or products that agree factor by factor."""
    for precision in PRECISIONS:
        with bits(precision):
            a, b = evaluate(left, scope), evaluate(right, scope)
            if a < b or a > b:
                return relation in (("<", "<=") if a < b else (">", ">="))
            powers: dict = {}
            over = a > 0 and b > 0 and factors(("/", left, right), scope, fmpq(1), powers)
            if a == b or (over == 1 and not any(powers.values())):
                return relation in ("<=", ">=", "=")
    raise Refused(f"undecided, or undefined: {show(left)} {relation} {show(right)}")
def need(relation: str, left: tuple, right: tuple, scope: Scope, what: str) -> None:
    if not decide(relation, left, right, scope):
        raise Refused(f"{what}: {show(left)} {relation} {show(right)} is false")
def enclosed(pair: object, node: tuple, scope: Scope, what: str) -> tuple[fmpq, fmpq]:
    """The certificate's [low, high], once it is seen to hold the value closely."""
    must(isinstance(pair, list) and len(pair) == 2, f"the enclosure of {what} is [low, high]")
    low, high = map(rational, pair)
    wide = low > high or high - low > WIDEST * max(abs(low), abs(high))
    must(not wide, f"the enclosure of {what} is empty or wide")
    need("<=", num(low), node, scope, f"enclosure of {what}")
    need("<=", node, num(high), scope, f"enclosure of {what}")
    return low, high
@bits(64)
def digits(value: fmpq | tuple, scope: Scope | None = None) -> str:
    """A few digits of a number or an expression, for a reader."""
    value = evaluate(value, scope) if isinstance(value, tuple) else value
    exact = isinstance(value, fmpq) and len(str(value)) < 8
    return str(value) if exact else arb(value).str(6, radius=False)
def added(terms: object) -> tuple:
    terms = list(terms)
    half = len(terms) // 2
    return ("+", added(terms[:half]), added(terms[half:])) if half else [*terms, ZERO][0]

# ---- Fractions of sums of products of atoms ----------------------------------------------------
# A sum is {product: rational}, a product a sorted tuple of (number of an atom, power). An atom is a
# symbol, a formula that is no sum, product, quotient or whole power, or the exponential of a
# product, which alone is never 0 and may have a negative power. At a point at which a formula is
# defined its denominator is not 0, and the fraction is its value; so it is without a product that
# top and bottom share. Where two are defined there, c/d - a/b = (b c - a d)/(b d).
ONE_SUM = {(): fmpq(1)}
SUM_TERMS, WHOLE = 300, 12  # terms of a sum; the largest power that is multiplied out

def sum_of(x: dict, y: dict, sign: int = 1) -> dict:
    terms = dict(x)
    for powers, value in y.items():
        terms[powers] = terms.get(powers, 0) + sign * value
    return {powers: short_factor(value) for powers, value in terms.items() if value != 0}
def product_of(x: dict, y: dict) -> dict:
    spend(1 + len(x) * len(y))
    must(max(len(x), len(y)) <= SUM_TERMS, "a sum of too many terms")
    if ONE_SUM in (x, y):
        return x if y == ONE_SUM else y
    terms: dict = {}
    for p, v in x.items():
        for q, w in y.items():
            powers = dict(p)
            for atom, by in q:
                powers[atom] = powers.get(atom, 0) + by
            joined = tuple(sorted((atom, by) for atom, by in powers.items() if by != 0))
            terms[joined] = terms.get(joined, 0) + v * w
    return {powers: short_factor(value) for powers, value in terms.items() if value != 0}
def shared_by(x: dict) -> dict:
    """The powers of atoms that all terms of a sum share."""
    shared = dict(next(iter(x), ()))
    for powers in x:
        by = dict(powers)
        shared = {one: min(q, by[one]) for one, q in shared.items() if one in by}
    return shared
def without(x: dict, atoms: dict) -> dict:
    """A sum over a product of its atoms."""
    return product_of(x, {tuple(sorted((one, -by) for one, by in atoms.items())): fmpq(1)})
def frozen(x: tuple) -> tuple:
    return tuple(tuple(sorted(part.items())) for part in x)

def common(values: object) -> int:
    """A common denominator."""
    denominators = {int(value.q) for value in values}
    must(sum(map(int.bit_length, denominators)) <= BITS, "denominators of too many digits")
    return lcm(*denominators)
ABOVE = ("exp", "erfc", "abs", "betatail", "gammatail", "gaussian_delta", "laplace_delta")
class Fractions:
    """Formulas as fractions of sums; a definition is read once. Atoms are 0 or more that are
    symbols known to be so, roots, and what the functions `ABOVE` give."""
    def __init__(self, definitions: dict, nonnegative: set = frozenset()) -> None:
        self.definitions, self.nonnegative, self.known = definitions, nonnegative, {}
        self.numbers, self.atoms, self.nodes, self.logs = {}, [], [], {}
    def atom(self, kind: str, key: object, node: tuple) -> int:
        """Its number: ("sym", name), ("exp", product), or a kind and what says which."""
        if (kind, key) not in self.numbers:
            self.numbers[kind, key] = len(self.atoms)
            self.atoms.append((kind, key))
            self.nodes.append(node)
        return self.numbers[kind, key]
    def not_negative(self, one: int) -> bool:
        kind, key = self.atoms[one]
        return kind in ("exp", "root") or (kind == "sym" and key in self.nonnegative)
    def exp(self, x: dict) -> tuple[dict, dict]:
        """exp of a sum of v p is the product of exp(p)^v, where exp(log(u))^v is u^v."""
        quotient, atoms = (ONE_SUM, ONE_SUM), []
        for p, v in x.items():
            kind, key = self.atoms[p[0][0]] if len(p) == 1 and p[0][1] == 1 else ("", "")
            if kind == "log" and v.q == 1 and abs(v.p) <= WHOLE:
                quotient = tuple(map(product_of, quotient, self.whole(self.logs[key], v)))
            else:
                atoms.append((self.atom("exp", p, self.node({p: fmpq(1)})), v))
        return product_of(quotient[0], {tuple(sorted(atoms)): fmpq(1)}), quotient[1]
    def whole(self, x: tuple, n: fmpq) -> tuple[dict, dict]:
        top, bottom = ONE_SUM, ONE_SUM
        for _ in range(abs(int(n))):
            top, bottom = product_of(top, x[0]), product_of(bottom, x[1])
        return (top, bottom) if n >= 0 else (bottom, top)
    def reduced(self, top: dict, bottom: dict) -> tuple[dict, dict]:
        """A fraction without the product that top and bottom share, and over no exponential or
        number alone."""
        if not top or not bottom:
            return top, bottom
        both = shared_by(top)
        goes = {one: min(by, both[one]) for one, by in shared_by(bottom).items() if one in both}
        goes |= {one: by for one, by in shared_by(bottom).items() if self.atoms[one][0] == "exp"}
        top, bottom = without(top, goes), without(bottom, goes)
        if set(bottom) == {()}:
            top, bottom = product_of(top, {(): 1 / bottom[()]}), ONE_SUM
        return top, bottom
    def positive(self, x: dict) -> bool:
        """Sums of exponentials with numbers above 0."""
        return all(v > 0 and all(self.atoms[one][0] == "exp" for one, _ in p) for p, v in x.items())
    def logarithm(self, x: tuple) -> dict | None:
        """log(a/b) = log(a) - log(b) where a, b > 0, and log(e^p u) = p + log(u) for what all terms
        of a sum share."""
        if not (x[0] and all(map(self.positive, x))):
            return None
        terms: dict = {}
        for part, sign in zip(x, (1, -1), strict=True):
            shared = shared_by(part)
            terms = sum_of(terms, {self.atoms[one][1]: by for one, by in shared.items()}, sign)
            rest = without(part, shared), ONE_SUM
            if rest[0] != ONE_SUM:
                key = "log", frozen(rest)
                self.logs[key] = rest
                terms = sum_of(terms, self.one("log", key, ("log", self.node(rest[0])))[0], sign)
        return terms
    def node(self, x: dict) -> tuple:
        """A sum as a formula again."""
        def power(one: int, by: fmpq) -> tuple:
            if self.atoms[one][0] == "exp":
                return ("exp", ("*", num(by), self.nodes[one]))
            return self.nodes[one] if by == 1 else ("^", self.nodes[one], num(by))
        terms = []
        for powers, value in x.items():
            parts = [power(*one) for one in powers]
            term = num(value) if value != 1 or not parts else parts.pop(0)
            for part in parts:
                term = ("*", term, part)
            terms.append(term)
        return added(terms)
    def polynomial(self, x: dict) -> tuple | None:
        """A sum times what is above 0, as variables with their degrees and {powers: whole number}.
        A variable is the root of an atom that makes its powers whole."""
        variables, terms = [], dict.fromkeys(x, ())
        for one in sorted({one for p in x for one, _ in p}):
            spend(len(x))
            powers = [dict(p).get(one, fmpq(0)) for p in x]
            root, least = common(powers), min(fmpq(0), *powers)
            must(least == 0 or self.atoms[one][0] == "exp", "a negative power")
            wholes = [int((by - least) * root) for by in powers]
            variables.append((self.node({((one, fmpq(1, root)),): fmpq(1)}), max(wholes)))
            terms = {p: (*terms[p], by) for p, by in zip(x, wholes, strict=True)}
        sizes = [degree + 1 for _, degree in variables]
        if max(prod(sizes), sum(size**2 for size in sizes)) > COEFFICIENTS:
            return None
        scale = common(x.values())
        return variables, {terms[p]: int(v * scale) for p, v in x.items()}
    def __call__(self, node: tuple) -> tuple[dict, dict]:
        spend(5)
        kind, parts = node[0], node[1:]
        if kind == "num":
            return ({(): parts[0]} if parts[0] != 0 else {}), ONE_SUM
        if kind == "sym" and parts[0] in self.definitions:
            if parts[0] not in self.known:
                self.known[parts[0]] = self(self.definitions[parts[0]])
            return self.known[parts[0]]
        if kind == "neg":
            a, b = self(parts[0])
            return sum_of({}, a, -1), b
        if kind in ("+", "-"):
            (a, b), (c, d), sign = self(parts[0]), self(parts[1]), 1 if kind == "+" else -1
            if b == d:
                return self.reduced(sum_of(a, c, sign), b)
            gap = sum_of(product_of(a, d), product_of(c, b), sign)
            return self.reduced(gap, product_of(b, d))
        if kind in ("*", "/"):
            (a, b), (c, d) = self(parts[0]), self(parts[1])
            if kind == "*":
                return self.reduced(product_of(a, c), product_of(b, d))
            return self.reduced(product_of(a, d), product_of(b, c))
        if kind in ("^", "sqrt"):
            return self.power(node, *map(self, parts))
        if kind == "sym" or kind == "sum" or kind == "pi":
            return self.one("sym" if kind == "sym" else "formula", show(node), node)
        inner = [self(part) for part in parts]
        if kind == "exp" and inner[0][1] == ONE_SUM:
            return self.exp(inner[0][0])
        key = kind, *map(frozen, inner)
        if kind == "log":
            known = self.logarithm(inner[0])
            if known is not None:
                return known, ONE_SUM
            self.logs[key] = inner[0]
        sort = "log" if kind == "log" else "root" if kind in ABOVE else "formula"
        return self.one(sort, key, node)
    def factored(self, x: dict, by: fmpq) -> dict:
        """A power of one product of what is 0 or more, as the product of the powers; else empty."""
        if len(x) != 1:
            return {}
        (powers, v), = x.items()
        if not (v > 0 and all(self.not_negative(one) for one, _ in powers)):
            return {}
        terms = {tuple((one, short_factor(q * by)) for one, q in powers): fmpq(1)}
        root = fmpq(isqrt(int(v.p)), isqrt(int(v.q)))
        if by == fmpq(1, 2) and root * root == v:
            return product_of(terms, {(): root})
        key = frozen(({(): v}, ONE_SUM))
        return terms if v == 1 else product_of(terms, self.one("root", key, num(v), by)[0])
    def one(self, kind: str, key: object, node: tuple, by: fmpq = ONE[1]) -> tuple[dict, dict]:
        return {((self.atom(kind, key, node), by),): fmpq(1)}, ONE_SUM
    def power(self, node: tuple, base: tuple, by: tuple = ({(): fmpq(1, 2)}, ONE_SUM)) -> tuple:
        """A whole power is multiplied out; of a product of exponentials the logarithm is known;
        another power by a number is one of the atom of its base, which is 0 or more there."""
        n, under = by
        number = n.get((), fmpq(0)) if set(n) <= {()} and under == ONE_SUM else None
        if number is not None and number.q == 1 and abs(number.p) <= WHOLE:
            return self.whole(base, number)
        if number == fmpq(1, 2) and all(set(part) == {()} for part in base):  # the root of a square
            roots = [self.factored(part, number) for part in base]
            if all(set(root) == {()} for root in roots):
                return roots[0], roots[1]
        log = self.logarithm(base)
        if log is not None and under == ONE_SUM:
            return self.exp(product_of(n, log))
        if number is None:
            return self.one("formula", ("^", frozen(base), frozen(by)), node)
        top, bottom = (self.factored(part, abs(number)) for part in base)
        if top and bottom:
            return (top, bottom) if number > 0 else (bottom, top)
        sort = "formula" if number.q == 1 else "root"
        root, one = self.one(sort, frozen(base), node[1], abs(number))
        return (root, one) if number > 0 else (one, root)
def simpler(relation: str, left: tuple, right: tuple, known: Fractions) -> list:
    """The comparison without fractions, equal terms and common factors, if there is such: where
    the denominator is not negative it is above 0 (it is not 0), and left <= right if and only if
    that is so of the terms of b c - a d below and above 0. A denominator that is not a sum of
    products that are 0 or more comes with it: it is to be seen on the cell. A common factor that is
    0 or more may go; of a strict comparison it has to be never 0. Last is the gap's polynomial."""
    try:
        (a, b), (c, d) = known(left), known(right)
        below, gap = product_of(b, d), sum_of(product_of(b, c), product_of(a, d), -1)
        if not gap:
            return [(relation, ZERO, ZERO, None, None)]
        plain = all(v > 0 and all(known.not_negative(one) for one, _ in p)
                    for p, v in below.items())
        goes = {one: by for one, by in shared_by(gap).items() if known.atoms[one][0] == "exp"
                or (relation[1:] and known.not_negative(one))}
        gap = without(gap, goes)
        parts = [{p: abs(v) for p, v in gap.items() if (v > 0) == up} for up in (False, True)]
        needs = None if plain else ("<=", ZERO, known.node(below), None, known.polynomial(below))
        return [(relation, *map(known.node, parts), needs, known.polynomial(gap))]
    except Refused:
        return []

# ---- Growth for all t: bounds c t^a log(t)^b on a half-line -----------------------------------
class Moving:
    """Which formulas lead to a symbol that runs; each is looked through once."""
    def __init__(self, symbols: set, definitions: dict) -> None:
        self.names, self.known = set(symbols), {}
        for name, node in definitions.items():
            self.names |= {name} if names(node) & self.names else set()
    def __call__(self, node: tuple) -> bool:
        if id(node) not in self.known:
            parts = [part for part in node[1:] if isinstance(part, tuple)]
            held = node[1] in self.names if node[0] == "sym" else any(list(map(self, parts)))
            self.known[id(node)] = held, node  # the node is kept, so that its id is its own
        return self.known[id(node)][0]

def over(m: tuple, n: tuple) -> tuple:
    """m/n of two bounds."""
    return m[0] / n[0], m[1] - n[1], m[2] - n[2]
def least_of(c: arb) -> arb:
    """A constant of a lower bound: exact, 0 where nothing is known."""
    return c.lower() if c > 0 else arb(0)
def most_of(c: arb) -> arb:
    """A constant of an upper bound: exact, infinite where nothing is known."""
    return arb("inf") if c.is_nan() else c.upper().max(arb(0))

class HalfLine:
    """Bounds of expressions in t for all t >= 2^`first`, first >= 2: (sign, low, high), where low
    and high bound the absolute value; a bound is (c, a, b) for c t^a log(t)^b, with an exact c >= 0
    (`least_of`, `most_of`): of what is not known to be 0 no bound drops a term. L is log(t), which
    is above 1; each rule says why it holds."""
    def __init__(self, t: str, first: int, scope: Scope) -> None:
        self.scope, self.start = scope, arb(2).log() * first
        self.made, self.moving = {}, Moving({t}, scope.definitions)
        self.made[t] = self.exact(1, (arb(1), fmpq(1), fmpq(0)))
    def exact(self, sign: int, low: tuple, high: tuple | None = None) -> tuple:
        """The same with constants rounded outwards: smaller below, larger above."""
        high = low if high is None else high
        return sign, (least_of(low[0]), *low[1:]), (most_of(high[0]), *high[1:])
    def top(self, m: tuple) -> arb:
        """The supremum of c e^(aL) L^b. If a < 0 < b it rises up to L = -b/a and falls from there;
        if a > 0, or a = 0 < b, it has no bound; else it falls from the start on."""
        c, a, b = m
        if c == 0 or (a, b) > (0, 0):
            return arb(0) if c == 0 else arb("inf")
        at = self.start.max(arb(-b / a)) if a < 0 < b else self.start
        return c * (arb(a) * at).exp() * at ** arb(b)
    def bottom(self, m: tuple) -> arb:
        """The infimum: 1 over the supremum of the inverse."""
        most = self.top((1 / m[0], -m[1], -m[2])) if m[0] > 0 else arb("inf")
        return 1 / most if most.is_finite() and most > 0 else arb(0)
    def both(self, m: tuple, n: tuple, end: object) -> tuple:
        """A bound of a sum: with m the larger power, m + n = m (1 + n/m), and n/m is at least its
        infimum, at most its supremum. Where m is 0 the sum is n."""
        m, n = (m, n) if m[1:] >= n[1:] else (n, m)
        return n if m[0] == 0 else (m[0] * (1 + end(over(n, m))), *m[1:])
    def of(self, node: tuple) -> tuple:
        """By the rule of each part; what does not move is c t^0 L^0, and needs a sign."""
        spend(10)
        kind = node[0]
        if not self.moving(node):
            value = arb(evaluate(node, self.scope))
            must(value > 0 or value < 0 or value == 0, f"{show(node)} has no sign, or no value")
            return self.exact(-1 if value < 0 else 1, (abs(value), fmpq(0), fmpq(0)))
        if kind == "sym":
            if node[1] not in self.made:
                self.made[node[1]] = self.of(self.scope.definitions[node[1]])
            return self.made[node[1]]
        if kind == "^":
            must(not self.moving(node[2]), "an exponent that moves")
            return self.exact(*self.raised(self.of(node[1]), evaluate(node[2], self.scope)))
        must(kind in RULES, f"no rule for {kind} of what moves")
        return self.exact(*RULES[kind](self, *map(self.of, node[1:])))
    def joined(self, f: tuple, g: tuple) -> tuple:
        """f + g. Of opposite signs one must be the larger for all t: if |g| <= s |f| with s < 1,
        then (1 - s)|f| <= |f + g| <= |f|."""
        if f[0] == g[0]:
            return f[0], self.both(f[1], g[1], self.bottom), self.both(f[2], g[2], self.top)
        for (sign, low, high), (_, _, less) in ((f, g), (g, f)):
            share = self.top(over(less, low)) if low[0] > 0 else arb("inf")
            if share < 1:
                return sign, (low[0] * (1 - share), *low[1:]), high
        raise Refused("the sign of a difference is not decided for all t")
    def raised(self, f: tuple, q: object) -> tuple:
        """f^q, f > 0: it rises with f if q > 0, and does not if q <= 0."""
        sign, low, high = f
        must(isinstance(q, fmpq) and sign > 0, "a rational power of what is positive")
        must(q > 0 or bool(low[0] > 0), "a negative power of what may be 0")
        ends = [(m[0] ** arb(q) if m[0] > 0 else m[0], short_factor(m[1] * q), m[2] * q)
                for m in (low, high)]
        return (1, *(ends if q > 0 else ends[::-1]))
    def times(self, f: tuple, g: tuple) -> tuple:
        """|f g| = |f| |g|."""
        pairs = zip(f[1:], g[1:], strict=True)
        return (f[0] * g[0], *((m[0] * n[0], m[1] + n[1], m[2] + n[2]) for m, n in pairs))
    def by(self, f: tuple, g: tuple) -> tuple:
        """f/g: 1/|g| is between the inverses of the bounds of |g|."""
        must(bool(g[1][0] > 0), "a division by what may be 0")
        return self.times(f, (g[0], *((1 / m[0], -m[1], -m[2]) for m in (g[2], g[1]))))
    def least(self, f: tuple, g: tuple) -> tuple:
        """min(f, g) of what is positive: at least m min(1, inf n/m), where m has the smaller power
        of the two lower bounds; at most either upper bound."""
        must(f[0] > 0 and g[0] > 0, "min of what is positive only")
        m, n = sorted((f[1], g[1]), key=lambda m: m[1:])
        share = self.bottom(over(n, m)).min(arb(1)) if m[0] > 0 else arb(0)
        return 1, (m[0] * share, *m[1:]), min(f[2], g[2], key=lambda m: m[1:])
    def exp(self, f: tuple) -> tuple:
        """Between the exponentials of the ends. Of -u, where u >= c t^a L^b grows without end, it
        is also at most (k/(e u))^k for any k > 0, since u^k e^-u is greatest at u = k."""
        sign, low, high = f
        least, most = self.bottom(low), self.top(high)
        ends = (least.exp(), most.exp()) if sign > 0 else ((-most).exp(), (-least).exp())
        ordered = [(c, fmpq(0), fmpq(0)) for c in ends]
        if sign < 0 and low[0] > 0 and low[1:] > (0, 0):
            k = fmpq(max(1, min(10**4, int(float(least.lower())))))
            ordered[1] = ((arb(k) / low[0]) ** arb(k) * arb(-k).exp(), -low[1] * k, -low[2] * k)
        return (1, *ordered)
    def log(self, f: tuple) -> tuple:
        """log f of f >= 1, and -log(1/f) of f <= 1. With f between two bounds c t^a L^b it is
        between two numbers log c + a L + b log L. Divided by L these are a + log c/L + b log L/L,
        where 0 <= 1/L <= 1/start and 0 <= log L/L <= log(at)/at, at the larger of start and e."""
        sign, low, high = f
        must(sign > 0 and bool(low[0] > 0), "a logarithm of what is positive")
        if not self.bottom(low) >= 1:
            must(bool(self.top(high) <= 1), "a logarithm whose sign is not decided for all t")
            _, low, high = self.exact(1, *((1 / m[0], -m[1], -m[2]) for m in (high, low)))
            sign = -1
        at = self.start.max(arb(1).exp())
        ordered = []
        for (c, a, b), side in ((low, arb.min), (high, arb.max)):
            if a == b == 0:
                ordered.append((c.log(), fmpq(0), fmpq(0)))
            else:
                share = arb(a) + side(c.log(), arb(0)) / self.start
                ordered.append((share + side(arb(b), arb(0)) * at.log() / at, fmpq(0), fmpq(1)))
        return (sign, *ordered)
UNIT = (1, *[(arb(1), fmpq(0), fmpq(0))] * 2)
RULES = {  # of a half-line and the bounds of the parts
    "+": HalfLine.joined, "-": lambda h, f, g: h.joined(f, (-g[0], *g[1:])),
    "*": HalfLine.times, "/": HalfLine.by, "neg": lambda h, f: (-f[0], *f[1:]),
    "sqrt": lambda h, f: h.raised(f, fmpq(1, 2)), "min": HalfLine.least,
    "max": lambda h, f, g: h.by(UNIT, h.least(h.by(UNIT, f), h.by(UNIT, g))),
    "exp": HalfLine.exp, "log": HalfLine.log,
}

# ---- Regions: intervals with slopes, ends may be infinite -------------------------------------
# An interval is (low, high), exact balls; a bound is (interval, {symbol: interval of its slope}).
# A formula that may be undefined inside a cell is ALL there, and so are its slopes: ALL is that one
# object, so that `is ALL` says "unknown", and an interval that is the whole line by right is
# another. An end of a cell at which a formula is undefined (log at 0) is no point of the region; 0
# times an infinite end is 0. On a face neither may occur (`unknown`): what is known of the face
# must be known of its points.
# A face is taken along a slope that keeps its sign on the cell. No pole lies between a point and
# its face: 1/u with u >= 0 that touches 0 has a slope without an end where u moves, so that u moves
# towards the pole on one side of a point alone, and on that side the face is at the pole too.
NIL, UNITY, ALL = (arb(0), arb(0)), (arb(1), arb(1)), (arb("-inf"), arb("inf"))

def hull(*values: arb) -> tuple:
    if any(value.is_nan() for value in values):
        return ALL
    return min(map(arb.lower, values)), max(map(arb.upper, values))
def plus(x: tuple, y: tuple) -> tuple:
    low, high = x[0] + y[0], x[1] + y[1]
    return ALL[0] if low.is_nan() else low.lower(), ALL[1] if high.is_nan() else high.upper()
def minus(x: tuple) -> tuple:
    return -x[1], -x[0]
def product(a: arb, b: arb) -> arb:
    return arb(0) if a == 0 or b == 0 else a * b
def times(x: tuple, y: tuple) -> tuple:
    if x is UNITY or y is UNITY:
        return y if x is UNITY else x
    if x[0] >= 0 and y[0] >= 0:
        return product(x[0], y[0]).lower(), product(x[1], y[1]).upper()
    return hull(*(product(a, b) for a in x for b in y))
def inverse(x: tuple) -> tuple:
    if x[0] < 0 and x[1] <= 0:
        return minus(inverse(minus(x)))
    if not (x[0] >= 0 and x[1] > 0):
        return ALL
    low = (1 / x[1]).lower() if x[1].is_finite() else arb(0)
    return low, (1 / x[0]).upper() if x[0] > 0 else ALL[1]
def grown(f: object, x: tuple, low: arb, high: arb) -> tuple:
    """A function that grows, from `low` at minus infinity to `high` at infinity."""
    ends = [f(end) if end.is_finite() else low if end < 0 else high for end in x]
    return ALL if any(end.is_nan() for end in ends) else (ends[0].lower(), ends[1].upper())
def raised(x: tuple, q: object) -> tuple:
    """x^q for a number q."""
    if q == 0:
        return UNITY
    if q < 0:
        return inverse(raised(x, -q))
    whole = isinstance(q, fmpq) and q.q == 1 and q.p <= BITS
    if whole and q.p % 2 == 0 and x[0] < 0:
        x = minus(x) if x[1] <= 0 else (arb(0), (-x[0]).max(x[1]))
    if not (q > 0 and (whole or x[0] >= 0)):
        return ALL
    by = int(q.p) if whole else arb(q)
    return grown(lambda end: end if end == 0 else end ** by, x, *ALL)
def logarithm(x: tuple) -> tuple:
    if not (x[0] >= 0 and x[1] > 0):
        return ALL
    return grown(lambda end: end.log() if end > 0 else ALL[0], x, *ALL)

PIECES = ("integer_part", "min", "max", "abs", "laplace_delta")
def pieced(node: tuple, definitions: dict) -> bool:
    """Whether a formula has a part that may be constant, or fold, inside a cell."""
    spend(1)
    if node[0] == "num":
        return False
    if node[0] == "sym":
        return node[1] in definitions and pieced(definitions[node[1]], definitions)
    return node[0] in PIECES or any(pieced(part, definitions) for part in node[1:])

class Cell:
    """Bounds of expressions, with slopes, on a cell of a region."""
    def __init__(self, sides: dict, scope: Scope, moving: Moving, face: bool = False) -> None:
        self.sides, self.scope, self.moving, self.face, self.made = sides, scope, moving, face, {}
        self.undefined = False  # whether some part may be undefined at a point inside the cell
        self.touched = False  # or at an end: 1/x, log x at x = 0
        self.unknown = False  # or 0 met infinity: on a face nothing is seen then
    def of(self, node: tuple) -> tuple:
        """Bounds and slopes, read once: what is met on the way is kept as well."""
        if id(node) not in self.made:
            self.made[id(node)] = self.read(node), node  # it is kept, so that its id is its own
        return self.made[id(node)][0]
    def read(self, node: tuple) -> tuple:
        spend(10)
        kind, parts = node[0], node[1:]
        if not self.moving(node):
            return self.chain(hull(arb(evaluate(node, self.scope))))
        if kind == "sym":
            if parts[0] not in self.sides:
                return self.of(self.scope.definitions[parts[0]])
            low, high = self.sides[parts[0]]
            return (low, high), {} if low == high else {parts[0]: UNITY}
        if kind == "^" and not self.moving(parts[1]):
            x, q = self.of(parts[0]), evaluate(parts[1], self.scope)
            if not q >= 0:
                self.met(parts[0], x[0])
            return self.chain(raised(x[0], q), (x, times(hull(arb(q)), raised(x[0], q - 1))))
        must(kind in SLOPES, f"no rule for {kind} on a region")
        cells = list(map(self.of, parts))
        values = [one[0] for one in cells]
        if kind in ("/", "log", "loggamma") or (kind == "^" and not values[1][0] > 0):
            self.met(parts[1 if kind == "/" else 0], values[1 if kind == "/" else 0])
        if kind == "^":  # exp(n log x), of a base x that is nowhere negative
            values[0] = logarithm(values[0])
        value, slopes = SLOPES[kind](*values)
        if kind in ("*", "/", "^"):
            sides = [values[0], values[1] if kind != "/" else inverse(values[1])]
            infinite = not all(end.is_finite() for side in sides for end in side)
            # `times` gives 0 for 0 times infinity. At a point inside both factors are numbers, and
            # it is right; on the face x = 0 of x*(1/x), which is 1 at each point, it is not.
            self.unknown |= infinite and any(side == NIL for side in sides)
        if kind == "^":
            slopes[0] = times(slopes[0], inverse(cells[0][0]))
        return self.chain(value, *zip(cells, slopes, strict=True))
    def met(self, node: tuple, x: tuple) -> None:
        """0, the end of where a function of this part is defined. A part in pieces, such as
        max(x, 0), may be 0 at many points inside the cell."""
        if x[0] <= 0 and x[1] >= 0:
            self.touched = True
            self.undefined |= pieced(node, self.scope.definitions)
    def chain(self, value: tuple, *parts: tuple) -> tuple:
        slopes: dict = {}
        for (_, inner), by in parts:
            for name, one in inner.items():
                more = times(by, one)
                slopes[name] = plus(slopes[name], more) if name in slopes else more
        if value is ALL:  # a rule gives that one object where its formula may be undefined
            self.unknown = self.undefined = True
        return value, dict.fromkeys(slopes, ALL) if value is ALL else slopes
    def gaps(self, left: tuple, right: tuple) -> list:
        """right - left, and where both are positive the log of their ratio: either decides."""
        (a, by_a), (b, by_b) = self.of(left), self.of(right)
        if self.face and self.unknown:
            return []
        keys = {*by_a, *by_b}
        pairs = [(plus(b, minus(a)), UNITY, UNITY)]
        if a[0] > 0 and b[0] > 0:
            pairs.append((plus(logarithm(b), minus(logarithm(a))), inverse(a), inverse(b)))
        return [(gap, {k: plus(times(over_b, by_b.get(k, NIL)),
                               minus(times(over_a, by_a.get(k, NIL)))) for k in keys})
                for gap, over_a, over_b in pairs]
    def false(self, relation: str, left: tuple, right: tuple) -> bool:
        """Whether a comparison is false on the whole cell."""
        low, high = plus(self.of(right)[0], minus(self.of(left)[0]))
        low, high = (low, high) if relation in ("<=", "<") else (-high, -low)
        return bool(high < 0) or (relation in "<>" and bool(high <= 0))
    def nothing(self, given: list) -> bool:
        """Whether something that is given is false on the whole cell."""
        return any(self.false(*one) for one in given)
    def faces(self, gaps: list, given: list) -> tuple[list, list]:
        """The faces at which a gap is least, by slopes that keep their sign; and what is given that
        is not known to hold on the whole cell. No face is taken across a symbol of that: it may be
        false on the face and true inside."""
        opened = [one for one in given if not self.false(OPPOSITE[one[0]], *one[1:])]
        fixed = reached([part for one in opened for part in one[1:]], self.scope.definitions)
        faces: list = []
        for _, slopes in gaps:
            face: dict = {}
            for name, by in slopes.items():
                low, high = self.sides[name]
                if by[1] <= 0 and high.is_finite() and name not in fixed:
                    face[name] = high, high
                if by[0] >= 0 and low.is_finite() and name not in fixed:
                    face[name] = low, low
            faces += [face] if face and face not in faces else []
        return faces, opened
    def seen(self, forms: list, given: list) -> bool:
        """Whether one of the forms of a comparison holds wherever what is given does."""
        cell = Cell(self.sides, self.scope, self.moving)  # what was met here is said of other sides
        return any(self.held(*form[:3], given, form[4]) for form in forms
                   if form[3] is None or cell.seen([form[3]], given))
    def multiplied(self, variables: list, terms: dict, relation: str) -> bool:
        """Whether a polynomial holds a relation: t in [a, b] is (a v + b u)/(v + u), u, v >= 0, not
        both 0, and a if a = b; t in [a, inf) is (a v + u)/v, t in (-inf, b] is (b v - u)/v.
        Multiplied out it is nowhere negative if no coefficient is, and above 0 if all are."""
        rows, sign = [], 1 if relation in ("<=", "<") else -1
        box = Cell(self.sides, self.scope, self.moving)  # what is met in a variable is no matter
        for node, degree in variables:
            low, high = box.of(node)[0]
            above, below = low.is_finite(), high.is_finite()
            if not (above or below):
                return False
            over = arb_poly([low, high if below else 1] if above else [high, -1])
            under = arb_poly([1, 1] if above and below else [1])
            spend((degree + 1) ** 2)
            powers = [over**k * under ** (degree - k) for k in range(degree + 1)]
            rows.append([[p[j] for p in powers] for j in range(1 if low == high else degree + 1)])
        values = coefficients({powers: arb(sign * value) for powers, value in terms.items()}, rows)
        return all(value > 0 or (relation[1:] and value >= 0) for value in values)
    def held(self, relation: str, left: tuple, right: tuple, given: list, gap: tuple = ()) -> bool:
        """Whether the relation holds wherever what is given does: seen on the cell, or on a face
        where right - left is least."""
        if self.nothing(given):
            return True
        sides = (left, right) if relation in ("<=", "<") else (right, left)
        gaps = self.gaps(*sides)
        if any(gap[0] > 0 or (relation[1:] and gap[0] >= 0) for gap, _ in gaps):
            return True
        if gap and self.multiplied(*gap, relation):
            return True
        faces, opened = self.faces(gaps, given)
        on_faces = (Cell({**self.sides, **f}, self.scope, self.moving, True) for f in faces)
        return any(on_face.held(relation, left, right, opened) for on_face in on_faces)

def coefficients(terms: dict, rows: list) -> object:
    """Of a polynomial {powers: value} whose i-th variable to the power k has them rows[i][:][k]."""
    spend(1 + len(terms) // 8)
    for row in rows[0] if rows else ():
        inner: dict = {}
        for (k, *powers), value in terms.items():
            inner[tuple(powers)] = inner.get(tuple(powers), 0) + row[k] * value
        yield from coefficients(inner, rows[1:])
    if not rows:
        yield from terms.values()
def lesser(x: tuple, y: tuple) -> tuple:
    """min, and the shares that its sides have in its slope."""
    some = hull(*NIL, *UNITY)
    shares = (UNITY, NIL) if x[1] <= y[0] else (NIL, UNITY) if y[1] <= x[0] else (some, some)
    return (hull(x[0].min(y[0]))[0], hull(x[1].min(y[1]))[1]), shares
def greater(x: tuple, y: tuple) -> tuple:
    value, shares = lesser(minus(x), minus(y))
    return minus(value), shares
def absolute(x: tuple) -> tuple:
    value, (above, below) = greater(x, minus(x))
    return value, [plus(above, minus(below))]
def exponential(x: tuple) -> tuple:
    value = grown(arb.exp, x, arb(0), ALL[1])
    return value, [value]
def moved(log: tuple, n: tuple) -> tuple:
    """x^n of log x and n: at x = 0 a positive integer n gives 0, which is the limit. The slope by
    log x is n x^n, that by n is log(x) x^n."""
    value = ALL if log is ALL else exponential(times(n, log))[0]
    return value, [times(value, n), times(value, log)]
def rooted(x: tuple) -> tuple:
    return raised(x, fmpq(1, 2)), [times(hull(arb(1) / 2), raised(x, fmpq(-1, 2)))]
def complement(x: tuple) -> tuple:
    """erfc"""
    value = minus(grown(lambda end: -end.erfc(), x, arb(-2), arb(0)))
    return value, [times(hull(-2 / arb.pi().sqrt()), exponential(minus(raised(x, fmpq(2))))[0])]
def whole_part(x: tuple) -> tuple:
    """integer_part: between two jumps it does not move; a cell with a jump has no slope."""
    value = grown(arb.floor, x, *ALL)
    return value, [NIL if value[0] == value[1] else ALL]
def log_gamma(x: tuple) -> tuple:
    """It is convex, least at 1.46..., where it is -0.12148...; its slope, digamma, rises."""
    if not (x[0] >= 0 and x[1] > 0):
        return ALL, [ALL]
    def at(end: arb) -> arb:
        return end.lgamma() if end > 0 and end.is_finite() else ALL[1]
    slope = grown(lambda end: end.digamma() if end > 0 else ALL[0], x, *ALL)
    low = at(x[0]) if slope[0] >= 0 else at(x[1]) if slope[1] <= 0 else arb(fmpq(-1215, 10000))
    return (hull(low)[0], hull(at(x[0]), at(x[1]))[1]), [slope]
def divided(x: tuple, y: tuple) -> tuple:
    under = inverse(y)
    value = ALL if under is ALL else times(x, under)
    return value, [under, minus(times(x, times(under, under)))]
def mills(x: arb) -> arb:
    """(1 - Phi(x))/phi(x), which falls from infinity to 0."""
    return (x**2 / 2).exp() * (x / arb(2).sqrt()).erfc() * (arb.pi() / 2).sqrt()
def gaussian(s: tuple, e: tuple) -> tuple:
    """gaussian_delta: with a = s/2 - e/s and b = s/2 + e/s its slopes are phi(a) by the shift and
    -e^e Phi(-b) = -phi(a) mills(b) by epsilon."""
    if not (s[0] >= 0 and e[0] >= 0):
        return ALL, [ALL, ALL]
    def at(shift: arb, epsilon: arb) -> arb:
        if shift == 0 or not epsilon.is_finite():
            return arb(0)
        return profile("gaussian", shift, epsilon) if shift.is_finite() else arb(1)
    value = hull(at(s[0], e[1]), at(s[1], e[0]))
    half, ratio = times(s, hull(arb(1) / 2)), times(e, inverse(s))
    spread = times(raised(plus(half, minus(ratio)), fmpq(2)), hull(arb(1) / 2))
    density = times(exponential(minus(spread))[0], hull(1 / (2 * arb.pi()).sqrt()))
    room = minus(grown(lambda x: -mills(x), plus(half, ratio), ALL[0], arb(0)))
    return value, [density, minus(times(density, room))]
def laplace(s: tuple, e: tuple) -> tuple:
    """laplace_delta"""
    if not (s[0] >= 0 and e[0] >= 0):
        return ALL, [ALL, ALL]
    shrunk = exponential(times(plus(e, minus(s)), hull(arb(1) / 2)))[0]
    value, (_, share) = greater(NIL, plus(UNITY, minus(shrunk)))
    by = times(share, times(shrunk, hull(arb(1) / 2)))
    return value, [by, minus(by)]
SLOPES = {  # of the intervals of the parts: the value's interval, and the slopes by the parts
    "+": lambda x, y: (plus(x, y), [UNITY, UNITY]),
    "-": lambda x, y: (plus(x, minus(y)), [UNITY, minus(UNITY)]),
    "*": lambda x, y: (times(x, y), [y, x]), "/": divided, "^": moved,
    "neg": lambda x: (minus(x), [minus(UNITY)]), "exp": exponential, "sqrt": rooted,
    "log": lambda x: (logarithm(x), [inverse(x)]), "erfc": complement, "min": lesser,
    "max": greater, "abs": absolute, "integer_part": whole_part, "loggamma": log_gamma,
    "gaussian_delta": gaussian, "laplace_delta": laplace,
}

# ---- Tasks: what is left to be seen, and on which cell -----------------------------------------
# A goal is (what has to be defined, forms): one of the forms, each (relation, left, right) or that
# with a denominator, has to hold on a cell wherever what is given does. A task is (cell, goals,
# given); what is done to it leaves tasks from which it follows.
DERIVATIVES = {  # of the parts: the derivative by each
    "+": lambda u, v: (ONE, ONE), "-": lambda u, v: (ONE, num(-1)), "*": lambda u, v: (v, u),
    "/": lambda u, v: (("/", ONE, v), ("neg", ("/", u, ("^", v, TWO)))),
    "neg": lambda u: (num(-1),), "exp": lambda u: (("exp", u),), "log": lambda u: (("/", ONE, u),),
    "sqrt": lambda u: (("/", num(fmpq(1, 2)), ("sqrt", u)),),
    "^": lambda u, v: (("*", v, ("^", u, ("-", v, ONE))), ("*", ("^", u, v), ("log", u))),
    "erfc": lambda u: (("/", ("*", num(-2), ("exp", ("neg", ("^", u, TWO)))), ("sqrt", ("pi",))),),
}
def derivative(node: tuple, by: str, moving: Moving, definitions: dict) -> tuple:
    """By a symbol: the sum over the parts of the derivative by the part times that of the part."""
    spend(5)
    kind, parts = node[0], node[1:]
    if not moving(node):
        return ZERO
    if kind == "sym":
        return ONE if parts[0] == by else derivative(definitions[parts[0]], by, moving, definitions)
    must(kind in DERIVATIVES, f"no derivative of {kind}")
    terms = zip(DERIVATIVES[kind](*parts), parts, strict=True)
    return added(("*", outer, derivative(part, by, moving, definitions))
                 for outer, part in terms if moving(part))
def put(node: tuple, by: str, value: tuple, moving: Moving, definitions: dict) -> tuple:
    """A formula with a value in the place of a symbol, in definitions too."""
    spend(1)
    if not moving(node):
        return node
    if node[0] == "sym":
        inner = definitions.get(node[1], ())
        return value if node[1] == by else put(inner, by, value, moving, definitions)
    return (node[0], *(put(part, by, value, moving, definitions) for part in node[1:]))

class Tasks:
    """What is done to tasks: "symbol value" cuts a cell, "symbol rises" or "symbol falls" goes from
    a comparison to its derivative and to a face, "" sees it."""
    def __init__(self, scope: Scope, sides: dict) -> None:
        self.scope, self.moving = scope, Moving(set(sides), scope.definitions)
        self.nonnegative = {name for name, (low, _) in sides.items() if low >= 0}
        self.nonnegative |= {name for name, value in scope.values.items() if value >= 0}
        self.by: dict = {}
        self.partly = False  # whether a side may be undefined at the end of a cell
        self.given, self.zeros = [], {}  # what is known of all points; what may be 0 there
    def forms(self, one: tuple) -> list:
        """A comparison as it stands, and simpler. Atoms are its own parts, and of no other one, so
        that they are defined where it is."""
        known = Fractions(self.scope.definitions, self.nonnegative)
        return [(*one, None, None), *simpler(*one, known)]
    def goal(self, one: tuple, sides: tuple = ()) -> tuple:
        return sides, self.forms(one)
    def cell(self, sides: dict) -> Cell:
        return Cell(sides, self.scope, self.moving)
    def unseen(self, task: tuple) -> list:
        """The goals that the cell does not show: what has to be defined is not seen to be so, or no
        form holds wherever what is given does."""
        cell, goals, given = task
        if goals and self.cell(cell).nothing(given):
            return []
        left = []
        for sides, forms in goals:
            box = self.cell(cell)
            if not (self.defined(sides, box) and box.seen(forms, given)):
                left.append((sides, forms))
        return left
    def defined(self, sides: tuple, inside: Cell) -> bool:
        """Whether formulas are defined inside a cell."""
        for side in sides:
            inside.of(side)
        self.partly |= inside.touched and not inside.undefined
        return not inside.undefined or all(self.within(one, inside.sides, False) for one in sides)
    def positive(self, node: tuple, cell: dict) -> bool:
        """Whether a formula is above 0 at every point of a cell at which it is defined: seen, or at
        least the gap b - a of an a < b that is given, or made of such by products and powers."""
        if self.cell(cell).of(node)[0][0] > 0:
            return True
        wanted, (kind, *parts) = [("<", ZERO, node)], node
        for relation, left, right in self.given:
            gap = ("-", right, left) if relation[0] == "<" else ("-", left, right)
            wanted.append(("<" if relation[1:] else "<=", ZERO, ("-", node, gap)))
        if self.given and kind == "sym" and parts[0] in self.scope.definitions:
            return self.positive(self.scope.definitions[parts[0]], cell)
        factors = {"*": parts, "/": parts, "^": parts[:1], "sqrt": parts}.get(kind, [])
        if self.given and factors and all(self.positive(part, cell) for part in factors):
            return True
        return any(self.cell(cell).seen(self.forms(one), []) for one in wanted)
    def within(self, node: tuple, cell: dict, smooth: bool) -> bool:
        """Whether at every point of a cell, its ends included, all parts of a formula are inside of
        where they are defined; if it is to be smooth, each with a derivative."""
        kind, parts = node[0], node[1:]
        if not self.moving(node):
            return self.cell(cell).of(node)[0] is not ALL
        if kind == "sym":
            return parts[0] in cell or self.within(self.scope.definitions[parts[0]], cell, smooth)
        known = kind in DERIVATIVES or (not smooth and (kind in (*PIECES[:4], "loggamma")
                                                        or self.cell(cell).of(node)[0] is not ALL))
        if not known or not all(self.within(part, cell, smooth) for part in parts):
            return False
        if kind == "/":
            apart = any(self.positive(part, cell) for part in (parts[1], ("neg", parts[1])))
            self.zeros |= {} if apart else {show(parts[1]): None}
            return apart
        by = None if kind != "^" or self.moving(parts[1]) else evaluate(parts[1], self.scope)
        if kind in ("log", "sqrt", "loggamma") or (kind == "^" and not (
                isinstance(by, fmpq) and by.q == 1 and by >= 0)):
            above = self.positive(parts[0], cell)
            self.zeros |= {} if above else {show(parts[0]): None}
            return above
        return True
    def after(self, task: tuple, done: str) -> list:
        """The tasks that are left."""
        cell, goals, given = task
        name, _, how = done.partition(" ")
        if not done:
            for goal in self.unseen(task)[:1]:
                shown = ", ".join(f"{n} in [{a.str(4)}, {b.str(4)}]" for n, (a, b) in cell.items())
                raise Refused(f"not seen on the cell {shown}: {show(goal[1][0][:3])}")
            return []
        if how in ("rises", "falls"):
            return self.sloped(task, self.unseen(task), name, how == "rises")
        at = arb(rational(how))
        low, high = cell.get(name, (at, at))
        must(bool(low < at.lower() and at.upper() < high), "a cut is inside its cell")
        return [({**cell, name: side}, goals, given)
                for side in ((low, at.upper()), (at.lower(), high))]
    def sloped(self, task: tuple, goals: list, name: str, rises: bool) -> list:
        """If f has a derivative by x on the cell that is nowhere negative, f is at least its value
        at the lower end of x (mean value theorem); if it is nowhere positive, at the upper end. So
        for the f = right - left of the first goal. What is given may not hold on the way to the
        face: of it stays what does not move with x. The other goals stay as they are."""
        cell, _, given = task
        must(bool(goals) and name in cell, "what rises or falls is a side of a cell with a goal")
        (sides, forms), *rest = goals
        relation, left, right, below, _ = forms[-1]
        end = cell[name][0 if rises else 1]
        must(end.is_finite(), "a face is at a finite end")
        must(self.defined(sides, self.cell(cell)), "a side is not seen to be defined on a cell")
        smooth = all(self.within(side, cell, True) for side in (left, right))
        must(smooth, "a side is not seen to have a derivative on a cell")
        rest = [*rest, *([self.goal(below[:3])] if below else [])]
        face = {n: ends for n, ends in cell.items() if n != name}
        definitions = self.scope.definitions
        if name not in self.by:
            self.by[name] = Moving({name}, definitions)
        kept = [one for one in given if name not in reached(list(one[1:]), definitions)]
        less = (relation in ("<=", "<")) == rises
        slopes = [derivative(side, name, self.by[name], definitions) for side in (left, right)]
        mantissa, exponent = end.man_exp()
        value = num(fmpq(mantissa) * fmpq(2) ** int(exponent))
        at = [put(side, name, value, self.by[name], definitions) for side in (left, right)]
        return [(cell, [self.goal(("<=" if less else ">=", *slopes))], kept),
                (face, [self.goal((relation, *at))], kept), (cell, rest, given)]

# ---- Kinds: what each decides -----------------------------------------------------------------
# A check returns (what the claim says, what is shown, the pairs of numbers whose ratio is decided).

def budget(claim: dict, scope: Scope) -> None:
    need(">=", claim["epsilon"], ZERO, scope, "epsilon")
    need(">=", claim["delta"], ZERO, scope, "delta")
    need("<", claim["delta"], ONE, scope, "delta")
def beyond(shows: dict, value: tuple, claim: dict, scope: Scope) -> tuple:
    """A lower bound of a pair's delta(epsilon) is above the delta claimed."""
    same("what is shown", {"delta"}, set(shows))
    low, _ = enclosed(shows["delta"], value, scope, "delta")
    need(">", num(low), claim["delta"], scope, "it exceeds the delta claimed")
    return said(claim), f"{digits(low)} > {digits(claim['delta'], scope)}", (value, claim["delta"])

def pair_discrete(claim: dict, shows: dict, scope: Scope) -> tuple:
    laws = []
    for law in (claim["p"], claim["q"]):
        rest = bool(law) and law[-1] == ("sym", "rest")  # it may be 1 less the others
        law = [*law[:-1], ("-", ONE, added(law[:-1]))] if rest else law
        for weight in law:
            need(">=", weight, ZERO, scope, "a weight")
        if not rest:
            need("=", added(law), ONE, scope, "the sum of the weights")
        laws.append(law)
    event, outcomes = claim["event"], list(range(len(laws[0])))
    same("the laws are on the same outcomes", len(outcomes), len(laws[1]))
    shape(event, [int], "the event")
    same("an event lists outcomes, by number, in order", [i for i in outcomes if i in event], event)
    budget(claim, scope)
    first, second = (added(law[i] for i in event) for law in laws)
    most = ("*", ("exp", claim["epsilon"]), second)
    says, shown, _ = beyond(shows, ("-", first, most), claim, scope)
    return says, shown, (first, ("+", most, claim["delta"]))
def shifted(claim: dict, shows: dict, scope: Scope) -> tuple[tuple, tuple]:
    ratio = ("/", claim["shift"], claim["scale"])
    need(">", claim["scale"], ZERO, scope, "the scale")
    need(">=", claim["shift"], ZERO, scope, "the shift")
    budget(claim, scope)
    return ratio, (f"{claim['family']}_delta", ratio, claim["epsilon"])
def pair_shift(claim: dict, shows: dict, scope: Scope) -> tuple:
    """A pair of laws, a shift apart, whose delta(epsilon) is beyond the claim."""
    must(claim["family"] in ("gaussian", "laplace"), "the family is gaussian or laplace")
    return beyond(shows, shifted(claim, shows, scope)[1], claim, scope)
def guarantee(claim: dict, shows: dict, scope: Scope) -> tuple:
    """A profile over all pairs within the claim (pure: log-ratio, bound: of delta itself)."""
    family = claim["family"]
    must(family in ("gaussian", "laplace", "pure", "bound"), "no such family")
    ratio, value = shifted(claim, shows, scope)
    value = ratio if family in ("pure", "bound") else value
    of, within = ("loss", "epsilon") if family == "pure" else ("delta", "delta")
    same("what is shown", {of}, set(shows))
    high = enclosed(shows[of], value, scope, of)[1]
    need("<=", value, claim[within], scope, "the guarantee is within the claim")
    if claim["calibrated"] != "":  # a thousandth more or less of it, and the claim breaks
        at = scope.values.get(claim["calibrated"])
        must(isinstance(at, fmpq), "what is calibrated is a symbol, or empty")
        sides = [scope.changed(**{claim["calibrated"]: at * (1 + by)}) for by in (-LEAST, LEAST)]
        kept = [decide("<=", value, claim[within], side) for side in sides]
        must(sorted(kept) == [False, True], "the calibrated number is not within a thousandth")
    says = "the log-ratio" if family == "pure" else f"delta({show(claim['epsilon'])})"
    sides = f"{digits(high)} <= {digits(claim[within], scope)}"
    return f"{says} <= {show(claim[within])}", sides, (value, claim[within])
def said(claim: dict) -> str:
    if "left" in claim:
        return f"{show(claim['left'])} {claim['relation']} {show(claim['right'])}"
    return f"delta({show(claim['epsilon'])}) <= {show(claim['delta'])}"

def inequality(claim: dict, shows: dict, scope: Scope) -> tuple:
    must(claim["relation"] in OPPOSITE, "the relation is one of <=, >=, <, >")
    same("what is shown", {"left", "right"}, set(shows))
    broken = OPPOSITE[claim["relation"]]
    left, right = (enclosed(shows[s], claim[s], scope, s) for s in ("left", "right"))
    need(broken, claim["left"], claim["right"], scope, "the claimed inequality is broken")
    says, end = said(claim), 0 if broken[0] == ">" else 1
    shown = f"{digits(left[end])} {broken} {digits(right[1 - end])}"
    return says, shown, (claim["left"], claim["right"])

def defined(node: tuple, scope: Scope) -> bool:
    """Whether a formula has a value, at some precision."""
    for precision in PRECISIONS:
        with bits(precision):
            if arb(evaluate(node, scope)).is_finite():
                return True
    return False
WHEREVER = "wherever all sides are defined"
def region(claim: dict, shows: dict, scope: Scope) -> tuple:
    """All of what is claimed on a region, infinite ends allowed, wherever what is given holds: seen
    on each cell that the cuts leave. At a witness in the region what is given holds and all sides
    are defined, so that something is said."""
    same("what is shown", set(), set(shows))
    given, claimed = claim["given"], claim["claims"]
    must(bool(claimed) and bool(claim["region"]), "a region has a side, and something is claimed")
    must(all(one[0] in OPPOSITE for one in given + claimed), "a comparison is <=, >=, < or >")
    shape(claim["region"], {"*": [str]}, "the region")
    shape(claim["witness"], {"*": str}, "the witness")
    same("symbols of the witness", sorted(claim["region"]), sorted(claim["witness"]))
    cell: dict = {}
    for name, ends in claim["region"].items():
        must(len(ends) == 2, "a side of a region is [low, high]")
        low = ALL[0] if ends[0] == "-inf" else rational(ends[0])
        high = ALL[1] if ends[1] == "inf" else rational(ends[1])
        must(bool(low < high), "a side of a region is [low, high]")
        must(bool(low <= rational(claim["witness"][name]) <= high), "the witness is outside")
        cell[name] = arb(low).lower(), arb(high).upper()
    at = scope.changed(**{name: rational(value) for name, value in claim["witness"].items()})
    for one in given:
        need(*one, at, "what is given, at the witness")
    sides = [side for one in claimed for side in one[1:]]
    must(all(defined(side, at) for side in sides), "a side is not defined at the witness")
    shape(claim["cuts"], [str], "the cuts")
    must(len(claim["cuts"]) <= CELLS, f"more than {CELLS} cuts")
    with bits(128):
        tasks = Tasks(scope, cell)
        left = [(cell, [tasks.goal(one, one[1:]) for one in claimed], given)]
        for done in claim["cuts"]:
            must(bool(left), "more cuts than cells")
            left += tasks.after(left.pop(), done)[::-1]
        tasks.given, tasks.zeros = given, {}
        partly = tasks.partly and not all(tasks.within(side, cell, False) for side in sides)
    must(not left, "a cell has no cut and is not listed")
    spans = ", ".join(f"{name} in [{a}, {b}]" for name, (a, b) in claim["region"].items())
    where = f" where {' and '.join(map(show, given))}" if given else ""
    says = f"{' and '.join(map(show, claimed))} for all {spans}{where}"
    says += f", {WHEREVER}" if partly else ""
    says += f" ({', '.join(tasks.zeros)} may be 0)" if partly and tasks.zeros else ""
    return says, f"{claim['cuts'].count('')} cells", *((one[1], one[2]) for one in claimed)

# ---- Composition: rules that are facts, each with its source -----------------------------------
# Of a rule: what each step is within, what is claimed of the whole, comparisons that suffice, and
# where that is shown. Of the parts of the steps, S_x is the sum of T x over the steps, Q_x that of
# T x^2, R_x its root; k is the size of the group, n the number of steps. A group of k records is k
# neighbours in a row; steps are chosen adaptively, and what is computed of their outputs counts.
_ORDER = "(order - 1)*log(1 - 1/order) - log(order) <= log(delta)"
COMPOSITIONS = {
    "gdp": ("mu", "mu", ["k*R_mu <= mu"], "Dong, Roth and Su 2022, Theorem 2.14, Corollary 3.3"),
    "gdp to dp": ("mu", "epsilon delta", ["gaussian_delta(k*R_mu, epsilon) <= delta"],
                  "Dong, Roth and Su 2022, Corollaries 2.13 and 3.3"),
    "gdp to zcdp": ("mu", "rho", ["k^2*Q_mu/2 <= rho"],
                    "Dong, Roth and Su 2022, Corollary 3.3 and Appendix B"),
    "gdp to renyi": ("mu", "alpha tau", ["alpha*k^2*Q_mu/2 <= tau"],
                     "Dong, Roth and Su 2022, Corollary 3.3 and Appendix B"),
    "zcdp": ("rho", "rho", ["k^2*S_rho <= rho"],
             "Bun and Steinke 2016, Lemma 1.7 and Proposition 1.9"),
    "zcdp to renyi": ("rho", "alpha tau", ["alpha*k^2*S_rho <= tau"],
                      "Bun and Steinke 2016, Definition 1.1, Lemma 1.7 and Proposition 1.9"),
    "zcdp to dp": ("rho", "epsilon delta", [
        "0 < delta", "k^2*S_rho + 2*k*sqrt(S_rho)*sqrt(log(1/delta)) <= epsilon"],
        "Bun and Steinke 2016, Lemma 1.7 and Propositions 1.3 and 1.9"),
    "zcdp at an order": ("rho", "epsilon delta order", [
        "0 < delta", f"(order - 1)*(order*k^2*S_rho - epsilon) + {_ORDER}"],
        "Bun and Steinke 2016, Lemma 1.7; Canonne, Kamath and Steinke 2020, Proposition 12"),
    "renyi": ("alpha tau", "alpha tau", ["k <= 1", "alpha <= order", "S_tau <= tau"],
              "Mironov 2017, Proposition 1; a divergence rises with its order"),
    "renyi, a group of 2^c": ("alpha tau", "alpha tau", [
        "k*alpha <= order", "2*k <= order", "3^c*S_tau <= tau"],
        "Mironov 2017, Propositions 1 and 2; a divergence rises with its order"),
    "renyi to dp": ("alpha tau", "epsilon delta", [
        "k <= 1", "0 < delta", "(order - 1)*(S_tau - epsilon) <= log(delta)"],
        "Mironov 2017, Propositions 1 and 3"),
    "renyi to dp, sharper": ("alpha tau", "epsilon delta", [
        "k <= 1", "0 < delta", f"(order - 1)*(S_tau - epsilon) + {_ORDER}"],
        "Mironov 2017, Proposition 1; Canonne, Kamath and Steinke 2020, Proposition 12"),
    "pure to zcdp": ("epsilon delta", "rho", ["S_delta <= 0", "k^2*Q_epsilon/2 <= rho"],
                     "Bun and Steinke 2016, Proposition 1.4 and Lemma 1.7"),
    "pure to renyi": ("epsilon delta", "alpha tau", [
        "S_delta <= 0", "alpha*k^2*Q_epsilon/2 <= tau"],
        "Bun and Steinke 2016, Proposition 1.4 and Lemma 1.7"),
    "basic": ("epsilon delta", "epsilon delta", [
        "k*S_epsilon <= epsilon", "k*exp((k - 1)*S_epsilon)*S_delta <= delta"],
        "Dwork and Roth 2014, Theorem 3.16; groups: the definition, k times"),
    "groups": ("epsilon delta", "epsilon delta", [
        "k*S_epsilon <= epsilon", "0 < S_epsilon",
        "(exp(k*S_epsilon) - 1)*S_delta <= (exp(S_epsilon) - 1)*delta"],
        "Dwork and Roth 2014, Theorem 3.16; groups: the definition, k times, as a geometric sum"),
    "optimal": ("epsilon delta", "epsilon delta", [
        "k <= 1", "1 - (1 - each_delta)^n*(1 - pure) <= delta"],
        "Kairouz, Oh and Viswanath 2015, Theorem 3.3"),
    "advanced": ("epsilon delta", "epsilon delta", [
        "k <= 1", "S_delta < delta",
        "Q_epsilon/2 + R_epsilon*sqrt(2*log(1/(delta - S_delta))) <= epsilon"],
        "a step is epsilon-DP but for delta; Bun and Steinke 2016, Propositions 1.3, 1.4"),
}
NEIGHBOURS = {"replace": "a record replaced", "add_remove": "a record added or removed"}
MANY = 100  # steps of the same kind that the rule "optimal" takes, in a sum over their outcomes

def filled(node: tuple, parts: dict) -> tuple:
    if node[0] == "sym":
        must(node[1] in parts, "the rule does not fit these steps, or this group")
        return parts[node[1]]
    return (node[0], *(filled(one, parts) if isinstance(one, tuple) else one for one in node[1:]))
def responses(n: int) -> tuple:
    """delta(epsilon) of n randomised responses that are each_epsilon-DP: with s = 1/(1 + e^-each),
    j of n have the likelier answer with chance C(n, j) s^j (1 - s)^(n - j), and the other way
    round; it is the sum of the positive parts, of which those with j <= n/2 are 0."""
    terms, chosen = [], 1
    for j in range(n, n // 2, -1):
        whole = f"{n}*log(1 + exp(each_epsilon))"
        gap = f"exp({j}*each_epsilon - {whole}) - exp(epsilon + {n - j}*each_epsilon - {whole})"
        terms.append(parse(f"{chosen}*max(0, {gap})"))
        chosen = chosen * j // (n - j + 1)
    return added(terms)
def composed(claim: dict) -> tuple[list, list]:
    """What makes claim and steps speak of privacy and is not given, and what the rule needs."""
    must(claim["rule"] in COMPOSITIONS, "no such rule of composition")
    each, whole, texts, _ = COMPOSITIONS[claim["rule"]]
    keys, times, listed, group = each.split(), claim["times"], claim["steps"], claim["group"]
    must(bool(times) and len(listed) == len(keys) * len(times), f"of each step {each}, and times")
    same("parts of what is claimed", len(whole.split()), len(claim["against"]))
    steps = [dict(zip(keys, listed[i * len(keys):], strict=False)) for i in range(len(times))]
    parts = dict(zip(whole.split(), claim["against"], strict=True))
    comparisons = [("<=", ONE, one) for one in (*times, group) if one != ONE]
    for name, one in [*parts.items(), *(pair for step in steps for pair in step.items())]:
        comparisons.append(("<", ONE, one) if name in ("alpha", "order") else ("<=", ZERO, one))
        comparisons += [("<", one, ONE)] if name == "delta" else []
    for key in keys:
        sides = [(t, step[key]) for t, step in zip(times, steps, strict=True)]
        sums = [added(v if t == ONE else ("*", t, v) for t, v in row)
                for row in (sides, [(t, ("^", v, TWO)) for t, v in sides])]
        (t, v), alone = sides[0], len(sides) == 1
        root = ("sqrt", sums[1]) if not alone else v if t == ONE else ("*", ("sqrt", t), v)
        parts |= {f"S_{key}": sums[0], f"Q_{key}": sums[1], f"R_{key}": root, "k": group}
        parts |= {f"each_{key}": v, "n": t} if alone else {}
    if "alpha" in keys:
        orders = [step["alpha"] for step in steps]
        must(all(one == orders[0] for one in orders), "the steps have one order")
        parts["order"] = orders[0]
    if group[0] == "^" and group[1] == TWO:
        parts["c"] = group[2]
    if claim["rule"] == "optimal":
        n = parts.get("n", ("none",))
        must(n[0] == "num" and n[1].q == 1 and 1 <= n[1] <= MANY, f"one step, {MANY} times at most")
        parts["pure"] = filled(responses(int(n[1])), parts)
    turned = {"<": ">", "<=": ">="}
    known = [one for one in comparisons for given in claim["given"]
             if given in (one, (turned[one[0]], one[2], one[1]))]
    comparisons = [one for one in dict.fromkeys(comparisons) if one not in known]
    return comparisons, [filled(parse(one, True), parts) for one in texts]
KEPT = ("+", "*", "min", "max")  # of whole numbers >= 0: such a number
def whole_number(node: tuple, integers: set, natural: set, definitions: dict,
                 operations: tuple = (*KEPT, "-", "neg", "integer_part")) -> bool:
    """Whether a formula is made of whole numbers: constants, symbols that are integers, integer
    parts, and powers whose exponents are of constants and of symbols that are `natural`."""
    kind, parts = node[0], node[1:]
    if kind == "num":
        return bool(parts[0].q == 1 and (parts[0] >= 0 or "neg" in operations))
    if kind == "sym" and parts[0] not in definitions:
        return parts[0] in integers
    if kind == "sym":
        return whole_number(definitions[parts[0]], integers, natural, definitions, operations)
    if kind == "integer_part":
        return kind in operations
    if kind == "^":
        return (whole_number(parts[0], integers, natural, definitions, operations)
                and whole_number(parts[1], natural, natural, definitions, KEPT))
    return kind in operations and all(whole_number(one, integers, natural, definitions, operations)
                                for one in parts)
def counted(claim: dict, scope: Scope) -> None:
    """Times and the group are whole numbers where the symbols that the claim lists are."""
    shape(claim["integers"], [str], "the integers")
    integers, natural = set(claim["integers"]), set()
    for name in integers:
        must(name in claim["region"] or name in scope.values, f"an integer is a symbol: {name}")
        fixed = name not in claim["region"]
        value = scope.values[name] if fixed else rational(claim["witness"][name])
        must(value.q == 1, f"{name} is an integer, and has another value")
        low = str(value) if fixed else claim["region"][name][0]
        natural |= {name} if low != "-inf" and rational(low) >= 0 else set()
    for one in (*claim["times"], claim["group"]):
        must(whole_number(one, integers, natural, scope.definitions),
             f"times and the group are whole numbers: {show(one)}")
def composition(claim: dict, shows: dict, scope: Scope) -> tuple:
    """What is composed of steps within a notion is within another, on a region: by a rule that is a
    fact, whose comparisons are seen as those of a region. Times and groups are whole numbers."""
    counted(claim, scope)
    must(claim["neighbours"] in NEIGHBOURS, f"the neighbours are one of {list(NEIGHBOURS)}")
    claims = list(dict.fromkeys([one for part in composed(claim) for one in part]))
    says, cells, *decided = region({**claim, "claims": claims}, shows, scope)
    each, whole, _, source = COMPOSITIONS[claim["rule"]]
    keys, sides = each.split(), [*map(show, claim["steps"])]
    steps = [f"{show(t)} x ({', '.join(f'{k} = {v}' for k, v in zip(keys, row, strict=True))})"
             for t, row in zip(claim["times"], zip(*[iter(sides)] * len(keys), strict=True),
                               strict=True)]
    within = zip(whole.split(), map(show, claim["against"]), strict=True)
    sentence = f"the adaptive composition of steps within {' + '.join(steps)}"
    sentence += "" if claim["group"] == ONE else f", for groups of {show(claim['group'])}"
    sentence += f", is within ({', '.join(f'{k} = {v}' for k, v in within)})"
    sentence += f", of steps and whole the same neighbours ({NEIGHBOURS[claim['neighbours']]})"
    where = says.partition(" for all ")[2]
    whole = f"integers {', '.join(claim['integers'])}, " if claim["integers"] else ""
    return f"{sentence}, for all {whole}{where}", f"{cells}, by a fact ({source})", *decided

def growth(claim: dict, shows: dict, scope: Scope) -> tuple:
    """quantity >= c t^power log(t)^log_power, c > 0, for all t >= 2^from, where all that `holds`
    names does so: no constant bounds it. The value at t = 2^from ties the formula to a number."""
    first, t = claim["from"], claim["variable"]
    must(type(first) is int and 2 <= first <= 1000, "from is an integer from 2 to 1000")
    same("what is shown", {"quantity"}, set(shows))
    by = tuple(evaluate(claim[name], scope) for name in ("power", "log_power"))
    must(all(isinstance(one, fmpq) for one in by) and by > (0, 0), "powers, rational, that grow")
    at = scope.changed(**{t: fmpq(2) ** first})
    enclosed(shows["quantity"], claim["quantity"], at, "the quantity")
    for relation, left, right in claim["holds"]:
        need(relation, left, right, at, "what holds along the way")
    with bits(256):
        line = HalfLine(t, first, scope)
        for relation, left, right in claim["holds"]:
            gap = ("-", left, right) if relation in (">", ">=") else ("-", right, left)
            sign, low, _ = line.of(gap)
            firm = relation in ("<=", ">=") or (relation != "=" and bool(low[0] > 0))
            why = f"{show(left)} {relation} {show(right)} is not seen for all {t}"
            must(sign > 0 and firm, why)
        sign, low, _ = line.of(claim["quantity"])
    seen = sign > 0 and bool(low[0] > 0) and low[0].is_finite() and low[1:] >= by
    must(seen, f"growth like {t}^{by[0]} log({t})^{by[1]} is not seen for all {t}")
    below = f"{low[0].lower().str(4, radius=False)}*{t}^({low[1]})*log({t})^({low[2]})"
    says = f"{show(claim['quantity'])} <= C for one C and all {t}"
    return says, f"it is at least {below} for all {t} >= 2^{first}", (claim["quantity"], ONE)
_PAIR = "family! shift scale epsilon delta"
KINDS = {  # kind: (check, verdict words, parts: "name!" as it stands, "name*" a list of
    # expressions, "name?" a list of comparisons)
    "pair-discrete": (pair_discrete, ("refuted",), "p* q* event! epsilon delta"),
    "pair-shift": (pair_shift, ("refuted",), _PAIR),
    "guarantee": (guarantee, ("proved",), f"{_PAIR} calibrated!"),
    "inequality": (inequality, ("refuted",), "left relation! right"),
    "region": (region, ("proved",), "region! cuts! witness! given? claims?"),
    "composition": (composition, ("proved",),
                    "region! cuts! witness! given? rule! steps* times* group against* integers! "
                    "neighbours!"),
    "growth": (growth, ("refuted",), "variable! from! quantity power log_power holds?"),
}
WORDS = {"refuted": "REFUTES", "proved": "SHOWS"}

# ---- Relevance: a certificate that a symbol does not touch says nothing of it ------------------
@bits(256)
def moves(decided: tuple, symbol: str, scope: Scope, free: dict) -> bool:
    """Whether doubling the symbol (or halving, where that is undefined) moves the ratio of the
    two decided numbers, or the one that is not 0, by a thousandth or more, seen at 256 bits."""
    base = scope.changed(**free)
    at = base.values[symbol]
    def value(part: tuple, scope: Scope) -> arb:
        return arb(evaluate(part, scope))
    first = [value(part, base) for part in decided]
    for factor in (fmpq(2), fmpq(1, 2)):
        other = base.changed(**{symbol: at * factor})
        try:
            (a, b), (c, d) = first, [value(part, other) for part in decided]
        except Refused:
            continue
        if b == 0 and d == 0:
            b = d = arb(1)
        elif a == 0 and c == 0:
            a = c = arb(1)
        gap, whole = abs(c * b - a * d), abs(a * d)
        if gap.is_finite() and whole.is_finite():
            return bool(gap > 0 and gap >= whole * arb(LEAST))
    return False

# ---- Form, and the whole ----------------------------------------------------------------------
SHAPE = {  # every key, and the type of what stands there; "*" is any key
    "schema": int, "kind": str, "id": str, "verdict": str, "statement": str, "digest": str,
    "quote": {"text": str, "place": str, "sha256": str}, "symbols": {"*": str},
    "inert": {"*": str}, "definitions": [[str]], "claim": dict,
    "assumptions": [{"id": str, "formula": str, "why": str}],
    "instances": [{"values": {"*": str}, "shows": dict}],
    "derivation": [{"says": str, "needs": [str]}],
}
def shape(value: object, wanted: object, where: str) -> None:
    kind = type(wanted) if isinstance(wanted, (dict, list)) else wanted
    must(type(value) is kind, f"the type of {where}")
    if isinstance(wanted, dict) and "*" not in wanted:
        same(f"the parts of {where}", sorted(wanted), sorted(value))
    for part in value if isinstance(wanted, (dict, list)) else ():
        if isinstance(wanted, dict):
            shape(value[part], wanted.get("*") or wanted[part], part)
        else:
            shape(part, wanted[0], where)
def form(c: dict) -> None:
    """What no kind looks at: keys and types, the digest and that of the quotation, names."""
    shape(c, SHAPE, "a certificate")
    same("schema", 3, c["schema"])
    must(bool(re.fullmatch(ID, c["id"])), f"an id is of the form {ID}")
    body = {k: v for k, v in c.items() if k != "digest"}
    sealed = json.dumps(body, sort_keys=True, separators=(",", ":"))
    same("digest", hashlib.sha256(sealed.encode()).hexdigest(), c["digest"])
    quoted = hashlib.sha256(c["quote"]["text"].encode()).hexdigest()
    same("SHA-256 of the quote", quoted, c["quote"]["sha256"])
    must(all(reason.strip() for reason in c["inert"].values()), "a symbol is inert for a reason")
    must(all(len(one) == 2 for one in c["definitions"]), "a definition is [name, expression]")
    for name in [*c["symbols"], *(name for name, _ in c["definitions"])]:
        if not re.fullmatch(NAME, name) or name in RESERVED:
            raise Refused(f"{name[:40]!r} cannot be a name")

def check(c: dict) -> dict:
    """What is decided, and what is left to the derivation; raises `Refused`."""
    form(c)
    must(c["kind"] in KINDS, "no such kind")
    run, verdicts, listed = KINDS[c["kind"]]
    must(c["verdict"] in verdicts, f"this kind decides {verdicts}, not {c['verdict']}")
    wanted = sorted(part.rstrip("!*?") for part in listed.split())
    same("the parts of the claim", wanted, sorted(c["claim"]))
    claim, symbols = dict(c["claim"]), set(c["symbols"])
    running = {claim["variable"]} if "variable" in claim else set()
    sides = claim.get("region", {})
    must(isinstance(sides, dict) and running | set(sides) <= symbols, "what runs is a symbol")
    free = running | set(sides)
    fixed, used, stated = {}, set(free), []
    for name, text in c["definitions"]:
        node, known = parse(text), symbols | set(fixed)
        new = name not in known and names(node) <= known
        must(new, f"the definition of {name} repeats a symbol or uses one that is not yet there")
        used |= names(node)
        fixed[name] = node
    known = symbols | set(fixed)
    for part in listed.split():
        name, sort = part.rstrip("!*?"), part[-1]
        if sort in "*?":
            must(isinstance(claim[name], list), f"{name} is a list")
            claim[name] = [parse(text, sort == "?") for text in claim[name]]
        elif sort != "!":
            claim[name] = parse(claim[name])
        stated += claim[name] if sort in "*?" else [claim[name]] if sort != "!" else []
    sides_of = [side for one in claim.get("claims", ()) for side in one[1:]]
    assumed = {one["id"]: parse(one["formula"], True) for one in c["assumptions"]}
    inner = set().union(*map(indices, [*fixed.values(), *stated, *assumed.values()]))
    must(not inner & known, "the index of a sum is a name of its own")
    used = used.union(*map(names, stated), *map(names, assumed.values())) - {"rest"}
    same("symbols and definitions, all said and used", sorted(known), sorted(used))
    if c["kind"] in ("inequality", "region", "growth"):  # bare numbers say nothing
        whole = sides_of or [one for one in stated if one[0] not in BINDING or BINDING[one[0]]]
        meant = [fixed.get(n[1], n) if n[0] == "sym" else n for n in whole]
        formula = any(names(n) and n[0] not in ("num", "sym") for n in meant)
        must(bool(symbols) and formula, "a bare comparison: no formula in a symbol")
    needed = {name for step in c["derivation"] for name in step["needs"]}
    same("assumptions that the derivation needs", sorted(needed), sorted(assumed))
    same("assumptions, each once", len(assumed), len(c["assumptions"]))
    still, lines = set(symbols) - running, []
    meaning = "".join(f", {name} being {show(node)}" for name, node in fixed.items())
    for instance in c["instances"]:
        same("symbols with a value", sorted(symbols - free), sorted(instance["values"]))
        scope = Scope({name: rational(q) for name, q in instance["values"].items()}, fixed)
        for name, node in assumed.items():
            need(*node, scope, f"assumption {name}")
        says, shown, *decided = run(claim, instance["shows"], scope)
        where = ", ".join(f"{name} = {value}" for name, value in instance["values"].items())
        where = f" at {where}" if where else ""
        lines.append(f"{WORDS[c['verdict']]} {says}{meaning}{where}: {shown}")
        at = {name: rational(value) for name, value in claim.get("witness", {}).items()}
        at |= {claim["variable"]: fmpq(2) ** claim["from"]} if c["kind"] == "growth" else {}
        still = {name for name in still
                 if not any(moves(pair, name, scope, at) for pair in decided)}
    must(bool(lines), "there is an instance or more")
    sides = [claim[part] for part in ("shift", "scale", "epsilon", "delta") if part in claim]
    cancels = still & reached(sides, fixed) if c["kind"] == "guarantee" else set()
    if cancels or still != set(c["inert"]):
        why = f"do not move what is decided by a thousandth, listed are {sorted(c['inert'])}"
        why = "stand in the claim and cancel in what is decided" if cancels else why
        refused = Refused(f"vacuous: {sorted(cancels or still)} {why}")
        refused.vacuous = sorted(still)
        raise refused
    under = [f"{one['formula']} ({one['id']}: {one['why']})" for one in c["assumptions"]]
    more = f" (and at {len(lines) - 1} more)" if len(lines) > 1 else ""
    return {"line": lines[0] + more, "verified": lines, "under": under,
            "quote": c["quote"]["text"], "place": c["quote"]["place"],
            "inert": [f"{name}: {why}" for name, why in c["inert"].items()],
            "left": [step["says"] for step in c["derivation"]]}
def reached(nodes: list[tuple], definitions: dict) -> set[str]:
    """Symbols that expressions lead to, through definitions."""
    symbols = set().union(*map(names, nodes))
    for name, node in reversed(list(definitions.items())):
        if name in symbols:
            symbols |= names(node)
    return symbols

@bits(PRECISIONS[0])
def report_on(text: str) -> dict:
    """What `check` says of one certificate, or why it is refused."""
    def once(pairs: list) -> dict:
        same("keys of an object, each once", len(pairs), len(dict(pairs)))
        return dict(pairs)
    report = {"id": None, "kind": None, "verdict": None, "accepted": False, "because": ""}
    renew()
    try:
        must(len(text) <= FILE, f"a file of more than {FILE} characters")
        c = json.loads(text, object_pairs_hook=once, parse_float=rational, parse_constant=rational)
        must(isinstance(c, dict), "a certificate is an object")
        report |= {key: c.get(key) for key in ("id", "kind", "verdict")}
        report |= check(c) | {"accepted": True}
    except Refused as error:
        report |= {"because": str(error), "vacuous": error.vacuous}
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RuntimeError,
            MemoryError) as error:
        report["because"] = f"not of the documented form ({type(error).__name__}: {error})"
    return report
def plain(text: object) -> str:
    """Any text as printable ASCII: escapes, surrogates and line breaks are written out, and runs of
    spaces are one, so that nothing can be moved to where a terminal begins a line."""
    escaped = ascii(text)[1:-1] if isinstance(text, str) else ascii(text)
    return re.sub(" +", " ", escaped)
def printed(r: dict) -> list[str]:
    """What is said of one file: first what the kind makes of claim and values."""
    name, kind = ((str(r[key]) if re.fullmatch(ID, str(r[key])) else "?") for key in ("id", "kind"))
    head = f"{name} ({kind}) {plain(r['file'])}"
    if not r["accepted"]:
        return [f"REFUSED {head}: {plain(r['because'])[:600]}"]
    said = [f"{plain(r['line'])}", f"  accepted {head}",
            f"  quoted: {plain(r['quote'])} ({plain(r['place'])})"]
    said += [f"  under: {plain(one)}" for one in r["under"]]
    said += [f"  moves nothing: {plain(one)}" for one in r["inert"]]
    return said + [f"  left to the written derivation: {plain(one)}" for one in r["left"]]
def say(text: str) -> None:
    try:
        print(text, flush=True)
    except BrokenPipeError:  # who reads has left: there is nobody to tell, not even at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
def main(arguments: list[str]) -> int:
    files = [name for name in arguments if name != "--json"]
    try:
        if not files or any(name.startswith("-") for name in files):
            raise OSError("usage: python -m dpbench_check FILE... [--json]")
        reports = [{"file": name} | report_on(Path(name).read_text("utf-8")) for name in files]
    except (OSError, UnicodeDecodeError) as error:
        sys.stderr.write(f"{plain(str(error))}\n")
        return 2
    accepted = sum(r["accepted"] for r in reports)
    whole = {"schema": 3, "accepted": accepted == len(reports), "files": reports}
    lines = [line for r in reports for line in printed(r)]
    text = "\n".join([*lines, f"{accepted} of {len(reports)} accepted"])
    say(json.dumps(whole, indent=1, default=str) if "--json" in arguments else text)
    return int(accepted < len(reports))

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
