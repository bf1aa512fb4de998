"""How much of what was expected was scored, where it is least."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from deepassay.errors import BadInput
from deepassay.results.aggregate import verdicts_of
from deepassay.results.records import Judged
from deepassay.run.records import expected
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
    scored: defaultdict[tuple[str, str], list[bool]] = defaultdict(list)
    there = set()
    for place, cause in run.score_places():
        there.add(place)
        protocol, agent, *_ = place
        if judges[protocol] == 1:
            scored[protocol, agent].append(cause is None)
    for protocol, number in judges.items():
        if number > 1:
            for score in run.scores(protocol):
                scored[protocol, score.agent] += _scored_by_panel(score)
    for place in expected(run):
        if place not in there:
            protocol, agent, *_ = place
            scored[protocol, agent] += [False] * judges[protocol]
    if not scored:
        raise BadInput("Nothing was judged, so there is no coverage.", "Check the run file.")
    return min(Covered(sum(each) / len(each), *whose) for whose, each in scored.items())


def _scored_by_panel(score: StoredScore) -> list[bool]:
    """Of every judge, whether it came to a score."""
    place = (score.protocol, score.agent, score.task, score.sample, score.repeat)
    record = Judged(*place, {}, from_json(score.outcome), Signature(score.identity))
    return [not isinstance(verdict, Cause) for verdict in verdicts_of(record)]
