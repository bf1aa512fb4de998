"""Calls of tools as searches and pages: what was asked for, and what came back.

What a call was is told by its arguments first and by the name of the tool only then. What cannot
be told is neither: it is counted by name, and nobody takes it for nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from deepassay.reports.traces.values import (
    Leaf,
    addresses_in,
    all_text_of,
    as_address,
    breaks_off,
    leaves,
    named_hits,
    opened_json,
)
from deepassay.runfile import TraceEvent
from deepassay.score import Json

ASKED: Final = (
    *("query", "queries", "q", "search_query", "search_queries", "search_term", "searchTerm"),
    *("search_terms", "keywords", "keyword", "search", "question", "objective", "input", "text"),
)
"""Under which keys tools take what they look for."""

_PAGING: Final = frozenset({"page", "page_number", "offset", "start", "cursor", "pageno"})
"""Under which keys a search asks for further hits: it is another search."""

FULL: Final = ("raw_content", "rawContent", "full_content", "full_text", "markdown")
"""Under which keys of a hit its page stands, and no snippet of it."""

OPENS: Final = re.compile(
    r"visit|open|fetch|read|brows|scrap|extract|crawl|navigate|goto|get_?(?:page|content|url)"
    r"|web_?page|view|url|http_?(?:get|request)|download|load",
    re.IGNORECASE,
)
SEEKS: Final = re.compile(
    r"search|google|bing|brave|tavily|exa|serp|retriev|lookup|duckduckgo|ddg|wiki|arxiv|query|find",
    re.IGNORECASE,
)
ENDS: Final = re.compile(r"final|finish|submit|answer|respond|report|complete|done|return", re.I)
"""Tools that take what was written and look for nothing."""

MOST_TEXT: Final = 400_000
"""Characters kept of what one call brought."""
MOST_TEXTS: Final = 8_000_000
"""Characters kept of what all calls of one run brought."""
_LONG_HIT: Final = 1000
"""A text of a hit that is as long is its page."""
_SHORT: Final = 1500
"""What is longer is no mere message of an error."""
_TELLING: Final = 64
"""So much of a beginning shows whether it is an error."""

FAILED_TEXT: Final = re.compile(
    r"\W*(?:\w+\s?(?:error|exception)\b[:(]|error\b\W*(?:[:(\[]|\d|fetch|open|read|load|retriev|"
    r"access|while|when|in\b|occurred|calling|executing|running|during|from|invoking|processing)"
    r"|(?:http|status)(?:\s?(?:status|error|code))*\W{0,2}[45]\d\d\b|[45]\d\d\b\W*(?:\w+\W+){0,2}"
    r"(?:error|for\b|not found|forbidden|unauthorized|gone|unavailable|timeout|too many)"
    r"|fail(?:ed|ure)\W*(?::|to\b|with\b|fetch|open|load)|could ?n[o']t\b|can ?not\b|can't\b"
    r"|unable to\b|traceback\b|exception\b\W*[:(]|(?:page|url|file|resource|document) (?:was )?not "
    r"(?:found|available|accessible)|access (?:was )?denied|not found\b|forbidden\b"
    r"|(?:an? )?(?:unexpected |unknown |tool )?error (?:has )?occurred"
    r"|(?:the )?(?:request|connection|page|fetch|operation|tool)(?: call)? (?:has |was )?"
    r"(?:timed out|failed|refused|blocked)"
    r"|timed? ?out\b|tool error|错误|失败|无法|超时|找不到)",
    re.IGNORECASE,
)
_NONE: Final = re.compile(
    r"\W*(?:(?:there (?:are|were) )?(?:no|0|zero)\b(?:\W+\w+){0,3}\W+(?:results?|hits|documents|"
    r"matches|pages)\b|nothing (?:was )?found|found (?:no|nothing)|没有|未找到|无结果)",
    re.IGNORECASE,
)
"""How a search says that it found nothing."""
_NUMBER: Final = re.compile(r"(?<![\d.,])([45]\d\d)(?![\d.,]?\d)")
_STATUS_KEYS: Final = (
    "status",
    "status_code",
    "statusCode",
    "http_status",
    "code",
    "response_code",
)
_ERROR_KEYS: Final = ("error", "errors", "error_message", "errorMessage", "exception")
_BAD: Final = frozenset({"error", "failed", "failure", "fail", "exception", "timeout"})
_NO_NUMBER: Final = 599


@dataclass(frozen=True)
class ToolCall:
    """A call of a tool.

    arguments, result: what it was given and what it gave, None where that was not kept. failed:
    what the trace says of a failure, "" where it says nothing. arguments_cut, result_cut: whether
    the end of it is missing. seeks: whether the trace says that it is a search. hosted: whether a
    provider did it while its model answered. within: the spans around it. span, at: see TraceEvent.
    """

    name: str
    arguments: Json = None
    result: Json = None
    failed: str = ""
    arguments_cut: bool = False
    result_cut: bool = False
    seeks: bool = False
    hosted: bool = False
    span: str = ""
    within: tuple[str, ...] = ()
    at: float | None = None


CallKind = Literal["search", "page", "other", "unknown"]
ToolKind = Literal["search", "page", "ignore"]
Tools = Mapping[str, ToolKind]
"""What somebody says that tools do, by their names; of the others the calls tell."""


@dataclass(frozen=True)
class SeenCalls:
    """The events of calls. tools: what each tool was taken for, with counts.

    lost: calls of which nobody knows what they asked for.
    """

    events: tuple[TraceEvent, ...]
    tools: Mapping[str, Mapping[str, int]]
    lost: int


def seen_in(calls: Sequence[ToolCall], told: Tools | None = None) -> SeenCalls:
    """The searches and pages among calls, in their order.

    Of a call within a call the inner one counts, which has the addresses, if it is either. told:
    what some tools do.
    """
    tools_told = told or {}
    found = [(call, *_read(call, tools_told.get(call.name))) for call in calls]
    around = {
        outer for call, kind, _ in found if kind in ("search", "page") for outer in call.within
    }
    tools: dict[str, Counter[str]] = {}
    events: list[TraceEvent] = []
    lost = 0
    inside = {span for call, kind, _ in found if kind != "unknown" for span in [call.span] if span}
    for call, kind, own in found:
        if call.span and call.span in around:
            continue
        if kind == "unknown" and inside & {*call.within}:
            continue  # what is around it says what it was
        tools.setdefault(call.name[:200], Counter())[kind] += 1
        events += own
        lost += kind == "unknown"
    events = [*_within_bounds(events)]
    return SeenCalls(tuple(events), {name: dict(each) for name, each in tools.items()}, lost)


def asked_in(call: ToolCall) -> tuple[tuple[str, str], ...]:
    """What a call asked for: queries and addresses, each with its kind."""
    _, events = _read(call)
    named = [(e.kind, e.query or next(iter(e.urls), "")) for e in events if e.kind != "other"]
    return tuple(dict.fromkeys(named))


def _within_bounds(events: Iterable[TraceEvent]) -> Iterator[TraceEvent]:
    """Events, without the texts that are too much for one run."""
    left = MOST_TEXTS
    for each in events:
        size = len(each.text or "")
        yield each if size <= left else replace(each, text=None, whole=False)
        left -= min(size, left)


def _read(call: ToolCall, told: ToolKind | None = None) -> tuple[CallKind, list[TraceEvent]]:
    """What a call was, and the events that it is. told: what somebody says of its tool."""
    cut = call.arguments_cut or breaks_off(call.arguments)
    given = [] if cut else [*leaves(call.arguments)]
    if told == "ignore":
        return "other", []
    if cut or (call.arguments is None and not ENDS.search(call.name)):
        return "unknown", []
    if told is not None:
        return _as_told(call, told, given)
    pages = _pages_asked(given)
    query = _query(given, call.name)
    takes_query = any(leaf.key in ASKED[:11] for leaf in given)
    if pages and not (takes_query and not _opens(call.name)):
        return "page", [*_page_events(call, pages)]
    if query and not ENDS.search(call.name) and _is_search(call, takes_query):
        return "search", [*_search_events(call, query)]
    return "other", [*_other_events(call)]


def _as_told(
    call: ToolCall, told: ToolKind, given: Sequence[Leaf]
) -> tuple[CallKind, list[TraceEvent]]:
    """A call of a tool of which somebody says what it does, whatever it was given."""
    if told == "search":
        return "search", [
            *_search_events(call, _query(given, call.name) or all_text_of(call.arguments))
        ]
    pages = _pages_asked(given) or [*_led(call.result)]
    return ("page", [*_page_events(call, pages)]) if pages else ("unknown", [])


def _other_events(call: ToolCall) -> Iterator[TraceEvent]:
    """What a tool brought that is neither search nor page. An echo of what it was given is none."""
    text, whole = _kept_text(call)
    words = " ".join((text or "").split())
    given = " ".join(all_text_of(call.arguments).split()) if call.arguments is not None else ""
    if words not in given:
        yield _event(call, "other", "", (), _status(call), text, whole)


def _opens(name: str) -> bool:
    """Whether a tool that takes an address and a query opens the address."""
    return OPENS.search(name) is not None or SEEKS.search(name) is None


def _pages_asked(given: Iterable[Leaf]) -> list[str]:
    asked = (as_address(leaf.value, leaf.key) for leaf in given)
    return list(dict.fromkeys(filter(None, asked)))


def _query(given: Sequence[Leaf], name: str) -> str:
    """What a search looks for: under a key for it, or the only text."""
    further = [str(leaf.value) for leaf in given if leaf.key in _PAGING and leaf.value]
    more = "".join(f" [{each}]" for each in further if each not in ("0", "1"))
    for key in ASKED:
        if found := [leaf.value for leaf in given if leaf.key == key and leaf.value]:
            return " | ".join(map(str, found)) + more
    texts = [leaf.value for leaf in given if isinstance(leaf.value, str) and leaf.value.strip()]
    return texts[0] if texts and (len(texts) == 1 or SEEKS.search(name)) else ""


def _is_search(call: ToolCall, takes_query: bool) -> bool:
    """A tool that is named as one, or takes a query and brings addresses."""
    if call.seeks or SEEKS.search(call.name):
        return True
    return takes_query and not OPENS.search(call.name) and bool([*named_hits(call.result)])


def _search_events(call: ToolCall, query: str) -> Iterator[TraceEvent]:
    """A search, and each page that came whole with its hits."""
    status = _status(call)
    text, whole = _kept_text(call)
    if status is not None and status >= 400:
        yield _event(call, "search", query, (), status, text, whole=True)
        return
    hits = [*named_hits(call.result)]
    urls = dict.fromkeys(each.url for each in hits) or dict.fromkeys(addresses_in(text or ""))
    if not whole and urls and text and not hits:  # the last one may have lost its end
        urls.popitem()
    nothing = not urls and len((text or "").strip()) > _TELLING and not _NONE.match(text or "")
    told = _event(call, "search", query, tuple(urls), status, text, whole)
    yield replace(told, listed=status is not None and not nothing)
    for hit in hits:
        bodies = [hit.fields.get(key) for key in FULL]
        bodies += [each for each in map(hit.fields.get, _TEXTS) if len(str(each)) >= _LONG_HIT]
        if body := next((each for each in bodies if isinstance(each, str) and each.strip()), ""):
            yield _event(call, "page", "", (hit.url,), 200, body[:MOST_TEXT], whole)


_TEXTS: Final = ("text", "content", "page_content", "body", "document.content")


def _page_events(call: ToolCall, pages: Sequence[str]) -> Iterator[TraceEvent]:
    """Each page that a call asked for. What is told of one address counts for that alone."""
    status = _status(call)
    text, whole = _kept_text(call)
    own = {each.url: each.fields for each in named_hits(call.result)}
    for url in pages:
        if len(pages) > 1 and (fields := own.get(url)) is not None:
            one = replace(call, result=dict(fields), failed="")
            body, complete = _kept_text(one)
            yield _event(call, "page", "", (url,), _status(one), body, complete and whole)
            continue
        led = () if len(pages) > 1 else _led(call.result)
        yield _event(call, "page", "", tuple(dict.fromkeys((url, *led))), status, text, whole)


def _led(result: Json) -> Iterator[str]:
    """Where a page led, if what came back says so."""
    said = opened_json(result)
    if isinstance(said, Mapping):
        for key in ("final_url", "finalUrl", "url", "resolved_url"):
            if url := as_address(said.get(key), key):
                yield url


def _event(
    call: ToolCall,
    kind: str,
    query: str,
    urls: tuple[str, ...],
    status: int | None,
    text: str | None,
    whole: bool,
) -> TraceEvent:
    return TraceEvent(
        kind,
        query[:2000],
        urls[:1000],
        status,
        text,
        whole,
        tool=call.name[:200],
        span=call.span,
        at=call.at,
    )


def _kept_text(call: ToolCall) -> tuple[str | None, bool]:
    """What came back, and whether that is all of it."""
    if call.result is None:
        return None, False
    text = all_text_of(call.result)
    cut = call.result_cut or breaks_off(call.result) or len(text) > MOST_TEXT
    return text[:MOST_TEXT], not cut


def _status(call: ToolCall) -> int | None:
    """As of HTTP; None where nobody knows what came of a call."""
    if call.failed:
        return _number(call.failed)
    if call.result is None:
        return None
    said = opened_json(call.result)
    found = _told_status(said)
    if found is not None:
        return found
    text = all_text_of(said).strip()
    cut = call.result_cut or breaks_off(call.result)
    if cut and (len(text) < _TELLING or text[:1] in ("{", "[")):
        return None
    if len(text) <= _SHORT and FAILED_TEXT.match(text):
        return _number(text)
    return 200


def _told_status(said: Json, depth: int = 0) -> int | None:
    """What an object says of a failure, itself or what it is wrapped in; None where nothing."""
    if isinstance(said, list) and len(said) == 1 and depth < 4:
        return _told_status(opened_json(said[0]), depth + 1)
    if not isinstance(said, Mapping):
        return None
    if (found := _own_status(said)) is not None or depth >= 4:
        return found
    for key in ("data", "result", "response", "output", "kwargs", "content", "structuredContent"):
        inner = opened_json(said.get(key))
        if isinstance(inner, Mapping | list):
            found = _told_status(inner, depth + 1)
        elif isinstance(inner, str) and len(inner) <= _SHORT and len(said) <= 2:
            found = _number(inner) if FAILED_TEXT.match(inner) else None
        if found is not None:
            return found
    return None


def _own_status(said: Mapping[str, Json]) -> int | None:
    """What the entries of an object say of a failure."""
    for key in _STATUS_KEYS:
        value = said.get(key)
        if isinstance(value, str) and value.strip().isdigit():
            value = int(value.strip()[:9])
        if isinstance(value, int) and not isinstance(value, bool) and 200 <= value < 600:
            return value
        if isinstance(value, str) and value.strip().casefold() in _BAD:
            return _number(all_text_of(said))
    for key in _ERROR_KEYS:
        if said.get(key):
            return _number(all_text_of(said[key]) or str(said[key]))
    if said.get("is_error") is True or said.get("isError") is True or said.get("success") is False:
        return _number(all_text_of(said))
    return None


def _number(text: str) -> int:
    """The status that a failure names, else 599."""
    found = _NUMBER.search(text)
    return int(found[1]) if found else _NO_NUMBER
