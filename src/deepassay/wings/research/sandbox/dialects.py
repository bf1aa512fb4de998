"""The interfaces that agents search with: which of them a request speaks, and answers in it.

Addresses are told apart by their path, and requests to `/search` by their shape. Filters (domains,
dates, languages) change nothing: a corpus is searched as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from deepassay.agents.search_results import SearchHit
from deepassay.files import without_surrogates
from deepassay.score import Json
from deepassay.wings.research.search.corpus import CorpusPage


@dataclass(frozen=True)
class SearchQuery:
    """A query. count: hits to a page of them, page: which, from 0. text: with whole pages."""

    dialect: str
    query: str
    count: int
    page: int = 0
    text: bool = False


@dataclass(frozen=True)
class ServedHit:
    """A hit, the page behind it, and the address under which the agent is to know it."""

    hit: SearchHit
    page: CorpusPage
    url: str

    @property
    def text(self) -> str | None:
        """All of the page; None where reading it fails."""
        return None if self.page.capture.failure else self.page.text


def search_query_of(
    path: str, parameters: Mapping[str, str], body: Json, headers: Mapping[str, str]
) -> SearchQuery | None:
    """What a request asks for, None where it has no query in any of the dialects.

    body: what a POST holds, None for a GET; the fields of a form are parameters. headers: by names
    in lower case.
    """
    told = parameters if body is None else body
    if not isinstance(told, Mapping):
        return None
    query = told.get("query" if body is not None and "query" in told else "q")
    if not isinstance(query, str) or not query.strip():
        return None
    dialect = _dialect(path, body, told, headers)
    count, most, name, text = _SHAPES[dialect]
    page = _number(told.get("pageno" if dialect == "searxng" else "page"), 1, 1000) - 1
    if dialect == "brave":
        page = _number(told.get("offset"), 0, 9)
    return SearchQuery(
        dialect,
        without_surrogates(query),
        max(1, _number(told.get(name), count, most)),
        max(0, page),
        text(told),
    )


def _dialect(path: str, body: Json, told: Mapping[str, Json], headers: Mapping[str, str]) -> str:
    has_key = "x-api-key" in headers
    if path.startswith("/res/"):
        return "brave"
    if body is None:
        return "serper" if has_key or "api_key" in told else "searxng"
    if "query" not in told:
        return "serper"
    return "exa" if has_key or "numResults" in told or "contents" in told else "tavily"


def _number(given: Json, default: int, most: int) -> int:
    try:
        return min(most, max(0, int(given)))
    except (TypeError, ValueError, OverflowError):
        return default


def _exa_text(told: Mapping[str, Json]) -> bool:
    contents = told.get("contents")
    return bool(isinstance(contents, Mapping) and contents.get("text"))


_SHAPES: Final[Mapping[str, tuple[int, int, str, Callable[[Mapping[str, Json]], bool]]]] = {
    "searxng": (10, 10, "", lambda told: False),
    "brave": (20, 20, "count", lambda told: False),
    "serper": (10, 100, "num", lambda told: False),
    "tavily": (5, 20, "max_results", lambda told: bool(told.get("include_raw_content"))),
    "exa": (10, 100, "numResults", _exa_text),
}
"""Of each dialect: hits by default and at most, what their number is called, and whether whole
pages are asked for."""


def answer(asked: SearchQuery, results: Sequence[ServedHit]) -> Json:
    """The hits of a query as its dialect writes them."""
    return _ANSWERS[asked.dialect](asked, results)


def _searxng(asked: SearchQuery, results: Sequence[ServedHit]) -> Json:
    return {
        "query": asked.query,
        "number_of_results": len(results),
        "results": [
            {
                "url": each.url,
                "title": each.hit.title,
                "content": each.hit.snippet,
                "publishedDate": each.hit.date,
                "engine": "corpus",
                "engines": ["corpus"],
                "score": 1 / each.hit.rank,
                "category": "general",
            }
            for each in results
        ],
        "answers": [],
        "corrections": [],
        "infoboxes": [],
        "suggestions": [],
        "unresponsive_engines": [],
    }


def _tavily(asked: SearchQuery, results: Sequence[ServedHit]) -> Json:
    return {
        "query": asked.query,
        "answer": None,
        "follow_up_questions": None,
        "images": [],
        "results": [
            {
                "url": each.url,
                "title": each.hit.title,
                "content": each.hit.snippet,
                "score": 1 / each.hit.rank,
                "raw_content": each.text if asked.text else None,
                "published_date": each.hit.date,
            }
            for each in results
        ],
        "response_time": 0.0,
    }


def _brave(asked: SearchQuery, results: Sequence[ServedHit]) -> Json:
    return {
        "type": "search",
        "query": {"original": asked.query, "more_results_available": False},
        "web": {
            "type": "search",
            "results": [
                {
                    "type": "search_result",
                    "url": each.url,
                    "title": each.hit.title,
                    "description": each.hit.snippet,
                    "page_age": each.hit.date,
                    "extra_snippets": [],
                }
                for each in results
            ],
        },
    }


def _exa(asked: SearchQuery, results: Sequence[ServedHit]) -> Json:
    entries = [
        _exa_page(each.page, each.url, asked.text) | {"highlights": [each.hit.snippet]}
        for each in results
    ]
    return {"requestId": "corpus", "resolvedSearchType": "keyword", "results": entries}


def _exa_page(page: CorpusPage, url: str, text: bool) -> dict[str, Json]:
    entry: dict[str, Json] = {
        "id": url,
        "url": url,
        "title": page.title,
        "publishedDate": page.date,
        "author": None,
    }
    return entry | ({"text": page.text} if text and not page.capture.failure else {})


def _serper(asked: SearchQuery, results: Sequence[ServedHit]) -> Json:
    return {
        "searchParameters": {"q": asked.query, "type": "search", "engine": "google"},
        "organic": [
            {
                "title": each.hit.title,
                "link": each.url,
                "snippet": each.hit.snippet,
                "position": each.hit.rank,
                **({"date": each.hit.date} if each.hit.date else {}),
            }
            for each in results
        ],
        "credits": 1,
    }


_ANSWERS: Final[Mapping[str, Callable[[SearchQuery, Sequence[ServedHit]], Json]]] = {
    "searxng": _searxng,
    "tavily": _tavily,
    "brave": _brave,
    "exa": _exa,
    "serper": _serper,
}


def addresses_wanted(body: Json) -> list[str]:
    """The addresses of which a body of `/extract` or `/contents` wants the pages."""
    told = body if isinstance(body, Mapping) else {}
    given = told.get("urls") or told.get("ids") or []
    several = given if isinstance(given, list) else [given]
    return [without_surrogates(each) for each in several[:100] if isinstance(each, str)]


def extracted_pages(pages: Mapping[str, CorpusPage | None]) -> Json:
    """Pages as Tavily extracts them. pages: by the address that was asked for; None for none."""
    return {
        "results": [
            {"url": url, "raw_content": page.text, "images": []}
            for url, page in pages.items()
            if page is not None and not page.capture.failure
        ],
        "failed_results": [
            {"url": url, "error": f"status {page.status if page else 404}"}
            for url, page in pages.items()
            if page is None or page.capture.failure
        ],
        "response_time": 0.0,
    }


def contents(pages: Mapping[str, CorpusPage | None]) -> Json:
    """Pages as Exa gives their contents."""
    found = {
        url: page for url, page in pages.items() if page is not None and not page.capture.failure
    }
    statuses = [
        {"id": url, "status": "success"}
        if url in found
        else {
            "id": url,
            "status": "error",
            "error": {
                "tag": "CRAWL_NOT_FOUND" if page is None else "SOURCE_NOT_AVAILABLE",
                "httpStatusCode": page.status if page else 404,
            },
        }
        for url, page in pages.items()
    ]
    results = [_exa_page(page, url, text=True) for url, page in found.items()]
    return {"requestId": "corpus", "results": results, "statuses": statuses}
