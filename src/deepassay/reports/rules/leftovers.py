"""Rules on placeholders and on addresses that lead nowhere: DA4xx and DA213."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from deepassay.reports.finding import Hit, Rule
from deepassay.reports.report import Report
from deepassay.reports.spans import Span
from deepassay.text import HAN, canonical, excerpt, is_redirect

ANYWHERE = re.compile(
    r"\b(?:TBD|TBA|TBC|TODO|FIXME)\b"
    r"|\b[Ll]orem [Ii]psum\b"
    r"|[\[［【(（]to be (?:filled|completed|determined|added|confirmed|updated|provided)\b"
    r"[^\[\]()\n]{0,80}[\]］】)）]"
    r"|[\[［【](?:(?:insert|add|fill in|your) [^\[\]\n]{1,80}|placeholder|citation needed"
    r"|source needed|[^\[\]\n]{3,100} here)[\]］】](?!\()"
    rf"|待(?:补充|填写|填充|完善|补全)(?![{HAN}])|此处(?:填写|插入|补充)"
)
WHOLE = re.compile(
    r"(?:information|data|details?|figures?|values?|sources?|price|results?)"
    r" (?:is |are |was |were )?(?:not (?:provided|found|available|supplied)|unavailable)"
    r"|no (?:information|data|details?|sources?) (?:provided|found|available|supplied)"
    r"|to be (?:determined|confirmed|announced|added|completed|filled(?: in)?|updated)"
    r"|(?:price|data|source|information|confirmation|figures?) pending"
    r"|暂无(?:相关)?(?:数据|信息|资料|内容)|未提供(?:相关)?(?:数据|信息)?|待定"
    r"|(?:数据|信息)(?:缺失|未提供|不可用)|未找到(?:相关)?(?:数据|信息|资料)",
    re.IGNORECASE,
)
_IN_ANYWHERE: Final = (
    *("TBD", "TBA", "TBC", "TODO", "FIXME", "orem ", "to be ", "insert ", "add ", "fill in "),
    *("your ", "placeholder", " needed", " here", "待", "此处"),
)
_IN_WHOLE: Final = (
    *("not prov", "not found", "not ava", "uppl", "unava", "no ", "to be ", " pend"),
    *("暂无", "未提供", "待定", "缺失", "不可用", "未找到"),
)
"""Of these each placeholder has one: most stretches have none, and a search for words is fast.

