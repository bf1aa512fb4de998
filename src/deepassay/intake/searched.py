"""A table whose columns are looked for: which are called as something that is looked for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from deepassay.intake.columns import ORDER, NamedColumns
from deepassay.intake.heads import (
    KNOWN,
    ColumnPart,
    is_head,
    is_known,
    is_other,
    plain,
    plain_words,
)
from deepassay.intake.leaves import called_by
from deepassay.intake.proposals import (
    are_dates,
    is_name,
    is_said,
    is_wordy,
    length_of,
    may_have_failed,
    names_files,
    shortened,
    texts_at,
    usual_of,
)
from deepassay.intake.rows import InputRow
from deepassay.score import Json


class SearchedTable:
    """Rows under their columns. names: of those columns in which anything stands.

    inner: what stands inside of them, by paths, and the names that it is known by. said: of the
    columns, by people.
    """

    def __init__(
        self,
        rows: Sequence[InputRow],
        columns: NamedColumns,
        whole: Callable[[Json], bool] = lambda value: False,
    ) -> None:
        self.rows, self.said, self._whole = rows, columns.named, whole
        self._columns = columns
        self.every = list(dict.fromkeys(name for row in rows for name in row.fields))
        filled = {
            name for row in rows for name, value in row.fields.items() if value not in (None, "")
        }
        self.names = [name for name in self.every if name in filled]
        self.inner = {path: field.called for row in rows for path, field in row.inner.items()}
        self.inner |= {name: called_by(name) for name in self.names if "." in name}
        columns.met.update(self.every, self.inner)

    def named(self, part: str) -> tuple[str, ...]:
        """The columns of this table that people said to be this."""
        if part == "sample" and ORDER in self._columns.named_as(part) and ORDER not in self.every:
            self._columns.met.add(ORDER)
            return (ORDER,)
        there = {*self.every, *self.inner}
        return tuple(each for each in self._columns.named_as(part) if each in there)

    def known(
        self, part: ColumnPart, taken: set[str], found: Mapping[str, Sequence[str]] | None = None
    ) -> list[str]:
        """The columns that are called so by the strongest of names; of those that agree the first.

        A field inside another is less certain than a column: as prompt or report it is taken by the
        names that say it before columns by those that may; as something else after them.
        """
        text = part in ("prompt", "report")
        weakest = range(len(KNOWN[part]))
        order = [(weak, inside) for weak in weakest for inside in (False, True)]
        if not text:
            order.sort(key=lambda each: each[1])
        for weak, inside in order:
            if inside and part == "id" and (weak or (found or {}).get("prompt")):
                continue  # of whatever it stands in
            if weak and part == "prompt" and any(n.endswith(".user.first") for n in self.inner):
                break  # a title of a conversation is not what was asked in it
            fitting = self._fitting(part, weak, inside, taken)
            if part == "report":
                wordy = [each for each in fitting if is_wordy(self.rows, each)]
                names = all(map(self.holds_names, fitting)) and self.unknown(taken)
                fitting = wordy or ([] if names else fitting)
            if fitting:
                return self.different(fitting)
        return []

    def different(self, names: Sequence[str]) -> list[str]:
        """The columns without those that say what another does."""
        found: list[str] = []
        for name in names:
            if not any(all(row.at(name) == row.at(other) for row in self.rows) for other in found):
                found.append(name)
        return found

    def _fitting(self, part: ColumnPart, weak: int, inside: bool, taken: set[str]) -> list[str]:
        said = {column for _, column in self.said} | taken
        text = part in ("prompt", "report")
        if not inside:
            free = [name for name in self.names if name not in said]
            fitting = [n for n in free if is_known(n, part, weak) and self._may_be(part, n)]
            if texts := [name for name in fitting if not self.holds_names(name)]:
                fitting = texts if text else fitting
            elif part == "prompt" and self.unknown(said):
                return []  # numbers of questions, beside their texts
            return fitting
        fitting = [
            path
            for path, called in self.inner.items()
            if called and is_known(called, part, weak) and path not in said
            if not BY_A_JUDGE.search(path) and self._may_be(part, path, called)
        ]
        if text:
            there = {path: sum(row.at(path) is not None for row in self.rows) for path in fitting}
            return [path for path in fitting if there[path] == max(there.values())]
        least = min((each.count(".") for each in fitting), default=0)
        return [each for each in fitting if each.count(".") == least]

    def samples(self, found: Mapping[str, Sequence[str]]) -> list[str]:
        """The column that numbers answers, if what stands there does so as well.

        By a name that may be another's only if that is needed: where one agent has several answers
        to a task, and no two of one number.
        """
        taken = {each for those in found.values() for each in those}
        called = self.known("sample", taken)
        if not called or not self._numbers_answers(called[0], found):
            return []
        weak = not is_known(called[0], "sample", 0)
        if weak and not found["agent"] and not self._holds_numbers(called[0]):
            return []
        return called if not weak or self._tells_apart(called[0], found) else []

    def answered(self, report: str) -> list[InputRow]:
        """The rows that hold a report, without those that say why there is none."""
        texts = [text for row in self.rows if isinstance(text := row.at(report), str)]
        usual = usual_of([len(each) for each in texts if each])
        return [
            row
            for row in self.rows
            if (text := row.at(report)) not in (None, "")
            and not (isinstance(text, str) and may_have_failed(text, usual))
        ]

    def _holds_numbers(self, name: str) -> bool:
        return all(str(row.at(name) or 0).strip().isdecimal() for row in self.rows)

    def _by_pair(self, found: Mapping[str, Sequence[str]]) -> dict[tuple[str, ...], list[InputRow]]:
        """The rows of each agent and task that hold a report."""
        key = [each for part in ("agent", "prompt", "id") for each in found[part][:1]]
        if found["prompt"] and found["id"]:
            key.remove(found["id"][0])  # which may number the rows
        rows = self.answered(found["report"][0]) if len(found["report"]) == 1 else self.rows
        pairs: dict[tuple[str, ...], list[InputRow]] = {}
        for row in rows:
            pairs.setdefault(tuple(str(row.at(each)) for each in key), []).append(row)
        return pairs

    def _numbers_answers(self, name: str, found: Mapping[str, Sequence[str]]) -> bool:
        """Whether a column counts the answers of each agent to a task, or what it says of them is
        said of others as well; else it numbers the rows, or what each agent was asked.
        """
        every = self._by_pair(found).values()
        pairs = [{str(row.at(name)).strip() for row in rows} for rows in every]
        met = Counter(each for those in pairs for each in those)
        if all(len(rows) < 2 for rows in every):
            return len(met) == 1  # as in a file for each round
        return len(pairs) == 1 or all(
            those in ({*map(str, range(len(those)))}, {*map(str, range(1, len(those) + 1))})
            or all(met[each] > 1 for each in those)
            for those in pairs
        )

    def _tells_apart(self, name: str, found: Mapping[str, Sequence[str]]) -> bool:
        pairs = self._by_pair(found).values()
        several = any(len(rows) > 1 for rows in pairs)
        return several and all(
            len({str(row.at(name)) for row in rows}) == len(rows) for rows in pairs
        )

    def _may_be(self, part: str, name: str, called: str = "") -> bool:
        """Whether what stands there can be this at all. called: of what stands inside a field."""
        values = [value for row in self.rows if (value := row.at(name)) is not None]
        names = all(map(is_name, values))
        called = plain(called or name)
        if part in ("prompt", "report") and self.is_opened(name):
            return False
        if part == "prompt":
            texts = any(isinstance(each, str) for each in values)
            known = called == "prompt" and name in self.names
            fits = known or (texts and not (called == "task" and names))
        elif part == "id":
            fits = names if called == "task" else all(map(_is_scalar, values))
        elif part == "agent":
            fits = not any(map(_is_no_name, values))
        elif part == "report":
            fits = any(isinstance(each, str) for each in values) or all(
                each != [] and (self._whole(each) or not (name in self.inner or _lists_rows(each)))
                for each in values
            )
        else:
            fits = all(map(_is_scalar, values))
        return fits

    def unknown(self, taken: set[str]) -> list[str]:
        """Columns of texts that are called as nothing that is known."""
        called = {**{name: name for name in self.names if not self.is_opened(name)}, **self.inner}
        return [
            name
            for name, head in called.items()
            if name not in taken and not is_head(head) and is_wordy(self.rows, name)
        ]

    def left_aside(self, found: Mapping[str, Sequence[str]]) -> list[str]:
        """Columns of texts that are taken as nothing, though nothing says that they are nothing.

        That is said by a name, as of remarks, of right answers or of a title beside the prompt, by
        standing in what judges said, and by what stands there: the same in all rows, or what a
        column that is taken says. Beside short reports, short texts count as well, but for what is
        called as agents are.
        """
        taken = [each for those in found.values() for each in those]
        taken += [column for _, column in self.said]
        whole = any(self._whole(row.at(each)) for row in self.rows for each in found["report"])
        short = not whole and not any(is_wordy(self.rows, each) for each in found["report"])
        asked = next(iter(found["prompt"]), "")
        titled = not asked or self.is_called(asked, "prompt", 1)
        several = self.varied(asked)
        free = []
        for name in [*self.names, *self.inner]:
            called, varied = self.inner.get(name) or name, self.varied(name)
            title = is_known(called, "prompt", 1) and not titled and varied <= several
            nothing = title or any(map(is_other, (called, *name.split("."), _of_list(name))))
            if asked.endswith(".user") and length_of(self.rows, name) < length_of(self.rows, asked):
                continue  # a title beside the conversation in which it was asked
            same = varied < min(2, several) or name in taken or self.is_opened(name)
            if not (nothing or same or BY_A_JUDGE.search(name) or names_files(self.rows, name)):
                says = short and self._says(name) and not self.is_called(name, "agent")
                free += [name] if says or is_wordy(self.rows, name) else []
        return self.different([*taken, *free])[len(self.different(taken)) :]

    def are_apart(self, names: Sequence[str]) -> bool:
        """Whether each row has one of these columns, and none has two."""
        there = [sum(row.at(each) is not None for each in names) for row in self.rows]
        return {*there} == {1} and not self.rows[0].flat

    def as_prompts(self, names: Sequence[str], asked: str, open: bool) -> list[str]:
        """Those columns that may be prompts in place of one that is known as that.

        Where that is the same in all rows, is only titled so or has a word or two, that are all;
        else those that are not much longer. open: another part is asked for, so that they are
        likely that.
        """
        always = self.varied(asked) < min(2, len(self.rows)) or not is_wordy(self.rows, asked)
        if always or self.is_called(asked, "prompt", 1):
            return [*names]
        longest = -1 if open else _TIMES * length_of(self.rows, asked)
        return [each for each in names if length_of(self.rows, each) <= longest]

    def varied(self, name: str) -> int:
        """How many texts stand in a column that differ."""
        return len({*texts_at(self.rows, name)})

    def is_called(self, name: str, part: ColumnPart, weak: int = 0) -> bool:
        """Whether a column, or a field inside of one, is called as this is."""
        return is_known(self.inner.get(name) or name, part, weak)

    def _says(self, name: str) -> bool:
        """Whether words stand there that are neither dates, numbers nor states."""
        return not are_dates(self.rows, name) and any(map(is_said, texts_at(self.rows, name)))

    def holds_names(self, name: str) -> bool:
        """Whether nothing but names without blanks stands there, or numbers."""
        return all(is_name(v) for row in self.rows if (v := row.at(name)) not in (None, ""))

    def of_answers(self) -> list[str]:
        """The columns in which answers stand that stay whole, as providers send them."""
        return [n for n in self.names if any(self._whole(row.at(n)) for row in self.rows)]

    def is_opened(self, name: str) -> bool:
        """Whether it holds fields, which are looked at in place of it."""
        if any(self._whole(row.at(name)) for row in self.rows[:1]):
            return False
        return any(path.startswith(f"{name}.") for path in self.inner if name not in self.inner)


_TIMES: Final = 3
"""Times that a text may be longer than a prompt, and be one as well."""
BY_A_JUDGE: Final = re.compile(r"(?:\A|[._])(judge|grader|score|evaluat|metric)", re.IGNORECASE)
"""Says of what stands inside of it that it is of those who judge, as a model's name."""
_MANY_WORDS: Final = re.compile(r"\n|[.?!。？！]\s*\Z|(?:\S+\s+){6}|.{80}")
"""What says that a text is no name of an agent, but for instance what a system was told."""


def _of_list(path: str) -> str:
    """The last word of what a list is called, without an s, if a path is of an entry of one."""
    name, _, number = path.rpartition(".")
    words = plain_words(name.rpartition(".")[2]) if number.isdecimal() else []
    return words[-1].removesuffix("s") if words else ""


def _is_no_name(value: Json) -> bool:
    return not _is_scalar(value) or _MANY_WORDS.search(shortened(str(value))) is not None


def _lists_rows(value: Json) -> bool:
    """Whether it is a list of rows."""
    return isinstance(value, list) and any(isinstance(each, Mapping) for each in value)


def _is_scalar(value: Json) -> bool:
    return isinstance(value, str | int)
