"""The families of agents, from a file that people write."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from deepassay.errors import BadInput
from deepassay.intake.rows import InputRow
from deepassay.results.families import Profile
from deepassay.tasks.rows import read_rows

PROFILE_FIELDS: Final = ("agent", "family", "collected")
EXAMPLE: Final = "Give every row an agent and a family, and a day (collected) if you like."


def read_profiles(path: Path) -> dict[str, Profile]:
    """The agents of a file in CSV, JSON Lines or YAML, in its order, by their names.

    Raises BadInput naming the line.
    """
    profiles: dict[str, Profile] = {}
    for row in read_rows(path):
        profile = _profile(row)
        if profile.agent in profiles:
            raise BadInput(
                f"{row.place}: the agent {profile.agent!r} stands there for the second time.",
                "An agent belongs to one family: remove one of the two.",
            )
        profiles[profile.agent] = profile
    if not profiles:
        raise BadInput(f"{path} names no agent.", EXAMPLE)
    return profiles


def _profile(row: InputRow) -> Profile:
    unknown = [name for name in row.fields if name not in PROFILE_FIELDS]
    if unknown:
        raise BadInput(
            f"{row.place}: there is no field {unknown[0]!r}.",
            f"Fields: {', '.join(PROFILE_FIELDS)}.",
        )
    values = row.cells  # YAML reads a day as a date
    for name in ("agent", "family"):
        if not values.get(name):
            raise BadInput(f"{row.place}: the field {name!r} is missing or empty.", EXAMPLE)
    return Profile(**values)
