"""What is worth a look in a rubric: findings, which refuse nothing.

A grader says of a criterion whether a report meets it. Where a report can meet one half and miss
the other, no answer is right: so a criterion asks for one thing. The rules see words and not their
meaning, in English and in Chinese. What does not count: examples and other remarks in brackets,
words in quotes, titles, alternatives ("or"), a choice ("two of the following"), and the two ends of
one relation ("between A and B").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

from deepassay.tasks.yardsticks import Criterion
from deepassay.text import HAN, HAN_CHARACTER


class Joint(NamedTuple):
    """Where a criterion joins demands. rule: `and`, `list` or `figures`. words: how."""

    rule: str
    words: str


def joints(criterion: str) -> list[Joint]:
    """Where it asks for more than one thing, each rule once at most; empty if nowhere."""
    text = bare_of_examples(criterion)
    joined = _chinese(text) if HAN_CHARACTER.search(text) else _english(text)
    return [*joined, *_listed(text), *_figures(text)]


MOST: Final = 2000
_NAME: Final = "\ue000"
"""Stands for words in quotes, whatever they are."""

_BRACKETS: Final = re.compile(
    r"\s*(?:\([^()]*\)|（[^（）]*）|\[[^\][]*\]|【[^【】]*】|［[^［］]*］)"
)
_QUOTES: Final = re.compile(
    r"“[^“”]*”|‘[^‘’]*’|「[^「」]*」|『[^『』]*』|《[^《》]*》|\"[^\"]*\"|(?<!\w)'[^']*[^\s']'(?!\w)"
)
_SAY: Final = r"(?:such as|e\.\s?g\.|for example|for instance|like|i\.\s?e\.)(?!\w)"
_END: Final = r"(?=\s*(?:[;。；\n]|[.!?](?:\s+(?-i:[A-Z])|\s*\Z)|\Z))"
_APART: Final = re.compile(
    r"(?:(?<=[.;:!?。；：！？\n])|\A)\s*(?:\bexamples?\s?[:：]|例如|比如|譬如"
    r"|(?:e\.\s?g\.|for example|for instance)(?!\w)).*",
    re.IGNORECASE | re.DOTALL,
)
"""Examples in sentences of their own, which close a criterion, however many are told off."""
_ALIKE: Final = re.compile(
    rf",?\s+{_SAY}.*?{_END}|[，,]?(?:例如|比如|譬如|诸如|如(?=[^何果此下需有同今期]))[^，。；]*",
    re.IGNORECASE,
)


def bare_of_examples(criterion: str) -> str:
    """The criterion without brackets and examples, and with one mark for all that is quoted.

    Of the first MOST characters.
    """
    text = _QUOTES.sub(_NAME, criterion[:MOST])
    while (less := _BRACKETS.sub("", text)) != text:
        text = less
    return " ".join(_ALIKE.sub("", _APART.sub("", text)).split())


def _told(words: str) -> str:
    """Words of a criterion as a message quotes them: 60 characters at most."""
    words = words.strip().replace(_NAME, "…")
    return words if len(words) <= 60 else words[:59] + "…"


_CHOICE: Final = re.compile(
    r"\b(?:one|two|three|four|five|six|\d+|any|some|several) (?:or more )?(?:of|from) the "
    r"(?:following|below)|\b(?:at least|a minimum of|any)\s(?:\w+\s){1,6}?(?:of|from|among|in)?\s?"
    r"(?:the following)?:",
    re.IGNORECASE,
)
_LISTED: Final = re.compile(r"[:：]\s*([^:：;；.。]+[,，、][^:：;；.。]+[,，、][^:：;；.。]+)")


def _listed(text: str) -> Iterator[Joint]:
    """Three parts or more behind a colon, unless they are a choice."""
    found = _LISTED.search(text)
    if found is not None and not _CHOICE.search(text):
        yield Joint("list", _told(found[1]))


_NUMBER: Final = re.compile(
    r"(?<![\w.,:/-])[$€£¥]?\d[\d,]*(?:\.\d+)?(?![\d:/]|\.\w|,\d|-\d)",
)
_YEAR: Final = re.compile(r"(?:1[5-9]|20)\d\d")
_SPAN: Final = re.compile(
    r"\d[\d,.]*\s*%?\s*(?:-|–|—|~|～|to|and|or|至|到|和|或|±)\s*[$€£¥]?\d[\d,.]*", re.IGNORECASE
)


def _figures(text: str) -> Iterator[Joint]:
    """Two numbers; a range is one, a year is none."""
    numbers = (each[0] for each in _NUMBER.finditer(_SPAN.sub("1", text)))
    found = [each for each in numbers if not _YEAR.fullmatch(each)]
    if len(found) > 1:
        yield Joint("figures", _told(" / ".join(found)))


_AND: Final = re.compile(
    r",?\s+(?:and(?!/or)|as well as|along with|in addition to|but also|while|whereas)\s+"
    rf"|\s*;\s+|(?<=[a-z\d%{_NAME}])\.\s+(?=[A-Z]\w*\s\S+\s\S+)"
)
_RELATED: Final = re.compile(
    r"\b(?:between|compar\w+|contrast\w*|distinguish\w*|differentiat\w*|simultaneous\w*|(?:relation\w*"
    r"|interaction|interplay|link|balance|trade-?offs?|distinction) (?:of|with|among))"
    r"\s(?:(?!\b(?:and|or)\b)[^;.])*$",
    re.IGNORECASE,
)
_OPEN: Final = re.compile(r"(?:other|others|similar|so on|so forth|the like|more|beyond)\b")
_ADVERB: Final = re.compile(r"\w+ly$")
_FIRST_VERB: Final = re.compile(r"^(?:(?:The|This|Each) [\w'’]+ )?(?:\w+ly )?\w+$")


def _english(text: str) -> Iterator[Joint]:
    """The first "and", or what stands for one, that joins two demands."""
    if (choice := _CHOICE.search(text)) is not None:
        text = text[: choice.start()]
    for found in _AND.finditer(text):
        before, after = text[: found.start()], text[found.end() :]
        if not _one(before, after):
            words = [*before.split()[-3:], found[0].strip(), *after.split()[:3]]
            yield Joint("and", _told(" ".join(words)))
            return


def _one(before: str, after: str) -> bool:
    """Whether what is joined is one thing all the same.

    The ends of a relation, an open end, two adverbs, two names, or two verbs at the beginning,
    which share what follows.
    """
    last, first = before.rpartition(" ")[2], after.partition(" ")[0].rstrip(".,")
    return bool(
        _RELATED.search(before)
        or _OPEN.match(after)
        or (_ADVERB.search(last) and _ADVERB.search(first))
        or (last[:1].isupper() and first[:1].isupper() and not before.endswith("."))
        or _FIRST_VERB.search(before)
    )


_HE: Final = re.compile(r"并且|并(?![非不未])|而且|以及|及其|[且和与及、；]|同时|。(?=\S)")
_ENDS: Final = re.compile(
    r"[^，。；]{1,24}?(?:之间|的(?:\w{0,4})?(?:关系|差异|区别|对比|比较|权衡|平衡|异同|关联|互动)"
    r"|相比|结合|进行(?:对比|比较))"
)
_ETC: Final = re.compile(r"[^，。；]{1,30}?等(?!人)")
_QUALITY: Final = re.compile(r"[^，。；、]{1,8}的")
_FIRST_TWO: Final = re.compile(rf"[能够明确清晰地]*[{HAN}]{{2}}")


_INSIDE: Final = re.compile(rf"[^\W{HAN}]{{2}}")
_BESIDE: Final = 8
"""Characters that are told on either side of a joint, and the rest of a word that they cut."""


def _chinese(text: str) -> Iterator[Joint]:
    """The first place where a Chinese criterion joins two demands, by 和, 与, 并, 、 and others."""
    for found in _HE.finditer(text):
        before, after = text[: found.start()], text[found.end() :]
        if not _one_in_chinese(found[0], before, after):
            start, end = len(before) - _BESIDE, _BESIDE
            while start > 0 and _INSIDE.match(before, start - 1):
                start -= 1
            while end < len(after) and _INSIDE.match(after, end - 1):
                end += 1
            yield Joint("and", _told(before[max(start, 0) :] + found[0] + after[:end]))
            return


def _one_in_chinese(joint: str, before: str, after: str) -> bool:
    """Whether a Chinese joint belongs to one demand; a list that ends in 等 is an open one."""
    if joint in ("和", "与", "及", "以及", "、") and (_ENDS.match(after) or _ETC.match(after)):
        return True
    if joint in ("和", "与", "、"):
        return before.endswith("的") and bool(_QUALITY.match(after))
    return joint == "并" and bool(_FIRST_TWO.fullmatch(before))


FEW: Final = 0.5
"""Mandatory criteria are few up to this share of a rubric; in the published set they are 44 %."""

_WORDS: Final = {
    "and": ('asks for two things? "{}"', "可能含有两项要求：“{}”"),
    "list": ('asks for several things? "{}"', "可能含有多项要求：“{}”"),
    "figures": ("asks for several figures? {}", "可能含有多个数字：{}"),
    "positive": (
        "no criterion has a weight above 0: no report can score",
        "没有权重大于 0 的条目：任何报告都无法得分",
    ),
    "mandatory": (
        "{} criteria are mandatory (a weight of 4 or more, of either sign)",
        "{} 条为必须项（权重绝对值不小于 4）",
    ),
    "twice": ("says the same as {}", "与 {} 相同"),
}


class Remark(NamedTuple):
    """One finding. of: the criterion, empty for the rubric. rule: its name. words: its place."""

    of: str
    rule: str
    words: str = ""

    def told(self, language: Literal["en", "zh"] = "en") -> str:
        """The remark as a sentence for a person, in either language."""
        return _WORDS[self.rule][language == "zh"].format(self.words)


def remarks_on(criterion: Criterion) -> list[Remark]:
    """On one criterion: whether it asks for more than one thing."""
    return [Remark(criterion.id, each.rule, each.words) for each in joints(criterion.criterion)]


def remarks_of(rubric: Sequence[Criterion]) -> list[Remark]:
    """On a rubric: its criteria, whether any weight is above 0, whether the mandatory are few."""
    found = [remark for each in rubric for remark in remarks_on(each)]
    first: dict[str, str] = {}
    for each in rubric:
        words = " ".join(each.criterion.casefold().split())
        if (known := first.setdefault(words, each.id)) != each.id:
            found.append(Remark(each.id, "twice", known))
    if rubric and not any(each.weight > 0 for each in rubric):
        found.append(Remark("", "positive"))
    mandatory = sum(each.mandatory for each in rubric)
    if mandatory > FEW * len(rubric):
        found.append(Remark("", "mandatory", f"{mandatory}/{len(rubric)}"))
    return found
