"""A plugin of pytest: a fixture with which a test asserts that a report is good enough.

    def test_report(deepassay):
        deepassay.assert_report("report.md", "Why is the sky blue?", {"presentation": 70})

Nothing else of this package is loaded before a test asks for the fixture.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from deepassay.reports.report import Report
    from deepassay.run.library import Run
    from deepassay.tasks.task import Task


class Assay:
    """Assertions on reports. folder: where run files are kept, None for none."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def assert_report(
        self,
        report: str | Path | Report,
        task: str | Mapping[str, Any] | Task,
        at_least: Mapping[str, float],
        **settings: Any,  # noqa: ANN401 - each is checked by its declaration
    ) -> Run:
        """Score a report, and fail unless it reaches what is asked for; the run with the evidence.

        report: a file, or `deepassay.Report(text)`. task: what the report answers, as a prompt, or
        a task with checklist, rubric or criteria. at_least: the least score, by protocol. settings:
        of `deepassay.evaluate`, such as judge="openai:gpt-5-mini", budget=1. A report without a
        score fails, with the reason.
        """
        __tracebackhide__ = True
        from deepassay.reports.report import Report
        from deepassay.results.gates import Floor, too_low
        from deepassay.run.library import evaluate
        from deepassay.run.showing.records import records_of
        from deepassay.tasks.loaders import tasks_of

        text = report.text if isinstance(report, Report) else _read(report)
        (known,) = tasks_of([{"id": "task", "prompt": task} if isinstance(task, str) else task])
        name = "report" if isinstance(report, Report) else Path(report).stem
        run = self._run_file(text, repr((known, sorted(at_least), settings)))
        done = evaluate(
            [known], [Report(text, agent=name, task=known.id)], list(at_least), run=run, **settings
        )
        floors = [Floor(*each) for each in at_least.items()]
        problems = too_low(records_of([done.path]), floors).failed
        if problems:
            evidence = done.explain(name, known.id)
            pytest.fail("\n".join([*problems, "", str(evidence)]), pytrace=False)
        return done

    def _run_file(self, *about: str) -> Path | None:
        """A run file of its own for each question, so that nothing is asked twice."""
        if self._folder is None:
            return None
        self._folder.mkdir(parents=True, exist_ok=True)
        return self._folder / f"{sha256(repr(about).encode()).hexdigest()[:16]}.assay"


def _read(path: str | Path) -> str:
    from deepassay.reports.loaders import reports_of

    found = reports_of([Path(path)])
    if len(found) != 1:
        pytest.fail(f"{path} holds {len(found)} reports: name one of them.", pytrace=False)
    return found[0].text


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option that keeps run files."""
    parser.getgroup("deepassay").addoption(
        "--deepassay-runs",
        metavar="FOLDER",
        help="Keep run files of the fixture `deepassay` here: what was asked is not asked again.",
    )


@pytest.fixture
def deepassay(request: pytest.FixtureRequest) -> Assay:
    """Assertions on reports: `deepassay.assert_report(report, task, {"presentation": 70})`."""
    folder = request.config.getoption("--deepassay-runs")
    return Assay(Path(folder) if folder else None)
