import asyncio
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.models.ask import Answer
from deepassay.models.operation import OffMenu
from deepassay.models.reading import Unreadable, read_reply
from deepassay.protocols.race.cleaning import (
    CLEAN,
    CLEAN_AS_RELEASED,
    FEWEST_CHARACTERS,
    RawArticle,
    Uncleaned,
    accepted,
    check_cleaned,
    cleaned,
    halves,
    pieces_to_clean,
    released_clean,
)
from deepassay.reports.clean import clean
from deepassay.reports.report import Report
from deepassay.score import Cause, Unscored
from tests.growth import assert_linear, repeated
from tests.protocols.judges import ByRule, Silent
from tests.protocols.race.test_golden import rows

ARTICLE = """# Prices of homes

Prices rose by 12.5 % in 2021 [1], because demand grew ([Bank, 2022](https://bank.example/r)).

## What follows

- Rents follow with a delay of 9 months.[2]
- Builders answer late, as [the bank's study](https://bank.example/s) shows.

## References

1. Bank, *Review*, https://bank.example/1
2. Office, https://office.example/2
"""
KEPT = clean(ARTICLE)


def test_the_text_by_rule_is_fine():
    check_cleaned(KEPT, KEPT)
    assert "References" not in KEPT
    assert "the bank's study" in KEPT


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda text: text.replace("## What follows\n", ""), "headings are lost: Whatfollows"),
        (lambda text: text.replace("## What", "What"), "headings are lost"),
        (lambda text: text.replace("12.5", "12"), r"numbers .* are lost: 12\.5"),
        (lambda text: text.replace("9 months", "some months"), "numbers .* are lost: 9"),
        (
            lambda text: text.replace("because demand grew", "as is well known by now"),
            "content words are lost",
        ),
        (lambda text: text + " Buy now, while there still is a home to be had!" * 2, "characters"),
    ],
)
def test_what_a_model_lost_or_added_is_named_to_it(change, problem):
    changed = change(KEPT)
    assert changed != KEPT
    with pytest.raises(OffMenu, match=problem):
        check_cleaned(KEPT, changed)


def test_small_mends_of_wording_around_a_mark_are_allowed():
    check_cleaned(KEPT, KEPT.replace("#  ", "# ").replace(" ,", ",") + "\n\n")
    check_cleaned(KEPT, KEPT.replace("## What follows", "## **What follows**"))


def test_where_nothing_but_references_was_nothing_may_come_back():
    check_cleaned("", " \n")
    with pytest.raises(OffMenu):
        check_cleaned("", "1. Bank")


def test_an_answer_that_lost_something_is_refused_and_asked_for_again():
    inputs = RawArticle(language="en", article=ARTICLE)
    assert read_reply(CLEAN, inputs, json.dumps({"article": KEPT})).value.article == KEPT
    with pytest.raises(Unreadable, match="headings are lost"):
        read_reply(CLEAN, inputs, json.dumps({"article": "Prices rose."}))


def test_without_a_model_the_cleaner_does_what_the_rules_do():
    report = Report(ARTICLE)
    by_rules = asyncio.run(cleaned(report, "rules", None, "paper"))
    by_model = asyncio.run(cleaned(report, "model", ByRule(), "paper"))
    assert by_rules == KEPT
    assert by_model == KEPT.strip()
    assert asyncio.run(cleaned(report, "none", None, "paper")) == ARTICLE


def test_a_cleaner_that_fails_leaves_the_report_unscored():
    failure = Unscored(Cause.TIMEOUT, "too late")
    assert asyncio.run(cleaned(Report(ARTICLE), "model", Silent(failure), "paper")) == failure
    lost = asyncio.run(cleaned(Report(ARTICLE), "model", Silent(failure), "code"))
    assert lost.cause == Cause.TIMEOUT
    assert "drops this report" in lost.detail


def test_as_released_too_a_cleaner_without_budget_ends_the_case_and_asks_for_no_half():
    class Poor(ByRule):
        asked = 0

        async def __call__(self, operation, inputs, *, repeat=0):
            self.asked += 1
            if self.asked == 1:
                return Unscored(Cause.BUDGET, "spent")
            return await super().__call__(operation, inputs, repeat=repeat)

    cleaner = Poor()
    ended = asyncio.run(cleaned(Report(ARTICLE * 20), "model", cleaner, "code"))
    assert (ended.cause, cleaner.asked) == (Cause.BUDGET, 1)


def test_the_cleaner_is_asked_in_the_language_of_the_report():
    languages = []

    class Cleaner(ByRule):
        async def __call__(self, operation, inputs, *, repeat=0):
            languages.append(inputs.language)
            return await super().__call__(operation, inputs, repeat=repeat)

    cleaner = Cleaner()
    asyncio.run(cleaned(Report("房价上涨了百分之十二[1]。\n"), "model", cleaner, "paper"))
    asyncio.run(cleaned(Report(ARTICLE), "model", cleaner, "paper"))
    assert languages == ["zh", "en"]


def test_long_articles_go_in_pieces_with_nothing_but_blanks_between():
    paragraph = "Prices rose by 12.5 % in 2021 [1]. " * 19 + "Then not."
    text = ARTICLE.replace("## What follows", "\n\n".join([paragraph] * 40) + "\n\n## What follows")
    report = Report(text)
    spans = list(pieces_to_clean(report, 2000))
    assert len(spans) > 10
    assert all(span.end - span.start <= 2000 for span in spans)
    at = 0
    for span in spans:
        assert not text[at : span.start].strip()
        at = span.end
    assert not text[at:].strip()
    together = asyncio.run(cleaned(report, "model", ByRule(), "paper"))
    assert together == clean(report).strip()


