"""The tree as it is kept in the details of a score: a line of evidence for each node, in order.

`explain` prints these lines, and `tree_of` makes a tree of them again, also from a run file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from deepassay.protocols.citation_accuracy.tree import (
    ClaimNode,
    Place,
    SourceNode,
    Tree,
    end_of,
)
from deepassay.results.evidence import Item, ReportPlace
from deepassay.score import Json

SCORES: Final = {"supported": 1, "E3": 0, "open": None, "E1": 0, "E2": 0}
"""Of a claim under a source: whether it is without an error, as `explain` counts."""


def items_of(tree: Tree) -> list[dict[str, Json]]:
    """A line for each source (depth 0), followed by one for each of its claims (depth 1)."""
    lines: list[dict[str, Json]] = []
    for number, source in enumerate(tree.sources, start=1):
        lines.append(_source_line(f"s{number}", source))
        lines += [
            _claim_line(f"s{number}.{place}", source, claim)
            for place, claim in enumerate(source.claims, start=1)
        ]
    return lines


def tree_of(details: Mapping[str, Json]) -> Tree:
    """The tree in the details of a score of this protocol."""
    above: list[tuple[Mapping[str, Json], list[ClaimNode]]] = []
    for line in details["items"]:
        if line["depth"] == 0:
            above.append((line, []))
        else:
            above[-1][1].append(_claim(line))
    return Tree(tuple(_source(line, tuple(claims)) for line, claims in above))


def _source_line(key: str, source: SourceNode) -> dict[str, Json]:
    said = [source.evidence] if source.evidence else []
    if source.state == "E2":
        said.append(f"The page begins: {source.title} | {source.opening}")
    elif source.title:
        said.append(f"Title: {source.title}")
    return Item(
        key=key,
        depth=0,
        item=source.url,
        verdict=f"{source.state} ({source.cause})" if source.cause else source.state,
        justification=" ".join(said),
        state=source.state,
        cause=source.cause,
    ).to_json() | {
        "evidence": source.evidence,
        "title": source.title,
        "opening": source.opening,
    }


def _claim_line(key: str, source: SourceNode, claim: ClaimNode) -> dict[str, Json]:
    end = end_of(source, claim)
    return Item(
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
    ).to_json() | {
        "answer": claim.verdict,
        "by": claim.by,
    }


def _source(line: Mapping[str, Json], claims: tuple[ClaimNode, ...]) -> SourceNode:
    return SourceNode(
        line["item"],
        line["state"],
        claims,
        line["cause"],
        line["evidence"],
        line["title"],
        line["opening"],
    )


def _claim(line: Mapping[str, Json]) -> ClaimNode:
    return ClaimNode(
        line["item"],
        line["answer"],
        line["justification"],
        line["cause"],
        tuple(Place(place["line"], place["column"]) for place in line["places"]),
        line["by"],
    )
