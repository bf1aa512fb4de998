"""Folders, and archives of them: which of their files say what was asked, and which are meant."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Final

from deepassay.errors import BadTasks, MissingExtra, Notice
from deepassay.files import BadFile
from deepassay.intake.archives import UNSHOWN
from deepassay.intake.choices import ColumnChoice, Unclear
from deepassay.intake.choosing import table_for
from deepassay.intake.columns import NamedColumns, option
from deepassay.intake.encodings import text_of
from deepassay.intake.heads import ColumnPart, is_head, is_known, is_other, plain
from deepassay.intake.proposals import is_wordy
from deepassay.intake.rows import InputRow, same_words
from deepassay.intake.tables import LINES, TABLES, Tables, document_of, read_tables

TEXTS: Final = frozenset((".md", ".markdown", ".txt"))
"""Endings of what a task may be written in, alone."""
_CHATS: Final = "conversations.json"
"""What ChatGPT and Claude call the whole of an export, beside files of other things."""

_MOST_TABLES: Final = 6
"""Tables of a folder that are looked at before they are read."""


def asked_in_folders(folder: Path) -> dict[Path, str]:
    """The files of a folder that say what was asked, each with its task, in order.

    That are `TASK/prompt.txt`, called as prompts are (as `task` only beside others), or JSON with a
    prompt and no report, as `RUN/TASK/task.json`: one in each folder of a level, the upper first.
    A text of another name is, if most of its kind end as questions do, and are far shorter than
    those of two others beside them.
    So are the texts in the one folder beside others that is called as prompts are. Else the files
    `TASK_prompt.txt`, if each other text there is named after a task. Hidden folders do not count.
    """
    shown = _shown(folder)
    level = [each for each in shown if each.is_dir()]
    if not level:
        beside = _asked_beside([each for each in shown if each.suffix.lower() in TEXTS])
        return {path: task for task, path in beside.items()}
    named = [each for each in level if is_head(each.name, "prompt")]
    inside = _shown(named[0]) if len(named) == 1 < len(level) else []
    if inside and all(each.is_file() and each.suffix.lower() in TEXTS for each in inside):
        return {each: each.stem for each in inside}
    for _ in range(_DEEPEST):
        if len(level) > 1 and (asked := _asked_in_each(level)):
            return _named_by_level(folder, asked)
        level = [each for one in level for each in _shown(one) if each.is_dir()]
    return {}


_DEEPEST: Final = 6
"""Levels of folders in which files are looked for that say what was asked."""


def _asked_in_each(folders: Sequence[Path]) -> dict[Path, str]:
    """The files of one name in these folders that say what was asked, with that."""
    beside = all(len(_shown(each)) > 1 for each in folders)
    for first in _shown(folders[0]):
        files = [each / first.name for each in folders]
        is_text = first.suffix.lower() in TEXTS
        said = _says_prompt(first.stem, beside) or (is_text and _are_questions(files))
        texts = (sum(e.suffix.lower() in TEXTS for e in _shown(each)) for each in folders)
        if not all(map(_is_file, files)) or not (said or (not is_text and max(texts) < 2)):
            continue
        if is_text:
            return {each: text_of(each.read_bytes())[0] for each in files}
        asked = {each: prompt_in(each) for each in files} if beside else {}
        if asked and all(asked.values()):
            return asked
    return {}


def _are_questions(files: Sequence[Path]) -> bool:
    """Whether texts of one name are rather questions, beside answers of two names or more."""
    if _is_odd(files[0].stem) or not all(map(_is_file, files)):
        return False
    most = max(map(_size, files))
    beside = [e for each in files for e in _shown(each.parent) if e.suffix.lower() in TEXTS]
    least: dict[str, int] = {}
    for each in beside:
        if size := _size(each):  # an empty one is no answer
            least[each.name] = min(size, least.get(each.name, size))
    if sum(size >= most * _SHORTER for size in least.values()) < 2:
        return False
    texts = {text_of(each.read_bytes())[0].strip() for each in files}
    asking = sum(each.endswith(("?", "？")) for each in texts)
    return len(texts) == len(files) < asking * 2


def prompt_in(path: Path) -> str:
    """What was asked, by a document of one mapping that holds a prompt and no report."""
    if path.suffix.lower() not in (".json", ".yaml", ".yml") or _size(path) > _LARGE:
        return ""
    fields = document_of(path) or {}
    texts = {name: e for name, e in fields.items() if isinstance(e, str) and e.strip()}
    if any(is_head(name, "report") for name in texts):
        return ""
    row = [InputRow("", texts)]
    known = [name for name in texts if is_known(name, "prompt", 0)]
    may_be = known or [n for n in texts if is_head(n, "prompt") and is_wordy(row, n)]
    return texts[may_be[0]] if len(may_be) == 1 else ""


_LARGE: Final = 1_000_000
"""Bytes of a document from which on it is no task alone."""


def _named_by_level(folder: Path, asked: Mapping[Path, str]) -> dict[Path, str]:
    """The files by the names of the lowest folders of which each has a prompt of its own."""
    names = {path: path.relative_to(folder).parts[:-1] for path in asked}
    depth = len(next(iter(names.values())))
    for at in range(depth - 1, -1, -1):
        pairs = {(names[path][at], same_words(prompt)) for path, prompt in asked.items()}
        if len(pairs) == len({name for name, _ in pairs}) == len({text for _, text in pairs}) > 1:
            return {path: those[at] for path, those in names.items()}
    alone = depth == 1 and next(iter(asked)).suffix.lower() in TEXTS
    return {path: those[0] for path, those in names.items()} if alone else {}


def _says_prompt(name: str, beside: bool) -> bool:
    """Whether a file is called as a prompt is. beside: there are others."""
    return is_known(name, "prompt", 0) or (beside and plain(name) == "task")


def _asked_beside(texts: Sequence[Path]) -> dict[str, Path]:
    """The texts `TASK_prompt.txt`, if each other is of such a task: `TASK_AGENT`, `AGENT_TASK`."""
    asked: dict[str, Path] = {}
    for each in texts:
        words = re.fullmatch(r"(.+)[\s_.-]+([^\W_]+)", each.stem)
        if words and _says_prompt(words[2], True):
            asked[words[1]] = each
    others = [each.stem for each in texts if each not in asked.values()]
    of_task = {
        task: [
            each
            for each in others
            if re.match(rf"{re.escape(task)}[\s_.-]", each)
            or re.search(rf"[\s_.-]{re.escape(task)}\Z", each)
        ]
        for task in asked
    }
    joined = {each for those in of_task.values() for each in those}
    if len(asked) > 1 and all(of_task.values()) and (left := sorted({*others} - joined)):
        raise BadTasks(
            f"{texts[0].parent}: no file says what {', '.join(left[:3])}{' …' * (len(left) > 3)} "
            f"was asked, as {min(asked.values()).name} does for others.",
            "Add one for each, named likewise, or move those reports out of the folder.",
        )
    return asked if all(of_task.values()) else {}


def _shown(folder: Path) -> list[Path]:
    """What is not hidden in a folder; one that cannot be read is told of where reports are read."""
    try:
        return sorted(e for e in folder.iterdir() if not e.name.startswith((*UNSHOWN, "_")))
    except OSError:
        return []


def named_files(folder: Path, columns: NamedColumns) -> tuple[list[Path], NamedColumns]:
    """The files of a folder that people named as sheets, and what they said besides.

    `*/openai.md` names that file in each of its folders, `**/report.md` at every depth, `openai`
    all texts in that one.
    """
    named = {
        each: _in_each(folder, each) if each.startswith("*") else _under(folder / each)
        for each in columns.named_as("sheet")
    }
    there = {name: found for name, those in named.items() if (found := [*filter(_is_file, those)])}
    left = tuple(pair for pair in columns.named if pair[0] != "sheet" or pair[1] not in there)
    columns.met.update(there)
    files = [each for those in there.values() for each in those]
    return files, replace(columns, named=left) if there else columns


def _in_each(folder: Path, named: str) -> list[Path]:
    depth, _, name = named.partition("/")
    if depth == "**":
        return sorted(each for each in folder.rglob("*") if each.name == name)
    return [each / name for each in _shown(folder) if each.is_dir()]


def _under(path: Path) -> list[Path]:
    return sorted(path.rglob("*.*")) if path.is_dir() else [path]


def _is_file(path: Path) -> bool:
    return path.is_file()


_SHORTER: Final = 5
"""Times that a text is shorter than others of which it is none."""
_BESIDE: Final = (
    "brief changelog criteria expert gold golden grades human index info input instructions log "
    "logs license meta metadata prompts questions request rubrics scores solution summary tasks "
    "todo transcript"
)
_NO_AGENTS: Final = frozenset(_BESIDE.split())
"""Names of what stands beside reports, as no agent is called."""


def refuse_odd(folder: Path, files: Sequence[Path], columns: NamedColumns, by_task: bool) -> None:
    """Raise Unclear for texts that may be none of the others: `notes.txt` beside `openai.md`.

    They stand in every folder of a folder and are called as no agent is, or are much shorter than
    all others there, where folders are of tasks or their ending is another; or so in
    some of them only. So for a folder of such a name among others. files: without
    those that say what was asked. by_task: what was asked stands in each folder.
    """
    inner = {each.relative_to(folder).parts[0] for each in files if each.parent != folder}
    names = dict.fromkeys(each.name for each in files if each.parent.parent == folder)
    sizes = {name: [*map(_size, filter(_is_file, _in_each(folder, f"*/{name}")))] for name in names}
    number = max(map(len, sizes.values()), default=0)
    every = [name for name, own in sizes.items() if len(own) == number > 1]
    odd = _odd_among(every, sizes, by_task)
    stands = f"stands in each of {number} folders beside" if odd else "stands beside"
    odd += _odd_in_some({name: own for name, own in sizes.items() if name not in odd}, folder)
    said, also = ([f"*/{n}" for n in sizes if (n in odd) is those] for those in (False, True))
    if not (said and odd):
        also = sorted(each for each in inner if _is_odd(each))
        said = sorted(inner - {*also})
        if not (said and also):
            return
    shown = ", ".join(each.removeprefix("*/") for each in also)
    ways = ((said, f"without {shown}"), ([*said, *also], "reports as well"))
    beside = ", ".join(each.removeprefix("*/") for each in said[:3])
    raise Unclear(
        f"{folder}: {shown} {stands} {beside}, and may be no reports",
        [ColumnChoice((*columns.named, *(("sheet", e) for e in way)), note) for way, note in ways],
    )


def _odd_among(
    names: Sequence[str], sizes: Mapping[str, Sequence[int]], by_task: bool
) -> list[str]:
    """The files that are called as no agent is; else one that is short beside all others."""
    odd = [each for each in names if _is_odd(Path(each).stem)]
    if odd or len(names) < 2:
        return odd
    short, *others = sorted(names, key=lambda name: max(sizes[name]))
    least = min(size for name in others for size in sizes[name])
    alike = Path(short).suffix.lower() in {Path(each).suffix.lower() for each in others}
    may_be = max(sizes[short]) * _SHORTER <= least and (by_task or not alike)
    return [short] if may_be else []


def _odd_in_some(sizes: Mapping[str, Sequence[int]], folder: Path) -> list[str]:
    """The files in only some folders that are far shorter than those which stand in most, and of
    another ending; where a file in each says what was asked, of any, or called as no agent is.
    """
    number = max(map(len, sizes.values()), default=0)
    most = [name for name, own in sizes.items() if len(own) == number > 1]
    least = min((size for name in most for size in sizes[name] if size), default=0)
    endings = {Path(name).suffix.lower() for name in most}
    of_tasks = bool(asked_in_folders(folder))
    return [
        name
        for name, own in sizes.items()
        if len(own) < number
        and (
            (of_tasks and _is_odd(Path(name).stem))
            or (
                0 < max(own, default=0) * _SHORTER <= least
                and (of_tasks or Path(name).suffix.lower() not in endings)
            )
        )
    ]


def _is_odd(name: str) -> bool:
    return plain(name) in _NO_AGENTS or is_other(name) or is_head(name, "prompt")


def _size(path: Path) -> int:
    return path.stat().st_size


def tables_of_folder(folder: Path) -> list[Path]:
    """The tables that stand in a folder itself, or the whole of an export of chats alone."""
    endings = {*TABLES, *LINES, ".json"}
    found = [
        each
        for each in _shown(folder)
        if each.suffix.lower() in endings
        or (each.suffix.lower() == ".txt" and is_head(each.stem, "prompt"))  # a prompt a line
        if each.is_file()
    ]
    return [each for each in found if each.name.lower() == _CHATS] or without_copies(found)


def without_copies(files: Sequence[Path]) -> list[Path]:
    """The files without those that hold what another does, as `table.csv` and `table_all.csv`."""
    first: dict[tuple[str, bytes | Path], Path] = {}
    sizes = Counter(map(_size, files))
    for each in sorted(files, key=lambda file: (len(file.name), file.name)):
        held = each.read_bytes() if sizes[_size(each)] > 1 else each
        first.setdefault((each.suffix, held), each)
    return [each for each in files if each in first.values()]


def is_of_chats(path: Path) -> bool:
    """Whether a file is the whole of an export of chats."""
    return path.name.lower() == _CHATS


def tasks_of_folder(folder: Path, columns: NamedColumns) -> Path | None:
    """The only table of a folder that has prompts and no reports, beside what may hold those."""
    tables = tables_of_folder(folder)
    beside = len(tables) > 1 or any(each.is_dir() for each in _shown(folder))
    if not beside or len(tables) > _MOST_TABLES:
        return None
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # whoever reads it tells of it
        for table in tables:
            try:
                read = read_tables(table, columns=columns)
            except (BadFile, OSError, MissingExtra):
                return None  # it may have prompts too: which one is meant has to be said
            if _may_have(read, columns, ["prompt"], table):
                reports = _may_have(read, columns, ["report"], table)
                found += [] if reports else [table]
    return found[0] if len(found) == 1 else None


def lone_tasks(folder: Path, columns: NamedColumns) -> Path | None:
    """What `tasks_of_folder` finds; of tables further down that ask in a like column, a Notice."""
    only = tasks_of_folder(folder, columns)
    if only and (prompts := _asked_in(only, columns)):
        # Folders of runs may hold thousands of files.
        like = (x for each in _shown(folder) if each.is_dir() for x in _under(each))
        below = islice((x for x in like if x.suffix == only.suffix), _MOST_TABLES)
        if also := [each for each in below if _asked_in(each, columns) == prompts]:
            first = also[0].relative_to(folder).as_posix()
            named = first if len(also) == 1 else f"{len(also)} files below it, first {first},"
            told = f"{folder.name}: {only.name} alone is read; {named} may be of tasks too."
            several = option([*columns.named, ("sheet", only.name), ("sheet", first)])
            warnings.warn(Notice(f"{told} To read both, or more: {several}"), stacklevel=3)
    return only


def _asked_in(table: Path, columns: NamedColumns) -> str:
    """The column of prompts of a table that clearly has one and no reports; else nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it may not be read at all
        try:
            read = read_tables(table, columns=columns)
            _, found = table_for(read, columns, [["prompt"]], table.name)
        except (BadFile, OSError, MissingExtra):
            return ""
        return "" if _may_have(read, columns, ["report"], table) else found.prompt or ""


