"""The plain mathematics of the ledger ("sqrt(k) sigma^2 <= n") in parts, and as LaTeX prints them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

SIGNS = {
    "α": r"\alpha", "β": r"\beta", "γ": r"\gamma", "δ": r"\delta", "ε": r"\varepsilon", "ζ": r"\zeta", "η": r"\eta",
    "θ": r"\theta", "ι": r"\iota", "κ": r"\kappa", "λ": r"\lambda", "μ": r"\mu", "ν": r"\nu", "ξ": r"\xi", "π": r"\pi",
    "ρ": r"\rho", "σ": r"\sigma", "τ": r"\tau", "φ": r"\phi", "χ": r"\chi", "ψ": r"\psi", "ω": r"\omega",
    "Γ": r"\Gamma", "Δ": r"\Delta", "Θ": r"\Theta", "Λ": r"\Lambda", "Σ": r"\Sigma", "Φ": r"\Phi", "Ψ": r"\Psi",
    "Ω": r"\Omega", "Π": r"\Pi",
    "≤": r"\le", "≥": r"\ge", "≠": r"\ne", "≪": r"\ll", "≫": r"\gg", "√": r"\sqrt{}", "∞": r"\infty", "−": "-",
    "×": r"\times", "·": r"\cdot", "±": r"\pm", "‖": r"\Vert{}", "⟨": r"\langle", "⟩": r"\rangle", "⊤": r"\top",
    "⊥": r"\bot", "²": "^2", "³": "^3", "₀": "_0", "₁": "_1", "₂": "_2", "ℓ": r"\ell", "→": r"\to", "∈": r"\in",
    "∫": r"\int", "∼": r"\sim", "′": "{}'",
}  # fmt: skip
"""The mathematics that LaTeX prints a sign with."""
_GREEK = {latex[1:]: sign for sign, latex in SIGNS.items() if sign.isalpha() and sign != "ℓ"} | {
    "epsilon": "ε", "eps": "ε"
}  # fmt: skip
_TYPED: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (rf"(?<![A-Za-z.`\\])(?<![A-Za-z]-)({'|'.join(_GREEK)})(?![A-Za-z]|_[a-z]{{3}})", lambda found: _GREEK[found[1]]),
    (r"(?<![A-Za-z])([A-Za-zα-ωΑ-Ω])~", "\\1\u0303"),
    (r"(?<![A-Za-z])([LwvGf])\^(?=[ ,;:.()\];/_'|]|$)", "\\1\u0302"),
    (r"(?<![A-Za-z])(f)_?bar(?![A-Za-z])", "\\1\u0304"),
    (r"<(\w\*?, ?\w\*?)>", r"⟨\1⟩"),
    (r"(?<=[^\W_])\*(?=\d)|(?<=\))\*(?=\d)", "·"),
    (r"(?<=[^\W_])\*(?=[^\W_]|\(|√)|(?<=\))\*(?=[^\W_]|\(|√)", " "),
)
"""Letters as the ledger types them: Greek ones by name, with a tilde, a hat or a bar, inner products, and products of
formulas as in print. A star that no factor follows is a name's: w*."""
_RELATIONS = {
    "<=": "≤", ">=": "≥", "!=": "≠", "<<": "≪", ">>": "≫", "+-": "±", "->": "→", " ~ ": " ∼ ", " - ": " − ",
    "sqrt(": "√(", "infinity": "∞",
}  # fmt: skip
_CODE = re.compile(r"`([^`]*)`")
_PARTS = re.compile(
    r"√\((?P<root>(?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)"
    r"|\^(?P<up>\((?:[^()]|\([^()]*\))*\)|\{[^{}]*\}|-?\d+(?:\.\d+)?|-?[^\W\d]\w*|\*)"
    "|(?<![A-Za-z][wB])(?<=[wB\u0302\u0303])(?P<star>\\*)"
    "|(?:(?<![A-Za-z][A-Za-z])(?<=[A-Za-zα-ωΑ-Ω|)'*\u0302-\u0304])_|(?<=[A-Za-z])_(?=\\w(?!\\w)))(?P<down>\\{[^{}]*\\}|[A-Za-z0-9α-ωΑ-Ω]+\\*?)"
)
_JOINED = re.compile(
    r"(?:^|(?<=[\w)*|\]])) (?=[=≤≥<>≪≫∈≠→∼] )|(?<=[=≤≥<>≪≫∈≠→∼]) "
    r"|(?:^|(?<![^\W_][^\W_])(?<=[b-zB-ZΑ-Ωα-ω\d)])) (?=[b-zB-ZΑ-Ωα-ω√](?![^\W_]))"
)
"""Spaces within a formula, at which no line ends: about a relation, and between factors."""
_LETTER = re.compile(
    r"(?<![A-Za-zÀ-ÖØ-öø-ÿ'’])(?<![A-Za-z]\.)(?<!appendix )([B-HJ-Zb-z])"
    r"(?![A-Za-zÀ-ÖØ-öø-ÿ0-9\u0302-\u0304]|\.[A-Za-z0-9])"
)
"""A letter alone is a symbol, but for a, A and I, names of sections and abbreviations."""
_ESCAPED = str.maketrans(
    {c: rf"\{c}" for c in "&%$#_{}"}
    | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "…": r"\dots{}"}
    | {sign: rf"\ensuremath{{{text}}}" for sign, text in SIGNS.items()}
)
_MATHEMATICAL = str.maketrans({sign: rf"\ensuremath{{{text}}}" for sign, text in SIGNS.items()})
_MATHEMATICS = re.compile(r"(\$[^$]*\\[^$]*\$)")
_ACCENTS = {"\u0302": "hat", "\u0303": "tilde", "\u0304": "bar"}
_ACCENTED = re.compile("([A-Za-z]|\\\\ensuremath\\{\\\\[A-Za-z]+\\})([\u0302-\u0304])")


