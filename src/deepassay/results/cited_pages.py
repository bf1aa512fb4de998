"""What the cited pages of a report came back as: how many were pages, gone, blocked and so on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from deepassay.glossary import legend
from deepassay.results.evidence import evidence_of
from deepassay.results.records import Judged, by_agent
from deepassay.results.tables import Table, of_label

NOTE: Final = (
    f"Addresses by what came back, over all judgements. {legend('ok', 'doubtful')} "
    "The rest by the class of the page, see docs/sources.md."
)


def classes_of(states: Iterable[str]) -> dict[str, int]:
    """How many addresses came to which class, `ok` first, then by name."""
    counts = Counter(states)
    return {name: counts[name] for name in sorted(counts, key=lambda each: (each != "ok", each))}


def cited_pages_in_words(classes: Mapping[str, int]) -> str:
    """For a summary: `cited pages: 12 ok, 2 gone, 1 paywalled`. Empty where no page is cited."""
    counts = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in classes.items())
    return f"cited pages: {counts}" if counts else ""


def page_tables(
    records: Sequence[Judged], label: tuple[str, str] | None = None
) -> tuple[Table, ...]:
    """A row an agent, a column a class that came up; nothing if no page was counted."""
    counted: dict[str, Counter[str]] = {}
    for agent, judged in by_agent(records).items():
        counted[agent] = Counter()
        for each in judged:
            counted[agent].update(evidence_of(each).page_classes)
    names = classes_of(name for counts in counted.values() for name in counts)
    if not names:
        return ()
    rows = (
        (agent, str(counts.total()), *(str(counts[name]) for name in names))
        for agent, counts in counted.items()
    )
    head = ("agent", "pages", *(name.replace("_", " ") for name in names))
    title = f"{records[0].protocol}{of_label(label)}: cited pages"
    return (Table.listed(title, head, rows, (NOTE,), detail=True),)
