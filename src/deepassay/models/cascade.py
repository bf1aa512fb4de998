"""A cheap judge first: what it is sure of stands, the rest goes on to the next one.

    deepassay evaluate ... --protocol fact --judge LARGE --verifier cascade:cascade.json

The file says which models are asked first, from which grade on their verdicts stand, and which risk
that has; `deepassay agree cascade` learns it. It goes into the recipe, with the identity of all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from deepassay.errors import BadSetting
from deepassay.models.ask import Answer, Answers, Asker, kept_answer, key_of
from deepassay.models.operation import In, Operation, Out, Pairs
from deepassay.models.verifier import VerifyingAsker
from deepassay.runfile import StoredAnswer
from deepassay.score import Json, Unscored, canonical_json

PREFIX: Final = "cascade:"
_FURTHER: Final = " > "
"""Stands between judges, and between how many claims came to them."""
AGAIN: Final = "Learn it anew: deepassay agree cascade PAIRS --first MODEL --judge JUDGE -o FILE."


class CascadeStage(BaseModel):
    """One cheap judge. identity: as it was asked. low, high: see `stats.cascading.SettledVerdicts`.

    risk: of all verdicts, the share that may stand here and be wrong, and saves: that stood here,
    both as learnt on so many pairs.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str
    identity: Mapping[str, Json]
    low: float | None
    high: float | None
    risk: float
    saves: float
    pairs: int

    def stands(self, grade: float) -> bool:
        """Whether a verdict with this grade needs no other judge."""
        sure = self.high is not None and grade >= self.high
        return sure or (self.low is not None and grade <= self.low)


class CascadeRule(BaseModel):
    """Judges in the order in which they are asked, before the one that decides the rest.

    learnt: on what, `labels` of people or `judge`, that one's own answers; judge: its identity.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    cascade: Literal[1] = 1
    learnt: Literal["labels", "judge"]
    judge: Mapping[str, Json] | None
    stages: tuple[CascadeStage, ...]

    @property
    def risk(self) -> float:
        """Of all verdicts, the share that may be other than the last judge's, or people's."""
        return sum(each.risk for each in self.stages)

    @classmethod
    def named(cls, verifier: str) -> CascadeRule:
        """That of `cascade:FILE`. Raises BadSetting."""
        return cls.of_file(Path(verifier.removeprefix(PREFIX)))

    @classmethod
    def of_file(cls, path: Path) -> CascadeRule:
        """What `agree cascade` wrote. Raises BadSetting."""
        try:
            return cls.model_validate_json(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise BadSetting(f"{path} cannot be read: {error}.", AGAIN) from None
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"])) or "all of it"
            raise BadSetting(f"{path} is no cascade: {where}: {first['msg']}.", AGAIN) from None


@dataclass(frozen=True)
class Cascade:
    """A rule with who is asked at each of its stages."""

    rule: CascadeRule
    askers: Sequence[Asker]
    run: Answers

    def before(self, judge: Asker) -> CascadingAsker:
        """The asker that asks these first. Raises BadSetting where the rule is of others."""
        for stage, asker in zip(self.rule.stages, self.askers, strict=True):
            if canonical_json(dict(stage.identity)) != canonical_json(dict(asker.identity)):
                raise BadSetting(
                    f"The cascade was learnt with another {stage.model} than the one that is "
                    "there: its files or settings have moved.",
                    AGAIN,
                )
        learnt = self.rule.judge
        if learnt is not None and canonical_json(dict(learnt)) != canonical_json(
            dict(judge.identity)
        ):
            raise BadSetting(
                f"The cascade was learnt on answers of {learnt.get('model')} as it was asked then, "
                f"and the judge is {judge.identity.get('model')}.",
                AGAIN,
            )
        return CascadingAsker(self, judge)


class CascadingAsker:
    """Asks the stages of a cascade, then the judge about what none of them is sure of."""

    def __init__(self, cascade: Cascade, judge: Asker) -> None:
        self._cascade = cascade
        self._judge = judge
        self._identity: dict[str, Json] = {
            "model": _FURTHER.join(
                [*(each.model for each in cascade.rule.stages), str(judge.identity["model"])]
            ),
            "risk": cascade.rule.risk,
            "learnt": cascade.rule.learnt,
            "stages": [each.model_dump(mode="json") for each in cascade.rule.stages],
            "judge": dict(judge.identity),
        }

    @property
    def identity(self) -> Mapping[str, Json]:
        """All judges with their settings, from which grade on they decide, and the risk."""
        return self._identity

    async def __call__(
        self, operation: Operation[In, Out], inputs: In, *, repeat: int = 0, most: int | None = None
    ) -> Answer[Out] | Unscored:
        """Ask; what is put together is kept like any answer. The judge's failure is one of all."""
        pairs = operation.pairs
        if pairs is None:
            raise BadSetting(
                f"A cascade cannot answer {operation.name}.",
                "Give --verifier to protocols that ask whether a page supports a statement.",
            )
        key = key_of(operation, inputs, self._identity, repeat)
        stored = await self._cascade.run.look_up(key)
        if stored is not None:
            return kept_answer(operation, inputs, stored)
        entries: dict[int, Any] = {}
        came: list[int] = []  # claims, to each of the judges
        for stage, asker in zip(self._cascade.rule.stages, self._cascade.askers, strict=True):
            left = _left(inputs, pairs, entries)
            came.append(len(left))
            for place, (grade, entry) in zip(
                left, await graded(asker, operation, pairs.some(inputs, left)), strict=False
            ):
                if stage.stands(grade):
                    entries[place] = entry
        if left := _left(inputs, pairs, entries):
            said = await self._judge(operation, pairs.some(inputs, left), repeat=repeat, most=most)
            if isinstance(said, Unscored):
                return said
            entries |= zip(left, pairs.entries(said.value), strict=True)
        came.append(len(left))
        value = pairs.together([entries[place] for place in sorted(entries)])
        model = str(self._identity["model"])
        kept = StoredAnswer(
            key=key,
            operation=operation.name,
            model=model,
            repeat=repeat,
            prompt_digest=operation.render(inputs, self._cascade.run.salt).digest,
            raw=operation.written(value),
            cause=None,
            detail=_FURTHER.join(map(str, came)),
            attempts=0,
        )
        await self._cascade.run.keep_answer(kept, [])
        return Answer(value, key, model)


