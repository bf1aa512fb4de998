"""Surface: what code counts in a report, in two languages, with pages and without."""

from __future__ import annotations

import asyncio

import pytest

from deepassay.protocols.protocol import Case, RoleAskers, Sources
from deepassay.protocols.registry import GROUPS, parse
from deepassay.protocols.surface import Surface
from deepassay.reports.lint import lint
from deepassay.reports.report import Report
from deepassay.reports.rules import RULES
from deepassay.results.evidence import reading_of
from deepassay.score import Cause
from deepassay.sources.page import Failure, NoPage, Page
from deepassay.tasks.task import Task

ENGLISH = """\
# Tides

The tide is high today [1]. The moon pulls the water [2][9].

Nobody measured it last year.

Spring tides come twice a month, see [the almanac](https://tides.org/almanac).

## References

[1] Tide tables. https://www.harbour.org/tables
[2] Smith, J. (2019). The moon and the sea. Harbour Press.
[3] Never cited. https://harbour.org/other
"""
CHINESE = """\
# 潮汐

今天潮水很高[1]。月亮牵引海水[2]。

去年没有人测量。

## 参考文献

[1] 潮汐表 https://chaoxi.cn/biao
[2] 月亮与海 https://chaoxi.cn/yue
"""


class Web:
    """Pages by address; those that are named are lost."""

    def __init__(self, **lost):
        self.lost = {f"https://{name}": failure for name, failure in lost.items()}
        self.asked = []

    async def get(self, url):
        self.asked.append(url)
        if failure := next((each for own, each in self.lost.items() if own in url), None):
            return NoPage(url, failure, "it is so")
        return Page(url, "Text.")


def scored(text, protocol=None, web=None, prompt="How high?"):
    sources = Sources(web or Web(), None)
    case = Case(Task(id="t", prompt=prompt), Report(text, "heron", "t"))
    return asyncio.run((protocol or Surface()).score(case, RoleAskers.alone(None), sources))


def test_what_is_counted_in_english():
    outcome = scored(ENGLISH)
    assert (outcome.value, outcome.bounds, outcome.tally) == (75.0, (0.0, 100.0), (3, 4))
    assert outcome.parts == {
        "words": len(ENGLISH.split()),
        "statements": 4,
        "citations": 4,
        "resolve": 75.0,  # [9] has no entry
        "sources": 3,  # two addresses and a book
        "hosts": 2,
        "findings": len(lint(Report(ENGLISH))),
    }


def test_what_is_counted_in_chinese():
    outcome = scored(CHINESE)
    assert (outcome.tally, outcome.parts["citations"]) == ((2, 3), 2)
    assert (outcome.parts["sources"], outcome.parts["hosts"]) == (2, 1)
    assert outcome.parts["resolve"] == 100.0


def test_a_statement_has_the_source_at_the_end_of_its_paragraph():
    text = "The tide is high. It will fall [1].\n\nNobody knows.\n\n## Sources\n\n[1] A book.\n"
    assert scored(text).tally == (2, 3)


def test_an_entry_that_says_it_is_omitted_is_no_source():
    text = (
        "It is so [1]. So it is [2].\n\n## Sources\n\n[1] - intentionally omitted -\n[2] A book.\n"
    )
    outcome = scored(text)
    assert (outcome.tally, outcome.parts["resolve"], outcome.parts["sources"]) == ((1, 2), 50.0, 1)


def test_a_number_of_two_lists_is_one_source_and_a_book_beside_an_address_another():
    """As reports of Claude have it: titles in one list, addresses in the next."""
    text = (
        "It is so [1]. So it is [2][3].\n\n"
        "## 参考文献\n\n1. 潮汐表。\n2. 月亮与海。\n3. 一本书。\n\n"
        "## Sources\n\n[1] https://a.org/tables\n[2] https://b.org/sea\n"
    )
    parts = scored(text).parts
    assert (parts["resolve"], parts["sources"], parts["hosts"]) == (100.0, 3, 2)


def test_a_report_that_cites_nothing_has_no_share_of_citations():
    outcome = scored("The tide is high. It will fall.")
    assert (outcome.value, outcome.parts["citations"], outcome.parts["resolve"]) == (0.0, 0, None)


def test_findings_are_items_by_kind_with_their_places():
    evidence = reading_of(scored(ENGLISH)).evidence
    by_code = {rule.code: 0 for rule in RULES}
    for each in lint(Report(ENGLISH)):
        by_code[each.code] += 1
    found = {item.key.split()[0]: item.verdict for item in evidence.items}
    assert found == {code: count for code, count in by_code.items() if count}
    assert {"DA101", "DA205", "DA212"} <= found.keys()
    (missing,) = (item for item in evidence.items if item.key == "DA101 citation-without-entry")
    assert [(place.line, place.code) for place in missing.places] == [(3, "DA101")]


@pytest.mark.parametrize("text", ["", " \n\n", "# Only a title\n"])
def test_a_report_without_a_statement_is_unscored(text):
    outcome = scored(text)
    assert outcome.cause == Cause.MISSING_INPUT and "no statement" in outcome.detail


def test_pages_are_read_only_where_that_is_wanted():
    web = Web(**{"www.harbour.org": Failure.GONE})
    assert "dead" not in scored(ENGLISH, web=web).parts
    assert web.asked == []
    outcome = scored(ENGLISH, Surface(pages=True), web)
    assert len(web.asked) == 2 and outcome.parts["dead"] == 1
    assert reading_of(outcome).evidence.page_classes == {"ok": 1, "gone": 1}


def test_a_page_that_may_be_there_is_not_dead():
    web = Web(**{"www.harbour.org": Failure.BLOCKED, "tides.org": Failure.TIMEOUT})
    assert scored(ENGLISH, Surface(pages=True), web).parts["dead"] == 0


def test_it_asks_nobody_and_is_one_of_all():
    assert Surface().operations() == ()
    assert not Surface().reads_pages and Surface(pages=True).reads_pages
    assert str(Surface(pages=True)) == "surface(pages=True)"
    assert "surface" in GROUPS["all"]
    assert [str(each) for each in parse("all", "code") if each.name == "surface"] == []
