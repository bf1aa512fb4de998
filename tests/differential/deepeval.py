"""DeepEval (LiveResearchBench) by other code: checklists, issues, depth, the tree of citations."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random
from typing import Any

from deepassay.models.operation import Operation
from deepassay.models.reading import Unreadable, read_reply
from deepassay.protocols import citation_accuracy
from deepassay.protocols.checklist import ReportAndQuery, keys_of, paper_score
from deepassay.protocols.checklist_released import as_released, released_rate
from deepassay.protocols.citation_accuracy.tree import ClaimNode, SourceNode, Tree
from deepassay.protocols.coverage import JUDGE_ITEMS, ReportAndChecklist
from deepassay.protocols.depth import protocol as depth_arithmetic
from deepassay.protocols.depth import released as depth_released
from deepassay.protocols.depth.comparison import COMPARE, TwoReports
from deepassay.protocols.pointwise import protocol as pointwise_arithmetic
from deepassay.protocols.pointwise import released as pointwise_released
from deepassay.protocols.pointwise.issues import FIND_INCONSISTENCIES
from deepassay.protocols.released import Ungraded
from deepassay.reports.report import Report
from deepassay.score import Score
from tests.differential.comparing import AGAIN, STOPS, Comparison
from tests.differential.writing import WRAPPINGS, analysis, style, wrapped

ODD = (2, -1, 0.5, True, "1", None, [1], math.nan)


def _read(operation: Operation[Any, Any], inputs: Any, raw: str, *, broken: bool) -> Any:
    """What ours reads; AGAIN where it may refuse what is no JSON."""
    try:
        return read_reply(operation, inputs, raw).value
    except Unreadable:
        if not broken:
            raise
        return AGAIN


# ------------------------------------------------------------------ presentation and coverage


def checklist_paper(chance: Random) -> Comparison:
    """A verdict for every item: the share of those that are met."""
    items = [f"item {number}" for number in range(chance.randint(1, 12))]
    scores = [chance.randint(0, 1) for _ in items]
    answer = {
        f"q{at}": {
            "score": str(s) if chance.random() < 0.05 else s,
            "justification": analysis(chance),
        }
        for at, s in enumerate(scores, start=1)
    }
    written = style(chance, broken=0.2)
    raw = wrapped(written.spell({"evaluations": answer}), chance)
    inputs = ReportAndChecklist(language="en", report="r", query="q", checklist=tuple(items))
    found = _read(JUDGE_ITEMS, inputs, raw, broken=written.broken)
    if found == AGAIN:
        return Comparison(raw, AGAIN, AGAIN)
    score = paper_score(found, keys_of(items))
    return Comparison(
        raw,
        [score.value, *score.parts.values()],
        [float(Fraction(100 * sum(scores), len(scores))), *(100 * s for s in scores)],
    )


def checklist_code(chance: Random) -> Comparison:
    """Whatever scores there are, added up and divided by the number of items."""
    items = [f"item {number}" for number in range(chance.randint(1, 10))]
    keys = [f"q{at}" for at in range(1, len(items) + 1)]
    if chance.random() < 0.2:
        keys.append("q99")
    if chance.random() < 0.2:
        keys.pop()
    entries: dict[str, Any] = {
        key: {"score": chance.choice(ODD) if chance.random() < 0.05 else chance.randint(0, 1),
              "justification": analysis(chance)}
        for key in keys
    }  # fmt: skip
    if entries and chance.random() < 0.05:
        entries[chance.choice(keys)].pop("score") if chance.random() < 0.5 else entries.update(q1=1)
    answer: Any = {"evaluations": entries} if chance.random() < 0.95 else entries
    raw, answer = _plainly(answer, chance)
    inputs = ReportAndChecklist(language="en", report="r", query="q", checklist=tuple(items))
    try:
        ours: Any = released_rate(
            read_reply(as_released(JUDGE_ITEMS), inputs, raw).value.root, [*keys_of(items)]
        ).rate
    except Ungraded:
        ours = STOPS
    return Comparison(raw, ours, _rate(answer, len(items)))


def _plainly(answer: Any, chance: Random) -> tuple[str, Any]:
    """An answer as JSON in some wrapping, sometimes in a list; and what is then answered."""
    if chance.random() < 0.05:
        answer = [answer]
    raw = style(chance, broken=0).spell(answer)
    around = WRAPPINGS[chance.choice(["nothing", "blanks", "fence", "plain fence", "prose"])]
    return around.replace("{}", raw), answer


def _rate(answer: Any, count: int) -> Any:
    """Section A2: missing items lack from the sum and not from the divisor; others add to it."""
    try:
        scores = [each.get("score", 0) for each in answer.get("evaluations", {}).values()]
        return sum(scores) / count * 100
    except (AttributeError, TypeError):
        return STOPS


# ------------------------------------------------------------------ consistency, association

SENTENCES = (
    "Alpha-1 grids stored 3.5 GW in 2023.", "“Insight” was rare in the north.",
    "电网储能在二〇二三年达到3.5吉瓦。", "Prices rose by 80 % [3] at once.", "Nobody saw storms.",
    "Batteries cost 400 million.", "后来价格下降了两成。", "`code` was run twice in May.",
)  # fmt: skip
REPORT = Report("\n\n".join(f"{n}: {text}" for n, text in enumerate(SENTENCES * 3)))


def pointwise_paper(chance: Random) -> Comparison:
    """Issues with quotes, those of the same passages counted once; the table by their number."""
    issues, places = [], set()
    for _ in range(chance.choice([0, 1, 2, 3, 5, 8, 13, 16, 18, 25, 40])):
        first, second = chance.sample(range(len(SENTENCES)), 2)
        alone = chance.random() < 0.4
        issues.append(
            {"kind": "logic" if alone else "contradiction", "quote": SENTENCES[first],
             "other_quote": "" if alone else SENTENCES[second], "problem": analysis(chance)}
        )  # fmt: skip
        places.add(frozenset([first] if alone else [first, second]))
    written = style(chance, broken=0.2)
    raw = wrapped(written.spell({"issues": issues}), chance)
    inputs = ReportAndQuery(language="en", report=REPORT.text, query="q")
    found = _read(FIND_INCONSISTENCIES, inputs, raw, broken=written.broken)
    if found == AGAIN:
        return Comparison(raw, AGAIN, AGAIN)
    table = pointwise_arithmetic.table(pointwise_arithmetic.PUBLISHED)
    score = pointwise_arithmetic.score_of(REPORT, found, table)
    return Comparison(
        raw, [score.details["issues"], score.value], [len(places), _table(len(places))]
    )


def _table(issues: int) -> int:
    """Table 3: ten points for every two issues, the eighth step has three; 10 at least."""
    if issues < 15:
        return 100 - 10 * ((issues + 1) // 2)
    return 20 if issues <= 17 else 10


def pointwise_code(chance: Random) -> Comparison:
    """The judge's own number, whatever it lists."""
    answer = {
        "specific_issues": [analysis(chance) for _ in range(chance.randint(0, 5))],
        "total_issues": chance.randint(0, 9),
        "score": chance.choice(
            [10, 20, 50, 87.5, 100] * 5
            + [120, -10, 0, 1e308, "90", None, True, math.nan, math.inf, []]
        ),
        "justification": analysis(chance),
    }
    if chance.random() < 0.05:
        del answer[chance.choice([*answer])]
    raw, answer = _plainly(answer, chance)
    operation = pointwise_released.JUDGE_CONSISTENCY_AS_RELEASED
    inputs = pointwise_released.ReportOnDay(language="en", report="r", query="q", today="")
    outcome = pointwise_released.released_score(read_reply(operation, inputs, raw).value.root)
    ours = outcome.value if isinstance(outcome, Score) else STOPS
    said = answer.get("score", 0) if isinstance(answer, dict) else None
    is_number = isinstance(said, int | float) and math.isfinite(said)
    return Comparison(raw, ours, said if is_number else STOPS)


