"""Errors planted in the auditor, the rates, the ledger, the runs, the checker of certificates and the command line."""

from .mutation import Mutation, planted

PLANTED: list[Mutation] = [
    *planted(
        "dpbench/core/panels.py", "test_panels",
        ("each = [builder.add(i, i.type(r)) for r in range(rows)]", "each = [builder.add(i, i.type(0)) for r in range(rows)]"),
        ("for where, held in zip(places, sums, strict=True):", "for where, held in zip(places, sums[::-1], strict=True):"),
        ("with cgutils.for_range(builder, last, start=first) as loop:", "with cgutils.for_range(builder, last, start=first.type(0)) as loop:"),
    ),
    *planted(
        "dpbench/core/vectors.py", "test_vectors",
        ("following = builder.add(k, count.type(1), flags=(\"nsw\",))", "following = builder.add(k, count.type(2), flags=(\"nsw\",))"),
    ),
    *planted(
        "dpbench/bounds.py", "test_intervals",
        ("gaps = self.low[:, None] - np.exp(epsilons)[None, :] * self.high[:, None]", "gaps = self.low[:, None] - epsilons[None, :] * self.high[:, None]"),
        ("return np.asarray(betaincinv(float(hits), trials - hits + 1.0, tail)) * (1.0 - _PAD)", "return np.asarray(betaincinv(float(hits) + 1.0, trials - hits + 1.0, tail)) * (1.0 - _PAD)"),
        ("return math.log(_exceedance(w1, w2, c, cap)) - math.log(alpha)", "return math.log(_exceedance(w1, w2, c, cap)) - math.log(2.0 * alpha)"),
        ("floor = (c + w2 * FLOOR) / w1  # above it nothing is inside", "floor = c / w1"),
        ("return float(-ndtri(CAP_SHARE * alpha))", "return float(-ndtri(0.1 + CAP_SHARE * alpha))"),
        ("return root + 1e-10 * max(1.0, abs(root))", "return root - 1e-3 * max(1.0, abs(root))"),
    ),
    *planted(
        "dpbench/auditing/levels.py", "test_audit_levels",
        ("if not level >= 0.0 or self.spent > self.total * (1.0 + _ROUNDING):", "if not level >= 0.0:"),
        ("if used > total * (1.0 + _ROUNDING):", "if used > 2.0 * total:"),
    ),
    *planted(
        "dpbench/auditing/split.py", "test_audit_levels test_audit test_audit_modes",
        ("main = levels.draw(\"main\", left - math.fsum(second))", "main = 2.0 * levels.draw(\"main\", left - math.fsum(second))"),
        ("hits = tops if event.above else sizes - tops", "hits = tops"),
    ),
    *planted(
        "dpbench/auditing/choose.py", "test_audit_second",
        ("return before + int(np.", "return int(np."),
    ),
    *planted(
        "dpbench/auditing/second.py", "test_audit_second",
        ("2.0 * inflation * (1.0 - correlated)", "2.0 * inflation * (1.0 + correlated)"),
        ("zip(promises, (1.0 - SHARES, SHARES), errors", "zip(promises, (1.0 - SHARES, SHARES / SHARES), errors"),
    ),
    *planted(
        "dpbench/auditing/sequential.py", "test_audit_levels test_audit_modes test_audit",
        ("return 1.0 / ((number + 1) * (number + 2))", "return 1.0 / 2.0**number"),
        ("part = levels.part(f\"round {number + 1}\", share(number) * levels.total)", "part = levels.part(f\"round {number + 1}\", levels.total)"),
    ),
    *planted(
        "dpbench/bounds.py", "test_one_run_bounds",
        ("for j in range(right - 1, -1, -1):", "for j in range(right - 2, -1, -1):"),
        ("return min(1.0, tail + canaries * delta * ratio / right)", "return min(1.0, tail)"),
        ("return min(1.0, tail + 2.0 * canaries * delta * float((below / np.arange(1, right + 1)).max()))", "return min(1.0, tail + canaries * delta * float((below / np.arange(1, right + 1)).max()))"),
        ("return float(betainc(right, guesses - right + 1.0, ndtr(0.5 * mu)))", "return float(betainc(right, guesses - right + 1.0, ndtr(mu)))"),
    ),
    *planted(
        "dpbench/bounds.py", "test_upper_mean",
        ("mean = (0.5 + np.concatenate(([0.0], np.cumsum(x)[:-1]))) / (before + 1.0)", "mean = (0.5 + np.cumsum(x)) / (before + 1.0)"),
        ("wanted = -math.log(alpha)", "wanted = -0.5 * math.log(alpha)"),
    ),
    *planted(
        "dpbench/auditing/dependence.py", "test_audit_dependence",
        ("if p_value > self.level / (self.looks * len(KINDS)):", "if p_value > self.level:"),
        ("return min(1.0, float(p_values[place]) * max(sum(n for n, _, _ in tests), 1)), words.format(leaning=leaning)", "return min(1.0, float(p_values[place])), words.format(leaning=leaning)"),
        ("pairs = sizes[0] * sizes[1] if across else sum(n * (n - 1) // 2 for n in sizes)", "pairs = 1"),
    ),
    *planted(
        "dpbench/auditing/tradeoff.py", "test_audit_claims test_audit_modes test_audit_claims_modes",
        ("left = 1.0 - RATES[:, None] * (low / np.maximum(high, 1e-300))[None, :]", "left = 1.0 - 2.0 * RATES[:, None] * (low / np.maximum(high, 1e-300))[None, :]"),
        ("advantage=float((1.0 - grid - missed).max()),", "advantage=float((1.0 - missed).max()),"),
    ),
    *planted(
        "dpbench/auditing/_log_ratio_kernels.py", "test_audit_log_ratio test_audit_kernels",
        ("gradient[a] = -penalty[a] * beta[a]", "gradient[a] = 0.0"),
        ("matrix[a, b] = total * matrix[b, b]  # the diagonal holds reciprocals", "matrix[a, b] = total / matrix[b, b]"),
    ),
    *planted(
        "dpbench/auditing/_trace_kernels.py", "test_audit_traces",
        ("pairs = 4 * width", "pairs = 8 * width"),
        ("both += int(left > bar and right > bar)", "both += int(left > bar or right > bar)"),
        ("key = (key ^ bits) * FACTOR", "key = key ^ bits"),
    ),
    *planted(
        "dpbench/auditing/bits.py", "test_own_bits",
        ("exponent = np.maximum(field, 1) - 1023", "exponent = np.maximum(field, 1)"),
    ),
    *planted(
        "dpbench/rates/slopes.py", "test_rates test_rates_coverage",
        ("return centred / (centred @ centred)", "return centred / np.sqrt(centred @ centred)"),
        ("(value - reach * low, value + reach * high)", "(value - reach * high, value + reach * low)"),
        ("squares = np.array([part.var(ddof=1) for part in draws]) / counts", "squares = np.array([part.var(ddof=1) for part in draws]) / counts**2"),
        ("lower, upper = -studentised[tail - 1] / expected, studentised[-tail] / expected", "lower, upper = -studentised[0] / expected, studentised[-1] / expected"),
    ),
    *planted(
        "dpbench/rates/exclusion.py", "test_claims_core test_rates_exclusion",
        ("if low > most or (side == \"tight\" and high < least):", "if high > most or (side == \"tight\" and high < least):"),
        ("if high <= most + resolution and (side", "if high <= most + 2.0 * resolution and (side"),
    ),
    *planted(
        "dpbench/rates/nuisances.py", "test_rates_nuisances",
        ("most = 0.5 * float(np.abs(grid_weights(x)).sum())", "most = float(np.abs(grid_weights(x)).sum())"),
        ("(first + r * second).tolist()) - here for r", "(first + r * second).tolist()) for r"),
        ("decay = (points / start) ** -self.power", "decay = (points / start) ** self.power"),
    ),
    *planted(
        "dpbench/ledger/measurement.py", "test_claims_core test_ledger test_ledger_declarations",
        ("return \"refuted\" if smallest_margin < 0.0 else UNDECIDED if", "return \"refuted\" if smallest_margin <= 0.0 else UNDECIDED if"),
        ("pair.place(epsilon, delta) if pair.kind in (\"exact\", \"lower\") else", "pair.place(epsilon, delta) if pair.kind in (\"exact\", \"lower\", \"upper\") else"),
        ("g.place(epsilon, delta) if g.kind in (\"exact\", \"upper\") else \"beyond\"", "g.place(epsilon, delta)"),
    ),
    *planted(
        "dpbench/ledger/harness.py", "test_claims_core test_ledger_declarations test_ledger",
        ("made = float((right - left) / (abs(right) or 1.0))", "made = float(abs(right - left) / (abs(right) or 1.0))"),
        ("if verdict != \"refuted\" and any(bound > epsilon for", "if verdict != \"refuted\" and any(False for"),
        ("if found.level > stated:", "if False:"),
    ),
    *planted(
        "dpbench/ledger/harness.py", "test_claims_glm_rest",
        ("margin = float(max(1.0 - needed[1:] / (GROWTH * needed[:-1])))", "margin = float(min(1.0 - needed[1:] / (GROWTH * needed[:-1])))"),
    ),
    *planted(
        "dpbench/ledger/premises.py", "test_premises test_premises_of_the_ledger",
        ("return \"rests on itself\"", "return None"),
        ("return \"not refuted\" if verdict == \"proved\" and entry in down else verdict", "return verdict"),
    ),
    *planted(
        "dpbench/ledger/compare.py", "test_evidence test_ledger",
        ("if abs(x - y) > floor:", "if abs(x - y) > 1.0:"),
        ("if old[\"verdict\"] != new[\"verdict\"]:", "if False:"),
    ),
    *planted(
        "dpbench/ledger/evidence.py", "test_evidence",
        ("current = document[\"code\"][\"key\"] == claim.digest", "current = True"),
        ("and (one.level, one.seed) == (\"full\", 0)", "and one.seed == 0"),
    ),
    *planted(
        "dpbench/runs/context.py", "test_runs test_store",
        ("bound += [f\"{k}={_text(v)}\" for k, v in sorted(value.keywords.items())]", "bound += []"),
        ("return \"[\" + \",\".join(map(_text, value)) + \"]\"", "return f\"[{len(value)}]\""),
    ),
    *planted(
        "dpbench/runs/store.py", "test_store test_store_file test_store_damage",
        ("newest.pop(key, None)\n            newest[key] = verdict", "newest.setdefault(key, verdict)"),
        ("_checksum(run, number, value) != checksum:", "False:"),
        ("key=b\"%d/%d\" % (run, number)", "key=b\"%d\" % run"),
    ),
    *planted(
        "dpbench/core/sources.py", "test_sources",
        ("            if depth == 0:", "            if True:"),
        ("return not source[line:at].strip() and not source[:line].endswith(\"\\\\\\n\")", "return not source[line:at].strip()"),
        ("yield from homes([value.func, *value.args, *value.keywords.values()])", "yield from homes(value.func)"),
        ("found |= _versions(name)", "pass"),
        ("found += modules if len(modules) == len(inner) else [*modules, base]", "found += modules or [base]"),
    ),
    *planted(
        "checker/dpbench_check.py", "test_checker",
        ("return relation in ((\"<\", \"<=\") if a < b else (\">\", \">=\"))", "return relation in (\"<\", \"<=\", \">\", \">=\")"),
        ("need(\">=\", weight, ZERO, scope, \"a weight\")", "pass"),
        ("same(\"an event lists outcomes, by number, in order\", [i for i in outcomes if i in event], event)", "pass"),
        ("need(broken, claim[\"left\"], claim[\"right\"], scope, \"the claimed inequality is broken\")", "pass"),
        ("need(\">\", num(low), claim[\"delta\"], scope, \"it exceeds the delta claimed\")\n    return", "need(\">=\", num(low), claim[\"delta\"], scope, \"it exceeds the delta claimed\")\n    return"),
    ),
    *planted(
        "checker/dpbench_records.py", "test_certificates_sampled test_checker",
        ("need(\"<=\", (\"+\", *tails), level, scope, \"the level pays for both tails\")", "need(\"<=\", tails[0], level, scope, \"the level pays for both tails\")"),
        ("need(\"<=\", tail, level, scope, \"the level pays for the tail\")", "pass"),
        ("must(decided, \"the slope decides otherwise\")", "pass"),
    ),
    *planted(
        "dpbench/report/stored.py", "test_report_pages test_report test_ledger test_cli",
        ("if verdict not in allowed:", "if False:"),
    ),
    *planted(
        "dpbench/ledger/outcome.py", "test_ledger test_cli",
        ("failed = any(not item[\"reason\"].startswith(\"full only\") for item in self.not_run)", "failed = False"),
        ("return self.verdict == self.claim.expected", "return True"),
    ),
]  # fmt: skip
