"""A table whose columns are looked for: what may be what, and what a refusal says of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from deepassay.files import BadFile
from deepassay.intake.columns import HEAD, ORDER, NamedColumns, option
from deepassay.intake.heads import (
    HEADS,
    KNOWN,
    MEANS,
    ColumnPart,
    is_head,
    is_known,
    is_target,
    numbered_answers,
    plain,
)
from deepassay.intake.laying import TWO_NAMES
from deepassay.intake.leaves import called_by
from deepassay.intake.proposals import (
    are_dates,
    by_likelihood,
    is_wordy,
    length_of,
    names_files,
    shown,
)
from deepassay.intake.rows import InputRow
from deepassay.score import Json


class SearchedTable:
    """Rows under their columns. names: of those columns in which anything stands.

    inner: what stands inside of them, by paths, and the names that it is known by.
    """

    def __init__(
        self,
        rows: Sequence[InputRow],
        columns: NamedColumns,
        place: str,
        whole: Callable[[Json], bool] = lambda value: False,
    ) -> None:
        self._rows, self._columns, self._place, self._whole = rows, columns, place, whole
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
    ) -> tuple[str, ...]:
        """The one column that is called so, if any is. Raises BadFile where several are.

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
            fitting = self._fitting(part, weak, inside, taken)
            if (
                part == "report"
                and len(fitting) == 1
                and (longer := self._longer(fitting[0], taken))
            ):
                raise self._several(part, [*fitting, *longer], longer)
            if fitting and all(self._same(fitting[0], each) for each in fitting[1:]):
                return (fitting[0],)
            if fitting:
                raise self._several(part, fitting)
        return ()

    def _fitting(self, part: ColumnPart, weak: int, inside: bool, taken: set[str]) -> list[str]:
        said = {column for _, column in self._columns.named} | taken
        if not inside:
            free = [name for name in self.names if name not in said]
            fitting = [n for n in free if is_known(n, part, weak) and self._may_be(part, n)]
            if text := [name for name in fitting if not self._holds_names(name)]:
                fitting = text if part in ("prompt", "report") else fitting
            elif part == "prompt" and self._unknown(said):
                return []  # numbers of questions, beside their texts
            if weak and part in ("prompt", "report"):
                fitting = [name for name in fitting if self._is_longest(name, free)]
            return fitting
        fitting = [
            path
            for path, called in self.inner.items()
            if called and is_known(called, part, weak) and path not in said
            if not _BY_A_JUDGE.search(path) and self._may_be(part, path, called)
        ]
        if weak and part in ("prompt", "report"):
            fitting = [each for each in fitting if self._is_longest(each, [*self.inner])]
        if part in ("prompt", "report"):
            there = {path: sum(row.at(path) is not None for row in self._rows) for path in fitting}
            return [path for path in fitting if there[path] == max(there.values())]
        least = min((each.count(".") for each in fitting), default=0)
        return [each for each in fitting if each.count(".") == least]

    def samples(self, found: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
        """The column that numbers answers; by a name that may be another's only if that is needed.

        That is where one agent has several answers to a task, and no two of one number.
        """
        taken = {each for those in found.values() for each in those}
        if strong := self.known("sample", taken):
            weak = [each for each in strong if not is_known(each, "sample", 0)]
            if not weak or self._tells_apart(strong[0], found):
                return strong
        return ()

    def _tells_apart(self, name: str, found: Mapping[str, Sequence[str]]) -> bool:
        key = [each for part in ("agent", "prompt", "id") for each in found[part][:1]]
        if found["prompt"] and found["id"]:
            key.remove(found["id"][0])  # which may number the rows
        plainly = {tuple(str(row.at(each)) for each in key) for row in self._rows}
        numbered = {tuple(str(row.at(each)) for each in (*key, name)) for row in self._rows}
        return len(plainly) < len(self._rows) == len(numbered)

    def _may_be(self, part: str, name: str, called: str = "") -> bool:
        """Whether what stands there can be this at all. called: of what stands inside a field."""
        values = [value for row in self._rows if (value := row.at(name)) is not None]
        names = all(map(_is_name, values))
        called = plain(called or name)
        if part in ("prompt", "report") and self._is_opened(name):
            return False
        if part == "prompt":
            texts = any(isinstance(each, str) for each in values)
            fits = called == "prompt" or (texts and not (called == "task" and names))
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

    def _unknown(self, taken: set[str]) -> list[str]:
        """Columns of texts that are called as nothing that is known."""
        called = {**{name: name for name in self.names if not self._is_opened(name)}, **self.inner}
        return [
            name
            for name, head in called.items()
            if name not in taken and not is_head(head) and not are_dates(self._rows, name)
            if self._may_be_meant(name) and is_wordy(self._rows, name)
        ]

    def _stands_in(self, name: str) -> str:
        return "" if name in self.names else name.partition(".")[0]

    def _longer(self, name: str, taken: set[str]) -> list[str]:
        """Columns that are likelier reports than a short one: it may hold right answers."""
        least = 3 * length_of(self._rows, name)
        if not 0 < least <= 3 * _SHORT:
            return []
        unknown = self._unknown({*taken, *self._columns.named_as("report")})
        return [each for each in unknown if length_of(self._rows, each) > max(least, _SHORT)]

    def _holds_names(self, name: str) -> bool:
        return all(map(_is_name, (v for row in self._rows if (v := row.at(name)) is not None)))

    def _is_opened(self, name: str) -> bool:
        """Whether it holds fields, which are looked at in place of it."""
        return any(path.startswith(f"{name}.") for path in self.inner if name not in self.inner)

    def _is_longest(self, name: str, free: Sequence[str]) -> bool:
        """Whether no column that may be anything holds longer texts."""
        others = [each for each in free if not is_head(self.inner.get(each) or each)]
        return all(length_of(self._rows, each) <= length_of(self._rows, name) for each in others)

    def _same(self, one: str, other: str) -> bool:
        return all(row.at(one) == row.at(other) for row in self._rows)

    def _several(self, part: str, fitting: Sequence[str], together: Sequence[str] = ()) -> BadFile:
        named = " and ".join(map(repr, fitting))
        likely = sorted(fitting, key=self._variety, reverse=True)
        said = self._columns.named
        lines = " or ".join(option([*said, (part, name)]) for name in likely)
        numbered = part == "report" and bool(numbered_answers(fitting))
        if len(several := [*fitting] if numbered else together) > 1:
            each = "answers of one agent" if numbered else "an agent each"
            lines = f"{option([*said, *((part, name) for name in several)])} ({each}) or {lines}"
        return BadFile(
            f"{self._place}: {named} may each be {MEANS[part]}, and they differ. "
            f"{shown(self._rows[0])}",
            f"Say which: {lines}",
        )

    def lacking(self, group: Sequence[ColumnPart], found: Mapping[str, tuple[str, ...]]) -> BadFile:
        """What to say where none of the group was found."""
        known = {head for part in group for heads in KNOWN[part] for head in heads}
        empty = [each for each in self.every if each not in self.names and plain(each) in known]
        if empty:
            return BadFile(
                f"{self._place}: nothing stands in the column {empty[0]!r}. {shown(self._rows[0])}",
                f"Fill it in, or say which column is {MEANS[group[0]]} with --columns.",
            )
        what = " nor as ".join(MEANS[part] for part in group)
        looked = "; ".join(
            f"{part}: {', '.join(' '.join(HEADS[part]).split()[:8])} and the like" for part in group
        )
        taken = {each for those in found.values() for each in those}
        free = [name for name in [*self.names, *self.inner] if name not in taken]
        meant = [name for name in free if self._may_be_meant(name)]
        remedy = self._by_two_names(group[0]) or self._likely(group[0], meant)
        return BadFile(
            f"{self._place}: no column is known as {what}. {shown(self._rows[0])} "
            f"Looked for {looked}.",
            remedy,
        )

    def _likely(self, part: ColumnPart, free: Sequence[str]) -> str:
        """The option that would say which column it is, with what is likely meant first."""
        likely = by_likelihood(self._rows, part, free)
        files = [name for name in self.names if part == "report" and names_files(self._rows, name)]
        if files:
            ways = " or ".join(option([*self._columns.named, (part, name)]) for name in files[:3])
            return f"If a column names the files of the reports, say so: {ways}"
        if not likely:
            return (
                f"No other column holds texts that may be {MEANS[part]}: add one named {part}, or "
                "name another file."
            )
        longest = length_of(self._rows, likely[0])
        long = [
            name
            for name in free
            if length_of(self._rows, name) * 3 > longest and is_wordy(self._rows, name)
        ]
        said, lines = self._columns.named, []
        likely = [
            n for at, n in enumerate(likely) if not any(self._same(n, o) for o in likely[:at])
        ]
        long = [x for x in long if x in likely and self._stands_in(x) == self._stands_in(likely[0])]
        if not any(all(row.at(name) is not None for name in long) for row in self._rows):
            long = []  # they are of rows of other kinds
        if part == "report" and len(long) > 1:
            each = "answers of one agent" if numbered_answers(long) else "an agent each"
            lines.append(option([*said, *[(part, name) for name in long]]) + f" ({each})")
        lines += [option([*said, (part, name)]) for name in likely[:3]]
        wordy = [name for name in self.every if _WORDY_HEAD.search(name)]
        if wordy and self._rows[0].flat and "head" not in dict(said):
            if all(len(name) * 3 > length_of(self._rows, name) for name in self.names):
                lines.insert(0, f"{option([*said, ('head', '0')])} (if its first line is no head)")
            elif len(wordy) > 1 and all(length_of(self._rows, x) > 2 * len(x) for x in wordy):
                lines = [f"{option([*said, ('prompt', HEAD)])} (each of those columns is a prompt)"]
        return f"Say which column it is: {' or '.join(lines)}"

    def _by_two_names(self, part: ColumnPart) -> str:
        """What to say where texts have two names, of which one is of the task, one of the agent."""
        if part not in ("prompt", "id") or not {*TWO_NAMES} <= {*self.every}:
            return ""
        numbered = [
            len({re.sub(r"\d+", "", str(row.at(name))) for row in self._rows}) for name in TWO_NAMES
        ]
        asks = [name for name in TWO_NAMES if is_wordy(self._rows, name)]
        if len(asks) == 1:
            (agent,) = {*TWO_NAMES} - {*asks}
            named = [*self._columns.named, ("prompt", asks[0]), ("agent", agent)]
            return f"Say which is the prompt, and which names the agent: {option(named)}"
        outer, inner = TWO_NAMES if numbered[0] < numbered[1] else TWO_NAMES[::-1]
        ways = [(outer, inner), (inner, outer)]
        lines = [option([*self._columns.named, ("id", a), ("agent", b)]) for a, b in ways]
        return f"Say which names the task, and which the agent: {' or '.join(lines)}"

    def _may_be_meant(self, name: str) -> bool:
        """Whether texts stand there that are no names, states or right answers alone."""
        values = [value for row in self._rows if (value := row.at(name)) not in (None, "")]
        return (
            not any(map(is_target, (name, *name.split("."))))
            and length_of(self._rows, name) > 0
            and not all(map(_is_name, values))
        )

    def _variety(self, name: str) -> tuple[int, float]:
        return len({str(row.at(name)) for row in self._rows}), length_of(self._rows, name)


_BY_A_JUDGE: Final = re.compile(r"(?:\A|[._])(judge|grader|score|evaluat|metric)", re.IGNORECASE)
"""Says of what stands inside of it that it is of those who judge, as a model's name."""
_SHORT: Final = 200
"""Characters, on average, below which a text is hardly a report."""
_NAME: Final = re.compile(r"[A-Za-z0-9_.:/-]{1,64}")
_MANY_WORDS: Final = re.compile(r"\n|[.?!。？！]\s*\Z|(?:\S+\s+){6}|.{80}")
"""What says that a text is no name of an agent, but for instance what a system was told."""
_WORDY_HEAD: Final = re.compile(r"[?？]\s*\Z|(?:\S+\s+){5}|[\u2e80-\u9fff]{12}")


def _is_no_name(value: Json) -> bool:
    return not isinstance(value, str) or _MANY_WORDS.search(value) is not None


def _lists_rows(value: Json) -> bool:
    """Whether it is a list of rows."""
    return isinstance(value, list) and any(isinstance(each, Mapping) for each in value)


def _is_scalar(value: Json) -> bool:
    return isinstance(value, str | int)


def _is_name(value: Json) -> bool:
    return isinstance(value, int) or (isinstance(value, str) and bool(_NAME.fullmatch(value)))
