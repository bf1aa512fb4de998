"""YAML that people edit, read within bounds, so that no file ends the process or fills memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import yaml
from yaml.constructor import ConstructorError

Value = Any
"""What YAML can hold."""

DEEPEST: Final = 50
"""Lists and mappings inside each other; criteria need five."""

MOST_FIELDS: Final = 1_000
"""Fields of a mapping, those included that it takes over from others."""

if TYPE_CHECKING:
    from yaml import SafeLoader as _Fastest
else:  # the loader in C is ten times as fast; not every build of the library has it
    _Fastest = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class BadYaml(ValueError):
    """A text that is not read. problem: in words. remedy: what to do. line: from 1 on, if known."""

    def __init__(self, problem: str, remedy: str, line: int | None = None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.remedy = remedy
        self.line = line


class Loader(_Fastest):
    """Tells where a value stands that cannot be read, and bounds what mappings take over."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Value:
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


@contextmanager
def opened(text: str) -> Iterator[Loader]:
    """A loader over a text. Raises BadYaml, also for what the loader meets inside the block."""
    loader: Loader | None = None
    try:
        _refuse_depth(text)
        loader = Loader(text)
        yield loader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise BadYaml(
            f"not YAML: {error.problem or error.context}",
            "Check indentation, dashes and quotation marks there.",
            mark.line + 1 if mark else None,
        ) from error
    except RecursionError as error:  # aliases nest without brackets
        raise BadYaml("nested too deep", "Write out what aliases stand for.") from error
    except yaml.YAMLError as error:
        problem = " ".join(str(error).split())
        raise BadYaml(f"not YAML: {problem}", "Save it as plain text.") from error
    finally:
        if loader is not None:
            loader.dispose()


def value_of(text: str) -> Value:
    """What the one document of a text holds; None where it holds nothing. Raises BadYaml."""
    with opened(text) as loader:
        root = loader.get_single_node()
        if root is None:
            return None
        refuse_twice(root)
        return loader.construct_document(root)


def refuse_twice(node: yaml.Node) -> None:
    """Refuse a key that stands twice in one mapping: of two the library keeps the last only."""
    for twice in _twice(node, set()):
        line = twice.start_mark.line + 1
        raise BadYaml(f"the key {twice.value!r} stands there twice", "Remove one.", line)


def _refuse_depth(text: str) -> None:
    """Refuse what would end the process: composing in C goes as deep as the text does."""
    depth = 0
    for event in yaml.parse(text, Loader=Loader):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            line = event.start_mark.line + 1 if event.start_mark else None
            raise BadYaml("nested too deep", "Check the brackets.", line)


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
