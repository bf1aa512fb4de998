"""Reports below several levels of folders: which level names the agent, as people say or are asked.

`agent=(folder 1),sample=(folder 2)` counts the folders from the one that is given.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from pathlib import Path

from deepassay.errors import BadReports, Notice
from deepassay.intake.choices import ColumnChoice, Said, asking
from deepassay.intake.columns import FILE, FOLDER, NamedColumns
from deepassay.reports.files import WRITTEN
from deepassay.reports.naming import is_bare, is_day, standing, task_of, whose
from deepassay.score import ReportKey
from deepassay.text import natural_order

Names = tuple[str, ...]
"""Of the folders that a file stands in, from the one that is given."""


def said_of_levels(columns: NamedColumns) -> tuple[Said, NamedColumns]:
    """What people say of folders and names of files, and what they say besides."""
    said = tuple(pair for pair in columns.named if pair[1] == FILE or FOLDER.fullmatch(pair[1]))
    left = tuple(pair for pair in columns.named if pair not in said)
    columns.met.update(column for _, column in said)
    return said, replace(columns, named=left)


def placed(folder: Path, files: Sequence[Path], said: Said) -> dict[Path, ReportKey]:
    """Whose each file is by what is said of levels; answers are numbered in order of their names.

    Raises BadReports for a file that stands below fewer folders than are said to name something.
    """
    parts = dict(said)
    keys: dict[Path, tuple[str, str, str]] = {}
    numbers: dict[str, set[str]] = {}
    for file in files:
        names = file.relative_to(folder).parts[:-1]
        task = parts.get("id") or _level_of_task(file, names, parts)
        agent = _at(parts["agent"], file, names) if "agent" in parts else whose(file)[0]
        if "agent" not in parts and parts.get("sample") == f"(folder {len(names)})":
            agent = standing(file).parent.parent.name  # as of one such folder alone, which is a run
        task = _at(task, file, names)
        number = _at(parts["sample"], file, names, "") if "sample" in parts else ""
        keys[file] = agent, task, number
        numbers.setdefault(agent, set()).add(number)
    order = {agent: sorted(those, key=natural_order) for agent, those in numbers.items()}
    return {
        file: (agent, task, order[agent].index(number) + 1 if "sample" in parts else whose(file)[2])
        for file, (agent, task, number) in keys.items()
    }


def _level_of_task(file: Path, names: Names, parts: Mapping[str, str]) -> str:
    """The name of the file; where that says something else, of the lowest folder that is free."""
    free = [f"(folder {n})" for n in range(len(names), 0, -1)]
    free = [each for each in free if each not in parts.values()]
    return free[0] if free and (FILE in parts.values() or is_bare(file.stem)) else FILE


def _at(level: str, file: Path, names: Names, missing: str | None = None) -> str:
    found = FOLDER.fullmatch(level)
    if not found:
        return task_of(file.stem)
    number = int(found[1])
    if 1 <= number <= len(names):
        return names[number - 1]
    if missing is None:
        raise BadReports(
            f"{file} stands below {len(names)} folders, and is said to be named by {level}.",
            "Say which of its folders names the agent; the one in the folder that is given is "
            "(folder 1).",
        )
    return missing


def by_tasks(
    folder: Path, files: Sequence[Path], columns: NamedColumns, asked: Mapping[Path, str]
) -> dict[Path, ReportKey]:
    """Whose files are that stand where a file says what was asked: `RUN/TASK/report.md`.

    asked: those files, with their tasks. Nothing where others stand in folders of their own, or
    nothing is below the folders of tasks. Raises BadReports, which asks, where several levels may
    name the agent.
    """
    names = {path: path.relative_to(folder).parts[:-1] for path in asked}
    inside = [*names.values()]
    depth = len(inside[0]) if inside else 0
    places = {each.parent for each in asked}
    if depth < 2 or not files or any(each.parent not in places for each in files):
        return {}
    of_task = max(n for n in range(depth) if all(names[e][n] == asked[e] for e in asked)) + 1
    levels = [at for at in range(1, depth + 1) if at != of_task and _tells(inside, at)]
    others = [f"(folder {at})" for at in levels]
    others += [] if all(is_bare(each.stem) for each in files) else [FILE]
    task = ("id", f"(folder {of_task})")
    if len(others) < 2:
        agent = others[0] if others else f"(folder {max(1, of_task - 1)})"
        return placed(folder, files, (("agent", agent), task))
    said: list[Said] = [(("agent", each), task) for each in others]
    said += [(("agent", one), task, ("sample", other)) for one, other in permutations(others, 2)]
    said.sort(
        key=lambda way: any(_are_runs(inside, at) for at in levels if way[0][1] == f"(folder {at})")
    )
    alone = [ColumnChoice((("sheet", f"**/{n}"),), "only these") for n in _in_each(files)]
    first = alone if any(is_bare(each.stem) for each in files) else []
    ways = [*first, *_apart(folder, files, said), *(alone if not first else ())]
    ways = [way._replace(said=(*columns.named, *way.said)) for way in ways]
    shown = " or ".join(others)
    raise asking(BadReports, f"{folder}: each of these may be the agent: {shown}.", ways)


def by_levels(
    folder: Path, files: Sequence[Path], columns: NamedColumns, named: bool
) -> dict[Path, ReportKey]:
    """Whose files are that stand below a level that is the same for all agents: `AGENT/outputs/`.

    Other files are named as always. named: people say which files. Raises BadReports, which asks,
    where several levels may name the agent.
    """
    texts = [each for each in files if each.suffix.lower() in WRITTEN]
    inside = [each.relative_to(folder).parts[:-1] for each in texts]
    depth = max(map(len, inside), default=0)
    if depth < 2 or _is_plain(texts, inside):
        return {}
    varied = [at for at in range(1, depth + 1) if _varies(inside, at)]
    alike = named and len({each.stem for each in texts}) == 1  # so that the name says nothing
    bare = alike or all(is_bare(each.stem) for each in texts)
    above = [at for at in range(1, varied[0] if varied else depth + 1) if at not in varied]
    below = bool(varied) and varied[-1] < depth and not _all_days(inside, varied[-1] + 1)
    may_be = varied or above
    if varied and all(_numbered(inside, at) for at in varied):  # which are rather runs
        may_be = [*above[-1:], *varied, *([varied[-1] + 1] if below else [])]
    needed = 2 if bare else 1
    if len(may_be) <= needed and not (below and bare):
        if alike and len(varied) == needed:
            agent, task = (f"(folder {at})" for at in varied)
            return placed(folder, texts, (("agent", agent), ("id", task)))
        if not below or not varied:
            return {}
        told = ", ".join(sorted({each[-1] for each in inside if len(each) == depth}))
        warnings.warn(
            Notice(f"{folder}: agents are named by the folders above {told}."), stacklevel=5
        )
        return placed(folder, texts, (("agent", f"(folder {varied[-1]})"),))
    alone = [ColumnChoice((("sheet", f"**/{n}"),), "only these") for n in _in_each(texts)]
    ways = [*_ways(folder, texts, may_be, bare), *alone]
    if not bare and any(is_bare(each.stem) for each in texts):  # which is rather the report
        ways = [*alone, *ways[: -len(alone)]]
    ways = [each._replace(said=(*columns.named, *each.said)) for each in ways]
    names = [
        ", ".join(sorted({each[at - 1] for each in inside if len(each) >= at})[:3]) for at in may_be
    ]
    shown = " or ".join(f"{name} (folder {at})" for at, name in zip(may_be, names, strict=True))
    raise asking(
        BadReports,
        f"{folder}: its reports stand below several folders, of which each may be "
        f"the agent: {shown}.",
        ways,
    )


def ways_apart(
    folder: Path, files: Sequence[Path], columns: NamedColumns
) -> Iterator[ColumnChoice]:
    """The ways to read levels by which files of one name, as a harness writes them, stay apart."""
    inside = [each.relative_to(folder).parts[:-1] for each in files]
    depth = max(map(len, inside), default=0)
    every = [f"(folder {at})" for at in range(1, depth + 1) if _tells(inside, at)]
    said: list[Said] = [((part, each),) for each in every for part in ("agent", "sample")]
    said += [(("agent", one), ("sample", other)) for one, other in permutations(every, 2)]
    known = {part for part, _ in columns.named}
    runs = {each for each in every if _are_runs(inside, int(each[8:-1]))}
    said = [way for way in said if known.isdisjoint(dict(way))]
    said.sort(key=lambda way: (len(way), dict(way).get("agent") in runs))
    return (ColumnChoice((*columns.named, *way)) for way in said)


def _tells(inside: Sequence[Names], at: int) -> bool:
    return len({each[at - 1] for each in inside if len(each) >= at}) > 1


def _are_runs(inside: Sequence[Names], at: int) -> bool:
    """Whether the names of a level are rather those of runs than of agents."""
    return _all_days(inside, at) or _numbered(inside, at)


def _in_each(files: Sequence[Path]) -> list[str]:
    """The names of files that stand in most of the lowest folders, where several do.

    First those that are called as reports are, then by length.
    """
    lowest = max(len(each.parts) for each in files)
    inside = [each for each in files if len(each.parts) == lowest]
    number = Counter(each.name for each in inside)
    names = [n for n in number if number[n] * 2 > len({each.parent for each in inside})]
    if len(names) < 2:
        return []
    size = {name: sum(e.stat().st_size for e in inside if e.name == name) for name in names}
    return sorted(names, key=lambda name: (not is_bare(Path(name).stem), -size[name], name))


def _is_plain(files: Sequence[Path], inside: Sequence[Names]) -> bool:
    """Whether each file has one folder for an agent, but for those of a task and of a day."""
    levels = [
        sum(not is_day(name) for name in names) - is_bare(file.stem)
        for file, names in zip(files, inside, strict=True)
    ]
    return max(levels) < 2 and len({*map(whose, files)}) == len(files)


def _varies(inside: Sequence[Names], at: int) -> bool:
    """Whether a level tells files apart; a day does not where each folder has only one."""
    there = {each[:at] for each in inside if len(each) >= at}
    if _all_days(inside, at):
        return len(there) > len({each[:-1] for each in there})
    return len({each[-1] for each in there}) > 1 or len({len(each) >= at for each in inside}) > 1


def _all_days(inside: Sequence[Names], at: int) -> bool:
    return all(is_day(each[at - 1]) for each in inside if len(each) >= at)


def _numbered(inside: Sequence[Names], at: int) -> bool:
    """Whether the names of a level differ in nothing but numbers, as those of runs do."""
    names = {each[at - 1] for each in inside if len(each) >= at}
    bare = {re.sub(r"\d+", "", each) for each in names}
    return len(bare) == 1 and bare.isdisjoint(names)


def _ways(
    folder: Path, files: Sequence[Path], levels: Sequence[int], bare: bool
) -> Iterator[ColumnChoice]:
    """The ways to read levels by which no two files are of one agent, task and sample."""
    every = [f"(folder {at})" for at in levels]
    by_name: list[Said] = [(("agent", each),) for each in every]
    by_name += [(("agent", one), ("sample", other)) for one, other in permutations(every, 2)]
    pairs = [*permutations(every, 2)]
    by_folder: list[Said] = [(("agent", one), ("id", other)) for one, other in pairs]
    by_folder += [
        (("agent", one), ("id", other), ("sample", third))
        for one, other, third in permutations(every, 3)
    ]
    if bare:
        said = by_folder
    else:
        by_file: list[Said] = [(*way, ("sample", FILE)) for way in by_folder[: len(pairs)]]
        by_file += [(("agent", FILE), ("id", one), ("sample", other)) for one, other in pairs]
        numbered = len({re.sub(r"\d+", "", each.stem) for each in files}) == 1
        said = [*by_file, *by_name] if numbered else [*by_name, *by_file]
    inside = [each.relative_to(folder).parts[:-1] for each in files]
    runs = [f"(folder {at})" for at in levels if _are_runs(inside, at)]
    one = [f"(folder {at})" for at in levels if not _tells(inside, at)]  # around all of them
    said.sort(
        key=lambda way: (
            dict(way)["agent"] in runs,
            dict(way)["agent"] in one and ("sample", FILE) in way,
        )
    )
    return _apart(folder, files, said)


def _apart(folder: Path, files: Sequence[Path], said: Sequence[Said]) -> Iterator[ColumnChoice]:
    for way in said:
        try:
            found = placed(folder, files, way)
        except BadReports:
            continue
        if len({*found.values()}) == len(files):
            yield ColumnChoice(way)
