"""Lines of cells as rows under their heads: which line is the head, and whether there is one."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from deepassay.errors import Notice
from deepassay.files import BadFile
from deepassay.intake.columns import NamedColumns
from deepassay.intake.heads import is_head
from deepassay.intake.proposals import names_part
from deepassay.intake.rows import InputRow
from deepassay.intake.tidying import SUMS
from deepassay.score import Json
from deepassay.text import excerpt

if TYPE_CHECKING:
    from deepassay.intake.delimited import Line

_HEAD_WITHIN: Final = 10
"""Rows in which the head is looked for: titles stand above it."""
_LONG: Final = re.compile(r"\S\s*\n\s*\S|.{300}|\A\s*(\{\"|\[[\[{\"])")
"""What no head has: a text of several lines, a long one, or JSON."""


def under_heads(
    lines: Sequence[Line], place: Callable[[int], str], columns: NamedColumns
) -> Iterator[InputRow]:
    """Rows of cells under the head, or under numbers of columns where there is none.

    Columns without a name get one; those of them that only count the rows are left out, as are
    empty ones. columns: what people say of the head: on which line it stands, or 0 for nowhere.

    Raises BadFile.
    """
    if not lines:
        return
    lines = _of_levels(_below_marks(lines))
    at = _head_of(lines, columns)
    if 0 <= at < len(lines) - 1 and _is_below_groups(lines[at][1], lines[at + 1][1]):
        at += 1
    head = ["" if at < 0 or each is None else str(each).strip() for each in lines[at][1]]
    if _repeats(head) and at > 0 and _are_groups(lines[at - 1], lines[at][0]):
        head = _in_groups(lines[at - 1][1], head)
    body = _one_table(lines[at][1] if at >= 0 else [], lines[at + 1 :], place)
    body = _without_foot(body, place)
    names: dict[int, str] = {}
    for column, title in enumerate(head):
        below = [each[column] if column < len(each) else None for _, each in body]
        if title in names.values():
            if not all(map(_is_number, below)):
                number = head.count(title)
                times = f"{number} times" if number > 2 else "twice"
                raise BadFile(
                    f"the column {title!r} stands there {times}",
                    "Give them names that differ, or put tables that stand side by side into a "
                    "sheet each.",
                    lines[at][0],
                )
            names[column] = f"{title} ({head[: column + 1].count(title)})"
        elif title:
            names[column] = title
        elif any(each not in (None, "") for each in below) and not _counts(below):
            names[column] = f"column {column + 1}"
    for line, cells in body:
        row = {name: cells[at] if at < len(cells) else None for at, name in names.items()}
        yield InputRow(place(line), row, flat=True)


def _without_foot(lines: Sequence[Line], place: Callable[[int], str]) -> Sequence[Line]:
    """The lines without what stands below a table: a remark, and above it a row of sums.

    A remark is alone in its line, below an empty one or the sums, and in a column where rows have
    numbers or nothing. A Notice tells. Sums that end a table are left to whoever reads its columns.
    """
    left = list(lines)
    while len(left) > 2 and _is_remark(left):
        left.pop()
    if len(left) > 1 and len(left) < len(lines) and _are_sums(left[-1][1]):
        left.pop()
    for line, cells in lines[len(left) :]:
        said = excerpt(str(next(each for each in cells if each not in (None, ""))))
        told = (
            f"{place(line).rpartition('/')[2]}: left out, as it stands below the table: {said!r}."
        )
        warnings.warn(Notice(told), stacklevel=4)
    return left


def _is_remark(lines: Sequence[Line]) -> bool:
    """Whether the last line is one below a table."""
    (above, before), (number, cells) = lines[-2:]
    places = [at for at, each in enumerate(cells) if each not in (None, "")]
    if len(places) != 1 or _is_number(cells[places[0]]):
        return False
    apart = number - above > 1 or _are_sums(before)
    beside = [each[places[0]] for _, each in lines[:-1] if places[0] < len(each)]
    bare = all(each in (None, "") or _is_number(each) for each in beside)
    return apart and bare and max(_filled(each) for _, each in lines) > 2


def _are_sums(cells: Sequence[Json]) -> bool:
    said = [str(each).strip() for each in cells if not (each in (None, "") or _is_number(each))]
    return len(said) == 1 and SUMS.fullmatch(said[0]) is not None


_NUMBER: Final = re.compile(r"[-+]?[\d.,\s/]*%?")


def _is_number(cell: Json) -> bool:
    """Whether a cell holds a number, as a score, or nothing."""
    return cell is None or _NUMBER.fullmatch(str(cell)) is not None


def _repeats(head: Sequence[str]) -> bool:
    said = [*filter(None, head)]
    return len({*said}) < len(said)


def _are_groups(above: Line, head: int) -> bool:
    """Whether a line may be of groups of columns: no single title, and right above the head."""
    number, cells = above
    height = max((str(each).strip().count("\n") for each in cells), default=0) + 1
    return _filled(cells) > 1 and head - number <= height


def _of_levels(lines: Sequence[Line]) -> Sequence[Line]:
    """The lines, with one head in place of names of two levels above the name of the index.

    Data frames are written so; where names of the first level repeat, the second may have one of
    its own before them.
    """
    heads = [cells for _, cells in lines[:3]]
    if len(heads) < 3 or _filled(heads[2]) != 1 or heads[0][0] or not heads[2][0]:
        return lines
    if heads[1][0] and len({*heads[0]}) == len(heads[0]):
        return lines
    if any(not each or not over for over, each in zip(heads[0][1:], heads[1][1:], strict=False)):
        return lines
    names = [f"{over} {each}" for over, each in zip(heads[0][1:], heads[1][1:], strict=False)]
    return [(lines[2][0], [str(heads[2][0]), *names]), *lines[3:]]


def _one_table(
    head: Sequence[Json], lines: Sequence[Line], place: Callable[[int], str]
) -> Sequence[Line]:
    """The lines below a head without the same head again. Raises BadFile for another table's."""
    left = [line for line in lines if not (_filled(head) > 1 and [*line[1]] == [*head])]
    for number, cells in left:
        said = [str(each) for each in cells if each not in (None, "")]
        if len(said) > 1 and all(map(is_head, said)):
            raise BadFile(
                f"on this line another table seems to begin: {', '.join(map(repr, said))}",
                "Put each table into a file or a sheet of its own.",
                number,
            )
    if len(left) < len(lines):
        again = next(line for line in lines if line not in left)
        told = f"{place(again[0])}: the same head again; what is below it is read as above."
        warnings.warn(Notice(told), stacklevel=3)
    return left


