"""The labels that entries of reference lists begin with, seen before the lists are read.

Whether `[2024]` or `word[3]` is a citation depends on what the report lists at its end.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

_LINE = re.compile(
    r"[ \t>]{0,12}(?:[-*+•][ \t]+)?(?:\*\*)?"
    r"(?:\\?\[\^?([^\]\[\n\\]{1,60})\\?\](?!\()(.*)|[【［](\d{1,4})[】］]"
    r"|(\d{1,3})(?:[.)、:][ \t]|：)(.*))"
)
_DEFINITION = re.compile(
    r"^[ \t>]{0,12}\[([^\]\[\n^][^\]\[\n]{0,199})\]:[ \t]{0,4}(?:<[^>\n]+>|\S*[./:#]\S*)",
    re.MULTILINE,
)
# Several patterns in place of one: each begins with a literal, to which the engine skips at once.
_YEARS = (re.compile(r"20\d\d"), re.compile(r"19\d\d"), re.compile(r"n\.d\."))
_AUTHOR = re.compile(
    r"[ \t>]{0,12}(?:[-*+•][ \t]+|\\?\[\d{1,4}\\?\][ \t]*|\d{1,4}[.)][ \t]+)?[*_\[“\"]{0,3}"
    r"([^\W\d_][\w'’\-]*(?: [^\W\d_][\w'’\-]*){0,3})"
)
_SEVERAL = tuple(
    re.compile(names + r"[^()（）;；\n]{0,40}?\b(?:19|20)\d\d[a-z]?[)）;；]")
    for names in (
        r"et al\b(?<=\bet al)",
        r"& [A-Z](?<=[^\W\d_]{2} & .)\w++",
        r"and [A-Z](?<=[^\W\d_]{2} and .)[a-z]++",
        r"等人?[,，]",
    )
)
_ADDRESS = re.compile(r"https?://|www\.|\bdoi", re.IGNORECASE)


@dataclass(frozen=True)
class Labels:
    """What the lines of `text` that look like entries of a reference list are called."""

    text: str

    @cached_property
    def entries(self) -> frozenset[str]:
        """Labels that begin an entry: any number in brackets, and whatever an address follows."""
        found: set[str] = set()
        for line in filter(None, map(_LINE.match, self.text.split("\n"))):
            bracketed, after, lenticular, listed, rest = line.groups()
            if bracketed is not None:
                if bracketed.isdecimal() or _ADDRESS.search(after):
                    found.add(bracketed)
            elif lenticular is not None:
                found.add(lenticular)
            elif _ADDRESS.search(rest):
                found.add(listed)
        return frozenset(found)

    @cached_property
    def definitions(self) -> frozenset[str]:
        """Labels of `[label]: address` lines, blanks and letter case folded."""
        if "]:" not in self.text:
            return frozenset()
        return frozenset(folded(line[1]) for line in _DEFINITION.finditer(self.text))

    @cached_property
    def authors(self) -> frozenset[str]:
        """First words of lines that hold a year: surnames, if it is a list of references."""
        names: set[str] = set()
        line_end = -1
        for year in sorted(x.start() for each in _YEARS for x in each.finditer(self.text)):
            if year < line_end:
                continue
            begin = self.text.rfind("\n", max(0, line_end), year) + 1
            line_end = self.text.find("\n", year)
            if found := _AUTHOR.match(self.text, begin, year):
                words = found[1].split(" ")
                names.update(" ".join(words[:count]) for count in range(1, len(words) + 1))
            if line_end < 0:
                break
        return frozenset(names)

    @cached_property
    def author_year(self) -> bool:
        """Whether two or more authors and a year stand in brackets anywhere."""
        return any(each.search(self.text) for each in _SEVERAL)

    @cached_property
    def numbered(self) -> bool:
        """Whether entries are numbered at all."""
        return any(label.isdecimal() for label in self.entries)


def folded(label: str) -> str:
    """A label as CommonMark compares it: case folded, runs of blanks as one."""
    return " ".join(label.split()).casefold()