def how_far(identity: Mapping[str, Json], answers: Iterable[StoredAnswer]) -> str:
    """How many claims came to each judge of a cascade, as a sentence; empty where nobody asked.

    identity: of a verifier. answers: all that it gave.
    """
    names = [str(each["model"]) for each in (*identity["stages"], identity["judge"])]
    came = [0] * len(names)
    for each in answers:
        counts = each.detail.split(_FURTHER)
        if len(counts) == len(names) and all(map(str.isdecimal, counts)):
            came = [sum(both) for both in zip(came, map(int, counts), strict=True)]
    if not came[0]:
        return ""
    told = ", ".join(f"{count} to {name}" for name, count in zip(names, came, strict=True))
    saved = came[0] - came[-1]
    return f"Cascade: statements came {told}, which {saved} ({saved / came[0]:.1%}) did not reach."


def _left(inputs: In, pairs: Pairs[In, Out], entries: Mapping[int, object]) -> list[int]:
    """The claims that nobody is sure of yet."""
    return [place for place in range(len(pairs.of(inputs)[1])) if place not in entries]


async def graded(
    asker: Asker, operation: Operation[In, Out], inputs: In
) -> list[tuple[float, Any]]:
    """How sure a judge is that each claim is supported, 0 to 1, with its entry in the answer.

    Of a classifier the probability, of a model 1, .5 or 0 by its verdict. Empty where it failed.
    """
    if (pairs := operation.pairs) is None:
        return []
    if isinstance(asker, VerifyingAsker):
        found = await asker.verdicts(operation, inputs)
        entries = pairs.entries(pairs.answer(inputs, found))
        return [(each.grade, entry) for each, entry in zip(found, entries, strict=True)]
    said = await asker(operation, inputs)
    if isinstance(said, Unscored):
        return []
    return [(pairs.grade(entry), entry) for entry in pairs.entries(said.value)]
