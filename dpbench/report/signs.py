"""Plain text as LaTeX prints it: Greek letters and mathematical signs, and what LaTeX reads as its own."""

from __future__ import annotations

import re

SIGNS = {
    "ε": r"\varepsilon", "δ": r"\delta", "σ": r"\sigma", "μ": r"\mu", "Δ": r"\Delta", "Φ": r"\Phi", "τ": r"\tau",
    "θ": r"\theta", "α": r"\alpha", "β": r"\beta", "γ": r"\gamma", "λ": r"\lambda", "η": r"\eta", "ρ": r"\rho",
    "≤": r"\le", "≥": r"\ge", "√": r"\sqrt{}", "∞": r"\infty", "−": "-", "×": r"\times", "·": r"\cdot", "±": r"\pm",
    "‖": r"\Vert{}",
    "⊤": r"\top", "⊥": r"\bot", "²": "^2", "³": "^3", "₀": "_0", "₁": "_1", "₂": "_2",
    "ℓ": r"\ell", "→": r"\to", "∈": r"\in", "Σ": r"\sum", "Π": r"\prod", "∫": r"\int",
}  # fmt: skip
"""The mathematics that LaTeX prints a sign with."""
_ESCAPED = str.maketrans(
    {c: rf"\{c}" for c in "&%$#_{}"}
    | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "…": r"\dots{}"}
    | {sign: rf"\ensuremath{{{text}}}" for sign, text in SIGNS.items()}
)
_MATHEMATICAL = str.maketrans({sign: rf"\ensuremath{{{text}}}" for sign, text in SIGNS.items()})
_MATHEMATICS = re.compile(r"(\$[^$]*\\[^$]*\$)")
_BAR = re.compile("([A-Za-z])\u0304")


def escaped(text: str) -> str:
    """Text as LaTeX prints it, mathematical signs and Greek letters included; mathematics between $ stays as it is."""
    parts = _MATHEMATICS.split(text)
    return "".join(part if at % 2 else _plain(part) for at, part in enumerate(parts))


def signs_as_mathematics(text: str) -> str:
    """LaTeX with the signs that a document would have to declare written as mathematics, and nothing else changed."""
    return text.translate(_MATHEMATICAL)


def _plain(text: str) -> str:
    return _BAR.sub(r"\\ensuremath{\\bar{\1}}", text.translate(_ESCAPED))
