"""A judge on trial: asked about reports and changed copies of them, and what comes of both.

An audit is an evaluation of more reports: what asks, keeps, resumes and caps it is that of
`evaluate`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from deepassay import __version__
from deepassay.errors import BadInput
from deepassay.run.asking.evaluate import OnProgress, Summary, carry_out, engine_of
from deepassay.run.showing.output import check_output, write_output
from deepassay.run.showing.records import judged
from deepassay.runfile import RunFile
from deepassay.runfile.rows import Capture
from deepassay.score import digest
from deepassay.sources.page import Failure
from deepassay.text import canonical
from deepassay.wings.trials.auditing.audit_file import AuditFile
from deepassay.wings.trials.auditing.audit_plan import Prepared
from deepassay.wings.trials.auditing.measures import audited
from deepassay.wings.trials.auditing.tables import write
from deepassay.wings.trials.perturb.marks import DEAD


@dataclass(frozen=True)
class Audited:
    """What came of an audit. kept: nothing where it is not done."""

    summary: Summary
    kept: AuditFile | None

    def write(self, path: Path) -> None:
        """Write the file, in place of what is there. Raises BadSetting."""
        if self.kept:
            write_output(path, self.kept.to_json(), [self.summary.settings.run], force=True)

    def told(self, format: str) -> str:
        """The audit on one page, see `results.auditing.tables`."""
        return write(self.kept, format) if self.kept else ""


def audit(
    prepared: Prepared,
    on_progress: OnProgress = lambda tally, spent: None,
    tell_of_signal: Callable[[], None] = lambda: None,
) -> Audited:
    """Ask, keep, and say what it comes to; the same audit again goes on from where it was."""
    settings = prepared.settings
    with engine_of(settings) as engine, RunFile.create(settings.run) as run:
        asyncio.run(_keep_dead(prepared, run))
        plan = prepared.plan
        work = carry_out(plan, settings, run, engine, on_progress, tell_of_signal)
        summary = asyncio.run(work)
    if summary.tally.left or settings.part:
        return Audited(summary, None)
    return Audited(summary, of_run(prepared, settings.run))


def audit_file_of(run: Path, output: Path | None, *, force: bool) -> Path:
    """Where the file of an audit goes: beside its run file, unless it is named.

    Raises BadSetting where another file stands there, unless `force`; an older audit may go.
    """
    path = output or run.with_suffix(".audit.json")
    check_output(path, [run], force=force or _is_audit(path))
    return path


def _is_audit(path: Path) -> bool:
    try:
        AuditFile.of_file(path)
    except BadInput:
        return False
    return True


async def _keep_dead(prepared: Prepared, run: RunFile) -> None:
    """Dead addresses are dead also where nothing may be fetched."""
    for each in prepared.copies:
        for change in each.done.changes:
            if change.inserted.startswith(DEAD):
                await run.captures.keep(
                    Capture(
                        canonical(change.inserted),
                        f"{prepared.plan.day.isoformat()}T00:00:00Z",
                        "audit",
                        failure=str(Failure.GONE),
                        detail="The audit made this address.",
                    )
                )


def of_run(prepared: Prepared, path: Path) -> AuditFile:
    """What a run file shows of its judges."""
    with RunFile.read(path) as run:
        found = tuple(audited(judged(run), prepared.design, run.protocols()))
    return AuditFile(
        version=__version__,
        date=prepared.plan.day.isoformat(),
        seed=prepared.order.seed,
        quick=prepared.order.quick,
        texts=digest(sorted(each.digest for each in prepared.originals))[:12],
        judges=found,
    )
