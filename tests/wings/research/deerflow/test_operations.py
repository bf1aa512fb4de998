"""What the research agent asks: prompts that fit, checks that name faults, rules that pass."""

from __future__ import annotations

import pytest

from deepassay.models.operation import OffMenu, Operation
from deepassay.wings.research.deerflow import (
    gaps,
    outlining,
    paper_edition,
    planning,
    reading,
    sentence_questions,
    writing,
)
from deepassay.wings.research.deerflow.asking import (
    ids_in,
    text_without_fences,
    why_unfit_prose,
    with_ids,
)
from deepassay.wings.research.deerflow.checking import formed
from deepassay.wings.research.deerflow.evidence import (
    missing_numbers,
    numbers_in,
    quotes_contradict,
)

OPERATIONS = [
    each
    for module in (planning, gaps, reading, outlining, writing, sentence_questions, paper_edition)
    for each in vars(module).values()
    if isinstance(each, Operation)
]
TASK = "How high are the spring tides at Arn? Compare 2020 with 2024, and name the causes."
LINES = [
    "[e1] Spring tides at Arn reached 4.2 m in 2020. (a.example) questions: 1",
    "[e2] Spring tides at Arn reached 4.9 m in 2020. (b.example) questions: 1",
    "[e3] The moon causes the spring tides. (b.example) questions: 2",
]


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each.name)
def test_prompts_of_both_languages_fit_their_operation(operation):
    operation.verify()


def by_rule(operation, **fields):
    """What the rule answers, which must pass the operation's own check."""
    inputs = operation.takes(language="en", **fields)
    answer = operation.offline(inputs)
    operation.check(inputs, answer)
    assert operation.soft_check(inputs, answer) == ""
    return answer


def test_the_rules_lead_from_a_task_to_sections():
    frame = by_rule(planning.FRAME, prompt=TASK)
    assert frame.must_cover == [
        "How high are the spring tides at Arn?",
        "Compare 2020 with 2024, and name the causes.",
    ]
    plan = by_rule(planning.PLAN, prompt=TASK, must_cover=frame.must_cover)
    questions = [each.question for each in plan.questions]
    assert questions == frame.must_cover
    said = by_rule(gaps.GAPS, questions=questions, needs=[2, 1], lines=LINES)
    assert said.answered == [1, 2]
    assert [(each.first, each.second) for each in said.contradictions] == [("e1", "e2")]
    outline = by_rule(outlining.OUTLINE, prompt=TASK, questions=questions, lines=LINES)
    assert [each.evidence for each in outline.sections] == [["e1", "e2"], ["e3"]]


def test_a_query_by_rule_is_new_each_time():
    tried = []
    for _ in range(6):
        asked = {"prompt": TASK, "question": TASK[:37], "found": [], "day": "2026-05-04"}
        answer = by_rule(planning.QUERY, tried=tried, **asked)
        tried += answer.queries
    assert len({each.casefold() for each in tried}) == len(tried)


def test_pages_of_different_hosts_are_chosen_before_a_second_of_one():
    hits = [
        "Tides (a.example) spring tides at Arn",
        "More tides (a.example) spring tides at Arn",
        "Moon (b.example) tides",
        "Cooking (c.example) soup",
    ]
    answer = by_rule(planning.CHOOSE, questions=["spring tides at Arn"], hits=hits, most=3)
    assert answer.pages == [1, 3, 2]


def test_quotes_by_rule_stand_on_the_page():
    page = "# Tides\n\nSpring tides at Arn reached 4.2 m in 2020. Soup is good.\n"
    inputs = reading.PageWindow(language="en", page=page, questions=["spring tides at Arn"])
    (found,) = reading.quotes_on_page(inputs, reading.READ.offline(inputs))
    assert page[found.start : found.end] == found.quote.quote
    altered = found.quote.model_copy(update={"quote": found.quote.quote.replace("4.2", "4.3")})
    answer = reading.Quotes(quotes=[altered])
    assert reading.quotes_on_page(inputs, answer) == []
    assert "letter for letter" in reading.READ.soft_check(inputs, answer)


