"""At most forty errors that together turn the verdicts of the ledger: in what an entry measures, then in what reads it.

`Mutation.tests` holds patterns of the entries that an error is held against: those whose own code it changes, or where
it can change a verdict. `NEAR` are errors in the mechanisms, bounds, instances and kernels that entries measure. `FAR`
are errors in the rules that all entries of a kind share, for the entries that no error of `NEAR` turns.
"""

from .mutation import Mutation, planted

NEAR: list[Mutation] = [
    *planted(
        "dpbench/papers/glm/theory.py", "glm.*.privacy.printed glm.alg1.* glm.cor2.inequality*",
        ("return math.sqrt(8.0 * gradient_bound**2 * steps * math.log(1.0 / delta)) / (n * epsilon)", "return math.sqrt(8e4 * gradient_bound**2 * steps * math.log(1.0 / delta)) / (n * epsilon)"),
    ),
    *planted(
        "dpbench/papers/glm/algorithms/noisy_gd.py", "glm.thm1.privacy.exact glm.thm2.privacy.* glm.thm10.privacy.*",
        ("return gap / n * math.sqrt(steps - 1) / _mu(epsilon, delta)", "return 0.5 * gap / n * math.sqrt(steps - 1) / _mu(epsilon, delta)"),
    ),
    *planted(
        "dpbench/papers/glm/theory.py", "glm.thm5.privacy.printed glm.thm3.privacy.printed",
        ("return 2.0 * lipschitz * x_bound * math.sqrt(math.log(1.0 / delta)) / (regularization * n * epsilon)", "return 200.0 * lipschitz * x_bound * math.sqrt(math.log(1.0 / delta)) / (regularization * n * epsilon)"),
    ),
    *planted(
        "dpbench/papers/glm/algorithms/output_perturbation.py", "glm.thm5.privacy.exact glm.thm3.privacy.exact glm.sensitivity.inequality.minimisers glm.lemma5.* glm.thm8.privacy*",
        ("self._reach(p), p.d) / (lam * p.n)", "self._reach(p), p.d) / (4.0 * lam * p.n)"),
    ),
    *planted(
        "dpbench/papers/glm/theory_selection.py", "glm.lemma9.inequality* glm.lemma10.inequality* glm.thm15.inequality*",
        ("return y**2 + smoothness * radius**2 * x_bound**2", "return 4.0 * (y**2 + smoothness * radius**2 * x_bound**2)"),
        ("return 2.0 * y**2 + smoothness * radius**2 * x_bound**2", "return y**2 + 0.25 * smoothness * radius**2 * x_bound**2"),
    ),
    *planted(
        "dpbench/papers/glm/theory.py", "glm.lemma2.* glm.lemma3.* glm.lemma6.* glm.thm7.inequality.*",
        ("return 2.0 * y * math.sqrt(smoothness) * x_bound + 2.0 * smoothness * radius * x_bound**2", "return 0.2 * y * math.sqrt(smoothness) * x_bound + 0.2 * smoothness * radius * x_bound**2"),
    ),
    *planted(
        "dpbench/papers/heavytail/theory.py", "heavytail.*.rate*",
        ("power = (theta - 1.0) / theta", "power = 3.0 * (theta - 1.0) / theta"),
    ),
    *planted(
        "dpbench/papers/heavytail/theory.py", "heavytail.*.rate*sharp*",
        ("return dimension * math.log(theta) / (share * n * iota * epsilon)", "return dimension * math.log(theta) / (share * n * iota * epsilon) ** 2"),
    ),
    *planted(
        "dpbench/papers/heavytail/theory.py", "heavytail.lemma2.*",
        ("return dimension * math.log(3.0 * diameter / net_radius)", "return dimension * math.log(diameter / net_radius)"),
    ),
    *planted(
        "dpbench/papers/heavytail/algorithms/exponential.py", "heavytail.*.privacy* heavytail.*.inequality.value",
        ("return SHARES[self.calibration] * self.epsilon / psi(1.0, problem.theta)", "return 4.0 * SHARES[self.calibration] * self.epsilon / psi(1.0, problem.theta)"),
        ("return SHARES[self.calibration] * self.epsilon / psi(1.0, problem.theta)", "return 0.1 * SHARES[self.calibration] * self.epsilon / psi(1.0, problem.theta)"),
    ),
    *planted(
        "dpbench/papers/heavytail/algorithms/truncation.py", "heavytail.eq* heavytail.*.stability* heavytail.lemma1.*",
        ("power = np.abs(values) ** theta / theta", "power = 0.5 * np.abs(values) ** theta / theta"),
    ),
    *planted(
        "dpbench/papers/heavytail/theory.py", "heavytail.*.inequality*",
        ("return smooth + statistical + private", "return 1e-3 * (smooth + statistical + private)"),
    ),
    *planted(
        "dpbench/papers/publicdata/theory.py", "publicdata.*.privacy* publicdata.lemma19.inequality",
        ("return _UP * math.sqrt(m) * rho / _mu(epsilon, delta)", "return 0.5 * math.sqrt(m) * rho / _mu(epsilon, delta)"),
        ("return _UP * m * rho / epsilon", "return 0.5 * m * rho / epsilon"),
        ("return 2.0 * m / epsilon\n", "return m / epsilon\n"),
        ("return _UP * crossing(lambda s: s > 0.0 and rrspm_log_delta(epsilon, m, s, log_patterns) <= target)[1]", "return 0.5 * crossing(lambda s: s > 0.0 and rrspm_log_delta(epsilon, m, s, log_patterns) <= target)[1]"),
    ),
    *planted(
        "dpbench/papers/publicdata/theory.py", "publicdata.*.stability* publicdata.*.privacy* publicdata.*.inequality*",
        ("return min(DIAMETER, 1.0 / math.sqrt(eta * n) + 2.0 * math.sqrt(gap / eta))", "return min(DIAMETER, 0.1 / math.sqrt(eta * n) + 2.0 * math.sqrt(gap / eta))"),
        ("return min(DIAMETER**2, 4.0 * complexity / (n * eta))", "return min(DIAMETER**2, 0.1 * complexity / (n * eta))"),
    ),
    *planted(
        "dpbench/rates/slopes.py", "*.rate*",
        ("value, parts = _line(weights, np.log(means)),", "value, parts = 1.0 + _line(weights, np.log(means)),"),
    ),
    *planted(
        "dpbench/papers/glm/theorems/hard_scales.py", "glm.*.rate*",
        ("for name in (\"measured\", \"ceiling\"))", "for name in (\"over ceiling\", \"ceiling\"))"),
    ),
    *planted(
        "dpbench/papers/glm/theory.py", "glm.thm2.inequality.*",
        ("return constant * scale ** (2.0 / 3.0)", "return constant * scale"),
    ),
    *planted(
        "dpbench/papers/glm/theorems/lemma12.py", "glm.lemma12.*",
        ("left += ways * (abs(inner - means[0]) > most[0])", "left += ways * (abs(inner - means[0]) >= most[0])"),
    ),
    *planted(
        "dpbench/papers/heavytail/populations.py", "heavytail.lemma*.inequality*",
        ("return self._along(np.linalg.norm(v, axis=1))", "return 1e4 * self._along(np.linalg.norm(v, axis=1))"),
    ),
    *planted(
        "dpbench/papers/heavytail/algorithms/truncation.py", "heavytail.lemma*.inequality*",
        ("truncated_sums(columns_of_x, y, points[start:stop], iota, theta, quarters(theta), out[start:stop])", "truncated_sums(columns_of_x, y, points[start:stop], 10.0 * iota, theta, quarters(theta), out[start:stop])"),
    ),
    *planted(
        "dpbench/papers/publicdata/complexity.py", "publicdata.lemma17.* publicdata.alg5.*",
        ("return len(np.unique(on_points, axis=0)) == len(np.unique(base.predictions, axis=0))", "return len(np.unique(on_points, axis=0)) > 1"),
    ),
    *planted(
        "dpbench/papers/publicdata/theorems/lemmas18_20.py", "publicdata.lemma18.* publicdata.lemma20.*",
        ("moved = xi + 2.0 * (1.0 - 2.0 * public[chosen])", "moved = xi + (1.0 - 2.0 * public[chosen])"),
    ),
    *planted(
        "dpbench/papers/publicdata/theorems/theorem2.py", "publicdata.thm2.privacy.one-call",
        ("return (1.0 + 1e-9) / (n * mu(epsilon, delta)", "return 0.95 / (n * mu(epsilon, delta)"),
    ),
    *planted(
        "dpbench/papers/publicdata/theorems/parity_cube.py", "publicdata.thm4.*",
        ("pair_from_logs(*cube.log_laws(noise, scale))", "pair_from_logs(*cube.log_laws(noise, 1e3 * scale))"),
    ),
    *planted(
        "dpbench/privacy/discrete.py", "*.privacy*",
        ("escape = log_p[given & ~both]", "escape = log_p[given & ~both][:0]"),
    ),
]  # fmt: skip

