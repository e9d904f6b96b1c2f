"""Verdicts expected from the derivations, committed before the entries were run.

A change here is a commit of its own, with the derivation that forced it.
"""

EXPECTED = {
    # |φ'(0)| ≤ √(2Hφ(0)) and φ' is H-Lipschitz: the lemma holds with room.
    "glm.lemma2.inequality": "not refuted",
    # sup over the ball is (‖Y‖ + √(H/2)B‖X‖)² ≤ 2‖Y‖² + HB²‖X‖².
    "glm.lemma3.inequality": "not refuted",
    # η up to 4/H̃ is allowed, where a step can triple a difference: GD is not non-expansive.
    "glm.lemma5.stability": "refuted",
    # η ≤ 2/H̃: the proof's contraction holds.
    "glm.lemma5.stability.corrected": "not refuted",
    # In the testable form regret ≤ B²/(ηT) + 4η(H̃‖Y‖² + σ²d).
    "glm.lemma6.inequality": "not refuted",
    # "any ε, δ > 0": enough only up to ε ≈ 36 at δ = 1e-5.
    "glm.thm1.privacy.printed": "refuted",
    # A loss that attains 2G: enough only up to ε ≈ 7.97 at δ = 1e-5.
    "glm.thm1.privacy.printed-lipschitz": "refuted",
    "glm.thm1.privacy.exact": "proved",
    "glm.cor1.rate": "consistent",
    "glm.thm1.rate.n": "consistent",
    "glm.thm1.rate.d": "consistent",
    # σ² drops the factor H‖X‖² beside ‖Y‖²: no universal constant saves it.
    "glm.thm3.privacy.printed": "refuted",
    "glm.thm3.privacy.exact": "proved",
    "glm.thm3.rate.n": "consistent",
    # μ = ε/√L: true δ 4.28e-5 at (1, 1e-5).
    "glm.thm5.privacy.printed": "refuted",
    "glm.thm5.privacy.exact": "proved",
    "glm.thm5.rate.n": "consistent",
}
