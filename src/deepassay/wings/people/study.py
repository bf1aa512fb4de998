"""Files for a study with people: what to decide on, then whom to prefer, and what came of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from deepassay.errors import BadInput, BadRunFile, BadSetting, BadTasks
from deepassay.intake.rows import InputRow
from deepassay.results.joined import Joined
from deepassay.results.records import Judged
from deepassay.results.tables import as_csv, unguarded
from deepassay.run.showing.boards import only_judged_by
from deepassay.run.showing.output import check_output, write_output
from deepassay.run.showing.records import each_run, records_of
from deepassay.run.showing.yardsticks import about
from deepassay.score import Json, named
from deepassay.tasks.rows import read_rows
from deepassay.text import first_few
from deepassay.wings.people.agreement.decisions import Decision, Decisions, word_of
from deepassay.wings.people.agreement.people_files import files_named, read_decisions
from deepassay.wings.people.agreement.sampling import (
    Candidate,
    Kind,
    Preference,
    candidates,
    drawn_candidates,
    lettered,
    preference_figures,
    preferred,
)
from deepassay.wings.people.agreement.tables import AgreementSheet

DECISIONS: Final = "decisions.csv"
PREFERENCES: Final = "preferences.csv"
KEY: Final = "preferences.key.json"
"""Which letter stands for which judge; not to be opened before all is filled in."""


Placed = tuple[str, str, str, int, str, str]
"""Where a decision stands: protocol, agent, task, sample, item and judge."""


class BlankSheet(NamedTuple):
    """The file to fill in, how many rows it has, and what was left out, in sentences.

    whole: whether nothing was left out that was to be there.
    """

    file: Path
    rows: int
    remarks: tuple[str, ...] = ()
    whole: bool = True


def draw_study(
    runs: Sequence[Path],
    protocol: str,
    number: int,
    kind: Kind,
    raters: Sequence[str],
    folder: Path,
    seed: int = 0,
    *,
    force: bool = False,
) -> BlankSheet:
    """Draw what people are to decide on, and write it down without a word of the judges.

    The file has the columns that `agree` reads, `verdict` empty; beside it stand the texts, each
    request with its report, or with two where reports are compared. Raises BadInput where there is
    nothing of the kind, or marks in place of verdicts, BadSetting for files that are there already,
    and for raters of whom one has no name, or two the same.
    """
    raters = _checked(raters)
    found = _with_verdicts(protocol, records_of(runs))
    chosen = drawn_candidates(found, number, kind, np.random.default_rng(seed))
    if not chosen:
        raise BadInput(
            f"{protocol} has nothing of the kind {kind!r} to decide on.",
            "Sets of agreement and disagreement need a panel: evaluate with several --judge.",
        )
    texts = _texts(runs, chosen, folder)
    check_output(folder / DECISIONS, runs, force=force)
    for path, text in texts.values():
        write_output(path, text, runs, force=True)
    rows = [
        _decision_row(each, rater, texts[_text_of(each)][0].relative_to(folder))
        for rater in raters
        for each in chosen
    ]
    write_output(folder / DECISIONS, as_csv(rows), runs, force=force)
    wanted = number * (2 if kind == "both" else 1)
    fewer = f"Only {len(chosen)} of {wanted} are there." if len(chosen) < wanted else ""
    return BlankSheet(folder / DECISIONS, len(rows), (fewer,) if fewer else ())


def _with_verdicts(protocol: str, records: Sequence[Judged]) -> list[Candidate]:
    """What a protocol has to decide on in a word. Raises BadInput if it gives marks."""
    found = candidates(only_judged_by([protocol], records))
    kept = [each for each in found if not each.marked]
    if found and not kept:
        others = {each.protocol for each in candidates(records) if not each.marked}
        raise BadInput(
            f"{protocol} gives marks or counts and no verdicts, so that no word of a person can "
            "agree with it.",
            f"These runs have verdicts of: {', '.join(sorted(others)) or 'no protocol'}. Marks are "
            "held against scores of people: deepassay agree RUN --human FILE.",
        )
    return kept


def _checked(raters: Sequence[str]) -> list[str]:
    names = [each.strip() for each in raters]
    if wrong := [each for each in names if not each or names.count(each) > 1]:
        raise BadSetting(
            f"--rater {wrong[0]!r} is there {names.count(wrong[0])} times."
            if wrong[0]
            else "--rater is empty.",
            "Give every rater a name of his own.",
        )
    return names


TextKey = tuple[str, str, str, int]


def _text_of(each: Candidate) -> TextKey:
    return (each.protocol, *each.place[1:4]) if not each.item else ("", *each.place[1:4])


def _decision_row(each: Candidate, rater: str, text: Path) -> dict[str, Json]:
    return {
        "agent": each.agent,
        "task": each.task,
        "sample": each.sample,
        "rater": rater,
        "protocol": each.protocol,
        "item": each.item,
        "judge": each.judge,
        "text": text.as_posix(),
        "url": each.url,
        "question": each.question,
        "verdict": "",
    }


def _texts(
    runs: Sequence[Path], chosen: Sequence[Candidate], folder: Path
) -> dict[TextKey, tuple[Path, str]]:
    """The text for each candidate, one file a report or pair, numbered in the order drawn."""
    wanted = dict.fromkeys(map(_text_of, chosen))
    found: dict[TextKey, str] = {}
    for run in each_run(runs):
        whole = about(run)
        baselines = {name: metric.baseline for name, metric in run.metrics().items()}
        for key in wanted:
            protocol, agent, task, sample = key
            if (stored := run.report(agent, task, sample)) is not None:
                rival = whole.rivals.get((baselines.get(protocol, ""), task))
                request = whole.tasks[task].prompt
                found[key] = _page(request, stored.text, rival.text if rival else "")
    if lost := [named(key[1:]) for key in wanted if key not in found]:
        raise BadRunFile(
            f"The run has judgements, and no report, of {first_few(lost, 3)}.",
            "Evaluate these reports again, in another run file.",
        )
    width = len(str(len(wanted)))
    return {
        key: (folder / "texts" / f"{number:0{width}}.md", found[key])
        for number, key in enumerate(wanted, start=1)
    }


def _page(request: str, report: str, rival: str) -> str:
    if not rival:
        return f"# Request\n\n{request}\n\n# Report\n\n{report}\n"
    return f"# Request\n\n{request}\n\n# First report\n\n{report}\n\n# Second report\n\n{rival}\n"


def ask_preferences(
    decisions: Sequence[Path],
    runs: Sequence[Path],
    folder: Path,
    seed: int = 0,
    *,
    differing: bool = False,
    force: bool = False,
) -> BlankSheet:
    """Write what each judge said on what people decided, under letters, for them to choose from.

    Only rows with a verdict, so that nobody reads a judge before deciding. differing: only where
    the judges say different things. Raises BadInput where no two judges decided on any of it, and
    where the runs have nothing on most of it.
    """
    read, named = read_decisions(*decisions), files_named(decisions)
    by_place = {each.place: each for each in candidates(records_of(runs))}
    joined, fitting = _to_judges(read, by_place, differing)
    if lost := joined.problem("Check that the runs are those that people read."):
        raise BadInput(f"{named}: {lost}")
    rng = np.random.default_rng(seed)
    rows: list[dict[str, Json]] = []
    key: dict[str, dict[str, str]] = {}
    for decision, found in fitting:
        number = str(len(rows) + 1)
        key[number] = lettered(sorted(found.verdicts), rng)
        rows.append(_preference_row(number, decision, found, key[number]))
    if not rows:
        why = " ".join(["", *joined.unused[:1]])
        raise BadInput(
            f"On nothing that is decided in {named} did two judges decide.{why}",
            "The preference is between judges: evaluate with several --judge. Issues that each "
            "judge found alone give no choice.",
        )
    for name in (PREFERENCES, KEY):
        check_output(folder / name, runs, force=force)
    write_output(folder / KEY, json.dumps(key, ensure_ascii=False, indent=1), runs, force=force)
    write_output(folder / PREFERENCES, as_csv(rows), runs, force=force)
    return BlankSheet(
        folder / PREFERENCES, len(rows), (*joined.lines(), *read.remarks), joined.whole
    )


def _to_judges(
    read: Decisions, by_place: Mapping[Placed, Candidate], differing: bool
) -> tuple[Joined, list[tuple[Decision, Candidate]]]:
    """What became of decisions, and those that several judges decided on, with what these said."""
    fitting: list[tuple[Decision, Candidate]] = []
    strays, unused, by_rule = [*read.problems], list[str](), list[str]()
    lost: set[Decision] = set()
    for decision in read.usable:
        found = by_place.get(_place(decision))
        if found is None:
            lost.add(decision)
            strays.append(f"{decision.place}: the run files have nothing on it.")
        elif decision.verdict is None:
            unused.append(f"{decision.place}: it has a score and no verdict.")
        elif found.marked:
            unused.append(f"{decision.place}: {found.protocol} gives no verdicts, but numbers.")
        elif len(found.verdicts) < 2:
            by_rule.append(f"{decision.place}: fewer than two judges decided there.")
        elif differing and not found.divided:
            by_rule.append(f"{decision.place}: the judges say the same.")
        else:
            fitting.append((decision, found))
    read.add_repeated(lost, strays, unused, by_rule)
    return Joined("decisions", "judges", read.came, strays, unused, by_rule, read.kinds), fitting


def _place(decision: Decision) -> Placed:
    return (
        decision.protocol or "",
        decision.agent,
        decision.task,
        decision.sample,
        decision.item or "",
        decision.judge or "",
    )


def _preference_row(
    number: str, decision: Decision, found: Candidate, letters: Mapping[str, str]
) -> dict[str, Json]:
    said = {
        letter: f"{found.verdicts[judge]}: {found.reasons[judge]}".rstrip(": ")
        for letter, judge in letters.items()
    }
    return {
        "row": number,
        "agent": decision.agent,
        "task": decision.task,
        "rater": decision.rater,
        "protocol": found.protocol,
        "item": found.item,
        "question": found.question,
        "own verdict": word_of(decision.verdict or ""),
        **said,
        "prefer": "",
    }


class Preferred(NamedTuple):
    """The figures, and what became of the rows: those without a preference of judges are lost."""

    sheet: AgreementSheet
    joined: Joined


FILL: Final = "Fill in `prefer`: a letter, several (A B), tie, or none."


def preferred_judges(file: Path, seed: int = 0) -> Preferred:
    """Which judges people preferred. Raises BadTasks, BadInput, BadSetting.

    Which letter is which judge, each row says in a column `key`, or a file beside this one.
    """
    rows = read_rows(file)
    carried = all(row.cells.get("key") for row in rows)
    letters = {} if carried else _key(file.with_name(KEY))
    found: list[Preference] = []
    strays: list[str] = []
    empty: list[str] = []
    protocols: dict[str, None] = {}
    for row in rows:
        cells = {name: unguarded(cell) for name, cell in row.cells.items()}
        lacking = [name for name in ("row", "task", "rater", "prefer") if name not in cells]
        if lacking:
            raise BadTasks(f"{row.place}: there is no column {', '.join(lacking)}.", FILL)
        if not cells["prefer"]:
            empty.append(f"{row.place}: nobody has filled it in.")
            continue
        protocols[cells.get("protocol", "")] = None
        if carried:
            letters[cells["row"]] = _letters(row, cells["key"])
        if (each := _preference(row, cells, letters)) is None:
            strays.append(f"{row.place}: {cells['prefer']!r} is no preference. {FILL}")
        else:
            found.append(each)
    if not found:
        raise BadInput(f"{file} holds no preference. {' '.join(strays[:1])}".rstrip(), FILL)
    figures = tuple(preference_figures(found, seed))
    name = ", ".join(filter(None, protocols)) or "judges"
    note = f"Rows with a preference: {len(found)}. A tie prefers all who were shown."
    joined = Joined("rows", "judges", len(rows), strays, (), empty)
    return Preferred(AgreementSheet(name, "", "preferences", figures, (note,)), joined)


def _preference(
    row: InputRow, cells: Mapping[str, str], letters: Mapping[str, Mapping[str, str]]
) -> Preference | None:
    if (own := letters.get(cells["row"])) is None:
        raise BadTasks(
            f"{row.place}: row {cells['row']!r} is not in the key.",
            f"Keep {KEY} of the same draw beside the file.",
        )
    chosen = preferred(cells["prefer"], own)
    if chosen is None:
        return None
    judges = frozenset(own.values())
    return Preference(cells["task"], cells["row"], cells["rater"], judges, chosen)


def _letters(row: InputRow, cell: str) -> dict[str, str]:
    try:
        return {str(letter): str(judge) for letter, judge in json.loads(cell).items()}
    except (ValueError, AttributeError):
        raise BadTasks(f"{row.place}: key {cell!r} names no judges.", FILL) from None


def _key(path: Path) -> dict[str, dict[str, str]]:
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
        return {str(row): {str(k): str(v) for k, v in own.items()} for row, own in read.items()}
    except (OSError, UnicodeError, ValueError, AttributeError):
        raise BadSetting(
            f"{path} is not there, or does not say which letter is which judge.",
            "Keep it where `deepassay agree show` wrote it, beside the preferences.",
        ) from None
