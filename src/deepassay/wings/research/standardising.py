"""Bringing reports into the standard form of citations, several at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from deepassay.errors import BadReports
from deepassay.intake.columns import NamedColumns
from deepassay.models.ask import Asker
from deepassay.reports.files import put_text, refuse_inside
from deepassay.reports.loaders import load_reports
from deepassay.reports.report import Report
from deepassay.run.asking.agent_runs import is_found_again, report_file_of
from deepassay.run.asking.making import NOBODY, Listener, Made, MakingJob, make_all
from deepassay.run.settings import Settings
from deepassay.score import Cause, Unscored, report_key
from deepassay.wings.research.standard import in_standard_form


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
