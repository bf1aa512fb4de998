"""How much of what was expected was scored, for who asks for a least share."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from deepassay.errors import BadInput
from deepassay.results.aggregate import verdicts_of
from deepassay.results.records import Judged
from deepassay.run.showing.contents import expected
from deepassay.runfile import RunFile, StoredScore
from deepassay.score import Cause, Signature, from_json


class Covered(NamedTuple):
    """The share of expected judgements that were scored, and for whom it is lowest."""

    share: float
    protocol: str
    agent: str


def min_coverage(run: RunFile) -> Covered:
    """The lowest share of scored judgements over all agents and protocols of a run.

    Outcomes are read only where several judged: of one judge alone, the file says beside the
    outcome whether it is a score. Raises BadInput where none was expected.
    """
    judges = {name: len(identity["judges"]) for name, identity in run.protocols().items()}
    scored: Counter[tuple[str, str]] = Counter()
    whole: Counter[tuple[str, str]] = Counter()
    lacking = Counter((protocol, agent) for protocol, agent, *_ in expected(run))
    for protocol, agent, outcomes, scores, places in run.score_counts():
        lacking[protocol, agent] -= places
        if judges[protocol] == 1:
            whole[protocol, agent] += outcomes
            scored[protocol, agent] += scores
    for protocol, number in judges.items():
        for score in run.scores([protocol]) if number > 1 else ():
            verdicts = _scored_by_panel(score)
            whole[protocol, score.agent] += len(verdicts)
            scored[protocol, score.agent] += sum(verdicts)
    for (protocol, agent), places in (+lacking).items():
        whole[protocol, agent] += places * judges[protocol]
    if not whole:
        raise BadInput("Nothing was judged, so there is no coverage.", "Check the run file.")
    return min(Covered(scored[whose] / count, *whose) for whose, count in whole.items())


def _scored_by_panel(score: StoredScore) -> list[bool]:
    """Of every judge, whether it came to a score."""
    place = (score.protocol, score.agent, score.task, score.sample, score.repeat)
    record = Judged(*place, {}, from_json(score.outcome), Signature(score.identity))
    return [not isinstance(verdict, Cause) for verdict in verdicts_of(record)]