def test_a_section_by_rule_cites_every_quote():
    fields = {"prompt": TASK, "heading": "Tides", "aim": "", "written": []}
    text = by_rule(writing.WRITE_SECTION, evidence=LINES[:2], **fields).text
    assert ids_in(text) == ["e1", "e2"]
    assert by_rule(writing.WRITE_SECTION, evidence=[], **fields).text.startswith("No source")


def test_figures_that_no_quote_has_are_not_supported():
    quotes = ["The tide rose by 1,200 mm in 2020."]
    assert missing_numbers("It rose by 1200 mm.", quotes) == []
    assert missing_numbers("It rose by 1300 mm.", quotes) == ["1300"]
    verdicts = by_rule(
        sentence_questions.CHECK,
        sentences=["The tide rose by 1,200 mm in 2020 [e1].", "The tide rose by 1300 mm [e1]."],
        quotes=quotes * 2,
    )
    assert verdicts.verdicts == ["supported", "not"]


FAULTS = [
    (planning.FRAME, {"prompt": TASK}, {"must_cover": ["..."]}, "no word"),
    (planning.FRAME, {"prompt": TASK}, {"must_cover": ["<text>"]}, "no word"),
    (planning.PLAN, {"prompt": TASK, "must_cover": ["a", "b"]}, {"questions": [
        {"question": "What is a?", "covers": [3], "importance": 2, "needs": 1}]}, "span 3"),
    (planning.PLAN, {"prompt": TASK, "must_cover": ["a"]}, {"questions": [
        {"question": "...", "covers": [1], "importance": 2, "needs": 1}]}, "no word"),
    (paper_edition.STEPS, {"prompt": TASK}, {"steps": [{"step": "Tides", "queries": ["..."]}]},
     "no word"),
    (planning.QUERY, {"prompt": TASK, "question": "q", "tried": ["Tides  Arn"], "found": [],
                      "day": "2026-05-04"}, {"queries": ["\"tides\", arn"]}, "tried already"),
    (planning.QUERY, {"prompt": TASK, "question": "q", "tried": [], "found": [],
                      "day": ""}, {"queries": ["[c6673ad0a0e8]"]}, "no word"),
    (planning.QUERY, {"prompt": TASK, "question": "q", "tried": [], "found": [],
                      "day": ""}, {"queries": ["https://find.example?q=tides"]}, "an address"),
    (planning.CHOOSE, {"questions": ["q"], "hits": ["a"], "most": 2}, {"pages": [2]}, "hit 2"),
    (gaps.GAPS, {"questions": ["q", "r"], "needs": [1, 1], "lines": LINES[:1]},
     {"answered": [], "unanswerable": [], "new": ["..."], "contradictions": []}, "no word"),
    (outlining.OUTLINE, {"prompt": TASK, "questions": ["q"], "lines": LINES},
     {"title": "Tides", "sections": [{"heading": "h", "aim": "", "questions": [1],
                    "evidence": ["e9"]}]}, "no evidence e9"),
    (outlining.OUTLINE, {"prompt": TASK, "questions": ["q"], "lines": LINES},
     {"title": "Tides", "sections": [{"heading": "...", "aim": "", "questions": [1],
                    "evidence": ["e1"]}]}, "no word"),
    (outlining.OUTLINE, {"prompt": TASK, "questions": ["q"], "lines": LINES},
     {"title": "...", "sections": [{"heading": "h", "aim": "", "questions": [1],
                    "evidence": ["e1"]}]}, "no word"),
    (reading.SUMMARISE, {"quotes": ["a", "b"]}, {"summaries": ["a"]}, "1 summaries for 2"),
    (sentence_questions.CHECK, {"sentences": ["a", "b"], "quotes": ["a", "b"]},
     {"verdicts": ["not"]}, "1 v"),
]  # fmt: skip


@pytest.mark.parametrize(("operation", "given", "answer", "problem"), FAULTS)
def test_a_check_names_the_fault(operation, given, answer, problem):
    inputs = operation.takes(language="en", **given)
    with pytest.raises(OffMenu, match=problem):
        operation.check(inputs, operation.gives.model_validate(answer))


