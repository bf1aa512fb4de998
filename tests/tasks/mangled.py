"""Files of published sets, damaged on purpose, each with what is right to make of it.

What is right is written from the damage itself: it says which tasks are left of the published rows,
or that nothing is. Nothing here reads a file, nor knows how the package does.
"""

from __future__ import annotations

import copy
import csv
import io
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Row = dict[str, Any]
Found = list[tuple[str, str, list[tuple[str, float]]]]
"""Tasks: identifier, prompt, and of each criterion its text and weight. Of rubrics the prompt is
empty; of references the weight is 0."""


@dataclass(frozen=True)
class Published:
    """A layout. rows: some of the set's. id, prompt: fields of a row, "" where there is none.

    criteria: the list in a row, and text and weight of each; "" for a text where each is one. kind:
    how the file is written. name: of the file; in a folder, of each, by its identifier. request:
    a field that has to be a text too. within: a field of a row that holds JSON as a text, in which
    the criteria stand. references: each row is a reference with its title for a prompt, of the task
    that its identifier or its file names.
    """

    rows: Callable[[Path], list[Row]]
    id: str
    prompt: str
    criteria: Callable[[Row], list[Any]] | None = None
    text: str = ""
    weight: str = ""
    kind: str = "jsonl"
    name: str = "tasks.jsonl"
    default: float | None = None
    within: str = ""
    references: bool = False

    def found(self, row: Row, number: int) -> tuple[str, str, list[tuple[str, float]]]:
        """What a sound row is."""
        id = row["*"] if "*" in row else str(row[self.id]) if self.id else str(number)
        prompt = asked(row[self.prompt]) if self.prompt else ""
        listed = self.criteria(row) if self.criteria else []
        own = [
            (each[self.text], float(each.get(self.weight, self.default)) if self.weight else 1.0)
            if self.text
            else (each, 1.0)
            for each in listed
        ]
        return id, prompt, own


def asked(said: Any) -> str:
    """A prompt; of a conversation of one turn what was said, of others who said it too."""
    if not isinstance(said, list):
        return str(said)
    if len(said) == 1:
        return str(said[0]["content"])
    return "\n\n".join(f"{each['role']}: {each['content']}" for each in said)


@dataclass
class Damaged:
    """A file as written, and what is right: all of the ways that may be, None for a refusal.

    row: the number of the one that is damaged, 0 where there is none.
    """

    content: bytes
    right: list[Found | None]
    what: str
    row: int = 0


def written(layout: Published, rows: Sequence[Any]) -> str:
    """Rows as the set writes them."""
    rows = [
        {**row, layout.within: json.dumps(row[layout.within])}
        if layout.within and isinstance(row, dict) and layout.within in row
        else row
        for row in rows
    ]
    if layout.kind == "list":
        return json.dumps(rows, indent=1, ensure_ascii=False)
    if layout.kind == "document":
        return json.dumps(rows[0], indent=2, ensure_ascii=False)
    if layout.kind == "csv":
        text = io.StringIO()
        head = list(dict.fromkeys(key for row in rows for key in row))
        table = csv.DictWriter(text, head)
        table.writeheader()
        table.writerows(rows)
        return text.getvalue()
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


# ------------------------------------------------------------------ damages

Damage = Callable[[Published, list[Row], random.Random], Damaged | None]
NUMBERLESS = (True, "heavy", [3], {"w": 1}, float("nan"), float("inf"), -float("inf"), 1e200)
WORDLESS = (None, 7, True, [], {}, "", "   ", ["so"], {"a": "b"}, "half \ud800 a character")


def whole(layout: Published, rows: list[Row]) -> Found:
    return [layout.found(row, number) for number, row in enumerate(rows, start=1)]


def sound(layout: Published, rows: list[Row], dice: random.Random) -> Damaged:
    order = rows[:]
    dice.shuffle(order)
    return Damaged(written(layout, order).encode(), [whole(layout, order)], "in another order")


def marked(layout: Published, rows: list[Row], dice: random.Random) -> Damaged:
    content = b"\xef\xbb\xbf" + written(layout, rows).encode()
    return Damaged(content, [whole(layout, rows)], "with a mark of its byte order")


