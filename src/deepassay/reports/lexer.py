"""Finds citations: one pass over each block, one regular expression for what may begin one."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from deepassay.reports.brackets import (
    NESTED,
    NUMBERS,
    extended,
    read_bracket,
    read_escaped,
    read_ids,
)
from deepassay.reports.citations import (
    DASHES,
    LABEL,
    AuthorYear,
    BareUrl,
    Citation,
    Labels,
    Lenticular,
    Numbered,
    destination,
    expand,
    keys,
)
from deepassay.reports.forms import (
    RAISED,
    author_year,
    flattened,
    read_raised,
    read_tag,
    without_powers,
)
from deepassay.reports.markdown import Block, code_spans
from deepassay.reports.spans import Span
from deepassay.text import match_url

Handler = Callable[[str, int, int, Labels], Citation | None]

# Between round brackets that open with a letter: what goes on to a year that ends a piece or is
# followed by a comma, without a bracket between.
_NO_YEAR = r"[^()（）\[\]\n12n]*+"
_ENDING = r"\d\d[a-z]?\s?[,，;；)）\]]"
_LAST_YEAR = rf"(?:19|20){_ENDING}|n\.d\."
_TO_YEAR = rf"[^\W\d_]{_NO_YEAR}(?:(?!{_LAST_YEAR})[12n]{_NO_YEAR})*+[12n]"
# The class of first characters stands alone in front, which lets the engine skip to them;
# addresses are seen by their colon for that reason. `number` is the common case in full.
_BEGINNING = re.compile(
    rf"[\[(（<\\【［\ue200!$:w{RAISED}](?:"
    r"(?<=\[)(?:(?<![A-Za-z0-9_]\[)(?P<number>[1-9]\d{0,2})\](?!\(|-[a-z])|(?P<bracket>))"
    rf"|(?<=[(（])(?P<paren>(?={_TO_YEAR}))"
    r"|(?<=:)(?P<url>(?<=[pPsS]:)//(?=[\w\[]))"
    r"|(?<=w)(?P<site>(?<![A-Za-z0-9/.]w)ww\.(?=\w))"
    r"|(?<=<)(?P<tag>(?=[aushwAUSHW]))"
    r"|(?<=\\)(?P<escape>[\[(（<\\【［\ue200!$])"
    r"|(?<=!)(?P<image>\[)"
    r"|(?<=\$)(?:(?P<formula>\$)|(?P<math>(?=[^\s$\d])))"
    r"|(?<=[【［\ue200])(?P<lenticular>)"
    rf"|(?<=[{RAISED}])(?P<raised>)"
    r")"
)
_LENTICULAR = re.compile(
    r"【(?:(?P<numbers>\d{1,4}(?:\s?[,，、]\s?\d{1,4}){0,20})(?::\d{1,4})?|(?P<key>turn\d{1,4}\w{1,40}))"
    r"(?:†[^【】\n]{0,300}+)?】"
    rf"|［\s?(?P<wide>\d{{1,3}}(?:\s?[,，、;；{DASHES}]\s?\d{{1,3}}){{0,20}})\s?］"
    r"|\ue200cite(?P<private>(?:\ue202[\w-]{1,60}){1,30}+)\ue201"
)
_YEAR = re.compile(r"【[12]\d{3}】")
_EMPTY_LABEL = re.compile(r"\[\]")
# Between single dollars stands a formula only if something in it says so: prices come in pairs.
_MATH = re.compile(r"\$(?=[^$\n]{0,200}?[\\^_{=])[^$\n]{1,200}(?<!\s)\$(?!\d)")
_FORMULAS = {"\\[": "\\]", "\\(": "\\)", "$$": "$$"}
LONGEST_FORMULA = 2000
# The nodes of a mind map are prose.
_MIND_MAP = re.compile(
    r"[ \t>]*(?:```+|~~~+)[ \t]*(?:mindmap|markmap|mermaid[ \t]*\r?\n[ \t>]*mindmap)\b[^\n]*\n"
    r"(.*\n)",
    re.IGNORECASE | re.DOTALL,
)


def find_citations(
    text: str, blocks: Sequence[Block], ids: frozenset[str] = frozenset()
) -> tuple[Citation, ...]:
    """Every citation outside code, in reading order, none overlapping another.

    Confidence intervals, array indices, check boxes and placeholders stay text. ids: the letters
    with which ids of sources begin, in a draft that cites by them.
    """
    labels = Labels(text, ids)
    citations: list[Citation] = []
    found = _BEGINNING.search(text)
    for block in blocks:  # most have nothing that may begin a citation
        inner = _MIND_MAP.match(text, *block.span) if block.kind == "code" else None
        start, end = inner.span(1) if inner else block.span
        if found is not None and found.start() < start:
            found = _BEGINNING.search(text, start)
        if found is None:
            break
        if found.start() < end and (inner or block.kind not in ("code", "rule")):
            first = len(citations)
            found = _read(text, Span(start, end), found, labels, citations)
            if inner:  # what is glued to a word there is the shape of a node
                alone = [each for each in citations[first:] if text[each.span.start - 1].isspace()]
                citations[first:] = alone
    return tuple(flattened(text, labels, blocks, without_powers(text, citations)))


def _read(
    text: str, block: Span, found: re.Match[str] | None, labels: Labels, citations: list[Citation]
) -> re.Match[str] | None:
    """Add the citations of a block, of which `found` may be the first; what comes after them."""
    at, end = block
    code = code_spans(text, at, end)
    code.reverse()
    refused = -1
    while found is not None and (start := found.start()) < end:
        while code and code[-1].end <= start:
            code.pop()
        if code and code[-1].start <= start:
            found = _BEGINNING.search(text, code[-1].end)
            continue
        kind = found.lastgroup or ""
        if kind == "number" and start != refused:
            span = Span(start, found.end())
            citation: Citation | None = Numbered(span, found[0], (found["number"],))
        else:
            citation = (labels.ids and read_ids(text, start, end, labels)) or None
            citation = citation or _HANDLERS[kind](text, start, end, labels)
        if citation is None:
            at = _after_text(text, found, end)
            if kind == "bracket" and at > found.end():
                refused = at
        elif start == refused and type(citation) is Numbered and citation.keys[0].isdecimal():
            at = refused = citation.span.end
        else:
            if type(citation) is Numbered:
                citation = extended(text, citation, end)
            at = citation.span.end
            citations.append(citation)
        found = _BEGINNING.search(text, at)
    return found


def _after_text(text: str, found: re.Match[str], end: int) -> int:
    """Where to go on after something that is no citation: a formula, an image, a character."""
    start, at = found.span()
    kind = found.lastgroup
    if kind == "image":
        label = LABEL.match(text, at - 1, end) or _EMPTY_LABEL.match(text, at - 1, end)
        target = destination(text, label.end(), end) if label else None
        return target[1] if target else at
    if kind == "bracket":
        numbers = NUMBERS.match(text, start, end) or NESTED.match(text, start, end)
        return numbers.end() if numbers else at
    if kind == "math":
        formula = _MATH.match(text, start, end)
        return formula.end() if formula and "](" not in formula[0] else at
    closing = _FORMULAS.get(found[0])
    if closing:
        stop = text.find(closing, at, min(end, at + LONGEST_FORMULA))
        return stop + 2 if stop >= 0 and "](" not in text[at:stop] else at
    return at


def _address(text: str, at: int, end: int, _: Labels) -> Citation | None:
    """An address of which `at` is the colon, or the first letter of `www.`."""
    if text[at] == ":":
        at -= 5 if text[at - 5 : at].lower() == "https" else 4
    stop = match_url(text, at, end) if at >= 0 else None
    if stop is None:
        return None
    url = text[at:stop]
    if "#:~:text=" in url and text[at - 1 : at] == "(":  # quotes words of the page, blanks and all
        target = destination(text, at - 1, end)
        url, stop = (target[0], target[1] - 1) if target else (url, stop)
    return BareUrl(Span(at, stop), url, (), url)


def _authored(text: str, at: int, end: int, labels: Labels) -> Citation | None:
    authored = author_year(text, at, end, labels)
    if authored is None:
        return None
    return AuthorYear(Span(at, authored.end), text[at : authored.end], authored.keys)


def _lenticular(text: str, at: int, end: int, labels: Labels) -> Citation | None:
    found = _LENTICULAR.match(text, at, end)
    if found is None or (_YEAR.fullmatch(found[0]) and found[0][1:-1] not in labels.entries):
        return None
    if found["wide"]:
        return Numbered(Span(*found.span()), found[0], keys(expand(found["wide"]) or ()))
    if found["numbers"]:
        named = keys(expand(found["numbers"]) or ())
    else:
        named = (found["key"],) if found["key"] else tuple(found["private"].split("\ue202")[1:])
    return Lenticular(Span(*found.span()), found[0], named)


def _image(text: str, at: int, end: int, labels: Labels) -> Citation | None:
    """The words of an image are no citation; `[3]` after the mark of a sentence is one."""
    label = LABEL.match(text, at + 1, end)
    if label is None or text[label.end() : label.end() + 1] == "(":
        return None
    if labels.ids and (drafted := read_ids(text, at + 1, end, labels)):
        return drafted
    return read_bracket(text, at + 1, end, labels) if NUMBERS.match(text, at + 1, end) else None


def _none(_text: str, _at: int, _end: int, _: Labels) -> Citation | None:
    return None


_HANDLERS: dict[str, Handler] = {
    "number": read_bracket,  # only after a refused bracket, as in `arr[3][4]`
    "bracket": read_bracket,
    "url": _address,
    "site": _address,
    "paren": _authored,
    "tag": read_tag,
    "escape": read_escaped,
    "lenticular": _lenticular,
    "raised": read_raised,
    "image": _image,
    "formula": _none,
    "math": _none,
}