def test_passages_that_do_not_stand_in_the_task_make_way_for_its_sentences():
    inputs = planning.TaskPrompt(language="en", prompt=TASK)
    frame = planning.Frame(must_cover=["Compare 2020 with 2024", "tides at sea"])
    assert "letter for letter" in planning.FRAME.soft_check(inputs, frame)
    assert planning.covered(inputs, frame) == [
        "Compare 2020 with 2024",
        "How high are the spring tides at Arn?",
    ]
    whole = planning.Frame(must_cover=["name the causes"])
    assert planning.covered(inputs, whole) == ["name the causes"]


def test_a_plan_asks_once_and_leaves_no_passage_out():
    inputs = planning.Covering(language="en", prompt=TASK, must_cover=["a tide", "the moon", "a"])
    given = {"importance": 3, "needs": 1}
    plan = planning.Questions(
        questions=[
            planning.PlannedQuestion(question="How high is it?", covers=[1], **given),
            planning.PlannedQuestion(question="How high is it ?", covers=[3], **given),
        ]
    )
    asked = [(each.question, each.covers) for each in planning.completed(inputs, plan)]
    assert asked == [("How high is it?", [1, 3]), ("the moon", [2])]


def test_what_no_evidence_bears_out_is_not_answered_and_contradicts_nothing():
    inputs = gaps.LedgerInputs(language="en", questions=["q", "r"], needs=[1, 1], lines=LINES[:2])
    pairs = [("e1", "e1"), ("e1", "e9"), ("e1", "e2")]
    said = gaps.Gaps(
        answered=[1, 2],
        unanswerable=[],
        new=[],
        contradictions=[gaps.Contradiction(first=a, second=b) for a, b in pairs],
    )
    found = gaps.borne_out(inputs, said)
    assert found.answered == [1]
    assert [(each.first, each.second) for each in found.contradictions] == [("e1", "e2")]


@pytest.mark.parametrize(
    ("sections", "expected"),
    [
        ([([1], []), ([2], ["e3"])], [["e1", "e2"], ["e3"]]),  # an empty one has evidence after all
        ([([1], ["e1"])], [["e1"], ["e3"]]),  # the second question was left out
        ([([], [])], [["e1", "e2"], ["e3"]]),  # nothing that anybody could write from
        ([([1], ["e1"]), ([2], ["e2", "e3"])], [["e1"], ["e2", "e3"]]),
    ],
)
def test_an_outline_binds_evidence_to_every_question(sections, expected):
    inputs = outlining.Outlining(
        language="en", prompt=TASK, questions=["tides", "moon"], lines=LINES
    )
    outline = outlining.Outline(
        title="Tides",
        sections=[
            outlining.PlannedSection(heading="h", aim="", questions=questions, evidence=evidence)
            for questions, evidence in sections
        ],
    )
    assert [each.evidence for each in outlining.bound(inputs, outline)] == expected


@pytest.mark.parametrize("text", ['{"a": "[e1]"}', '```json\n{"a": 1}\n```', '[{"a": "[e1]"}]'])
def test_json_in_place_of_prose_is_doubted_and_not_taken(text):
    inputs = paper_edition.Reporting(language="en", prompt=TASK, findings=["Step\nSo it is [e1]."])
    assert "JSON" in paper_edition.REPORT.soft_check(inputs, writing.Prose(text=text))
    assert why_unfit_prose(text, ["e1"]) == "data"
    assert (
        why_unfit_prose("[e1] says so.", ["e1"]) == ""
        and why_unfit_prose("So it is.", ["e1"]) == "uncited"
    )


