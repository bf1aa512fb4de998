"""The stages of the authors' released FACT program as pure functions: edition `code`.

The program extracts citations, keeps one of several statements under one address as written, reads
the pages, has them judged and counts. It checks little of what a model answers; what it takes, what
it falls back to and where it stops is here as it is there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from deepassay.protocols.released import Quirk, Ungraded, fired
from deepassay.score import Json

EXTRACTION_FAILED: Final = "extraction failed"
"""What the program writes in place of citations where a model answered nothing at all."""

_ESCAPED = re.compile(r"\\([<>+~])")
_TEXT_FRAGMENT = re.compile(r"#:~:text=[^)\s]*(?=\))")


class FactQuirk(Quirk):
    """Where the program does what edition `paper` does not."""

    NO_CITATIONS = "fact-no-citations"
    EXTRACTION_FAILED = "fact-extraction-failed"
    RAW_ADDRESS = "fact-raw-address"
    KEPT_ALL = "fact-kept-all"
    KEPT_TWICE = "fact-kept-twice"
    COUNTED_BACK = "fact-counted-back"
    STOPPED = "fact-stopped"
    FAILURE_JUDGED = "fact-failure-judged"
    ODD_NUMBER = "fact-odd-number"
    OTHER_LABEL = "fact-other-label"
    UNKNOWN_LEFT_OUT = "fact-unknown-left-out"
    PAGE_LEFT_OUT = "fact-page-left-out"


def without_addresses(text: str) -> str:
    """`[words](address)` written `[words]`, as the program does in facts. Linear in time."""
    pieces, at, search, close = [], 0, 0, -1
    while (mark := text.find("](", search)) >= 0:
        if close < mark + 2 and (close := text.find(")", mark + 2)) < 0:
            break
        search = mark + 1
        opening = text.find("[", max(at, text.rfind("]", at, mark) + 1), mark - 1)
        if opening >= 0 and close > mark + 2:
            pieces.append(text[at : mark + 1])
            at = search = close + 1
    return "".join([*pieces, text[at:]])


def without_text_fragments(article: str) -> str:
    """Links without the fragments by which browsers find a passage, cut for agents of OpenAI."""
    return _TEXT_FRAGMENT.sub("", article)


def without_fences(raw: str) -> str:
    """An answer without the marks of a code block, wherever they stand."""
    return raw.replace("```json", "").replace("```", "").strip()


def unescaped(text: str) -> str:
    """A text without the backslashes that Markdown has and JSON forbids: before < > + ~."""
    return _ESCAPED.sub(r"\1", text)


def read_citations(raw: str) -> Json:
    """The list of `{fact, ref_idx, url}` in an answer, links in facts undone. Raises ValueError."""
    if not raw:
        return EXTRACTION_FAILED
    found = json.loads(unescaped(without_fences(raw)))
    if not isinstance(found, list) or not all(
        isinstance(each, dict) and isinstance(each.get("fact"), str) for each in found
    ):
        raise ValueError("The answer must be a list of objects, each with a text as its `fact`.")
    return [{**each, "fact": without_addresses(each["fact"])} for each in found]


def facts_by_address(citations: Json) -> dict[Json, list[str]]:
    """Facts under their addresses as written: nothing is done to make two spellings one."""
    groups: dict[Json, list[str]] = {}
    for each in citations:
        if not isinstance(each, dict) or "url" not in each:
            raise Ungraded("a citation has no `url`", FactQuirk.STOPPED)
        groups.setdefault(each["url"], []).append(each["fact"])
    return groups


def read_json(raw: str) -> Json:
    """Any JSON in an answer, its fences taken off. Raises ValueError."""
    return json.loads(without_fences(raw))


class KeptFacts(NamedTuple):
    """Facts that stay, and what was odd about the answer that chose them."""

    facts: tuple[str, ...]
    quirks: tuple[FactQuirk, ...] = ()


def kept_facts(facts: Sequence[str], numbers: Json) -> KeptFacts:
    """The facts with these numbers, from 1. All of them where the numbers cannot be meant."""
    try:
        if not numbers or 0 in numbers or len(numbers) > len(facts):
            return KeptFacts(tuple(facts), (FactQuirk.KEPT_ALL,))
        kept = tuple(facts[number - 1] for number in numbers)
    except (IndexError, TypeError) as error:
        raise Ungraded(
            f"which facts are kept cannot be read from {numbers!r:.60}", FactQuirk.STOPPED
        ) from error
    odd = {
        FactQuirk.COUNTED_BACK: any(number < 0 for number in numbers),
        FactQuirk.KEPT_TWICE: len(set(numbers)) < len(numbers),
    }
    return KeptFacts(kept, tuple(fired(odd)))


def page_text(title: str | None, description: str | None, content: str | None) -> str:
    """A page as it is shown to the judge; what is null is shown as `None`."""
    return f"{title}\n\n{description}\n\n{content}"


def failure_text(problem: str) -> str:
    """What stands in place of a page that could not be read, and is judged like a page."""
    return f"scrape failed: {problem}"


def read_verdicts(raw: str) -> Json:
    """The list of `{idx, result}` in an answer, counted from 1. Raises ValueError."""
    found = read_json(raw)
    if not isinstance(found, list) or not all(
        isinstance(each, dict) and isinstance(each.get("idx"), int | float) for each in found
    ):
        raise ValueError("The answer must be a list of objects with a number `idx`.")
    return found


def from_zero(verdicts: Json) -> list[dict[str, Json]]:
    """Verdicts with their numbers counted from 0, as the program keeps them."""
    return [{**each, "idx": each["idx"] - 1} for each in verdicts]


class JudgedAddress(NamedTuple):
    """The facts under one address and the verdicts on them; `error` where there are none."""

    facts: Sequence[str]
    verdicts: Sequence[Mapping[str, Json]]
    error: str | None = None


class VerdictCounts(NamedTuple):
    """What one report adds to the figures.

    judged: verdicts other than unknown. supported: of those. unknown, failed: what is left out;
    failed are the facts of pages without verdicts.
    """

    judged: int
    supported: int
    unknown: int
    failed: int


def tally(groups: Sequence[JudgedAddress]) -> VerdictCounts:
    """Count the verdicts of one report. Raises Ungraded where a verdict has no `result`.

    Only `supported` in just these letters is support; every other label but `unknown` is not.
    """
    results = []
    for group in groups:
        if group.error is None:
            if any(not isinstance(each, dict) or "result" not in each for each in group.verdicts):
                raise Ungraded("there is no 'result'", FactQuirk.STOPPED)
            results += [each["result"] for each in group.verdicts]
    judged = [each for each in results if each != "unknown"]
    return VerdictCounts(
        len(judged),
        sum(each == "supported" for each in judged),
        len(results) - len(judged),
        sum(len(group.facts) for group in groups if group.error is not None),
    )


def tally_quirks(groups: Sequence[JudgedAddress], counted: VerdictCounts) -> list[FactQuirk]:
    """What of the count edition `paper` would not have let pass."""
    heard = [group for group in groups if group.error is None]
    labels = [each["result"] for group in heard for each in group.verdicts]
    return fired(
        {
            FactQuirk.ODD_NUMBER: any(
                sorted(str(each["idx"]) for each in group.verdicts)
                != sorted(map(str, range(len(group.facts))))
                for group in heard
            ),
            FactQuirk.OTHER_LABEL: any(
                label not in ("supported", "unsupported", "unknown") for label in labels
            ),
            FactQuirk.UNKNOWN_LEFT_OUT: counted.unknown > 0,
            FactQuirk.PAGE_LEFT_OUT: len(heard) < len(groups),
        }
    )
