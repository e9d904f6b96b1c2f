"""Fifty true statements and fifty false ones for the search, written from the mathematics and not from the search.

The true ones have large constants, slow growth, ties or thin margins; the false ones fail everywhere by little, in a
narrow place, or only far out. Each is (name, kind, symbols, left, right, conditions): `<=` for kind "inequality"; for
"gaussian" and "laplace" left is shift/scale and right is delta, at epsilon; "event" has p and q, at (epsilon, 0);
"order" is left = O(right), for all n.
"""

from __future__ import annotations

from typing import Any

X: dict[str, Any] = {"x": ("real", "1/100", "100")}
XY: dict[str, Any] = {"x": ("real", "1/100", "100"), "y": ("real", "1/100", "100")}
SMALL: dict[str, Any] = {"x": ("real", "1/1000000", "1")}
N: dict[str, Any] = {"n": ("integer", 2, 10**12)}
PK: dict[str, Any] = {"p": ("real", "1/1000000000000", "1/2"), "k": ("integer", 1, 1000)}
E: dict[str, Any] = {"epsilon": ("real", "1/100", "1"), "zeros": ("integer", 4, 9)}
WIDE: dict[str, Any] = {"epsilon": ("real", "1/100", "100"), "zeros": ("integer", 4, 9)}
PURE: dict[str, Any] = {"epsilon": ("real", "1/100", "5")}
TEXTBOOK = "epsilon/sqrt(2*log(5/4*10^zeros))"

Statement = tuple[str, str, dict[str, Any], str, str, tuple[str, ...]]


def inequality(name: str, symbols: dict[str, Any], left: str, right: str, *conditions: str) -> Statement:
    return name, "inequality", symbols, left, right, conditions


TRUE: list[Statement] = [
    *((f"saturates-{c}", "order", N, f"{c}*n/(n + {c})", "1", ()) for c in (50, 200, 1000, 10**4, 10**6, 10**8)),
    *((f"logarithm-{c}", "order", N, f"{c}*log(n)", "n^(1/4)", ()) for c in (1, 100, 10**4)),
    *((f"cube-{c}", "order", N, f"{c}*log(n)^3", "sqrt(n)", ()) for c in (1, 10**3)),
    *((f"late-{c}", "order", N, f"n^2/(n + {c})", "n", ()) for c in (10**3, 10**6, 10**9)),
    ("root", "order", N, "1000*sqrt(n)", "n", ()),
    inequality("square", X, "2*x", "x^2 + 1"),
    inequality("tangent", X, "log(x)", "x - 1"),
    inequality("exponential", X, "exp(-x)", "1/(1 + x)"),
    inequality("root-of-one", X, "sqrt(1 + x)", "1 + x/2"),
    inequality("below-log", X, "x/(1 + x)", "log(1 + x)"),
    inequality("above-log", X, "log(1 + x)", "x"),
    inequality("tail", X, "erfc(x)", "exp(-x^2)"),
    inequality("log-series", X, "log(1 + x)", "x - x^2/2 + x^3/3"),
    inequality("means", XY, "sqrt(x*y)", "(x + y)/2"),
    inequality("young", XY, "x*y", "x^2/4 + y^2"),
    inequality("young-3", XY, "x*y", "x^3/3 + 2*y^(3/2)/3"),
    inequality("bernoulli", PK, "1 - (1 - p)^(k + 1)", "(k + 1)*p"),
    inequality("bernoulli-ratio", PK, "(1 - (1 - p)^(k + 1))/((k + 1)*p)", "1"),
    inequality("difference", SMALL, "(exp(x) - 1 - x)/x^2", "exp(x)/2"),
    inequality("cosine-like", SMALL, "(1 - exp(-x))/x", "1"),
    inequality("cancels", SMALL, "(sqrt(1 + x) - 1)/x", "1/2"),
    inequality("twice-cancels", SMALL, "(exp(x) - 1 - x - x^2/2)/x^3", "exp(x)/6"),
    *(inequality(f"thin-{k}", X, f"x*(1 - 1/10^{k})", "x") for k in (3, 6, 9, 12)),
    *(inequality(f"gap-{k}", X, "2*x", f"x^2 + 1 + 1/10^{k}") for k in (3, 6, 9)),
    inequality("slow", N, "n^(1/20)", "50*log(n)"),
    inequality("slower", N, "log(log(n))", "log(n)"),
    inequality("tie", XY, "(x + y)^2", "x^2 + 2*x*y + y^2"),
    inequality("tie-of-roots", XY, "sqrt(x)*sqrt(y)", "sqrt(x*y)"),
    ("textbook-small", "gaussian", E, TEXTBOOK, "1/10^zeros", ()),
    ("textbook-more", "gaussian", E, f"{TEXTBOOK}*9/10", "1/10^zeros", ()),
    ("laplace", "laplace", PURE, "epsilon", "0", ()),
    ("laplace-more", "laplace", PURE, "epsilon*99/100", "0", ()),
    ("randomised-response", "event", PURE, "exp(epsilon)/(1 + exp(epsilon))", "1/(1 + exp(epsilon))", ()),
    ("randomised-response-3", "event", PURE, "exp(epsilon)/(2 + exp(epsilon))", "1/(2 + exp(epsilon))", ()),
    ("randomised-response-less", "event", PURE, "exp(epsilon)/(1 + exp(epsilon))*999/1000", "1/(1 + exp(epsilon))", ()),
]

