"""Lemma 12: inner products under a random map, from the norms that it keeps."""

from dpbench.ledger.statement import Real, Statement, inequality
from dpbench.papers.glm.theorems import paper

paper.formula(
    "lemma12",
    Statement(
        about="If each vector's squared norm is kept to 1 +- alpha with probability 1 - beta, then <Phi u, Phi v> is "
        "within alpha|u||v| of <u, v> with probability 1 - 2 beta: {claim} for all c = <u, v> of unit vectors and all "
        "errors p and q.",
        symbols={
            "c": Real("<u, v> of unit vectors", -1, 1),
            "p": Real("error of |Phi(u + v)|^2, in units of alpha|u + v|^2", -1, 1),
            "q": Real("error of |Phi(u - v)|^2, in units of alpha|u - v|^2", -1, 1),
        },
        claim=inequality("((1 + c)*p - (1 - c)*q)/2", "<=", "1"),
        cells=500,
        steps=(
            "<Phi u, Phi v> - <u, v> is a quarter of the error of |Phi(u + v)|^2 less that of |Phi(u - v)|^2, and |u "
            "+- v|^2 = 2 +- 2c; both sides are divided by alpha, and the lower side is that of v turned over.",
            "Each of the two norms is kept but for a chance of beta.",
        ),
    ),
    points=[{"c": c, "p": p, "q": q} for c in (-1, 0, "1/2", 1) for p, q in ((1, -1), (1, 1), (0, -1))],
    source="Lemma 12",
    expected="proved",
    quote=r"Then for any u, v, with probability at least  $1 - 2\beta$ ,  $|\langle \Phi u, \Phi v \rangle "
    r"- \langle u, v \rangle| \le \alpha \|u\| \|v\|$ .",
)
