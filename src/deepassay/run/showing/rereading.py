"""Kept verdicts on pages, held to the answers that they were read from.

Outcomes are computed from verdicts that are kept, since a page is judged once for all who ask. So
whoever changes one and what comes of it would not be contradicted by an outcome: here every verdict
is read once more from the judge's own answer.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Final, NamedTuple, get_args

from deepassay.errors import BadRunFile
from deepassay.models.ask import Answer, ReplayAsker, kept_answer
from deepassay.models.prompt import Language
from deepassay.protocols.protocol import ROLES
from deepassay.protocols.support import (
    JUDGE_SUPPORT,
    MOST_STATEMENTS,
    PageAndStatements,
    Said,
    SupportSaid,
    VerdictKeys,
    said_together,
)
from deepassay.reports.report import Report
from deepassay.results.tables import several
from deepassay.run.showing.yardsticks import agent_runs
from deepassay.runfile import RunFile, StoredAnswer, StoredVerdict
from deepassay.score import Json, Unscored, digest

_SHOWN: Final = 60
"""Characters of a statement in a message."""


@dataclass
class RereadVerdicts:
    """What came of it. same: how many are what the answer says. different: which are not.

    left: those that cannot be read once more as they were asked: page or judge is not there, runs
    were merged that had both asked about one statement, or it was given when another part of a long
    page had failed. Of these the answer must have as many verdicts of their kind.
    """

    same: int = 0
    different: list[str] = field(default_factory=list)
    left: list[StoredVerdict] = field(default_factory=list)

    @property
    def unread(self) -> int:
        """How many are known by no more than their number."""
        return len(self.left)

    @property
    def told_unread(self) -> str:
        """How many were not read again, as a sentence."""
        return (
            f"{several(self.unread, 'verdict')} on pages, whose answers or pages are not in the "
            "file as they were asked about."
        )


class _Asked(NamedTuple):
    """Who was asked about which page: text of the page, and the judge as the run remembers it.

    In a file that was merged of shards, more may have been asked together than has its verdict from
    there: a verdict is read only if all of those beside it fit.
    """

    run: RunFile
    page: str
    judge: ReplayAsker
    language: Language
    repeat: int

    async def again(self, together: Sequence[str]) -> Mapping[str, Said] | None:
        """What was answered about statements together; None if they were not asked so."""
        try:
            return await said_together(
                self.page, together, self.judge, language=self.language, repeat=self.repeat
            )
        except BadRunFile:
            return None

    def is_elsewhere(self, row: StoredVerdict, said: Said) -> bool:
        """Whether a verdict names another answer about pages, which the file has.

        Where a part of a long page failed at first, later parts were asked about more statements
        than they are once it is answered. What they said then stays.
        """
        if isinstance(said, SupportSaid) and said.answer == row.answer:
            return False
        answer = self.run.answer(row.answer)
        return answer is not None and answer.operation == JUDGE_SUPPORT.name and not answer.cause


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
    texts = {page: text for page, _ in kept if (text := run.captures.text(page)) is not None}
    if any(page not in texts for page, _ in kept):
        texts |= _read_by_agents(run)
    for (page, judge), rows in kept.items():
        text = texts.get(page)
        there = {row.key: row for row in rows}
        for language, repeat in product(get_args(Language), range(repeats)):
            if text is None or judge not in judges:
                break
            keys = VerdictKeys(page, judges[judge], language, repeat)
            own = [row for row in rows if row.key == keys.of(row.statement)]
            failed = [row for row in rows if row.key == keys.of_failed(row.statement)]
            asker = ReplayAsker(run, judges[judge])
            asked = _Asked(run, text, asker, language, repeat)
            await _reread(own, {row.quote: None for row in failed}, asked, found)
            for row in (*own, *failed):
                del there[row.key]
        found.left += [row for row in there.values() if row.verdict != "failed"]
    _hold_to_numbers(run, [row for rows in kept.values() for row in rows], found)
    return found


def _hold_to_numbers(run: RunFile, rows: Sequence[StoredVerdict], found: RereadVerdicts) -> None:
    """Of verdicts that cannot be read as they were asked, how many of a kind their answer has."""
    by_answer: defaultdict[str, dict[tuple[str, str], None]] = defaultdict(dict)
    for row in rows:
        by_answer[row.answer][row.statement, row.verdict] = None
    left, found.left = found.left, []
    for row in left:
        stored = run.answer(row.answer)
        if stored is None or stored.operation != JUDGE_SUPPORT.name or stored.cause is not None:
            found.different.append(f"{_told(row)}, and the answer that it names gives none")
            continue
        said = _verdicts_in(stored)
        alike = sum(verdict == row.verdict for _, verdict in by_answer[row.answer])
        if said is not None and alike > said[row.verdict]:
            found.different.append(f"{_told(row)}, which its answer says of fewer statements")
        else:
            found.left.append(row)


def _verdicts_in(stored: StoredAnswer) -> Counter[str] | None:
    """How many statements an answer gives each verdict; None where it cannot be read.

    Which statements it was asked about is not known, and for the number of each it need not be.
    """
    for count in range(1, MOST_STATEMENTS + 1):
        asked = PageAndStatements(language="en", page="", statements=("",) * count)
        answer = kept_answer(JUDGE_SUPPORT, asked, stored)
        if isinstance(answer, Answer):
            return Counter(each.verdict for each in answer.value.verdicts)
    return None


def _read_by_agents(run: RunFile) -> Iterator[tuple[str, str]]:
    """The texts of what agents had read, as `process` holds them against reports, by digest."""
    from deepassay.protocols.process.judged import pages_read
    from deepassay.protocols.process.seen import Seen

    for place, agent_run in agent_runs(run).items():
        stored = run.report(*place)
        seen = stored and Seen.of(Report(stored.text, *place).but(run=agent_run))
        for page in pages_read(seen) if seen else ():
            yield page.digest, page.text


async def _reread(
    rows: Sequence[StoredVerdict], failed: Mapping[str, None], asked: _Asked, found: RereadVerdicts
) -> None:
    """The verdicts of one page, judge and repeat, in the order in which they were given.

    failed: of what failed at first it is known with which others it was asked.
    """
    left = rows
    reopened = {each for quote in failed for each in json.loads(quote)}
    while left:
        fits = False
        best: tuple[Sequence[StoredVerdict], Mapping[str, Said]] | None = None
        for own, together in _batches(left, failed):
            if (said := await asked.again(together)) is None:
                continue
            best = best or (own, said)
            if fits := all(_is_of(row, said[row.statement]) for row in own):
                best = own, said
                break
        if best is None or (asked.run.merged and not fits):
            found.left.append(left[0])
            left = left[1:]
            continue
        own, said = best
        for row in own:
            if row.statement in reopened and asked.is_elsewhere(row, said[row.statement]):
                found.left.append(row)
            else:
                _compare(row, said[row.statement], found)
        left = left[len(own) :]


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
    likely = next((at for at, row in enumerate(left) if row.answer != first.answer), len(left))
    for size in (likely, *(each for each in range(len(left), 0, -1) if each != likely)):
        yield left[:size], [row.statement for row in left[:size]]


def _is_of(row: StoredVerdict, said: Said) -> bool:
    return said == (row.verdict, row.quote, row.answer)


def _told(row: StoredVerdict) -> str:
    return f"a verdict on {row.statement[:_SHOWN]!r}: {row.verdict} is kept"


def _compare(row: StoredVerdict, said: Said, found: RereadVerdicts) -> None:
    if isinstance(said, Unscored):
        found.different.append(f"{_told(row)}, and no answer reads so")
    elif _is_of(row, said):
        found.same += 1
    elif said.verdict != row.verdict:
        found.different.append(f"{_told(row)}, and the answer says {said.verdict}")
    else:
        shown = f"{row.statement[:_SHOWN]!r}"
        found.different.append(f"a verdict on {shown}: it is kept otherwise than it was answered")
