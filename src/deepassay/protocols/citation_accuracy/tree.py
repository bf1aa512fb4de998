"""The rubric tree of a report, how it is kept in the details of a score, and the score.

LiveResearchBench, appendix E and Figure 13. A source that cannot be reached (E1) or is about
something else (E2) is one error, and nobody looks at its claims. Below every other source, each
claim that it does not support is one error (E3), so that a claim with five sources can be five.
The paper counts errors (Table 7); shares are ours: of the pairs of claim and source that could be
judged, those without an error, with the bounds that what is open leaves.

    for source in tree.sources:
        for claim in source.claims:
            ... source.url, claim.text, end_of(source, claim) ...
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, cast

from deepassay.protocols.protocol import ScoreDetails
from deepassay.results.cited_pages import cited_pages_in_words
from deepassay.results.evidence import EvidenceItem, ReportPlace
from deepassay.score import Cause, Json, Score, Unscored, commonest, percent_of
from deepassay.text import one_line

State = Literal["reachable", "E1", "E2", "open"]
"""Of a source: whether it stopped at an error, or whether we could not find out."""

Verdict = Literal["supported", "unsupported", "unknown", "not_asked", "open"]
"""On a claim: of FACT's three, or that nobody was asked, or that nobody could answer."""

End = Literal["supported", "E1", "E2", "E3", "open"]
"""What came of a claim and a source together."""

SHOWN: Final = 100
"""Characters of a text that a line of the drawn tree shows."""


class ClaimPlace(NamedTuple):
    """Where a claim stands in the report: line and column, both from 1."""

    line: int
    column: int


@dataclass(frozen=True)
class ClaimNode:
    """A claim below one of its sources.

    evidence: the passage of the page that decides, or why there is no verdict. cause: of a
    judgement that failed, a `Cause`. places: where the report makes the claim. by: how the
    source was attributed, as a `CitedPair` has it.
    """

    text: str
    verdict: Verdict = "not_asked"
    evidence: str = ""
    cause: str = ""
    places: tuple[ClaimPlace, ...] = ()
    by: str = "citation"

    def __str__(self) -> str:
        """One line: verdict, places, claim, evidence."""
        lines = ", ".join(str(place.line) for place in self.places)
        is_error = self.verdict in ("unsupported", "unknown")
        verdict = f"E3 {self.verdict}" if is_error else self.verdict.replace("_", " ")
        evidence = f" · {_short(self.evidence)}" if self.evidence else ""
        return f"[{verdict}] line {lines}: {_short(self.text)}{evidence}"


@dataclass(frozen=True)
class SourceNode:
    """A source by its canonical address, and the claims that cite it.

    cause: of E1 the kind of failure (`gone`, `redirected_home`, `refused`,
    `blocked`, `timeout`), of an open source
    a `Cause`. evidence: the failure in a sentence, or the judge's reason about the subject.
    title, opening: of the page that was read, and the first words of it.
    """

    url: str
    state: State
    claims: tuple[ClaimNode, ...]
    cause: str = ""
    evidence: str = ""
    title: str = ""
    opening: str = ""

    def __str__(self) -> str:
        """One line: state, address, evidence, beginning of the page."""
        cause = f" {self.cause}" if self.cause else ""
        said = [each for each in (self.evidence, self.title or self.opening) if each]
        return " · ".join([f"[{self.state}{cause}] {self.url}", *map(_short, said)])