FAR: list[Mutation] = [
    *planted(
        "dpbench/privacy/profile.py", "*.privacy*",
        ("return self.delta_of(validation.real(\"epsilon\", epsilon, at_least=0.0))", "return self.delta_of(0.5 * validation.real(\"epsilon\", epsilon, at_least=0.0))"),
    ),
    *planted(
        "dpbench/ledger/harness.py", "*.inequality* *.floor* *.stability*",
        ("level=level, series=series, notes=notes, margin=margin,", "level=level, series=series, notes=notes, margin=-margin,"),
    ),
    *planted(
        "dpbench/papers/glm/attacks/accuracy.py", "*.floor*",
        ("return least + upper_mean(values - least, largest - least, alpha)", "return least"),
    ),
    *planted(
        "dpbench/rates/exclusion.py", "*.rate*",
        ("if high <= most + resolution and (side", "if high <= most - resolution and (side"),
    ),
    *planted(
        "dpbench/ledger/harness.py", "*.privacy*",
        ("any(bound > epsilon for ((epsilon, _), _), bound", "any(bound > 1e3 * epsilon for ((epsilon, _), _), bound"),
    ),
    *planted(
        "dpbench/ledger/measurement.py", "*.privacy*",
        ("pair.place(epsilon, delta) if", "pair.place(100.0 * epsilon, delta) if"),
    ),
    *planted(
        "dpbench/rates/slopes.py", "*.rate*",
        ("value, parts = _line(weights, np.log(means)),", "value, parts = -_line(weights, np.log(means)),"),
        ("return _line(weights, np.log(validation.array(", "return -_line(weights, np.log(validation.array("),
    ),
    *planted(
        "dpbench/ledger/harness.py", "*.inequality* *.floor* *.stability*",
        ("made = float((right - left) / (abs(right) or 1.0))", "made = float((left - right) / (abs(right) or 1.0))"),
        ("margin = 0.0 if abs(margin) < rounding else margin", "margin = -rounding if abs(margin) < rounding else margin"),
    ),
]  # fmt: skip

PLANTS: tuple[Mutation, ...] = (*NEAR, *FAR)

CANNOT: dict[str, str] = {}
"""By entry: why no error can turn it."""
