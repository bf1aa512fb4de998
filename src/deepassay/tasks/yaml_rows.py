"""Rows of a YAML file that people edit: a list of mappings, each with its line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import yaml
from yaml.constructor import ConstructorError

from deepassay.errors import BadTasks
from deepassay.score import Json
from deepassay.tasks.rows import Row, Where, read_rows, read_text

DEEPEST: Final = 50
"""Lists and mappings inside each other; criteria need five."""

MOST_FIELDS: Final = 1_000
"""Fields of a mapping, those included that it takes over from others."""

if TYPE_CHECKING:
    from yaml import SafeLoader as _Fastest
else:  # the loader in C is ten times as fast; not every build of the library has it
    _Fastest = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_Fastest):
    """Tells where a value stands that cannot be read, and bounds what mappings take over."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Json:
        """The value of a node. Raises yaml.MarkedYAMLError."""
        try:
            return super().construct_object(node, deep)
        # From the conversions of the library, such as of the 30th of February.
        except (ValueError, LookupError, AttributeError) as error:
            raise ConstructorError(None, None, "no such value", node.start_mark) from error

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Put the fields of a merged mapping (`<<: *name`) into a mapping."""
        for key, value in node.value:
            # Lists of lists of mappings would grow without measure.
            if key.tag == "tag:yaml.org,2002:merge" and isinstance(value, yaml.SequenceNode):
                raise ConstructorError(None, None, "`<<` with a list", value.start_mark)
        super().flatten_mapping(node)
        if len(node.value) > MOST_FIELDS:
            raise ConstructorError(None, None, "too many fields", node.start_mark)


def is_yaml(path: Path) -> bool:
    """Whether the ending says so."""
    return path.suffix.lower() in (".yaml", ".yml")


def read_rows_or_yaml(path: Path) -> list[Row]:
    """All rows of a file: of YAML by its ending, or else as `read_rows` reads it."""
    if not is_yaml(path) or not path.is_file():
        return read_rows(path)
    try:
        text = read_text(path)
    except OSError as error:
        reason = error.strerror or error
        raise BadTasks(f"{path} cannot be read: {reason}.", "Check the file.") from error
    return read_yaml_rows(path, text)


def read_yaml_rows(path: Path, text: str) -> list[Row]:
    """The mappings of the one list in the file. Raises BadTasks naming the line.

    A key that stands twice in one mapping is refused: of two the library keeps the last only.
    """
    loader = _Loader(text)
    try:
        _refuse_depth(path, text)
        root = loader.get_single_node()
        if root is None:
            return []
        if not isinstance(root, yaml.SequenceNode):
            raise _bad(path, root, "is not a list", "Begin every entry with a dash: `- id: 1`.")
        return [_row(path, loader, node) for node in root.value]
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f", line {mark.line + 1}" if mark else ""
        raise BadTasks(
            f"{path.name}{where}: not YAML: {error.problem or error.context}.",
            "Check indentation, dashes and quotation marks there.",
        ) from error
    except yaml.YAMLError as error:
        problem = " ".join(str(error).split())
        raise BadTasks(f"{path.name}: not YAML: {problem}.", "Save it as plain text.") from error
    finally:
        loader.dispose()


def _refuse_depth(path: Path, text: str) -> None:
    """Refuse what would end the process: composing in C goes as deep as the text does."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            where = f", line {event.start_mark.line + 1}" if event.start_mark else ""
            raise BadTasks(f"{path.name}{where}: nested too deep.", "Check the brackets.")


def _row(path: Path, loader: Json, node: yaml.Node) -> Row:
    if not isinstance(node, yaml.MappingNode):
        raise _bad(path, node, "is not a mapping", "Each entry has fields, such as `id: 1`.")
    for twice in _twice(node, set()):
        raise _bad(path, twice, f"the key {twice.value!r} stands there twice", "Remove one.")
    fields = loader.construct_document(node)

    def part(where: Where) -> str:
        return f"{path.name}, line {_part(node, where).start_mark.line + 1}"

    return Row(part(()), fields, part)


def _part(node: yaml.Node, where: Where) -> yaml.Node:
    """The node that a way leads to, or the last one on it that is there."""
    for step in where:
        if isinstance(node, yaml.SequenceNode) and isinstance(step, int):
            node = node.value[step]
        elif isinstance(node, yaml.MappingNode):
            found = (value for key, value in node.value if key.value == step)
            if (below := next(found, None)) is None:
                break
            node = below
        else:
            break
    return node


def _twice(node: yaml.Node, seen: set[int]) -> Iterator[yaml.ScalarNode]:
    """Keys that repeat an earlier one. seen: nodes looked at, since aliases share them."""
    if id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        for child in node.value:
            yield from _twice(child, seen)
    elif isinstance(node, yaml.MappingNode):
        keys: set[str] = set()
        for key, child in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in keys:
                    yield key
                keys.add(key.value)
            yield from _twice(child, seen)


def _bad(path: Path, node: yaml.Node, problem: str, remedy: str) -> BadTasks:
    return BadTasks(f"{path.name}, line {node.start_mark.line + 1}: {problem}.", remedy)
