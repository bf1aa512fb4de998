"""From what judges on trial said of reports before, again, and changed, to an audit of each."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import inf
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from deepassay.results.evidence import TOGETHER, JudgeOutcome, panel_then_judges
from deepassay.results.known import deciding
from deepassay.results.records import Judged, without_references
from deepassay.score import WHOLE, Direction, Json
from deepassay.stats.ranks import Floats
from deepassay.wings.trials.auditing.arithmetic import (
    PairedMetrics,
    bias_of,
    first_place,
    judged_together,
    judgement_noise,
    measured_row,
    own_family,
    slope,
)
from deepassay.wings.trials.auditing.audit_file import (
    MARGIN,
    MUST_MOVE,
    AuditRow,
    Bias,
    BiasKind,
    JudgeAudit,
    Located,
    base_of,
)
from deepassay.wings.trials.auditing.design import AuditDesign, Copy, Place
from deepassay.wings.trials.auditing.sentences import sentence_of


class JudgeVerdicts:
    """All that one judge, or a panel together, said under one protocol."""

    def __init__(
        self, design: AuditDesign, said: Mapping[Place, Mapping[int, JudgeOutcome]]
    ) -> None:
        self._design = design
        self._said = said
        self._means: dict[tuple[Place, str, bool], float | None] = {}

    def value(self, place: Place, metric: str = WHOLE, *, again: bool = False) -> float | None:
        """The mean over the judgements of a report that have the metric; None where none has.

        again: of the second half of the judgements of an original.
        """
        key = place, metric, again
        if key not in self._means:
            self._means[key] = self._mean(*key)
        return self._means[key]

    def _mean(self, place: Place, metric: str, again: bool) -> float | None:
        k = self._design.repeat
        which = range(k, 2 * k) if again else range(k)
        own = self._said.get(place, {})
        found = [
            own[at].value if metric == WHOLE else own[at].parts.get(metric)
            for at in which
            if at in own
        ]
        numbers = [each for each in found if each is not None]
        return fmean(numbers) if numbers else None

    def said(self, place: Place, *, again: bool = False) -> JudgeOutcome | None:
        """The first judgement of a report, or the first of the second half."""
        return self._said.get(place, {}).get(self._design.repeat if again else 0)

    def twins(self, metric: str = WHOLE) -> PairedMetrics:
        """Originals, and the same once more."""
        return _pairs(
            (self.value(each, metric), self.value(each, metric, again=True), each[1])
            for each in self._design.originals
        )

    def pairs(self, copies: Iterable[Copy], metric: str) -> PairedMetrics:
        """A metric of each original and of its changed copy, by task."""
        return _pairs(
            (self.value(each.of, metric), self.value(each.place, metric), each.of[1])
            for each in copies
        )


def _pairs(found: Iterable[tuple[float | None, float | None, str]]) -> PairedMetrics:
    whole = [(one, two, task) for one, two, task in found if one is not None and two is not None]
    before, after = (np.array([each[at] for each in whole], dtype=float) for at in (0, 1))
    return PairedMetrics(before, after, [task for *_, task in whole])


def audited(
    records: Iterable[Judged], design: AuditDesign, identities: Mapping[str, Mapping[str, Json]]
) -> Iterator[JudgeAudit]:
    """Every judge under every protocol of the design.

    identities: of the scores of each protocol, as the run file has them.
    """
    said: defaultdict[str, defaultdict[str, defaultdict[Place, dict[int, JudgeOutcome]]]]
    said = defaultdict(lambda: defaultdict(lambda: defaultdict(dict)))
    spans: dict[str, tuple[float, float] | None] = {}
    for record in without_references(records):
        spans[record.protocol] = record.metric.bounds if record.metric else None
        for name, each in panel_then_judges(record):
            place = (record.agent, record.task, record.sample)
            said[record.protocol][name][place][record.repeat] = each
    for protocol in design.effects:
        heard = {name: JudgeVerdicts(design, each) for name, each in said[protocol].items()}
        swapped = said[design.swapped[protocol]] if protocol in design.swapped else {}
        for name, verdicts in heard.items():
            judges = identities[protocol].get("judges", [])
            own = [each for each in judges if name in (TOGETHER, str(each["model"]))]
            measures = AuditMeasures(
                protocol,
                " + ".join(str(each["model"]) for each in own),
                design,
                verdicts,
                JudgeVerdicts(design, swapped[name]) if name in swapped else None,
                {judge: each for judge, each in heard.items() if judge not in (TOGETHER, name)},
                spans[protocol],
            )
            identity = deciding({**identities[protocol], "judges": own})
            yield measures.ended(identity)


@dataclass(frozen=True)
class AuditMeasures:
    """One judge under one protocol. swapped: the same in the other order. others: of its panel."""

    protocol: str
    judge: str
    design: AuditDesign
    verdicts: JudgeVerdicts
    swapped: JudgeVerdicts | None
    others: Mapping[str, JudgeVerdicts]
    span: tuple[float, float] | None

    def ended(self, identity: Mapping[str, Json]) -> JudgeAudit:
        """Everything that the audit shows of the judge."""
        rows, biases = judged_together(list(self._rows()), list(self._biases()))
        twins = self.verdicts.twins()
        originals = self.design.originals
        lost = [self.verdicts.said(at) for at in self._places if self.verdicts.value(at) is None]
        whole = JudgeAudit(
            protocol=self.protocol,
            judge=self.judge,
            identity=identity,
            span=self.span,
            reports=len(originals),
            tasks=len({task for _, task, _ in originals}),
            unscored=len(lost),
            causes=dict(Counter(str(each.cause) for each in lost if each and each.cause)),
            why=next((each.detail for each in lost if each and each.detail), ""),
            lacking=tuple(self._lacking()),
            rows=tuple(rows),
            noise=judgement_noise(twins.before, twins.after, self.design.repeat),
            biases=tuple(biases),
            sentence="",
        )
        return whole.model_copy(update={"sentence": sentence_of(whole)})

    def _lacking(self) -> Iterator[str]:
        said = [each for at in self._places if (each := self.verdicts.said(at)) and not each.cause]
        for metric in self.design.effects[self.protocol]:
            if said and metric != WHOLE and not any(metric in each.parts for each in said):
                yield metric

    @cached_property
    def _places(self) -> list[Place]:
        copies = chain.from_iterable(self._copies.values())
        return [*self.design.originals, *(each.place for each in copies)]

    @cached_property
    def _copies(self) -> Mapping[str, Sequence[Copy]]:
        """Those on which there is something to expect, by perturbation."""
        expected = {*chain.from_iterable(self.design.effects[self.protocol].values())}
        found: defaultdict[str, list[Copy]] = defaultdict(list)
        for each in self.design.copies:
            if base_of(each.perturbation) in expected:
                found[each.perturbation].append(each)
        return found

    def _rows(self) -> Iterator[AuditRow]:
        for metric, effects in self.design.effects[self.protocol].items():
            for name, found in self.design.perturbations.items():
                expects = effects.get(base_of(name))
                if expects is None:
                    continue
                copies = [each for each in self._copies.get(name, ()) if self.counts(each, expects)]
                free = [each for each in copies if self._has_room(each.of, metric, expects)]
                pairs = self.verdicts.pairs(free, metric)
                row = AuditRow(
                    metric=metric,
                    perturbation=name,
                    found=found,
                    expects=expects,
                    reports=len(self.design.originals),
                    applied=len(copies),
                    judged=len(pairs.before),
                    no_room=len(self.verdicts.pairs(copies, metric).before) - len(pairs.before),
                    located=self._located(copies) if metric == WHOLE else None,
                )
                twins = self._twins(metric, expects)
                yield measured_row(row, pairs, twins, self._margin(pairs.before))

    def counts(self, copy: Copy, expects: Direction) -> bool:
        """Whether what is expected of the change holds for this very copy."""
        if self.protocol in self.design.cleaning and copy.left:
            return False
        return copy.on_sources or not (
            expects in MUST_MOVE and self.protocol in self.design.reading
        )

    def _has_room(self, place: Place, metric: str, expects: Direction) -> bool:
        """Whether a score can move as it must: one of nothing does not fall.

        Its second judgement tells: the first is what the copy is held against, and what is chosen
        for being high by chance falls by chance.
        """
        value = self.verdicts.value(place, metric, again=True)
        return value is None or bool(self._room(np.array([value]), expects)[0])

    def _twins(self, metric: str, expects: Direction) -> PairedMetrics:
        """Without those at the end of the scale both times: they make noise look small."""
        twins = self.verdicts.twins(metric)
        room = self._room(twins.before, expects) | self._room(twins.after, expects)
        tasks = [task for task, kept in zip(twins.tasks, room, strict=True) if kept]
        return PairedMetrics(twins.before[room], twins.after[room], tasks)

    def _room(self, values: Floats, expects: Direction) -> NDArray[np.bool_]:
        low, high = self.span or (-inf, inf)
        ends = {Direction.LOWER: low, Direction.HIGHER: high}
        return np.not_equal(values, ends.get(expects, inf))

    def _margin(self, values: Floats) -> float:
        """A part that is a count has no span: then a share of what it is on average."""
        low, high = self.span or (0.0, 0.0)
        inside = len(values) and self.span is not None and float(values.max()) <= high
        width = high - low if inside else float(abs(values).mean()) if len(values) else 0.0
        return MARGIN * width

    def _located(self, copies: Sequence[Copy]) -> Located | None:
        """To how many small changes a fault points that was not there before."""
        found = before = again = of = 0
        shows_places = False
        for each in copies:
            now, then = self.verdicts.said(each.place), self.verdicts.said(each.of)
            if each.after is None or each.before is None or now is None or then is None:
                continue
            of += 1
            shows_places |= now.evidence.lists_issues or any(
                item.places or item.url for item in now.evidence.items
            )
            was = each.before.is_touched(then)
            before += was
            found += each.after.is_touched(now) and not was
            twin = self.verdicts.said(each.of, again=True)
            again += twin is not None and each.before.is_touched(twin) and not was
        if not (of and shows_places):
            return None
        return Located(found=found, of=of, before=before, again=again)

    # -------------------------------------------------------------- what must not matter

    def _biases(self) -> Iterator[Bias]:
        found = (*self._lengths(), *self._place(), self._author(), self._family())
        return (each for each in found if each is not None)

    def _bias(
        self,
        kind: BiasKind,
        values: Floats,
        tasks: Sequence[str],
        expects: Direction = Direction.SAME,
        metric: str = WHOLE,
    ) -> Bias | None:
        margin = self._margin(self.verdicts.twins(metric).before)
        return bias_of(kind, values, tasks, margin, expects, metric)

    def _lengths(self) -> Iterator[Bias | None]:
        """Of each metric the slope within each report, from its own length and all paddings.

        The length is that of the text that the judge was sent.
        """
        cleans = self.protocol in self.design.cleaning
        for metric, effects in self.design.effects[self.protocol].items():
            expects = effects.get("pad")
            if expects is None or expects in MUST_MOVE:
                continue
            points: defaultdict[Place, list[tuple[float, float]]] = defaultdict(list)
            for each in self.design.copies:
                score = self.verdicts.value(each.place, metric)
                if base_of(each.perturbation) == "pad" and score is not None:
                    doublings = each.doublings_cleaned if cleans else each.doublings
                    points[each.of].append((doublings, score))
            slopes, tasks = [], []
            for place, own in points.items():
                before = self.verdicts.value(place, metric)
                found = None if before is None else slope(*zip((0.0, before), *own, strict=True))
                if found is not None:
                    slopes.append(found)
                    tasks.append(place[1])
            yield self._bias("length", np.asarray(slopes), tasks, expects, metric)

    def _place(self) -> Iterator[Bias | None]:
        if self.swapped is not None:
            pairs = _pairs(
                (self.swapped.value(each), self.verdicts.value(each), each[1])
                for each in self.design.originals
            )
            yield self._bias("place", pairs.change, pairs.tasks)
            even = fmean(self.span) if self.span else 0.5
            yield first_place(
                [
                    (_won(one, even), _won(two, even))
                    for one, two in zip(pairs.after, pairs.before, strict=True)
                ]
            )
            return
        said = [self.verdicts.said(each) for each in self.design.originals]
        games = [each.evidence.games for each in said if each and each.evidence.games]
        if games:
            yield first_place([(_is_own(each[0]), _is_own(each[1])) for each in games])

    def _author(self) -> Bias | None:
        """What its own model's name is worth below the title, against other names."""
        own = self.design.signed.get(self.judge)
        others = [
            name for name in self.design.perturbations if base_of(name) == "signed" and name != own
        ]
        if own is None or not others:
            return None
        values, tasks = [], []
        for each in self.design.copies:
            if each.perturbation != own:
                continue
            agent, task, sample = each.of
            mine = self.verdicts.value(each.place)
            theirs = [self.verdicts.value((f"{agent}+{name}", task, sample)) for name in others]
            known = [value for value in theirs if value is not None]
            if mine is not None and known:
                values.append(mine - fmean(known))
                tasks.append(task)
        return self._bias("author", np.asarray(values), tasks)

    def _family(self) -> Bias | None:
        """Beside the judges of other families."""
        own = self.design.own.get(self.judge)
        others = [
            verdicts for name, verdicts in self.others.items() if self.design.own.get(name) != own
        ]
        if own is None or not others:
            return None
        ours: dict[tuple[str, str], float] = {}
        theirs: dict[tuple[str, str], float] = {}
        for agent, task, sample in self.design.originals:
            place = agent, task, sample
            mine = self.verdicts.value(place)
            said = [each.value(place) for each in others]
            known = [each for each in said if each is not None]
            if mine is not None and known:
                ours[agent, task], theirs[agent, task] = mine, fmean(known)
        family = frozenset(name for name, each in self.design.families.items() if each == own)
        return own_family(ours, theirs, family, self._margin(self.verdicts.twins().before))


def _won(score: float, even: float) -> bool | None:
    return None if score == even else score > even


def _is_own(winner: str) -> bool | None:
    return None if winner == "tie" else winner == "own"
