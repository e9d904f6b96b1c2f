"""Corrections that several statements share: each is one finding of the errata."""

from __future__ import annotations

from dpbench.ledger.correction import Correction

WEIGHTS = Correction(
    place="Theorem 4, Gaussian weights, equation 21, and its proof by Lemma 18",
    effect=2,
    change="for C sqrt(m log(1/delta)) read 2 sqrt(2m (d log(e m/d) + log(1/(2 delta)) + eps)) in the weights; (21) "
    "can stay for log(1/beta) <= d^3 and eps <= d sqrt(log(1/delta)); whether m >= c d^2/(C^2 log(1/delta)) is enough "
    "for every class is open",
    caveat="The theorem says “there is a choice of” m, and nothing of every m. N(0, s) is read with s the standard "
    "deviation, the larger noise for s > 1.",
)
CONVEX = Correction(
    place="Theorem 6, equations 127 to 129, and Lemma 15, equation 116",
    effect=2,
    change="add: F convex (or let Algorithm 2 answer in conv(F)); in (116) put lambda before the first term",
    caveat="Theorem 2 says “there are choices of” the parameters, J among them: this is of Theorem 6's.",
)
EPSILON = Correction(
    place="Theorem 3, equation 9, and Theorem 7, equation 131",
    effect=2,
    change="in (9) for epsilon read epsilon^2 in the denominator; for the right side of (131) read 2 m "
    "log(5/(4 delta))/(eta gamma^2 epsilon^2), m, eta and gamma of (130), epsilon <= 1",
)
CONFIDENCE = Correction(
    place="Theorem 10, with the last display of its proof, and Theorem 4, equation 20",
    effect=2,
    change="for d^2 log(1/beta)/(alpha^5 sigma^4 epsilon) read (d + log(1/beta))^(3/2) (d log(e m/d) + "
    "log(1/beta))^(1/2)/(alpha^4 sigma^3 epsilon), or with fewer public points, for (20) too, (d log(e m/d) + "
    "log(1/beta))^2/(alpha^(5/2) sigma^(3/2) epsilon), up to logarithms of m",
    caveat="\u201cwhere ... hides ... factors\u201d, of what is not said; log(1/beta) is displayed.",
)
FEW_POINTS = Correction(
    place="Lemma 3, equation 14, and Lemma 9, equation 87",
    effect=1,
    change="add: for m >= 8, delta <= 1/2 and an exponent of at most 1; or gamma = sqrt(m) rho/mu(epsilon, delta)",
)
THEOREM_5 = Correction(
    place="Theorem 5 and its proof, (51) to (57)",
    effect=1,
    change="add: K(t, t) = 1 for all t; or for the right side of (26) read (2 tau/(rho^4 kappa eta)) E sup omega. In "
    "the proof, for 1 - e^x <= x read 1 - e^x <= -x, change the sign of (51) to (57) and add tau^2/(2 rho^4 eta^2 "
    "kappa^2); in (52) kappa^2 may stand for K only where y >= m(t)",
)
LIPSCHITZ = Correction(
    place="Lemma 13, equation 108, Lemma 14, equations (109) and (110), and (116)",
    change="put lambda before the first term, and 12/sqrt(n) in (110); in (108) let beta <= 1/2; in (109) 2 "
    "log(2/beta) for log(1/beta) under the root, as (111) has the 2",
)
MEAN = Correction(
    place="Equations 6 and 8, with Theorems 2 and 3 and Lemma 2",
    effect=2,
    change="put 1/n before the sum",
    caveat="Section 2 defines the empirical loss with 1/n, L_D(f) = (1/n) sum l(f(X_i), Y_i), the proofs use it so, "
    "and the text calls (8) the empirical loss, regularised.",
)
QUOTE_6 = r"\mathcal{L}^{(j)}(f)=\sum_{(X_{i},Y_{i})\in\mathcal{D}}\ell(f(X_{i}),Y_{i})+\eta\cdot\omega_{m}^{(j)}(f)."
QUOTE_8 = r"\mathcal{L}(f)=\sum_{(X_{i},Y_{i})\in\mathcal{D}}\ell(f(X_{i}),Y_{i})+\eta\cdot\left\|f\right\|_{m}^{2}."
OF_THE_SUM = (
    "Who programs the sum that is displayed, with the eta of the theorem, gets no privacy: one record moves f_bar by 2 "
    "for every n. With the mean, as section 2 has it, all holds."
)