def test_a_reference_list_is_never_cut():
    entries = "\n".join(f"{n}. Source {n}, https://s.example/{n}" for n in range(1, 200))
    report = Report(ARTICLE.partition("## References")[0] + "## References\n\n" + entries)
    spans = list(pieces_to_clean(report, 500))
    last = report.text[spans[-1].start : spans[-1].end]
    assert "Source 1," in last
    assert "Source 199," in last


blocks = st.lists(
    st.sampled_from(["# A title", "Some text [1].", "- a\n- b", "| a | b |\n|---|---|\n| 1 | 2 |",
                     "## References\n\n1. https://a.example", "> quoted\n\n> more",
                     "```\ncode\n```"]),
    max_size=12,
)  # fmt: skip


@settings(max_examples=30, deadline=None)
@given(blocks, st.integers(1, 60))
def test_pieces_cover_every_text_in_order(parts, longest):
    report = Report("\n\n".join(parts))
    at, seen = 0, ""
    for span in pieces_to_clean(report, longest):
        assert span.start >= at
        seen += report.text[at : span.start] + report.text[span.start : span.end]
        assert not report.text[at : span.start].strip()
        at = span.end
    assert (seen + report.text[at:]) == report.text
    assert not report.text[at:].strip()


@pytest.mark.parametrize("piece", ["word 1,2 ", "# h\n", "1.", "多少"])
def test_checks_take_linear_time(piece):
    assert_linear(lambda text: check_cleaned(text, text), repeated(piece), 20_000)


def test_published_cleanings_by_a_model_pass_the_checks(shared):
    folder = shared / "data/bench/reports"
    by_model = {
        row["id"]: row["article"] for row in rows(folder / "claude-3-7-sonnet.cleaned.jsonl")
    }
    refused = {}
    for row in rows(folder / "claude-3-7-sonnet.raw.jsonl"):
        try:
            check_cleaned(clean(row["article"]), by_model[row["id"]])
        except OffMenu as problem:
            refused[row["id"]] = str(problem)
    assert refused == {1: "numbers that belong to the text are lost: 9"}  # its title is gone


class Played:
    """Plays the answers of a golden vector, as often as the program would ask for each piece.

    ECHO gives the piece back. A text that speaks of tokens is the error of a full context, at
    which the program stops trying at once; other short answers are tried 10 or 3 times.
    """

    def __init__(self, responses):
        self.responses = responses
        self.sent = []

    async def __call__(self, piece):
        tries = 3 if self.sent else 10
        for _ in range(tries):
            answer = self.responses[min(len(self.sent), len(self.responses) - 1)]
            self.sent.append(len(piece))
            text = piece if answer == "ECHO" else answer
            if text is not None and "tokens" in text and "less than" in text:
                return None
            if text is not None and accepted(text):
                return text
        return None


RECORDED_IN_PART = {"bad_9_then_ok": ["no"] * 9 + ["ECHO"]}
"""The vector tells of ten calls, and holds the answers to the first six."""


def test_the_released_programs_cleaning_is_reproduced(shared):
    vectors = json.loads((shared / "golden/bench/clean_and_criteria.json").read_text())["clean"]
    assert len(vectors) == 18
    for vector in vectors:
        article = vector["article"]
        if isinstance(article, dict):
            article = article["repeat"] * (article["len"] // len(article["repeat"]))
        played = Played(RECORDED_IN_PART.get(vector["case"], vector["responses"]))
        try:
            text = asyncio.run(released_clean(article, played))
        except Uncleaned:
            text = None
        result = vector["result"]
        wanted = result.get("article") if isinstance(result, dict) else None
        if wanted is not None:
            assert played.sent == vector["chunk_lens_sent"], vector["case"]
        assert text == wanted, vector["case"]
        assert (text == article) == vector["out_equals_in"], vector["case"]
        # The program goes on to the second half though the first is lost; we do not pay for it.
        assert played.sent == vector["chunk_lens_sent"][: len(played.sent)], vector["case"]


@given(st.text(alphabet="ab.。 \n", min_size=2, max_size=900))
@settings(max_examples=30, deadline=None)
def test_what_the_program_loses_lies_between_a_mark_and_the_middle(article):
    first, second = halves(article)
    middle = len(article) // 2
    assert second == article[middle:]
    assert article.startswith(first)
    assert -1 <= middle - len(first) <= 198


def test_in_edition_code_a_cleaning_is_only_refused_for_its_length():
    inputs = RawArticle(language="en", article=ARTICLE)
    long = "x" * FEWEST_CHARACTERS
    assert (
        read_reply(CLEAN_AS_RELEASED, inputs, json.dumps({"article": long})).value.article == long
    )
    with pytest.raises(Unreadable, match="too short"):
        read_reply(CLEAN_AS_RELEASED, inputs, json.dumps({"article": " " * 50 + "x" * 99}))


def test_in_edition_code_a_cleaner_that_fails_on_the_whole_gets_halves():
    class Halving:
        async def __call__(self, operation, inputs, *, repeat=0):
            if len(inputs.article) > 300:
                return Unscored(Cause.CONTEXT_OVERFLOW, "too long")
            return Answer(operation.gives(article=inputs.article), "key", "halving")

    article = "a" * 200 + "." + "b" * 300
    text = asyncio.run(cleaned(Report(article), "model", Halving(), "code"))
    assert text == "a" * 200 + "." + "b" * 251
