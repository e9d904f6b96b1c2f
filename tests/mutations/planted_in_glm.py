"""Errors planted in the GLM paper's formulas, mechanisms and kernels, and in its lower-bound instances."""

from .mutation import Mutation, planted

PLANTED: list[Mutation] = [
    *planted(
        "dpbench/papers/glm/theory.py", "test_theory test_noisy_gd test_output_perturbation test_jl",
        ("2.0 * smoothness * radius * x_bound**2\n", "smoothness * radius * x_bound**2\n"),
        ("math.sqrt(8.0 * gradient_bound**2", "math.sqrt(4.0 * gradient_bound**2"),
        ("return 2.0 * lipschitz * x_bound * math.sqrt(math.log(1.0 / delta)) / (regularization * n * epsilon)", "return lipschitz * x_bound * math.sqrt(math.log(1.0 / delta)) / (regularization * n * epsilon)"),
        ("return noisy_gd_noise(lipschitz * x_bound, steps, n, epsilon, 0.5 * delta)", "return noisy_gd_noise(lipschitz * x_bound, steps, n, epsilon, delta)"),
        ("return lipschitz * radius * x_bound * math.sqrt(rank * math.log(1.0 / delta)) / (n * epsilon)", "return lipschitz * radius * x_bound * rank * math.sqrt(math.log(1.0 / delta)) / (n * epsilon)"),
        ("return private + h**2 * math.log(2.0 * n / delta) / k", "return private + h**2 * math.log(2.0 * n / delta) / k**2"),
        ("return 3.0 * (y**2 + smoothness * radius**2 * x_bound**2)", "return 3.0 * (y**2 + smoothness * radius * x_bound**2)"),
    ),
    *planted(
        "dpbench/papers/glm/theory_selection.py", "test_theory test_selection test_grid_search test_boosting",
        ("return max(1, math.ceil(constant * math.log2(max(largest, 1.0))))", "return max(1, math.floor(constant * math.log2(max(largest, 1.0))))"),
        ("return 4.0 * sensitivity * math.log(candidates / beta) / epsilon", "return 2.0 * sensitivity * math.log(candidates / beta) / epsilon"),
        ("return math.ceil(4.0 * math.log(4.0 / beta))", "return math.ceil(math.log(4.0 / beta))"),
        ("return math.sqrt(2.0 * loss_bound * at_zero * math.log(4.0 * count / beta) / records)", "return math.sqrt(loss_bound * at_zero * math.log(4.0 * count / beta) / records)"),
    ),
    *planted(
        "dpbench/papers/glm/sensitivity.py", "test_sensitivity test_losses",
        ("twice = 2.0 * gradient_bound(loss, x_bound, y_bound, radius)", "twice = gradient_bound(loss, x_bound, y_bound, radius)"),
        ("unit = loss.sharper.gap(loss, radius * x_bound, y_bound, one_dimensional)", "unit = loss.sharper.gap(loss, radius, y_bound, one_dimensional)"),
        ("return x_bound * loss.derivative_bound(radius * x_bound, y_bound)", "return loss.derivative_bound(radius * x_bound, y_bound)"),
    ),
    *planted(
        "dpbench/papers/glm/loss_constants.py", "test_sensitivity test_losses",
        ("return 2.0 * min(a * x + b, knee) * math.sqrt(1.0 - x * x)", "return min(a * x + b, knee) * math.sqrt(1.0 - x * x)"),
        ("return 2.0 * b if best <= 0.5 * b else best + b + b * b / (4.0 * best)", "return 2.0 * b if best <= 0.5 * b else best + b"),
        ("return float(expit(best)) + w / best", "return float(expit(best))"),
        ("total = inner**3 / 6.0 + 0.5 * knee * outer**2 + 0.5 * knee**2 * outer", "total = inner**3 / 6.0 + 0.5 * knee * outer**2 + knee**2 * outer"),
        ("high = max(high, 0.5 * max(0.0, z_bound - loss.parameter) ** 2)", "high = max(high, 0.0)"),
    ),
    *planted(
        "dpbench/papers/glm/algorithms/_noisy_gd_kernels.py", "test_noisy_gd",
        ("gradient[j, k] = curvature[j] * w[j, k] - pull[j]", "gradient[j, k] = curvature[j] * w[j, k] + pull[j]"),
        ("to_derivatives(code, parameter, y[start : start + ROWS], 1.0 / n, part)", "to_derivatives(code, parameter, y[start : start + ROWS], 1.0 / (n + 1), part)"),
        ("w[j, k] -= step_size * (gradient[j, k] + noise * xi[k])", "w[j, k] -= step_size * gradient[j, k] + noise * xi[k]"),
        ("shrink[k] = radius / math.sqrt(shrink[k]) if shrink[k] > radius * radius else 1.0", "shrink[k] = radius / shrink[k] if shrink[k] > radius * radius else 1.0"),
        ("slope[j] += scores[i] * X[i, j]", "slope[j] += X[i, j]"),
        ("total[j, k] += w[j, k]", "total[j, k] = w[j, k]"),
    ),
    *planted(
        "dpbench/papers/glm/algorithms/_noisy_gd_kernels.py", "test_panels",
        ("for i in range(whole_rows, rows):", "for i in range(whole_rows, rows - 1):"),
        ("for k in range(0, whole_width, COLUMNS):", "for k in range(0, whole_width - COLUMNS, COLUMNS):"),
    ),
    *planted(
        "dpbench/papers/glm/algorithms/noisy_gd.py", "test_noisy_gd test_noisy_gd_guarantees",
        ("return gap / n * math.sqrt(steps - 1) / _mu(epsilon, delta)", "return gap / n * math.sqrt(steps - 2) / _mu(epsilon, delta)"),
        ("distance *= math.sqrt(6.0 * steps / (4.0 * (2.0 * steps - 1.0)))", "distance *= math.sqrt(6.0 * steps / (8.0 * (2.0 * steps - 1.0)))"),
        ("room = problem.radius - eta * (steps - 1) * max(float(np.linalg.norm(g)) for g in drifts)", "room = problem.radius"),
        ("kind = \"exact\" if room > 0.0 else \"upper\"  # beyond the ball, two different means may project alike", "kind = \"exact\""),
        ("drifts = [-(p.X.T @ p.y) / p.n for p in (problem, neighbour)]", "drifts = [-(p.X.T @ p.y) / (2.0 * p.n) for p in (problem, neighbour)]"),
    ),
    *planted(
        "dpbench/papers/glm/algorithms/exact_gd.py", "test_exact_arithmetic test_noisy_gd_guarantees",
        ("moved = records * 2.0 * made.limit * _UP * math.sqrt(steps - 1)", "moved = records * made.limit * _UP * math.sqrt(steps - 1)"),
    ),
    *planted(
        "dpbench/papers/glm/algorithms/exact_gd.py", "test_exact_gradients",
        ("room = (made.limit - 0.5 * math.sqrt(X.shape[1])) / _UP", "room = 2.0 * made.limit"),
        ("finite = np.isfinite(lengths)", "finite = lengths >= 0.0"),
    ),
    *planted(
        "dpbench/papers/glm/algorithms/jl.py", "test_jl test_jl_privacy",
        ("return min((1.0 + alpha) * problem.x_bound, validation.LARGEST_SIZE)", "return min(problem.x_bound, validation.LARGEST_SIZE)"),
        ("alpha = min(1.0, math.sqrt(math.log(2.0 * n / self.delta) / k))", "alpha = min(1.0, math.sqrt(math.log(2.0 * n / self.delta)) / k)"),
        ("return unclipped_profile(self.map, self.projected_dimension(problem), mu_at, 2 * records)", "return unclipped_profile(self.map, self.projected_dimension(problem), mu_at, records)"),
        ("mu = 2.0 * drift * math.sqrt(steps - 1) / noise", "mu = drift * math.sqrt(steps - 1) / noise"),
        ("return gradient_gap(problem.loss, norm, problem.y_bound, 2.0 * problem.radius, max(2, k))", "return gradient_gap(problem.loss, norm, problem.y_bound, problem.radius, max(2, k))"),
    ),
    *planted(
        "dpbench/papers/glm/algorithms/_jl_profiles.py", "test_jl_privacy test_jl",
        ("0.5 * k * (math.log(square) + 1.0 - square)", "k * (math.log(square) + 1.0 - square)"),
        ("return np.asarray(chi2.logsf(k * squares, k))", "return np.asarray(chi2.logsf(squares, k))"),
        ("(differing * math.exp(min(0.0, tail)), mu_at(s))", "(math.exp(min(0.0, tail)), mu_at(s))"),
        ("return max(0.0, held * (1.0 - gaussian.ROUNDING) - lost)", "return max(0.0, held * (1.0 - gaussian.ROUNDING))"),
    ),
    *planted(
        "dpbench/papers/glm/algorithms/random_map.py", "test_jl",
        ("self._scale = math.sqrt((3.0 if self.code == SPARSE else 1.0) / k)", "self._scale = math.sqrt(1.0 / k)"),
        ("out[start : start + self.columns] = self.chunk(start) @ w", "out[start : start + self.columns] = self.chunk(0) @ w"),
        ("to[i] += x * rows[j, i]", "to[i] = x * rows[j, i]"),
    ),
    *planted(
        "dpbench/papers/glm/algorithms/_erm_centres.py", "test_output_perturbation",
        ("return problem.digest, mechanism.lam(problem), _radius(mechanism, problem), mechanism.tau(problem)", "return problem.digest, mechanism.lam(problem), mechanism.tau(problem)"),
    ),
    *planted(
        "dpbench/papers/glm/algorithms/output_perturbation.py", "test_add_remove test_output_perturbation test_exact_arithmetic",
        ("shift = self._one_record(problem) + 2.0 * self.tau(problem)", "shift = self._one_record(problem)"),
        ("self._reach(p), p.d) / (lam * p.n)", "self._reach(p), p.d) / (2.0 * lam * p.n)"),
        ("return blurred(plain, problem.d * grid.distance)", "return plain"),
        ("moved = self._one_record(problem) + self.tau(problem) + fewer", "moved = 0.25 * self._one_record(problem)"),
    ),
    *planted(
        "dpbench/papers/glm/algorithms/noisy_mean.py", "test_privacy_entries test_exact_arithmetic",
        ("steps = 2.0 * math.ceil(problem.x_bound * problem.y_bound / spacing)", "steps = math.ceil(problem.x_bound * problem.y_bound / spacing)"),
        ("unit = 2.0 * problem.y_bound / (problem.n * problem.x_bound) / self.shrink", "unit = problem.y_bound / (problem.n * problem.x_bound) / self.shrink"),
    ),
    *planted(
        "dpbench/papers/glm/algorithms/boosting.py", "test_boosting",
        ("epsilon = 0.5 * self.epsilon if self.calibration == \"printed\" else self.epsilon", "epsilon = self.epsilon"),
        ("return loss_width(last, self.prediction_bound(problem)) / last.n", "return 0.5 * loss_width(last, self.prediction_bound(problem)) / last.n"),
        ("if chunks[-1] != others[-1]:", "if False:"),
    ),
    *planted(
        "dpbench/papers/glm/algorithms/sign_release.py", "test_theorem4",
        ("tail = 0.5 * math.exp(-abs(mean) / scale)", "tail = math.exp(-abs(mean) / scale)"),
        ("scale = 2.0 * y_bound**2 / (x.size * epsilon)", "scale = y_bound**2 / (x.size * epsilon)"),
    ),
    *planted(
        "lowerbounds/group_privacy.py", "test_lowerbounds test_lowerbounds_floors",
        ("return min(1.0, delta * math.expm1(exponent) / math.expm1(epsilon))", "return min(1.0, delta * math.expm1(exponent))"),
        ("high = (1.0 - leak) / (1.0 + math.exp(-exponent))", "high = 1.0 / (1.0 + math.exp(-exponent))"),
        ("return min(growth * p + delta, 1.0 - (1.0 - p - delta) / growth, 1.0)", "return min(growth * p + delta, 1.0)"),
    ),
    *planted(
        "lowerbounds/two_points.py", "test_lowerbounds test_lowerbounds_floors",
        ("most = -math.expm1(-epsilon) / 16.0", "most = -math.expm1(-epsilon) / 8.0"),
        ("if distance * epsilon > math.log(5.0) * (1.0 + 1e-12):", "if distance * epsilon > 2.0 * math.log(5.0):"),
        ("target = gap * y_bound / (records * x_bound)", "target = 0.5 * gap * y_bound / (records * x_bound)"),
    ),
    *planted(
        "lowerbounds/regime_floors.py", "test_theorem4 test_both_sides",
        ("packed = max(packed, ratio**2 / size)", "packed = max(packed, ratio**3 / size)"),
        ("best = max(best, 0.5 * pair.floor)", "best = max(best, 2.0 * pair.floor)"),
    ),
    *planted(
        "lowerbounds/_two_piece.py", "test_lowerbounds test_both_sides",
        ("up, down = (binom.pmf(hits, self.n, 0.5 * (1.0 + s * self.bias)) for s in (1, -1))", "up, down = (binom.pmf(hits, self.n, 0.5 * (1.0 + 0.5 * s * self.bias)) for s in (1, -1))"),
        ("best = label - (1.0 - bias) / (2.0 * (1.0 + bias))", "best = label - (1.0 - bias) / (1.0 + bias)"),
    ),
    *planted(
        "lowerbounds/nonprivate_floors.py", "test_lowerbounds test_both_sides",
        ("least = min(h, y_bound)", "least = h"),
        ("return 0.5 * bias**2 * y_bound**2 * float(mean)", "return bias**2 * y_bound**2 * float(mean)"),
    ),
    *planted(
        "lowerbounds/_rare_record.py", "test_lowerbounds test_both_sides",
        ("curvature = common + chance * x_bound**2", "curvature = common + x_bound**2"),
    ),
    *planted(
        "lowerbounds/_sign_blocks.py", "test_constructions",
        ("second[0, : self.active] = self.weight", "second[0, : self.active] = 2.0 * self.weight"),
    ),
    *planted(
        "dpbench/papers/glm/attacks/members.py", "test_members test_constructions",
        ("yield kept[1].with_labels(made.y)", "yield kept[1]"),
    ),
]  # fmt: skip
