"""What may be what in a table, where names do not settle it: for each part the ways, likeliest
first. Contents say what is possible; names only put it in order.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from deepassay.intake.choices import ColumnChoice
from deepassay.intake.columns import HEAD, ORDER
from deepassay.intake.heads import (
    ColumnPart,
    is_head,
    is_other,
    is_remark,
    is_target,
    may_be_expected,
)
from deepassay.intake.laying import TWO_NAMES
from deepassay.intake.proposals import (
    are_dates,
    is_wordy,
    length_of,
    may_name_agents,
    names_files,
    names_part,
    texts_at,
)
from deepassay.intake.rows import InputRow, same_words
from deepassay.intake.searched import BY_A_JUDGE, SearchedTable
from deepassay.intake.turns import is_far_shorter

Found = Mapping[str, Sequence[str]]
_SHORT: Final = 200
"""Characters, on average, below which a text is hardly a report."""
_FIRST: Final = ".user.first"
_ASKED: Final = (_FIRST, ".user.last")
_LONGEST: Final = ".assistant.longest"
_ANSWERED: Final = (_LONGEST, ".assistant.last", ".assistant.first")
"""How paths end of what was said in a conversation in which several questions were asked."""
_NUMBER: Final = re.compile(r"\d{1,3}(\.\d{1,2})?")
_APART: Final = re.compile(r"\n[^\S\n]*\n")
"""Between two paragraphs."""
_EACH: Final = "an agent each"


def ways_of(
    part: ColumnPart,
    table: SearchedTable,
    taken: set[str],
    fitting: Sequence[str] = (),
    asked: Collection[str] = (),
) -> list[ColumnChoice]:
    """What may be this part. fitting: the columns that are called so, where there are several.

    asked: what is likely the prompt, beside which reports are looked for. Answers as providers send
    them are reports whatever their column is called.
    """
    names = [*fitting] or _texts(table, part, taken)
    if fitting and part != "report":  # what is the same in all rows hardly tells tasks apart
        size = {name: length_of(table.rows, name) for name in names}
        number = {name: table.varied(name) for name in names}
        head = {name: is_head(table.inner.get(name) or name, part) for name in names}
        names.sort(
            key=lambda n: (number[n] < 2, *((0, -number[n], -size[n]) if head[n] else (1, size[n])))
        )
    if part == "id" and not fitting:
        names = [n for n in table.names if n not in taken and _numbers_tasks(table, n)][:2]
    if part != "report":
        return [ColumnChoice(((part, name),)) for name in names]
    if not fitting:
        names = [*dict.fromkeys((*(n for n in table.of_answers() if n not in taken), *names))]
    if not names:
        files = [name for name in table.names if names_files(table.rows, name)]
        return [ColumnChoice((("report", name),), "names of files") for name in files]
    return _reports(table, names, asked)


def _texts(table: SearchedTable, part: ColumnPart, taken: set[str]) -> list[str]:
    """Columns of texts, with what is likely meant first.

    That are those with a word in their name that says it; then reports are the longest of texts,
    and prompts the shortest of those that have several words.
    """
    rows = table.rows
    free = [
        name
        for name in [*table.names, *table.inner]
        if name not in taken and not table.is_opened(name) and _may_be_meant(table, name)
        if not name.endswith(_ANSWERED if part == "prompt" else _ASKED)
    ]
    names = [each for each in dict.fromkeys(free) if is_wordy(rows, each)]
    if part == "prompt":
        names = names or [each for each in free if not are_dates(rows, each)]
        names = [each for each in names if not is_remark(each)]
        least = len(rows) // 8 + 1  # what one text or two fill is rather what systems were told
        names = [
            each for each in names if len({*texts_at(rows, each)}) > min(least, 2) - (len(rows) < 3)
        ] or names
    sign = -1 if part == "report" else 1
    around = any(_is_around(rows, each) for each in names if each.endswith(_ANSWERED))
    names.sort(
        key=lambda each: (
            not each.endswith(_FIRST) if part == "prompt" else False,
            not names_part(each, part) or may_be_expected(each),
            each.endswith(".user.last") or (each.endswith(_LONGEST) and not around),
            bool(re.search(r"\.\d+\.\D", each)),  # of one of several steps
            sign * length_of(rows, each),
        )
    )
    return table.different(names)


def _is_around(rows: Sequence[InputRow], name: str) -> bool:
    """Whether answers of chats there are far shorter than the longest: questions back, thanks."""
    longest = name.rpartition(".assistant.")[0] + _LONGEST
    pairs = ((row.at(name), row.at(longest)) for row in rows)
    return any(is_far_shorter(str(one), str(other)) for one, other in pairs if one and other)


def _may_be_meant(table: SearchedTable, name: str) -> bool:
    """Whether texts stand there that are no names, states or right answers alone."""
    expected = any(map(is_target, (name, *name.split("."))))
    return not expected and length_of(table.rows, name) > 0 and not table.holds_names(name)


def _reports(
    table: SearchedTable, every: Sequence[str], asked: Collection[str]
) -> list[ColumnChoice]:
    """One column, or all that look like reports: an agent each, without right answers or with."""
    rows = table.rows
    names = sorted(every, key=lambda each: each in asked)
    beside = [each for each in names if each not in asked]
    size = {each: length_of(rows, each) for each in beside}
    longest = max(size.values(), default=0)
    long = [each for each in beside if size[each] * 3 > longest or _are_laid_out(rows, each)]
    ways = _among(table, names, long)
    wider = [
        each
        for each in beside
        if each in long
        or (size[each] >= _SHORT and not may_be_expected(each) and not is_other(each))
    ]
    if len(wider) > len(long) and _stand_together(table, wider):
        ways.insert(1, _each(_as_in(table, wider), _EACH))  # one may write far more than another
    return ways


def _are_laid_out(rows: Sequence[InputRow], name: str) -> bool:
    """Whether most texts there have several paragraphs, as a report has however short it is."""
    texts = texts_at(rows, name)
    laid = sum(len(each) >= _SHORT and _APART.search(each) is not None for each in texts)
    return laid * 2 > len(texts)


def _stand_together(table: SearchedTable, names: Sequence[str]) -> bool:
    """Whether columns may be an agent each: in one place, filled in one row, no turns of a chat."""
    inside = {"" if each in table.names else each.partition(".")[0] for each in names}
    filled = any(all(row.at(name) is not None for name in names) for row in table.rows)
    turns = any(each.endswith(_ANSWERED) for each in names)
    return len(names) > 1 and len(inside) == 1 and filled and not turns


def _as_in(table: SearchedTable, names: Collection[str]) -> list[str]:
    """The columns in the order of the table."""
    return [each for each in [*table.every, *table.inner] if each in names]


def _among(table: SearchedTable, names: list[str], long: Sequence[str]) -> list[ColumnChoice]:
    """One of the columns, or all of those that are long, likeliest first."""
    alone = [ColumnChoice((("report", name),)) for name in names]
    if not _stand_together(table, long):
        return alone
    ordered = _as_in(table, long)
    plainly = [each for each in ordered if not may_be_expected(each) and not is_other(each)]
    right = [each for each in ordered if may_be_expected(each)]
    note = f"{_EACH}; {', '.join(map(repr, right))}: what is expected" if right else _EACH
    wide = [_each(plainly, note)] if 0 < len(plainly) < len(ordered) else []
    wide.append(_each(ordered, _EACH))
    plain = [each for each in ordered if is_head(each, "report")]
    named_more = [each for each in ordered if each not in plain]
    if plain and len(named_more) > 1:  # `answer` beside `GPT answer` and `Claude answer`
        wide.append(_each(named_more, f"{_EACH}; without {', '.join(map(repr, plain))}"))
    alone.sort(key=lambda each: may_be_expected(each.said[0][1]))
    named = [each for each in long if names_part(each, "report") and not may_be_expected(each)]
    if named == names[:1]:
        return [*alone[:1], *wide, *alone[1:]]
    once = ColumnChoice((*wide[0].said, ("sample", ORDER)), "several answers of one agent")
    bare = {re.sub(r"\d+", "", each) for each in long}
    numbered = len(bare) == 1 and names_part(min(bare), "sample")
    if numbered or all(re.search(r"\.\d+\Z", each) for each in long):  # `run 1`; or of one list
        return [once, *wide, *alone]
    return [*wide, *alone[:1], once, *alone[1:]]


def _each(names: Sequence[str], note: str) -> ColumnChoice:
    return ColumnChoice(tuple(("report", name) for name in names), note if len(names) > 1 else "")


def _numbers_tasks(table: SearchedTable, name: str) -> bool:
    """Whether short texts or numbers stand there that differ."""
    texts = texts_at(table.rows, name)
    short = all(len(each) <= 64 for each in texts) and not is_wordy(table.rows, name)
    dates = are_dates(table.rows, name) and not table.holds_names(name)
    varied = len({*texts}) > 1 or len(table.rows) == 1
    return short and len(texts) == len(table.rows) and varied and not (dates or is_other(name))


def agents(
    table: SearchedTable, found: Found, asked: str, report: str, alone: bool
) -> list[ColumnChoice]:
    """Columns that may name the agent, and that none does; nothing where none may.

    Where a task has several rows, that are columns by which they differ, also where one is known
    that does not tell them apart; else columns of names that occur again, unless everybody reads
    the column as something else. asked: what names the task, at least in the first row of a group.
    report: what is likely the report, without which a row does not count. alone: there is no other
    file.
    """
    rows = table.answered(report) if report else table.rows
    known = next(iter(found["agent"]), "")
    taken = {each for those in found.values() for each in those} | {asked}
    again = _answered_again(rows, asked, report, known)
    if known and not again:
        return _built_on(table, known)
    fitting: dict[str, bool] = {}
    for name in [*table.names, *table.inner]:
        texts = [str(row.at(name)) for row in rows]
        differ = [len({texts[at] for at in those}) for those in again]
        whole = bool(again) and differ == [*map(len, again)]
        if name in taken or not _may_be_agent(table, rows, name, whole):
            continue
        plainly = names_part(name, "agent") or (name in table.names and "." not in name)
        if again:
            if max(differ) > 1 and (whole or plainly):
                fitting[name] = whole
        elif alone and plainly and (len({*texts}) < len(rows) or names_part(name, "agent")):
            fitting[name] = False
    names = sorted(
        fitting,  # what differs in every row rather numbers them
        key=lambda n: (
            not fitting[n],
            not _repeats(rows, again, n),
            is_other(n),
            not may_name_agents(rows, n),
            not names_part(n, "agent"),
            table.varied(n),
        ),
    )
    order = [("sample", ORDER)] if again else []
    several = ColumnChoice(tuple(order), "several answers of one agent")
    none = several if known else ColumnChoice((("agent", ""), *order), "one agent wrote all")
    names = table.different(names)
    also = [("agent", known)] if known and table.varied(known) > 1 else []
    ways = [ColumnChoice((*also, ("agent", name))) for name in names]
    for name in names if known else ():
        counts = [{str(rows[at].at(name)) for at in those} for those in again]
        if all(each == {str(n + 1) for n in range(len(each))} for each in counts):
            ways.insert(0, ColumnChoice((("sample", name),)))
    if not fitting or any(fitting.values()) or _repeats(rows, again, names[0]):
        return [*ways, none] if fitting else []
    return [ways[0], none, *ways[1:]] if names_part(names[0], "agent") else [none, *ways]


def _may_be_agent(table: SearchedTable, rows: Sequence[InputRow], name: str, whole: bool) -> bool:
    """Whether what stands in a column may name agents. whole: it tells all answers apart."""
    if BY_A_JUDGE.search(name) or table.is_opened(name):
        return False
    if is_head(name) and not (is_head(name, "sample") or is_head(name, "agent")):
        return False
    if _is_called_so(table, name, whole):
        return True
    texts = [str(row.at(name)) for row in rows]
    other = is_other(name) and not is_remark(name)  # remarks are sentences
    if (other and not whole) or _names_columns(table, name, texts):
        return False
    numbers = whole and all(map(_NUMBER.fullmatch, texts)) and len({*texts}) < len(rows)
    return numbers or may_name_agents(rows, name)


def _is_called_so(table: SearchedTable, name: str, whole: bool) -> bool:
    """Whether a column is called as agents are, and holds no sentences.

    It is asked about though one odd name, as `..` or a very long one, keeps it from being taken:
    `user` and `agent` may be the sides of a chat. whole: as above.
    """
    surely = table.is_called(name, "agent") or (whole and is_head(name, "agent"))
    return surely and not is_wordy(table.rows, name)


def _answered_again(
    rows: Sequence[InputRow], asked: str, report: str, known: str
) -> list[list[int]]:
    """The places of rows with reports of one task that differ, of one agent if that is known."""
    of_one: dict[tuple[str, str], dict[str, int]] = {}
    task = ""
    for at, row in enumerate(rows):
        task = same_words(str(row.at(asked) or "")) or task
        of_one.setdefault((task, str(row.at(known))), {})[str(row.at(report))] = at
    return [[*those.values()] for those in of_one.values() if len(those) > 1]


def _built_on(table: SearchedTable, known: str) -> list[ColumnChoice]:
    """Columns that name systems, where the one that is known names one model, which all may use."""
    others = [
        name
        for name in table.names
        if name != known and is_head(name, "agent") and table.varied(name) > 1
        if may_name_agents(table.rows, name)
    ]
    one = table.varied(known) < 2
    return [ColumnChoice((("agent", each),)) for each in (*others, known) if others and one]


def _names_columns(table: SearchedTable, name: str, texts: Sequence[str]) -> bool:
    """Whether each text is a word in the name of another column, as the favourite of them is."""
    heads = " ".join(each.casefold() for each in table.every if each != name)
    return all(len(each) > 2 and each.casefold() in heads for each in texts)


def _repeats(rows: Sequence[InputRow], again: Sequence[Sequence[int]], name: str) -> bool:
    """Whether each of several values of a column is met again at other tasks, as agents are."""
    there = [{str(rows[at].at(name)) for at in those} for those in again]
    met = Counter(each for those in there for each in those)
    return len(met) > 1 and all(times > 1 for times in met.values())


def by_two_names(table: SearchedTable) -> list[ColumnChoice]:
    """Where texts have two names, of which one is of the task, one of the agent."""
    if not {*TWO_NAMES} <= {*table.every}:
        return []
    asks = [name for name in TWO_NAMES if is_wordy(table.rows, name)]
    if len(asks) == 1:
        (agent,) = {*TWO_NAMES} - {*asks}
        return [ColumnChoice((("prompt", asks[0]), ("agent", agent)))]
    ways = [TWO_NAMES, TWO_NAMES[::-1]]  # by one of them reports answer tasks
    return [ColumnChoice((("id", task), ("agent", agent))) for task, agent in ways]


_WORDY_HEAD: Final = re.compile(r"[?？]\s*\Z|(?:\S+\s+){5}|[\u2e80-\u9fff]{12}")


def by_head(table: SearchedTable) -> list[ColumnChoice]:
    """Where names of columns read as texts: that there is no head, or that they are the prompts.

    A name that is none, above texts, is rather of remarks: `My take` beside questions.
    """
    rows = table.rows
    wordy = [each for each in table.every if len(table.every) < 2 or _WORDY_HEAD.search(each)]
    if not wordy or not rows[0].flat or "head" in dict(table.said):
        return []
    named = any(map(is_head, table.every))
    if not named and all(len(name) * 3 > length_of(rows, name) for name in table.names):
        return [ColumnChoice((("head", "0"),), "if its first line is no head")]
    if sum(length_of(rows, each) > 2 * len(each) for each in wordy) > 1:
        short = [n for n in table.names if not (n in wordy or is_head(n)) and is_wordy(rows, n)]
        drop = tuple(("drop", name) for name in short)
        but = f", but for {', '.join(map(repr, short))}"
        first = [ColumnChoice((("prompt", HEAD), *drop), f"each column is a prompt{but}")]
        every = ColumnChoice((("prompt", HEAD),), "each of those columns is a prompt")
        return [*(first if short else ()), every]
    return []
