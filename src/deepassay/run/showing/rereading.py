"""Kept verdicts on pages, held to the answers that they were read from.

Outcomes are computed from verdicts that are kept, since a page is judged once for all who ask. So
whoever changes one and what comes of it would not be contradicted by an outcome: here every verdict
is read once more from the judge's own answer.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, NamedTuple, get_args

from deepassay.errors import BadRunFile
from deepassay.models.ask import ReplayAsker
from deepassay.models.prompt import Language
from deepassay.protocols.protocol import ROLES
from deepassay.protocols.support import Said, said_together
from deepassay.results.tables import several
from deepassay.runfile import RunFile, StoredVerdict
from deepassay.score import Json, Unscored, digest

_SHOWN: Final = 60
"""Characters of a statement in a message."""


@dataclass
class RereadVerdicts:
    """What came of it. same: how many are what the answer says. different: which are not.

    unread: how many have no answer here that they can be read from: their page is a trace's, or
    runs were merged that had asked about one page each.
    """

    same: int = 0
    different: list[str] = field(default_factory=list)
    unread: int = 0

    @property
    def told_unread(self) -> str:
        """How many were not read again, as a sentence."""
        return (
            f"{several(self.unread, 'verdict')} on pages, whose answers or pages are not in the "
            "file as they were asked about."
        )


class _Asked(NamedTuple):
    """Who was asked about which page: text of the page, and the judge as the run remembers it."""

    page: str
    judge: ReplayAsker
    repeats: int

    async def again(
        self, own: Sequence[StoredVerdict], together: Sequence[str]
    ) -> Mapping[str, Said] | None:
        """What was answered about statements together; None if they were not asked so.

        Of several repeats, those answers that most of these verdicts name.
        """
        found: list[dict[str, Said]] = []
        for repeat in range(self.repeats):
            for language in get_args(Language):
                with suppress(BadRunFile):  # it was not asked in this language or repeat
                    found.append(
                        await said_together(
                            self.page, together, self.judge, language=language, repeat=repeat
                        )
                    )
        return max(found, key=lambda said: sum(_is_of(row, said) for row in own), default=None)


async def reread(run: RunFile) -> RereadVerdicts:
    """Read every kept verdict from its answer. Nothing is asked."""
    found = RereadVerdicts()
    judges: dict[str, Mapping[str, Json]] = {}
    repeats = 1
    for identity in run.protocols().values():
        repeats = max(repeats, identity["repeats"])
        for one in (*identity["judges"], *(identity.get(role) for role in ROLES)):
            if one:
                judges[digest(dict(one))] = one
    kept: defaultdict[tuple[str, str], list[StoredVerdict]] = defaultdict(list)
    for row in run.verdicts.each():
        kept[row.page, row.judge].append(row)
    for (page, judge), rows in kept.items():
        text = run.captures.text(page)
        if text is not None and judge in judges:
            asker = ReplayAsker(run, judges[judge])
            await _reread(rows, _Asked(text, asker, repeats), found)
        else:
            found.unread += sum(row.verdict != "failed" for row in rows)
    return found


async def _reread(rows: Sequence[StoredVerdict], asked: _Asked, found: RereadVerdicts) -> None:
    """The verdicts of one page and judge, which stand in the order in which they were given."""
    left = [row for row in rows if row.verdict != "failed"]
    # Of what failed at first it is known with which others it was asked.
    failed = dict.fromkeys(row.quote for row in rows if row.verdict == "failed")
    while left:
        for own, together in _batches(left, failed):
            if (said := await asked.again(own, together)) is not None:
                for row in own:
                    _compare(row, said[row.statement], found)
                left = left[len(own) :]
                break
        else:
            found.unread += 1
            left = left[1:]


def _batches(
    left: Sequence[StoredVerdict], failed: Mapping[str, None]
) -> Iterator[tuple[Sequence[StoredVerdict], Sequence[str]]]:
    """What may have been asked together, the likeliest first: the rows, and all statements."""
    first = left[0]
    for quote in failed:
        batch = json.loads(quote)
        if first.statement in batch:
            together = frozenset(batch)
            size = next(
                (at for at, row in enumerate(left) if row.statement not in together), len(left)
            )
            yield left[:size], batch
    distinct = 0
    seen: set[str] = set()
    while distinct < len(left) and left[distinct].statement not in seen:
        seen.add(left[distinct].statement)
        distinct += 1
    likely = next((at for at in range(distinct) if left[at].answer != first.answer), distinct)
    for size in (likely, *(each for each in range(distinct, 0, -1) if each != likely)):
        yield left[:size], [row.statement for row in left[:size]]


def _is_of(row: StoredVerdict, said: Mapping[str, Said]) -> bool:
    one = said[row.statement]
    return not isinstance(one, Unscored) and one.answer == row.answer


def _compare(row: StoredVerdict, said: Said, found: RereadVerdicts) -> None:
    shown = f"{row.statement[:_SHOWN]!r}"
    if isinstance(said, Unscored):
        found.different.append(
            f"a verdict on {shown}: {row.verdict} is kept, and no answer reads so"
        )
    elif (said.verdict, said.quote, said.answer) == (row.verdict, row.quote, row.answer):
        found.same += 1
    elif said.verdict != row.verdict:
        found.different.append(
            f"a verdict on {shown}: {row.verdict} is kept, and the answer says {said.verdict}"
        )
    else:
        found.different.append(f"a verdict on {shown}: it is kept otherwise than it was answered")
