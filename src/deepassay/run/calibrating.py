"""Judges of run files and of published scores, calibrated by a file of what people said."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from deepassay.results.agreement.verdicts import Decision, word_of
from deepassay.results.calibration.calibrate import Calibration, calibrate
from deepassay.results.calibration.kept import KeptFile, digests
from deepassay.results.calibration.labelled import labels_on, number_of
from deepassay.results.calibration.tables import write
from deepassay.results.records import Judged
from deepassay.run.boards import only_judged_by, scores_of
from deepassay.run.people import Decisions, left_out, read_decisions, strange, told_apart
from deepassay.score import Signature, without_options


@dataclass(frozen=True)
class Calibrated:
    """What labels say of every judge. remarks: what of their file could not be used, and why."""

    found: tuple[Calibration, ...]
    kept: KeptFile
    remarks: tuple[str, ...]

    def written(self, format: str) -> str:
        """As text, markdown, csv or json."""
        return write(self.found, self.kept, format)


def calibrate_runs(
    human: Path,
    runs: Sequence[Path],
    seed: int,
    protocols: Sequence[str] = (),
    judged_by: Sequence[str] = (),
) -> Calibrated:
    """Every judge that people's labels are on. protocols, judged_by: as in `ranking_of`.

    Raises BadTasks for a file without a usable row, BadSetting for a protocol that nobody was
    judged by, and BadInput if no row is on anything that the runs hold.
    """
    every = scores_of(runs, judged_by)
    records = only_judged_by(protocols, every)
    decisions = read_decisions(human)
    if protocols:
        decisions = _without(decisions, _names(every) - _names(records))
    recipes: defaultdict[str, dict[str, Signature]] = defaultdict(dict)
    for record in records:
        recipes[record.protocol][record.signature.digest] = record.signature
    names = {
        digest: name
        for own in recipes.values()
        for digest, name in told_apart(list(own.values())).items()
    }
    labelled, used = labels_on(decisions.usable, records, names)
    if not labelled:
        raise strange(human, decisions.usable, records)
    found = tuple(calibrate(each, seed) for each in labelled)
    kept = KeptFile.of(human.name, found, digests(records))
    return Calibrated(found, kept, tuple(left_out(decisions, used, _no_number)))


def _no_number(decision: Decision) -> str:
    """Why a verdict cannot be calibrated by, where it is none that counts as yes, no or partly."""
    if decision.verdict is None or number_of(word_of(decision.verdict)) is not None:
        return ""
    return f"the verdict {decision.verdict!r} counts neither as yes nor as no."


def _names(records: Iterable[Judged]) -> set[str]:
    """The protocols, with their options and without."""
    written = {each.protocol for each in records}
    return written | {without_options(name) for name in written}


def _without(decisions: Decisions, protocols: set[str]) -> Decisions:
    """Without what is on protocols that nobody asked for."""
    kept = tuple(each for each in decisions.usable if each.protocol not in protocols)
    return replace(decisions, usable=kept)
