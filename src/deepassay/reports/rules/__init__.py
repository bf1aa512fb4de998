"""The mechanical rules, in the order of their codes.

DA1xx citations in the text, DA2xx reference lists and numbering, DA3xx tables, headings and
other format, DA4xx placeholders and links. A code never changes its meaning; a rule that is
given up leaves its code unused.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from deepassay.plugins import by_key, every
from deepassay.reports.finding import Rule
from deepassay.reports.rules import (
    appearance_order,
    bold_title,
    citation_inside_word,
    citation_without_entry,
    duplicate_number,
    duplicate_source,
    empty_cell,
    empty_reference_list,
    entry_without_url,
    figure_without_image,
    header_only_table,
    heading_without_space,
    incomplete_url,
    link_without_entry,
    mixed_citation_styles,
    no_reference_list,
    placeholder_cell,
    placeholder_entry,
    placeholder_text,
    plain_text_title,
    ragged_table,
    redirect_link,
    reference_order,
    repeated_citation,
    reused_number,
    several_reference_lists,
    several_titles,
    skipped_heading_level,
    skipped_number,
    uncited_entry,
    unrendered_table,
)

RULES: tuple[Rule, ...] = (
    citation_without_entry.RULE,
    link_without_entry.RULE,
    citation_inside_word.RULE,
    mixed_citation_styles.RULE,
    repeated_citation.RULE,
    no_reference_list.RULE,
    several_reference_lists.RULE,
    empty_reference_list.RULE,
    reference_order.RULE,
    uncited_entry.RULE,
    placeholder_entry.RULE,
    skipped_number.RULE,
    duplicate_number.RULE,
    duplicate_source.RULE,
    reused_number.RULE,
    appearance_order.RULE,
    entry_without_url.RULE,
    incomplete_url.RULE,
    header_only_table.RULE,
    ragged_table.RULE,
    empty_cell.RULE,
    placeholder_cell.RULE,
    unrendered_table.RULE,
    plain_text_title.RULE,
    bold_title.RULE,
    skipped_heading_level.RULE,
    several_titles.RULE,
    heading_without_space.RULE,
    figure_without_image.RULE,
    placeholder_text.RULE,
    redirect_link.RULE,
)
"""Our own, in the order of their codes."""


@cache
def rules() -> tuple[Rule, ...]:
    """All rules that are installed, ours first. What protocols score by is chosen with `named`.

    Raises BadSetting where two packages have a rule of one code.
    """
    return tuple(by_key(every("rules", Rule), lambda rule: (rule.code,)).values())


def named(codes: Iterable[str]) -> tuple[Rule, ...]:
    """Our own rules of these codes, each once, in order. Raises KeyError for a code of none."""
    known = {rule.code: rule for rule in RULES}
    return tuple(known[code] for code in sorted(set(codes)))


def versions(chosen: Sequence[Rule]) -> dict[str, int]:
    """The version of each rule under its code, as it stands in a recipe."""
    return {rule.code: rule.version for rule in chosen}