def _below_marks(lines: Sequence[Line]) -> Sequence[Line]:
    """The lines from the head on, where a line of JSON below it marks the columns for a program.

    Surveys are exported so, with names of columns above what was asked. Where such cells stand
    further below as well, they are what the table holds.
    """
    marks = [at for at, (_, cells) in enumerate(lines) if any(map(_is_mark, cells))]
    at = marks[0] if len(marks) == 1 else 0
    if not 0 < at < _HEAD_WITHIN or not all(map(_is_mark, filter(None, lines[at][1]))):
        return lines
    return [lines[at - 1], *lines[at + 1 :]] if at + 1 < len(lines) else lines


def _is_mark(cell: Json) -> bool:
    said = str(cell).strip()
    return said.startswith('{"') and said.endswith("}")


def _in_groups(above: Sequence[Json], head: Sequence[str]) -> list[str]:
    """Names of columns under names of groups, of which each stands above its first column."""
    names, group = [], ""
    for at, name in enumerate(head):
        group = str(above[at]).strip() if at < len(above) and above[at] else group
        names.append(name if name == group else f"{group} {name}".strip())
    return names


def _is_below_groups(head: Sequence[Json], below: Sequence[Json]) -> bool:
    """Whether names of columns stand below a head of groups, as `Report` below each agent.

    A name occurs there in two groups and one is of reports; what the head says of one column alone
    is said again, as in cells that are joined, or blank. Or cells are joined with those above.
    """
    pairs = [*zip(head, below, strict=False)]
    same = sum(over == each and each not in (None, "") for over, each in pairs)
    if any(_LONG.search(str(each)) or _SENTENCE.search(str(each)) for _, each in pairs):
        return False  # names of columns are short, and no sentences
    if same and len(pairs) - same > 1:
        return True
    said = [str(each).strip() for over, each in pairs if each not in (None, "", over)]
    return len({*said}) < len(said) and any(names_part(each, "report") for each in said)


def _head_of(lines: Sequence[Line], columns: NamedColumns) -> int:
    """The place of the head among the lines, or -1.

    That is the first line within ten which has two names that columns have, below shorter ones
    only, or else the first that is more than a title; none where that has a text as no name is.
    """
    if said := columns.named_as("head"):
        number = int(said[0]) if said[0].isdecimal() else -1
        if number == 0:
            return -1
        at = next((at for at, (line, _) in enumerate(lines) if line == number), None)
        if at is None:
            raise BadFile(
                f"--columns head={said[0]}: on that line stands nothing",
                "Give the number of the line with the names of the columns, or 0 for none.",
            )
        return at
    for at, (_, cells) in enumerate(lines[:_HEAD_WITHIN]):
        fewer = all(_filled(above) < _filled(cells) for _, above in lines[:at])
        if fewer and sum(is_head(str(each)) for each in cells) > 1:
            return at
    first = (at for at, (_, cells) in enumerate(lines[:_HEAD_WITHIN]) if _may_be_head(cells))
    at = next(first, 0)
    return -1 if at == 0 and any(_LONG.search(str(each)) for each in lines[0][1]) else at


_SENTENCE: Final = re.compile(r"(\S+\s+){3}.*[.?!]\s*\Z|[。？！]\s*\Z")
_ENDS: Final = re.compile(r"[.?!:;。？！：；]\s*\Z")


def reads_like_head(lines: Sequence[Line]) -> bool:
    """Whether the first line names the columns: by names that are known, or by what is below.

    That is where its cells are all there, differ and end no sentence, and where the longest texts
    stand, each text below is three times as long as the cell.
    """
    first = [str(each).strip() for each in lines[0][1] if each is not None]
    if sum(map(is_head, first)) > 1:
        return True
    whole = all(first) and len({*first}) == len(first) == len(lines[0][1]) and len(lines) > 1
    if not whole or any(_ENDS.search(each) or _LONG.search(each) for each in first):
        return False
    below = [
        [str(cells[at]) for _, cells in lines[1:] if at < len(cells) and cells[at]]
        for at in range(len(first))
    ]
    longest = max(range(len(first)), key=lambda at: sum(map(len, below[at])))
    return all(len(each) > 3 * len(first[longest]) for each in below[longest])


def _filled(cells: Sequence[Json]) -> int:
    return sum(each not in (None, "") for each in cells)


def _may_be_head(cells: Sequence[Json]) -> bool:
    """Whether a line is more than a title above a table."""
    said = [str(each) for each in cells if each not in (None, "")]
    return len(cells) == 1 or len(said) > 1 or any(map(is_head, said))


def _counts(cells: Sequence[Json]) -> bool:
    """Whether cells only number the rows, as data frames are written."""
    said = [str(each) for each in cells]
    return any(said == [str(n + start) for n in range(len(said))] for start in (0, 1))
