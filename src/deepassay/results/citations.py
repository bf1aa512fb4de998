"""Citations of each agent, by both formulas of DeepResearch Bench.

The paper (appendix E) averages the accuracy of each report over all tasks, and a report that cites
nothing counts 0. The authors' program pools the verdicts of the reports that cite at all and leaves
out those that are unknown. Both are made of the same counts, see `COUNTS`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Final, NamedTuple

from deepassay.glossary import legend
from deepassay.results.aggregate import Leaf, task_means
from deepassay.results.evidence import OutcomeEvidence, evidence_of, single_outcomes
from deepassay.results.records import Judged, by_agent, differing
from deepassay.results.tables import Table, decimals, of_label
from deepassay.score import without_options

Counts = Mapping[str, int]

DECIDED: Final = ("supported", "unsupported", "unknown", "gone", "redirected_home", "refused")
"""Ends of a pair that decide; all but the first are not supported."""

OPEN: Final = ("script_only", "paywalled", "doubtful", "timeout", "too_large", "not_text", "failed")
COUNTS: Final = ("pairs", *DECIDED, "blocked", "not_archived", *OPEN)
"""Under `details["counts"]`: pairs, and how many of them came to which end."""

HEAD: Final = (
    "agent",
    "tasks",
    "C.Acc (paper)",
    "E.Cit (paper)",
    "rate (code)",
    "judged (code)",
    "E.Cit (code)",
    "recall (pooled)",
    "uncited (pooled)",
)
ENDS: Final = (
    *(each.replace("_", " ") for each in DECIDED),
    "blocked",
    "not archived",
    "other open",
)
NOTES: Final = (
    "paper: accuracy of each report, averaged over all tasks; unknown, gone and refused pages "
    "support nothing; what could not be judged is left out of both numbers.",
    "code: verdicts pooled over the reports that cite, and counted per report that cites; unknown "
    "and gone are left out. Who cites in few reports only is judged by those.",
    legend("recall", "uncited"),
)
COUNTED_BY: Final = {
    "paper": "Both formulas are made of the pairs and verdicts of edition paper; those of the "
    "released program are other ones (--edition code).",
    "code": "Both formulas are made of the pairs and verdicts of edition code; those of the paper "
    "are other ones (--edition paper).",
    "published": "Published verdicts: the columns of each edition are counted as that edition "
    "does. recall, uncited –: the reports are not in such a file.",
}
"""By the edition that judged: what the columns are made of."""

OWN_PAIRS: Final = (
    "pairs of statement and address were read from the reports by rule, which finds others than "
    "the paper's extractor, and often several times as many: not comparable with published "
    "figures. As in the paper: --protocol \"{protocol}(statements='model')\" --extractor "
    "PROVIDER:NAME."
)
PUBLISHED_PAIRS: Final = (
    "published verdicts, on the pairs that their authors' extractor found: not comparable with "
    "pairs that are read from the reports here."
)
STOPPED: Final = "(code) –: the released program stops at these verdicts."
ENDS_NOTE: Final = "Pairs of statement and address, over all judgements. Open ones are not judged."


class PaperFigures(NamedTuple):
    """Equations 4 and 5. None where no task has a score. tasks: how many they rest on."""

    accuracy: float | None
    effective: float | None
    tasks: int


class CodeFigures(NamedTuple):
    """The three numbers of the released program. None where it would divide by zero."""

    rate: float | None
    citations: float | None
    supported: float | None


class CountedReport(NamedTuple):
    """The counts of one judgement of one report. task: with the sample, where it hangs."""

    task: str
    sample: int
    counts: Counts


def accuracy_of(counts: Counts) -> float | None:
    """Equation 3: supported of all decided pairs; 0 without pairs, None if none is decided."""
    decided = sum(counts.get(kind, 0) for kind in DECIDED)
    if decided:
        return counts["supported"] / decided
    return None if counts["pairs"] else 0.0


def paper_figures(reports: Iterable[CountedReport]) -> PaperFigures:
    """C.Acc and E.Cit over all tasks; within a task the mean over repeats and answers."""
    accuracies, effective = by_task(reports)
    if not accuracies:
        return PaperFigures(None, None, 0)
    return PaperFigures(fmean(accuracies.values()), fmean(effective.values()), len(accuracies))


def by_task(
    reports: Iterable[CountedReport],
) -> tuple[Mapping[Hashable, float], Mapping[Hashable, float]]:
    """What C.Acc and E.Cit are the means of: accuracy and supported citations of each task.

    Tasks of which nothing could be judged are in neither.
    """
    accuracies: list[Leaf] = []
    effective: list[Leaf] = []
    for each in reports:
        accuracy = accuracy_of(each.counts)
        if accuracy is not None:
            path = (each.task, each.sample)
            accuracies.append((path, accuracy))
            effective.append((path, float(each.counts["supported"])))
    return task_means(accuracies), task_means(effective)


def code_figures(reports: Iterable[CountedReport]) -> CodeFigures:
    """Pooled rate, and citations and supported ones per report that cites."""
    citing = [each.counts for each in reports if each.counts.get("citing", each.counts["pairs"])]
    supported = sum(counts["supported"] for counts in citing)
    judged = supported + sum(counts["unsupported"] for counts in citing)
    return CodeFigures(
        supported / judged if judged else None,
        judged / len(citing) if citing else None,
        supported / len(citing) if citing else None,
    )


def counted_reports(records: Iterable[Judged]) -> Iterable[CountedReport]:
    """The counts of each judgement, also of each judge of a panel."""
    for record in records:
        for each in single_outcomes(record):
            if each.evidence.counts is not None:
                yield CountedReport(record.task, record.sample, each.evidence.counts)


def counted_by_agent(records: Iterable[Judged]) -> dict[str, list[CountedReport]]:
    """What `counted_reports` gives, for each agent; empty if no judgement counts citations."""
    found = {agent: [*counted_reports(judged)] for agent, judged in by_agent(records).items()}
    return found if any(found.values()) else {}


def notices_of(records: Sequence[Judged]) -> tuple[str, ...]:
    """What must be read before counts of citations: who drew the pairs from the reports.

    records: of one protocol.
    """
    ways: dict[str, None] = {}
    for record in differing(records):
        edition = record.signature.identity.get("edition")
        if edition == "published" and evidence_of(record).counts is not None:
            ways[PUBLISHED_PAIRS] = None
        elif any(_is_own(record, each.evidence) for each in single_outcomes(record)):
            ways[OWN_PAIRS] = None
    protocol = records[0].protocol
    bare = without_options(protocol)
    return tuple(f"{protocol}: {way.format(protocol=bare)}" for way in ways)


def _is_own(record: Judged, evidence: OutcomeEvidence) -> bool:
    """Whether no model extracted the pairs."""
    extractor = record.signature.identity.get("extractor") or {}
    by_rule = extractor == {"model": "offline"} and evidence.counts is not None
    return evidence.pairs_by_rule or by_rule


def released_reports(records: Iterable[Judged]) -> list[CountedReport]:
    """The counts that the formula of the released program takes; none at all where it stops."""
    reports = []
    for record in records:
        for each in single_outcomes(record):
            counts = each.evidence.released_counts
            if counts is not None:
                reports.append(CountedReport(record.task, record.sample, counts))
    return reports


def citation_tables(
    records: Sequence[Judged],
    counted: Mapping[str, Sequence[CountedReport]],
    label: tuple[str, str] | None = None,
) -> tuple[Table, ...]:
    """Figures, and what became of the pairs, a row an agent, from judgements of one protocol.

    counted: their counts, see `counted_by_agent`. label: name and value by which the tasks were
    picked. None if nothing counts citations.
    """
    if not counted:
        return ()
    agents = by_agent(records)
    tasks = {agent: len({each.task for each in judged}) for agent, judged in agents.items()}
    rows = [
        _row(agent, reports, released_reports(agents[agent]), tasks[agent])
        for agent, reports in counted.items()
    ]
    edition = records[0].signature.edition
    stopped = [STOPPED] if any(evidence_of(each).released_stops for each in records) else []
    title = f"{records[0].protocol}{of_label(label)}: citations"
    ends = ((agent, *_ends(reports)) for agent, reports in counted.items())
    return (
        Table.listed(title, HEAD, rows, (*NOTES, COUNTED_BY[edition], *stopped)),
        Table.listed(f"{title}, by outcome", ("agent", "pairs", *ENDS), ends, (ENDS_NOTE,)),
    )


def _row(
    agent: str, reports: Sequence[CountedReport], released: Sequence[CountedReport], tasks: int
) -> tuple[str, ...]:
    paper, code = paper_figures(reports), code_figures(released)

    def total(*kinds: str) -> int:
        return sum(each.counts.get(kind, 0) for each in reports for kind in kinds)

    known = total("statements") - total("open")
    return (
        agent,
        f"{paper.tasks}/{tasks}",
        decimals(paper.accuracy, 4),
        decimals(paper.effective, 2),
        decimals(code.rate, 4),
        decimals(code.citations, 2),
        decimals(code.supported, 2),
        decimals(total("recalled") / known if known else None, 4),
        decimals(total("uncited") / total("claims") if total("claims") else None, 4),
    )


def _ends(reports: Sequence[CountedReport]) -> tuple[str, ...]:
    """How many pairs came to which end."""
    kinds = (("pairs",), *((kind,) for kind in DECIDED), ("blocked",), ("not_archived",), OPEN)
    return tuple(
        str(sum(each.counts.get(kind, 0) for each in reports for kind in together))
        for together in kinds
    )
