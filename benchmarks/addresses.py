"""Addresses of published reports that are lost or made up by reading, against two other counts.

One is cmark-gfm, a parser of another make: the links of the page that it renders. The other is a
plain search for `http` in the text, which knows no Markdown. An address counts once a report.

    lost    the page links to it, and no citation or entry has it
    unread  the search finds it, the page does not link to it, and no citation or entry has it: in
            code, in a picture, in the definition of a label that nothing names
    false   a citation or entry has it, and neither the page nor the text does

Besides: statements that changed their pages when the report took the standard form, citations that
cleaning left, and statements that stand inside a reference list.
"""

from __future__ import annotations

import html
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path
from urllib.parse import unquote

import cmarkgfm
from tests.reports.published import published

from benchmarks.material import ROOT
from deepassay.reports.clean import clean
from deepassay.reports.numbering import standard
from deepassay.reports.report import Report
from deepassay.stats.intervals import wilson_interval

_LINK = re.compile(r"<a href=\"(https?://[^\"]+)\"", re.IGNORECASE)
_PLAIN = re.compile(r"https?://[^\s<>\"'`|\[\]{}，。；、）】」》“”]+", re.IGNORECASE)
"""Up to a blank, a bracket or a mark of Chinese; what closes a sentence is cut by `same`."""


def same(url: str) -> str:
    """What two spellings of an address share: no fragment, campaign, escape, or mark at the end."""
    plain = unquote(html.unescape(url).replace("\\", "")).partition("#")[0]
    plain = re.sub(r"(?<=[?&])utm_[^&]*&?", "", plain, flags=re.IGNORECASE).strip()
    plain = re.sub(r"[\s).,;:!?*'~/&]+\Z", "", plain)
    return plain.lower().partition("://")[2].removeprefix("www.")


def linked(text: str) -> set[str]:
    """Addresses of the page that cmark-gfm renders."""
    page = cmarkgfm.github_flavored_markdown_to_html(text)
    return {same(found[1]) for found in _LINK.finditer(page)}


def read(report: Report) -> set[str]:
    """Addresses of citations and entries."""
    urls = [url for each in report.resolved for url in each.urls]
    urls += [each.url for each in report.citations if each.url]
    urls += [url for each in report.references for url in each.urls]
    return {same(url) for url in urls if url.lower().startswith("http")}


def pages(report: Report) -> list[frozenset[str]]:
    """The addresses of every statement that has some."""
    return [frozenset(map(same, each.urls)) for each in report.statements if each.urls]


def measured(text: str) -> Iterator[tuple[str, int]]:
    """Counts of one report."""
    report, found = Report(text), linked(text)
    ours, plain = read(report), {same(url[0]) for url in _PLAIN.finditer(text)}
    yield "reports", 1
    yield "links", len(found)
    yield "lost", len(found - ours)
    yield "unread", len({url for url in plain - found - ours if not near(url, ours)})
    identified = {same(u) for e in report.references if e.identified for u in e.urls}
    strange = {u for u in ours - found - plain if not near(u, plain) and u not in identified}
    yield "false", len(strange)
    before, after = pages(report), pages(Report(standard(text).text))
    yield "cited", len(before)
    alike = SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    yield "changed", len(before) - sum(each.size for each in alike)
    cleaned = clean(text)
    yield "left", len(Report(cleaned).citations) + (clean(cleaned) != cleaned)
    lists = [each.span for each in report.reference_lists]
    yield (
        "in lists",
        sum(span.holds(each.span) for each in report.statements for span in lists),
    )


def near(url: str, others: set[str]) -> bool:
    """Whether an address is the beginning of another, or another its: two counts cut it apart."""
    return any(each and (each.startswith(url) or url.startswith(each)) for each in others)


def main() -> None:
    """Print the counts by system."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT.parent / "shared"
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for system, text in published(folder):
        for name, count in measured(text):
            counts[system][name] += count
            counts["all"][name] += count
    columns = [
        "reports",
        "links",
        "lost",
        "unread",
        "false",
        "cited",
        "changed",
        "left",
        "in lists",
    ]
    print(f"{'':<26}" + "".join(f"{name:>9}" for name in columns) + "   share lost [95 %]")
    for system, found in counts.items():
        share = ""
        if links := found["links"]:
            lost = found["lost"] / links
            low, high = wilson_interval(lost, links)
            share = f"{lost:.3f} [{low:.3f}, {high:.3f}]"
        print(f"{system:<26}" + "".join(f"{found[name]:>9,}" for name in columns) + f"   {share}")


if __name__ == "__main__":
    main()
