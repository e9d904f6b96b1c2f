"""The documentation's pages of results, made from the committed evidence whenever the documentation is built.

docs/conf.py writes them; they are not committed. What was measured with other code than the present is marked.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import record
from benchmarks.peers import drawings as peers
from dpbench.certificates import shown
from dpbench.core.validation import invalid
from dpbench.ledger.registry import all_papers, by_id
from dpbench.ledger.verify import all_claims
from dpbench.ledger.words import FAILED
from dpbench.report import errata, stored
from dpbench.report.markdown import table
from dpbench.report.mathematics import in_markdown
from dpbench.report.stored import Shown
from studies import dpsgd
from tests.zoo import accountants
from tools.code_key import RESTS_ON, fresh
from tools.pages import ledger_tables, libraries, tables

WIDE = ("---", "hide-toc: true", "---", "")
"""A page without a table of contents has the room for tables."""
LEDGER, CERTIFICATES = "ledger", "certificates"


@dataclass(frozen=True)
class Part:
    """A table of a page.

    Attributes
    ----------
    file : str
        Its evidence, a file of the evidence folder, `LEDGER`: the committed entries, or `CERTIFICATES`: these and the
        certificates.
    table : callable
        From what that file holds to Markdown.
    before : str
        The text above it.
    of : tuple of str
        The parts of the file that the table is of, where rows have their own codes; empty: the file has one.
    """

    file: str
    table: Callable[[Any], str]
    before: str
    of: tuple[str, ...] = ()


@dataclass(frozen=True)
class Page:
    """A page: the name of its file without the suffix, its title and its tables."""

    name: str
    title: str
    parts: tuple[Part, ...]


def _records(results: dict[str, Shown]) -> list[dict[str, Any]]:
    return [{"id": name, "verdict": one.verdict, "evidence": one.evidence} for name, one in results.items()]


def _shares(both: tuple[Any, Any], key: Callable[[Any], Any]) -> list[tuple[str, str, str]]:
    """(group, entries, entries with a certificate), by name."""
    groups = shown.grouped(_records(both[0]), key)
    return [(name, str(len(ids)), str(sum(one in both[1] for one in ids))) for name, ids in sorted(groups.items())]


def _decided(record: Mapping[str, Any], certificates: Mapping[str, list[dict[str, Any]]]) -> str:
    """The verdict, and the kinds of its certificates or why there is none."""
    kinds = sorted({one["kind"] for one in certificates.get(record["id"], ())})
    return f"{record['verdict']}: {', '.join(kinds) or shown.reason(record)}"


def _weight(record: Mapping[str, Any]) -> str | None:
    return by_id()[record["id"]].weight if record["verdict"] in FAILED else None


PAGES = (
    Page("failures", "Printed claims that do not hold", (
        Part(LEDGER, lambda found: ledger_tables.failures(all_claims(), found),
             "Sorted by who is hurt, then by what changes in practice. Each says what it means for a user of the "
             "result, and what its number is; folded, the paper's own words with its caveats, the derivation and what "
             "holds instead. `dpbench errata PAPER` prints them; the authors have not reviewed them."),
    )),
    Page("ledger", "The ledger", (
        Part(LEDGER, lambda found: ledger_tables.entries(all_claims(), found),
             "Measured by `dpbench verify --level full`. An id leads to the claim's page, with its number; write below "
             "to filter, click a heading to sort. In brackets: what a verdict rests on ({doc}`verdicts "
             "<../guide/verdicts>`). \"certificate + derivation\": a checked certificate, linked to the paper by a "
             "written derivation. \"stale\": measured with other code than the present."),
    )),
    Page("certificates", "Certificates", (
        Part(CERTIFICATES, lambda both: table(
            ("kind", "what is decided", "certificates", "values listed"), shown.by_kind(both[1])),
             "Files under `evidence/certificates/`, which `python -m dpbench_check evidence/certificates/*.json` "
             "verifies alone (`checker/`). `dpbench show ENTRY` names those of an entry."),
        Part(CERTIFICATES, lambda both: table(
            ("kind", "what is recorded", "records", "values listed"), shown.by_kind(shown.recorded(), shown.RECORDED)),
             "Records of samples and fits decide nothing and are not counted as certificates: `evidence/records/`, "
             "which `python -m dpbench_records evidence/records/*.json` recomputes."),
        Part(CERTIFICATES, lambda both: table(
            ("paper, verdict", "entries", "with a certificate"),
            _shares(both, lambda one: f"{one['id'].split('.')[0]}, {one['verdict']}")),
             "Certificates by verdict:"),
        Part(CERTIFICATES, lambda both: table(
            ("weight", "entries", "with a certificate"),
            _shares(both, _weight)),
             "Findings, by weight:"),
        Part(CERTIFICATES, lambda both: table(
            ("verdict, and its certificate or why there is none", "entries"),
            ((why, ", ".join(f"`{claim}`" for claim in ids))
             for why, ids in sorted(shown.grouped(_records(both[0]), lambda one: _decided(one, both[1])).items()))),
             "What each entry has:"),
    )),
    Page("search", "What the search for counterexamples finds", (
        Part("search.json", tables.recall,
             "Refuted entries, searched under the theorem's hypotheses; found is what the checker accepts "
             "(`python -m studies.search --evaluations 12000 --seconds 3 --json evidence/search.json`). The spaces "
             "are families that somebody wrote down, not all data sets."),
        Part("search.json", tables.nearest,
             "Entries that hold, where nothing was accepted: the largest left/right of the entry's instances and "
             "of the search. Where a constant is hidden it counts as 1, and the ratio may be above 1."),
    )),
    Page("peers", "Compared with other tools", (
        Part("peers.json", lambda document: peers.markdown("speed", document["parts"]["speed"]),
             "All measured in one run on one core by `python -m benchmarks.peers --python PYTHON --json "
             "evidence/peers.json`, where PYTHON is the interpreter of an environment with "
             "diffprivlib 0.6.6, which needs an older scikit-learn (extra `bench` for the rest).\n\n"
             "Noisy gradient descent, n = 1000, d = 50, T = 1000, float64: medians of 15 alternating pairs. \"numpy\" "
             "is a loop of one trial at a time, \"jax\" the batched compiled loop, \"jax-gram\" the same on sufficient "
             "statistics. Where the interval of a ratio lies below what is promised, the promise is missed."),
        Part("peers.json", lambda document: tables.auditors(document["parts"]["auditors"]),
             "Auditors at 95%, ours and jax-privacy's. A row's number is its samples a side, or canaries. A valid "
             "bound is above the truth in at most 5% of the audits; `epsilon_from_gdp` assumes Gaussian outputs and "
             "is no bound on ε in general."),
        Part("peers.json", lambda document: peers.markdown("held-out", document["parts"]["held-out"]),
             "Real data, seven tenths to train on, scores on the others: medians of 20 fits. The promises differ: "
             "diffprivlib's models are (ε, 0)-DP, ours (ε, 1e-5)-DP."),
    )),
    Page("heavytail", "The heavy-tailed sampler", (
        Part("heavytail_speed.json", tables.sampler,
             "Exact sampling from the exponential mechanism on the net at ζ = 1/n (heavy-tailed regression), CPU "
             "seconds of one core, worst of three data sets (`python -m studies.heavytail --json "
             "evidence/heavytail_speed.json`). \"student\": Student's t features and noise; \"collinear\": features "
             "with a correlation of 0.9999 between any two; \"401ksubs\": a survey of households. \"a draw\" shares "
             "the envelope between the draws of its row. Above what is promised, the promise is missed."),
    )),
    Page("publicdata", "Learning with public data", (
        Part("publicdata_risk.json", tables.risks,
             "Excess risk of Algorithms 2 to 5 on one learning problem over n, σ, m and ε, compared with ERM, not "
             "private, and constant predictors, which have 0.2 (`figures/risk_publicdata_all.pdf`; Algorithm 5 alone: "
             "`figures/risk_publicdata_alg5.pdf`): `python -m studies.publicdata_risk --json "
             "evidence/publicdata_risk.json`. Settings are tuned, and private by the exact calibration; \"asked\" is "
             "what a theorem prescribes with all its constants 1. 95% intervals; n = 100,000, m = 64 and ε = 1 over "
             "σ. Algorithm 5 falls more slowly than proven, least at large n; a finite range refutes no rate."),
    )),
    Page("auditor", "Power and validity of the auditor", (
        Part("audit.json", tables.power,
             "At 95%, seeds from 0. The oracle knows the exact law of the log-ratio and certifies its best event with "
             "the same intervals on as many runs; the shortfall is exact ε minus bound. Seconds are of one core "
             "(`python -m studies.power --json evidence/audit.json`).", ("scalars", "zoo", "vectors")),
        Part("second_zoo.json", tables.second_zoo,
             "A second set of mechanisms, at 95% and 50,000 runs a side. The last column is from before the "
             "choice of an event was changed (`python -m studies.second_power --json evidence/second_zoo.json`).",
             ("second zoo",)),
        Part("second_zoo.json", tables.third_zoo,
             "A third set, on which nothing was tuned (`--zoo third`).", ("third zoo",)),
        Part("audit.json", tables.validity,
             "How often the bound exceeded the truth (`python -m studies.validity --json evidence/audit.json`). Where "
             "there are fewer choosing parts than audits, many audits shared one and had certifying runs of their own: "
             "given the events they are independent, so the binomial test holds.",
             ("validity",)),
        Part("audit.json", tables.dependence,
             "Dependent runs are refused, independent ones are not but with probability 1e-9 an audit, by an exact "
             "argument (`python -m studies.dependence --correct 25000 --json evidence/audit.json`):", ("dependence",)),
        Part("arrays.json", tables.arrays,
             "`audit_samples`, jax-privacy and a classifier in the manner of DP-Sniper on the same arrays, at 95%: "
             "mean bounds, standard errors, and how many lie above the truth (`python -m studies.arrays --json "
             "evidence/arrays.json`; jax-privacy's `epsilon_from_gdp` supposes a Gaussian mechanism and is left out).",
             ("laws",)),
        Part("one_run.json", tables.one_run,
             "One run: `audit_one_run_scores` and jax-privacy's `epsilon_one_run` on the same coins and scores, at 95% "
             "and δ = 1e-5, mean bounds and standard errors (`python -m studies.one_run --json "
             "evidence/one_run.json`; its `epsilon_one_run_fdp` supposes a Gaussian mechanism and is left out):"),
    )),
    Page("dpsgd", "DP-SGD as it is run", (
        Part("dpsgd.json", dpsgd.shown,
             "[What each loop is, and how to read this](../guide/dpsgd.md). At the head the ε that is claimed at δ = "
             "1e-5; in a cell the exact ε, a lower bound by an audit, and the verdict on the whole curve δ(ε) (`python "
             "-m studies.dpsgd --json evidence/dpsgd.json`)."),
        Part("accountants.json", accountants.shown,
             "Public reports, checked by `dpbench.check_accountant`; upper ends of bounds, seconds of the processor "
             "(`python -m tests.zoo.accountants --json evidence/accountants.json`)."),
    )),
    Page("libraries", "Released libraries, audited", (
        Part("libraries.json", libraries.audits,
             "Each mechanism at the claim that its library makes, by its documentation's relation or, where that names "
             "none, the one for which the noise in its source is of the right size; confidence 1 - 1e-6 a "
             "row (`dpbench audit-library LIBRARY... --json evidence/libraries.json`; [how to read "
             "it](../guide/libraries.md)). \"Not refuted\" says that nothing above the claim was found with so many "
             "runs, and the next column from which loss on it would have been. Before this page is made "
             "public, the maintainers are to be informed of what is refuted."),
        Part("libraries.json", libraries.findings,
             "What is refuted, and how it reads. A claim for records added or removed, read as one for records "
             "replaced, is refuted at ε but not at 2 ε; that is a convention and no error. Below, a letter to each "
             "library of which a row reads as an error of the code."),
    )),
    Page("known_bugs", "Known privacy bugs", (
        Part("known_bugs.json", tables.known_bugs_counts,
             "Known bugs of released software and published algorithms, and hazards that their sources warn of, each "
             "with a fixed version ({doc}`how they were chosen and run <../guide/libraries>`): `python -m "
             "dpbench_libraries.known_bugs --json evidence/known_bugs.json`, in ten minutes of the processor."),
        Part("known_bugs.json", tables.known_bugs,
             "A cell is the number of runs a side at which an auditor refutes the claim, with the processor seconds of "
             "that audit. The number doubles from 500 up to the case's limit, lower where a run is slow: \"not in "
             "4,000\" means that 4,000 runs did not refute it. All auditors see the same runs; false alarms: 1e-6 "
             "a case. \"classifier\" is in the manner of DP-Sniper. jax-privacy's "
             "auditor reads one number a run: of several, the score of a linear discriminant."),
    )),
    Page("bits", "Last bits", (
        Part("bits.json", tables.bits,
             "What `audit_bits` finds on this suite's own samplers, on tiny data, at level 1e-6 (`python -m "
             "studies.own_bits --json evidence/bits.json`): over the reals each is exactly as private as stated; in "
             "floating point those marked are not (the others were not broken by these features and this many runs, "
             "which proves nothing). Those called exact have `arithmetic=\"exact\"`, and none was broken."),
    )),
    Page("faults", "Faults", (
        Part("faults.json", tables.faults,
             "Runs of 600 small blocks, broken at random moments and started again until they end (`python -m "
             "studies.faults --json evidence/faults.json`). No stored block was lost or changed, the file was whole "
             "after each kill, and all results were those of an uninterrupted run; one run on Dask stopped with an "
             "error, which was fixed before the last rounds. The disk is full in that a file cannot grow; the clock "
             "jumps for the process alone; a loss of power was not tried."),
    )),
    Page("speed", "Speed over the commits", (
        Part("speed.json", record.body,
             "[How it is measured](../guide/development.md); other programs ran meanwhile."),
    )),
    Page("table1", "Table 1 of the GLM paper, as measured", (
        Part(LEDGER, ledger_tables.table1,
             "For each cell: the slope of the theorem's formula on the entry's grid, the slope measured with its "
             "interval, and the excess of the zero predictor over the measured one at the last point."),
    )),
)  # fmt: skip
"""Every page, in the order of the index."""


def committed(evidence: Path) -> dict[str, Shown]:
    """The committed verdicts, by id; the only place here that knows how the ledger is kept."""
    return stored.best(stored.known(None, evidence / LEDGER))


def texts(evidence: Path) -> dict[str, str]:
    """The pages as Markdown, by the names of their files: an index and `PAGES`.

    Parameters
    ----------
    evidence : Path
        The folder with the evidence.

    Raises
    ------
    InvalidInput
        If a file is missing there, or is not what a command of the page wrote.
    """
    documents: dict[str, Any] = {}
    texts_by_name: dict[str, str] = {}
    for page in PAGES:
        lines = [*WIDE, f"# {page.title}", ""]
        for part in page.parts:
            if part.file not in documents:
                documents[part.file] = _document(part.file, evidence)
            try:
                shown_table = part.table(documents[part.file])
            except (KeyError, TypeError, AttributeError) as error:
                must_be = f"what the command on the page {page.name} writes ({error!r})"
                raise invalid(f"evidence/{part.file}", must_be, documents[part.file]) from error
            lines += [part.before, "", *_staleness(part, documents[part.file]), shown_table, ""]
        texts_by_name[f"{page.name}.md"] = "\n".join(lines)
    return {"index.md": _index(committed(evidence), documents)} | texts_by_name


def _staleness(part: Part, document: Any) -> list[str]:
    """What is said of numbers that other code gave."""
    measured = [document[name] for name in part.of] if part.of else [document]
    if part.file not in RESTS_ON or all(fresh(part.file, one) for one in measured):
        return []
    return ["*(stale: at least a part of this table was measured with other code than the present)*", ""]


def _document(name: str, evidence: Path) -> Any:
    if name == LEDGER:
        return committed(evidence)
    if name == CERTIFICATES:
        return committed(evidence), shown.read(evidence / CERTIFICATES)
    return _read(evidence / name)


def _numbers(documents: Mapping[str, Any]) -> list[str]:
    """One number each of what is no paper: the peers, the auditor's power, our own last bits."""
    peer, power, own = (documents[f"{name}.json"] for name in ("peers", "audit", "bits"))
    fast = {(row["loss"], row["peer"]): row for row in peer["parts"]["speed"]}["logistic", "jax"]
    near, laws = tables.near_the_oracle(power)
    old = "" if all(fresh("audit.json", power[part]) for part in ("scalars", "zoo", "vectors")) else " (stale)"
    exact, leaking = tables.own_bits(own)
    return [
        "| measured | in one number | page |",
        "|---|---|---|",
        f"| our own samplers, audited | {leaking} of {exact} in exact arithmetic were broken by their last bits | "
        "[last bits](bits.md) |",
        f"| noisy gradient descent compared with JAX | {fast['median']:.2f} times as many trials a second "
        f"[{fast['low']:.2f}, {fast['high']:.2f}] (logistic loss, one core) | [other tools](peers.md) |",
        f"| power of the auditor | on {near} of {laws} laws its shortfall is at most {tables.NEAR:g} times that of "
        f"an oracle that knows the law{old} | [auditor](auditor.md) |",
        "",
    ]


