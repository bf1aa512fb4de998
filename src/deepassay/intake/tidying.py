"""The rows of a table that is taken: what is filled into them, left out, or written alike."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from deepassay.errors import Notice
from deepassay.files import BadFile
from deepassay.intake.choices import ColumnChoice, Unclear
from deepassay.intake.columns import FoundColumns, NamedColumns
from deepassay.intake.heads import is_weak
from deepassay.intake.rows import InputRow, alike_prompts, as_typed, same_words


def filled_down(rows: list[InputRow], found: FoundColumns) -> list[InputRow]:
    """The rows, with the prompt of the row above where a group of agents has it once; told of.

    That is where each row has an agent and a report, no agent twice below one prompt.
    """
    if not (found.prompt and found.agent and found.report and rows and rows[0].flat):
        return rows
    asked = found.prompt
    blank = [row for row in rows if not row.cells[asked]]
    groups: list[list[str]] = []
    for row in rows:
        if row.cells[asked] or not groups:
            groups.append([])
        groups[-1].append(row.cells[found.agent])
    whole = all(row.cells[found.agent] and row.cells[found.report[0]] for row in blank)
    once = all(len({*group}) == len(group) for group in groups)
    if not blank or not rows[0].cells[asked] or not whole or not once:
        return rows
    filled: list[InputRow] = []
    for row in rows:
        above = filled[-1].fields if filled and not row.cells[asked] else {}
        told = {name: above[name] for name in (asked, found.id) if name and name in above}
        filled.append(replace(row, fields={**row.fields, **told}))
    place = rows[0].place.partition(", ")[0]
    said = f"{place}: {len(blank)} rows without a prompt have that of the row above."
    warnings.warn(Notice(said), stacklevel=2)
    return filled


SUMS: Final = re.compile(
    r"((average|mean|median|total|sum|count)( score)?|durchschnitt|mittelwert|summe|gesamt|anzahl|"
    r"moyenne|somme|médiane|promedio|suma|media|mediana|medie|"
    r"平均|平均值|平均分|合计|总计|总分|合計|総計)\s*:?",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(r"[-+\d.,\s]*%?")
_COUNTED: Final = re.compile(r"\d+ [^\W\d]+")
"""A number of what is summed up: `12 questions`."""


def without_sum(rows: list[InputRow], found: FoundColumns) -> list[InputRow]:
    """The rows without a last one that sums the table up, of which a Notice tells."""
    last = rows[-1]
    cells = last.cells
    counted = found.report or [each for each in found.rest if each in cells]
    titles = [name for name, cell in cells.items() if SUMS.fullmatch(cell)]
    if len(rows) == 1 or not (last.flat and found.prompt and counted and titles):
        return rows
    if not all(_NUMBER.fullmatch(cells[n]) for n in {*counted} - {*titles}):
        return rows
    asked = "" if found.prompt in titles else cells[found.prompt]
    if not (_NUMBER.fullmatch(asked) or _COUNTED.fullmatch(asked)):
        return rows
    place = last.place.rpartition("/")[2]  # one told twice, of tasks and of reports, is shown once
    said = f"{place}: left out, as a row that sums up: {cells[titles[0]]!r}."
    warnings.warn(Notice(said), stacklevel=2)
    return rows[:-1]


_NO_PROMPT: Final = re.compile(r"(?!.*[.?!:。？！：]\s*\Z)(\S+(\s+|\Z)){1,3}")
"""A word or three, which hardly are a prompt beside others that are longer or sentences."""


def refuse_no_tasks(rows: Sequence[InputRow], found: FoundColumns) -> None:
    """Raise BadFile for rows that are hardly of a task: `Mean`, or a remark below the table.

    That is where there is no report for a word or three, or for what stands in its row alone.
    """
    if not (found.prompt and found.report and rows and rows[0].flat):
        return
    asked, wide = found.prompt, len(rows[0].fields) > 2
    answered = {row.cells[asked] for row in rows if any(row.cells.get(r) for r in found.report)}
    short = not any(map(_NO_PROMPT.fullmatch, answered))
    for row in rows:
        said = row.cells[asked]
        alone = wide and [*filter(None, row.cells.values())] == [said]
        if said not in answered and (alone or (short and _NO_PROMPT.fullmatch(said))):
            raise BadFile(
                f"{row.place}: {said!r} has no report, and is hardly a prompt",
                "Take such rows out of the table; or, if it was asked, write it out in more words "
                "and say in its row who was asked.",
            )


def written_alike(rows: list[InputRow], found: FoundColumns, name: str) -> list[InputRow]:
    """The rows with the first spelling of each prompt, where one is typed in several ways."""
    first: dict[tuple[str, str], str] = {}
    others: list[str] = []
    spelt: list[InputRow] = []
    for row in rows:
        said = row.fields.get(found.prompt or "")
        if isinstance(said, str):
            one = first.setdefault((str(row.fields.get(found.id or "")), as_typed(said)), said)
            if same_words(one) != same_words(said):
                others += [said] * (said not in others)
                row = replace(row, fields={**row.fields, str(found.prompt): one})  # noqa: PLW2901
        spelt.append(row)
    if others:
        warnings.warn(Notice(f"{name}: {alike_prompts(others)}"), stacklevel=3)
    return spelt


def without_words(
    rows: list[InputRow], asked: str, columns: NamedColumns, name: str
) -> list[InputRow]:
    """The rows without the words that people say are before each prompt.

    Raises BadFile where titles are taken for prompts and all begin with one word: `Prompted ...`.
    """
    prompts = {row.cells[asked] for row in rows if asked in row.fields}
    if words := [each for each in columns.named_as("drop") if each]:
        short = {each: each.removeprefix(words[0]).strip() for each in prompts}
        return [
            replace(row, fields={**row.fields, asked: short[row.cells[asked]]})
            if asked in row.fields
            else row
            for row in rows
        ]
    first = {each.partition(" ")[0] for each in prompts}
    if (
        is_weak("prompt", asked)
        and len(prompts) > 1
        and len(first) == 1
        and not columns.named_as("drop")
    ):
        (word,) = first
        raise Unclear(
            f"{name}: all of {asked!r} begin with {word!r}, which may be no part of the prompts",
            [
                ColumnChoice(
                    (*columns.named, ("drop", f"{word} ")), f"the prompts stand behind {word!r}"
                ),
                ColumnChoice((*columns.named, ("drop", "")), "they are the prompts as they stand"),
            ],
        )
    return rows
