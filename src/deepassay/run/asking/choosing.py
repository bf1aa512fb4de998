"""Which protocols run where none is named, and why the others do not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from deepassay.protocols.protocol import Pairwise, Protocol
from deepassay.reports.report import Report
from deepassay.run.settings import Settings
from deepassay.run.showing.yardsticks import About


class LeftOut(StrEnum):
    """Why a protocol does not run unless it is named, in words."""

    LACKS = "lacking what they need"
    READS_PAGES = "reading cited pages"
    IN_PAIRS = "comparing pairs, with --baseline AGENT"
    BESIDE = "analyses beside the metrics"


@dataclass(frozen=True)
class ProtocolChoice:
    """What was chosen, and for how many of the tasks each has what it needs; what was not."""

    chosen: Mapping[Protocol, int]
    left: Mapping[Protocol, LeftOut]
    tasks: int

    def lines(self) -> Iterator[str]:
        """The choice for a person: what runs and why, then what does not and why."""
        names = (
            str(each) if count == self.tasks else f"{each} (for {count} of {self.tasks} tasks)"
            for each, count in self.chosen.items()
        )
        yield f"No protocol was named. These have all that they need: {', '.join(names)}."
        if self.left:
            yield "Left out, and run by --protocol NAME all the same:"
        for why in LeftOut:
            own = {
                each.name: f"{each.name} ({each.needs})" if why == LeftOut.LACKS else each.name
                for each, reason in self.left.items()
                if reason == why
            }
            if own:
                yield f"  {why}: {', '.join(own.values())}"


def by_default(
    protocols: Sequence[Protocol],
    whole: About,
    settings: Settings,
    baselines: Mapping[str, frozenset[str]],
) -> ProtocolChoice:
    """The metrics that need no network, and what they need for one of the tasks at least.

    Pairs only with a baseline that was named: to compare every agent with every other costs too
    much for nobody to have asked for it.
    """
    chosen: dict[Protocol, int] = {}
    left: dict[Protocol, LeftOut] = {}
    for protocol in protocols:
        cases = [whole.case(protocol, task, Report("")) for task in whole.tasks]
        having = sum(not protocol.lacks(case) for case in cases)
        named = protocol.name in baselines or settings.of(protocol.name).baseline is not None
        if protocol.reads_pages:
            left[protocol] = LeftOut.READS_PAGES
        elif protocol.beside:
            left[protocol] = LeftOut.BESIDE
        elif isinstance(protocol, Pairwise) and not named:
            left[protocol] = LeftOut.IN_PAIRS
        elif not having:
            left[protocol] = LeftOut.LACKS
        else:
            chosen[protocol] = having
    return ProtocolChoice(chosen, left, len(whole.tasks))
