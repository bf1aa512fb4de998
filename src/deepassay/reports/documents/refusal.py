"""The refusal of a document, as it travels from the worker process to whoever asked."""

from __future__ import annotations


class Refused(Exception):
    """The document is not converted. `problem` goes on after its name; `remedy`: what to do."""

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.remedy = remedy
