"""Tables in which a row is more or less than an answer, as rows with an answer each."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from deepassay.errors import Notice
from deepassay.intake.columns import HEAD, NamedColumns
from deepassay.intake.heads import is_head, plain
from deepassay.intake.proposals import is_wordy
from deepassay.intake.rows import InputRow
from deepassay.intake.turns import Branches, branches_of, versions_left, who_speaks
from deepassay.score import Json

TEXT: Final = "text by name"
"""What a text by identifier is called: a prompt or a report, as what is looked for."""
TWO_NAMES: Final = ("outer name", "inner name")
"""What the two names of a text are called, of which one is within the other."""


def in_rows(rows: Sequence[InputRow], columns: NamedColumns) -> list[InputRow]:
    """The rows, or in place of them: a conversation of each that has its messages in rows, a row
    for each side of a pair, or for each column where people say that its name is the prompt.
    """
    if HEAD in columns.named_as("prompt"):
        columns.met.add(HEAD)
        return _by_head(rows, columns)
    rows = _conversations(rows) or _roots(rows)
    return _sides(rows) or _beside(rows)


def _beside(rows: Sequence[InputRow]) -> list[InputRow]:
    """A row for each answer, where conversations hold several to their last question, of several
    models; else the rows themselves. A Notice tells of other branches.
    """
    found: list[tuple[InputRow, str, Branches]] = []
    for row in rows:
        held = ((name, branches_of(value, row.fields)) for name, value in row.fields.items())
        found.append((row, *next((each for each in held if any(each[1])), ("", Branches()))))
    other = [
        (row.place, branches.left + sum(map(versions_left, row.fields.values())))
        for row, _, branches in found
    ]
    if left := [each for each in other if each[1]]:
        told = f"{left[0][0]}: answers that are left out, as they stand in branches that are not "
        told += f"shown: {sum(n for _, n in left)}. To count one, have it shown, and export again."
        warnings.warn(Notice(told), stacklevel=2)
    if all(len(branches.beside) < 2 for *_, branches in found):
        return [*rows]
    again = any(which > 1 for *_, branches in found for _, which in branches.beside)
    split = []
    for row, name, branches in found:
        above = {key: each for key, each in row.fields.items() if key != name}
        for number, (messages, which) in enumerate(branches.beside, start=1):
            fields = {**({"sample": which} if again else {}), **above, "messages": messages}
            split.append(replace(row, place=f"{row.place}, answer {number}", fields=fields))
        split += [] if branches.beside else [row]
    return split


_PARENT: Final = re.compile(r"parent(run|span|observation|trace|call)?id")


def _roots(rows: Sequence[InputRow]) -> Sequence[InputRow]:
    """The rows that are no steps of others, where a column says of which; a Notice tells."""
    names = dict.fromkeys(name for row in rows for name in row.fields)
    parent = next((name for name in names if _PARENT.fullmatch(plain(name))), None)
    roots = [row for row in rows if parent and row.fields.get(parent) in (None, "")]
    if not roots or len(roots) == len(rows):
        return rows
    steps = len(rows) - len(roots)
    place = rows[0].place.partition(", ")[0]
    told = f"{place}: {steps} of {len(rows)} rows are steps of others ({parent}) and left out."
    warnings.warn(Notice(told), stacklevel=2)
    return roots


def _by_head(rows: Sequence[InputRow], columns: NamedColumns) -> list[InputRow]:
    kept = {name for row in rows for name in row.fields if is_head(name)}
    kept |= {column for _, column in columns.named}
    kept |= {name for row in rows for name in row.fields if not is_wordy(rows, name)}
    found = []
    for row in rows:
        above = {name: value for name, value in row.fields.items() if name in kept}
        for name, value in row.fields.items():
            if name not in kept:
                place = f"{row.place}, column {name}"
                found.append(replace(row, place=place, fields={**above, HEAD: name, TEXT: value}))
    return found


_LETTER: Final = re.compile(r"(?P<base>.+?)(?:[\s_-]+(?P<side>[abAB12])|(?<=[a-z])(?P<big>[AB]))")
_BEHIND: Final = re.compile(r"(?P<base>.+)[\s_.-]+(?P<side>[^\W_]+)")
_BEFORE: Final = re.compile(r"(?P<side>[^\W_]+)[\s_.-]+(?P<base>.+)")


def _sides(rows: Sequence[InputRow]) -> list[InputRow]:
    """Rows of `model_a, response_a, model_b, response_b`, one for each side; or none."""
    return [
        replace(row, place=f"{row.place}, side {side}", fields=fields)
        for row, sides in zip(rows, _by_side([row.fields for row in rows]), strict=False)
        for side, fields in sides.items()
    ]


def _by_side(rows: Sequence[Mapping[str, Json]]) -> list[dict[str, Mapping[str, Json]]]:
    """The fields of each row by side, which may stand in one field of all rows; or nothing."""
    names = dict.fromkeys(name for row in rows for name in row)
    for pattern in (_LETTER, _BEHIND, _BEFORE):
        sides, shared = _sides_by(names, pattern)
        if not shared or (pattern is not _LETTER and not _are_answers(rows, sides, shared)):
            continue
        paired = {own[base] for own in sides.values() for base in shared}
        return [
            {
                side: {
                    **{name: value for name, value in row.items() if name not in paired},
                    **{base: row.get(own[base]) for base in shared},
                }
                for side, own in sides.items()
            }
            for row in rows
        ]
    for name in names:
        held = [inner for row in rows if isinstance(inner := row.get(name), Mapping)]
        if len(held) == len(rows) and (found := _by_side(held)):
            return [
                {side: {**row, name: fields} for side, fields in own.items()}
                for row, own in zip(rows, found, strict=True)
            ]
    return []


def _sides_by(
    names: Iterable[str], pattern: re.Pattern[str]
) -> tuple[dict[str, dict[str, str]], set[str]]:
    """The columns of each side by what they are called without it; and what all sides have, if
    that is an agent and something else.
    """
    sides: dict[str, dict[str, str]] = {}
    for name in names:
        if match := pattern.fullmatch(name):
            found = match.groupdict()
            side = str(found["side"] or found.get("big")).casefold()
            sides.setdefault(side, {})[found["base"]] = name
    sides = {side: own for side, own in sides.items() if any(map(_names_agents, own))}
    shared = set.intersection(*map(set, sides.values())) if len(sides) > 1 else set()
    return sides, shared if any(map(_names_agents, shared)) and len(shared) > 1 else set()


def _are_answers(
    rows: Sequence[Mapping[str, Json]],
    sides: Mapping[str, Mapping[str, str]],
    shared: Collection[str],
) -> bool:
    """Whether each side has texts, and they are not all of one agent."""
    held = [InputRow("", each) for each in rows]
    agents = {
        str(row.get(own[base]))
        for row in rows
        for own in sides.values()
        for base in shared
        if _names_agents(base)
    }
    texts = [base for base in shared if all(is_wordy(held, own[base]) for own in sides.values())]
    return len(agents) > 1 and bool(texts)


def _names_agents(base: str) -> bool:
    return is_head(base.rpartition(".")[2], "agent")


_SAID: Final = ("content", "text", "message", "value", "body")
_ROLE: Final = ("role", "from", "sender", "author", "speaker", "messagerole")
_WHOLE: Final = frozenset(
    f"{each}{end}"
    for each in ("conversation", "session", "thread", "chat", "dialog", "dialogue", "trace")
    for end in ("", "id", "no", "ts")
)


def _conversations(rows: Sequence[InputRow]) -> list[InputRow]:
    """A row for each conversation, where each row is a message of one; or none.

    What all messages have in common stands beside them, and what the last answer has of its own.
    """
    rows = _with_bots(rows)
    names = {plain(name): name for row in rows for name in row.fields}
    role = next((names[each] for each in _ROLE if each in names), None)
    said = next((names[each] for each in _SAID if each in names), None)
    one = next((name for each, name in names.items() if each in _WHOLE), None)
    if role is None or said is None:
        return []
    speakers = [who_speaks(row.fields.get(role)) for row in rows]
    if not all(speakers) or not {"user", "assistant"} <= {*speakers}:
        return []
    if one is None and speakers.count("user") > 1:
        return []  # nobody can say what belongs together
    together: dict[str, list[InputRow]] = {}
    for row in rows:
        together.setdefault(str(row.fields.get(one)) if one else "", []).append(row)
    return [
        _conversation(own, role, said)
        for each in together.values()
        for own in _by_who_answers(each, role)
    ]


def _by_who_answers(rows: Sequence[InputRow], role: str) -> list[list[InputRow]]:
    """The messages of a conversation; once for each who answers its one question, if several do."""
    answers = [row for row in rows if who_speaks(row.fields.get(role)) == "assistant"]
    agent = next((n for row in answers for n in row.fields if is_head(n, "agent")), "")
    names = dict.fromkeys(row.fields.get(agent) for row in answers)
    if len(names) < 2 or len(rows) - len(answers) > 1:
        return [[*rows]]
    return [
        [row for row in rows if row not in answers or row.fields.get(agent) == name]
        for name in names
    ]


def _with_bots(rows: Sequence[InputRow]) -> Sequence[InputRow]:
    """Messages of people and bots with the roles that those have, where only bots are marked."""
    names = {plain(name): name for row in rows for name in row.fields}
    bot = names.get("botid")
    if bot is None or not {*_ROLE}.isdisjoint(names):
        return rows
    marked = []
    for row in rows:
        answers = bool(row.fields.get(bot))
        named = {"bot_name": row.fields.get(names.get("username", bot))} if answers else {}
        role = "assistant" if answers else "user"
        marked.append(replace(row, fields={**row.fields, "role": role, **named}))
    return marked


def _conversation(rows: Sequence[InputRow], role: str, said: str) -> InputRow:
    answers = [row for row in rows if who_speaks(row.fields.get(role)) == "assistant"]
    last: Mapping[str, Json] = answers[-1].fields if answers else {}
    common = {
        name: value
        for name, value in rows[0].fields.items()
        if all(row.fields.get(name) == value for row in rows)
    }
    messages = [{"role": row.fields.get(role), "content": row.fields.get(said)} for row in rows]
    own = {name: last[name] for name in last if is_head(name, "agent")}
    fields = {**common, **own, "messages": messages}
    return replace(rows[0], fields=fields, flat=False)
