import asyncio
import json
from types import SimpleNamespace

import pytest
from rapidfuzz import fuzz

from deepassay.models.reading import read_reply
from deepassay.protocols.fact.extraction import (
    EXTRACT,
    MERGE,
    MOST_SEARCHED,
    ReportText,
    Statements,
    extracted_by_model,
    merged_by_model,
)
from deepassay.protocols.fact.pairs import CitedPair, mechanical_pairs
from deepassay.reports.report import Report
from tests.protocols.fact.test_pairs import MINISTRY, OPERATOR, REPORT
from tests.protocols.fact.web import Model

GREW = {"statement": "Grids stored 3.5 GW in 2023"}


def extract(*items, text=REPORT):
    model = Model(lambda *_: {"statements": list(items)})
    return asyncio.run(extracted_by_model(Report(text), model, language="en", repeat=0))


def merge(same, *statements):
    model = Model(lambda *_: {"same": same})
    pairs = [CitedPair(each, "u", (place,)) for place, each in enumerate(statements)]
    return asyncio.run(merged_by_model(pairs, model, language="en", repeat=0)), model


def test_the_prompts_fit_the_operations():
    EXTRACT.verify()
    MERGE.verify()


def test_both_ways_give_the_same_pairs_where_citations_resolve():
    report = Report(
        "Grids stored 3.5 GW [1]. Costs fell by half [2].\n\n" + REPORT[REPORT.index("## R") :]
    )
    found = asyncio.run(extracted_by_model(report, Model(), language="en", repeat=0))
    assert found.pairs == mechanical_pairs(report) and found.pairs


@pytest.mark.parametrize(
    ("source", "urls"),
    [
        ({"url": "https://operator.example/a"}, [OPERATOR]),
        ({"url": "HTTPS://OPERATOR.example/a#other"}, [OPERATOR]),
        ({"number": "2"}, [MINISTRY]),
        ({"number": "[2]"}, [MINISTRY]),
    ],
)
def test_a_source_is_an_address_of_the_report_or_a_number_of_its_list(source, urls):
    assert [pair.url for pair in extract(GREW | source).pairs] == urls


def test_a_statement_may_differ_a_little_from_the_report_and_is_found_in_its_place():
    (pair,) = extract({"statement": "Grids stored 3,5 GW  in 2023", "url": OPERATOR}).pairs
    assert pair.places == (0,)


def test_a_statement_over_two_sentences_covers_both():
    both = " ".join(each.text for each in Report(REPORT).statements[:2])
    (pair,) = extract({"statement": both, "url": MINISTRY}).pairs
    assert pair.places == (0, 1)


CITED = [
    "Grew [1].", "Drip hoses halve the use of water [1].", "They cost 3 euros [1][2].",
    "Mulch [2] cuts watering by a third [1, 2].", "A **butt** fills in a summer.[^2]",
    "The [trial of hoses](https://operator.example/a#part) ended (https://ministry.example).",
    "The share rose^[1]^ by 3 %.", "Costs fell<sup>[2]</sup>.", "井道贴吸音棉有效 [1]。",
    "每台电梯的材料费约 800 元【2】。", "可再降[3 分贝](https://ministry.example)，见[1]。",
]  # fmt: skip


def given_back(*statements):
    """The places of statements of which one extracts with an address of the report."""
    text = " ".join(CITED) + "\n\n" + REPORT[REPORT.index("## R") :]
    found = extract(*({"statement": each, "url": OPERATOR} for each in statements), text=text)
    return [pair.places for pair in getattr(found, "pairs", ())]


@pytest.mark.parametrize("number", range(len(CITED)))
def test_a_statement_copied_with_its_citations_stands_in_the_report(number):
    assert given_back(CITED[number]) == [(number,)]
    assert given_back(f"Wind was abolished by decree{CITED[number][-5:]}") == []


def test_sentences_copied_with_their_citations_cover_those_that_they_are():
    both = [" ".join(CITED[start : start + 2]) for start in range(len(CITED) - 1)]
    pairs = [(start, start + 1) for start in range(len(CITED) - 1)]
    assert given_back(*both) == pairs
    assert given_back("".join(CITED[8:10])) == [(8, 9)]  # as Chinese is written
    assert given_back(" ".join(CITED)) == [tuple(range(len(CITED)))]


