"""Answers as providers send them, as Markdown.

`answer_of` reads the JSON, `answer_as_markdown` places what it found.

Loaders of report files and agents that ask a provider use the same two functions.
"""

from deepassay.reports.answers.shapes import Annotation, AnswerPart, ProviderAnswer, answer_of
from deepassay.reports.answers.writing import RenderedAnswer, answer_as_markdown
from deepassay.reports.listing import Source

__all__ = [
    "Annotation",
    "AnswerPart",
    "ProviderAnswer",
    "RenderedAnswer",
    "Source",
    "answer_as_markdown",
    "answer_of",
]
