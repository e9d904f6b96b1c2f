"""What the GLM paper says where an entry holds: the sentence or display of the theorem, as printed.

The place is the entry's `source`, " ... " stands where words are left out. Rows of what proofs use (sensitivities,
composition) have the sentence that uses it, cells of Table 1 the cell or what the text says of it, and a corrected row
has the words of the row it corrects.
"""

from __future__ import annotations

from dpbench.papers.glm.theorems import paper

_PRINTED: dict[tuple[str, ...], str] = {
    ("lemma1.floor", "lemma1.floor.exact", "lemma1.floor.tight"): (
        r"For all  $\tau \in \mathbb{R}$ , if  $\Delta \leq \frac{\log(1/2\gamma)}{\epsilon}$  and  "
        r"$\delta \leq \frac{1}{16}(1 - e^{-\epsilon})$ , then  $\mathbb{E}\left[|\mathcal{A}(S) - \tau| "
        r"+ |\mathcal{A}(S') - \tau'|\right] \geq \frac{1}{4}|\tau - \tau'|$ ."
    ),
    ("thm4.floor", "thm4.floor.exact", "thm4.floor.tight"): (
        r"For any  $(\epsilon,\delta)$ -DP algorithm,  $\mathcal{A}$ , there exists a dataset S with "
        r"empirical minimizer of norm B such that the excess empirical risk of  $\mathcal{A}$  is lower "
        r"bounded by  $\Omega\left\{\min\left\{\|\mathcal{Y}\|^2, "
        r"\frac{(B\|\mathcal{X}\|)^{4/3}(H\|\mathcal{Y}\|)^{2/3}}{(n\epsilon)^{2/3}}, "
        r"\frac{\sqrt{d}B\|\mathcal{X}\|\|\mathcal{Y}\|\sqrt{H}}{n\epsilon}\right\}\right\}$ ."
    ),
    ("thm4.inequality.curvature",): (
        r"F(\bar{w}; S_{\sigma}) - F(w^{\sigma}; S_{\sigma}) \ge \frac{p\|\mathcal{X}\|^2}{2d'} "
        r"\sum_{j=1}^{d'} (\bar{w}_j - w_j^{\sigma})^2."
    ),
    ("thm4.inequality.two-point",): (
        r"\mathbb{E}\left[\left|\mathcal{A}(S_{\boldsymbol{\sigma}})_{j} - w_{j}^{\boldsymbol{\sigma}}\right| + "
        r"\left|\mathcal{A}(S_{\boldsymbol{\sigma}'})_{j} - w_{j}^{\boldsymbol{\sigma}'}\right|\right] \ge \frac{1}{4} "
        r"\frac{\|\mathcal{Y}\|b}{\|\mathcal{X}\|}."
    ),
    ("table1.rate.crossover", "table1.rate.crossover.output-perturbation", "table1.rate.crossover.printed"): (
        r"Finally, we note that our upper bounds for smooth GLMs distinguish low and high dimensional "
        r"regimes, transitioning at  $d = \min\left(\left(\frac{B\sqrt{H}\|\mathcal{X}\|}{\|\mathcal{Y}\|}"
        r"\right)^{\frac{2}{3}}, 1\right)(n\epsilon)^{\frac{2}{3}}$ ."
    ),
    ("thm6.floor", "thm6.floor.exact", "thm6.floor.tight"): (
        r"For any  $(\epsilon, \delta)$ -DP algorithm  $\mathcal{A}$ , there exists a G-Lipschitz GLM "
        r"loss bounded at zero by  $\|\mathcal{Y}\|$  and a distribution  $\mathcal{D}$  with  $\|w^*\| "
        r"\leq B$  such that the output of  $\mathcal{A}$  on  $S \sim \mathcal{D}^n$  satisfies  "
        r"$\mathbb{E}[\varepsilon_{\mathsf{risk}}(\mathcal{A}(S))] = \Omega(GB\|\mathcal{X}\|\min\left(1, "
        r"\frac{1}{\sqrt{n\epsilon}}, \frac{\sqrt{rank}}{n\epsilon}\right)\right)$ ."
    ),
    ("thm11.floor", "thm11.floor.exact", "thm11.floor.tight"): (
        r"\mathbb{E}[L(\mathcal{A}(S); \mathcal{D}) - L(\widetilde{w}; \mathcal{D})] = "
        r"\Omega\left(GB\|\mathcal{X}\|\min\left(1, \frac{1}{(n\epsilon)^{1/p}}, "
        r"\frac{(rank)^{(p-1)/p}}{n\epsilon}\right)\right)."
    ),
    ("cor4.floor", "cor4.floor.exact", "cor4.floor.tight"): (
        r"\mathbb{E}_{\mathcal{A},S}[\mathbb{E}_{z \sim \mathcal{D}} \ell(\mathcal{A}(S); z) - \min_{w "
        r"\in \mathcal{W}} \mathbb{E}_{z \sim \mathcal{D}} \ell(w; z)] = \Omega \left( GB \min \left( 1, "
        r"\frac{1}{(n\epsilon)^{1/p}}, \frac{d^{(p-1)/p}}{n\epsilon} \right) \right)."
    ),
    ("thm16.floor", "thm16.floor.exact"): (
        r"For any Algorithm  $\mathcal{A}$ , there exists a 1-dimensional H-smooth non-negative GLM,  "
        r"$\ell : \mathbb{R} \times (\mathcal{X} \times \mathcal{Y}) \mapsto \mathbb{R}$ , and a "
        r"distribution  $\mathcal{D}$  over  $(\mathcal{X} \times \mathcal{Y})$  with  $\|w^*\| = "
        r"\Theta(\min{\{\|\mathcal{Y}\|, B\}} \text{ such that the excess population risk of the output "
        r"of } \mathcal{A} \text{ when run on } S \sim \mathcal{D}^n \text{ is lower bounded as } "
        r"\Omega\left(\frac{\min{\{\|\mathcal{Y}\|, B\|\mathcal{X}\|\}}}{\sqrt{n}}\right)$ ."
    ),
    ("thm17.floor", "thm17.floor.exact"): (
        r"Then for any algorithm,  $\mathcal{A}$ , there exists a distribution  $\mathcal{D}$  over  "
        r"$(\mathcal{X} \times \mathcal{Y})$  and a constant C such that for  $S \sim \mathcal{D}^n$  it "
        r"holds that  $\mathbb{E}\left[L(\mathcal{A}(S);\mathcal{D}) - L(w_B^*;\mathcal{D})\right] \geq C "
        r"\min\left\{\|\mathcal{Y}\|^2, \frac{B^2\|\mathcal{X}\|^2 + d\|\mathcal{Y}\|^2}{n}, "
        r"\frac{B\|\mathcal{Y}\|\|\mathcal{X}\|}{\sqrt{n}}\right\}$ , where  $w_B^* = \arg\min_{w \in "
        r"\mathcal{B}_B} \{L(w;\mathcal{D})\}$ ."
    ),
    ("cor5.floor", "cor5.floor.exact"): (
        r"\mathbb{E}\left[L(\mathcal{A}(S); \mathcal{D}) - L(w^*; \mathcal{D})\right] = "
        r"\Omega\left\{\min\left\{\|\mathcal{Y}\|^2, \frac{HB^2\|\mathcal{X}\|^2 + "
        r"d\|\mathcal{Y}\|^2}{n}, \frac{\sqrt{H}B\|\mathcal{Y}\|\|\mathcal{X}\|}{\sqrt{n}}\right\}\right\}."
    ),
    ("lemma2.inequality",): (
        r"for any  $w \in \mathcal{B}_B$  and  $(x, y) \in (\mathcal{X} \times \mathcal{Y})$  we have  "
        r"$\|\nabla \ell(w, (x, y))\| \le 2\|\mathcal{Y}\|\sqrt{H}\|\mathcal{X}\| + 2HB\|\mathcal{X}\|^2$ ."
    ),
    ("lemma3.inequality",): (
        r"For any  $w \in \mathcal{B}_B$  and any  $(x,y) \in (\mathcal{X} \times \mathcal{Y})$  it holds "
        r"that  $\ell(w;(x,y)) \leq 3(\|\mathcal{Y}\|^2 + HB^2\|\mathcal{X}\|^2)$ ."
    ),
    ("lemma12.inequality",): (
        r"Then for any u, v, with probability at least  $1 - 2\beta$ ,  $|\langle \Phi u, \Phi v \rangle "
        r"- \langle u, v \rangle| \le \alpha \|u\| \|v\|$ ."
    ),
    ("thm1.rate.n", "thm1.rate.d", "thm1.rate.epsilon", "thm1.rate.radius", "thm1.rate.n.small-radius"): (
        r"\mathbb{E}[\varepsilon_{\mathsf{risk}}(\widehat{w})] \leq "
        r"O\Bigg(\frac{\sqrt{\widetilde{H}}B\|\mathcal{Y}\|}{\sqrt{n}} + "
        r"\frac{GB\sqrt{d\log{(1/\delta)}}}{n\epsilon}\Bigg)."
    ),
    ("thm2.rate.n", "thm2.rate.radius", "thm2.rate.n.small-radius", "thm2.inequality.forms"): (
        r"\mathbb{E}[\varepsilon_{\mathsf{risk}}(\widehat{w})] \leq "
        r"\widetilde{O}\Bigg(\frac{\sqrt{H}B\,\|\mathcal{X}\|\,\|\mathcal{Y}\|}{\sqrt{n}} + "
        r"\frac{\left(\sqrt{H}B\,\|\mathcal{X}\|\,\sqrt{\|\mathcal{Y}\|}\right)^{\frac{4}{3}} + "
        r"\left(\sqrt{H}B\,\|\mathcal{X}\|\right)^2}{(n\epsilon)^{\frac{2}{3}}}\Bigg)."
    ),
    ("thm3.rate.n", "thm3.rate.d", "thm3.rate.B"): (
        r"\mathbb{E}[\varepsilon_{\mathsf{risk}}(\widehat{w})] \leq "
        r"\widetilde{O}\bigg(\frac{\sqrt{H}B\,\|\mathcal{X}\|\,\|\mathcal{Y}\| + "
        r"\|\mathcal{Y}\|^2}{\sqrt{n}} + \frac{\left(\sqrt{H}B\,\|\mathcal{X}\|\right)^{4/3}\,\|\mathcal{Y"
        r"}\|^{2/3} + \left(\sqrt{H}B\,\|\mathcal{X}\|\right)^2}{(n\epsilon)^{2/3}}\bigg)."
    ),
    ("thm5.rate.n", "thm5.rate.rank", "thm5.rate.B"): (
        r"Given a dataset of n i.i.d. samples from  $\mathcal{D}$ , its output has excess risk  "
        r"$\mathbb{E}\left[\varepsilon_{\mathsf{risk}}(\widehat{w})\right] = "
        r"\widetilde{O}\left(\frac{GB\|\mathcal{X}\|}{\sqrt{n}} + \frac{GB\|\mathcal{X}\|}{\sqrt{n\epsilon}}\right)$ ."
    ),
    ("thm10.rate.epsilon", "thm10.rate.rank"): (
        r"\mathbb{E}[\varepsilon_{\mathsf{risk}}(\widehat{w})] = \widetilde{O}\left(\frac{GB \, "
        r"\|\mathcal{X}\|}{\sqrt{n}} + \frac{GB \|\mathcal{X}\|}{\sqrt{n\epsilon}}\right)."
    ),
    ("thm12.inequality", "thm7.inequality.selection.corrected"): (
        r"outputs  $j \in [N]$  such that with probability at least  $1 - \beta$  satisfies  $q_j(S) \le "
        r"\min_{j \in [N]} \left\{ q_j(S) + \frac{4\gamma_j \log(N/\beta)}{\epsilon} \right\}$ ."
    ),
    ("thm12.privacy.exact",): (
        r"Let  $q_1,...,q_K$  be functions s.t. for any adjacent datasets S,S' it holds that  $|q_j(S) - "
        r"q_j(S')| \le \gamma_j : \forall j \in [K]$ ."
    ),
    ("thm7.privacy.exact", "alg4.privacy.printed"): (
        r"Then Algorithm 4 is  $(\epsilon,\delta)$ -DP."
    ),
    ("thm8.privacy.exact",): (
        r"Algorithm 4 run with  $\mathcal{A}$  and K is  $(\epsilon, \delta)$ -DP"
    ),
    ("thm14.privacy.exact",): (
        r"The boosting procedure (Algorithm 5) using the JL method (Algorithm 2) as Algorithm A satisfies "
        r" $(\epsilon, \delta)$ -DP,"
    ),
    ("thm14.rate.n",): (
        r"L(\widehat{w}_{i^*}; \mathcal{D}) - L(w^*; \mathcal{D}) \leq \widetilde{O}\left(\frac{\sqrt{H}B "
        r"\|\mathcal{X}\| \|\mathcal{Y}\|}{\sqrt{n}} + \frac{\left(\left(\sqrt{H}B \|\mathcal{X}\|\right)^{4/3} "
        r"\|\mathcal{Y}\|^{2/3} + \left(\sqrt{H}B \|\mathcal{X}\|\right)^{2}\right)}{(n\epsilon)^{2/3}} + "
        r"\frac{\left(\|\mathcal{Y}\|^{2} + HB^{2}\|\mathcal{X}\|^{2}\right)}{n\epsilon} + \frac{\left(\|\mathcal{Y}\| "
        r"+ \sqrt{H}B \|\mathcal{X}\|\right)}{\sqrt{n}}\right)"
    ),
    ("thm15.rate.n",): (
        r"L(\widehat{w}_{i^*}; \mathcal{D}) - L(w^*; \mathcal{D}) \leq \widetilde{O}\left(\frac{\sqrt{H}B "
        r"\|\mathcal{X}\| \|\mathcal{Y}\| + \|\mathcal{Y}\|^2}{\sqrt{n}} + \frac{\left(\left(\sqrt{H}B "
        r"\|\mathcal{X}\|\right)^{4/3} \|\mathcal{Y}\|^{2/3} + \left(\sqrt{H}B "
        r"\|\mathcal{X}\|\right)^2\right)}{(n\epsilon)^{2/3}} + \frac{\left(\|\mathcal{Y}\|^2 + HB^2 "
        r"\|\mathcal{X}\|^2\right)}{n\epsilon} + \frac{\left(\|\mathcal{Y}\| + \sqrt{H}B "
        r"\|\mathcal{X}\|\right)}{\sqrt{n}}\right)"
    ),
    ("thm7.inequality.oracle", "thm7.rate.n"): (
        r"\varepsilon_{\mathsf{risk}}(\bar{w}; \mathcal{D}) \leq \min \Big\{ \|\mathcal{Y}\|^2, \mathsf{ERR}(2 \max "
        r"\left\{ \left\| w^* \right\|, 1 \right\}) + \sqrt{\frac{4 \|\mathcal{Y}\|^2 \log \left(4K/\beta\right)}{n}} "
        r"+ \frac{5\Delta(2 \max \left\{ \left\| w^* \right\|, 1 \right\})}{n\epsilon} \Big\}."
    ),
    ("lemma4.inequality",): (
        r"The generalization gap of algorithm  $\mathcal{A}$  is bounded as,"
    ),
    ("fact1.inequality",): (
        r"For a  $\widetilde{H}$ -smooth non-negative function f, and for any  $u \in \text{dom}(f)$ , we "
        r"have  $\|\nabla f(u)\| \leq \sqrt{4\widetilde{H}f(u)}$ ."
    ),
    ("lemma8.inequality",): (
        r"the excess risk of  $\widetilde{w}$  on  $\Phi \mathcal{D}$  is bounded as,"
    ),
    ("cor3.inequality",): (
        r"L(\widetilde{w}; \mathcal{D}) - \widehat{L}(\widetilde{w}; S) = "
        r"\widetilde{O}\left(\frac{\sqrt{H}B\|\mathcal{X}\|\|\mathcal{Y}\|\sqrt{\log{(1/\beta)}}}{\sqrt{n}"
        r"} + \frac{\|\mathcal{Y}\|^2\log{(1/\beta)}}{\sqrt{n}}\right)."
    ),
    ("cor3.rate.n",): (
        r"\mathbb{E}[L(\widetilde{w}; \mathcal{D}) - \widehat{L}(\widetilde{w}; S)] = "
        r"\widetilde{O}\left(\frac{\sqrt{H}\|\mathcal{Y}\|B\|\mathcal{X}\|}{\sqrt{n}} + "
        r"\frac{\|\mathcal{Y}\|^2}{\sqrt{n}}\right)."
    ),
    ("cor1.rate.radius",): (
        r"\mathbb{E}[L(\widehat{w}; \mathcal{D}) - L(w^*; \mathcal{D})] \le "
        r"O\left(\frac{\sqrt{\widetilde{H}}B\|\mathcal{Y}\|}{\sqrt{n}}\right)."
    ),
    ("thm2.privacy.exact",): (
        r"Algorithm 2 satisfies  $(\epsilon, \delta)$ -differential privacy."
    ),
    ("thm10.privacy.exact",): (
        r"Algorithm 2 satisfies  $(\epsilon,\delta)$ -differential privacy."
    ),
    ("sensitivity.inequality.gradients",): (
        r"Since Algorithm 1 uses a projection step, the iterates always lie in the constraint set  $\{w: \|w\| "
        r"\leq B\}$ . Hence, the function over this constraint set is G-Lipschitz."
    ),
    ("sensitivity.inequality.minimisers",): (
        r"Note that from a standard analysis [BE02], we get that  $\ell_2$  sensitivity of the regularized "
        r"minimizer  $\widetilde{w}$  is  $\left(\frac{2G\|\mathcal{X}\|}{n\lambda}\right)$ ,"
    ),
    ("sensitivity.inequality.losses",): (
        r"Furthermore, by Assumption 2 with probability at least  $\delta/2$  the sensitivity values passed to "
        r"GenExpMech bound sensitivity."
    ),
    ("noisy-max.inequality",): (
        r"Thus conditioning on this event, from the guarantee of the report noisy max procedure, we have that it "
        r"satisfies  $(\frac{\epsilon}{2})$ -DP."
    ),
    ("composition.inequality",): (
        r"From the analysis of Noisy (S)GD in [BST14, BFTGT19], we have that the setting of noise variance  "
        r"$\sigma^2$  ensures that the algorithm satisfies  $(\epsilon, \delta)$ -DP"
    ),
    ("thm11.inequality.beta.corrected",): (
        r"\mathbb{E} \|\widehat{v} - \mu\|_{2}^{2} \ge \frac{d'}{4(1+2\beta)} - 3\alpha n\epsilon."
    ),
    ("thm13.inequality", "thm13.rate.beta"): (
        r"From independence of  $\{w_i\}_{i=1}^m$ , with probability at least  $1-1/4^m=1-\frac{\beta}{4}$ , there "
        r"exists one model, say  $\widehat{w}_{i^*}$ , such  $L(\widehat{w}_{i^*};\mathcal{D}) \leq "
        r"L(w^*;\mathcal{D}) + 4\mathsf{ERR}\left(\frac{n}{m+1},\frac{\epsilon}{2}\right)$ ."
    ),
    ("thm8.rate.n",): (
        r"\varepsilon_{\mathsf{risk}}(\widehat{w}) &= \widetilde{O}\Bigg(\min\Big\{\|\mathcal{Y}\|^2, "
        r"\frac{\left(\sqrt{H}B^* \,\|\mathcal{X}\|\right)^{4/3} \,\|\mathcal{Y}\|^{2/3} + \left(\sqrt{H}B^* "
        r"\,\|\mathcal{X}\|\right)^2}{(n\epsilon)^{2/3}} ... + \frac{\sqrt{H}B^* \,\|\mathcal{X}\| "
        r"\max\big\{\|\mathcal{Y}\|\,,1\big\} + \|\mathcal{Y}\|^2}{\sqrt{n}} + \frac{\|\mathcal{Y}\|^2 + H(B^* "
        r"\|\mathcal{X}\|)^2}{n\epsilon}\Big\}\Bigg)."
    ),
    ("table1.inequality.benign",): (
        r"The actual private excess risk bounds are the sum of the expressions shown in the DP rows and their "
        r"non-private counterparts."
    ),
    ("table1.rate.crossover.lipschitz",): (
        r"This improves in the high privacy regime where  $\epsilon \leq \frac{\operatorname{rank}}{n}$ ."
    ),
    ("table1.rate.classical.lipschitz",): r"$\frac{G  w^*    X  }{\sqrt{n}}$ [NY83]",
    ("table1.floor.classical.lipschitz",): "Tight ... [NY83]",
}  # fmt: skip

for _ids, _words in _PRINTED.items():
    for _id in _ids:
        paper.finding(f"{paper.name}.{_id}", quote=_words)