@pytest.mark.parametrize(
    ("draft", "expected"),
    [
        ("# T\n\n### A\n\na\n\n### B\n\nb\n", "# T\n\n## A\n\na\n\n## B\n\nb\n"),
        ("# T\n\n## A\n\n### B\n\n## C\n", "# T\n\n"),
        (
            "# T\n\n## A\n\n### B\n\nb\n\n### C\n\n## D\n\nd\n",
            "# T\n\n## A\n\n### B\n\nb\n\n## D\n\nd\n",
        ),
        (
            "# T\n\n## A\n\n```\n# no heading\n```\n\n## B\n\n| a |\n|---|\n| b |\n",
            "# T\n\n## A\n\n```\n# no heading\n```\n\n## B\n\n| a |\n|---|\n| b |\n",
        ),
        ("# T\n\n#### A\n\na\n\n## B\n\n#### C\n\nc\n", "# T\n\n## A\n\na\n\n## B\n\n### C\n\nc\n"),
        ("# T\n\n```\n### A\n```\n", "# T\n\n```\n### A\n```\n"),
        ("# T\n\n| a | b |\n|---|---|\n\nb\n", "# T\n\n\nb\n"),
        ("# T\n\n| a | b |\n|---|---|\n| 1 | 2 |\n", "# T\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"),
    ],
)
def test_a_draft_skips_no_level_and_has_no_table_without_rows(draft, expected):
    assert formed(draft) == expected and formed(expected) == expected


def test_what_a_prompt_puts_around_texts_is_taken_out_of_what_copies_it():
    inputs = paper_edition.Reporting(language="en", prompt=TASK, findings=["Step\nSo it is [e1]."])
    prompt = paper_edition.REPORT.render(inputs, "salt").text
    lines = [line for line in prompt.splitlines() if line.startswith("<<<")]
    code = lines[0].split()[-1]
    text = f"[{code}] So it is [e1].\n{lines[0]}\n{lines[-1]}"
    assert text_without_fences(text, prompt).strip() == "So it is [e1]."


def test_prose_that_cites_what_it_was_not_given_is_doubted_once():
    inputs = writing.SectionInputs(
        language="en", prompt=TASK, heading="h", aim="", evidence=LINES[:1], written=[]
    )
    assert "[e7]" in writing.WRITE_SECTION.soft_check(inputs, writing.Prose(text="So it is [e7]."))


@pytest.mark.parametrize(
    ("one", "other", "against"),
    [
        ("Losses were 34 % in 2020.", "Losses were 22 % in 2020.", True),
        ("Losses were 34 % in 2020.", "Losses were 34% in 2020.", False),
        ("Losses were 34 % in 2020.", "Losses were 22 % in 2021.", False),
        ("Losses were 34 % in 2020.", "The moon is 22 % of it in 2020.", False),
        ("2020年损失率为34%。", "2020年损失率为22%。", True),
    ],
)
def test_contradictions_are_other_numbers_of_one_thing(one, other, against):
    assert quotes_contradict(one, other) is against


def test_identifiers_go_before_the_mark_that_ends_a_sentence():
    assert with_ids("It rose.", ["e1", "e2"]) == "It rose [e1, e2]."
    assert with_ids("水位上升。", ["e1"]) == "水位上升[e1]。"
    assert ids_in("a [e1, e2] b [e3]【e4】") == ["e1", "e2", "e3"]
    assert numbers_in("1,200 and 3.5 and 7") == ["1200", "3.5", "7"]


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("How do tides form? Say it in short.", "How do tides form"),
        ("潮汐是如何形成的？请简要说明。", "潮汐是如何形成的"),
        (
            "Compare the harbours of the eastern coast that were rebuilt after the flood, with "
            "their costs, their traffic and what the people who live there think of them today.",
            "Compare the harbours of the eastern coast that were rebuilt after the flood",
        ),
        (
            "请比较东部沿海各城市在洪水之后重建的港口和码头的总体规模以及资金来源情况，" * 2
            + "并且说明当地居民的看法。",
            "请比较东部沿海各城市在洪水之后重建的港口和码头的总体规模以及资金来源情况，"
            "请比较东部沿海各城市在洪水之后重建的港口和码头的总体规模以及资金来源情况",
        ),
    ],
)
def test_a_title_by_rule_ends_where_a_clause_ends(prompt, title):
    assert outlining.title_by_rule(prompt) == title
