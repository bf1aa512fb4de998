"""A page in which every text that a stranger could have written is hostile."""

from __future__ import annotations

from deepassay.results.page.content import Content, JudgedText, LintRemark, RunFacts
from deepassay.results.page.rendering import whole_page
from deepassay.results.quoted_passages import SourcePage
from deepassay.results.ranking import rank
from deepassay.results.records import Judged
from deepassay.score import Cause, Score, Signature, Unscored


class HostileArchive:
    """Every page is hostile, and has every quote."""

    def page(self, snapshot: str) -> SourcePage:
        return SourcePage(snapshot, snapshot, snapshot, f"{snapshot} and {snapshot}")

    def place(self, text: str, quote: str) -> tuple[int, int] | None:
        start = text.find(quote)
        return None if start < 0 else (start, start + len(quote))


def _item(text: str, number: int) -> dict[str, object]:
    return {
        "key": text,
        "item": text,
        "verdict": text,
        "score": number % 2,
        "justification": f"{text} “{text}”",
        "decided_by": text,
        "url": text,
        "places": [{"line": 1, "column": 1, "message": text}],
    }


def _record(text: str, number: int) -> Judged:
    details = {
        "items": [_item(text, number)],
        "quirks": [text],
        "summary": text,
        "not_asked": text,
        "judges": {
            text: {"cause": "timeout", "detail": text, "details": {"items": [_item(text, number)]}}
        },
    }
    score = Score(number % 100, (0, 100), {text: 1.0}, (1, 2), details)
    outcome = Unscored(Cause.TIMEOUT, text) if number % 7 == 0 else score
    recipe = Signature({"judges": [{"model": text}]}, {"pages": {text: text}, "served": text})
    return Judged("fact", text, text, 1, 0, {text: text}, outcome, recipe)


def hostile_page(texts: tuple[str, ...]) -> str:
    records = [_record(text, number) for number, text in enumerate(texts)]
    content = Content(
        boards=rank(records, allow_mixed=True),
        records=records,
        tasks={text: text for text in texts},
        reports=[
            JudgedText(text, text, 1, f"{text}\n{text}", (LintRemark(text, text, text, 2, 9, 1),))
            for text in texts
        ],
        runs=[RunFacts(text, {text: text}, 0.0, False, {text: 1}, {text: 1}) for text in texts],
        archive=HostileArchive(),
        version="1",
    )
    return "".join(whole_page(content))
