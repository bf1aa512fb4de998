"""What a square bracket in running text is: number, range, link, footnote, or no citation."""

from __future__ import annotations

import re

from deepassay.reports.citations import (
    DASHES,
    HALF_ESCAPED,
    LABEL,
    LONGEST_RANGE,
    AuthorYear,
    Citation,
    Footnote,
    InlineLink,
    Labels,
    Numbered,
    NumberedLink,
    ReferenceLink,
    TaggedLink,
    destination,
    expand,
    folded_label,
    is_web,
    keys,
)
from deepassay.reports.forms import author_year
from deepassay.reports.spans import Span
from deepassay.text import canonical

_BEFORE = re.compile(r"[A-Za-z0-9_.$]+\Z")
_INTERVAL_WORD = re.compile(
    r"(?:\bCI|\bCrI|\bHDI|\bIQR|\bintervals?|\bbounds|\brange of|\bscale(?: of)?|∈|[=≈]|"
    r"\b(?:values?|numbers?|integers?) (?:in|from|between)|区间|取值范围)[\s:：]*\Z"
)
_INTERVAL_AFTER = re.compile(r"\s(?:scale|interval|range)\b|(?:区间|范围)")
_PAIR = re.compile(r"\[\s?\d+\s?[,;–\-]\s?\d+\s?\]")
_COMPOUND = re.compile(r"-[a-z]")
_CODE_AFTER = re.compile(r"\s?(?:[-+*/]?=(?!=)|==)|\.[a-z_]+\(|\[[a-z_]")
_VARIABLES = frozenset(
    re.findall(
        r"\w+",
        "arr array args argv buf cols df dict dp elem elems hist idx img int items kwargs len lst "
        "mat nums obj params ptr rows str tmp vec vals xs ys",
    )
)
"""Names of variables: a number in brackets after one is an index."""

_CONTAINERS = frozenset(
    re.findall(
        r"\w+",
        "array grid list matrix queue stack table tensor vector",
    )
)
"""What has indices: a citation after one of these only where the report numbers its sources."""

FIRST_YEAR = 1000


def is_no_citation(
    text: str, at: int, after: int, numbers: tuple[int, ...], labels: Labels
) -> bool:
    """Whether the bracket `text[at:after]`, which holds `numbers`, is something else.

    Years and zeros count only if the report lists entries of those numbers.
    """
    special = numbers[-1] >= FIRST_YEAR or 0 in numbers
    if special and not all(str(number) in labels.entries for number in numbers):
        return True
    if _COMPOUND.match(text, after):  # `[6]-gingerol`
        return True
    before = text[at - 1] if at else "\n"
    if before == "_" or (before.isascii() and before.isalnum()):
        return _is_index(text, at, after, labels)
    if _PAIR.fullmatch(text, at, after):
        named = _INTERVAL_AFTER.match(text, after) is not None
        return named or _INTERVAL_WORD.search(text, max(0, at - 24), at) is not None
    return False


def _is_index(text: str, at: int, after: int, labels: Labels) -> bool:
    """Whether a bracket attached to a word is an index: by the word, and by what follows.

    `word[3]`, `Q4[3]` and `A[3]nother` are citations, `arr[3]`, `x[3]` and `x1[3]` are not;
    `vitamin D[3]` and `iPhone[3]` are if the report numbers its references.
    """
    found = _BEFORE.search(text[max(0, at - 40) : at])
    word = found[0] if found else ""
    if "_" in word or "$" in word or _CODE_AFTER.match(text, after):
        return True
    word = word.rpartition(".")[2]
    if word.isdecimal():
        return False
    if len(word) == 1:
        return not text[after : after + 1].isalpha() and not (word.isupper() and labels.numbered)
    if word.lower() in _VARIABLES or (word[0].islower() and not word.isalpha()):
        return True
    unlike = word.lower() in _CONTAINERS or not word.islower()
    return word[0].islower() and unlike and not labels.numbered


# A dash with blanks around it that is as long as a word ends one thought and begins another.
_TO_LAST = re.compile(
    rf"(?:[ \t]?(?:[{DASHES.replace('—', '')}]|to\b|through\b)[ \t]?|—)\[([1-9]\d{{0,3}})\](?!\()"
)
_ONE = re.compile(r"\[([1-9]\d{0,3})\]")
BETWEEN = re.compile(
    rf"[\s*_\\]*(?:[{DASHES}]+|\.\.\.?|…+|to|through|until|bis|到)[\s*_\\]*", re.IGNORECASE
)
"""What stands between two citations that may mean a range, also where it is not read as one."""


