"""What each of the three is asked, and what becomes of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepassay.runfile.people_said import Answered
from deepassay.tasks.history import standing_texts
from deepassay.tasks.task import Task
from deepassay.tasks.yardsticks import Criterion
from deepassay.wings.build.authoring.rubric_answers import draft_after_answers
from deepassay.wings.build.authoring.rubric_drafts import (
    Open,
    RubricDraft,
    begun,
    criterion_in_words,
    parts_of_draft,
    read_words,
    with_edits,
)
from deepassay.wings.build.authoring.rubric_round_tables import agreement_table, decided
from deepassay.wings.build.authoring.rubric_rounds import AXES, Maker
from tests.wings.build.authors import Authors, outcome

GRANT = Criterion(id="c1", criterion="Names a grant.", weight=4, axis="Explicit Criteria")
OWNER = Criterion(id="c2", criterion="Names owner and age.", weight=1, axis="Implicit Criteria")
LAWNS = Criterion(id="c3", criterion="Praises lawns.", weight=-2, axis="Instruction Following")
MAKER = Maker(AXES)


def draft(stage="review", *more: Open, language="en") -> RubricDraft:
    task = Task(id="hedges", prompt="Who pays for hedges?", language=language)
    new = begun(task, ("ana", "bo", "cy"), "lee")
    rubric = (GRANT, OWNER, LAWNS)
    return with_edits(
        new.model_copy(update={"rubric": rubric, "open": more, "stage": stage}), "lee"
    )


def questions(own: RubricDraft):
    return {each.item: each for each in MAKER.item("hedges", own).questions}


def answer(own: RubricDraft, changes=(), at="2026-01-02T00:00:00+00:00") -> RubricDraft:
    """Keep or adopt everything but for changes: value, line or lines, and comment by criterion."""
    item = MAKER.item("hedges", own)
    changes = dict(changes)
    answers = []
    for each in item.questions:
        first = each.menu[0].value if each.menu else ""
        value, lines, comment = changes.get(each.item, (first, [], ""))
        answers.append(
            Answered(0, item, each, item.raters[0], value, tuple(lines), comment, "", 1.0, at, True)
        )
    return draft_after_answers(own, answers)


def line(text, weight="2", axis="Implicit Criteria"):
    return {"text": text, "weight": weight, "axis": axis}


def test_a_reviewer_is_asked_about_everything_with_findings_beside_it():
    own = questions(draft())
    assert list(own) == ["prompt", "c1", "c2", "c3", "missing"]
    assert [each.value for each in own["c1"].menu] == ["keep", "change", "drop"]
    assert own["c1"].text.endswith("Weight: 4, critically important. Axis: Explicit Criteria")
    assert own["c1"].original == line("Names a grant.", "4", "Explicit Criteria")
    assert [each.text for each in own["c2"].shown] == [
        'asks for two things? "Names owner and age."'
    ]
    assert MAKER.item("hedges", draft()).raters == ("bo",)


def test_pages_in_chinese_are_chinese():
    own = questions(draft(language="zh"))
    assert own["c1"].text.endswith("权重：4，至关重要；维度：明确要求")
    assert own["c1"].menu[1].zh == "修改后保留"


def test_the_third_sees_nothing_of_what_was_said():
    wish = Open(of="c1", said="drop", comment="too easy", reply="keep", answer="it is not")
    own = questions(draft("final", wish))
    assert list(own) == ["prompt", "c1", "c2", "c3", "missing"]
    assert not own["c1"].shown and "easy" not in str(own)


def test_both_go_on_about_what_is_open_until_nothing_is():
    first = answer(
        draft(),
        {
            "c1": ("change", [line("Names two grants.", "5", "Explicit Criteria")], ""),
            "c2": ("drop", [], "two things"),
            "missing": ("", [line("Names a county.")], ""),
        },
    )
    assert first.stage == "revise" and first.rubric == (GRANT, OWNER, LAWNS)
    assert list(questions(first)) == ["c1", "c2", "c4", "missing"]

    second = answer(
        first,
        {"c2": ("other", [line("Names the owner.")], ""), "c4": ("keep", [], "it is known")},
    )
    assert [each.criterion for each in second.rubric] == [
        "Names two grants.", "Names the owner.", "Praises lawns."
    ]  # fmt: skip
    assert second.stage == "review" and list(questions(second)) == ["c2", "c4", "missing"]
    assert [each.value for each in questions(second)["c4"].menu] == ["keep", "insist", "change"]

    third = answer(second, {"c4": ("insist", [], "it is not known")})
    assert third.stage == "revise" and list(questions(third)) == ["c4", "missing"]
    fourth = answer(third)
    assert fourth.stage == "final" and [each.id for each in fourth.rubric] == [
        "c1",
        "c2",
        "c3",
        "c4",
    ]

    done = answer(fourth, {"c3": ("drop", [], "no"), "missing": ("", [line("Says when.")], "")})
    assert done.stage == "done" and [each.id for each in done.rubric] == ["c1", "c2", "c4", "c5"]
    assert standing_texts(done.history) == parts_of_draft(done)
    assert MAKER.item("hedges", done) is None
    assert [each.step for each in done.history if each.of == "stage"][2:] == [
        "review 1", "revise 1", "review 2", "revise 2", "final"
    ]  # fmt: skip


def test_a_prompt_goes_to_and_fro_like_a_criterion():
    wish = {"prompt": ("change", [{"text": "Who pays for hedges in 2025?"}], "")}
    first = answer(draft(), wish)
    second = answer(first, {"prompt": ("other", [{"text": "Who pays now?"}], "")})
    own = questions(second)["prompt"]
    assert second.prompt == "Who pays now?" and own.original == {"text": "Who pays now?"}
    assert [each.value for each in own.menu] == ["keep", "change"]
    kept = answer(first, {"prompt": ("keep", [], "no")})
    assert kept.prompt == "Who pays for hedges?"
    assert [each.text for each in questions(kept)["prompt"].shown] == [
        "Who pays for hedges in 2025?", "keeps to it\nno"
    ]  # fmt: skip
    assert answer(answer(kept, {"prompt": ("insist", [], "yes")})).prompt.endswith("in 2025?")


def test_a_rubric_of_which_all_goes_is_proposed_anew():
    gone = {name: ("drop", [], "no") for name in ("c1", "c2", "c3")}
    own = answer(answer(draft(), gone))
    assert (own.stage, own.rubric, own.open, own.whose) == ("propose", (), (), "ana")
    again = answer(
        own, {"prompt": ("", [line("Who?")], ""), "criteria": ("", [line("Names.")], "")}
    )
    assert again.stage == "review" and [each.id for each in again.rubric] == ["c4"]


def test_agreement_is_counted_from_the_history():
    first = answer(
        draft(),
        {
            "c1": ("change", [line("Names two grants.", "5", "Explicit Criteria")], ""),
            "c3": ("drop", [], "no"),
            "missing": ("", [line("Names a county.")], ""),
        },
    )
    found = decided({"hedges": first})["review 1"]
    assert found.said == {"keep": 1, "change": 1, "drop": 1, "add": 1}
    assert found.criteria == 3
    assert sorted(found.weights) == [(1, 1), (4, 5)]
    # By hand: units (1, 1) and (4, 5); observed 2 * 1 / 4, expected the mean over 6 pairs.
    apart = [(a - b) ** 2 for at, a in enumerate([1, 1, 4, 5]) for b in [1, 1, 4, 5][at + 1 :]]
    alpha = 1 - 0.5 / (sum(apart) / 6)
    (row,) = agreement_table({"hedges": first}).rows
    assert row[-2] == f"{alpha:.2f}" and row[3] == "33.3 %"


@pytest.mark.parametrize("weight", [5.0, -2.5])
@given(words=st.text(min_size=1).filter(str.strip), axis=st.sampled_from(["", "Use of sources"]))
def test_a_criterion_is_read_from_a_history_as_it_was_written(weight, words, axis):
    own = Criterion(id="c1", criterion=words, weight=weight, axis=axis)
    assert read_words(criterion_in_words(own)) == (weight, axis, words)


def test_what_is_no_criterion_is_not_read_as_one():
    assert read_words("drop") is None and read_words("done") is None


@pytest.mark.parametrize("language", ["en", "zh"])
def test_whatever_three_people_say_a_rubric_comes_to_its_end_as_they_said(language):
    for seed in range(25):
        authors, task = Authors(seed), Task(id="hedges", prompt="Who pays?", language=language)
        own = begun(task, ("ana", "bo", "cy"), "lee")
        turns = 0
        while item := MAKER.item("hedges", own):
            said = authors.decided(item, item.raters[0])
            at = f"2026-01-01T00:00:{turns:02}+00:00"
            own = draft_after_answers(own, [
                Answered(0, item, question, each.who, each.value, tuple(each.lines), each.comment,
                         "", 1.0, at, True)
                for question, each in zip(item.questions, said, strict=True)
            ])  # fmt: skip
            authors.entered += said
            turns += 1
            assert turns < 40
            assert RubricDraft.model_validate_json(own.model_dump_json()) == own
            assert standing_texts(own.history) == parts_of_draft(own)
        prompt, rubric = outcome(authors.entered, {"hedges": "Who pays?"})["hedges"]
        assert prompt == own.prompt
        assert rubric == {e.id: (e.criterion, e.weight, e.axis) for e in own.rubric}
