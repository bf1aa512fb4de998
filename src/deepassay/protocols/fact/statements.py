"""How the statements of a report and the addresses that they are cited to are found.

One choice, which every protocol that judges citations offers under the same name.
"""

from __future__ import annotations

from typing import Final

from deepassay.protocols.fact.extraction import Extracted, extracted_by_model
from deepassay.protocols.fact.pairs import leads_somewhere, mechanical_pairs
from deepassay.protocols.protocol import Case, Roles
from deepassay.reports.report import Report
from deepassay.score import Unscored

STATEMENTS: Final = ("auto", "mechanical", "model")
"""Ways: by code, by a model, or by code unless too few citations lead to an address."""


def asks_a_model(statements: str, report: Report) -> bool:
    """Whether a model reads the statements of this report. statements: one of STATEMENTS.

    `auto` asks one if fewer than half of the citations lead from a statement to an address.
    """
    if statements == "auto":
        return not leads_somewhere(report)
    return statements == "model"


async def extracted(statements: str, case: Case, ask: Roles) -> Extracted | Unscored:
    """The pairs of a report, found in one of the ways of STATEMENTS."""
    if not asks_a_model(statements, case.report):
        return Extracted(mechanical_pairs(case.report))
    return await extracted_by_model(
        case.report, ask.extractor, language=case.task.language, repeat=case.repeat
    )
