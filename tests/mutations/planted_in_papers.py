"""Errors planted in the mechanisms and formulas of the heavy-tailed and the public-data paper."""

from .mutation import Mutation, planted

PLANTED: list[Mutation] = [
    *planted(
        "dpbench/papers/heavytail/algorithms/exponential.py", "test_integer_choice test_heavytail_mechanism test_heavytail test_exact_arithmetic",
        ("loss = (2.0 if neighbours == \"replace\" else 1.0) * steps.largest / steps.scale * (1.0 + 1e-14)", "loss = steps.largest / steps.scale"),
        ("return pure_profile(2.0 * SHARES[self.calibration] * self.epsilon, why=why)", "return pure_profile(SHARES[self.calibration] * self.epsilon, why=why)"),
        ("logs = -self.weight(problem) * sums", "logs = -0.5 * self.weight(problem) * sums"),
        ("return (2.0 * self.net(problem).resolution + 1.0) ** problem.d", "return (2.0 * self.net(problem).resolution) ** problem.d"),
        ("relation = \"replace\" if neighbour.n == problem.n else \"add-remove\"", "relation = \"add-remove\""),
    ),
    *planted(
        "dpbench/papers/heavytail/algorithms/exact_weights.py", "test_integer_choice test_exact_arithmetic test_heavytail_mechanism",
        ("return sums - sums.min()", "return sums + sums.min()"),
        ("return Steps(2.0**bits, largest, math.ceil(largest / share * (1.0 + 1e-12)))", "return Steps(2.0**bits, largest, math.ceil(0.5 * largest / share * (1.0 + 1e-12)))"),
    ),
    *planted(
        "dpbench/papers/heavytail/algorithms/truncation.py", "test_heavytail test_heavytail_kernels",
        ("made = -np.sign(values) * np.log1p(size**theta / theta - size)", "made = -np.sign(values) * np.log1p(size**theta - size)"),
        ("risks = sums / (problem.n * iota)", "risks = sums / problem.n"),
    ),
    *planted(
        "dpbench/papers/heavytail/algorithms/_score_kernels.py", "test_heavytail_kernels",
        ("product[k] *= 1.0 - x + 0.5 * x * x", "product[k] *= 1.0 - x + x * x"),
        ("product[k] *= 1.0 - x + x * math.sqrt(x) * inverse", "product[k] *= 1.0 - x + x * math.sqrt(x)"),
        ("if factors == FACTORS:", "if factors == 4 * FACTORS:"),
        ("total -= math.log(product[k])", "total += math.log(product[k])"),
    ),
    *planted(
        "dpbench/papers/heavytail/algorithms/_bound_kernels.py", "test_heavytail_kernels test_heavytail_tree_kernels test_heavytail_bounds",
        ("widening = UNIT * SLACK * (3.0 * d + 4.0)\n    tiles", "widening = 0.0\n    tiles"),
        ("chord = min(at_low[k] - slope * low, at_high[k] - slope * high)", "chord = max(at_low[k] - slope * low, at_high[k] - slope * high)"),
        ("return constant - UNIT * SLACK * (n + 4.0 * d + 64.0) * (rounding + left)", "return constant + 1e-6 * (rounding + left)"),
    ),
    *planted(
        "dpbench/papers/heavytail/algorithms/_geometric_kernels.py", "test_heavytail_bounds test_heavytail_tree_kernels",
        ("return t * (count - 1) + log_geometric_sum_of_negative(-t, count)", "return t * count + log_geometric_sum_of_negative(-t, count)"),
        ("mean = rest / one - count * whole / all_", "mean = rest / one"),
        ("return k if t <= 0.0 else count - 1 - k", "return k"),
    ),
    *planted(
        "dpbench/papers/heavytail/algorithms/_tree_kernels.py", "test_heavytail_tree_kernels test_heavytail_tree",
        ("if log_uniform < log_chance:", "if log_uniform < 0.5 * log_chance:"),
        ("bound += slopes[i, j] * (spacing * t[j])", "bound += slopes[i, j] * t[j]"),
    ),
    *planted(
        "dpbench/papers/heavytail/algorithms/_lattice_kernels.py", "test_heavytail_tree_kernels test_heavytail_tree",
        ("k[j] = t[j] + round(moved)", "k[j] = t[j] - round(moved)"),
        ("return square <= resolution * resolution if ball == 1 else largest <= resolution", "return square < resolution * resolution if ball == 1 else largest < resolution"),
    ),
    *planted(
        "dpbench/papers/heavytail/algorithms/baselines.py", "test_integer_choice test_heavytail_baselines test_exact_arithmetic",
        ("scale = 2.0 * clip * self.steps / (n * self.epsilon)", "scale = clip * self.steps / (n * self.epsilon)"),
        ("noise = direction / np.linalg.norm(direction) * rng.gamma(d, scale)", "noise = direction / np.linalg.norm(direction) * rng.gamma(1.0, scale)"),
        ("parts[np.abs(parts).sum(axis=1) > limit] = 0", "parts = parts + 0"),
        ("return pure_profile(2.0 * limit * self.steps / scale * (1.0 + 1e-14), why=why)", "return pure_profile(2.0 * limit / scale, why=why)"),
        ("clipped = problem.X * np.minimum(1.0, clip / np.maximum(lengths, 1e-300))[:, None]", "clipped = problem.X"),
    ),
    *planted(
        "dpbench/papers/heavytail/algorithms/net.py", "test_heavytail test_heavytail_mechanism",
        ("return math.sqrt(self.dimension) * self.radius / steps", "return self.radius / steps"),
        ("return (d * math.log(2 * m + 1),) * 2", "return (d * math.log(2 * m),) * 2"),
        ("return (k * k).sum(axis=-1) <= self.resolution**2", "return np.abs(k).max(axis=-1) <= self.resolution"),
    ),
    *planted(
        "dpbench/papers/heavytail/populations.py", "test_heavytail_populations",
        ("return self.scale * (share * self.tail.moment(self.theta)) ** (1.0 / self.theta)", "return self.scale * (share * self.tail.moment(self.theta)) ** (1.0 / 2.0)"),
        ("slope = self.scale * self.tail.moment(1.0) * share", "slope = self.scale * self.tail.moment(1.0)"),
        ("below = s * (1.0 - beyond)", "below = 0.5 * s * (1.0 - beyond)"),
    ),
    *planted(
        "dpbench/papers/heavytail/theory.py", "test_heavytail_entries test_heavytail test_heavytail_bounds",
        ("power = (theta - 1.0) / theta", "power = 1.0 / theta"),
        ("unit = math.log(theta) / (share * n * epsilon * first)", "unit = math.log(theta) / (share * n * epsilon)"),
        ("entropy = (log_net + math.log(1.0 / failure)) / (n * iota)", "entropy = log_net / (n * iota)"),
    ),
    *planted(
        "dpbench/papers/publicdata/theory.py", "test_publicdata_theory test_publicdata_mechanisms",
        ("return 2.0 / math.sqrt(eta * n)", "return 1.0 / math.sqrt(eta * n)"),
        ("return min(DIAMETER, 1.0 / math.sqrt(eta * n) + 2.0 * math.sqrt(gap / eta))", "return min(DIAMETER, 0.5 / math.sqrt(eta * n) + 2.0 * math.sqrt(gap / eta))"),
        ("return min(DIAMETER**2, 4.0 * complexity / (n * eta))", "return min(DIAMETER**2, complexity / (n * eta))"),
        ("needed = math.log(1.0 / failure) / calls", "needed = 0.5 * math.log(1.0 / failure) / calls"),
        ("return _UP * math.sqrt(m) * rho / _mu(epsilon, delta)", "return _UP * rho / _mu(epsilon, delta)"),
        ("return 2.0 * m / epsilon", "return m / epsilon"),
        ("moment = math.log1p(math.erf(math.sqrt(2.0) * a / scale)) + 2.0 * (a * a + a) / scale**2", "moment = 2.0 * (a * a + a) / scale**2"),
    ),
    *planted(
        "dpbench/papers/publicdata/algorithms/perturb.py", "test_publicdata_mechanisms test_publicdata_theory",
        ("return pure_profile(problem.m * rho / gamma if rho > 0.0 else 0.0, why=why)", "return pure_profile(rho / gamma if rho > 0.0 else 0.0, why=why)"),
        ("return nearest(p, centre + gamma * standard_noise(noise, rng, (width, p.m))[:rows])", "return nearest(p, centre + 0.5 * gamma * standard_noise(noise, rng, (width, p.m))[:rows])"),
    ),
    *planted(
        "dpbench/papers/publicdata/algorithms/exact_perturb.py", "test_exact_arithmetic test_exact_average",
        ("moved = math.sqrt(m) * (apart + grid.spacing) * (1.0 + 1e-12)", "moved = apart"),
        ("return pure_profile(m * (apart + spacing) / (scale * spacing) * (1.0 + 1e-12), why=why)", "return pure_profile(m * apart / (2.0 * scale * spacing), why=why)"),
    ),
    *planted(
        "dpbench/papers/publicdata/algorithms/rrspm.py", "test_add_remove test_publicdata_mechanisms test_publicdata_gaussian_weights test_parity_cube test_exact_arithmetic",
        ("return pure_profile(moved * problem.m / scale, why=why)", "return pure_profile(0.5 * moved * problem.m / scale, why=why)"),
        ("gap = float(problem.y[problem.x > cube.bits].sum())  # by how much parity 1 scores below parity −1", "gap = 2.0 * float(problem.y[problem.x > cube.bits].sum())"),
        ("rare = pair.log_survival(abs(gap), noise, scale) - math.log(2.0)", "rare = pair.log_survival(abs(gap), noise, scale)"),
    ),
    *planted(
        "dpbench/papers/publicdata/algorithms/averaged_perturbation.py", "test_publicdata_mechanisms test_exact_average test_publicdata_inexact",
        ("left_out = 0.0 if rho == theory.DIAMETER else 0.5 * self.delta", "left_out = 0.0"),
        ("return total / self.calls", "return total"),
        ("share = self.eta(problem) / math.sqrt(problem.m)", "share = self.eta(problem) / problem.m"),
    ),
    *planted(
        "dpbench/papers/publicdata/populations.py", "test_publicdata_problems test_publicdata_real test_publicdata_benchmarks",
        ("return min(1.0, float((self.public[met] / self.private[met]).min()))", "return min(1.0, float((self.public[met] / self.private[met]).max()))"),
        ("return self.risk(outputs) - self.best_risk", "return self.risk(outputs)"),
    ),
    *planted(
        "dpbench/papers/publicdata/theory_settings.py", "test_publicdata_theory test_publicdata_entries",
        ("return complexity**2 / (epsilon * alpha**5)", "return complexity**2 / (epsilon * alpha**4)"),
        ("gamma = alpha**2 * sigma / (lam**2 * min(d * math.sqrt(b), b))", "gamma = alpha * sigma / (lam**2 * min(d * math.sqrt(b), b))"),
    ),
]  # fmt: skip
