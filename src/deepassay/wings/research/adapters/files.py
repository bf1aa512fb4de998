"""Reports that somebody has written already, taken as the answers of an agent."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from deepassay.agents.agent import Agent, Session, Stop
from deepassay.reports.loaders import load_reports
from deepassay.reports.report import Report
from deepassay.runfile import AgentRun
from deepassay.score import digest
from deepassay.tasks.task import Task
from deepassay.wings.research.concluding import concluded


class Files(Agent):
    """`files:PATH`: by the identifier of the task, else by its prompt."""

    kind: ClassVar[str] = "files"
    writes: ClassVar[bool] = False

    files: Path

    @cached_property
    def _reports(self) -> dict[tuple[str, int], Report]:
        found: dict[tuple[str, int], Report] = {}
        for report in load_reports([self.files]):
            found[report.task, report.sample] = report
            if report.prompt:
                found.setdefault((_of_prompt(report.prompt), report.sample), report)
        return found

    def outlook(self) -> str:
        """Nothing: the reports are there."""
        return "nothing is asked, its reports are there"

    def check(self, environment: Mapping[str, str]) -> None:
        """Read the reports. Raises BadReports."""
        assert self._reports

    async def answer(self, task: Task, session: Session) -> AgentRun:
        """The report of the files, or `failed` where there is none."""
        keys = (task.id, session.sample), (_of_prompt(task.prompt), session.sample)
        report = next((self._reports[key] for key in keys if key in self._reports), None)
        if report is None:
            return AgentRun(None, Stop.FAILED, f"{self.files} has no report for task {task.id}.")
        return concluded(report.text)


def _of_prompt(prompt: str) -> str:
    return "prompt " + digest(" ".join(prompt.split()))
