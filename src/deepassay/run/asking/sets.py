"""Published sets by name: what a run is told by one, and what people ask of it."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from deepassay.protocols.rubrics.protocol import Rubrics
from deepassay.protocols.rubrics.setting import setting_of
from deepassay.run.settings import Settings
from deepassay.tasks.set_tables import PublishedSet, published_sets, set_named


def judged_by_set(settings: Settings) -> Settings:
    """Settings with the protocol of the set that is named, and as many repeats as it wants.

    Protocols that are named stay; `rubrics` among them is the set's. Raises BadSetting.
    """
    if settings.set is None or not set_named(settings.set).setting:
        return settings
    setting = setting_of(settings.set)
    own = Rubrics(edition=settings.edition, set=settings.set)
    named = [own if each in ("rubrics", Rubrics()) else each for each in settings.protocols]
    changes: dict[str, object] = {"protocols": tuple(named) or (own,)}
    if "repeat" not in settings.model_fields_set:
        changes["repeat"] = setting.passes
    return settings.model_copy(update=changes)


def calls_of(name: str, found: PublishedSet) -> int | None:
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
        calls = calls_of(name, found)
        judged = f"about {calls} calls of the judge" if calls else "not by criteria"
        rows.append(
            {
                "set": name,
                "title": found.title,
                "measures": found.measures,
                "a report": judged,
                "editions": "paper, code" if released else "paper",
                "licence": found.licence,
                "source": found.source,
                "ours": found.ours,
            }
        )
    return rows