def _index(results: dict[str, Shown], documents: Mapping[str, Any]) -> str:
    """The home of the results: a row for each paper, with what a user has to know first, and the other pages."""
    header = "| paper | claims | do not hold as printed | to know first | what it means |"
    lines = ["# Results", "", header, "|---|---|---|---|---|"]
    for paper in all_papers():
        first = errata.foremost(paper)
        if first is None or first.id not in results:
            continue
        where = f"[{in_markdown(first.source)}](claims/{first.entry}.md)"
        title, said = in_markdown(paper.title or paper.name), in_markdown(first.consequence)
        weighed = sum(bool(claim.weight) for claim in paper.claims)
        lines.append(f"| [{title}](failures.md) | {len(paper.claims)} | {weighed} | {where} | {said} |")
    lines += ["", *_numbers(documents)]
    sorted_by = "what does not hold is sorted [by who is hurt](failures.md)."
    lines += ["", f"Every claim has [a row in the ledger](ledger.md) and a page of its own; {sorted_by}", ""]
    lines += [f"- [{page.title}]({page.name}.md)" for page in PAGES if page.name not in ("ledger", "failures")]
    toctree = ("```{toctree}", ":hidden:", *(page.name for page in PAGES), "```")
    return "\n".join([*lines, "", *toctree, ""])


def write(folder: Path, evidence: Path) -> None:
    """Write the pages into `folder`, made where it does not exist; a page that would not change is left as it is."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts(evidence).items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise invalid("evidence", f"a folder with {path.name} ({error})", str(path.parent)) from error
