"""The stages of edition `code` against vectors recorded from the authors' released program."""

import json
from collections import Counter

import pytest

from deepassay.protocols.fact.released import CITE, VALIDATE, released_score
from deepassay.protocols.fact.released_stages import (
    EXTRACTION_FAILED,
    JudgedAddress,
    VerdictCounts,
    facts_by_address,
    failure_text,
    from_zero,
    kept_facts,
    page_text,
    read_citations,
    read_json,
    read_verdicts,
    tally,
    without_addresses,
    without_text_fragments,
)
from deepassay.protocols.fact.released_stages import FactQuirk as Quirk
from deepassay.protocols.released import Ungraded
from deepassay.score import Unscored

CASES = {"extract": 15, "dedup": 22, "validate": 17, "scrape": 5, "text": 8}

TRIES = {"extract": 1, "dedup": 3, "validate": 3, "scrape": 3}
"""How often the program asks; a response that is the last of its list is given again and again."""


@pytest.fixture(scope="module")
def stages(shared):
    return json.loads((shared / "golden/bench/fact_stages.json").read_text("utf-8"))


def raw_of(responses):
    """What each try answers: a text, None, or an exception."""
    last = responses[-1]
    return [*responses, last, last]


def read_in_tries(responses, reader, tries):
    """The first answer that can be read, as the program comes to it; None if there is none."""
    for raw in raw_of(responses)[:tries]:
        if isinstance(raw, str):
            try:
                return reader(raw)
            except ValueError:
                continue
    return None


def test_all_vectors_are_there(stages):
    assert {stage: len(cases) for stage, cases in stages.items()} == CASES


@pytest.mark.parametrize("number", range(CASES["extract"]))
def test_citations_are_extracted_as_the_program_does(stages, number):
    case = stages["extract"][number]
    expected = case["written"][0]["citations"] if case["written"] else None
    assert read_in_tries(case["responses"], read_citations, TRIES["extract"]) == expected


@pytest.mark.parametrize("number", range(CASES["dedup"]))
def test_facts_are_kept_as_the_program_keeps_them(stages, number):
    case = stages["dedup"][number]
    citations = case["record"]["citations"]

    def kept(facts):
        if len(facts) == 1:
            return list(facts)
        numbers = read_in_tries(case["responses"], read_json, TRIES["dedup"])
        return list(kept_facts(facts, numbers).facts)

    if citations == EXTRACTION_FAILED:
        assert case["written"] == []  # edition `code` leaves the report out before this stage
        return
    if case["uncaught"]:
        with pytest.raises(Ungraded):
            [kept(facts) for facts in facts_by_address(citations).values()]
        return
    groups = {url: kept(facts) for url, facts in facts_by_address(citations).items()}
    written = case["written"][0]["citations_deduped"]
    as_written = json.loads(json.dumps(groups))  # an address that is null becomes a text
    assert as_written == {url: group["facts"] for url, group in written.items()}


@pytest.mark.parametrize("number", range(CASES["validate"]))
def test_verdicts_are_read_as_the_program_reads_them(stages, number):
    case = stages["validate"][number]
    value, official = case["value"], case["official"]
    if not case["calls"]:
        # No page, or a report whose language is not known: we have a task for every report, and
        # a text for every page that failed, so these two cannot come up.
        assert official["validate_res"] == [] and official["error"]
        return

    def verdicts(raw):
        found = from_zero(read_verdicts(raw))
        if len(found) != len(value["facts"]):
            raise ValueError("as many verdicts as facts")
        return found

    found = read_in_tries(case["responses"], verdicts, TRIES["validate"])
    assert (found is None) == (official["error"] is not None)
    assert (found or []) == official["validate_res"]


@pytest.mark.parametrize("number", range(CASES["scrape"]))
def test_a_page_is_shown_as_the_program_shows_it(stages, number):
    case = stages["scrape"][number]
    for response in raw_of(case["responses"])[: TRIES["scrape"]]:
        if "error" in response:
            text = failure_text(response["error"])
        else:
            text = page_text(response["title"], response["description"], response["content"])
            break
    assert text == case["official"]["url_content"]


@pytest.mark.parametrize("number", range(CASES["text"]))
def test_texts_are_treated_as_the_program_does(stages, number):
    case = stages["text"][number]
    assert without_addresses(case["in"]) == case["remove_urls"]
    assert without_text_fragments(case["in"]) == case["clean_urls"]


