"""Edition `code`: references as the programs of ReportBench and DeepScholar-Bench count them.

Both hold plain titles against each other. ReportBench's goes to every address that a report cites
and has a model say whether it is a paper's, and by what title; here the report says both: a paper
is a source with a DOI or an arXiv number, its title the one that the report gives it.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Final

from deepassay.protocols.bibliography.matching import BOUNDS
from deepassay.protocols.protocol import ScoreDetails
from deepassay.protocols.released import Quirk, fired
from deepassay.reports.cited_works import CitedWork
from deepassay.results.evidence import EvidenceItem
from deepassay.score import Score
from deepassay.tasks.yardsticks import ListedWork

NEAR: Final = 0.8
"""Share of the letters of two titles, above which DeepScholar's program takes them for one."""

_PUNCTUATION: Final = str.maketrans("", "", string.punctuation)
_OTHER: Final = re.compile(r"[^a-z0-9]")


class BibliographyQuirk(Quirk):
    """Where a program counts what edition `paper` does not, or otherwise."""

    NONE_COUNTS_ZERO = "bibliography-none-counts-zero"
    TITLES_ALONE = "bibliography-titles-alone"
    NEAR_TITLES = "bibliography-near-titles"


def title_of_reportbench(title: str) -> str:
    """In small letters, without ASCII punctuation, blanks as one."""
    return " ".join(title.lower().translate(_PUNCTUATION).split())


def reportbench_score(bibliography: Sequence[ListedWork], cited: Sequence[CitedWork]) -> Score:
    """Sets of titles: recall, precision and their F1; each is 0 where it would divide by 0."""
    named = [title_of_reportbench(each.title) for each in bibliography]
    experts = {title: each for title, each in zip(named, bibliography, strict=True) if title}
    papers = [each for each in cited if each.identifiers]
    found = {title_of_reportbench(each.titles[0]): each for each in papers if each.titles}
    found.pop("", None)
    both = experts.keys() & found.keys()
    recall = len(both) / len(experts) if experts else 0.0
    precision = len(both) / len(found) if found else 0.0
    f1 = 2 * precision * recall / (precision + recall) if both else 0.0
    others = {name for each in bibliography for name in each.identifiers}
    quirks = fired(
        {
            BibliographyQuirk.NONE_COUNTS_ZERO: not (experts and found),
            BibliographyQuirk.TITLES_ALONE: any(
                each.identifiers & others for title, each in found.items() if title not in both
            ),
        }
    )
    items = (
        EvidenceItem(
            key=f"b{number}",
            item=work.shown,
            score=int(title in both),
            verdict="by title" if title in both else "missing",
        )
        for number, (title, work) in enumerate(experts.items(), start=1)
    )
    details = ScoreDetails(items=tuple(items), quirks=tuple(map(str, quirks)))
    parts = {
        "recall": recall,
        "precision": precision,
        "f1": f1,
        "works": float(len(experts)),
        "references": float(len(found)),
        "found": float(len(both)),
    }
    return Score(recall, BOUNDS, parts, (len(both), len(experts)), details.to_json())


def deepscholar_score(bibliography: Sequence[ListedWork], cited: Sequence[CitedWork]) -> Score:
    """The share of works whose arXiv number stands in a reference, or whose title is near one."""
    titles = [_OTHER.sub("", name.lower()) for each in cited for name in each.titles]
    texts = [text for each in cited for text in (*each.titles, *each.written)]
    by_number: list[bool] = []
    near: list[bool] = []
    for work in bibliography:
        numbers = [name.partition(":")[2] for name in work.identifiers if name[:6] == "arxiv:"]
        by_number.append(any(each in text for each in numbers for text in texts))
        own = _OTHER.sub("", work.title.lower())
        near.append(any(_near(own, title) for title in titles))
    found = [one or other for one, other in zip(by_number, near, strict=True)]
    share = sum(found) / len(found) if found else 0.0
    quirks = fired(
        {
            BibliographyQuirk.NONE_COUNTS_ZERO: not found,
            BibliographyQuirk.NEAR_TITLES: any(
                alike and not number and _OTHER.sub("", work.title.lower()) not in titles
                for work, alike, number in zip(bibliography, near, by_number, strict=True)
            ),
        }
    )
    items = (
        EvidenceItem(
            key=f"b{number}",
            item=work.shown,
            score=int(hit),
            verdict=("by arXiv number" if by else "by title") if hit else "missing",
        )
        for number, (work, hit, by) in enumerate(
            zip(bibliography, found, by_number, strict=True), start=1
        )
    )
    details = ScoreDetails(items=tuple(items), quirks=tuple(map(str, quirks)))
    parts = {
        "recall": share,
        "works": float(len(found)),
        "references": float(len(cited)),
        "found": float(sum(found)),
    }
    return Score(share, BOUNDS, parts, (sum(found), len(found)), details.to_json())


def _near(one: str, other: str) -> bool:
    alike = SequenceMatcher(None, one, other)
    return alike.real_quick_ratio() > NEAR and alike.quick_ratio() > NEAR and alike.ratio() > NEAR


PROGRAMS: Final[Mapping[str, Callable[[Sequence[ListedWork], Sequence[CitedWork]], Score]]] = {
    "reportbench": reportbench_score,
    "deepscholar-papers": deepscholar_score,
}
"""The scores of a report by the program of each set; the first where no set is named."""
