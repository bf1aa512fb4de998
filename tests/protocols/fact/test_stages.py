"""The stages of edition `code` against vectors recorded from the authors' released program."""

import json
from collections import Counter

import pytest

from deepassay.protocols.fact.released import CITE, VALIDATE
from deepassay.protocols.fact.stages import (
    EXTRACTION_FAILED,
    Stopped,
    facts_by_address,
    failure_text,
    from_zero,
    kept_facts,
    page_text,
    read_citations,
    read_json,
    read_verdicts,
    without_addresses,
    without_text_fragments,
)

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
        with pytest.raises(Stopped):
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
