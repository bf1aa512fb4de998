"""The rubric tree of a report: its sources, and below each the claims that cite it.

LiveResearchBench, appendix E and Figure 13. A source that cannot be reached (E1) or is about
something else (E2) is one error, and nobody looks at its claims. Below every other source, each
claim that it does not support is one error (E3), so that a claim with five sources can be five.

    for source in tree.sources:
        for claim in source.claims:
            ... source.url, claim.text, end_of(source, claim) ...
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

State = Literal["reachable", "E1", "E2", "open"]
"""Of a source: whether it stopped at an error, or whether we could not find out."""

Verdict = Literal["supported", "unsupported", "unknown", "not_asked", "open"]
"""On a claim: of FACT's three, or that nobody was asked, or that nobody could answer."""

End = Literal["supported", "E1", "E2", "E3", "open"]
"""What came of a claim and a source together."""

SHOWN: Final = 100
"""Characters of a text that a line of the drawn tree shows."""


class Place(NamedTuple):
    """Where a claim stands in the report: line and column, both from 1."""

    line: int
    column: int


@dataclass(frozen=True)
class ClaimNode:
    """A claim below one of its sources.

    evidence: the passage of the page that decides, or why there is no verdict. cause: of a
    judgement that failed, a `Cause`. places: where the report makes the claim. by: how the
    source was attributed, as a `Pair` has it.
    """

    text: str
    verdict: Verdict = "not_asked"
    evidence: str = ""
    cause: str = ""
    places: tuple[Place, ...] = ()
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

    cause: of E1 the kind of failure (`dead`, `refused`, `blocked`, `timeout`), of an open source
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
    line = " ".join(text[: 2 * SHOWN].split())
    return line if len(line) <= SHOWN else f"{line[: SHOWN - 1]}…"
