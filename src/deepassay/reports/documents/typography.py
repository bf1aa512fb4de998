"""What sizes and distances mean in a PDF: body text, headings, the space between paragraphs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from deepassay.reports.documents.lines import Line

_LARGER = 1.12  # times the size of the body: a heading
_LEVELS = 6


@dataclass(frozen=True)
class Typography:
    """body: its size in points. sizes: of headings, the largest first. leading: the distance of
    lines as a multiple of their size. right: where full lines end. tagged: tags name headings.
    """

    body: float = 10.0
    sizes: tuple[float, ...] = field(default=())
    leading: float = 1.2
    right: float = 0.0
    tagged: bool = False

    @classmethod
    def of(cls, lines: Sequence[Line]) -> Typography:
        """What is usual among the lines of a document."""
        free = [line for line in lines if line.cell is None]
        letters: Counter[float] = Counter()
        for line in free:
            letters[line.size] += len(line.text)
        if not letters:
            return cls()
        body = letters.most_common(1)[0][0]
        larger = sorted((size for size in letters if size > _LARGER * body), reverse=True)
        ends = sorted(line.right for line in free if line.size == body)
        return cls(
            body,
            tuple(larger),
            _leading(free),
            ends[int(0.9 * (len(ends) - 1))],
            any(line.level for line in lines),
        )

    def level(self, line: Line) -> int:
        """That of the heading which a line is (part of), or 0."""
        if self.tagged or line.size not in self.sizes:
            return line.level
        return min(self.sizes.index(line.size) + 1, _LEVELS)

    @property
    def below(self) -> int:
        """The level of headings that only bold type tells from the body."""
        return min(len(self.sizes) + 1, _LEVELS)

    def is_apart(self, last: Line, line: Line) -> bool:
        """Whether there is more than the usual distance between two lines, or a step upward."""
        return not 0 <= last.base - line.base <= (self.leading + 0.25) * max(line.size, last.size)


def _leading(lines: Sequence[Line]) -> float:
    """The smallest of the common distances: the larger ones stand between paragraphs."""
    found = Counter(
        round((last.base - line.base) / line.size, 1)
        for last, line in pairwise(lines)
        if last.size == line.size and 0.9 <= (last.base - line.base) / line.size <= 1.8
    )
    most = max(found.values(), default=0)
    return min((ratio for ratio, times in found.items() if times >= 0.3 * most), default=1.2)