@pytest.mark.parametrize(
    "text",
    ["[" * 500_000, "](" * 250_000, "](" * 250_000 + ")", "[a](" * 200_000, "[a](b)" * 100_000],
)
def test_links_are_undone_in_linear_time(text):
    assert Counter(without_addresses(text)) <= Counter(text)


CITED = '[{"fact": "a", "ref_idx": 1, "url": "u"}]'


@pytest.mark.parametrize(
    ("raw", "read"),
    [
        ("", EXTRACTION_FAILED),
        ("[]", []),
        (CITED, [{"fact": "a", "ref_idx": 1, "url": "u"}]),
        (f"```json\n{CITED}\n```", [{"fact": "a", "ref_idx": 1, "url": "u"}]),
        (
            r'[{"fact": "\> 3 \~ [b](https://a.example/)", "url": "u"}]',
            [{"fact": "> 3 ~ [b]", "url": "u"}],
        ),
        ('[{"fact": "见[表](https://a.example/)二"}]', [{"fact": "见[表]二"}]),
        ("Here: []", None),
        ("{}", None),
        ("null", None),
        ('[{"url": "u"}]', None),
        ('[{"fact": 3, "url": "u"}]', None),
        ('["a"]', None),
        ('[{"fact": "a",}]', None),
        (r'[{"fact": "50\%"}]', None),
    ],
)
def test_answers_with_citations_worked_by_hand(raw, read):
    if read is None:
        with pytest.raises(ValueError, match=r"."):
            read_citations(raw)
    else:
        assert read_citations(raw) == read


def test_facts_stand_under_addresses_as_they_are_written():
    urls = ("https://a.example", "https://a.example/", "HTTPS://a.example", "https://a.example")
    citations = [{"fact": f"f{number}", "url": url} for number, url in enumerate(urls)]
    assert facts_by_address(citations) == {
        "https://a.example": ["f0", "f3"],
        "https://a.example/": ["f1"],
        "HTTPS://a.example": ["f2"],
    }


@pytest.mark.parametrize(
    ("numbers", "kept", "quirks"),
    [
        ([1, 2, 3], "abc", ()),
        ([2], "b", ()),
        ([3, 1], "ca", ()),
        ([1, 1], "aa", (Quirk.KEPT_TWICE,)),
        ([-1], "b", (Quirk.COUNTED_BACK,)),
        ([-1, 1], "ba", (Quirk.COUNTED_BACK,)),
        ([-1, -1], "bb", (Quirk.COUNTED_BACK, Quirk.KEPT_TWICE)),
        ([], "abc", (Quirk.KEPT_ALL,)),
        (None, "abc", (Quirk.KEPT_ALL,)),
        ([0, 1], "abc", (Quirk.KEPT_ALL,)),
        ([1, 1, 2, 3], "abc", (Quirk.KEPT_ALL,)),
        ([4], None, ()),
        (["1"], None, ()),
        (7, None, ()),
    ],
)
def test_choices_of_facts_worked_by_hand(numbers, kept, quirks):
    if kept is None:
        with pytest.raises(Ungraded):
            kept_facts(["a", "b", "c"], numbers)
    else:
        assert kept_facts(["a", "b", "c"], numbers) == (tuple(kept), quirks)


@pytest.mark.parametrize("citation", [3, "https://a.example/", {"fact": "a"}, ["url"]])
def test_a_citation_without_an_address_stops_the_program(citation):
    with pytest.raises(Ungraded, match="url"):
        facts_by_address([citation])


@pytest.mark.parametrize(
    ("text", "undone"),
    [
        ("[a](b) and [c](d).", "[a] and [c]."),
        ("[a](b)[c](d)", "[a][c]"),
        ("[a [b](c) d", "[a [b] d"),
        ("[](b) [a]() [a](", "[](b) [a]() [a]("),
        ("a](b) [c] (d)", "a](b) [c] (d)"),
        ("[a](b(c)d)", "[a]d)"),
        ("x [a](b", "x [a](b"),
    ],
)
def test_links_worked_by_hand(text, undone):
    assert without_addresses(text) == undone


def group(*labels, facts=None, error=None):
    verdicts = [{"idx": number, "result": label} for number, label in enumerate(labels)]
    return JudgedAddress("abcdef"[: len(labels) if facts is None else facts], verdicts, error)