HELD = """Grids stored 3.5 GW in 2023 [1]. Wind power grew in the north [2]. In May the trial of 40
hoses ended [1], and costs of pumps fell by half [2]. See the
[tuning guide](https://operator.example/a).

""" + REPORT[REPORT.index("## R") :]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("Grids stored 3.5 GW in 2023 [1].", "Grids stored 3.5 GW in 2023."),
        ("Grids stored 3.5 GW in [9] 2023 [1][2].", "Grids stored 3.5 GW in 2023."),
        ("Grids stored 3,5 GW in 2023 [1].", "Grids stored 3,5 GW in 2023."),
        (f"[Grids]({OPERATOR}) stored 3,5 GW in 2023.", "Grids stored 3,5 GW in 2023."),
        ("costs of pumps fell by half [2]", "costs of pumps fell by half"),
        (" Wind power grew in the north. ", "Wind power grew in the north."),
        ("Wind", "Wind"),
    ],
)
def test_a_statement_copied_with_its_citations_is_judged_without_them(given, words):
    found = extract({"statement": given, "url": OPERATOR}, text=HELD)
    assert [pair.statement for pair in found.pairs] == [words]


def test_one_statement_copied_in_several_ways_is_one_pair():
    ways = [f"Grids stored 3.5 GW in 2023{marks}." for marks in ("", " [1]", " [1][2]", "[^2]")]
    items = [{"statement": each, "url": OPERATOR} for each in ways]
    found = extract(*items, text=HELD)
    assert len(found.pairs) == 1 and found.dropped == 0


CLAIMS = (
    "Wind power grew in that year. Solar power supplied 9 % of the electricity in that year and "
    f"nobody had expected it ([operator]({OPERATOR})). Grids stored 3.5 GW by then."
)


@pytest.mark.parametrize("mark", ["", " [1]", f" ([operator]({OPERATOR}))", "[^2][3]"])
def test_a_clause_stands_where_its_words_do_whatever_marks_it_has(mark):
    clause = "Solar power supplied 9 % of the electricity in that year"
    (pair,) = extract({"statement": f"{clause}{mark}", "url": OPERATOR}, text=CLAIMS).pairs
    assert (pair.statement, pair.places) == (clause, (1,))


@pytest.mark.parametrize(
    "given", ["[2]", "Waves [1]", "[Tides rose](https://elsewhere.example) [2]."]
)
def test_what_is_not_in_the_report_is_no_statement_with_marks_either(given):
    found = extract({"statement": given, "url": OPERATOR}, text=HELD)
    assert found.cause == "answer_unreadable"


def test_each_statement_that_is_none_is_looked_for_once(monkeypatch):
    searched = []

    def by_likeness(wanted, *text, **cut):
        searched.append(wanted)
        return fuzz.partial_ratio_alignment(wanted, *text, **cut)

    monkeypatch.setattr(f"{EXTRACT.takes.__module__}.fuzz", SimpleNamespace(
        partial_ratio_alignment=by_likeness, ratio=fuzz.ratio
    ))  # fmt: skip
    plain = [f"Wind was abolished by decree {number}." for number in range(3)]
    marked = [f"Wind was abolished by decree {number} [1]." for number in range(3, 5)]
    items = [{"statement": each, "url": OPERATOR} for each in [*plain, "Grids", *marked]]
    found = extract(*items)
    assert (len(found.pairs), found.dropped) == (1, 5)
    unmarked = [each.replace(" [1]", "") for each in marked]
    assert searched == [each.casefold() for each in [*plain, *unmarked]]


def test_items_beyond_those_looked_for_by_likeness_may_have_their_citations_too():
    many = [{"statement": f"Invented {n}.", "url": OPERATOR} for n in range(MOST_SEARCHED)]
    late = extract(*many, {"statement": "Costs fell by half [2].", "url": OPERATOR})
    assert [pair.places for pair in late.pairs] == [(1,)] and late.dropped == MOST_SEARCHED


