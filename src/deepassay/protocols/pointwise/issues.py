"""What a judge may point out in a report: each issue with the words of the report that show it.

LiveResearchBench finds faults of consistency and of citation in the same way (appendix A.2 and
A.5): the judge lists them, their number decides the score. Here every issue quotes the report,
so that an issue that is not there cannot count.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import StringConstraints

from deepassay.models.operation import Reply

Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class Inconsistency(Reply):
    """Two statements that exclude each other, or a step of reasoning that does not hold.

    quote: verbatim from the report. other_quote: the passage that it is at odds with, verbatim
    too; empty only if kind is `logic` and one passage shows it all. problem: a sentence.
    """

    kind: Literal["contradiction", "logic"]
    quote: Words
    other_quote: Annotated[str, StringConstraints(strip_whitespace=True)]
    problem: Words

    @property
    def quotes(self) -> dict[str, str]:
        """The passages that show it, by the name of their field."""
        both = {"quote": self.quote, "other_quote": self.other_quote}
        return {field: quote for field, quote in both.items() if quote}


class UnsourcedClaim(Reply):
    """A claim that has no citation, or one whose source evidently cannot be about it.

    quote: the claim, verbatim from the report. problem: a sentence.
    """

    kind: Literal["uncited", "mismatched"]
    quote: Words
    problem: Words

    @property
    def quotes(self) -> dict[str, str]:
        """The passage that shows it, by the name of its field."""
        return {"quote": self.quote}


class Inconsistencies(Reply):
    """Everything in a report that does not agree with itself; `[]` if all does."""

    issues: list[Inconsistency]


class UnsourcedClaims(Reply):
    """All claims of a report that lack a fitting citation; `[]` if none does."""

    issues: list[UnsourcedClaim]


Issue = Inconsistency | UnsourcedClaim
Issues = Inconsistencies | UnsourcedClaims
