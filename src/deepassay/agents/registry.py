"""Agents by name: declared in `assay.toml` below `[agent.NAME]`, or given as SPEC."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any, Final

from pydantic import ValidationError

from deepassay.agents.agent import Agent
from deepassay.errors import BadSetting
from deepassay.plugins import is_reference, plugins

SPECS: Final = (
    "files:PATH, command:..., python:module:function, chat:PROVIDER:MODEL, responses:MODEL, "
    "job:FILE.toml or deerflow+"
)


def agents_of(
    named: Iterable[str],
    declared: Mapping[str, Mapping[str, Any]],
    given: Mapping[str, Any] | None = None,
) -> dict[str, Agent]:
    """The agents that `--agent` names, by their names.

    named: `NAME`, of a table of `declared` or of a kind that needs no more, or `NAME=SPEC`; a bare
    SPEC is named after itself. given: settings that hold for every agent that has them and does
    not say otherwise. Raises BadSetting.
    """
    found: dict[str, Agent] = {}
    for each in named:
        name, table = _declaration(each, declared)
        if name in found:
            raise BadSetting(f"There are two agents {name!r}.", "Give each a name: NAME=SPEC.")
        found[name] = _agent(name, table, given or {})
    if not found:
        raise BadSetting("No agent is named.", f"Give --agent NAME or --agent NAME=SPEC: {SPECS}.")
    return found


def _declaration(
    named: str, declared: Mapping[str, Mapping[str, Any]]
) -> tuple[str, Mapping[str, Any]]:
    """The name of an agent, and its settings as a table."""
    if named in declared:
        return named, declared[named]
    name, equals, spec = named.partition("=")
    if not equals or "(" in name:
        name, spec = named, named
    name, spec = name.strip(), spec.strip()
    kind, options = _called(spec)
    kind, _, rest = kind.partition(":")
    if kind not in plugins("agents") and not is_reference(spec):
        near = get_close_matches(named, [*declared, *plugins("agents")], 1)
        known = f"Declared are: {', '.join(declared)}. " if declared else ""
        raise BadSetting(
            f"There is no agent {named!r}.",
            (f"Did you mean {near[0]}? " if near else "")
            + f"{known}Give NAME=SPEC, or a table [agent.{name}] in assay.toml; SPEC is {SPECS}.",
        )
    if is_reference(spec) and kind not in plugins("agents"):
        return name, {"python": spec}
    return name, {kind: rest or True, **options}


def _called(spec: str) -> tuple[str, dict[str, Any]]:
    """`kind:rest(name=value, ...)` in its parts; values are those of Python."""
    head, bracket, inside = spec.partition("(")
    if not bracket or not spec.endswith(")") or ":" in head.partition("command:")[1]:
        return spec, {}
    try:
        call = ast.parse(f"f({inside}", mode="eval").body
        assert isinstance(call, ast.Call) and not call.args
        return head, {str(each.arg): ast.literal_eval(each.value) for each in call.keywords}
    except (SyntaxError, ValueError, AssertionError):
        raise BadSetting(
            f"{spec!r} cannot be read.", "Write options as in deerflow+(check=False)."
        ) from None


def _agent(name: str, table: Mapping[str, Any], given: Mapping[str, Any]) -> Agent:
    kinds = plugins("agents")
    named = [each for each in table if each in kinds]
    if len(named) != 1:
        raise BadSetting(
            f"[agent.{name}] says {'nothing of' if not named else 'more than once'} who answers.",
            f"Give one of {', '.join(kinds)}.",
        )
    kind = _kind(named[0])
    settings = {each: value for each, value in given.items() if each in kind.model_fields}
    try:
        return kind.model_validate({**settings, **table})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or named[0]
        raise BadSetting(
            f"[agent.{name}] {place}: {first['msg'].removeprefix('Value error, ')}.",
            f"It takes {', '.join(_settings(kind))}.",
        ) from None


def _settings(kind: type[Agent]) -> list[str]:
    return [field.alias or name for name, field in kind.model_fields.items()]


def _kind(name: str) -> type[Agent]:
    plugin = plugins("agents")[name][0]
    found = plugin.load()
    if not isinstance(found, type) or not issubclass(found, Agent):
        raise BadSetting(
            f"Package {plugin.package} registers {plugin.reference} as the agent {name!r}, and "
            "that is no kind of agent.",
            "Register a subclass of deepassay.agents.Agent.",
        )
    return found