def in_utf_16(layout: Published, rows: list[Row], dice: random.Random) -> Damaged:
    content = written(layout, rows).encode("utf-16")
    return Damaged(content, [whole(layout, rows), None], "in UTF-16")


def with_line_ends(layout: Published, rows: list[Row], dice: random.Random) -> Damaged | None:
    if layout.kind == "csv":  # has line ends within cells
        return None
    text = written(layout, rows).replace("\n", dice.choice(["\r\n", "\n\n", "\n  \n"]))
    return Damaged(text.encode(), [whole(layout, rows)], "with other line ends")


def cut(layout: Published, rows: list[Row], dice: random.Random) -> Damaged:
    text = written(layout, rows)
    place = dice.randrange(1, len(text) - 1)
    part = text[:place]
    if layout.kind != "jsonl":
        right: list[Found | None] = [None]
        if layout.kind == "csv":  # rows that end where a line ends cannot be told from whole ones
            right += [whole(layout, rows[:n]) for n in range(1, len(rows) + 1)]
        if layout.kind == "list" and not text[place:].strip():
            right = [whole(layout, rows)]
        return Damaged(part.encode(), right, f"cut at {place}")
    lines = part.split("\n")
    kept = len(lines) - 1
    lengths = [len(line) for line in text.split("\n")]
    if lines[-1] and len(lines[-1]) == lengths[kept]:
        kept, lines = kept + 1, [""]
    right = [None] if lines[-1] or not kept else [whole(layout, rows[:kept])]
    return Damaged(part.encode(), right, f"cut at {place}")