Where case does not matter, they lack i, k and s: these match signs whose small letter is another.
"""

QUOTES = {"“”", "‘’", "「」", "『』", "``", '""', "''"}
"""A placeholder between these is spoken of."""
BEFORE = ":：—–|(（[,，;；-*•>\n."
AFTER = ".。;；,，)）]|\n"


def placeholders(text: str, within: Span) -> Iterator[Span]:
    """Placeholders in a stretch of text.

    Words that may also be part of a plain sentence count only where they are the whole
    value: alone, or between a colon, dash or bracket and the end of the clause.
    """
    stretch = within.of(text)
    for found in _found(ANYWHERE, _IN_ANYWHERE, text, stretch, within):
        around = text[found.start() - 1 : found.start()] + text[found.end() : found.end() + 1]
        if around not in QUOTES:
            yield Span(*found.span())
    for found in _found(WHOLE, _IN_WHOLE, text, stretch.lower(), within):
        before = text[max(within.start, found.start() - 9) : found.start()].rstrip(' \t*_"“')
        after = text[found.end() : min(within.end, found.end() + 9)].lstrip(' \t*_"”')
        if (not before or before[-1] in BEFORE) and (not after or after[0] in AFTER):
            yield Span(*found.span())


def _found(
    pattern: re.Pattern[str], words: Sequence[str], text: str, stretch: str, within: Span
) -> Iterator[re.Match[str]]:
    """Where a pattern is found in a stretch of text, which has to have one of the words."""
    if any(word in stretch for word in words):
        yield from pattern.finditer(text, within.start, within.end)


def placeholder_text(report: Report) -> Iterator[Hit]:
    """A placeholder in the text: TBD, [to be filled], Information not provided.

    One hit for each; tables have a rule of their own, code and reference lists none.
    """
    for block in report.body:
        if block.kind in ("paragraph", "heading"):
            for found in placeholders(report.text, block.span):
                yield Hit(found, f"placeholder: {excerpt(found.of(report.text))}")


def redirect_link(report: Report) -> Iterator[Hit]:
    """A link through the redirect service of a search or model provider.

    One hit for each such address, where it first stands.
    """
    places: dict[str, list[Span]] = {}
    for citation in report.citations:
        if citation.url is not None and is_redirect(citation.url):
            places.setdefault(citation.url, []).append(citation.span)
    for entry in report.references:
        for url in entry.urls:
            if is_redirect(url):
                places.setdefault(url, []).append(entry.span)
    for url, spans in places.items():
        times = f" ({len(spans)} times)" if len(spans) > 1 else ""
        yield Hit(spans[0], f"{excerpt(url, 45)} is a provider's redirect{times}")


DOMAINS: Final = ("example.com", "example.org", "example.net")
ENDINGS: Final = ("example", "invalid", "test", "localhost")
"""Reserved by RFC 2606 and RFC 6761: nobody can own a name there."""


def is_reserved(url: str) -> bool:
    """Whether nobody can have put a page for others at this address."""
    try:
        host = (urlsplit(canonical(url)).hostname or "").rstrip(".")
    except ValueError:
        return False
    if host.rpartition(".")[2] in ENDINGS or ".".join(host.split(".")[-2:]) in DOMAINS:
        return True
    try:
        return not ip_address(host).is_global
    except ValueError:
        return False  # a name


def reserved_domain(report: Report) -> Iterator[Hit]:
    """An address that no page can have: a domain reserved for examples, or this machine.

    One hit for all such addresses of a report, where the first stands.
    """
    places = [(each.url, each.span) for each in report.citations if each.url is not None]
    places += [(url, entry.span) for entry in report.references for url in entry.urls]
    found = {url: span for url, span in reversed(places) if is_reserved(url)}
    if found:
        span, url = min((span, url) for url, span in found.items())
        more = f", and {len(found) - 1} more" if len(found) > 1 else ""
        yield Hit(span, f"{excerpt(url, 45)} can be no public page{more}")


HOST = re.compile(r"(?:https?:/{0,3})?(?:[^/?#@]*@)?(\[|[^/?#:]*)", re.IGNORECASE)
# Not a trailing hyphen: titles that end in a mark give whole addresses one.
CUT = re.compile(r"%[0-9A-Fa-f]?$")


def is_incomplete(url: str) -> bool:
    """Whether a host is missing, or the path ends in half an escape."""
    found = HOST.match(canonical(url))
    host = found[1].strip(".").lower() if found else ""
    if "." not in host and host not in ("localhost", "["):
        return True
    return CUT.search(url.partition("#")[0]) is not None


def incomplete_url(report: Report) -> Iterator[Hit]:
    """An address that was cut off or has no host.

    One hit for each address of an entry or of a citation in the text.
    """
    for url, span in _addresses(report):
        if is_incomplete(url) or report.text.startswith(("...", "…"), span.end):
            yield Hit(span, f"the address {excerpt(url, 60)} is not complete")


def _addresses(report: Report) -> Iterator[tuple[str, Span]]:
    places = [((each.url,), each.span) for each in report.citations if each.url is not None]
    for urls, span in [*places, *((entry.urls, entry.span) for entry in report.references)]:
        at = span.start
        for url in urls:
            start = report.text.find(url, at, span.end)
            if start >= 0:
                at = start + len(url)
                yield url, Span(start, at)


RULES = (
    Rule(
        code="DA213",
        name="incomplete-url",
        reason="A cut address opens nothing, or another page.",
        sources=("G15",),
        check=incomplete_url,
        version=3,
    ),
    Rule(
        code="DA401",
        name="placeholder-text",
        reason="The report was handed in unfinished.",
        sources=(),
        check=placeholder_text,
        version=2,
    ),
    Rule(
        code="DA402",
        name="redirect-link",
        reason="Such links expire, and they hide which source they lead to.",
        sources=(),
        check=redirect_link,
    ),
    Rule(
        code="DA403",
        name="reserved-domain",
        reason="Nobody can have read a page there: the source was made up, or a placeholder left "
        "in.",
        sources=(),
        check=reserved_domain,
    ),
)
