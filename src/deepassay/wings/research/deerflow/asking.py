"""What the operations of the research agent share: the prompt folder and how identifiers look."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from importlib.resources import files
from typing import Final

from deepassay.models.form import is_described
from deepassay.models.operation import In, OffMenu, Operation, Prose
from deepassay.reports.sentences import split_sentences
from deepassay.wings.research.search.index import index_words

PROMPTS: Final = files("deepassay.wings.research") / "prompts"

research_operation = partial(Operation, prompts=PROMPTS, system_prompt="research")

CITED: Final = re.compile(r"\[\s*(e\d+(?:\s*[,，;]\s*e\d+)*)\s*\]")
"""How drafts cite: `[e3]`, or several at once."""

_ID: Final = re.compile(r"\A\[(e\d+)\]")


_FENCES: Final = re.compile(r"^<<<BEGIN \w+ (\w+)$", re.MULTILINE)
_CODE: Final = re.compile(r"\W*(?=[a-f]*\d)[0-9a-f]{12}\W*\Z")
_DATA: Final = re.compile(r"\A\s*(?:```\w*\s*)?(?:\{|\[\s*[\[{\"])")


def refuse_wordless(texts: Iterable[str], task: str = "a task") -> None:
    """Raises OffMenu for a text without a word of its own: dots, `<text>`, the code of a fence.

    task: where it has no word either, nothing else can be said of it.
    """
    if any(map(str.isalnum, task)):
        for text in texts:
            if not any(map(str.isalnum, text)) or is_described(text) or _CODE.match(text):
                raise OffMenu(f"{text[:80]!r} has no word in it; write it out")


def folded_query(query: str) -> str:
    """A query as it is compared with others: its words alone, in one case and width."""
    return " ".join(word for word, _ in index_words(query))


def is_data(text: str) -> bool:
    """Whether what was to be prose is JSON."""
    return bool(_DATA.match(text))


def text_without_fences(text: str, prompt: str) -> str:
    """A text without the lines between which a prompt puts texts, and without their codes."""
    for code in set(_FENCES.findall(prompt)):
        text = re.sub(rf"<<<(?:BEGIN|END) \w+ {code}|\[?{code}\]?", "", text)
    return text


def why_unfit_prose(text: str, ids: Iterable[str]) -> str:
    """Why a text is not taken that was to be prose which cites some of these; "" if it is."""
    if is_data(text):
        return "data"
    menu = set(ids)
    return "uncited" if menu and not menu & set(ids_in(text)) else ""


def evidence_id(line: str) -> str:
    """The identifier that a line of evidence begins with."""
    found = _ID.match(line)
    return found[1] if found else ""


def ids_in(text: str) -> list[str]:
    """The identifiers that a draft cites, in their order, each time."""
    return [each for found in CITED.finditer(text) for each in re.split(r"\s*[,，;]\s*", found[1])]


def ids_of(lines: Iterable[str]) -> Iterator[str]:
    """The identifiers that lines of evidence begin with."""
    return map(evidence_id, lines)


def ids_cited(texts: Iterable[str]) -> list[str]:
    """The identifiers that several drafts cite, in their order, each time."""
    return [each for text in texts for each in ids_in(text)]


def on_menu(numbers: Iterable[int], menu: Sequence[object], what: str) -> None:
    """Raises OffMenu for a number that is not on a menu, from 1."""
    for number in numbers:
        if not 1 <= number <= len(menu):
            raise OffMenu(f"{what} {number} is not on the list, which has {len(menu)}")


def cites_only(text: str, menu: Iterable[str]) -> None:
    """Raises OffMenu where a draft cites what it was not given."""
    known = set(menu)
    if unknown := [each for each in dict.fromkeys(ids_in(text)) if each not in known]:
        raise OffMenu(f"[{unknown[0]}] is not among the evidence given; cite only what is")


def _nothing_else(inputs: object, text: str) -> None:
    """No further demand on a text."""


def prose_operation(
    name: str,
    takes: type[In],
    offline: Callable[[In], Prose],
    menu: Callable[[In], Iterable[str]],
    check: Callable[[In, str], None] = _nothing_else,
) -> Operation[In, Prose]:
    """An operation that gives prose which cites evidence by its identifiers.

    menu: what it may cite. check: raises OffMenu for what else is wrong with a text. The model is
    told so once, and then the text stands as it is: what it may not cite is taken out by citation
    control, which tells of it.
    """

    def doubt(inputs: In, answer: Prose) -> str:
        if is_data(answer.text):
            return "it is JSON; write it as text"
        try:
            cites_only(answer.text, menu(inputs))
            check(inputs, answer.text)
        except OffMenu as problem:
            return str(problem)
        return ""

    return research_operation(name, takes=takes, gives=Prose, offline=offline, soft_check=doubt)


def with_ids(sentence: str, ids: Sequence[str]) -> str:
    """A sentence that cites: before the mark that ends it."""
    bare = sentence.rstrip()
    mark = bare[-1:] if bare[-1:] in ".!?。！？" else ""
    body = bare[: len(bare) - len(mark)].rstrip()
    blank = "" if body[-1:] >= "\u2e80" else " "
    stop = mark or ("。" if body[-1:] >= "\u2e80" else ".")
    return f"{body}{blank}[{', '.join(ids)}]{stop}"


def at_length(text: str) -> str:
    """A span of a task as a question or a step: 3 to 500 characters."""
    return text[:500].ljust(3, "…")


def sentences(text: str) -> list[str]:
    """The sentences of a text, each on one line; none goes beyond its paragraph."""
    return [
        " ".join(span.of(paragraph).split())
        for paragraph in re.split(r"\n[ \t]*\n", text)
        for span in split_sentences(paragraph)
    ]