# ------------------------------------------------------------------ depth

NAMES = ("granularity", "insight", "critique", "evidence", "density")


def depth_paper(chance: Random) -> Comparison:
    """Both orders: totals averaged, a lead of more than 1 wins."""
    raws, totals, orders, broken = [], {"own": [], "baseline": []}, [], False
    inputs = TwoReports(language="en", report_a="a", report_b="b", query="q")
    for own_first in (True, False):
        level = chance.randint(0, 4)
        marks = {side: [level + chance.randint(0, 1) for _ in NAMES] for side in ("A", "B")}
        written = style(chance, broken=0.15)
        broken = broken or written.broken
        answer = {
            "scores": {side: dict(zip(NAMES, each, strict=True)) for side, each in marks.items()},
            "justification": analysis(chance),
            "major_flaws": {"A": [analysis(chance)], "B": []},
        }
        raws.append(wrapped(written.spell(answer), chance))
        found = _read(COMPARE, inputs, raws[-1], broken=written.broken)
        if found == AGAIN:
            return Comparison(raws, AGAIN, AGAIN)
        orders.append(depth_arithmetic.Order(own_first, found))
        totals["own"].append(sum(marks["A" if own_first else "B"]))
        totals["baseline"].append(sum(marks["B" if own_first else "A"]))
    score = depth_arithmetic.score_of(orders)
    own, baseline = (Fraction(sum(each), 2) for each in totals.values())
    value = 100 if own - baseline > 1 else 0 if baseline - own > 1 else 50
    kept = score.details["totals"]
    return Comparison(
        raws, [score.value, kept["own"], kept["baseline"]], [value, float(own), float(baseline)]
    )


