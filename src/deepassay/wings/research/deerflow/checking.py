"""The sentence check: figures by code, the rest by the checker; each change is of one sentence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from deepassay.models.fence import place_of_quote
from deepassay.reports.sentences import split_sentences
from deepassay.reports.spans import Edit, Span, apply
from deepassay.text import count_words
from deepassay.wings.research.deerflow.asking import CITED, ids_in, why_unfit_prose
from deepassay.wings.research.deerflow.context import estimated_tokens
from deepassay.wings.research.deerflow.evidence import missing_numbers, share_of_words
from deepassay.wings.research.deerflow.findings import Findings
from deepassay.wings.research.deerflow.roles import Ask, ResearchRoles, given
from deepassay.wings.research.deerflow.safe_markdown import tamed
from deepassay.wings.research.deerflow.sentence_questions import (
    CHECK,
    MEND,
    SUPPORTED,
    Checking,
    Mending,
    Verdict,
    mend_by_rule,
    sentence_verdict_by_rule,
)

_COPIED: Final = 6  # words from which on a sentence is no coincidence
_AT_ONCE: Final = 12  # sentences that one question of the checker holds
_AFTER: Final = re.compile(r"([.!?。！？])[ \t]*((?:\[\s*e\d+(?:\s*[,，;]\s*e\d+)*\s*\][ \t]*)+)")
_WIDE: Final = re.compile(r"【\s*(e\d+(?:\s*[,，;]\s*e\d+)*)\s*】")
_FENCE: Final = re.compile(r"^[ \t]*(```|~~~)", re.MULTILINE)
_CODE: Final = re.compile(
    r"^[ \t]*(?P<mark>```|~~~)[^\n]*\n(?P<code>.*?)(?:^[ \t]*(?P=mark)[ \t]*$|\Z)",
    re.MULTILINE | re.DOTALL,
)
_PICTURE: Final = re.compile(r"!\[[^\]\n]*\]\([^)\n]*\)")
_EMPTY: Final = re.compile(r"^[ \t]*(?:[-*+>]|\d{1,3}[.)])[ \t]*$\n?", re.MULTILINE)
_LINE: Final = re.compile(
    r"^[ \t]*(?:(?:[-*+>]|\d{1,3}[.)])[ \t]+)?(?P<text>\S[^\n]*)$", re.MULTILINE
)
_HEADING: Final = re.compile(r"(#{1,6})[ \t]+(.*)")
_DELIMITER: Final = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-*:?[ \t]*)+\Z")
_ASIDE: Final = re.compile(r"#{1,6}[ \t]|\|?[ \t]*:?-{3,}|```")


@dataclass(frozen=True)
class Patch:
    """One sentence that was changed after it was written. after: "" if it was taken out."""

    why: str
    before: str
    after: str


def as_in_drafts(text: str, ids: Collection[str]) -> str:
    """A text of a model as drafts have it: identifiers before the mark, and only those given.

    What cites is no code, whatever its fence says; code that nobody ends would swallow what
    follows, as would HTML, and pictures are loaded from where they say.
    """
    text = _WIDE.sub(r"[\1]", tamed(_PICTURE.sub("", text.strip())))
    text = _CODE.sub(lambda found: found["code"] if ids_in(found["code"]) else found[0], text)
    for mark, count in Counter(found[1] for found in _FENCE.finditer(text)).items():
        text += f"\n{mark}" * (count % 2)
    text = _AFTER.sub(lambda found: f" {found[2].strip()}{found[1]} ", text)
    known = set(ids)

    def keep(found: re.Match[str]) -> str:
        kept = [each for each in ids_in(found[0]) if each in known]
        return f"[{', '.join(kept)}]" if kept else ""

    text = CITED.sub(keep, text)
    return re.sub(r"[ \t]+(?=\n|\Z)|[ \t]+(?=[.。](?:\s|\Z))", "", text)


def markdown_sentences(text: str) -> Iterator[Span]:
    """The sentences of Markdown, list items and rows of tables, without headings and code."""
    fenced = False
    for line in _LINE.finditer(text):
        body = line["text"]
        if body.startswith("```"):
            fenced = not fenced
        if fenced or _ASIDE.match(body):
            continue
        at = line.start("text")
        if body.startswith("|"):
            yield Span(at, at + len(body))
            continue
        for span in split_sentences(body):
            yield Span(at + span.start, at + span.end)


def cited(text: str) -> list[str]:
    """The sentences that cite."""
    found = [span.of(text) for span in markdown_sentences(text)]
    return [each for each in found if ids_in(each)]


@dataclass
class Checker:
    """Checks the sentences of a report against the quotes that they cite.

    pages: the texts of those that were opened.
    """

    found: Findings
    roles: ResearchRoles
    pages: Collection[str]
    patches: list[Patch]

    async def doubts(self, text: str) -> bool:
        """Whether a sentence is not fully supported."""
        verdicts = await self._verdicts(cited(text))
        return any(each != "supported" for each in verdicts)

    async def mended(self, text: str, ids: Sequence[str], own: str = "") -> str:
        """A text whose sentences are supported: others are written anew once, or taken out.

        ids: what sentences without a citation that give figures may turn out to rest on. own: text
        of a rule, which counts and cites nothing for it.
        """
        text = self._uncited(text, ids, own)
        spans = [span for span in markdown_sentences(text) if ids_in(span.of(text))]
        verdicts = await self._verdicts([span.of(text) for span in spans])
        edits = []
        for span, verdict in zip(spans, verdicts, strict=True):
            before = span.of(text)
            after = before
            if verdict == "partly":
                after = await self._mend(before)
            elif verdict == "not":
                after = self._fewer(before)
            if after != before:
                self.patches.append(Patch(verdict, before, after))
                edits.append(Edit(span, after))
        return tidied(apply(text, edits))

    def by_figures(self, text: str, ids: Sequence[str]) -> str:
        """A text without the sentences whose figures stand in no quote, by code alone."""
        text = self._uncited(text, ids)
        return self._edited(text, lambda sentence: "" if self._misses(sentence) else sentence)

    def _uncited(self, text: str, ids: Sequence[str], own: str = "") -> str:
        """Sentences without a citation that give figures which the task does not have, or stand on
        a page word for word.

        Each gets the citation of a quote that says it, or is taken out.
        """
        quotes = [(name, self.found.store[name].quote) for name in ids]

        def change(sentence: str) -> str:
            if ids_in(sentence) or sentence in own:
                return sentence
            if not missing_numbers(sentence, [self.found.prompt]) and not self._copied(sentence):
                return sentence
            for name, quote in quotes:
                missing = missing_numbers(sentence, [quote])
                if not missing and share_of_words(sentence, [quote]) >= SUPPORTED:
                    return _cite(sentence, name)
            return ""

        return self._edited(text, change)

    def _copied(self, sentence: str) -> bool:
        """Whether a sentence of some length stands on a page that was opened."""
        if count_words(sentence) < _COPIED:
            return False
        return any(place_of_quote(text, sentence) for text in self.pages)

    def _edited(self, text: str, change: Callable[[str], str]) -> str:
        edits = []
        for span in markdown_sentences(text):
            before = span.of(text)
            if (after := change(before)) != before:
                self.patches.append(Patch("figures", before, after))
                edits.append(Edit(span, after))
        return tidied(apply(text, edits))

    def _quotes(self, sentence: str) -> list[str]:
        return [self.found.store[name].quote for name in dict.fromkeys(ids_in(sentence))]

    def _misses(self, sentence: str) -> bool:
        """Whether figures of a sentence stand in no quote that it cites."""
        return bool(ids_in(sentence)) and bool(
            missing_numbers(CITED.sub("", sentence), self._quotes(sentence))
        )

    async def _verdicts(self, sentences: Sequence[str]) -> list[Verdict]:
        """Figures first, by code; the checker is asked about the others."""
        verdicts: list[Verdict] = [
            "not" if self._misses(each) else "supported" for each in sentences
        ]
        left = [place for place, verdict in enumerate(verdicts) if verdict == "supported"]
        asks, groups = [], []
        for group in self._groups(sentences, left):
            inputs = Checking(
                language=self.found.language,
                sentences=[sentences[place] for place in group],
                quotes=["\n".join(self._quotes(sentences[place])) for place in group],
            )
            asks.append(Ask(CHECK, "checker", partial(given, inputs)))
            groups.append(group)
        answers = await self.roles.ask_all(asks, "writing")
        for group, answer in zip(groups, answers, strict=True):
            if answer is not None:
                for place, verdict in zip(group, answer.verdicts, strict=True):
                    verdicts[place] = verdict
        return verdicts

    def _groups(self, sentences: Sequence[str], left: Sequence[int]) -> list[list[int]]:
        """Sentences that one prompt holds with their quotes."""
        room = self.roles.limit("checker") - 600
        groups: list[list[int]] = []
        size = 0.0
        for place in left:
            more = sum(map(estimated_tokens, [sentences[place], *self._quotes(sentences[place])]))
            if not groups or size + more > room or len(groups[-1]) == _AT_ONCE:
                groups.append([])
                size = 0.0
            groups[-1].append(place)
            size += more
        return groups

    async def _mend(self, sentence: str) -> str:
        """The sentence as its quotes support it."""
        lines = [self.found.store[name].line() for name in dict.fromkeys(ids_in(sentence))]
        inputs = Mending(language=self.found.language, sentence=sentence, evidence=lines)
        answer = await self.roles.ask(Ask(MEND, "writer", partial(given, inputs)), "writing")
        after = as_in_drafts(" ".join(answer.text.split()), ids_in(sentence))
        if why_unfit_prose(after, ids_in(sentence)) or self._misses(after):
            after = mend_by_rule(inputs).text
        return after

    def _fewer(self, sentence: str) -> str:
        """The sentence with only those of several citations that support it, or nothing."""
        names = list(dict.fromkeys(ids_in(sentence)))
        bare = CITED.sub("", sentence)
        kept = [
            name
            for name in names
            if sentence_verdict_by_rule(bare, [self.found.store[name].quote]) != "not"
        ]
        return as_in_drafts(sentence, kept) if 0 < len(kept) < len(names) else ""


def _cite(sentence: str, name: str) -> str:
    """A sentence or the row of a table with a citation at its end."""
    if sentence.endswith("|"):
        return f"{sentence[:-1].rstrip()} [{name}] |"
    mark = sentence[-1:] if sentence[-1:] in ".!?。！？" else ""
    return f"{sentence[: len(sentence) - len(mark)].rstrip()} [{name}]{mark}"


def tidied(text: str) -> str:
    """A text from which sentences were taken, without empty list items and blank lines."""
    text = _EMPTY.sub("", re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE))
    text = re.sub(r"(?<=\S)[ \t]{2,}(?=\S)", " ", text)
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def formed(text: str) -> str:
    """A draft under one title, in which no level is skipped, no table is a header alone, and every
    heading has text beneath it, its own or that of one within it.
    """
    return _with_text(_levelled(text))


def _with_text(text: str) -> str:
    """Without the headings that nothing stands under, but for the first; read from the end."""
    lines = text.split("\n")
    headings = {at: found for at in _unfenced(lines) if (found := _HEADING.match(lines[at]))}
    title = next(iter(headings), None)
    kept: list[str] = []
    below = 0  # the level of the heading that comes next, of those kept; 7 after text
    for at in range(len(lines) - 1, -1, -1):
        found = headings.get(at)
        if found and at != title and below <= len(found[1]):
            continue
        if found:
            below = len(found[1])
        elif lines[at].strip():
            below = 7
        kept.append(lines[at])
    return re.sub(r"\n{3,}(?=#|\Z)", "\n\n", "\n".join(reversed(kept)))


def _unfenced(lines: Sequence[str]) -> Iterator[int]:
    """Which lines stand in no fence."""
    fenced = False
    for at, line in enumerate(lines):
        fence = bool(_FENCE.match(line))
        if not fenced and not fence:
            yield at
        fenced ^= fence


def _levelled(text: str) -> str:
    lines: list[str] = []
    title = 0  # the level of the first heading
    above: list[int] = []  # the levels of the headings that the next one may stand under
    fenced = False
    for line in text.split("\n"):
        fenced ^= bool(_FENCE.match(line))
        heading = None if fenced else _HEADING.match(line)
        if heading:
            level = len(heading[1])
            level = level if level > title else title + 2  # within the section that it stands in
            title = title or level
            while above and above[-1] >= level:
                above.pop()
            above.append(level)
        if _ends_empty(lines) and not line.lstrip().startswith("|"):
            del lines[-2:]
        lines.append(f"{'#' * len(above)} {heading[2]}" if heading else line)
    return "\n".join(lines)


def _ends_empty(lines: Sequence[str]) -> bool:
    """Whether the last lines are the header of a table, and nothing else of it."""
    if len(lines) < 2 or not _DELIMITER.match(lines[-1]) or "|" not in lines[-2]:
        return False
    return len(lines) < 3 or "|" not in lines[-3]
