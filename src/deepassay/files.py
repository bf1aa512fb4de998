"""Reading and writing files: whole or not at all, UTF-8, JSON Lines, and YAML that people edit.

What is wrong with a file is a `BadFile`; the room that reads it says it in an error of its own.
"""

from __future__ import annotations

import json
import os
import re
import stat
import textwrap
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from functools import cache, lru_cache
from io import StringIO
from pathlib import Path
from typing import Any, Final

Value = Any
"""What JSON and YAML can hold."""

Node = Any
"""A node of ruamel.yaml."""

DEEPEST: Final = 50
"""Lists and mappings inside each other in YAML; criteria need five."""

MOST_VALUES: Final = 1_000_000
"""Values in a YAML text, those included that aliases repeat."""

FOLDED: Final = 96
UNFOLDED: Final = 1_000_000
"""Characters of a line of YAML: that people can read, and that nothing is folded to."""

_FIRST_DASH: Final = re.compile(r"(?:^|\r)( *)-(?=\s)", re.MULTILINE)

_FOREIGN: Final = 0.1
"""Text in a Western language has fewer bytes than this share that are not ASCII."""


class BadFile(ValueError):
    """A file that cannot be read. problem: in words. remedy: what to do. line: from 1 on."""

    def __init__(self, problem: str, remedy: str, line: int | None = None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.remedy = remedy
        self.line = line

    def at(self, path: Path | str) -> str:
        """The file, and the line where it is known: `tasks.yaml, line 3`."""
        return f"{path}, line {self.line}" if self.line else str(path)


@contextmanager
def replacing(path: Path, *, durable: bool = False) -> Iterator[Path]:
    """A new file beside `path` that takes its place when the block ends without an error.

    A link stays a link, and rights stay as they are; folders that are missing are made. durable:
    holds after a loss of power too. Raises OSError.
    """
    file = path.resolve()
    fresh = file.with_name(f".{file.name}.{os.getpid()}.new")
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        yield fresh
        if file.exists():
            fresh.chmod(stat.S_IMODE(file.stat().st_mode))
        if durable:
            with fresh.open("rb") as stream:
                os.fsync(stream.fileno())
        fresh.replace(file)
    finally:
        fresh.unlink(missing_ok=True)


def write_whole(path: Path, content: str | bytes, *, durable: bool = False) -> None:
    """Write a file, which after a crash is as before or complete. Raises OSError."""
    with replacing(path, durable=durable) as fresh:
        fresh.write_bytes(content.encode() if isinstance(content, str) else content)


def without_surrogates(text: str) -> str:
    """A text that UTF-8 can hold: half a character becomes U+FFFD, two halves one character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def decode_text(raw: bytes) -> str:
    """The text of a file in UTF-8, a byte order mark included. Raises BadFile."""
    # Most of UTF-16 without its mark would pass for UTF-8 with a zero between all characters.
    if raw.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) or raw[:4].count(0) > 1:
        raise BadFile("UTF-16 or UTF-32, not UTF-8 text", _conversion("UTF-16"), 1)
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise BadFile(
            f"not UTF-8 text (byte {error.start + 1} of the file is 0x{raw[error.start]:02x})",
            _conversion("WINDOWS-1252" if _western(raw) else ""),
            raw.count(b"\n", 0, error.start) + 1,
        ) from error


def _western(raw: bytes) -> bool:
    few = sum(byte > 127 for byte in raw) < _FOREIGN * len(raw)
    return few and {*b"\x81\x8d\x8f\x90\x9d"}.isdisjoint(raw)  # which Windows-1252 lacks


def _conversion(encoding: str) -> str:
    if not encoding:
        return "Save it as UTF-8, or convert it with iconv from the encoding that it has."
    return f"Save it as UTF-8, for example with: iconv -f {encoding} -t UTF-8"


def json_lines(text: str) -> Iterator[tuple[int, dict[str, Value]]]:
    """The objects of a text with their lines' numbers; blank ones are skipped. Raises BadFile."""
    # Not splitlines(): it also splits at U+2028 and its kin, which JSON allows inside a string.
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        if line.strip():
            yield number, json_object(line, number)


def json_object(line: str | bytes, number: int | None = None) -> dict[str, Value]:
    """The object in one line. Raises BadFile, also for a key that stands there twice."""
    remedy = "The file holds one JSON object a line."
    try:
        found = json.loads(line, object_pairs_hook=each_key_once)
    except BadFile as error:
        raise BadFile(error.problem, error.remedy, number) from None
    except RecursionError:
        raise BadFile("not JSON: nested too deep", remedy, number) from None
    except ValueError as error:
        raise BadFile(f"not JSON: {getattr(error, 'msg', error)}", remedy, number) from error
    if not isinstance(found, dict):
        names = {list: "list", str: "string", bool: "boolean", type(None): "null"}
        kind = names.get(type(found), "number")
        raise BadFile(f"a JSON {kind}, not an object", remedy, number)
    return found


def each_key_once(pairs: list[tuple[str, Value]]) -> dict[str, Value]:
    """An object of its keys and values, for `json.loads`. Raises BadFile for a key twice."""
    fields = dict(pairs)
    if len(fields) < len(pairs):  # of two, the library keeps the last only
        key = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise BadFile(f"the key {key!r} stands there twice", "Remove one.")
    return fields


def strangers_json(text: str) -> Value:
    """The value in JSON of somebody else's, all of whose texts can be written down again.

    Halves of characters are replaced. Raises ValueError for what is no JSON, too deep,
    or has a number of thousands of digits.
    """
    try:
        value = json.loads(text)
        whole = json.dumps(value, ensure_ascii=False)
        bare = without_surrogates(whole)
        return value if bare == whole else json.loads(bare)
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def as_json_lines(rows: Sequence[Mapping[str, Value]]) -> str:
    """One object a line, characters as they are."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def as_json(value: Value) -> str:
    """A value as a document of its own, as people read it too."""
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


@dataclass(frozen=True)
class YamlEntry:
    """A mapping in YAML, as of a list. fields: what it holds. node: as it stands in the text."""

    fields: dict[str, Value]
    node: Node

    def line_of(self, way: Sequence[str | int]) -> int:
        """The line, from 1 on, of the part that a way of keys and places leads to.

        Where the way ends too soon, that of the last part on it.
        """
        node, line = self.node, _line(self.node)
        for step in way:
            if node.id == "sequence" and isinstance(step, int) and step < len(node.value):
                node = node.value[step]
                line = _line(node)
            elif node.id == "mapping" and (
                found := [pair for pair in node.value if pair[0].value == str(step)]
            ):
                key, node = found[0]
                line = _line(key)
            else:
                break
        return line


def read_yaml(text: str) -> Value:
    """What the one document of a text holds, None where it holds nothing. Raises BadFile.

    A key that stands twice in a mapping is refused, and so is what is nested too deep or grows
    too large by its aliases.
    """
    with _loading(text) as (root, constructor):
        return None if root is None else constructor.construct_document(root)


def read_yaml_mapping(text: str) -> YamlEntry:
    """The one mapping that a text is, with its lines. Raises BadFile."""
    with _loading(text) as (root, constructor):
        if root is None or root.id != "mapping":
            raise BadFile("is not a mapping", "Begin with `name: ...`.", _line(root) if root else 1)
        return YamlEntry(constructor.construct_document(root), root)


def read_yaml_entries(text: str) -> list[YamlEntry]:
    """The mappings of the one list in a text, each with its lines. Raises BadFile."""
    read = _entries if len(text) < 100_000 else _entries.__wrapped__  # what is long is not kept
    return [YamlEntry(deepcopy(each.fields), each.node) for each in read(text)]


@lru_cache(maxsize=8)  # a list that entries are added to is read back, and then again for the next
def _entries(text: str) -> list[YamlEntry]:
    with _loading(text) as (root, constructor):
        if root is None:
            return []
        if root.id != "sequence":
            raise BadFile("is not a list", "Begin every entry with a dash: `- id: 1`.", _line(root))
        for node in root.value:
            if node.id != "mapping":
                raise BadFile(
                    "is not a mapping", "Each entry has fields, such as `id: 1`.", _line(node)
                )
        return list(map(YamlEntry, constructor.construct_document(root), root.value))


def add_yaml_entries(text: str, entries: Sequence[Mapping[str, Value]]) -> str:
    """A YAML list with entries added at its end. What stands there, remarks included, stays.

    Written behind the text and not by loading and dumping it, which would lay out anew what
    people wrote. Raises BadFile, also for a list to which nothing can be added so.
    """
    dash = _FIRST_DASH.search(text)
    indent = dash[1] if dash else ""
    begun = text if not text or text.endswith("\n") else text + "\n"
    widths = [FOLDED] * len(entries)
    for _ in range(2):
        written = map(_as_entry, entries, widths)
        longer = begun + "".join(textwrap.indent(each, indent) for each in written)
        try:
            # Not the text by itself too, which takes as long: what is added begins where it ends.
            every = read_yaml_entries(longer)
            found = [each for each in every if each.node.start_mark.index >= len(begun)]
        except BadFile:
            found = []
        # Some texts with several blanks in a row do not come back from lines that are folded.
        pairs = enumerate(zip(found, entries, strict=False))
        differ = [at for at, (read, given) in pairs if read.fields != dict(given)]
        if len(found) == len(entries) and (not differ or UNFOLDED in widths):
            return longer
        for at in differ or range(len(entries)):
            widths[at] = UNFOLDED
    read_yaml_entries(text)  # what is wrong with it has words of its own
    raise BadFile(
        "entries cannot be added at the end of this file",
        "Begin every entry with a dash on a line of its own, and have nothing after the last.",
    )


def _as_entry(fields: Mapping[str, Value], width: int) -> str:
    from ruamel.yaml import YAML

    writer, stream = YAML(), StringIO()
    writer.width = width
    writer.indent(mapping=2, sequence=4, offset=2)
    writer.representer.add_representer(str, _text)
    writer.dump(dict(fields), stream)
    return "- " + textwrap.indent(stream.getvalue(), "  ")[2:]


def _text(representer: Value, text: str) -> Node:
    # YAML takes these for line ends, which only quotation marks of this kind preserve.
    odd = any(mark in text for mark in "\r\x85\u2028\u2029")
    style = '"' if odd else "|" if _is_block(text) else None
    return representer.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _is_block(text: str) -> bool:
    """Whether a text has several lines and comes back from one that is written as it stands."""
    lines = text.removesuffix("\n").split("\n")
    if len(lines) == 1 or not lines[-1] or lines[0] != lines[0].lstrip() or not lines[0]:
        return False
    return all(line.isprintable() and not (line and line.isspace()) for line in lines)


@contextmanager
def _loading(text: str) -> Iterator[tuple[Node | None, Value]]:
    """The root of a text, checked, and what makes values of nodes. Raises BadFile."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    loader = YAML(typ="safe", pure=True)
    loader.Composer, loader.Constructor = _parts()
    try:
        constructor, _ = loader.get_constructor_parser(text)
        root = constructor.composer.get_single_node()
        if root is not None:
            _values(root, {})
        yield root, constructor
    except BadFile:
        raise
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = " ".join(str(error.problem or error.context).split())
        raise BadFile(
            f"not YAML: {problem}",
            "Check indentation, dashes and quotation marks there.",
            mark.line + 1 if mark else None,
        ) from error
    except YAMLError as error:
        problem = " ".join(str(error).split())
        raise BadFile(f"not YAML: {problem}", "Save it as plain text.") from error


@cache
def _parts() -> tuple[type[Value], type[Value]]:
    """What makes nodes of a text, not deeper than DEEPEST, and what makes values of nodes."""
    from ruamel.yaml.composer import Composer
    from ruamel.yaml.constructor import SafeConstructor

    class Bounded(Composer):
        depth = 0

        def compose_node(self, parent: Node | None, index: Value) -> Node:
            if self.depth == DEEPEST:
                line = self.parser.peek_event().start_mark.line + 1
                raise BadFile("nested too deep", "Check the brackets.", line)
            self.depth += 1
            node = super().compose_node(parent, index)
            self.depth -= 1
            return node

    class Located(SafeConstructor):
        def construct_object(self, node: Node, deep: bool = False) -> Value:
            try:
                return super().construct_object(node, deep)
            # From the conversions of the library, such as of the 30th of February.
            except (ValueError, LookupError, AttributeError) as error:
                raise BadFile("not YAML: no such value", "Quote it.", _line(node)) from error

    return Bounded, Located


def _values(node: Node, known: dict[int, int]) -> int:
    """How many values a node holds, aliases written out. Raises BadFile.

    known: what nodes that were counted hold, -1 for those that are being counted.
    """
    if (before := known.get(id(node))) is not None:
        if before < 0:
            raise BadFile("an alias stands for what it is a part of", "Remove it.", _line(node))
        return before
    known[id(node)] = -1
    count = 1
    if node.id == "mapping":
        _refuse_twice(node)
    for each in () if node.id == "scalar" else node.value:
        for below in each if isinstance(each, tuple) else (each,):
            count += _values(below, known)
    if count > MOST_VALUES:
        raise BadFile("too large", "Write out what aliases stand for.", _line(node))
    known[id(node)] = count
    return count


def _refuse_twice(node: Node) -> None:
    keys = set()
    for key, _ in node.value:
        if key.id == "scalar":
            if key.value in keys:
                raise BadFile(
                    f"the key {key.value!r} stands there twice", "Remove one.", _line(key)
                )
            keys.add(key.value)


def _line(node: Node) -> int:
    return int(node.start_mark.line) + 1