def test_what_the_report_does_not_hold_is_dropped_and_counted():
    found = extract(
        GREW | {"url": OPERATOR},
        GREW | {"url": "https://elsewhere.example/"},
        GREW | {"number": "9"},
        {"statement": "Wind power was abolished by decree.", "url": OPERATOR},
        {"statement": "…", "url": OPERATOR},
    )
    assert len(found.pairs) == 1 and found.dropped == 4


def test_an_answer_of_which_nothing_is_in_the_report_is_asked_again_and_then_says_nothing():
    inputs = ReportText(language="en", report=REPORT)
    made_up = '{"statements": [{"statement": "Invented.", "url": "https://x.example"}]}'
    answer = read_reply(EXTRACT, inputs, made_up).value
    assert "none of these items" in EXTRACT.soft_check(inputs, answer)
    model = Model(lambda *_: json.loads(made_up))
    found = asyncio.run(extracted_by_model(Report(REPORT), model, language="en", repeat=0))
    assert found.cause == "answer_unreadable" and "none of the 1" in found.detail


BLIND = "Grids stored 3.5 GW in 2023 [1]. Costs fell by half [2].\n\nOf interest: https://x.example"
LINKS = "Read on:\n\n- **Tuning guide** https://a.example/x\n- URL: https://b.example/y"


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        (REPORT, True),
        ("Grids grew [1]. Costs fell.\n\n" + REPORT[REPORT.index("## R") :], True),
        ("储能增长了 [1]。成本下降（https://b.example/y）。\n\n[1] https://a.example/x", True),
        ("Written by [Acme Research](https://acme.example).\n\nWind power grew in 2023.", True),
        (BLIND, False),
        (LINKS, False),
        ("Grids stored 3.5 GW in 2023.", False),
        ("", False),
    ],
)
def test_an_empty_answer_is_asked_again_where_a_statement_is_cited_and_then_stands(text, cited):
    empty = read_reply(EXTRACT, ReportText(language="en", report=text), '{"statements": []}').value
    told = [
        EXTRACT.soft_check(ReportText(language=language, report=text), empty)
        for language in ("en", "zh")
    ]
    if cited:
        assert "no statement is given" in told[0] and "没有给出任何陈述" in told[1]
    else:
        assert told == ["", ""]
    found = extract(text=text)
    assert (found.pairs, found.dropped) == ((), 0)


def test_a_hostile_answer_is_searched_in_bounded_time():
    text = "word and more words. " * 5_000
    items = [{"statement": f"no such thing {n} anywhere at all", "url": "u"} for n in range(5_000)]
    inputs = ReportText(language="en", report=text + "https://a.example/")
    answer = EXTRACT.gives(statements=items)
    assert "none of these items" in EXTRACT.soft_check(inputs, answer)


def test_a_model_merges_what_it_calls_the_same():
    kept, _ = merge([[1, 3]], "Solar grew.", "Wind fell.", "Solar power grew a lot.")
    assert [(pair.statement, pair.places) for pair in kept] == [
        ("Solar power grew a lot.", (0, 2)),
        ("Wind fell.", (1,)),
    ]


def test_a_single_statement_needs_no_question():
    _, model = merge([], "Solar grew.")
    assert not model.asked


@pytest.mark.parametrize("same", [[[1, 3]], [[0, 1]]])
def test_numbers_that_are_not_there_are_refused(same):
    outcome, _ = merge(same, "Solar grew.", "Wind fell.")
    assert outcome.cause == "answer_unreadable"


def test_numbers_in_two_lists_are_asked_again_and_then_their_lists_are_one():
    inputs = Statements(language="en", statements=("a", "b", "c"))
    answer = read_reply(MERGE, inputs, '{"same": [[1, 2], [2, 3]]}').value
    assert "[2] are not" in MERGE.soft_check(inputs, answer)
    kept, _ = merge([[1, 2], [2, 3]], "Solar grew.", "Solar grew more.", "Solar")
    assert [pair.places for pair in kept] == [(0, 1, 2)]
