"""People's scores of reports beside those of protocols, and a word about all that are left out."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from deepassay.errors import BadInput
from deepassay.results.joined import SHOWN
from deepassay.results.records import Judged
from deepassay.score import Unscored, named, report_key
from deepassay.wings.papers.material import PaperMaterial
from deepassay.wings.people.agreement.consistency import ScoresByTask
from deepassay.wings.people.agreement.decisions import Decision, Decisions, excused, is_on
from deepassay.wings.people.agreement.matching import PANEL, match


def scores_of_people(
    material: PaperMaterial, judged: Mapping[str, Sequence[Judged]]
) -> tuple[dict[str, dict[str, ScoresByTask]], tuple[str, ...]]:
    """The scores of people and of each judge, and what became of people's, in sentences.

    judged: the judgements of each row or column, by its name. Scores are by that name, then by
    judge. Raises BadInput without scores of people.
    """
    if not material.decisions.usable:
        raise BadInput(
            "This table holds scores against people.",
            "Name the file of their scores with --human: agent, task, rater, score.",
        )
    found: dict[str, dict[str, ScoresByTask]] = {}
    told: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for name, records in judged.items():
        protocols = {each.protocol for each in records}
        given = [
            each
            for each in material.decisions.usable
            if each.score is not None and not each.item and any(is_on(each, p) for p in protocols)
        ]
        matched = match(given, records)
        own = found[name] = {}
        for each in matched:
            for (judge, part), scores in each.scores.items():
                if not part:
                    own.setdefault(judge, scores)
        if records:
            used = frozenset().union(*(each.used for each in matched))
            decisions = material.decisions.only(given)
            told[tuple(_told(decisions, used, records))].append(name)
    whose = (f"{', '.join(names)}: " if len(told) > 1 else "" for names in told.values())
    notes = (f"{who}{line}" for who, lines in zip(whose, told, strict=True) for line in lines)
    return found, tuple(notes)


def _told(
    decisions: Decisions, used: Collection[Decision], records: Sequence[Judged]
) -> Iterator[str]:
    """How many came in and were used, and what was not, by report."""
    yield str(decisions.joined(used, used, records))
    unfit = [*decisions.problems, *(each.told for each in decisions.otherwise)]
    yield from (f"left out: {each}" for each in unfit[:SHOWN])
    if more := unfit[SHOWN:]:
        yield f"left out: {len(more)} more rows that cannot be used"
    if decisions.again:
        yield f"left out: labels: {len(decisions.again)}; they repeat others"
    rule = excused(records)
    left = [each for each in decisions.usable if each not in used]
    by_rule = Counter(filter(None, map(rule, left)))
    yield from (f"left out: labels: {count}; {why}" for why, count in by_rule.items())
    causes = {report_key(e): e.outcome.cause for e in records if isinstance(e.outcome, Unscored)}
    lost = Counter(report_key(each) for each in left if not rule(each))
    for key, count in [*lost.items()][:SHOWN]:
        why = f"no score ({causes[key]})" if key in causes else "no such report was judged"
        yield f"left out: {named(key)}, labels: {count}; {why}"
    if len(lost) > SHOWN:
        yield f"left out: labels on {len(lost) - SHOWN} more reports"


def panel_or_first(scores: Mapping[str, ScoresByTask]) -> ScoresByTask | None:
    """Of the scores by judge those of the panel, or of the first; None without any."""
    return scores.get(PANEL) or next(iter(scores.values()), None)
