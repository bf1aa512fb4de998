"""Statements of the same fact under one address, found by a model, on request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from deepassay.models.ask import Asker
from deepassay.models.operation import Inputs, OffMenu, Operation, Reply
from deepassay.models.prompt import Language
from deepassay.protocols.fact.pairs import Pair, by_url, merged_by_rule, represented
from deepassay.protocols.protocol import PROMPTS
from deepassay.score import Unscored

MOST_STATEMENTS: Final = 100
"""Statements under one address that a model compares in one call; more are split."""


class Statements(Inputs):
    """What a report says with one source."""

    statements: tuple[str, ...]


class SameFacts(Reply):
    """Numbers of statements that state one fact, a list for each fact that is stated twice."""

    same: list[list[int]]


def _by_rule(inputs: Statements) -> SameFacts:
    pairs = [Pair(each, "", (number,)) for number, each in enumerate(inputs.statements, start=1)]
    merged = merged_by_rule(pairs)
    return SameFacts(same=[list(each.places) for each in merged if len(each.places) > 1])


def _no_number_twice(inputs: Statements, answer: SameFacts) -> None:
    numbers = [number for group in answer.same for number in group]
    unknown = [number for number in numbers if not 1 <= number <= len(inputs.statements)]
    if unknown or len(set(numbers)) < len(numbers):
        raise OffMenu(
            f"every statement is in one list at most, by its number, 1 to {len(inputs.statements)}"
        )


MERGE: Final = Operation(
    "fact/merge",
    prompts=PROMPTS,
    takes=Statements,
    gives=SameFacts,
    offline=_by_rule,
    check=_no_number_twice,
    version=2,
)


async def merged_by_model(
    pairs: Sequence[Pair], ask: Asker, *, language: Language, repeat: int
) -> tuple[Pair, ...] | Unscored:
    """Pairs without repeated facts; a single statement under an address needs no question."""
    kept: list[Pair] = []
    for group in by_url(pairs).values():
        for start in range(0, len(group), MOST_STATEMENTS):
            batch = group[start : start + MOST_STATEMENTS]
            found = await _merged(batch, ask, language, repeat) if len(batch) > 1 else batch
            if isinstance(found, Unscored):
                return found
            kept += found
    return tuple(kept)


async def _merged(
    batch: Sequence[Pair], ask: Asker, language: Language, repeat: int
) -> Sequence[Pair] | Unscored:
    inputs = Statements(language=language, statements=tuple(pair.statement for pair in batch))
    answer = await ask(MERGE, inputs, repeat=repeat)
    if isinstance(answer, Unscored):
        return answer
    same = [group for group in answer.value.same if group]
    first = {number: group for group in same for number in group}
    facts = [first.get(number, [number]) for number in range(1, len(batch) + 1)]
    return [
        represented([batch[each - 1] for each in fact])
        for number, fact in enumerate(facts, start=1)
        if number == min(fact)
    ]
