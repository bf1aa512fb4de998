"""Prompt files: Markdown with `{{field}}` placeholders, the material first and the question last.

    {{report}}

    ---

    Which of the checks below does the report pass?

    {{checks}}

Above the first line `---` stand placeholders and nothing else. So two operations about the same
report begin with the same bytes (system prompt, then the report), and a provider's prefix cache
serves the second for less. A value that is not trusted stands alone on its line, because it comes
with a fence around it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final, Literal

from deepassay.models.fence import digest_of_text
from deepassay.score import digest

Language = Literal["en", "zh"]
LANGUAGES: Final[tuple[Language, ...]] = ("en", "zh")

_PLACEHOLDER = re.compile(r"\{\{([a-z][a-z0-9_]*)\}\}")
_OWN = files(__package__) / "prompts"


class BadPrompt(ValueError):
    """A prompt file and its operation do not fit together: a mistake of ours, not of a user."""


@dataclass(frozen=True)
class Prompt:
    """What is sent: the system prompt, what is judged, and what is asked about it."""

    system: str
    material: str
    question: str

    @property
    def text(self) -> str:
        """The user's message as one text."""
        return "\n\n".join(filter(None, (self.material, self.question)))

    @property
    def beginning(self) -> int:
        """Identifies, in this process, what all questions about the same material begin with."""
        return hash((self.system, self.material))

    @property
    def digest(self) -> str:
        """Identifies the rendered prompt in the run file, fences included."""
        return digest([digest_of_text(self.system), digest_of_text(self.material), self.question])


@dataclass(frozen=True)
class PromptFile:
    """One prompt file in one language, read and divided."""

    name: str
    material: str
    question: str

    @cached_property
    def placeholders(self) -> frozenset[str]:
        """Names of all fields that the file shows."""
        return frozenset(_PLACEHOLDER.findall(f"{self.material}\n{self.question}"))

    @property
    def alone(self) -> frozenset[str]:
        """Names of the fields whose every placeholder has a line to itself."""
        lines = f"{self.material}\n{self.question}".split("\n")
        crowded = [
            set(_PLACEHOLDER.findall(line)) for line in lines if not _PLACEHOLDER.fullmatch(line)
        ]
        return self.placeholders - frozenset().union(*crowded)

    def fill(self, system: str, values: Mapping[str, str]) -> Prompt:
        """Put the values in, in one pass: a placeholder inside a value is text like any other."""
        return Prompt(system, _fill(self.material, values), _fill(self.question, values))


def _fill(text: str, values: Mapping[str, str]) -> str:
    return _PLACEHOLDER.sub(lambda found: values[found.group(1)], text)


def read_prompt(folder: Traversable, name: str, language: Language) -> PromptFile:
    """Read `name.language.md` from a room's prompt folder. Raises BadPrompt."""
    place = f"{name}.{language}.md"
    try:
        text = (folder / place).read_text("utf-8")
    except FileNotFoundError:
        raise BadPrompt(f"the prompt file {place} does not exist") from None
    material, divider, question = text.partition("\n---\n")
    if not divider:
        raise BadPrompt(f"{place} has no line '---' between what is judged and what is asked")
    if not material.strip() or _PLACEHOLDER.sub("", material).strip():
        raise BadPrompt(f"{place}: above the line '---' placeholders must stand, and nothing else")
    return PromptFile(place, material.strip(), question.strip())


@cache
def house_text(name: str, language: Language) -> str:
    """A text of this room that operations share: `system`, or `prose` where the answer is no JSON.

    `again` and `again_prose` are for asking again.
    """
    return (_OWN / f"{name}.{language}.md").read_text("utf-8").strip()


def ask_again(language: Language, problem: str, text: str) -> str:
    """The message after an answer that could not be used; `problem` says why."""
    return _fill(house_text(text, language), {"problem": problem})
