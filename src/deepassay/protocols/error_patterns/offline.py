"""The judge's part of the error patterns without a model: what a report shows to be made up.

A baseline, and no more. It sees addresses that are left from a template, dates that no calendar
has, measures of zero and shares above a whole. An invented figure, name, quotation or source
that looks like a real one it cannot see, nor a ranking that contradicts its own numbers: what is
false but possible is known from sources alone. Of citations it sees those after which a clause
simply goes on, and of their format nothing beyond the lint rule.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date
from typing import Final, NamedTuple

from deepassay.protocols.traits import placement
from deepassay.reports.report import Report

_TEMPLATE_ADDRESS = re.compile(
    r"https?://(?:www\.)?(?:example\.(?:com|org|net)|(?:your-?(?:domain|site|website)|website|"
    r"placeholder|sample-?url)\.(?:com|org|net))(?![\w.-])",
    re.IGNORECASE,
)
_MONTHS: Final = (
    "jan",
    "feb",
    "mar",
    "apr",
    "may",
    "jun",
    "jul",
    "aug",
    "sep",
    "oct",
    "nov",
    "dec",
)
_MONTH = r"(?P<month>" + "|".join(f"{each}[a-z]{{0,6}}" for each in _MONTHS) + r")\.?"
_DATES: Final = (
    re.compile(r"(?<![\w/.-])(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)(?![\w/-])"),
    re.compile(r"(?P<year>\d{4})年(?P<month>\d{1,2})月(?P<day>\d{1,2})[日号]"),
    re.compile(rf"\b(?P<day>\d{{1,2}}) {_MONTH},? (?P<year>\d{{4}})\b", re.IGNORECASE),
    re.compile(rf"\b{_MONTH} (?P<day>\d{{1,2}}), (?P<year>\d{{4}})\b", re.IGNORECASE),
)
_NO_MEASURE = re.compile(
    r"(?:\b(?:weight|mass|length|height|width|size|capacity|population|distance)\b|重量|质量|长度|"
    r"高度|宽度|尺寸|容量|人口|面积|距离)\W{1,8}0(?:\.0{1,6})? ?(?:oz|ounces?|k?g|grams?|lbs?|"
    r"pounds?|[mck]?m|inch(?:es)?|[GT]B|km2|people|盎司|千?克|公斤|磅|毫米|厘米|公里|米|英寸|人)(?!\w)",
    re.IGNORECASE,
)
_ABOVE_A_WHOLE = re.compile(
    r"(?<![\d.,])(?P<share>\d{3,9}(?:\.\d{1,6})?) ?(?:%|percent|per cent) of "
    r"(?:all |the |surveyed )?(?:respondents|people|adults|users|students|patients|women|men|"
    r"children|households|participants|companies|voters)\b|"
    r"(?<![\d.,])(?P<portion>\d{3,9}(?:\.\d{1,6})?) ?[%％]的"
    r"(?:受访者|用户|人|成年人|学生|患者|女性|男性|儿童|家庭|参与者|企业)",
    re.IGNORECASE,
)


class Suspicion(NamedTuple):
    """A stretch of the text, and what is odd about it."""

    start: int
    end: int
    message: str


def template_addresses(text: str) -> Iterator[Suspicion]:
    """Addresses that stand in templates and lead nowhere."""
    for found in _TEMPLATE_ADDRESS.finditer(text):
        yield Suspicion(*found.span(), "an address out of a template")


def impossible_dates(text: str) -> Iterator[Suspicion]:
    """Days that no calendar has."""
    for form in _DATES:
        for found in form.finditer(text):
            month = found["month"].lower()
            number = int(month) if month.isdecimal() else _MONTHS.index(month[:3]) + 1
            try:
                date(int(found["year"]), number, int(found["day"]))
            except ValueError:
                yield Suspicion(*found.span(), "a date that does not exist")


def measures_of_nothing(text: str) -> Iterator[Suspicion]:
    """Things that weigh nothing, or are of no size."""
    for found in _NO_MEASURE.finditer(text):
        yield Suspicion(*found.span(), "a measure of zero")


def shares_above_a_whole(text: str) -> Iterator[Suspicion]:
    """More of a group than all of it."""
    for found in _ABOVE_A_WHOLE.finditer(text):
        if float(found["share"] or found["portion"]) > 100:
            yield Suspicion(*found.span(), "more than all of them")


def interrupted_sentences(text: str) -> Iterator[Suspicion]:
    """Citations after which the clause simply goes on, with the words around them."""
    report = Report(text)
    for trait in placement(report):
        line, column = report.lines.place(trait.offset)
        whole = report.lines.span(line - 1, line)
        at = whole.start + column - 1
        yield Suspicion(max(whole.start, at - 60), min(whole.end, at + 60), trait.message)


MADE_UP: Final[tuple[Callable[[str], Iterator[Suspicion]], ...]] = (
    template_addresses,
    impossible_dates,
    measures_of_nothing,
    shares_above_a_whole,
)
