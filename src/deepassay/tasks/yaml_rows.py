"""Rows of a YAML file that people edit: a list of mappings, each with its line."""

from __future__ import annotations

from pathlib import Path

import yaml

from deepassay.errors import BadTasks
from deepassay.guarded_yaml import BadYaml, Loader, opened, refuse_twice
from deepassay.tasks.rows import Row, Where, read_rows, read_text


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
    try:
        with opened(text) as loader:
            root = loader.get_single_node()
            if root is None:
                return []
            if not isinstance(root, yaml.SequenceNode):
                raise _bad(path, root, "is not a list", "Begin every entry with a dash: `- id: 1`.")
            return [_row(path, loader, node) for node in root.value]
    except BadYaml as error:
        where = f", line {error.line}" if error.line else ""
        raise BadTasks(f"{path.name}{where}: {error.problem}.", error.remedy) from error


def _row(path: Path, loader: Loader, node: yaml.Node) -> Row:
    if not isinstance(node, yaml.MappingNode):
        raise _bad(path, node, "is not a mapping", "Each entry has fields, such as `id: 1`.")
    refuse_twice(node)
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


def _bad(path: Path, node: yaml.Node, problem: str, remedy: str) -> BadTasks:
    return BadTasks(f"{path.name}, line {node.start_mark.line + 1}: {problem}.", remedy)
