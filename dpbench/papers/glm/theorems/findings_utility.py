"""What the ledger says of utility rows that do not hold: inequalities, rates, text; see `findings`."""

from __future__ import annotations

from dpbench.papers.glm.theorems.findings import found

found(
    "lemma9.inequality", weight="constant", effect=1, line=902, place="Lemma 9, appendix C.4",
    quote=r"Algorithm 1 run with constraint set  $\mathcal{B}_B$  satisfies Assumption 2 with  $\Delta(B) = "
    r"\|\mathcal{Y}\|^2 + HB^2\|\mathcal{X}\|^2$ .",
    consequence="At B = |X| = |Y| = 1, H = 2 the loss reaches 4 where Delta(B) = 3 (at B = 1/2, 9/4 against 3/2), so "
    "Algorithm 4's sensitivities are up to a third too small per record.",
    change="for |Y|^2 + HB^2|X|^2 read 2|Y|^2 + HB^2|X|^2, or (|Y| + sqrt(H/2)B|X|)^2",
    caveat="“The proof is straightforward using Lemma 3”, whose bound 3(|Y|^2 + HB^2|X|^2) is right.",
)  # fmt: skip
found(
    "lemma10.inequality", weight="constant", effect=1, line=906, place="Lemma 10, appendix C.4",
    quote=r"Algorithm 3 run with parameter B and  $\sigma$  satisfies Assumption 2 with  $\Delta(B) = "
    r"\|\mathcal{Y}\|^2 + H\|\mathcal{X}\|^2\sigma^2\log(K/\delta)) + HB^2\|\mathcal{X}\|^2$",
    consequence="As Lemma 9 where sigma is small; where it is large, the chance of a loss above Delta(B) is up to "
    "85.8 times the allowed min(delta, beta)/(4K) with the logarithm of C.3 (100 records, K = 10).",
    caveat="C.3 uses the lemma with a larger logarithm, which is granted here: “H\\|\\mathcal{X}\\|^2\\sigma_j^2"
    "\\log\\left(K/\\min\\left\\{\\beta,\\delta\\right\\}\\right)”.",
    change="read (|Y| + sqrt(H/2)|X|(B + sigma sqrt(2 log(8Kn_2/min(delta, beta)))))^2, n_2 the records of S_2",
)  # fmt: skip
found(
    "thm15.inequality", weight="constant", line=1071, place="proof of Theorem 15, appendix D.2",
    quote=r"Since the algorithm simply adds Gaussian noise of variance  $\sigma^2\mathbb{I}_d$  to a vector  "
    r"$\widetilde{w}$  where  $\|\widetilde{w}\| \leq B$ , we have that  $\gamma^2 \leq B^2 + \sigma^2$ .",
    consequence="E exp(<w, u>^2/gamma^2) is e = 2.718 without noise and infinite from sigma = B on; condition 2 of "
    "Theorem 13 allows 2. The rate stands.",
    change="for gamma^2 <= B^2 + sigma^2 read gamma^2 = 2B^2/log 2 + (16/3)sigma^2",
)  # fmt: skip
found(
    "thm11.floor.case2", weight="constant", line=837, place="proof of Theorem 11, after (20), appendix B.4",
    quote=r"On the other hand, when rank  $> 48n\epsilon$ , set  $\alpha = 1$  and  $d' = \lfloor 48n\epsilon \rfloor$",
    consequence="The display that follows drops a factor 48^(1/p): at p = 1 the constant predictor's risk on the "
    "printed instance is 6.75 times below the printed floor. The rate, and Theorem 11's Omega, stand.",
    change="for 16(n eps)^(1/p) read a denominator with 48^(1/p) beside it",
)  # fmt: skip
found(
    "lemma5.stability", weight="range", line=457, place="Lemma 5, appendix A.3.1",
    quote=r"The average argument stability for noisy GD (Algorithm 1) run for T iterations with step size  $\eta \leq "
    r"\frac{4}{H}$  is bounded as",
    consequence="True for eta <= 2/H~ and T <= n; at eta = 4/H~ a step triples the difference of two runs, and for T "
    "> n^2 the right side can be negative. Theorem 1 uses eta <= 1/(4H~) and T = n, where it holds.",
    change="for eta <= 4/H read eta <= 2/H~, and add T <= n",
)  # fmt: skip
found(
    "thm7.inequality.penalty", weight="step", effect=1, line=864, place="proof of Theorem 7, before (21), appendix C.2",
    quote=r"The excess risk assumption then implies that  "
    r"$\underset{(x,y)\sim\mathcal{D}}{\mathbb{E}}\left[\ell(w_j;(x,y))^2\right] \leq 4\|\mathcal{Y}\|^2$",
    consequence="A bound on the mean of the loss bounds no second moment, and the units differ: at |Y| = 10, n = "
    "20,000, beta = 0.1, K = 1 the event of (21) has probability at least 0.555 where 0.05 is allowed.",
    change="for 4|Y|^2 read U L(w_j; D), for losses in [0, U], and tau_j accordingly",
)  # fmt: skip
found(
    "thm11.inequality.norms", weight="step", line=806, place="proof of Theorem 11, before (20), appendix B.4",
    quote=r"the second follows from projection property and  $\widehat{v}$  denotes the projection of v onto  "
    r"$[0,1]^d$ , and the last inequality follows from boundedness of coordinates of  $\widehat{v} - \mu$ .",
    consequence="|u|_2 >= |u|_2^2 is false for |u|_2 > 1, possible from d' = 2 on (by a factor of 8 at d' = 64); "
    "|u|_1 >= |u|_2^2 is true for coordinates in [-1, 1] and all that is needed.",
    change="leave out the norms |.|_2 between |v - mu|_1 and |v^ - mu|_2^2",
)  # fmt: skip
found(
    "cor5.floor.small-radius", weight="hypothesis", effect=1, line=1095, place="Corollary 5, appendix E",
    quote=r"such that  $||w^*|| = B$  and for  $S \sim \mathcal{D}^n$  it holds that",
    consequence="Zero has excess HB^2|X|^2/2 at most, which is B sqrt(n)/(2|Y|) times the printed term (H = |X| = "
    "1): below any constant as B falls. Holds once sqrt(H)B|X| >= |Y|.",
    change='add "sqrt(H)B|X| >= |Y|", or HB^2|X|^2 to the minimum',
    caveat="Footnote 1: “The bounds of [Sha15] were originally stated for the constrained setting, but can easily be "
    "converted. More details in Appendix E.”",
)  # fmt: skip
found(
    "thm9.inequality", weight="hypothesis", line=596, place="Theorem 9 (cited from [SST10]), appendix A.5",
    quote=r"Let  $\ell$  be an H-smooth GLM and let R be a bound on the loss function.",
    consequence="Said of every smooth GLM the bound fails for the linear loss (H = 0): in two dimensions a w "
    "orthogonal to the empirical mean has mean loss exactly 0 and a risk of order R/sqrt(n), where R log(1/beta)/n is "
    "allowed; for non-negative losses, those of section 3 and of the cited work, nothing is found against it.",
    change='for "H-smooth GLM" read "H-smooth non-negative GLM"',
    caveat="The theorem is used in section 3 alone, headed “Smooth Non-negative GLMs”, and the cited work is about "
    "non-negative losses; the word is left out here only.",
)  # fmt: skip
found(
    "alg1.rate.printed", weight="misprint", effect=1, line=163, place="Algorithm 1, line 4, section 3.1.1",
    quote=r"$w_{t+1} = \Pi_{\mathcal{W}} \left( w_t - \eta \left( \widehat{L}(w_t; S) + \xi \right) \right)$",
    consequence="To the letter a number is taken off every coordinate and no n helps; with the gradient Corollary "
    "1's rate is found. The listing also starts at w_0 where the average starts at w_1.",
    change="for L^(w_t; S) read its gradient; for w_0 = 0 read w_1 = 0",
    caveat=r"The proof of Lemma 6 has the gradient: “\left(\nabla \widehat{L}(w_t; S) + \xi_t\right)”.",
)  # fmt: skip
found(
    "cor2.inequality.step", weight="misprint", line=395, place="Corollary 2, appendix A.3",
    quote=r"$\eta = "
    r"\min\left(\frac{B}{\sqrt{T}\max\left(\sqrt{H}\|\mathcal{X}\|\|\mathcal{Y}\|,\sigma\sqrt{d}\right)}, "
    r"\frac{1}{4H\|\mathcal{X}\|}\right)$",
    consequence="For |X| < 1 the step is |X| times too small: the constant the bound needs grows like |X|^(-1/2).",
    change="for 1/(4H|X|) read 1/(4H|X|^2), as in Theorem 2",
)  # fmt: skip
found(
    "cor2.inequality.units", weight="misprint", line=397, place="Corollary 2, appendix A.3",
    quote=r"\frac{\left(\sqrt{H}\|\mathcal{X}\|\|\mathcal{Y}\| + H\|\mathcal{X}\|^2 "
    r"B^2\right)B\sqrt{d\log(1/\delta)}}{n\epsilon}\right).",
    consequence="(...)B has to be GB of Theorem 1; with B^2 the second term vanishes in small units of B, and the "
    "constant that is then needed grows like (B|X|/|Y|)^1.3 on the hardest scale.",
    change="for H|X|^2 B^2 read H|X|^2 B (also in the sketch of Theorem 2)",
)  # fmt: skip
found(
    "lemma6.inequality.printed", weight="misprint", line=493, place="Lemma 6, appendix A.3.1",
    quote=r"O\left(\frac{\sqrt{H}B\|\mathcal{Y}\|}{\sqrt{n}} + "
    r"\frac{\sqrt{d}G\log\left(1/\delta\right)}{n\epsilon}\right).",
    consequence="Without its B the private term vanishes in large units of w while the regret does not: the constant "
    "needed grows like n^(1/2) at fixed n eps.",
    change="for sqrt(d) G log(1/delta) read sqrt(d log(1/delta)) G B",
    caveat=r"Theorem 1 has B and the root: “\frac{GB\sqrt{d\log{(1/\delta)}}}{n\epsilon}”.",
)  # fmt: skip
found(
    "lemma7.inequality", weight="misprint", line=544, place="Lemma 7, appendix A.4",
    quote=r"$\sigma^2 = O\left(\frac{G^2 \|\mathcal{X}\|^2 \log(1/\delta)}{n^2 \epsilon^2}\right)$",
    consequence="G has its |X| already, and the number of steps is missing: in small units of w the noise is all "
    "there is (the constant needed grows like n^(1/2)).",
    change="for G^2|X|^2 read G^2 T, as in Theorem 2",
    caveat=r"Theorem 2, for which the lemma is, has the steps: “$\sigma^2 = "
    r"\frac{8G^2T\log(1/\delta)}{n^2\epsilon^2}$”.",
)  # fmt: skip
found(
    "thm2.inequality.dimension", weight="misprint", effect=1, line=200, place="Theorem 2, section 3.1.2",
    quote=r"$k = "
    r"O\left(\frac{B\sqrt{H}\|\mathcal{X}\|\log(2n/\delta)n\epsilon}"
    r"{\|\mathcal{Y}\|\|\mathcal{X}\|+\sqrt{H}B\|\mathcal{X}\|^2}\right)^{2/3}$",
    consequence="The k that balances the two terms of A.4 has one factor |X| more; at |X| far from 1 the map keeps "
    "too few dimensions and the constant needed grows like n^0.46. At |X| = 1 there is no difference.",
    change="for B sqrt(H)|X| in the numerator read B sqrt(H)|X|^2",
    caveat="The proof ends with another k, which has the factor: “Setting  $k = "
    r"O\left(\frac{BH\|\mathcal{X}\|\log(2n/\delta)n\epsilon}{G}\right)^{2/3}$  completes the proof.”",
)  # fmt: skip
found(
    "thm4.inequality.counts", weight="misprint", line=239, place="proof sketch of Theorem 4, section 3.2 (and A.7)",
    quote=r"Set  $\frac{pn}{2d}(1+b)$  of the labels as",
    consequence="The label counts add up to pn/d where a block has pn/d' records; Delta, a line further, has d'.",
    change="for pn/(2d) read pn/(2d'), twice",
    caveat=r"A line further the count is right: “the datasets  $S_{\sigma}$  and  $S_{\sigma'}$  differ in  $\Delta = "
    r"\frac{pn}{2d'}[(1+b)-(1-b)] = \frac{pbn}{d'}$  points”.",
)  # fmt: skip
found(
    "thm4.inequality.rescaling", weight="misprint", line=672, place="end of appendix A.7",
    quote=r"we can set  $F(w;S) = \frac{H}{2n} \sum_{(x,y) \in S} (\langle w, x \rangle - \frac{2}{\sqrt{H}} y)^2$ . "
    r"This satisfies H-smoothness and loss bounded at zero by  $\|\mathcal{Y}\|^2$ .",
    consequence="The loss at zero is 2|Y|^2 with the factor 2/sqrt(H); the rate stands.",
    change="for 2/sqrt(H) read sqrt(2/H), twice",
)  # fmt: skip
found(
    "thm4.floor.d1", effect=2, line=235, place="Theorem 4, section 3.2",
    change='for "For any (epsilon, delta)-DP algorithm" read "Let d >= 2 ..."; for d = 1 the minimum is '
    "min{HB^2|X|^2, sqrt(H)B|X||Y|/(n eps), |Y|^2/(n eps)}, up to constants on both sides",
    caveat=r"A.7: “Furthermore,  $d' < \min\{n, d\}$  and b < 1 whenever”, which has d >= 2; the statement does not "
    r"say so. It adds that “this lower bound implies our upper bound is optimal whenever  $B\|\mathcal{X}\| \leq "
    r"\|\mathcal{Y}\|$ , which is a commonly studied regime in linear regression”: there the case d = 1 stands too.",
)  # fmt: skip
found(
    "thm4.floor.small-radius", effect=2, line=235, place="Theorem 4, section 3.2",
    change="add HB^2|X|^2 to the minimum, or the condition sqrt(H)B|X| >= |Y|/(n eps)",
    caveat=r"A.7: “it can be verified that } d' > 1 \text{ whenever } \epsilon > \frac{1}{n}”; d' = (p|X|Bn "
    "epsilon/|Y|)^(2/3) is below 1 for B|X|n epsilon < |Y|.",
)  # fmt: skip
found(
    "thm4.inequality.wlog", effect=1, line=666, place="appendix A.7, after (12)",
    change="for B|X| > |Y| min(sqrt(n eps), sqrt(d)) and d >= 2, for the dummy point read a pair of data sets: m "
    "records ((|Y|/B)e_1, |Y|), else zeros; in the second k of the zeros become ((|Y|/B)sqrt(m/k)e_1, 0) and one (c "
    "e_2, (sqrt(3)/2)cB), with c = min(|X|, 2|Y|/(sqrt(3)B)), k = min(floor(1/eps), floor((n - 1)/2)) and m = "
    "min(floor(k(B|X|/|Y|)^2), n - k - 1)",
)  # fmt: skip
found(
    "thm7.inequality.printed", effect=2, line=297, place="Algorithm 4, line 8, section 5",
    change="for (Delta(B_j), L~_j) read (2 Delta(B_j)/n, L~_j): the sensitivity of a mean over n/2 records",
    caveat=r"Line 6 has “\frac{\Delta(B_j) \log(K/\beta)}{n}” and C.2 “\frac{4\Delta(B_j) "
    r"\log(4K/\beta)}{n\epsilon}”, so the /n was meant.",
)  # fmt: skip
found(
    "thm8.inequality.printed", effect=2, line=307, place="Theorem 8, section 5",
    change="none beyond that in line 8 of Algorithm 4",
)  # fmt: skip
found(
    "thm7.inequality.constants", effect=2, line=303, place="Theorem 7, section 5 (and C.2)",
    change="for 5 Delta(...)/(n eps) read 8 Delta(...) log(4(K+1)/beta)/(n eps) with sensitivities Delta/n, or 16 "
    "with 2 Delta/n; the display of C.2 has the logarithm, with 4K for 4(K+1) and 4 for 8",
    caveat=r"C.2 has the logarithm: “\frac{5\Delta(\max\left\{2\left\|w^*\right\|, "
    r"1\right\})\log\left(4K/\beta\right)}{n\epsilon}”.",
)  # fmt: skip
found(
    "thm2.inequality.step", effect=2, line=201, place="Theorem 2, section 3.1.2",
    change="for sigma sqrt(d) read sigma sqrt(k)",
    caveat=r"Lemma 7 has sqrt(k) in its bound: “B\sqrt{k\log\left(1/\delta\right)}}{n\epsilon}”; the printed step "
    "size is that of Theorem 1.",
)  # fmt: skip