def extended(text: str, first: Citation, end: int) -> Citation:
    """`first`, or the whole range if it is a number and a dash and a higher one follow."""
    last = _TO_LAST.match(text, first.span.end, end)
    number = _ONE.fullmatch(first.raw) if last else None
    if last is None or number is None:
        return first
    low, high = int(number[1]), int(last[1])
    if not low < high < low + LONGEST_RANGE:
        return first
    span = Span(first.span.start, last.end())
    return Numbered(span, span.of(text), keys(tuple(range(low, high + 1))))


_LIST = rf"\d{{1,4}}(?:\s?[,，、;；{DASHES}]\s?\d{{1,4}}){{0,200}}+"
_LOCATOR = r"(?:,\s?(?:pp?\.|ch\.|sec\.|fig\.|table)\s?[\d\-–]{1,12})?"
_WORD = r"(?:(?:citation|cite|sources?|refs?\.?|references?|来源|文献|参考)\s?[:：]?\s?)?"
NUMBERS = re.compile(rf"\[\s?{_WORD}({_LIST}){_LOCATOR}\s?\]", re.IGNORECASE)
_ESCAPED = re.compile(rf"\\\[({_LIST})\\\]")
NESTED = re.compile(rf"\[\[({_LIST})\]\]")
_FOOTNOTE = re.compile(r"\[\^([^\]\[\s^]{1,80})\^?\]")
_KEY = re.compile(r"\[([^\[\]\n]{0,100})\]")
_NEXT_NUMBER = re.compile(r"\)?[ \t]?\[(\d{1,4})\](?![(:\[])")
_LETTERED = re.compile(
    r"\[([A-Za-z]{1,8}[-_ ]?\d{1,4}[a-z]?(?:\s?[,;]\s?[A-Za-z]{1,8}[-_ ]?\d{1,4}[a-z]?){0,20})\]"
)
_NO_LABEL = re.compile(r"\[()\](?=\()")
_TAG = re.compile(r"citation\s?[:：]\s?", re.IGNORECASE)


_ID = r"[A-Za-z]{1,8}\d{1,6}"
_BETWEEN = rf"(?:\s?[,，、;；&和与{DASHES}]\s?|\sand\s|\s)"
_IDS = re.compile(
    rf"(?:\\?\[\^?|\[\[|[【［])\s?(?:(?:see|cf\.|见)\s?)?{_WORD}"
    rf"(?P<ids>{_ID}(?:{_BETWEEN}(?:{_ID}|\d{{1,3}})){{0,50}}+){_LOCATOR}\s?(?:\\?\]\]?|[】］])",
    re.IGNORECASE,
)
_PIECE = re.compile(rf"([A-Za-z]*)(\d+)(?:\s?[{DASHES}]\s?(?:\1)?(\d+))?", re.IGNORECASE)


def read_ids(text: str, at: int, end: int, labels: Labels) -> Citation | None:
    """`[e1]`, `[e1, e3-5]`, `[see e1, p. 2]`, `【e2】` or `[e1](u)`, where `labels` says it is one.

    The keys are in lower case, ranges written out. An address behind them is left out of account.
    """
    found = _IDS.match(text, at, end)
    if found is None:
        return None
    named: list[str] = []
    letters = ""
    for piece in _PIECE.finditer(found["ids"]):
        letters = piece[1].lower() or letters
        low, high = int(piece[2]), int(piece[3] or piece[2])
        if letters not in labels.ids or not 0 <= high - low < LONGEST_RANGE:
            return None
        several = (f"{letters}{number}" for number in range(low, high + 1))
        named += several if piece[3] else [f"{letters}{piece[2]}"]
    stop = found.end()
    target = destination(text, stop, end) if text[stop : stop + 1] == "(" else None
    if target and (is_web(target[0]) or target[0][0] == "#"):
        stop = target[1]
    return Numbered(Span(at, stop), text[at:stop], tuple(named))


def read_bracket(text: str, at: int, end: int, labels: Labels) -> Citation | None:
    """The citation that opens with the square bracket at `at`, or None."""
    found = NUMBERS.match(text, at, end)
    if found:
        return _numbered(text, at, end, found, labels)
    following = text[at + 1 : at + 2]
    if following == "^":
        found = _FOOTNOTE.match(text, at, end)
        return Footnote(Span(at, found.end()), found[0], (found[1],)) if found else None
    if following == "[":
        found = NESTED.match(text, at, end)
        numbers = (expand(found[1]) if found else None) or ()
        alone = len(numbers) < 2 or text[found.end() : found.end() + 1] == "(" if found else False
        if found and (alone or labels.entries.issuperset(keys(numbers))):  # not `[[15, 1, 3]]`
            return _numbered(text, at, end, found, labels)
    return _worded(text, at, end, labels)


