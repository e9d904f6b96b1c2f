"""Errors planted in privacy profiles, noise from integers, composition, and in the core."""

from .mutation import Mutation, planted

PLANTED: list[Mutation] = [
    *planted(
        "dpbench/privacy/gaussian.py", "test_privacy_gaussian",
        ("centre = epsilon / mu", "centre = epsilon * mu"),
        ("a, b = _lower_end(epsilon, mu), centre + 0.5 * mu", "a, b = _lower_end(epsilon, mu), centre + mu"),
        ("return epsilon / mu - 0.5 * mu", "return epsilon / mu + 0.5 * mu"),
        ("if a < -5.0:", "if a < 5.0:"),
        ("return sensitivity / mu(epsilon, delta)", "return sensitivity / mu(epsilon, 2.0 * delta)"),
        ("crossing(lambda m: _log_delta(epsilon, m) > target)[0]", "crossing(lambda m: _log_delta(epsilon, m) > target)[1] * 1.01"),
    ),
    *planted(
        "dpbench/privacy/laplace.py", "test_privacy_laws",
        ("0.5 * (epsilon - shift)", "(epsilon - shift)"),
        ("at_least=0.0) / validation.epsilon(epsilon)", "at_least=0.0) / (2.0 * validation.epsilon(epsilon))"),
    ),
    *planted(
        "dpbench/privacy/pure.py", "test_privacy_laws test_privacy_composition",
        ("(1.0 + math.exp(-level))", "(1.0 + math.exp(level))"),
        ("return failure + (1.0 - failure) * response", "return (1.0 - failure) * response"),
    ),
    *planted(
        "dpbench/privacy/discrete.py", "test_privacy_laws test_privacy_profile",
        ("escape = log_p[given & ~both]", "escape = log_p[given & both][:0]"),
        ("if self.log_escape > target:", "if False:"),
        ("order = np.argsort(-losses, kind=\"stable\")", "order = np.argsort(losses, kind=\"stable\")"),
    ),
    *planted(
        "dpbench/privacy/profile.py", "test_privacy_profile test_privacy_laws",
        ("return math.inf if reached == math.inf else max(0.0, exceeds)", "return math.inf if reached == math.inf else max(0.0, reached + 1e-3)"),
        ("return replace(gaussian_profile(distance / noise,", "return replace(gaussian_profile(0.5 * distance / noise,"),
        ("return delta_of(epsilon) * (1.0 - gaussian.ROUNDING)", "return delta_of(epsilon) * (1.0 + gaussian.ROUNDING)"),
    ),
    *planted(
        "dpbench/privacy/composition.py", "test_privacy_composition",
        ("failure = -math.expm1(math.fsum(math.log1p(-f) for f in failures))", "failure = max(failures, default=0.0)"),
        ("mass = choose + count * honest - flipped * level", "mass = choose + count * honest - 2.0 * flipped * level"),
        ("losses = np.add.outer(losses, (count - 2.0 * flipped) * level).ravel()", "losses = np.add.outer(losses, (count - flipped) * level).ravel()"),
        ("exact = self.failure + (1.0 - self.failure) * self.responses.delta(epsilon)", "exact = self.responses.delta(epsilon)"),
        ("return min(1.0, float(loss.get_delta_for_epsilon(epsilon)) + ACCOUNTING_ERROR)", "return min(1.0, 0.5 * float(loss.get_delta_for_epsilon(epsilon)))"),
        ("    return max(part.epsilon(part.delta(_FAR) + _TAIL), 1e-6)", "    return 1e-6"),
        ("kind = \"upper\" if \"upper\" in kinds else \"lower\" if \"lower\" in kinds else \"exact\"", "kind = \"exact\""),
    ),
    *planted(
        "dpbench/privacy/selection.py", "test_selection",
        ("shifted = np.ascontiguousarray(q + 2.0 * math.log(gammas.size / beta) / epsilon * gammas)", "shifted = np.ascontiguousarray(q + math.log(gammas.size / beta) / epsilon * gammas)"),
        ("return 2.0 * validation.real(\"sensitivity\", sensitivity, at_least=0.0) / validation.epsilon(epsilon)", "return validation.real(\"sensitivity\", sensitivity, at_least=0.0) / validation.epsilon(epsilon)"),
        ("return pure_profile(2.0 * sensitivity / scale, why=why)", "return pure_profile(sensitivity / scale, why=why)"),
        ("return np.asarray(np.argmin(scores + scale * rng.laplace(size=scores.shape), axis=-1))", "return np.asarray(np.argmax(scores + scale * rng.laplace(size=scores.shape), axis=-1))"),
    ),
    *planted(
        "dpbench/privacy/_selection_kernels.py", "test_selection",
        ("out[row, i] = -0.5 * epsilon * worst", "out[row, i] = -epsilon * worst"),
        ("worst = apart if apart > worst else worst", "worst = apart"),
    ),
    *planted(
        "dpbench/privacy/integer_noise.py", "test_integer_noise",
        ("weights[0] += total - sum(weights)", "weights[-1] += total - sum(weights)"),
        ("last = (np.arange(columns) * float(width) + (width - 1.0)) / sigma", "last = (np.arange(columns) * float(width)) / sigma"),
        ("return np.clip(made, -limit, limit)", "return made"),
        ("/ spacing, nan=0.0)", "/ spacing, nan=1.0)"),
        ("exponent = Fraction(z * z) / (2 * Fraction(table.sigma) ** 2)", "exponent = Fraction(z * z) / Fraction(table.sigma) ** 2"),
        ("room = distance * (1.0 + math.exp(min(epsilon, 700.0)))", "room = distance"),
        ("- slack * 2.0**-SIGMA_BITS", "- 0.0 * slack"),
    ),
    *planted(
        "dpbench/privacy/_integer_kernels.py", "test_integer_noise",
        ("chance = math.exp(-0.5 * part * part) / heights[block] * np.float64(1 << COIN)", "chance = math.exp(-part * part) / heights[block] * np.float64(1 << COIN)"),
        ("chance = math.exp(-np.float64(z) * inverse) / heights[block] * np.float64(1 << COIN)", "chance = math.exp(-np.float64(z + 1) * inverse) / heights[block] * np.float64(1 << COIN)"),
    ),
    *planted(
        "dpbench/privacy/_integer_kernels.py", "test_exact_coins",
        ("if coin >= sure[block] or block == last:", "if coin >= sure[block]:"),
    ),
    *planted(
        "dpbench/privacy/integer_laplace.py", "test_exact_coins",
        ("size = start + _geometric(table.scale, source)", "size = start"),
    ),
    *planted(
        "dpbench/privacy/integer_laplace.py", "test_integer_noise",
        ("return u + scale * v", "return u + v"),
        ("shape[-1] *= (scale + 1.0) / width  # all that is beyond: 1/(1 − exp(−1/t)) ≤ t + 1", "shape[-1] *= 1.0"),
    ),
    *planted(
        "dpbench/privacy/integer_choice.py", "test_integer_choice",
        ("share, exponent = Fraction(1 << bits, int(weights[i])), Fraction(int(exponents[i]), scale)", "share, exponent = Fraction(1), Fraction(int(exponents[i]), scale)"),
        ("UNIT * (a - b) // (gammas[i] + gammas[j])", "UNIT * (a - b) // max(gammas[i] + gammas[j], 1) // 2"),
        ("index = np.searchsorted(ends, place.astype(np.int64), side=\"right\")", "index = np.searchsorted(ends, place.astype(np.int64), side=\"left\")"),
        ("source.used(2 * used)", "source.used(used)"),
    ),
    *planted(
        "dpbench/privacy/exact_coins.py", "test_exact_coins",
        ("coin, bits = (coin << 64) | source.next(), bits + 64", "coin, bits = (coin << 64) | source.next(), bits + 63"),
    ),
    *planted(
        "dpbench/privacy/exact_coins.py", "test_integer_noise test_integer_choice",
        ("left[j] -= full - left[i]", "left[j] -= left[i]"),
    ),
    *planted(
        "dpbench/core/validation.py", "test_validation",
        ("or (above is not None and not number > above)", "or (above is not None and not number >= above)"),
        ("if not (0.0 <= number < 1.0) or (positive and number == 0.0):", "if not (0.0 <= number <= 1.0) or (positive and number == 0.0):"),
        ("if not 0.0 < number < 1.0:", "if not 0.0 <= number < 1.0:"),
        ("if width is not None and made.shape[-1] != width:", "if width is not None and made.shape[0] != width:"),
    ),
    *planted(
        "dpbench/core/sampling.py", "test_sampling",
        ("return type(default) is type(value) and canonical(default) == canonical(value)", "return canonical(default) == canonical(value)"),
        ("blocks = range(-(-trials // width))", "blocks = range(trials // width)"),
    ),
    *planted(
        "dpbench/core/sampling.py", "test_exact_arithmetic",
        ("if seed is None and getattr(mechanism, \"arithmetic\", \"float\") == \"exact\":", "if False:"),
    ),
]  # fmt: skip
