"""The paper's words for entries that hold; "..." leaves out, and the `source` of each entry says where they are.

Entries of what is corrected have none: the words are those of the printed twin.
"""

from __future__ import annotations

from dpbench.papers.heavytail.theorems import paper

BOUNDS = {
    "7": r"$\leq{O}(\tau\sqrt{\frac{d\log n\log\frac{1}{\eta}}{n\epsilon}})$",
    "8": r"$\leq{O}(\tau\sqrt{\frac{d^{2}\log n\log\frac{1}{\eta}}{n\epsilon}})$",
    "18": r"$\leq\tilde{O}(\tau(\frac{d\log n\log\frac{1}{\zeta}}{n\epsilon})^{\frac{\theta-1}{\theta}})$",
    "19": r"$\leq{O}(\tau d(\frac{\log n\log\frac{1}{\zeta}}{n\epsilon})^{\frac{\theta-1}{\theta}})$",
}
"""Right sides of the rates of Theorem 1, under Assumptions 1 and 2, and of Theorem 2, under 3 and 4."""
_LAST = ("", ".theta-175", ".theta-150", ".theta-125")
_RATES = {
    "7": ("thm1.rate.n.assumption1", "thm1.rate.d.assumption1", "thm1.rate.n.quantile", "thm1.rate.n.sharp",
          "thm1.rate.epsilon.sharp", "thm1.rate.eta.sharp", "thm1.rate.n.printed.assumption1"),
    "8": ("thm1.rate.n.assumption2", "thm1.rate.d.assumption2", "thm1.rate.n.printed.assumption2"),
    "18": (*(f"thm2.rate.n.{kind}{last}" for kind in ("assumption3", "sharp") for last in _LAST[1:]),
           "thm2.rate.d.assumption3.theta-150", "thm2.rate.n.quantile.theta-150", "thm2.rate.epsilon.sharp.theta-150",
           "thm2.rate.eta.sharp.theta-150", "thm2.rate.n.printed.assumption3.theta-150"),
    "19": (*(f"thm2.rate.n.assumption4{last}" for last in _LAST[1:]), "thm2.rate.d.assumption4.theta-150"),
}  # fmt: skip
_WORDS = {
    "eq3.inequality": r"$-\log(1-x+\frac{x^{2}}{2})\leq\psi(x)\leq\log(1+x+\frac{x^{2}}{2})$",
    "eq15.inequality": r"$-\log(1-x+\frac{|x|^{\theta}}{\theta})\leq\psi(x)\leq\log(1+x+\frac{|x|^{\theta}}{\theta})$",
    "lemma1.inequality": r"$\leq OPT_{u}(x)-\frac{2\Delta u}{\epsilon}(\ln|\mathcal{R}|+t)\}\leq e^{-t}$",
    "lemma2.inequality": r"Then its covering number $\mathcal{N}(\mathcal{W},\zeta)\leq(\frac{3\Delta}{\zeta})^{d}$.",
    "lemma3.rate.n": r"the optimal solution $\hat{w}_{\iota}$ of (2) has the following the excess population risk with "
    r"probability at least $1-\eta$ ... $=\tilde{O}(\sqrt{\frac{d\log\frac{1}{\eta}}{n}})$",
    "lemma4.inequality": r"$\geq L_{\mathcal{D}}(w)$ ... $-\frac{\iota}{2}SQUARE)-ENTROPY$",
    "lemma5.inequality": r"$\leq L_{\mathcal{D}}(w)+\frac{\iota}{2}SQUARE+ENTROPY$",
    "lemma6.inequality": r"under Assumption 1, we have the following with probability at least $1-2\eta$ ... $\leq 2"
    r"\zeta\tau$ ... $+\iota\zeta^{2}\tau^{2}+\frac{3\iota}{2}SQUARE+ENTROPY$",
    "lemma7.inequality": r"$\geq L_{\mathcal{D}}(w)-\frac{\iota^{\theta-1}}{\theta}SPREAD-ENTROPY$",
    "lemma8.inequality": r"$\leq L_{\mathcal{D}}(w)+\frac{\iota^{\theta-1}}{\theta}SPREAD+ENTROPY$",
    "lemma9.inequality": r"$\leq 2\zeta\tau+\frac{(2\iota)^{\theta-1}}{\theta}SPREAD$ ... $+\frac{(2\iota)^{\theta-1}"
    r"\zeta^{\theta}}{\theta}\tau^{\theta}+ENTROPY$",
    "lemma10.inequality": r"$\leq-L_{\mathcal{D}}(w)+\zeta\tau$ ... $+\frac{(2\iota)^{\theta-1}}{\theta}SPREAD+\frac{(2"
    r"\iota)^{\theta-1}\zeta^{\theta}}{\theta}\tau^{\theta}+ENTROPY$",
    "thm1.inequality.quantile": r"we have with probability at least $1-4\eta$ ... $\leq 3\zeta\tau+\iota\zeta^{2}\tau"
    r"^{2}+\frac{5\iota}{2}SQUARE$ ... $+\frac{3}{n\iota}LOG+\frac{4\log 2}{n\iota\epsilon}LOG$",
    "thm2.inequality.quantile": r"we have with probability at least $1-5\eta$ ... $+3\zeta\tau+\frac{2(2\iota)^{\theta"
    r"-1}}{\theta}SPREAD$ ... $+\frac{2(2\iota)^{\theta-1}\zeta^{\theta}}{\theta}\tau^{\theta}+\frac{8\log\theta}{n"
    r"\iota\epsilon}LOG$",
    "thm1.inequality.value": r"by setting $\zeta=O(\frac{1}{n})$ and $\iota=O(\sqrt{\frac{d\log n\log\frac{1}{\eta}}{n"
    r"\epsilon\tau^{2}}})$ we have",
    "thm2.inequality.value": r"Take $\zeta=O(\frac{1}{n})$ and $\iota=O(\frac{1}{\tau}(\frac{d\log\frac{1}{\zeta}}{n"
    r"\epsilon})^{\frac{1}{\theta}})$ we have",
}
_PARTS = {
    "ENTROPY": r"\frac{1}{n\iota}LOG",
    "LOG": r"\log\frac{N(\mathcal{W},\zeta)}{\eta}",
    "SPREAD": r"\sup_{w\in\mathcal{W}}\mathbb{E}|y-\langle x,w\rangle|^{\theta}",
    "SQUARE": r"\sup_{w\in\mathcal{W}}\mathbb{E}(y-\langle x,w\rangle)^{2}",
}
"""What the formulas above have in common."""
for _equation, _names in _RATES.items():
    _WORDS |= dict.fromkeys(_names, BOUNDS[_equation])
for _name, _quote in _WORDS.items():
    for _part, _formula in _PARTS.items():
        _quote = _quote.replace(_part, _formula)
    paper.finding(f"heavytail.{_name}", quote=_quote)
