"""Equations 6 and 8 display the sum of the losses, where section 2 and the proofs have their mean."""

from __future__ import annotations

from dpbench.ledger.correction import Correction

QUOTE = r"L_{\mathcal{D}}(f)=\frac{1}{n}\cdot\sum_{(X_{i},Y_{i})\in\mathcal{D}}\ell(f(X_{i}),Y_{i})"
CONSEQUENCE = (
    "Who programs the sum that is displayed, with the eta of the theorem, gets no privacy: one record moves f_bar by 2 "
    "for every n. With the mean, as section 2 has it, all holds."
)
CORRECTION = Correction(
    place="Equations 6 and 8, with Theorems 2 and 3 and Lemma 2",
    effect=2,
    change="put 1/n before the sum",
    caveat="Section 2 defines the empirical loss with 1/n, L_D(f) = (1/n) sum l(f(X_i), Y_i), the proofs use it so, "
    "and the text calls (8) the empirical loss, regularised.",
)
