"""The paper's words for entries that hold, formulas as its LaTeX has them; the `source` of each says where they are.

Entries of what is corrected have none: the words are those of the printed twin.
"""

from __future__ import annotations

from dpbench.papers.publicdata.theorems import paper

_RECORDS = r"d^{2}\varepsilon^{-1}\alpha^{-5}\log(\beta^{-1})"
_WORDS = {
    r"\leq\frac{8\tau}{\rho^{4}\kappa^{2}\eta}\cdot\mathbb{E}\left[\sup_{f\in\mathcal{F}}\omega(f)\right]":
    "prop1.inequality",
    r"\leq\frac{8\tau}{\rho^{4}\eta\kappa^{2}}\cdot\mathbb{E}\left[\sup_{t\in T}\omega(t)\right]": "cor1.inequality",
    r"\leq\frac{2}{(\eta\cdot n)^{1/3}\kappa^{2/3}}\cdot\left(\mathbb{E}\left[\sup_{f\in\mathcal{F}}\omega_{m}(f)"
    r"\right]\right)^{1/3}+\sqrt{\frac{\log\left(\frac{1}{\delta}\right)}{J}}": "lemma1.stability",
    r"\left\|\bar{f}-\bar{f}^{\prime}\right\|_{m}\leq\frac{2}{\sqrt{\eta\cdot n}}": "lemma2.stability.mean",
    r"\left\|f\right\|_{\mu}\leq 2\cdot\left\|f\right\|_{m}+\widetilde{O}\left(\frac{\overline{\mathcal{G}}_{m}("
    r"\mathcal{F})+\sqrt{\log\left(1/\beta\right)}}{\sqrt{m}}\right)": "lemma4.inequality",
    r"L_{\mathcal{D}}(\bar{f})\leq L_{\mathcal{D}}(f_{\mathsf{ERM}})+\sup_{f,f^{\prime}\in\mathcal{F}}R(f)-R("
    r"f^{\prime})": "lemma5.inequality",
    r"\leq 2\gamma\cdot\log\left(\frac{1}{\beta}\right)\cdot\sqrt{m}": "lemma8.inequality.laplace",
    r"\leq e^{\frac{m^{3/2}}{\gamma}\cdot\left\|\bar{f}^{\prime}-\bar{f}\right\|_{m}}": "lemma9.privacy.laplace",
    r"\frac{m}{2\gamma^{2}}\left(1+\gamma\cdot\sqrt{\log\left(\frac{2}{\delta}\right)}\right)\cdot\frac{2}{\sqrt{\eta"
    r"\cdot n}}\leq\varepsilon": "lemma11.privacy.gaussian",
    r"\frac{m^{3/2}}{\gamma}\cdot\frac{2}{\sqrt{\eta\cdot n}}\leq\varepsilon": "lemma11.privacy.laplace",
    r"+C\left(\frac{\log^{2}(m)}{\sqrt{m}}\cdot\overline{\mathcal{G}}_{m}(\mathcal{F})+\sqrt{\frac{\log\log(m)+\log\left("
    r"\frac{1}{\beta}\right)}{m}}\right)": "lemma12.inequality",
    r"\leq L(\bar{f})+\frac{\lambda}{\sigma}\cdot\left\|\bar{f}-\widehat{f}\right\|_{\mu}":
    "lemma15.inequality.smoothness",
    r"\xi_{1},\dots,\xi_{m}\sim\mathrm{Lap}(2m/\varepsilon)": "thm4.privacy.laplace",
    "Algorithm 4 is ... -pure differentially private.": "thm8.privacy",
    r"n=\tilde{\Omega}(d^{2}\varepsilon^{-1}\alpha^{-4}\log^{1/2}(1/\delta)\log(\beta^{-1}))": "thm4.rate.n.gaussian",
    r"n=\tilde{\Omega}(d^{2}\varepsilon^{-1}\alpha^{-3}\log(\beta^{-1}))": "thm10.rate.n.realizable",
    r"n=\tilde{\Omega}(d^{2}\varepsilon^{-1}\alpha^{-2.5}\log^{1/2}(1/\delta)\log(\beta^{-1}))":
    "thm4.rate.n.gaussian-realizable",
    rf"n=\tilde{{\Omega}}({_RECORDS})": "thm10.rate.n",
    r"m=O\left(\frac{d+\log(1/\beta)}{\alpha^{2}\sigma^{2}}\right)": "thm10.inequality.necessary",
    r"\gamma=\Theta\left(\frac{\sigma\alpha}{\lambda\cdot\sqrt{\log\left(\frac{1}{\beta}\right)}}\right) ... \eta="
    r"\Theta(\alpha)": "thm7.rate.n.worst",
    r"\eta=\Theta(\frac{\alpha}{\sqrt{d}})": "thm6.rate.n.worst",
    r"\widetilde{\Omega}\left(\frac{d\log\left(\frac{1}{\beta}\right)}{\alpha^{2}}\vee\frac{\lambda^{8}d^{2}\log^{4}\left("
    r"\frac{1}{\beta}\right)\log\left(\frac{1}{\delta}\right)}{\sigma^{8}\alpha^{8}\varepsilon^{2}}":
    "thm6.inequality.calls",
    r"\widetilde{\Omega}\left(\frac{\lambda^{12}d^{5}\log^{6}\left(\frac{1}{\beta}\right)}{\sigma^{12}\varepsilon^{3}"
    r"\alpha^{14}}": "thm2.rate.n thm2.inequality.sigma thm6.inequality.settings",
    r"\widetilde{\Omega}\left(\frac{\lambda^{5}d\log^{2}\left(\frac{1}{\beta}\right)}{\varepsilon\sigma^{4}\alpha^{5}}":
    "thm7.rate.n thm7.inequality.sigma",
    r"\frac{\lambda^{6}}{\sigma^{5}\varepsilon\alpha^{6}}\cdot\left(d^{2}\sqrt{\log\left(\frac{1}{\beta}\right)}\vee\log"
    r"^{5/2}\left(\frac{1}{\beta}\right)\right)": "thm7.rate.n.laplace",
    r"\leq O\left(\sqrt{\frac{d+\log(1/\beta)}{m\sigma^{2}}}\right)": "lemma22.inequality",
    r"\leq\frac{4m^{2}\log(m/\beta)}{\varepsilon n}": "lemma23.inequality",
    r"\mathbb{P}(\boldsymbol{\xi}=\mathbf{r})\leq e^{\varepsilon}\mathbb{P}(\boldsymbol{\xi}=\Psi_{f}(\mathbf{r}))":
    "lemma19.inequality",
    r"\mathbb{P}(\boldsymbol{\xi}\in B)=0 ... there is a unique minimizer": "lemma20.inequality",
    r"is a universal identification set for the class": "lemma17.inequality",
}
"""Quotations, with the entries that they are of."""
for _quote, _names in _WORDS.items():
    for _name in _names.split():
        paper.finding(f"publicdata.{_name}", quote=_quote)
