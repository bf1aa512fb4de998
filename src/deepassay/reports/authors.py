"""Author-year citations: `(Author, 2024)`, `(Author & Other, 2024; Third et al., 2020)`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from deepassay.reports.labels import Labels
from deepassay.text import HAN

LONGEST_BODY = 400
BODY = re.compile(rf"[(（\[]([^()（）\[\]\n]{{4,{LONGEST_BODY}}}+)[)）\]]")
YEAR = re.compile(r"19\d\d|20\d\d|n\.d\.")
_WORD = (
    r"(?:[A-ZÀ-ÖØ-ÞĀ-Ž][\w.'’\-]*+|van|von|der|den|de|del|della|di|da|la|le|of|for|the|on|and|&)"
)
_NAMES = (
    rf"(?:[A-ZÀ-ÖØ-ÞĀ-Ž][\w.'’\-]*+(?:,?\s{_WORD}){{0,9}}+|[{HAN}·]{{2,20}}+"
    rf"(?:[、,，和与及]\s?[{HAN}·]{{2,20}}+){{0,3}}+)"
)
_PART = re.compile(
    r"\s?(?:(?:[Ss]ee(?: also)?|e\.g\.,?|cf\.?|[Aa]lso|as cited in|参见|见)\s)?"
    rf"(?P<names>{_NAMES})"
    r"(?P<others>,?\s?et al\.?|\s?等人?)?"
    r"(?:\s?[,，]\s?|(?<=al\.)\s|(?<=al)\s|(?<=等)\s?)"
    r"(?P<years>(?:(?:19|20)\d\d[a-z]?|n\.d\.)(?:\s?[,，]\s?(?:19|20)\d\d[a-z]?){0,6})"
    r"(?:,\s?(?:pp?\.|para\.?|ch\.|sec\.)\s?[\d\-–]+)?\s?"
)
_NOT_NAMES = re.compile(
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|Spring|Summer|Autumn|Fall|Winter"
    r"|Figure|Table|Chapter|Section|Since|As of|From|In|By|截至|截止|自)\.?"
)


_OTHERS = re.compile(r"[,，、&]|\sand\s|[和与及]|等人?$")


@dataclass(frozen=True)
class Authored:
    """Keys of an author-year citation, `Smith 2024`, and where its brackets end."""

    keys: tuple[str, ...]
    end: int


def author_year(text: str, at: int, end: int, labels: Labels) -> Authored | None:
    """The author-year citation whose bracket opens at `at`, or None.

    In a report that numbers its references, names count only if an entry begins with them; a
    single name, as of a publisher, only if the report cites "et al." or two names elsewhere.
    """
    found = BODY.match(text, at, end)
    if found is None or YEAR.search(found[1]) is None:
        return None
    keys: list[str] = []
    for piece in re.split(r"[;；]", found[1]):
        part = _PART.fullmatch(piece)
        if part is None or _NOT_NAMES.fullmatch(part["names"].split(",")[0]):
            return None
        surname = first_author(part["names"])
        several = part["others"] or "&" in part["names"] or " and " in part["names"]
        if surname not in labels.authors and (
            not (several or labels.author_year) or labels.numbered
        ):
            return None
        keys.extend(f"{surname} {year.strip()}" for year in re.split(r"[,，]", part["years"]))
    return Authored(tuple(keys), found.end())


def first_author(names: str) -> str:
    """`Smith` of `Smith, Jones & Third`; the whole name of an organisation."""
    return _OTHERS.split(names.strip(), maxsplit=1)[0].strip()
