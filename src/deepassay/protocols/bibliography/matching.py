"""Which works of a bibliography a report cites: by DOI, arXiv number, or title.

An identifier decides where both have one of its kind: two DOIs are two works, whatever their
titles say. An identifier whose entry has the words of another paper proves nothing. What was not
taken for these reasons is told, and so is what was taken by few words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from deepassay.protocols.bibliography.titles import SHORT, index_of, title_words, titles_in
from deepassay.reports.cited_works import CitedWork
from deepassay.reports.papers import contradicts
from deepassay.tasks.yardsticks import ListedWork

BOUNDS: Final = (0.0, 1.0)
"""Of a share of works."""

BY_ARXIV: Final = "by arXiv number"
BY_DOI: Final = "by DOI"
BY_TITLE: Final = "by title"
BY_FEW_WORDS: Final = f"by title, of fewer than {SHORT} words"
OTHER_PAPER: Final = "identifier there, of an entry about another paper"
OTHER_NUMBER: Final = "title there, with another identifier"
DOUBTS: Final = (OTHER_PAPER, OTHER_NUMBER)


@dataclass(frozen=True)
class ExpertWork:
    """One work of a bibliography. words: of its titles, where several entries of it differ."""

    work: ListedWork
    identifiers: frozenset[str]
    words: frozenset[tuple[str, ...]]


class MatchedWork(NamedTuple):
    """A work of the expert and a source of the report. by: one of the constants above."""

    expert: int
    cited: int
    by: str


def expert_works(bibliography: Sequence[ListedWork]) -> tuple[ExpertWork, ...]:
    """The works of a bibliography, each once: with one identifier, or with one title and no two
    identifiers of a kind.
    """
    found: list[ExpertWork] = []
    by_name: dict[object, int] = {}
    for work in bibliography:
        words = title_words(work.title)
        named = {*work.identifiers, *({words} if words else ())}
        at = next(
            (
                by_name[name]
                for name in (*work.identifiers, words)
                if name in by_name and not _differ(work.identifiers, found[by_name[name]])
            ),
            len(found),
        )
        if at == len(found):
            found.append(ExpertWork(work, frozenset(), frozenset()))
        known = found[at]
        found[at] = ExpertWork(
            known.work,
            known.identifiers | work.identifiers,
            known.words | ({words} if words else set()),
        )
        for name in named:
            by_name.setdefault(name, at)
    return tuple(found)


def _differ(identifiers: frozenset[str], other: ExpertWork) -> bool:
    """Whether both have identifiers of one kind, and none in common."""
    return not identifiers & other.identifiers and any(
        _of_kind(identifiers, arxiv) and _of_kind(other.identifiers, arxiv)
        for arxiv in (True, False)
    )


def _of_kind(identifiers: frozenset[str], arxiv: bool) -> list[str]:
    return [each for each in identifiers if each.startswith("arxiv:") is arxiv]


def matched(experts: Sequence[ExpertWork], cited: Sequence[CitedWork]) -> list[MatchedWork]:
    """Every pair of a work and a source that is it, and those that were not taken, see DOUBTS."""
    by_identifier = {name: at for at, each in enumerate(experts) for name in each.identifiers}
    by_words: dict[tuple[str, ...], list[int]] = {}
    for at, expert in enumerate(experts):
        for words in expert.words:
            by_words.setdefault(words, []).append(at)
    index = index_of(by_words)
    found: list[MatchedWork] = []
    for number, source in enumerate(cited):
        found += _of_source(number, source, experts, by_identifier, by_words, index)
    return found


def _of_source(
    number: int,
    source: CitedWork,
    experts: Sequence[ExpertWork],
    by_identifier: Mapping[str, int],
    by_words: Mapping[tuple[str, ...], Sequence[int]],
    index: Mapping[str, list[tuple[str, ...]]],
) -> list[MatchedWork]:
    ways: dict[int, str] = {}
    for name in sorted(source.identifiers & by_identifier.keys()):
        at = by_identifier[name]
        title = experts[at].work.title
        if source.titles and all(contradicts(each, title) for each in source.titles):
            ways.setdefault(at, OTHER_PAPER)
        else:
            ways[at] = BY_ARXIV if name.startswith("arxiv:") else BY_DOI
    taken = {at for at, way in ways.items() if way != OTHER_PAPER}
    told = {words for written in source.written for words in titles_in(written, index)}
    told |= {words for each in source.titles if (words := title_words(each)) in by_words}
    for words in sorted(told):
        for at in by_words[words]:
            if at in taken:
                continue
            by = BY_TITLE if len(words) >= SHORT else BY_FEW_WORDS
            ways[at] = OTHER_NUMBER if _differ(source.identifiers, experts[at]) else by
    return [MatchedWork(at, number, way) for at, way in ways.items()]
