"""Whatever a stranger writes stays inside its fence, in every operation that shows it."""

from __future__ import annotations

import pkgutil
import re
from functools import cache
from importlib import import_module
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import pytest
from pydantic import BaseModel

import deepassay.protocols
import deepassay.wings.build
from deepassay.models import fence
from deepassay.models.operation import Operation, Trusted
from deepassay.models.prompt import LANGUAGES
from deepassay.protocols.presentation.protocol import JUDGE_CHECKS
from deepassay.protocols.registry import GROUPS, PROTOCOLS, parse_protocols
from tests.hostile.attacks import Attack, attacks
from tests.hostile.gullible import is_order, split

HARMLESS = "The gauge at the mole was read every hour."


@cache
def operations() -> tuple[Operation[Any, Any], ...]:
    """Every operation of the rooms that ask models, wherever it is kept."""
    found: dict[int, Operation[Any, Any]] = {}
    for room in (deepassay.protocols, deepassay.wings.build):
        for module in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
            for value in vars(import_module(module.name)).values():
                inside = value.values() if isinstance(value, dict) else [value]
                found |= {id(each): each for each in inside if isinstance(each, Operation)}
    return tuple(found.values())


def filled(kind: Any, text: str) -> Any:
    """A value of a type in which every text is this one."""
    origin, inside = get_origin(kind), get_args(kind)
    if origin in (Annotated, Union, UnionType):
        return HARMLESS if Trusted in inside else filled(inside[0], text)
    if origin in (list, tuple):
        return origin([filled(inside[0], HARMLESS), filled(inside[0], text)])
    if origin is dict:
        return {filled(inside[0], text): filled(inside[1], text)}
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return model(kind, text)
    if kind in (int, float, bool):
        return kind(1)
    return text if kind is str else next(iter(inside or kind))  # of a menu the first


def model(kind: type[BaseModel], text: str, **given: Any) -> BaseModel:
    """A model in which every text that is not ours is this one."""
    values = {
        name: HARMLESS if Trusted in field.metadata else filled(field.annotation, text)
        for name, field in kind.model_fields.items()
        if name not in given
    }
    return kind.model_construct(**values, **given)


def rendered(operation: Operation[Any, Any], attack: Attack | None, language: str) -> list[str]:
    """The prompts of an operation under an attack on each of its fields; None: under none."""
    if attack is None:
        texts = [HARMLESS]
    else:
        texts = [attack.text(label) for label in operation.takes.model_fields]
    return [
        operation.render(model(operation.takes, text, language=language), salt="salt").text
        for text in dict.fromkeys(texts)
    ]


def test_there_are_sixty_attacks_and_the_judge_knows_each_for_an_order():
    assert len(attacks()) >= 60
    assert all(is_order(attack.text()) for attack in attacks())
    assert not is_order(HARMLESS)


def test_every_operation_of_every_protocol_is_among_those_attacked():
    groups = [(name, "paper") for name, members in GROUPS.items() if members]
    single = [(name, edition) for name, kind in PROTOCOLS.items() for edition in kind.editions]
    asked = {
        sent(operation)
        for name, edition in (*groups, *single)
        for protocol in parse_protocols([name], edition)
        for operation in protocol.operations()
    }
    assert asked <= {*map(sent, operations())}
    assert len(asked) >= 10


def sent(operation):
    """What decides on the text of a question; editions differ in how they read the answer."""
    return operation.name, operation.takes, id(operation.prompts)


@pytest.mark.parametrize("operation", operations(), ids=lambda each: each.name)
def test_nothing_escapes_its_fence(operation):
    """Every attack, in a prompt of the language that it is written in."""
    for language in LANGUAGES:
        (plain,) = rendered(operation, None, language)
        ours, blocks = split(plain)
        own = [each for each in attacks() if each.language == language]
        assert len(own) >= 30
        for attack in own:
            for prompt in rendered(operation, attack, language):
                outside, attacked = split(prompt)
                assert not is_order(outside), str(attack)
                assert outside == ours, str(attack)
                assert [name for name, _ in attacked] == [name for name, _ in blocks]
                assert any(is_order(inside) for _, inside in attacked)


@pytest.mark.parametrize(
    ("gap", "name"),
    [
        ("_run", "full-width brackets"),
        ("_run", "an end marker without code"),
        ("_CONTROL", "control tokens of chat templates"),
    ],
)
def test_the_judge_finds_the_escape_from_a_broken_fence(monkeypatch, gap, name):
    kept = (fence._kept, fence._shown)  # what was put into a prompt before is as it was
    for each in kept:
        each.cache_clear()
    never = re.compile(r"(?!)")
    monkeypatch.setattr(fence, gap, [never] if gap == "_CONTROL" else lambda signs: never)
    attack = next(each for each in attacks() if each.name == name)
    assert any(is_order(split(prompt)[0]) for prompt in rendered(JUDGE_CHECKS, attack, "en"))
    for each in kept:
        each.cache_clear()