def may_have_reports(path: Path, columns: NamedColumns) -> bool:
    """Whether a file is a table that has reports, or a column that may be that."""
    try:
        tables = read_tables(path, columns=columns)
    except (BadFile, OSError):
        return False
    return _may_have(tables, columns, ["report"], path)


def _may_have(
    tables: Tables, columns: NamedColumns, parts: Sequence[ColumnPart], table: Path
) -> bool:
    """Whether a table has these parts, or more than one column that may be one of them."""
    try:
        table_for(tables, columns, [parts], table.name)
    except Unclear as error:
        return parts == ["prompt"] or len(error.choices) > 1
    except BadFile:
        return False
    return True


def which_file(folder: Path, files: Iterable[Path], columns: NamedColumns) -> Unclear:
    """The question which of several files is meant."""
    names = [each.relative_to(folder).as_posix() for each in files]
    ways = [ColumnChoice((*columns.named, ("sheet", name))) for name in names[:5]]
    every = (*columns.named, *(("sheet", name) for name in names))
    notes = ("all together", "all together, of one agent")
    several = ColumnChoice(every, notes[0]), ColumnChoice((*every, ("agent", "")), notes[1])
    together = several[: 1 if columns.named_as("agent") else 2] if len(names) > 1 else ()
    shown = ", ".join(names[:5]) + (" and more" if len(names) > 5 else "")
    return Unclear(f"{len(names)} of its files may be meant: {shown}", [*together, *ways])
