"""Answers of providers of searches, read as what strangers say.

What is not of the type that it should be is not there; an entry without an address that can be
asked for is no hit. So an odd answer costs its own search at most.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Final, Protocol, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    WrapValidator,
)

from deepassay.agents.search_results import SearchHit, SearchHits
from deepassay.errors import SearchFailed
from deepassay.files import strangers_json
from deepassay.score import Json
from deepassay.sources.faults import address_refusal
from deepassay.text import canonical

_TAG: Final = re.compile(r"</?(?:strong|b|em|mark)>", re.IGNORECASE)
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")
_NOWHERE: Final = re.compile(r"[\s\x00-\x1f\x7f]")

LONGEST_ANSWER: Final = 8_000_000
"""Characters; twenty pages of 100,000 are a quarter of it."""

LONGEST_LINE: Final = 20_000
"""Characters of a title or a passage."""

LONGEST_ADDRESS: Final = 4_000
"""Characters."""


@dataclass(frozen=True)
class Fields:
    """Where hits stand in an answer. hits: keys that lead to the list; the others: of one hit.

    Of several keys the values are joined.
    """

    hits: Sequence[str]
    snippet: Sequence[str]
    url: str = "url"
    title: str = "title"
    text: str = ""
    date: str = ""


class SearchInterface(Protocol):
    """What has to be known of a provider to read its answers."""

    @property
    def name(self) -> str:
        """The name of the provider, as messages and recipes have it."""
        ...

    @property
    def fields(self) -> Fields:
        """Where hits stand in an answer of the provider."""
        ...


def read_hits(provider: SearchInterface, answer: str, count: int, requests: int = 1) -> SearchHits:
    """An answer of a provider as hits, each address once. Raises SearchFailed for what is none."""
    if len(answer) > LONGEST_ANSWER:
        raise SearchFailed(
            f"{provider.name} answered with {len(answer):,} characters, and {LONGEST_ANSWER:,} are "
            "read.",
            "Ask it for fewer hits, or another provider.",
        )
    try:
        told = strangers_json(answer)
    except ValueError:
        told = None
    if not isinstance(told, dict):
        raise SearchFailed(
            f"{provider.name} answered with what is no JSON object: {error_line(answer)}.",
            "See whether the address is that of its interface for programs.",
        )
    entries: Json = told
    for name in provider.fields.hits:
        entries = entries.get(name) if isinstance(entries, dict) else None
    listed = entries if isinstance(entries, list) else ()
    about = _AnswerDetails.model_validate(told)
    silent = [", ".join(each) for each in about.unresponsive_engines]
    if not listed and silent:
        raise SearchFailed(
            f"{provider.name}: none of its engines answered ({error_line('; '.join(silent))}).",
            "Wait until they let the instance in again, or enable others in its settings.",
        )
    if not listed and (error := told.get("error") or told.get("detail")):
        raise SearchFailed(f"{provider.name} answered: {error_line(json.dumps(error))}.", "")
    hits: dict[str, SearchHit] = {}
    for hit in filter(None, [_hit(provider, each) for each in listed]):
        hits.setdefault(hit.url, hit)
    notes = [f"An engine gave no answer: {error_line(each)}." for each in silent]
    if about.credits is not None:
        notes.append(f"It took {about.credits} of the plan's credits.")
    return SearchHits(
        tuple(replace(hit, rank=rank) for rank, hit in enumerate([*hits.values()][:count], 1)),
        tuple(notes),
        about.costDollars.total if about.costDollars else None,
        requests,
        answer,
    )


T = TypeVar("T")


def _or_nothing(value: object, inner: Callable[[object], T]) -> T | None:
    """What is not of the type that it should be is not there, and costs nothing beside it."""
    try:
        return inner(value)
    except (ValidationError, OverflowError):
        return None


_Or: Final = WrapValidator(_or_nothing)


def _line(value: object) -> str:
    """A text of an answer without marks of emphasis; a list of texts as one."""
    texts = value if isinstance(value, list) else [value]
    plain = (each for each in texts if isinstance(each, str))
    lines = (" ".join(html.unescape(_TAG.sub("", each[:LONGEST_LINE])).split()) for each in plain)
    return " … ".join(filter(None, lines))[:LONGEST_LINE]


def _whole(value: object) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def _address(url: str) -> str:
    """The canonical form of an address that can be asked for. Raises ValueError."""
    bare = url.strip()
    if len(bare) > LONGEST_ADDRESS or _NOWHERE.search(bare):
        raise ValueError("no address stands on several lines, or has blanks")
    if (refused := address_refusal(bare)) is not None:
        raise ValueError(refused.detail)
    return canonical(bare)


def _engines(value: object) -> tuple[tuple[str, ...], ...]:
    """The engines of SearXNG that gave no answer, each with its reason."""
    listed = value if isinstance(value, list) else []
    several = (each if isinstance(each, list) else [each] for each in listed[:100])
    return tuple(tuple(one for one in each if isinstance(one, str)) for each in several)


_Line = Annotated[str, BeforeValidator(_line)]


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")


class _AnswerEntry(_Strict):
    """One entry of an answer: only with an address it is a hit."""

    url: Annotated[str, AfterValidator(_address)]
    title: _Line = ""
    snippet: tuple[_Line, ...] = ()
    text: Annotated[str | None, BeforeValidator(_whole)] = None
    date: _Line = ""


class _Dollars(_Strict):
    total: Annotated[Annotated[float, Field(ge=0, le=10**6, allow_inf_nan=False)] | None, _Or] = (
        None
    )


class _AnswerDetails(_Strict):
    """What answers say besides hits, each part of it only if it is what it should be."""

    credits: Annotated[Annotated[int, Field(ge=0, le=10**9)] | None, _Or] = None
    costDollars: Annotated[_Dollars | None, _Or] = None  # noqa: N815 - as Exa writes it
    unresponsive_engines: Annotated[tuple[tuple[str, ...], ...], BeforeValidator(_engines)] = ()


def _hit(provider: SearchInterface, entry: object) -> SearchHit | None:
    """The hit in an entry of an answer; None where it has no address that can be asked for."""
    if not isinstance(entry, dict):
        return None
    fields = provider.fields
    given = {
        "url": entry.get(fields.url),
        "title": entry.get(fields.title),
        "snippet": tuple(entry.get(name) for name in fields.snippet),
        "text": entry.get(fields.text),
        "date": entry.get(fields.date),
    }
    try:
        read = _AnswerEntry.model_validate(given)
    except ValidationError:
        return None
    day = _DAY.match(read.date)
    return SearchHit(
        read.url,
        read.title,
        " … ".join(filter(None, read.snippet)),
        read.text,
        (day[0] if day else read.date[:100]) or None,
        provider=provider.name,
    )


def error_line(text: str) -> str:
    """What an answer that is no success says, on one line of 200 characters at most."""
    line = " ".join(re.sub(r"<[^<>]{0,300}>", " ", text[:5000]).split())
    return (line[:200] or "nothing").rstrip(".")
