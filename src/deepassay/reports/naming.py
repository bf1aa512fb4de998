"""Whose a report is, and on which task: what the names of its file and folders say."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from deepassay.intake.choices import ColumnChoice
from deepassay.intake.columns import FILE, NamedColumns
from deepassay.reports.report import Report
from deepassay.score import ReportKey, report_key

_QID = re.compile(r"qid_(.+)_report")
_ANSWER = re.compile(r"answer_(\d{1,6})")
_ALONE = re.compile(r"(final[_ -]?)?(report|answer|response|output|result)", re.IGNORECASE)
"""What the only file in the folder of a task is called."""
_DAY = re.compile(r"(19|20)\d\d([-_.]?)[01]\d\2[0-3]\d([T_ -][\dT:._Z+ -]*(run[_ -]?\d+)?)?")
_DAY_OF_RUN = r"(?:19|20)\d\d[-_.]?[01]\d[-_.]?[0-3]\d(?:[T_ -]?\d[\d:.-]*Z?)?"
_DATED = re.compile(rf"{_DAY_OF_RUN}[ _.-]+([^\W\d_].*)|(.*[^\W\d_].*?)[ _.-]+{_DAY_OF_RUN}")
"""A name with the day of a run before or behind it: `20260412-101500_scout`."""
_NUMBERED = re.compile(
    r"(.*?[^\W_])[ _.-]+"
    r"(?:(?:run|sample|trial|attempt|answer|response|rep|round|seed|try|v|version)[ _.-]?)?"
    r"(\d{1,3})",
    re.IGNORECASE,
)
"""A name with a number at its end, perhaps behind a word for what it numbers."""
_STAGE = re.compile(
    r"(?:\A|(?<=.)\.)(?:raw|cleaned|extracted|deduplicated|scraped|validated|raw_results)\Z"
)


def whose(path: Path, ending: str = "") -> ReportKey:
    """Agent, task and sample that the name of a report's file says. ending: if it has two dots."""
    stem = path.name[: -len(ending)] if ending else path.stem
    # a day is of a run, as in AGENT/2026-11-12/TASK.md
    names = [each for each in standing(path).parts[:-1] if not is_day(each)]
    above, inner = ["", "", *names][-2:]
    if found := _ANSWER.fullmatch(stem):
        return above, inner, int(found[1])
    if _ALONE.fullmatch(stem) and above not in ("", os.sep):
        return above, inner, 1
    return inner, task_of(stem), 1


def is_bare(stem: str) -> bool:
    """Whether a name of a file says neither the task nor the agent: `report`, `answer_2`."""
    return bool(_ALONE.fullmatch(stem) or _ANSWER.fullmatch(stem))


def is_day(name: str) -> bool:
    """Whether a folder is named by a day."""
    return bool(_DAY.fullmatch(name))


def counted(names: Iterable[str]) -> dict[str, tuple[str, int]]:
    """Names without the number of an answer or run at their end, and that: of `tern_run2` tern, 2.

    The number is 0 where there is none. Where all have the day of a run at either end, it is the
    place in the order of those: of `2026-04-14_tern`, beside that of the day before, tern, 2.
    """
    every = sorted({*names})
    dated = {name: match[1] or match[2] for name in every if (match := _DATED.fullmatch(name))}
    found: dict[str, tuple[str, int]] = {}
    for name in every:
        if len(dated) == len(every):
            base = dated[name]
            found[name] = base, sum(each == base for each, _ in found.values()) + 1
        else:
            numbered = _NUMBERED.fullmatch(name)
            found[name] = (numbered[1], int(numbered[2])) if numbered else (name, 0)
    return found


def are_numbered(names: Iterable[str]) -> bool:
    """Whether all names have a number at their end, and what is before it each from 1 on.

    So `tern_1`, `tern_2` are; versions as `gpt-4` and `gpt-5` are not.
    """
    numbers: dict[str, set[int]] = {}
    for base, number in counted(names).values():
        numbers.setdefault(base, set()).add(number)
    return any(len(those) > 1 for those in numbers.values()) and all(
        those == {*range(1, len(those) + 1)} for those in numbers.values()
    )


def task_of(stem: str) -> str:
    """The task that the name of a file says, without its ending."""
    found = _QID.fullmatch(stem)
    return found[1] if found else stem


def standing(path: Path) -> Path:
    """The whole path. Links are not followed: their names are those of agents and tasks."""
    return Path(os.path.normpath(path.absolute()))


def agent_of(path: Path) -> str:
    """The agent that a JSON Lines file is named after; its folder is, if the file is by a stage."""
    return _STAGE.sub("", path.stem) or standing(path).parent.name


def by_folders(
    found: Mapping[Path, Sequence[Report]], whose_are: Mapping[Path, ReportKey], one: bool
) -> Iterator[Report]:
    """Reports of files; of agents that files of one name are named after, by their folders instead.

    That is done where else two reports were of one agent, task and sample: AGENT/samples.jsonl; and
    where one wrote them all, as people say. whose_are: what is known of files otherwise, which
    counts before their names.
    """
    alike: dict[str, list[Report]] = {}
    for file, reports in found.items():
        alike.setdefault(file.name, []).extend(reports)
    clashing = {
        name for name, every in alike.items() if len({*map(report_key, every)}) < len(every)
    }
    for file, reports in found.items():
        for each in reports:
            key = whose_are.get(file)
            if key and report_key(each)[:2] == whose(file)[:2]:
                yield each.but(agent=key[0], task=key[1], sample=key[2])
                continue
            by_file = each.agent == agent_of(file)
            if key:  # of the rows of a table
                agent = key[0] if by_file else each.agent
                yield each.but(agent=agent, sample=key[2] if each.sample == 1 else each.sample)
                continue
            named = (one or file.name in clashing) and by_file
            yield each.but(agent=standing(file).parent.name) if named else each


def each_a_file(
    by_file: Mapping[Path, Sequence[Report]], columns: NamedColumns
) -> Sequence[ColumnChoice]:
    """That each file is an agent, where columns name one agent in several, as what two systems are
    built on, and those answer the same tasks.
    """
    met = Counter(key for every in by_file.values() for key in {*map(report_key, every)})
    named = any(each.agent != agent_of(file) for file, every in by_file.items() for each in every)
    stems = {agent_of(file) for file in by_file}
    if columns.named_as("agent") or not named or len(stems) < len(by_file):
        return ()
    way = ColumnChoice((*columns.named, ("agent", FILE)), "each file is an agent")
    return [way] if any(times > 1 for times in met.values()) else ()
