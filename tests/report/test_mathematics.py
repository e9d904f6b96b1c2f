"""Formulas of the ledger as HTML and Markdown: signs, exponents, MathML, and no text that is taken for markup."""

from dpbench.report import mathematics, signs
from dpbench.report.markdown import escaped, table


def test_quotations_become_mathml_and_what_cannot_is_shown_as_written():
    made = str(mathematics.quoted(r"noise $\sigma^2 = \frac{a}{b}$ for $x < y$"))
    assert made.count("<math") == 2 and "<mfrac>" in made and made.startswith("noise ") and "$" not in made
    assert str(mathematics.quoted("a < b")) == "a &lt; b"
    assert str(mathematics.quoted(r"\eqref{one}")) == r"<code>\eqref{one}</code>"
    assert "<code>" in str(mathematics.quoted(r"$\frac{$"))


def test_plain_mathematics_gets_its_signs_exponents_and_indices():
    made = str(mathematics.typeset("sigma^2 <= B_1^(2/3) -> `sigma^2` and epsilon"))
    assert made == "σ<sup>2</sup> ≤ B<sub>1</sub><sup>2/3</sup> → <code>sigma^2</code> and ε"
    assert "<b>" not in mathematics.typeset("a <b> c")
    assert str(mathematics.typeset("B^2X^2, L^_iota at sqrt(k_1) w*")) == (
        "B<sup>2</sup>X<sup>2</sup>, L\u0302<sub>ι</sub> at √(k<sub>1</sub>) w<sup>*</sup>"
    )
    products = str(mathematics.typeset("B*sqrt(n*epsilon) + 2*H*B*X^2*(1 + w*) for all B*, w*_j"))
    assert (
        products
        == "B √(n ε) + 2 H B X<sup>2</sup> (1 + w<sup>*</sup>) for all B<sup>*</sup>, w<sup>*</sup><sub>j</sub>"
    )
    assert signs.plain("delta >= 1 - beta") == "δ ≥ 1 − β"
    assert signs.signs_as_mathematics("f\u0302 n\u0303") == r"\ensuremath{\hat{f}} \ensuremath{\tilde{n}}"


def test_in_markdown_no_sign_of_the_text_is_markup():
    made = mathematics.in_markdown("|w|_2 <= 2 * y_1 `a_b` [x](y) ~ $z$ \n second line")
    assert not set("|*_`[]~$\\\n") & set(made) and "<code>" in made and "second line" in made
    for name, sign in (("&#124;", "|"), ("&#42;", "*")):
        assert name in made and sign not in made


def test_text_of_a_cell_is_no_markup():
    assert table(("a", "b"), [("1", "2")]).splitlines() == ["| a | b |", "|---|---|", "| 1 | 2 |"]
    assert escaped("|w| <= 2*y_1 `a`\n[b](c) ~ \\d") == r"\|w\| \<= 2\*y\_1 \`a\` \[b\](c) \~ \\d"
    assert escaped("plain, ε ≥ 1 (a)") == "plain, ε ≥ 1 (a)"
