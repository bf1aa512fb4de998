"""The judge's noise beside the spread between tasks, and what judging again would buy."""

from __future__ import annotations

from statistics import stdev
from typing import Final

from deepassay.results.comparison.comparing import Contest, Contestant
from deepassay.results.tables import Table, in_range, percent
from deepassay.stats.intervals import Interval

REPEATS: Final = (1, 2, 5, 10)
ONCE: Final = (
    "Every answer was judged once, so what the judge adds cannot be told apart from the spread "
    "between tasks. Evaluate with --repeat 3 to see it."
)


def is_repeated(contest: Contest) -> bool:
    """Whether any answer was judged again, or any task answered again."""
    noises = (each.noise for each in contest.contestants)
    return any(noise.judge is not None or noise.answer is not None for noise in noises)


def noise_table(contest: Contest, heading: str) -> Table:
    """A row for each agent; below, the sentences that say what follows from it."""
    limits = contest.limits
    repeated = [each for each in contest.contestants if each.noise.judge is not None]
    head = ("agent", "judgements", "judge", "answers", "tasks", "judge's part, once")
    notes = [
        "Standard deviations: judge, of one answer judged again; answers, of an agent's answers to "
        "one task; tasks, between the means of tasks.",
        "judge's part, once: of the variance of the mean if every answer is judged once; "
        "± with n: half of the 95 % interval of the mean with n judgements an answer.",
    ]
    sentences = [line for each in repeated for line in _sentences(each, limits)]
    return Table(
        f"{heading}: noise of the judge and spread between tasks",
        (*head, *(f"± with {count}" for count in REPEATS)),
        tuple(_row(each, limits) for each in contest.contestants),
        (*notes, *(sentences or [ONCE])),
        frozenset(range(1, len(head) + len(REPEATS))),
    )


def _row(row: Contestant, limits: Interval | None) -> tuple[str, ...]:
    noise = row.noise
    fewest, most = noise.judgements
    return (
        row.agent,
        str(most) if fewest == most else f"{fewest} to {most}",
        in_range(noise.judge, limits),
        in_range(noise.answer, limits),
        in_range(noise.observed, limits),
        percent(noise.share(1)),
        *(in_range(noise.half_width(count), limits) for count in REPEATS),
    )


def _sentences(row: Contestant, limits: Interval | None) -> list[str]:
    lines = []
    if len(row.passes) > 1:
        low, high = (in_range(end(row.passes), limits) for end in (min, max))
        spread = in_range(stdev(row.passes), limits)
        lines.append(
            f"{row.agent}: {len(row.passes)} passes of the judge gave means from {low} to {high} "
            f"(standard deviation {spread})."
        )
    once, twice = row.noise.spread(1), row.noise.spread(2)
    if once and twice:
        lines.append(
            f"{row.agent}: judging every answer twice instead of once would narrow the interval "
            f"by {100 * (1 - twice / once):.0f} %, as much as "
            f"{100 * ((once / twice) ** 2 - 1):.0f} % more tasks would."
        )
    elif once == 0:
        lines.append(f"{row.agent}: all judgements are the same; judging again buys nothing.")
    return lines