def read_escaped(text: str, at: int, end: int, _: Labels) -> Citation | None:
    r"""`\[3\]`, the way in which some programs protect a number from Markdown."""
    found = _ESCAPED.match(text, at, end)
    numbers = expand(found[1]) if found else None
    if found is None or numbers is None:
        return None
    return Numbered(Span(*found.span()), found[0], keys(numbers))


def _numbered(
    text: str, at: int, end: int, found: re.Match[str], labels: Labels
) -> Citation | None:
    after = found.end()
    numbers = expand(found[1])
    if numbers is None:
        return None
    if text[after : after + 1] == "(" and (target := _target(text, at, after, end)):
        url, stop = target
        raw = text[at:stop]
        if is_web(url):
            stop = _repeated(text, url, stop, end)
            return InlineLink(Span(at, stop), text[at:stop], keys(numbers), url, label=found[1])
        if not any(map(str.isspace, url)):  # `[3](#ref3)`, `[3](@ref)`: a place in the report
            return Numbered(Span(at, stop), raw, keys(numbers))
    if is_no_citation(text, at, after, numbers, labels):
        return None
    return Numbered(Span(at, after), found[0], keys(numbers))


def _worded(text: str, at: int, end: int, labels: Labels) -> Citation | None:
    found = HALF_ESCAPED.match(text, at, end) or LABEL.match(text, at, end)
    found = found or _NO_LABEL.match(text, at, end)
    if found is None:
        return None
    label, after = found[1], found.end()
    following = text[after : after + 1]
    if following == "(" and (target := _target(text, at, after, end)):
        return _link(text, at, end, label, target)
    if following == "[" and (key := _KEY.match(text, after, end)):
        named = key[1] or label
        if folded_label(named) in labels.definitions or (
            named in labels.entries and _is_title(label)
        ):
            span = Span(at, key.end())
            return ReferenceLink(span, span.of(text), (named,), label=label)
    if following != ":" and folded_label(label) in labels.definitions:
        return ReferenceLink(Span(at, after), found[0], (label,), label=label)
    lettered = _LETTERED.match(text, at, end)
    if lettered:
        named = tuple(key.strip() for key in re.split("[,;]", lettered[1]))
        if all(key in labels.entries for key in named):
            return Numbered(Span(at, after), found[0], named)
    authored = author_year(text, at, end, labels)
    return AuthorYear(Span(at, authored.end), found[0], authored.keys) if authored else None


def _is_title(label: str) -> bool:
    """Words that may name a source; a single abbreviation before a number is text."""
    return " " in label.strip() or "." in label


def _link(text: str, at: int, end: int, label: str, target: tuple[str, int]) -> Citation | None:
    url, stop = target
    if not is_web(url):
        return None
    stop = _repeated(text, url, stop, end)
    tag = _TAG.match(label)
    if tag:
        return TaggedLink(Span(at, stop), text[at:stop], (), url, label=label[tag.end() :])
    number = _NEXT_NUMBER.match(text, stop, end)
    if number and _belongs(text, at, number):
        start = at - 1 if number[0][0] == ")" else at
        span = Span(start, number.end())
        return NumberedLink(span, span.of(text), (number[1],), url, label=label)
    return InlineLink(Span(at, stop), text[at:stop], (), url, label=label)


def _target(text: str, at: int, after: int, end: int) -> tuple[str, int] | None:
    """The address after the label `text[at:after]`, and where its brackets end."""
    return destination(text, after, end, bracketed=text[at - 1 : at] == "(")


def _repeated(text: str, url: str, stop: int, end: int) -> int:
    """Where a link ends whose address stands behind it once more: `[3](u)(u)`."""
    while text[stop : stop + 1] == "(" and (target := destination(text, stop, end)):
        if canonical(target[0]) != canonical(url):
            break
        stop = target[1]
    return stop


def _belongs(text: str, at: int, number: re.Match[str]) -> bool:
    """Whether a number after a link is its own: `[t](u)[1]`, `([t](u))[1]`, `[t](u) [1]`."""
    closed = number[0][0] == ")"
    return not closed or (at > 0 and text[at - 1] == "(")