@dataclass(frozen=True)
class Tree:
    """All sources of a report, in the order in which it first cites them."""

    sources: tuple[SourceNode, ...]

    def pairs(self) -> Iterator[tuple[SourceNode, ClaimNode]]:
        """Every claim with the source above it."""
        for source in self.sources:
            for claim in source.claims:
                yield source, claim

    def nodes(self) -> Iterator[SourceNode | ClaimNode]:
        """Every source, each followed by its claims."""
        for source in self.sources:
            yield source
            yield from source.claims

    def ends_by_claim(self) -> dict[str, list[End]]:
        """For each claim, by its wording, what came of it with each of its sources."""
        ends: defaultdict[str, list[End]] = defaultdict(list)
        for source, claim in self.pairs():
            ends[claim.text].append(end_of(source, claim))
        return dict(ends)

    def counts(self) -> dict[str, int]:
        """What the figures are made of.

        citing: 1 if there are sources at all. sources, claims (by wording), pairs: how many.
        E1, E2: sources. E3: pairs. errors: their sum. blocked, timeout: of E1. unknown: of E3.
        supported: pairs. stopped: pairs under E1 and E2. open_sources, open_pairs: of which we
        could not find out. whole: claims that all their sources support. backed: that at least
        one does. open_whole, open_backed: claims of which that is open.
        """
        states = Counter(source.state for source in self.sources)
        causes = Counter(source.cause for source in self.sources if source.state == "E1")
        ends = Counter(end_of(source, claim) for source, claim in self.pairs())
        unknown = sum(
            claim.verdict == "unknown" and source.state == "reachable"
            for source, claim in self.pairs()
        )
        claims = self.ends_by_claim().values()
        return {
            "citing": int(bool(self.sources)),
            "sources": len(self.sources),
            "claims": len(claims),
            "pairs": ends.total(),
            "E1": states["E1"],
            "E2": states["E2"],
            "E3": ends["E3"],
            "errors": states["E1"] + states["E2"] + ends["E3"],
            "blocked": causes["blocked"],
            "timeout": causes["timeout"],
            "unknown": unknown,
            "supported": ends["supported"],
            "stopped": ends["E1"] + ends["E2"],
            "open_sources": states["open"],
            "open_pairs": ends["open"],
            "whole": sum(set(each) == {"supported"} for each in claims),
            "open_whole": sum(
                "open" in each and set(each) <= {"supported", "open"} for each in claims
            ),
            "backed": sum("supported" in each for each in claims),
            "open_backed": sum("open" in each and "supported" not in each for each in claims),
        }

    def __str__(self) -> str:
        """The tree as indented text, a line for each node."""
        return "\n".join(
            f"{'  ' if isinstance(node, ClaimNode) else ''}{node}" for node in self.nodes()
        )


def end_of(source: SourceNode, claim: ClaimNode) -> End:
    """What came of a claim and its source. An error of the source decides for all its claims."""
    if source.state != "reachable":
        return source.state
    if claim.verdict in ("open", "not_asked"):
        return "open"
    return "supported" if claim.verdict == "supported" else "E3"


def _short(text: str) -> str:
    return one_line(text[: 2 * SHOWN], SHOWN)


SCORES: Final = {"supported": 1, "E3": 0, "open": None, "E1": 0, "E2": 0}
"""Of a claim under a source: whether it is without an error, as `explain` counts."""


class SourceItem(EvidenceItem):
    """The line of a source in the evidence: depth 0."""

    evidence: str
    title: str
    opening: str


class ClaimItem(EvidenceItem):
    """The line of a claim below its source: depth 1. answer: the verdict as a word of ours."""

    answer: Verdict
    by: str


def items_of(tree: Tree) -> tuple[SourceItem | ClaimItem, ...]:
    """A line for each source, followed by one for each of its claims."""
    lines: list[SourceItem | ClaimItem] = []
    for number, source in enumerate(tree.sources, start=1):
        lines.append(_source_item(f"s{number}", source))
        lines += [
            _claim_item(f"s{number}.{place}", source, claim)
            for place, claim in enumerate(source.claims, start=1)
        ]
    return tuple(lines)


def tree_of(details: Mapping[str, Json]) -> Tree:
    """The tree in the details of a score of this protocol."""
    above: list[tuple[SourceItem, list[ClaimNode]]] = []
    for line in details["items"]:
        if line["depth"] == 0:
            above.append((SourceItem.read(line), []))
            continue
        claim = ClaimItem.read(line)
        places = tuple(ClaimPlace(each.line, each.column) for each in claim.places or ())
        node = ClaimNode(
            claim.item, claim.answer, claim.reason, claim.cause or "", places, claim.by
        )
        above[-1][1].append(node)
    return Tree(
        tuple(
            SourceNode(
                source.item,
                cast(State, source.state),
                tuple(claims),
                source.cause or "",
                source.evidence,
                source.title,
                source.opening,
            )
            for source, claims in above
        )
    )