def plain(text: str) -> str:
    """Plain text of the ledger in one line, with signs and Greek letters, without exponents set high: for titles."""
    for typed, sign in _RELATIONS.items():
        text = text.replace(typed, sign)
    for pattern, letter in _TYPED:
        text = re.sub(pattern, letter, text)
    return text


def parts(text: str) -> Iterator[tuple[str, str]]:
    """Plain text of the ledger as ("text" | "code" | "root" | "up" | "down", content), with the signs of `plain`."""
    for number, piece in enumerate(_CODE.split(text)):
        if number % 2:
            yield "code", piece
            continue
        at, piece = 0, plain(piece)
        for match in _PARTS.finditer(piece):
            kind = str(match.lastgroup)
            yield "text", piece[at : match.start()]
            content = match[kind][1:-1] if kind in ("up", "down") and match[kind][0] in "({" else match[kind]
            yield "up" if kind == "star" else kind, content
            at = match.end()
        yield "text", piece[at:]


def prose(text: str) -> str:
    r"""A sentence of the ledger as LaTeX.

    >>> print(prose("for n epsilon read sqrt(n) w_i^2"))
    for n \ensuremath{\varepsilon} read $\sqrt{\mbox{n}}$ w$_{i}$$^{2}$
    """
    forms = {
        "text": _with_letters,
        "code": lambda code: rf"\texttt{{{escaped(code).replace('--', '-{}-')}}}",
        "root": lambda under: rf"$\sqrt{{\mbox{{{prose(under)}}}}}$",
        "up": lambda power: f"$^{{{signs_as_mathematics(power)}}}$",
        "down": lambda index: f"$_{{{signs_as_mathematics(index)}}}$",
    }
    text = re.sub(r"(?<![\w.])(?:1|(\d[\d.]*))e([+-]?\d+)", _power_of_ten, re.sub(r'"([^"]*)"', r"“\1”", text))
    return "".join(forms[kind](part) for kind, part in parts(text.replace("''", "′′")))


def _power_of_ten(match: re.Match[str]) -> str:
    return f"{match[1]}·" * bool(match[1]) + f"10^{int(match[2])}"


def _with_letters(text: str) -> str:
    """As `escaped`, with symbols of one letter as mathematics, formulas unbroken and powers of ten as such."""
    if "$" in text:
        return escaped(text)
    marked = _LETTER.sub(lambda match: chr(0xE000 + ord(match[1])), _JOINED.sub("\u00a0", text))
    return re.sub("[\ue000-\ue07f]", lambda match: f"${chr(ord(match[0]) - 0xE000)}$", escaped(marked))


def escaped(text: str) -> str:
    """Text as LaTeX prints it, mathematical signs and Greek letters included; mathematics between $ stays as it is."""
    pieces = _MATHEMATICS.split(text)
    return "".join(piece if at % 2 else _accented(piece.translate(_ESCAPED)) for at, piece in enumerate(pieces))


def signs_as_mathematics(text: str) -> str:
    """LaTeX with the signs that a document would have to declare written as mathematics, and nothing else changed."""
    return _accented(text.translate(_MATHEMATICAL))


def _accented(text: str) -> str:
    return _ACCENTED.sub(lambda match: rf"\ensuremath{{\{_ACCENTS[match[2]]}{{{match[1]}}}}}", text)