FALSE: list[Statement] = [
    *(inequality(f"tiny-{k}", X, f"(1 + 1/10^{k})*x", "x") for k in (1, 2, 3, 4, 5, 6)),
    *(inequality(f"tiny-two-{k}", XY, f"(1 + 1/10^{k})*x*y", "x*y") for k in (3, 5)),
    *(inequality(f"dip-{k}", X, "2*x", f"x^2 + 1 - 1/10^{k}") for k in (1, 2, 3, 4)),
    *(inequality(f"touch-{k}", X, "log(x)", f"x - 1 - 1/10^{k}") for k in (1, 2, 3)),
    inequality("square", X, "x^2", "x"),
    inequality("square-under", X, "x", "x^2"),
    inequality("ratio", XY, "2*x*y", "x^2 + 999*y^2/1000"),
    inequality("log-series", X, "log(1 + x)", "x - x^2/2 + x^3/4"),
    inequality("corner", XY, "abs(x - y)", "99"),
    inequality("far-corner", XY, "x*y", "9000"),
    inequality("band", XY, "x/y", "9000"),
    inequality("exponential", X, "exp(-x)", "999/1000/(1 + x)"),
    inequality("root-of-one", SMALL, "sqrt(1 + x)", "1 + x/2 - x^2/7"),
    inequality("cancels", SMALL, "(exp(x) - 1 - x)/x^2", "1/2"),
    inequality("cancels-late", SMALL, "(exp(x) - 1 - x)/x^2", "7/10"),
    inequality("bernoulli", PK, "(1 - (1 - p)^(k + 1))/((k + 1)*p)", "999/1000"),
    inequality("bernoulli-far", PK, "(k + 1)*p", "1 - (1 - p)^(k + 1)", "p >= 1/1000"),
    inequality("young", XY, "x*y", "x^2/4 + 99*y^2/100"),
    inequality("tail", X, "erfc(x)", "exp(-x^2)*98/100"),
    inequality("slow", N, "log(n)", "27"),
    inequality("slower", N, "log(log(n))", "3"),
    inequality("power", N, "n^(1/20)", "3"),
    inequality("conditioned", XY, "x + y", "3", "x*y <= 1", "x >= 1"),
    inequality("thin-condition", XY, "x + y", "100", "x - y <= 1/10", "y - x <= 1/10"),
    inequality("bump", X, "exp(-(x - 7)^2*100)", "1/2"),
    inequality("narrow-bump", X, "exp(-(x - 7)^2*10^6)", "1/2"),
    ("textbook", "gaussian", WIDE, TEXTBOOK, "1/10^zeros", ()),
    ("half-the-noise", "gaussian", E, f"2*{TEXTBOOK}", "1/10^zeros", ()),
    ("less-noise", "gaussian", E, f"3/2*{TEXTBOOK}", "1/10^zeros", ()),
    ("laplace-less", "laplace", PURE, "epsilon*101/100", "0", ()),
    ("laplace-hair", "laplace", PURE, "epsilon*10001/10000", "0", ()),
    ("response-twice", "event", PURE, "exp(2*epsilon)/(1 + exp(2*epsilon))", "1/(1 + exp(2*epsilon))", ()),
    ("response-hair", "event", PURE, "exp(epsilon)/(1 + exp(epsilon))", "999/1000/(1 + exp(epsilon))", ()),
    ("response-tiny", "event", PURE, "exp(epsilon)/(1 + exp(epsilon))", "99999/100000/(1 + exp(epsilon))", ()),
    ("linear", "order", N, "n", "sqrt(n)", ()),
    ("power-of-n", "order", N, "n^(3/2)", "n*log(n)", ()),
    ("small-constant", "order", N, "n/1000", "log(n)^2", ()),
    ("late", "order", N, "n^2/(n + 10^6)", "1", ()),
    ("fraction", "order", N, "n^(6/5)", "n", ()),
]