def _source_item(key: str, source: SourceNode) -> SourceItem:
    said = [source.evidence] if source.evidence else []
    if source.state == "E2":
        said.append(f"The page begins: {source.title} | {source.opening}")
    elif source.title:
        said.append(f"Title: {source.title}")
    return SourceItem(
        key=key,
        depth=0,
        item=source.url,
        verdict=f"{source.state} ({source.cause})" if source.cause else source.state,
        justification=" ".join(said),
        state=source.state,
        cause=source.cause,
        evidence=source.evidence,
        title=source.title,
        opening=source.opening,
    )


def _claim_item(key: str, source: SourceNode, claim: ClaimNode) -> ClaimItem:
    end = end_of(source, claim)
    return ClaimItem(
        key=key,
        depth=1,
        item=claim.text,
        verdict=f"E3 ({claim.verdict})" if end == "E3" else claim.verdict.replace("_", " "),
        score=SCORES[end],
        justification=claim.evidence,
        cause=claim.cause,
        places=tuple(
            ReportPlace(line=place.line, column=place.column, message="stands here")
            for place in claim.places
        ),
        answer=claim.verdict,
        by=claim.by,
    )


BOUNDS: Final = (0.0, 100.0)


def rates_of(counts: Mapping[str, int]) -> dict[str, float | None]:
    """Shares in percent, None where there is nothing to divide by; what is open is left out.

    E1, E2: of the sources. E3: of the pairs whose page was looked at. whole, backed: of the
    claims, those that all of their sources support, and those that at least one does.
    """
    sources = counts["sources"] - counts["open_sources"]
    return {
        "E1": percent_of(counts["E1"], sources),
        "E2": percent_of(counts["E2"], sources),
        "E3": percent_of(counts["E3"], counts["E3"] + counts["supported"]),
        "whole": percent_of(counts["whole"], counts["claims"] - counts["open_whole"]),
        "backed": percent_of(counts["backed"], counts["claims"] - counts["open_backed"]),
    }


class TreeDetails(ScoreDetails):
    """What is kept of a score. errors: see `Tree.counts`. rates: see `rates_of`.

    statements_by: `model` or `mechanical`. dropped: what a model gave that is not in the report.
    """

    items: tuple[SourceItem | ClaimItem, ...] | None = None
    errors: Mapping[str, int] | None = None
    rates: Mapping[str, float | None] | None = None
    statements_by: str | None = None
    dropped: int | None = None


def score_of(tree: Tree, details: Mapping[str, Json]) -> Score | Unscored:
    """The score of a report, 0 if it cites nothing; Unscored if all of its pairs are open."""
    counts = tree.counts()
    decided = counts["pairs"] - counts["open_pairs"]
    rates = rates_of(counts)
    pages = cited_pages_in_words(details.get("page_classes", {}))
    evidence = {
        **details,
        **TreeDetails(
            summary="; ".join(filter(None, (summary_of(counts), pages))),
            errors=counts,
            rates=rates,
            items=items_of(tree),
            low=percent_of(counts["supported"], counts["pairs"]) or 0.0,
            high=percent_of(counts["supported"] + counts["open_pairs"], counts["pairs"]) or 0.0,
            open=counts["open_pairs"] > 0,
            # What could not be reached today may be tomorrow, or be brought in by a person.
            again=counts["E1"] > 0,
        ).to_json(),
    }
    if counts["pairs"] and not decided:
        open_pairs = f"Not one of the cited pairs could be judged ({counts['pairs']} in all)."
        cause = commonest(
            Cause(source.cause if source.state == "open" else claim.cause)
            for source, claim in tree.pairs()
        )
        return Unscored(cause, open_pairs, evidence)
    return Score(
        percent_of(counts["supported"], decided) or 0.0,
        BOUNDS,
        parts={f"{name} rate": rate for name, rate in rates.items()},
        tally=(float(counts["supported"]), float(decided)),
        details=evidence,
    )


def summary_of(counts: Mapping[str, int]) -> str:
    """The errors on one line, as `explain` prints it above the tree."""
    return (
        f"{counts['errors']} errors: E1 {counts['E1']} ({counts['blocked']} blocked, "
        f"{counts['timeout']} timed out), E2 {counts['E2']}, E3 {counts['E3']} "
        f"({counts['unknown']} unknown); {counts['claims']} claims under {counts['sources']} "
        f"sources, {counts['open_pairs']} of {counts['pairs']} pairs open"
    )
