"""How figures look: colours that everybody tells apart, marks for grey print, short names.

The colours are those of Okabe and Ito (2008), "Color Universal Design"; yellow, which white paper
swallows, is left out, and every colour comes with a marker and a hatch of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from deepassay.results.tables import printable, width

MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X")

SERIES: Final = len(MARKERS) - 1
"""Agents that colours and markers tell apart at a glance."""

HATCHES: Final = ("", "////", "....", "\\\\\\\\", "xxxx", "++++", "----")

TEXT: Final = 8.0
SMALL: Final = 6.5
"""Points: most of the text, and notes and numbers beside marks."""

LETTER: Final = 0.065
"""Inches that a letter of a name takes, on average."""

NAME: Final = 28
"""Cells (as in a terminal) that a name may take."""


@dataclass(frozen=True)
class Look:
    """Colours. ink: text and marks. muted: what is second. faint: grid lines."""

    paper: str
    ink: str
    muted: str
    faint: str
    colours: tuple[str, ...]

    def colour(self, place: int) -> str:
        """The colour of the series in this place; after the last one they begin anew."""
        return self.colours[place % len(self.colours)]


LOOK: Final = Look(
    paper="#ffffff",
    ink="#1a1a1a",
    muted="#666666",
    faint="#dddddd",
    colours=("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#1a1a1a"),
)


def marker(place: int) -> str:
    """The marker of the series in this place."""
    return MARKERS[place % len(MARKERS)]


def hatch(place: int) -> str:
    """The hatch of the series in this place."""
    return HATCHES[place % len(HATCHES)]


def short(text: str, cells: int = NAME) -> str:
    """A name in one line without control characters, its middle left out where it is long."""
    clean = printable(text).strip() or "(no name)"
    if width(clean) <= cells:
        return clean
    head, tail = _fitting(clean, cells - cells // 3 - 1), _fitting(clean[::-1], cells // 3)
    return f"{head.rstrip()}…{tail[::-1].lstrip()}"


def legend_columns(labels: Sequence[str], inches: float) -> int:
    """How many columns of a legend with these labels fit side by side."""
    longest = max(map(width, labels), default=0)
    return max(1, int(inches / (0.4 + LETTER * longest)))


def wrapped(text: str, cells: int) -> str:
    """The text in lines of at most so many cells, broken at blanks where there are any."""
    lines = [""]
    for word in printable(text).split():
        rest = word
        if width(lines[-1]) + bool(lines[-1]) + width(rest) > cells and lines[-1]:
            lines.append("")
        while width(rest) > cells:
            lines[-1] = _fitting(rest, cells)
            rest = rest[len(lines[-1]) :]
            lines.append("")
        lines[-1] = f"{lines[-1]} {rest}".strip()
    return "\n".join(line for line in lines if line)


def matplotlib_settings(look: Look) -> Mapping[str, object]:
    """What matplotlib is told: `rcParams` for one look."""
    return {
        "font.size": TEXT,
        "axes.titlesize": TEXT,
        "axes.labelsize": TEXT,
        "xtick.labelsize": TEXT - 1,
        "ytick.labelsize": TEXT - 1,
        "legend.fontsize": TEXT - 1,
        "legend.frameon": False,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.linewidth": 0.6,
        "axes.axisbelow": True,
        "axes.titlelocation": "left",
        "axes.formatter.use_mathtext": False,
        "axes.formatter.useoffset": False,
        "lines.linewidth": 1.0,
        "lines.markersize": 4.5,
        "hatch.linewidth": 0.5,
        "grid.linewidth": 0.5,
        "xtick.major.width": 0.6,
        "ytick.major.width": 0.6,
        "xtick.major.size": 3.0,
        "ytick.major.size": 3.0,
        "text.color": look.ink,
        "text.parse_math": False,
        "text.hinting": "no_hinting",  # else a text has another width at every resolution
        "axes.labelcolor": look.ink,
        "axes.edgecolor": look.muted,
        "axes.facecolor": look.paper,
        "figure.facecolor": look.paper,
        "savefig.facecolor": look.paper,
        "legend.labelcolor": look.ink,
        "grid.color": look.faint,
        "xtick.color": look.muted,
        "ytick.color": look.muted,
        "xtick.labelcolor": look.ink,
        "ytick.labelcolor": look.ink,
        "svg.fonttype": "none",
        "svg.hashsalt": "deepassay",
    }


def _fitting(text: str, cells: int) -> str:
    taken = 0
    for place, char in enumerate(text):
        taken += width(char)
        if taken > cells:
            return text[:place]
    return text
