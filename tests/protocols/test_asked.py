"""`make real-judge` asks a real model every question that a protocol has."""

from importlib import import_module
from pkgutil import walk_packages

from benchmarks.real_judge import PARTS, declared, protocols

import deepassay.protocols
from deepassay.models.operation import Operation
from deepassay.protocols.registry import parse_protocols


def test_every_operation_of_the_room_belongs_to_a_protocol_as_a_part_names_it() -> None:
    modules = walk_packages(deepassay.protocols.__path__, "deepassay.protocols.")
    found = [
        value
        for module in modules
        for kept in vars(import_module(module.name)).values()
        for value in (kept.values() if isinstance(kept, dict) else [kept])
        if isinstance(value, Operation)
    ]
    asked = {each.digest("en") for protocol in protocols() for each in protocol.operations()}
    assert len(found) > 40
    assert sorted({each.name for each in found if each.digest("en") not in asked}) == []


def test_no_edition_of_a_protocol_is_left_out() -> None:
    parts = {
        (part.edition, operation.name)
        for part in PARTS
        for each in parse_protocols(part.protocols, part.edition)
        for operation in each.operations()
    }
    assert sorted(declared() - parts) == []
