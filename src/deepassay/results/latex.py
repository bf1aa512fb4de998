"""Tables in LaTeX, as floats with booktabs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from deepassay.results.tables import NONE, Table, printable

SCALED: Final = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
"""Shrinks a table that is wider than the text, and leaves others as they are."""

PREAMBLE: Final = (
    "% In the preamble: \\usepackage{booktabs,graphicx}; for Chinese, compile with XeLaTeX and "
    "xeCJK."
)

# Brackets and asterisks are put in braces because LaTeX would take them, at the beginning of a
# row, for an option of the row before.
ESCAPES: Final = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "`": r"\textasciigrave{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"\symbol{34}",
        "'": r"\textquotesingle{}",
        "[": "{[}",
        "*": "{*}",
        "×": r"\ensuremath{\times}",
        "±": r"\ensuremath{\pm}",
        "·": r"\textperiodcentered{}",
        "…": r"\ldots{}",
        NONE: r"\textendash{}",
        **{char: f"\\{char}" for char in "&%$#_{}"},
    }
)


def as_latex(table: Table) -> str:
    """The table as a float: title, columns, and the notes beneath in small print."""
    align = "".join("r" if i in table.numeric else "l" for i in range(len(table.head)))
    lines = [
        r"\begin{table}[htbp]",
        r"\centering",
        rf"\caption{{{escaped(table.title)}}}",
        r"\small",
        SCALED,
        rf"\begin{{tabular}}{{{align}}}",
        r"\toprule",
        _row(table.head, frozenset()),
        r"\midrule",
        *(_row(cells, table.numeric) for cells in table.rows),
        r"\bottomrule",
        r"\end{tabular}}",
        *_latex_below((*table.above, *table.notes)),
        r"\end{table}",
    ]
    return "\n".join(lines)


def escaped(text: str) -> str:
    """A text as LaTeX prints it, on one line."""
    # Two hyphens in a row would become a dash.
    return re.sub("-(?=-)", "-{}", printable(text).strip().translate(ESCAPES))


def _row(cells: Sequence[str], numeric: frozenset[int]) -> str:
    written = (_number(cell) if i in numeric else escaped(cell) for i, cell in enumerate(cells))
    return " & ".join(written) + r" \\"


def _number(cell: str) -> str:
    """A cell of numbers, with minus signs in place of hyphens."""
    return re.sub(r"(?<![\w.])-(?=\d)", r"\\ensuremath{-}", escaped(cell))


def _latex_below(notes: Iterable[str]) -> list[str]:
    written = list(map(escaped, notes))
    if not written:
        return []
    return [
        r"\par\smallskip",
        r"\begin{minipage}{\linewidth}\footnotesize\raggedright",
        *(rf"{note}\par" for note in written),
        r"\end{minipage}",
    ]
