"""Analysis depth as the authors' released program counts it: edition `code`.

The program asks for marks, totals and a winner, and reads the winner alone. Each of the two orders
is a game of its own; a word that is neither "A" nor "B" to the letter makes a tie.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Final

from pydantic import Field

from deepassay.models.form import Form
from deepassay.models.operation import Operation, Reply, Unchecked
from deepassay.models.usage import Range
from deepassay.protocols.depth.comparison import (
    BOUNDS,
    DIMENSIONS,
    HIGHEST,
    Flaws,
    Pair,
    Reason,
    TwoReports,
    Winner,
    compared_by_rule,
    marks_form,
    winner_of,
)
from deepassay.protocols.expected import for_each
from deepassay.protocols.protocol import PROMPTS, ScoreDetails
from deepassay.protocols.released import Quirk, Ungraded, fired, no_grade, quirks_kept
from deepassay.results.evidence import EvidenceItem
from deepassay.score import Json, Score, Unscored

WORDS: Final = ("A", "B", "tie")
"""The winners that a judge may name."""


class SummedMarks(Pair.Marks):
    """Marks with their sum, as the released program asks for them."""

    total: Annotated[int, Field(ge=0, le=HIGHEST * len(DIMENSIONS))]


class SummedPair(Reply):
    """The marks of both reports, with their sums."""

    A: SummedMarks
    B: SummedMarks


class WinnerForm(Reply):
    """The form that edition `code` asks for; what comes is not held against it."""

    winner: str
    scores: SummedPair
    justification: Reason
    major_flaws: Flaws


class RawWinner(Unchecked):
    """Whatever JSON a judge answered: the program reads the winner and checks nothing."""

    form = WinnerForm


def _as_released_by_rule(inputs: TwoReports) -> RawWinner:
    answer = compared_by_rule(inputs).model_dump(mode="json")
    marks = answer["scores"]
    totals = {side: sum(marks[side].values()) for side in marks}
    for side in marks:
        marks[side]["total"] = totals[side]
    winner = {"own": "A", "baseline": "B", "tie": "tie"}[winner_of([totals["A"]], [totals["B"]])]
    return RawWinner({"winner": winner, **answer})


def _winner_form(inputs: TwoReports, form: Form) -> None:
    marks_form(inputs, form)
    form.override_field("winner", {"enum": [*WORDS]})


COMPARE_AS_RELEASED: Final = Operation(
    "depth/compare_as_released",
    prompts=PROMPTS,
    takes=TwoReports,
    gives=RawWinner,
    offline=_as_released_by_rule,
    shape=_winner_form,
    reading="released",
    version=2,  # a list with an object in a fence is no longer that object
    rule=2,
    expected=for_each(Range(130, 290, 640)),
)


class DepthQuirk(Quirk):
    """Where the program counts what edition `paper` refuses, or otherwise than it does."""

    WINNER_MISSING = "winner-missing"
    WINNER_UNKNOWN = "winner-unknown"
    WINNER_AGAINST_MARKS = "winner-against-marks"
    MARKS_MISSING = "marks-missing"
    TOTAL_NOT_SUM = "total-not-sum"
    NO_DECISIVE_GAME = "no-decisive-game"
    ANSWER_NO_OBJECT = "answer-no-object"


class GameDetails(ScoreDetails):
    """What is kept of a score. games: who wins each; consistent: whether that is the same one."""

    games: tuple[Winner, ...]
    consistent: bool


def released_game(answer: Json, own_first: bool) -> Winner:
    """Who wins one order. Raises Ungraded where the program stops."""
    if not isinstance(answer, dict):
        raise Ungraded("the answer is not an object", DepthQuirk.ANSWER_NO_OBJECT)
    word = answer.get("winner", "tie")
    if word in ("A", "B"):
        return "own" if (word == "A") is own_first else "baseline"
    return "tie"


def released_score(first: Json, second: Json) -> Score | Unscored:
    """The score by the answers to both orders; in `first` the report that is scored is A.

    value: wins by decisive games, 0 to 100, and 0 where both games are ties. tally: these two.
    details: `games`, who wins each; `consistent`, whether it is the same one; `quirks`; `items`.
    Where the program stops at an answer, Unscored.
    """
    answers = [(first, True), (second, False)]
    try:
        games = [released_game(answer, own_first) for answer, own_first in answers]
    except Ungraded as stop:
        return no_grade(f"stops here: {stop}", quirks_kept([stop.quirk]))
    wins, decisive = games.count("own"), len(games) - games.count("tie")
    return Score(
        wins / decisive * 100 if decisive else 0.0,
        BOUNDS,
        tally=(float(wins), float(decisive)),
        details=GameDetails(
            games=tuple(games),
            consistent=len(set(games)) == 1,
            quirks=tuple(map(str, _quirks([first, second], decisive))),
            items=tuple(
                _item(answer, own_first, game)
                for (answer, own_first), game in zip(answers, games, strict=True)
            ),
        ).to_json(),
    )


def _item(answer: Mapping[str, Json], own_first: bool, game: Winner) -> EvidenceItem:
    """A line for one order, with the winner as the judge wrote it."""
    place = "first" if own_first else "second"
    reason = answer.get("justification")
    verdict = {"own": "won", "baseline": "lost", "tie": "tied"}[game]
    return EvidenceItem(
        key=place,
        item=f"the report stood {place}, and the judge named {answer.get('winner')!r:.40}",
        score={"own": 1, "baseline": 0, "tie": 0.5}[game],
        verdict=verdict,
        justification=reason.strip() if isinstance(reason, str) else "",
    )


def _quirks(answers: Sequence[Mapping[str, Json]], decisive: int) -> list[DepthQuirk]:
    """What edition `paper` would not have let pass, or counts otherwise."""
    words = [answer["winner"] for answer in answers if "winner" in answer]
    sheets = [_sheets(answer) for answer in answers]
    return fired(
        {
            DepthQuirk.WINNER_MISSING: len(words) < len(answers),
            DepthQuirk.WINNER_UNKNOWN: any(word not in WORDS for word in words),
            DepthQuirk.WINNER_AGAINST_MARKS: any(
                sheet is not None and answer.get("winner", "tie") != _by_marks(*sheet)
                for answer, sheet in zip(answers, sheets, strict=True)
            ),
            DepthQuirk.MARKS_MISSING: any(sheet is None for sheet in sheets),
            DepthQuirk.TOTAL_NOT_SUM: any(
                sheet is not None
                and [_part(answer, side).get("total") for side in ("A", "B")]
                != [sum(marks) for marks in sheet]
                for answer, sheet in zip(answers, sheets, strict=True)
            ),
            DepthQuirk.NO_DECISIVE_GAME: decisive == 0,
        }
    )


def _by_marks(a: Sequence[float], b: Sequence[float]) -> str:
    """The winner by the marks of one answer."""
    return {"own": "A", "baseline": "B", "tie": "tie"}[winner_of([sum(a)], [sum(b)])]


def _sheets(answer: Mapping[str, Json]) -> tuple[list[int], list[int]] | None:
    """The marks of A and B, or None unless all ten are there and on the scale."""
    a, b = (_marks(_part(answer, side)) for side in ("A", "B"))
    return None if a is None or b is None else (a, b)


def _marks(part: Mapping[str, Json]) -> list[int] | None:
    marks = [part.get(name) for name in DIMENSIONS]
    return [int(mark or 0) for mark in marks] if all(map(_is_mark, marks)) else None


def _part(answer: Mapping[str, Json], side: str) -> Mapping[str, Json]:
    scores = answer.get("scores")
    part = scores.get(side) if isinstance(scores, dict) else None
    return part if isinstance(part, dict) else {}


def _is_mark(value: Json) -> bool:
    return type(value) in (int, float) and 0 <= value <= HIGHEST and value == int(value)
