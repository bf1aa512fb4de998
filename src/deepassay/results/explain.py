"""Why a score is what it is: verdicts, reasons and places, as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from deepassay.errors import BadInput, meant
from deepassay.results.evidence import (
    TOGETHER,
    EvidenceItem,
    JudgeOutcome,
    OutcomeEvidence,
    panel_then_judges,
)
from deepassay.results.panel_verdicts import pairs_of, panels_of
from deepassay.results.quoted_passages import (
    Archive,
    find_on_pages,
    items_with_pages,
    passage,
    quotes_of,
)
from deepassay.results.records import REFERENCE, Judged, snapshots_of
from deepassay.results.tables import as_given, in_range, printable, several
from deepassay.score import Json, Signature, without_options
from deepassay.text import first_few

FAULTS: Final = ("E1", "E2", "E3")
"""States of a cited page that count as errors (LiveResearchBench, table 7)."""

NOTHING: Final = "Nothing was found to list."


def explain(
    records: Sequence[Judged],
    agent: str,
    task: str,
    protocol: str | None = None,
    archive: Archive | None = None,
) -> str:
    """The evidence behind every judgement of one report, under one protocol or all.

    protocol: as it was written, or its name without options. archive: with the cited pages, of
    which the passages around quotes are then shown.
    Raises BadInput, naming what there is, if there is no such judgement.
    """
    of_report = [r for r in records if (r.agent, r.task) == (agent, task)]
    chosen = [r for r in of_report if protocol in (None, r.protocol)]
    # `ace` also finds `ace(make=True)`, unless there is one without options as well.
    chosen = chosen or [r for r in of_report if protocol == without_options(r.protocol)]
    if not chosen:
        near = (
            (agent, {r.agent for r in records}),
            (task, {r.task for r in records}),
            (protocol or "", {r.protocol for r in records}),
        )
        raise BadInput(
            f"There is no judgement of {agent!r} on {task!r}"
            + (f" under {protocol!r}." if protocol else "."),
            "".join(meant(given, known) for given, known in near if given and given not in known)
            + f"Protocols: {_names(r.protocol for r in records)}. "
            f"Agents: {_names(r.agent for r in records)}. "
            f"Tasks: {_names(r.task for r in records)}.",
        )
    chosen.sort(key=lambda r: (r.protocol, r.sample, r.repeat))
    return "\n\n".join("\n".join(_judgement(each, archive)) for each in chosen) + "\n"


def _names(names: Iterable[str]) -> str:
    return first_few([*map(as_given, sorted(set(names)))], 12) or "none"


def _judgement(record: Judged, archive: Archive | None) -> Iterator[str]:
    snapshots = snapshots_of(record)
    which = f" (sample {record.sample})" if record.sample > 1 else ""
    again = f", repeat {record.repeat + 1}" if record.repeat else ""
    reference = f" {REFERENCE}" if record.is_reference else ""
    yield printable(f"{record.protocol}: {record.agent}{reference}{which} on {record.task}{again}")
    pairs = [pair for _, panel in panels_of([record]) for pair in pairs_of(panel)]
    for judge, outcome in panel_then_judges(record):
        if judge != TOGETHER:
            yield printable(f"Judge {judge}:")
        yield from _outcome(outcome, archive, snapshots)
        for pair in pairs if judge == TOGETHER else ():
            names, said = " and ".join(pair.judges), several(pair.verdicts, "verdict")
            yield printable(f"  {names} agree on {pair.agreed} of {said}.")
    yield printable(f"recipe: {record.signature}")
    if record.signature.record:
        yield printable(f"record: {Signature(_short(record.signature.record))}")


def _short(record: Mapping[str, Json]) -> dict[str, Json]:
    """The record with the number of snapshots instead of their names."""
    pages = record.get("pages")
    return {**record, "pages": f"{len(pages)} snapshots"} if pages else dict(record)


def _outcome(
    outcome: JudgeOutcome, archive: Archive | None, snapshots: Mapping[str, str]
) -> Iterator[str]:
    """A score with its evidence, or why there is none."""
    evidence = outcome.evidence
    yield printable(headline(outcome)) if outcome.cause else headline(outcome)
    if evidence.not_asked:
        yield printable(f"  Nobody was asked: {evidence.not_asked}")
    if evidence.quirks:
        yield printable(f"Quirks of the released program that fired: {', '.join(evidence.quirks)}")
    if summary := summary_of(evidence):
        yield printable(f"  {summary}")
    if found_nothing(outcome):
        yield f"  {NOTHING}"
    for item, urls in items_with_pages(evidence.items):
        yield from _item(item)
        kept = tuple(snapshots[url] for url in urls if url in snapshots)
        if archive is not None and kept:
            yield from _passage(item, archive, kept)


def found_nothing(outcome: JudgeOutcome) -> bool:
    """Whether somebody looked for what might be listed, and there was nothing to list."""
    return outcome.cause is None and outcome.evidence.found_nothing


def summary_of(evidence: OutcomeEvidence) -> str:
    """What the items come to, and what was lost of statements and their pages on the way."""
    told = [evidence.summary]
    if evidence.dropped:
        told.append(f"statements or addresses not in the report, and left out: {evidence.dropped}")
    unshown = sum(
        "supported" in (item.answer, item.verdict) and not any(quotes_of(item))
        for item in (evidence.items if evidence.dropped is not None else ())
    )
    if unshown:
        told.append(f"supported without a quote that is on the page: {unshown}")
    return "; ".join(filter(None, told))


def headline(outcome: JudgeOutcome) -> str:
    """A score with its scale and how many of its items were met, or why there is none."""
    if outcome.cause:
        return f"Unscored ({outcome.cause}): {outcome.detail}"
    limits, counted = outcome.bounds, _items_met(outcome)
    read_off = {"words", "findings"} <= outcome.parts.keys()  # of protocol surface
    what = "statements have a source" if read_off else "items met"
    met = f" ({counted[0]:g} of {counted[1]:g} {what}{_open(outcome)})" if counted else ""
    scale = f" on {limits[0]:.4g} to {limits[1]:.4g}" if limits else ""
    return f"Score {in_range(outcome.value, limits)}{scale}{met}"


def _items_met(outcome: JudgeOutcome) -> tuple[float, float] | None:
    """How many items are met, of how many; None where none are counted, or not in what unit."""
    tally, limits = outcome.tally, outcome.bounds
    if tally is None or outcome.evidence.baseline:  # wins are no items
        return None
    voices = outcome.evidence.judges.values() or (outcome,)  # a panel as a whole has no items
    if all(item.weight is None for each in voices for item in each.evidence.items):
        return tally
    # That of a set is in the unit of its score.
    return (tally[0] / limits[1], tally[1]) if limits and limits[1] > 0 else None


def _open(outcome: JudgeOutcome) -> str:
    """What a tally leaves out."""
    pending = sum(item.has("score") and item.score is None for item in outcome.evidence.items)
    return f", {pending} more unscored" if pending else ""


def verdict_of(item: EvidenceItem) -> str:
    """The verdict in a word, or a mark with that of the reference and what it weighs."""
    if item.has("weight") and item.has("mandatory"):
        mandatory = ["mandatory"] if item.mandatory else []
        told = [f"weight {item.weight:g}", *mandatory, *filter(None, [item.axis])]
        return f"{item.verdict or 'unscored'} ({', '.join(told)})"
    if item.has("verdict"):
        return str(item.verdict)
    if item.dimension is not None:
        beside = "" if item.reference is None else f", the reference {item.reference:.3g}"
        mark = "unscored" if item.score is None else f"{item.score:.3g} of 10"
        about = "" if item.weight is None else f" ({item.dimension}, weight {item.weight:.3g})"
        return f"{mark}{beside}{about}"
    words: dict[float | None, str] = {1: "met", 0: "not met", None: "unscored"}
    return words.get(item.score, f"scored {item.score}")


def _item(item: EvidenceItem) -> Iterator[str]:
    """`p3 not met (by rule): every entry is cited`, then the reason, then the places.

    An item that hangs below another one in a tree says how deep, and is indented so far.
    """
    verdict = verdict_of(item)
    by = f" (by {item.decided_by})" if item.decided_by else ""
    margin = "  " + "    " * item.depth
    yield margin + printable(f"{item.key} {verdict}{by}: {item.item}")
    if item.reason:
        yield margin + printable(f"    {item.reason}")
    for place in item.places or ():
        where = f"line {place.line}, column {place.column}"
        yield margin + printable(f"    {where}: {place.message}")


def _passage(item: EvidenceItem, archive: Archive, snapshots: Sequence[str]) -> Iterator[str]:
    """What stands on the page around the quote, which is set in marks of its own."""
    found = find_on_pages(archive, snapshots, tuple(quotes_of(item)))
    page = archive.page(found.snapshot) if found else None
    if found and page:
        margin = "      " + "    " * item.depth
        before, quote, after = passage(archive, found)
        yield margin + printable(f"on the page {page.url}, read {page.fetched}:")
        yield margin + printable(f"    {before}»{quote}«{after}")
