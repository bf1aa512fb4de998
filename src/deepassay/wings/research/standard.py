"""Reports in the standard form of citations (DeepResearch Bench, appendix H.2).

`[1][2]` before the mark that ends a sentence, and one list. By code wherever citations lead to
pages; where a report only names its pages somewhere, a model sets the numbers, and no other word
may change.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib.resources import files
from typing import Final

from deepassay.models.ask import Asker
from deepassay.models.operation import Inputs, OffMenu, Operation, Prose
from deepassay.reports.numbering import same_but_citations, standard
from deepassay.reports.report import Report
from deepassay.score import Cause, Unscored
from deepassay.tasks.task import detect_language
from deepassay.text import canonical

_ADDRESS: Final = re.compile(r"https?://[^\s<>()\[\]\"'`，。；）】」]+", re.IGNORECASE)


class Unnumbered(Inputs):
    """A report that names pages and cites none of them."""

    report: str


def _only_citations(inputs: Unnumbered, answer: Prose) -> None:
    if not same_but_citations(inputs.report, answer.text):
        raise OffMenu(
            "words besides citations and lists of sources were changed, left out or added; copy "
            "all others exactly"
        )
    cited = _cited(Report(answer.text))
    if not cited:
        raise OffMenu("no citation leads to an entry with an address")
    if strange := cited - _pages(_ADDRESS.findall(inputs.report)):
        raise OffMenu(f"{min(strange)} is no address that the report gives")


cite: Final = Operation(
    "standard/cite",
    prompts=files("deepassay.wings.research") / "prompts",
    takes=Unnumbered,
    gives=Prose,
    offline=lambda inputs: Prose(text=inputs.report),
    check=_only_citations,
)


async def in_standard_form(text: str, asker: Asker) -> str | Unscored:
    """The report in the standard form; one that names no page is left as it is.

    Unscored where numbers would change what a statement cites.
    """
    if not _cited(Report(text)) and _ADDRESS.search(text):
        found = await asker(cite, Unnumbered(language=detect_language(text), report=text))
        if isinstance(found, Unscored):
            return found
        text = found.value.text
    done = standard(text)
    return Unscored(Cause.MISSING_INPUT, done.refused) if done.refused else done.text


def _cited(report: Report) -> set[str]:
    """The pages that citations lead to."""
    return _pages(url for each in report.resolved for url in each.urls)


def _pages(urls: Iterable[str]) -> set[str]:
    return {canonical(url.rstrip(".,;:!?*")) for url in urls}
