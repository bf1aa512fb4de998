"""Tables by their ruled lines: where lines of a page cross to columns and rows."""

from __future__ import annotations

import ctypes
from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pypdfium2
import pypdfium2.raw as pdfium

NEAR = 3.0  # points; lines nearer than that are one, or touch
SHORTEST = 6.0  # points; what is shorter rules nothing
MOST_LINES = 600  # on a page; what has more is a drawing


@dataclass(frozen=True)
class Rule:
    """A ruled line at `place`, drawn in strokes whose `ends` lie along the other axis."""

    place: float
    ends: tuple[float, ...]

    @property
    def start(self) -> float:
        """Where it begins."""
        return min(self.ends)

    @property
    def end(self) -> float:
        """Where it ends."""
        return max(self.ends)


@dataclass
class Grid:
    """Edges of columns from left to right, and of rows from the foot of the page up."""

    across: list[float] = field(default_factory=list)
    up: list[float] = field(default_factory=list)

    def cell(self, x: float, y: float) -> tuple[int, int] | None:
        """Row (from above) and column of the cell around a point, or None outside."""
        column, row = bisect(self.across, x), bisect(self.up, y)
        if not 0 < column < len(self.across) or not 0 < row < len(self.up):
            return None
        return len(self.up) - 1 - row, column - 1


def read_grids(page: pypdfium2.PdfPage) -> list[Grid]:
    """The grids of a page that have two columns and two rows at least."""
    flat: list[Rule] = []
    upright: list[Rule] = []
    for path in page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_PATH], max_depth=1):
        for (x, y), (to_x, to_y) in _strokes(path):
            if abs(y - to_y) < 1 and abs(x - to_x) >= SHORTEST:
                flat.append(Rule(y, (x, to_x)))
            elif abs(x - to_x) < 1 and abs(y - to_y) >= SHORTEST:
                upright.append(Rule(x, (y, to_y)))
            if len(flat) + len(upright) > MOST_LINES:
                return []
    found = [
        Grid(_edges(columns, rows), _edges(rows, columns))
        for rows, columns in _touching(_whole(flat), _whole(upright))
    ]
    return [grid for grid in found if len(grid.across) > 2 and len(grid.up) > 2]


def _strokes(
    path: pypdfium2.PdfObject,
) -> Iterator[tuple[tuple[float, float], tuple[float, float]]]:
    """The straight strokes of a path, on the page."""
    matrix = path.get_matrix()
    start = last = (0.0, 0.0)
    x, y = ctypes.c_float(), ctypes.c_float()
    for at in range(min(pdfium.FPDFPath_CountSegments(path), 4 * MOST_LINES)):
        segment = pdfium.FPDFPath_GetPathSegment(path, at)
        pdfium.FPDFPathSegment_GetPoint(segment, x, y)
        point = matrix.on_point(x.value, y.value)
        kind = pdfium.FPDFPathSegment_GetType(segment)
        if kind == pdfium.FPDF_SEGMENT_LINETO:
            yield last, point
        elif kind == pdfium.FPDF_SEGMENT_MOVETO:
            start = point
        last = point
        if pdfium.FPDFPathSegment_GetClose(segment):
            yield last, start
            last = start


def _whole(rules: Sequence[Rule]) -> list[Rule]:
    """Lines that were drawn cell by cell, each as one."""
    found: list[Rule] = []
    for rule in sorted(rules, key=lambda rule: (round(rule.place), rule.start)):
        last = found[-1] if found else None
        if last and abs(last.place - rule.place) <= NEAR and rule.start <= last.end + NEAR:
            found[-1] = Rule(last.place, last.ends + rule.ends)
        else:
            found.append(rule)
    return found


def _touching(
    flat: Sequence[Rule], upright: Sequence[Rule]
) -> Iterator[tuple[list[Rule], list[Rule]]]:
    """Groups of lines that cross or touch, directly or by way of others."""
    left = set(range(len(upright)))
    unseen = set(range(len(flat)))
    while unseen:
        rows, columns = [unseen.pop()], list[int]()
        waiting = [(rows[0], True)]
        while waiting:
            at, is_flat = waiting.pop()
            if is_flat:
                met = {other for other in left if _cross(flat[at], upright[other])}
                left -= met
                columns += met
            else:
                met = {other for other in unseen if _cross(flat[other], upright[at])}
                unseen -= met
                rows += met
            waiting += [(other, not is_flat) for other in met]
        yield [flat[at] for at in rows], [upright[at] for at in columns]


def _cross(flat: Rule, upright: Rule) -> bool:
    return (
        flat.start - NEAR <= upright.place <= flat.end + NEAR
        and upright.start - NEAR <= flat.place <= upright.end + NEAR
    )


def _edges(along: Sequence[Rule], across: Sequence[Rule]) -> list[float]:
    """Edges in order: where lines stand, and where those across end. Near ones are one."""
    edges: list[float] = []
    ends = [end for rule in across for end in rule.ends]
    for place in sorted([rule.place for rule in along] + ends):
        if not edges or place - edges[-1] > NEAR:
            edges.append(place)
    return edges