def bytes_changed(layout: Published, rows: list[Row], dice: random.Random) -> Damaged:
    content = bytearray(written(layout, rows).encode())
    content[dice.randrange(len(content) // 2, len(content) - 2)] = 0xFF
    right: list[Found | None] = [None]
    if layout.kind == "csv":
        # It may be of an encoding in which that byte is a letter, and no other is what it is not.
        text = io.StringIO(content.decode("cp1252", "replace"), newline="")
        found = whole(layout, [*csv.DictReader(text)])
        if all((id + said).replace("ÿ", "").isascii() for id, said, _ in found):
            right.append(found)
    return Damaged(bytes(content), right, "with a byte that is no UTF-8")


def empty(layout: Published, rows: list[Row], dice: random.Random) -> Damaged:
    return Damaged(dice.choice([b"", b"\n\n ", b"\xef\xbb\xbf", b"[]", b"{}"]), [None], "empty")


def twice(layout: Published, rows: list[Row], dice: random.Random) -> Damaged | None:
    if layout.kind == "document":
        return None
    if not layout.id or "*" in rows[0]:
        return None
    same = [*rows, copy.deepcopy(dice.choice(rows))]
    same[-1][layout.prompt or layout.id] = same[-1][layout.prompt or layout.id]
    return Damaged(written(layout, same).encode(), [None], "with an identifier twice")


def of_others(layout: Published, rows: list[Row], dice: random.Random) -> Damaged | None:
    if layout.kind == "document":
        return None
    if layout.kind == "csv":
        return None
    strange = dice.choice(
        [
            {"idx": 1, "content": {"task": "Why?", "rubric": {"a": ["b"]}}, "blocked": None},
            {"case_id": "x", "ingredients": [{"criterion": "c", "weight": 1}]},
            {"name": "Heron", "age": 7},
            {"report": "All is well.", "agent": "heron"},
        ]
    )
    place = dice.randrange(len(rows) + 1)
    mixed = [*rows[:place], strange, *rows[place:]]
    return Damaged(written(layout, mixed).encode(), [None], "with a row of another kind")


def no_object(layout: Published, rows: list[Row], dice: random.Random) -> Damaged | None:
    if layout.kind == "document":
        return None
    if layout.kind == "csv":
        return None
    place = dice.randrange(len(rows) + 1)
    strange: Any = dice.choice([7, "text", None, ["a"], True, 1.5])
    mixed: list[Any] = [*rows[:place], strange, *rows[place:]]
    return Damaged(written(layout, mixed).encode(), [None], f"with {strange!r} for a row")


def prompt_of_another_kind(
    layout: Published, rows: list[Row], dice: random.Random
) -> Damaged | None:
    if not layout.prompt or layout.kind == "csv":
        return None
    place, said = dice.randrange(len(rows)), dice.choice(WORDLESS)
    rows[place][layout.prompt] = said
    return Damaged(as_escaped(layout, rows), [None], f"with the prompt {said!r}", place + 1)


def prompt_gone(layout: Published, rows: list[Row], dice: random.Random) -> Damaged | None:
    if not layout.prompt or len(rows) < 2 or layout.kind == "csv":
        return None
    place = dice.randrange(1, len(rows))
    rows[place][dice.choice(["promt", "Ask"])] = rows[place].pop(layout.prompt)
    return Damaged(written(layout, rows).encode(), [None], "without a prompt", place + 1)


def identifier_of_another_kind(
    layout: Published, rows: list[Row], dice: random.Random
) -> Damaged | None:
    if not layout.id or layout.kind == "csv" or "*" in rows[0]:
        return None
    said = dice.choice((None, True, [], {}, "", 1.5, ["a"]))
    place = dice.randrange(len(rows))
    rows[place][layout.id] = said
    content = written(layout, rows).encode()
    return Damaged(content, [None], f"with the identifier {said!r}", place + 1)


def swapped(layout: Published, rows: list[Row], dice: random.Random) -> Damaged | None:
    if not (layout.id and layout.prompt) or "*" in rows[0]:
        return None
    for row in rows:
        row[layout.id], row[layout.prompt] = row[layout.prompt], row[layout.id]
    right: list[Found | None] = [None]
    if all(isinstance(row[layout.prompt], str) for row in rows):  # nobody can tell
        right.append(whole(layout, rows))
    return Damaged(written(layout, rows).encode(), right, "with identifier and prompt exchanged")


def some_criterion(
    layout: Published, rows: list[Row], dice: random.Random
) -> tuple[list[Any], int, int]:
    """The list that it stands in, its place there, and the number of its row."""
    assert layout.criteria is not None
    having = [number for number, row in enumerate(rows) if layout.criteria(row)]
    number = dice.choice(having)
    own = layout.criteria(rows[number])
    return own, dice.randrange(len(own)), number + 1


def criterion_of_another_kind(
    layout: Published, rows: list[Row], dice: random.Random
) -> Damaged | None:
    if layout.criteria is None or layout.kind == "csv":
        return None
    own, place, row = some_criterion(layout, rows, dice)
    said = dice.choice(WORDLESS)
    if layout.text:
        own[place][layout.text] = said
    else:
        if isinstance(said, list):
            return None  # a list in a list is more of the same
        own[place] = said
    return Damaged(as_escaped(layout, rows), [None], f"with the criterion {said!r}", row)


def criterion_without_its_text(
    layout: Published, rows: list[Row], dice: random.Random
) -> Damaged | None:
    if not layout.text or layout.criteria is None or layout.kind == "csv":
        return None
    own, place, row = some_criterion(layout, rows, dice)
    own[place]["other"] = own[place].pop(layout.text)
    return Damaged(written(layout, rows).encode(), [None], "with a criterion without its text", row)


def criterion_is_no_object(
    layout: Published, rows: list[Row], dice: random.Random
) -> Damaged | None:
    if not layout.text or layout.criteria is None or layout.kind == "csv":
        return None
    own, place, row = some_criterion(layout, rows, dice)
    own[place] = said = dice.choice([7, None, "a text", True])
    return Damaged(written(layout, rows).encode(), [None], f"with {said!r} for a criterion", row)


def weight_of_another_kind(
    layout: Published, rows: list[Row], dice: random.Random
) -> Damaged | None:
    if not layout.weight:
        return None
    own, place, row = some_criterion(layout, rows, dice)
    own[place][layout.weight] = said = dice.choice(NUMBERLESS)
    return Damaged(written(layout, rows).encode(), [None], f"with the weight {said!r}", row)


def weight_gone(layout: Published, rows: list[Row], dice: random.Random) -> Damaged | None:
    if not layout.weight:
        return None
    own, place, row = some_criterion(layout, rows, dice)
    weight = own[place].pop(layout.weight, layout.default)
    if dice.random() < 0.5:
        own[place]["weigth"] = weight
    right: list[Found | None] = [None]
    content = written(layout, rows).encode()
    if layout.default is not None:
        own[place][layout.weight] = layout.default
        right = [whole(layout, rows)]
    return Damaged(content, right, "with a criterion without its weight", row)


def text_and_weight_exchanged(
    layout: Published, rows: list[Row], dice: random.Random
) -> Damaged | None:
    if not layout.weight:
        return None
    own, place, row = some_criterion(layout, rows, dice)
    each = own[place]
    each.setdefault(layout.weight, layout.default)
    each[layout.text], each[layout.weight] = each[layout.weight], each[layout.text]
    return Damaged(written(layout, rows).encode(), [None], "with text and weight exchanged", row)


def another_weight(layout: Published, rows: list[Row], dice: random.Random) -> Damaged | None:
    if not layout.weight:
        return None
    own, place, _ = some_criterion(layout, rows, dice)
    own[place][layout.weight] = dice.choice([0, -500, 1e9, 0.1, -0.0, 10**15])
    return Damaged(written(layout, rows).encode(), [whole(layout, rows)], "with an odd weight")


def without_criteria(layout: Published, rows: list[Row], dice: random.Random) -> Damaged | None:
    """A task without criteria is one; a rubric or a bibliography without any says nothing."""
    if layout.criteria is None or layout.kind == "csv":
        return None
    own, _, _ = some_criterion(layout, rows, dice)
    own.clear()
    found = whole(layout, rows)
    kept = [each for each in found if each[2]]
    right: list[Found | None] = [found] if layout.prompt else [kept or None]
    if not kept:  # nothing gives the layout away
        right.append(None)
    return Damaged(written(layout, rows).encode(), right, "with no criteria in one row")


def criteria_of_another_kind(
    layout: Published, rows: list[Row], dice: random.Random
) -> Damaged | None:
    if layout.criteria is None or layout.kind == "csv":
        return None
    own, _, row = some_criterion(layout, rows, dice)
    said = dice.choice([None, 7, "some text", True, {"a": 1}, {"a": {"b": "c"}}])
    rows[row - 1] = put_for(rows[row - 1], own, said)
    return Damaged(written(layout, rows).encode(), [None], f"with the criteria {said!r}", row)


def put_for(value: Any, old: Any, new: Any) -> Any:
    """A value in which something stands in place of what was in it."""
    if value is old:
        return new
    if isinstance(value, dict):
        return {key: put_for(each, old, new) for key, each in value.items()}
    if isinstance(value, list):
        return [put_for(each, old, new) for each in value]
    return value


def identifiers_alike(layout: Published, rows: list[Row], dice: random.Random) -> Damaged | None:
    """The same one as a number and as a text."""
    if not layout.id or layout.kind == "csv" or len(rows) < 2:
        return None
    rows[0][layout.id], rows[1][layout.id] = 7, "7"
    return Damaged(written(layout, rows).encode(), [None], "with 7 and '7' for identifiers")


def weight_is_null(layout: Published, rows: list[Row], dice: random.Random) -> Damaged | None:
    if not layout.weight or layout.default is not None:
        return None
    own, place, row = some_criterion(layout, rows, dice)
    own[place][layout.weight] = None
    return Damaged(written(layout, rows).encode(), [None], "with no weight", row)


def much(layout: Published, rows: list[Row], dice: random.Random) -> Damaged | None:
    if layout.kind == "csv" or layout.criteria is None:
        return None
    own, place, _ = some_criterion(layout, rows, dice)
    if dice.random() < 0.5:
        own += [copy.deepcopy(own[place]) for _ in range(3_000)]
    elif layout.text:
        own[place][layout.text] = "very long " * 100_000 + "end"
    else:
        own[place] = "very long " * 100_000 + "end"
    return Damaged(written(layout, rows).encode(), [whole(layout, rows)], "huge")


def deep(layout: Published, rows: list[Row], dice: random.Random) -> Damaged | None:
    if layout.kind == "csv":
        return None
    rows[0]["deep"] = 0
    text = written(layout, rows)
    depth = dice.choice([50, 100_000])
    text = text.replace('"deep": 0', '"deep": ' + "[" * depth + "]" * depth, 1)
    right: list[Found | None] = [whole(layout, rows), None]
    return Damaged(text.encode(), right, f"with {depth} lists in each other")


def more_fields(layout: Published, rows: list[Row], dice: random.Random) -> Damaged:
    for row in rows:
        row["remark_of_ours"] = dice.choice(["so", "", "x" * 200])
    return Damaged(written(layout, rows).encode(), [whole(layout, rows)], "with another field")


def key_twice(layout: Published, rows: list[Row], dice: random.Random) -> Damaged | None:
    name = layout.prompt or layout.id
    if layout.kind == "csv" or not name:
        return None
    row = dice.choice(rows)
    row["twice"] = "Another text altogether"
    text = written(layout, rows).replace('"twice":', f'"{name}":', 1)
    return Damaged(text.encode(), [None], "with a key twice in one object")


def on_one_line(layout: Published, rows: list[Row], dice: random.Random) -> Damaged | None:
    if layout.kind != "jsonl" or len(rows) < 2:
        return None
    text = written(layout, rows).replace("\n", " ", 1)
    return Damaged(text.encode(), [None, whole(layout, rows)], "with two rows on a line")


def as_escaped(layout: Published, rows: list[Row]) -> bytes:
    """As `written`, with everything outside ASCII escaped, so that half a character can stand."""
    if layout.kind == "list":
        return json.dumps(rows).encode()
    text = written(layout, rows)
    return text.encode("utf-8", "surrogatepass").replace(b"\xed\xa0\x80", b"\\ud800")


DAMAGES: tuple[Damage, ...] = (
    *(sound, marked, in_utf_16, with_line_ends, cut, cut, cut, bytes_changed, empty, twice),
    *(of_others, no_object, prompt_of_another_kind, prompt_of_another_kind, prompt_gone),
    *(identifier_of_another_kind, swapped, criterion_of_another_kind, criterion_is_no_object),
    *(criterion_of_another_kind, criterion_without_its_text, weight_of_another_kind),
    *(weight_of_another_kind, weight_gone, text_and_weight_exchanged, another_weight),
    *(without_criteria, much, deep, more_fields, key_twice, on_one_line),
    *(criteria_of_another_kind, identifiers_alike, weight_is_null),
)


def damaged(layout: Published, rows: Sequence[Row], dice: random.Random) -> Damaged:
    """A few rows of a set, damaged in one way."""
    while True:
        first = dice.randrange(max(1, len(rows) - 3))
        own = copy.deepcopy([*rows[first : first + dice.randint(2, 3)]])
        made = dice.choice(DAMAGES)(layout, own, dice)
        if made is not None:
            return as_references(layout, own, made) if layout.references else made


def as_references(layout: Published, rows: list[Row], made: Damaged) -> Damaged:
    """The same of a file of references: works by task, and one without a title is left out.

    An identifier may stand there as often as it likes, and a row of another kind has no title.
    """
    right = made.right
    if made.what == "with an identifier twice":
        right = [whole(layout, [*rows, rows[0]]), *(whole(layout, [*rows, row]) for row in rows)]
    untitled = [row for row in rows if not str(row.get(layout.prompt) or "").strip()]
    if untitled or made.what == "with a row of another kind":
        right = [None, whole(layout, [row for row in rows if row not in untitled])]
    return Damaged(made.content, [by_task(layout, each) for each in right], made.what)


def by_task(layout: Published, found: Found | None) -> Found | None:
    """References as works of their tasks."""
    if found is None:
        return None
    works: dict[str, list[tuple[str, float]]] = {}
    for id, title, _ in found:
        task = id if layout.id else layout.name.removesuffix(".jsonl")
        works.setdefault(task, []).append((title.strip(), 0.0))
    return [(task, "", own) for task, own in works.items()] or None
