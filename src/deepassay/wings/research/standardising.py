"""Bringing reports into the standard form of citations (DeepResearch Bench, appendix H.2).

`[1][2]` before the mark that ends a sentence, and one list. By code wherever citations lead to
pages; where a report only names its pages somewhere, a model sets the numbers, and no other word
may change.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Final

from deepassay.errors import BadReports
from deepassay.intake.columns import NamedColumns
from deepassay.models.ask import Asker
from deepassay.models.operation import Inputs, OffMenu, Operation, Prose
from deepassay.reports.files import put_text, refuse_inside
from deepassay.reports.loaders import load_reports
from deepassay.reports.numbering import same_but_citations, standard
from deepassay.reports.report import Report
from deepassay.run.asking.agent_runs import is_found_again, report_file_of
from deepassay.run.asking.making import NOBODY, Listener, Made, MakingJob, make_all
from deepassay.run.settings import Settings
from deepassay.score import Cause, Unscored, report_key
from deepassay.tasks.task import detect_language
from deepassay.text import canonical


@dataclass(frozen=True)
class _StandardisedReport:
    """A report, under the file that it is to be written to."""

    id: str
    report: Report


def standardise(
    paths: Sequence[Path], output: Path, settings: Settings, *, listener: Listener = NOBODY
) -> Made:
    """Write AGENT/TASK.md into a folder for every report that it lacks. Raises BadInput."""
    refuse_inside(paths, output)
    items = []
    columns = NamedColumns.of(settings.columns)
    reports = load_reports(paths, columns=columns)
    columns.refuse_unmet()
    for each in reports:
        key = report_key(each)
        if not is_found_again(key):
            raise BadReports(
                f"Agent {each.agent!r} and task {each.task!r} cannot be names of a folder and a "
                "file.",
                "Name them otherwise.",
            )
        items.append(_StandardisedReport(str(report_file_of(Path(), key)), each))
    wanted = [each for each in items if not (output / each.id).exists()]
    made = Made(len(items), kept=len(items) - len(wanted))

    async def make(item: _StandardisedReport, maker: Asker) -> str | Unscored:
        if not item.report.text.strip():
            return Unscored(Cause.MISSING_INPUT, "the report is empty")
        return await in_standard_form(item.report.text, maker)

    def write(found: Sequence[tuple[_StandardisedReport, str]]) -> None:
        for item, text in found:
            put_text(output / item.id, text, force=False)

    make_all(MakingJob(make, write, calls=1), wanted, settings, made, listener)
    return made


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
