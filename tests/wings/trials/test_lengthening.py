"""Reports at greater length: what is asked for, what is refused, and what stays as it was."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepassay.models.ask import Answer
from deepassay.models.operation import OffMenu, Prose
from deepassay.models.prompt import BadPrompt
from deepassay.reports.report import Report
from deepassay.score import Cause, Unscored
from deepassay.wings.trials.lengthening import (
    ADDED,
    FIND_ADDED,
    REWRITE,
    Additions,
    Paragraph,
    lengthened,
    paragraphs_of,
)

TIDE = "The tide rises twice a day by 4.2 metres on average at the old harbour mole [1]."
LONGER = (
    "Twice a day, which is to say in the course of every single day and then once again, the tide "
    "rises, and on average it does so by 4.2 metres at the old harbour mole [1]."
)
REPORT = f"""# Tides

{TIDE}

- {TIDE}
- Short item [2].

| place | height |
|---|---|
| mole | 4.2 metres, and more than that in spring when the moon and the sun pull together |

## References

[1] Harbour office: https://a.example/tides
[2] Other: https://a.example/other
"""


def asking(rewrite, added=()):
    """A maker that rewrites by a function and says what was added."""

    async def ask(operation, inputs, *, repeat=0):
        if operation is FIND_ADDED:
            value = Additions(added=list(added))
        else:
            answer = rewrite(inputs)
            if isinstance(answer, Unscored):
                return answer
            value = Prose(text=answer)
            operation.check(inputs, value)
        return Answer(value, "k", "m")

    return ask


def done(text, rewrite, added=()):
    return asyncio.run(lengthened(Report(text), asking(rewrite, added)))


@pytest.mark.parametrize("operation", [REWRITE, FIND_ADDED], ids=lambda each: each.name)
def test_prompts_fit_what_they_are_given(operation):
    try:
        operation.verify()
    except BadPrompt as problem:
        pytest.fail(str(problem))


def test_paragraphs_and_items_grow_and_nothing_else_changes():
    found = done(REPORT, lambda inputs: LONGER)
    assert (found.paragraphs, found.rewritten) == (2, 2)
    assert found.text == REPORT.replace(TIDE, LONGER)


def test_each_paragraph_is_shown_between_its_neighbours():
    texts = [f"Paragraph {number}: {TIDE}" for number in (7, 8, 9)]
    seen = []
    done("\n\n".join(texts), lambda inputs: seen.append(inputs) or Unscored(Cause.TIMEOUT, "late"))
    assert [(each.before, each.paragraph, each.after) for each in seen] == [
        ("", texts[0], texts[1]), (texts[0], texts[1], texts[2]), (texts[1], texts[2], "")
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (LONGER.replace("4.2", "4.3"), "number 4.3 does not stand"),
        (LONGER.replace("by 4.2 metres ", ""), "number 4.2 is missing"),
        (LONGER.replace("[1]", "[1][2]"), "[2] does not stand"),
        (LONGER.replace(" [1]", ""), "[1] is missing"),
        (LONGER + " See https://b.example/x", "https://b.example/x does not stand"),
        (f"# More\n\n{LONGER}", "one paragraph of running text"),
        (f"{LONGER}\n\n{LONGER}", "one paragraph of running text"),
        (TIDE, "hardly longer"),
        ("", "one paragraph of running text"),
    ],
)
def test_what_says_something_else_goes_back(answer, reason):
    inputs = Paragraph(language="en", paragraph=TIDE, before="", after="")
    with pytest.raises(OffMenu) as problem:
        REWRITE.check(inputs, Prose(text=answer))
    assert reason in str(problem.value)


def test_a_paragraph_to_which_something_was_added_stays():
    found = done(REPORT, lambda inputs: LONGER, added=["every single day"])
    assert (found.text, found.rewritten, found.kept) == (REPORT, 0, {ADDED: 2})


def test_an_addition_that_is_not_to_be_found_counts_for_nothing():
    assert done(REPORT, lambda inputs: LONGER, added=["a storm in May", ""]).rewritten == 2


def test_a_paragraph_that_no_answer_fits_stays_and_a_lost_answer_leaves_no_report():
    unreadable = Unscored(Cause.ANSWER_UNREADABLE, "three times too short")
    assert done(REPORT, lambda inputs: unreadable).kept == {"no answer fitted": 2}
    lost = Unscored(Cause.JUDGE_UNREACHABLE, "cut off")
    assert done(REPORT, lambda inputs: lost) == lost


_WORDS = st.lists(
    st.sampled_from(["tide", "7", "[1]", "harbour", "潮", "1,200", "rises.", "(4.5)", "moon;"])
)


@given(_WORDS, st.sampled_from(["en", "zh"]))
def test_the_floor_adds_and_loses_nothing(words, language):
    text = f"The harbour office says that this is so {' '.join(words)} at all times of the year."
    inputs = Paragraph(language=language, paragraph=text, before="", after="")
    try:
        REWRITE.check(inputs, REWRITE.offline(inputs))
    except OffMenu as problem:
        pytest.fail(str(problem))


def test_chinese_paragraphs_grow_too():
    text = "潮水每天上涨两次，平均高度为4.2米，港务局自1951年起在老码头持续记录这些数据。"
    (part,) = paragraphs_of(Report(text))
    found = done(text, lambda inputs: REWRITE.offline(inputs).text)
    assert part.text == text and "也就是说" in found.text and found.rewritten == 1
