"""The mechanical rules, in the order of their codes.

DA1xx citations in the text (`in_text`), DA2xx reference lists and numbering (`lists`, `numbers`),
DA3xx tables, headings and other format (`in_tables`, `layout`), DA4xx placeholders and links
(`leftovers`). A code never changes its meaning; a rule that is
given up leaves its code unused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache

from deepassay.errors import BadSetting
from deepassay.plugins import by_key, every
from deepassay.reports.finding import Rule
from deepassay.reports.rules import in_tables, in_text, layout, leftovers, lists, numbers

RULES: tuple[Rule, ...] = tuple(
    sorted(
        (
            *in_text.RULES,
            *lists.RULES,
            *numbers.RULES,
            *in_tables.RULES,
            *layout.RULES,
            *leftovers.RULES,
        ),
        key=lambda rule: rule.code,
    )
)
"""Our own, in the order of their codes."""


@cache
def rules() -> tuple[Rule, ...]:
    """All rules that are installed, ours first. Protocols choose theirs with `rules_of_codes`.

    Raises BadSetting where two packages have a rule of one code.
    """
    return tuple(by_key(every("rules", Rule), lambda rule: (rule.code,)).values())


Options = Mapping[str, Mapping[str, int]]
"""Other thresholds than the default, by the code of the rule and the name of the option."""


def rules_chosen(
    select: str | Iterable[str] = "ALL",
    ignore: str | Iterable[str] = (),
    options: Options | None = None,
) -> tuple[Rule, ...]:
    """The rules that codes and prefixes of codes select, with their options.

    Where both match, the longer prefix decides, and of equal ones `ignore`, as in ruff. A text
    may hold several, with commas between. Raises BadSetting.
    """
    known = rules()
    given = {code.upper(): values for code, values in (options or {}).items()}
    for code in given.keys() - {rule.code for rule in known}:
        raise _no_rule(code, "There are options for", known)
    wanted, left = (_prefixes(each, known) for each in (select, ignore))
    found = tuple(
        _with_options(rule, given.get(rule.code, {}))
        for rule in known
        if _match(rule, wanted) > _match(rule, left)
    )
    if not found:
        raise BadSetting("What is selected and ignored leaves no rule.", "Select one, or ALL.")
    return found


def _prefixes(written: str | Iterable[str], known: Sequence[Rule]) -> list[str]:
    """`ALL` is the prefix that every code has."""
    parts = written if isinstance(written, str) else ",".join(written)
    found = [part.strip().upper() for part in parts.split(",") if part.strip()]
    for prefix in found:
        if prefix != "ALL" and not any(rule.code.startswith(prefix) for rule in known):
            raise _no_rule(prefix, "There is no rule", known)
    return ["" if prefix == "ALL" else prefix for prefix in found]


def _no_rule(code: str, problem: str, known: Sequence[Rule]) -> BadSetting:
    return BadSetting(
        f"{problem} {code!r}{', which is no rule' if 'options' in problem else ''}.",
        f"Codes are {known[0].code} to {known[-1].code}; docs/rules.md lists them.",
    )


def _match(rule: Rule, prefixes: Sequence[str]) -> int:
    return max((len(each) for each in prefixes if rule.code.startswith(each)), default=-1)


def _with_options(rule: Rule, given: Mapping[str, int]) -> Rule:
    values = {name.replace("-", "_"): value for name, value in given.items()}
    for name, value in values.items():
        if name not in rule.options:
            has = ", ".join(rule.options) or "none"
            raise BadSetting(f"{rule.code} has no option {name!r}.", f"It has: {has}.")
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise BadSetting(
                f"{rule.code}: {name} = {value!r} is not possible.",
                "Give a whole number from 0 on.",
            )
    return replace(rule, given=tuple(sorted(values.items()))) if values else rule


def rules_of_codes(codes: Iterable[str]) -> tuple[Rule, ...]:
    """Our own rules of these codes, each once, in order. Raises KeyError for a code of none."""
    known = {rule.code: rule for rule in RULES}
    return tuple(known[code] for code in sorted(set(codes)))


def versions(chosen: Sequence[Rule]) -> dict[str, int]:
    """The version of each rule under its code, as it stands in a recipe."""
    return {rule.code: rule.version for rule in chosen}
