"""Whether a text in doubt is the page that was cited: one question, for whoever reads pages.

Only what `sources.classes` leaves in doubt is asked about. The question is the address, the title
and the text, and nothing of the report, so that the answer is kept once for a judge and a language
and serves every report, task and protocol. Of all other pages the support question itself can say
that there is nothing to judge by.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, Literal

from pydantic import StringConstraints

from deepassay.models.ask import Asker
from deepassay.models.operation import Inputs, Operation, Reply
from deepassay.models.prompt import Language
from deepassay.models.usage import Range
from deepassay.protocols.expected import FRAME, ONE_SENTENCE, chance, for_each
from deepassay.protocols.protocol import PROMPTS
from deepassay.score import Cause, Json, Unscored
from deepassay.sources.page import Failure, NoPage, Page

MOST: Final = 6_000
"""Characters of a text that are shown: what is in doubt says little, and may be laid out widely."""

Came = Literal["page", "not_found", "other_page", "blocked", "paywall", "empty", "unclear"]
"""What came from an address."""

FAILURES: Final[dict[Came, Failure]] = {
    "not_found": Failure.GONE,
    "other_page": Failure.GONE,
    "blocked": Failure.BLOCKED,
    "paywall": Failure.PAYWALLED,
    "empty": Failure.SCRIPT_ONLY,
}


CAUSES: Final = {
    Failure.BLOCKED: Cause.PAGE_BLOCKED,
    Failure.SCRIPT_ONLY: Cause.PAGE_BLOCKED,
    Failure.PAYWALLED: Cause.PAGE_BLOCKED,
    Failure.TIMEOUT: Cause.TIMEOUT,
    Failure.TOO_LARGE: Cause.PAGE_TOO_LARGE,
    Failure.NOT_TEXT: Cause.MISSING_INPUT,
    Failure.NOT_ARCHIVED: Cause.NOT_ARCHIVED,
}
"""Why there is no score where a page did not come; failures that are none of these are its end."""


class PageInDoubt(Inputs):
    """An address, and what came from there."""

    address: str
    title: str
    text: str


class PageVerdict(Reply):
    """What came, and one sentence that names it."""

    came: Came
    reason: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


def left_open(inputs: PageInDoubt) -> PageVerdict:
    """The floor: what is certain was told at the capture, and no rule tells the rest."""
    return PageVerdict(came="unclear", reason="By rule: no certain sign for or against it.")


IS_PAGE: Final = Range(0, 0.5, 1)
"""Of the texts that say so little that they are in doubt, for estimates. Not published."""


def _simulated(inputs: PageInDoubt, rate: float) -> Json:
    """Of a text that is not the page nothing else is asked."""
    is_page = chance(f"{inputs.address} {inputs.title} {inputs.text[:200]}") < rate
    return {"came": "page" if is_page else "not_found", "reason": "supposed"}


JUDGE_PAGE: Final = Operation(
    "pages/judge_page",
    prompts=PROMPTS,
    takes=PageInDoubt,
    gives=PageVerdict,
    offline=left_open,
    expected=for_each(
        FRAME + ONE_SENTENCE,
        simulated=_simulated,
        decides="which texts in doubt are pages",
        rate=IS_PAGE,
        told=lambda answer: (answer.came == "page", 1),
    ),
)


async def settled(page: Page | NoPage, ask: Asker, language: Language) -> Page | NoPage | Unscored:
    """A page as a judge sees it: one that is in doubt is a page, a failure, or still in doubt.

    Unscored only where the budget is spent. The answer is that of repeat 0, also for others: what
    came from an address does not change with how often a report is judged.
    """
    if isinstance(page, NoPage) or not page.doubt:
        return page
    answer = await ask(JUDGE_PAGE, about(page, language))
    if isinstance(answer, Unscored):
        return answer if answer.cause is Cause.BUDGET else page
    return seen_as(page, answer.value)


def about(page: Page, language: Language) -> PageInDoubt:
    """What a judge is shown of a page in doubt."""
    return PageInDoubt(language=language, address=page.url, title=page.title, text=page.text[:MOST])


def seen_as(page: Page, said: PageVerdict) -> Page | NoPage:
    """A page in doubt as whoever said this of it sees it."""
    if said.came == "page":
        return replace(page, doubt="")
    if said.came == "unclear":
        return page
    detail = f"A judge looked at what came: {said.reason}"
    return NoPage(page.url, FAILURES[said.came], detail, None, page.fetched, page.capture)