@pytest.mark.parametrize(
    ("groups", "counted", "share", "quirks"),
    [
        ([group("supported", "unsupported")], (2, 1, 0, 0), 1 / 2, []),
        ([group("supported"), group("unsupported", "unsupported")], (3, 1, 0, 0), 1 / 3, []),
        ([group("supported", "unknown", "unknown")], (1, 1, 2, 0), 1, [Quirk.UNKNOWN_LEFT_OUT]),
        ([group("Supported", "supported ", "支持", None)], (4, 0, 0, 0), 0, [Quirk.OTHER_LABEL]),
        ([group("supported"), group(facts=3, error="")], (1, 1, 0, 3), 1, [Quirk.PAGE_LEFT_OUT]),
        ([group("supported"), group("unsupported", error="x")], (1, 1, 0, 1), 1,
         [Quirk.PAGE_LEFT_OUT]),
        ([group("supported", "supported", facts=1)], (2, 2, 0, 0), 1, [Quirk.ODD_NUMBER]),
        ([group("unsupported", facts=2)], (1, 0, 0, 0), 0, [Quirk.ODD_NUMBER]),
        ([group("unknown")], (0, 0, 1, 0), None, [Quirk.UNKNOWN_LEFT_OUT]),
        ([], (0, 0, 0, 0), None, []),
    ],
)  # fmt: skip
def test_counts_worked_by_hand(groups, counted, share, quirks):
    assert tally(groups) == VerdictCounts(*counted)
    outcome = released_score(dict(enumerate(groups)), set())
    assert outcome.details["quirks"] == quirks
    assert outcome.details["open"] == (counted[3] > 0)
    counts = outcome.details["counts"]
    assert counts["pairs"] == counted[0] + counted[2] + counted[3]
    assert (counts["supported"], counts["unknown"], counts["failed"]) == counted[1:]
    assert (counts["unsupported"], counts["citing"]) == (counted[0] - counted[1], 1)
    if share is None:
        assert isinstance(outcome, Unscored)
    else:
        assert (outcome.value, outcome.parts) == (
            share,
            {"valid_rate": share, "E.Cit": counted[1]},
        )


def test_a_verdict_without_its_label_stops_the_program_unless_its_page_has_an_error():
    broken = JudgedAddress(["a"], [{"idx": 0}])
    with pytest.raises(Ungraded, match="result"):
        tally([broken])
    assert tally([broken._replace(error="late")]) == VerdictCounts(0, 0, 0, 1)
    with pytest.raises(Ungraded, match="result"):
        tally([JudgedAddress(["a"], ["result"])])


def test_pages_as_the_judge_is_shown_them():
    assert page_text("T", None, "The text.") == "T\n\nNone\n\nThe text."
    assert failure_text("404") == "scrape failed: 404"
    link = "[a](https://a.example/#:~:text=grew,more) and [b](https://b.example/#part)"
    assert without_text_fragments(link) == link.replace("#:~:text=grew,more", "")


@pytest.mark.parametrize(
    ("raw", "places"),
    [
        ('[{"idx": 1, "result": "supported"}, {"idx": 2, "result": "unknown"}]', [0, 1]),
        ('```json\n[{"idx": 7, "result": "supported"}]\n```', [6]),
        ('[{"idx": 1.5}]', [0.5]),
        ('[{"result": "supported"}]', None),
        ('[{"idx": "1"}]', None),
        ('{"idx": 1}', None),
        ("supported", None),
    ],
)
def test_verdicts_worked_by_hand(raw, places):
    if places is None:
        with pytest.raises(ValueError, match=r"."):
            read_verdicts(raw)
    else:
        assert [each["idx"] for each in from_zero(read_verdicts(raw))] == places


def test_what_the_offline_rule_answers_is_read_again_as_it_was():
    """Answers are stored as JSON, and read as a model's answer when they are wanted again."""
    text = r"Solar grew \~5 % [a link](https://a.example/x) in 2023 (https://b.example/)."
    page = "Solar grew 5 % in 2023. The operator publishes its annual report every spring."
    for operation, inputs in (
        (CITE, CITE.takes(language="en", report=text)),
        (VALIDATE, VALIDATE.takes(language="en", page=page, statements=("Solar grew.", "No."))),
    ):
        answer = operation.offline(inputs)
        assert operation.reading(answer.model_dump_json()) == answer.root
        operation.check(inputs, answer)
        assert answer.root
