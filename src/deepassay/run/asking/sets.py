"""Published sets by name: what a run is told by one, and what people ask of it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from math import ceil
from pathlib import Path

from deepassay.errors import BadSetting, BadTasks, Notice
from deepassay.protocols.bibliography.protocol import BibliographyRecall
from deepassay.protocols.protocol import Protocol
from deepassay.protocols.rubrics.protocol import Rubrics
from deepassay.protocols.rubrics.recounting import RecountedFigure, recounted
from deepassay.protocols.rubrics.scoring import uncountable
from deepassay.protocols.rubrics.setting import setting_of
from deepassay.run.settings import Settings
from deepassay.tasks.set_tables import PublishedSet, published_sets, set_named
from deepassay.tasks.task import Task


def judged_by_set(settings: Settings) -> Settings:
    """Settings with the protocol of the set that is named, and as many repeats as it wants.

    Protocols that are named stay; `rubrics` among them is the set's. Raises BadSetting.
    """
    if settings.set is None:
        return settings
    found, changes = set_named(settings.set), dict[str, object]()
    own: Protocol
    if found.setting:
        own = Rubrics(edition=settings.edition, set=settings.set)
        if "repeat" not in settings.model_fields_set:
            changes["repeat"] = own.setting.passes
    elif found.references:
        own = BibliographyRecall(edition=settings.edition, set=settings.set)
    else:
        return settings
    named = [own if each in (own.name, type(own)()) else each for each in settings.protocols]
    changes["protocols"] = tuple(named) or (own,)
    return settings.model_copy(update=changes)


def check_shapes(protocols: Sequence[Protocol], tasks: Sequence[Task]) -> None:
    """Raise BadTasks for rubrics that the shape of a set cannot count, before anybody is asked.

    Of a shape of which nothing stands in any of them a Notice tells.
    """
    for protocol in protocols:
        if not isinstance(protocol, Rubrics) or protocol.setting.shape == "flat":
            continue
        shape = protocol.setting.shape
        found = [each for task in tasks for each in task.rubric]
        for task in tasks:
            if task.rubric and (problem := uncountable(task.rubric, protocol.setting)):
                raise BadTasks(f"Task {task.id}: {problem}", "Correct the set, or its criteria.")
        shaped = any(each.within or (each.critical and shape == "gate") for each in found)
        if found and not shaped:
            means = "within" if shape == "storeys" else "critical or within"
            told = f'shape "{shape}": no criterion says {means}, so that all count in one pot.'
            warnings.warn(Notice(f"{protocol}: {told}"), stacklevel=2)


def calls_a_report(name: str, found: PublishedSet) -> int | None:
    """About how many calls a report of a set costs; None where it is not judged by criteria."""
    if not found.criteria:
        return None
    setting = setting_of(name)
    together = setting.together or found.criteria
    return ceil(found.criteria / together) * setting.passes


def rows_of_sets(names: Sequence[str]) -> list[dict[str, str]]:
    """What `tasks sets` says of sets, of all of ours where none is named. Raises BadSetting."""
    rows = []
    for name in names or published_sets():
        found = set_named(name)
        released = not found.setting or setting_of(name).code is not None
        calls = calls_a_report(name, found)
        counted = "no call: its references are held against those of an expert, --bibliography"
        alone = counted if found.references else "tasks alone: it has no criteria"
        judged = f"about {calls} calls of the judge" if calls else alone
        editions = "none"
        if calls or found.references:
            editions = "paper, code" if released else "paper"
        rows.append(
            {
                "set": name,
                "title": found.title,
                "measures": found.measures,
                "a report": judged,
                "editions": editions,
                "licence": found.licence,
                "source": found.source,
                "ours": found.ours,
            }
        )
    return rows


def recounted_figures(name: str, files: Sequence[Path]) -> list[RecountedFigure]:
    """What a set's published verdicts come to, beside the published figures. Raises BadInput."""
    found = set_named(name)
    if found.verdicts is None:
        having = ", ".join(each for each, own in published_sets().items() if own.verdicts)
        raise BadSetting(
            f"{name} does not say where published verdicts of it stand.", f"These do: {having}."
        )
    setting = setting_of(name)
    return [each for file in files for each in recounted(file, found.verdicts, setting)]