def depth_code(chance: Random) -> Comparison:
    """Each order is a game, won by the letter that the judge names."""
    words = ["A", "B", "tie"] * 6 + ["a", "Report A", "", None, ["A"], 1]
    raws, games = [], []
    operation = depth_released.COMPARE_AS_RELEASED
    inputs = TwoReports(language="en", report_a="a", report_b="b", query="q")
    for own_letter in ("A", "B"):
        answer: Any = {
            "winner": chance.choice(words),
            "justification": analysis(chance),
            "scores": {},
        }
        if chance.random() < 0.03:
            del answer["winner"]
        raw, answer = _plainly(answer, chance)
        raws.append(raw)
        word = answer.get("winner") if isinstance(answer, dict) else STOPS
        games.append(STOPS if word == STOPS else word == own_letter if word in ("A", "B") else None)
    outcome = depth_released.released_score(
        *(read_reply(operation, inputs, raw).value.root for raw in raws)
    )
    ours = [outcome.value, *outcome.tally] if isinstance(outcome, Score) else STOPS
    if STOPS in games:
        return Comparison(raws, ours, STOPS)
    wins, decisive = games.count(True), games.count(True) + games.count(False)
    return Comparison(raws, ours, [wins / decisive * 100 if decisive else 0, wins, decisive])


# ------------------------------------------------------------------ citation accuracy


def citation_tree(chance: Random) -> Comparison:
    """E1 and E2 count once a source, E3 once for each claim that a source does not support."""
    claims = [f"{number}. {analysis(chance)}" for number in range(6)]
    drawn = {
        f"https://{number}.example/": (
            chance.choice(["reachable"] * 4 + ["E1", "E2", "open"]),
            {claim: chance.choice(["supported"] * 3 + ["unsupported", "unknown", "open"])
             for claim in chance.sample(claims, chance.randint(1, 5))},
        )
        for number in range(chance.randint(0, 6))
    }  # fmt: skip
    tree = Tree(
        tuple(
            SourceNode(url, state, tuple(
                ClaimNode(claim, verdict if state == "reachable" else "not_asked", cause="timeout")
                for claim, verdict in verdicts.items()
            ), cause="timeout")
            for url, (state, verdicts) in drawn.items()
        )
    )  # fmt: skip
    outcome = citation_accuracy.tree.score_of(tree, {})
    counts = outcome.details["errors"]
    ours = [counts["E1"], counts["E2"], counts["E3"], counts["errors"],
            outcome.value if isinstance(outcome, Score) else None]  # fmt: skip
    return Comparison(drawn, ours, _errors(drawn))


def _errors(drawn: dict[str, tuple[str, dict[str, str]]]) -> Any:
    states = [state for state, _ in drawn.values()]
    looked_at = [v for state, said in drawn.values() if state == "reachable" for v in said.values()]
    wrong = looked_at.count("unsupported") + looked_at.count("unknown")
    stopped = sum(len(said) for state, said in drawn.values() if state in ("E1", "E2"))
    supported = looked_at.count("supported")
    decided = supported + wrong + stopped
    pairs = sum(len(said) for _, said in drawn.values())
    value = 100 * supported / decided if decided else None if pairs else 0
    first, second = states.count("E1"), states.count("E2")
    return [first, second, wrong, first + second + wrong, value]
