"""Where a prompt is cut for the leakage test."""

import asyncio
import json
import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.models.ask import Answer, OfflineAsker
from deepassay.models.operation import Prose
from deepassay.runfile import RunFile
from deepassay.score import Cause, Unscored
from deepassay.tasks.task import Task
from deepassay.wings.build.leakage.leakage import (
    CONTINUE,
    Continuation,
    LeakageTrial,
    Prefix,
    Similarity,
    continued,
    leakage_words,
    overlap,
    prompt_halves,
    similarities,
    string_similarity,
    tfidf_similarities,
    trial_as_json,
    with_similarities,
)
from deepassay.wings.build.leakage.leakage_tables import averages, write_leakage
from tests.growth import assert_linear, repeated


@pytest.mark.parametrize(
    ("prompt", "suffix"),
    [
        ("one two. three four", ". three four"),
        ("a, b. c; d", ". c; d"),
        ("ab, cdef；g", ", cdef；g"),  # at 2 and 8 of 10: the left one
        ("AI，ML and so on", "，ML and so on"),
        ("Short. This part goes on and on and on, and ends", ", and ends"),
        ("costs rise by 3.5 or 10,000 units: why so", ": why so"),
        ("see example.org or 10:30 today; then go", "; then go"),
        ("wait... what is this", "... what is this"),
        ("really?! yes", "?! yes"),
        ("a well-known 'quoted' word (here), so it is", ", so it is"),
        ("比较三种做法，说明失败的原因。", "，说明失败的原因。"),
        ("第一、第二，第", "、第二，第"),
        ("研究,然后总结", ",然后总结"),  # a half-width mark between Han characters
        ("写明 3.5 万元；再给出建议", "；再给出建议"),
    ],
)
def test_cut_before_the_mark_nearest_the_middle(prompt, suffix):
    assert prompt_halves(prompt) == (prompt.removesuffix(suffix), suffix)


@pytest.mark.parametrize(
    "prompt", ["Why is the sky blue?", "well-known words", "...", "", ". a", "3.5"]
)
def test_no_cut_without_a_mark_that_has_words_on_both_sides(prompt):
    assert prompt_halves(prompt) is None


@settings(deadline=None)
@given(st.text("ab1 .,;:!?。，、天地-\n'"))
def test_halves_are_the_prompt_and_no_mark_is_nearer(prompt):
    found = prompt_halves(prompt)
    if found is None:
        return
    prefix, suffix = found
    assert prefix + suffix == prompt
    assert suffix[0] in ".,;:!?。，、"
    assert any(map(str.isalnum, prefix)) and any(map(str.isalnum, suffix))
    for wide in "。，、":
        for at in (at for at, mark in enumerate(prompt) if mark == wide and at):
            inner = any(map(str.isalnum, prompt[:at])) and any(map(str.isalnum, prompt[at:]))
            if inner and prompt[at - 1] not in ".,;:!?。，、":
                assert abs(2 * len(prefix) - len(prompt)) <= abs(2 * at - len(prompt))


@pytest.mark.parametrize("piece", [".", "a.", "a. ", "天，", "3.5 ", " "])
def test_a_long_prompt_is_halved_in_linear_time(piece):
    assert_linear(prompt_halves, lambda size: f"a {repeated(piece)(size)} b", 60_000)


# ------------------------------------------------------------------ leakage similarity


# DeepResearch Arena, Table 4: composite, string, TF-IDF, overlap in percent, over 100 tasks.
TABLE_4 = {
    "gpt-4o-search-preview": (9.8, 10.4, 7.1, 14.1),
    "gpt-4o-mini-search-preview": (9.4, 7.7, 7.2, 17.2),
    "gpt-4.1": (14.8, 22.4, 8.3, 12.4),
    "gpt-4.1-mini": (13.6, 17.9, 8.9, 14.4),
    "o4-mini": (10.5, 5.7, 9.4, 21.9),
    "gemini-2.5-pro": (13.8, 20.8, 7.5, 12.4),
    "gemini-2.5-flash": (13.7, 22.2, 6.9, 10.1),
    "grok-4": (14.8, 22.2, 8.4, 12.7),
    "the worked example": (12.7, 15.3, 9.4, 14.3),  # section A.4
}
ROUNDING = 0.05
TEXTS = st.text("ab c.天地，A1", max_size=30)


@pytest.mark.parametrize("row", TABLE_4)
def test_composites_of_the_paper_follow_from_their_parts(row):
    """The composite is linear in its parts, so that of averages is the average."""
    composite, *parts = TABLE_4[row]
    ours = 100 * Similarity(*(part / 100 for part in parts)).composite
    assert ours == pytest.approx(composite, abs=2 * ROUNDING)


def test_the_average_of_the_table_is_that_of_its_rows():
    rows = [row for name, row in TABLE_4.items() if name != "the worked example"]
    averages = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
    assert averages == pytest.approx([12.6, 16.1, 8.0, 14.4], abs=2 * ROUNDING)


def test_the_worked_example_is_not_cut_as_its_equation_says(shared):
    """Eq. 9 cuts before a punctuation mark; the example's suffix begins with a word."""
    paper = (shared / "papers" / "arena.txt").read_text(encoding="utf-8")
    found = re.search(r"Input Prefix:\n(.+?)\nReference Suffix:\n(.+?)\n\nModel-", paper, re.DOTALL)
    prefix, suffix = (part.replace("-\n", "").replace("\n", " ") for part in found.groups())
    assert suffix[0].isalpha()
    ours = prompt_halves(f"{prefix} {suffix}")
    first_word, _, rest = suffix.partition(".")
    assert ours == (f"{prefix} {first_word}", f".{rest}")


def test_three_sevens_are_not_above_seven_tenths():
    assert not Similarity(0.7, 0.7, 0.7).leaked
    assert Similarity(0.7, 0.7, 0.71).leaked
    assert not Similarity(1.0, 0.0, 1.0).leaked


def test_string_similarity_by_hand():
    # The longest common subsequence of the textbook pair is BCBA, of four characters.
    assert string_similarity("ABCBDAB", "BDCABA") == 2 * 4 / (7 + 6)
    assert string_similarity("abc", "xyz") == 0
    assert string_similarity("天空是蓝色的", "天是蓝的") == 2 * 4 / 10


def test_overlap_is_the_share_of_the_words_of_the_suffix():
    assert overlap("The cost, the noise.", "noise NOISE the house") == 2 / 3
    assert overlap("a", "a b c d") == 1
    assert overlap("比较成本", "成本比较") == 2 / 3  # 比较 and 成本, but not 较成
    assert overlap("one", "") == 0


def test_words_are_runs_of_letters_and_pairs_of_han_characters():
    assert list(leakage_words("The 3.5 MW plant_x, 热泵系统 和 AI技术。")) == [
        *("the", "3", "5", "mw", "plant", "x"),
        *("热泵", "泵系", "系统", "和", "ai", "技术"),
    ]


def test_tfidf_by_hand():
    """Two texts, `a` in both and `b`, `c` in one each: weights 1 and ln(3 / 2) + 1."""
    rare = math.log(3 / 2) + 1
    (found,) = tfidf_similarities([("a b", "a c")])
    assert found == pytest.approx(1 / (1 + rare**2))


def test_the_three_figures_of_a_pair_stand_under_their_names():
    (found,) = similarities([("a b", "a c")])
    assert (found.string, found.overlap) == (pytest.approx(2 / 3), pytest.approx(1 / 2))
    assert found.tfidf == pytest.approx(1 / (1 + (math.log(3 / 2) + 1) ** 2))


@settings(deadline=None, max_examples=30)
@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=6))
def test_tfidf_is_that_of_scikit_learn(pairs):
    text = pytest.importorskip("sklearn.feature_extraction.text")
    different = list(dict.fromkeys(text for pair in pairs for text in pair))
    if not any(list(leakage_words(each)) for each in different):
        return
    vectorizer = text.TfidfVectorizer(analyzer=lambda each: list(leakage_words(each)))
    vectorizer.fit(different)
    for (one, other), ours in zip(pairs, tfidf_similarities(pairs), strict=True):
        theirs = (vectorizer.transform([one]) @ vectorizer.transform([other]).T).toarray()[0, 0]
        assert ours == pytest.approx(theirs) or (one == other and ours == 1)


@settings(deadline=None)
@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=5))
def test_everything_is_from_0_to_1(pairs):
    for found in similarities(pairs):
        for number in (found.string, found.tfidf, found.overlap, found.composite):
            assert 0 <= number <= 1


@settings(deadline=None)
@given(TEXTS, TEXTS)
def test_equal_texts_have_1(text, other):
    same, _ = similarities([(text, text), (text, other)])
    assert same == Similarity(1, 1, 1) and same.composite == 1 and same.leaked


@settings(deadline=None)
@given(TEXTS, TEXTS)
def test_string_and_tfidf_are_symmetric(one, other):
    assert string_similarity(one, other) == string_similarity(other, one)
    there, back = tfidf_similarities([(one, other), (other, one)])
    assert there == pytest.approx(back)


def test_no_pairs_no_similarities():
    assert similarities([]) == []


@pytest.mark.parametrize("piece", ["a", "a ", ".", "天", "天 ", "天a"])
def test_a_long_text_against_a_continuation_takes_linear_time(piece):
    assert_linear(lambda text: similarities([(text, text[:2000])]), repeated(piece), 60_000)


# ------------------------------------------------------------------ leakage


TASK = Task(id="hedges", prompt="Compare hedges and fences. Name the cost of both.")
PREFIX, SUFFIX = "Compare hedges and fences", ". Name the cost of both."
OPEN = Unscored(Cause.TIMEOUT, "too slow")


class Saying:
    """A model that says one thing."""

    def __init__(self, text):
        self.identity = {"model": "openai:parrot", "temperature": 0.1}
        self.text = text
        self.asked = []

    async def __call__(self, operation, inputs, *, repeat=0):
        self.asked.append((operation, inputs))
        return Answer(Prose(text=self.text), "key", "parrot-1")


def said(text, task=TASK):
    return asyncio.run(continued(task, Saying(text)))


def trial(text, model="m", task=TASK):
    return LeakageTrial(model, task, said(text, task))


def other(name, **labels):
    return TASK.model_copy(update={"id": name, "labels": {"language": "en", **labels}})


def test_a_model_is_shown_the_first_half_and_nothing_of_the_second():
    model = Saying("And so on.")
    found = asyncio.run(continued(TASK, model))
    assert model.asked == [(CONTINUE, Prefix(language="en", prefix=PREFIX))]
    shown = CONTINUE.render(model.asked[0][1], "salt")
    assert PREFIX in shown.material and "Name the cost" not in shown.text
    assert "JSON object" not in shown.system
    assert found == Continuation(PREFIX, SUFFIX, "And so on.", model.identity, "parrot-1")


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (f" {PREFIX}{SUFFIX}\n", SUFFIX),
        (f"{PREFIX} or walls", " or walls"),
        (PREFIX, PREFIX),
        ("Name it.", "Name it."),
    ],
)
def test_a_first_half_said_once_more_is_taken_off(text, kept):
    assert said(text).text == kept


def test_a_model_that_knows_the_task_is_found_out():
    knowing, guessing = with_similarities([trial(PREFIX + SUFFIX), trial("I cannot say.")])
    assert knowing.similarity.leaked and knowing.similarity.composite == 1
    assert not guessing.similarity.leaked


def test_a_prompt_that_cannot_be_cut_is_not_asked_about():
    model = Saying("x")
    found = asyncio.run(continued(Task(id="a", prompt="Why is the sky blue?"), model))
    assert found.cause is Cause.MISSING_INPUT and not model.asked


def test_offline_says_the_first_half_again_and_is_kept(tmp_path):
    with RunFile.create(tmp_path / "r") as run:
        first, again = (asyncio.run(continued(TASK, OfflineAsker(run))) for _ in range(2))
    assert first == again
    assert (first.text, first.served) == (PREFIX, "offline")


def test_tfidf_is_fitted_on_everything_of_the_run():
    texts = ["Name the price.", "Name the cost."]
    found = with_similarities([trial(text, model) for text, model in zip(texts, "mn", strict=True)])
    assert [each.similarity for each in found] == similarities([(SUFFIX, each) for each in texts])
    assert found[0].similarity != with_similarities([trial(texts[0])])[0].similarity


def test_averages_count_what_is_missing_and_say_how_far_off_they_may_be():
    trials = [trial(SUFFIX), trial("x", task=other("b")), LeakageTrial("m", other("c"), OPEN)]
    (whole, *_) = averages(with_similarities(trials))
    assert (whole.tested, whole.trials, whole.leaked, whole.share) == (2, 3, 1, 0.5)
    assert whole.composite == whole.string == whole.tfidf == whole.overlap == 0.5
    assert whole.low == pytest.approx(1 / 3) and whole.high == pytest.approx(2 / 3)


def test_averages_of_nothing_are_no_numbers():
    (whole, *_) = averages([LeakageTrial("m", TASK, OPEN)])
    assert (whole.tested, whole.share, whole.composite, whole.low, whole.high) == (
        0,
        None,
        None,
        0,
        1,
    )


def test_averages_by_label_and_over_all_models():
    law, art = other("l", discipline="law"), other("a", discipline="art")
    trials = with_similarities(
        [
            trial(text, model, task)
            for task in (law, art, TASK)
            for model, text in (("m", SUFFIX), ("n", "x"))
        ]
    )
    found = {(each.model, each.label, each.value): each for each in averages(trials)}
    assert found["m", "discipline", "law"].tested == 1
    assert found["m", "language", "en"].tested == 3
    assert found[None, "", ""].leaked == 3 and math.isclose(found[None, "", ""].composite, 0.5)
    assert next(key for key in found if key[1] == "discipline") == ("m", "discipline", "art")
    assert found["m", "discipline", "(none)"].trials == 1  # TASK has no discipline
    for label in ("discipline", "language"):
        own = [each.trials for each in found.values() if each.label == label and each.model == "n"]
        assert sum(own) == found["n", "", ""].trials == 3


def test_the_averages_of_all_models_are_without_the_offline_rule():
    said = (("m", SUFFIX), ("n", "x"), ("offline", "quite another thing"))
    trials = with_similarities([trial(*one[::-1], t) for t in (TASK, other("l")) for one in said])
    found = {(each.model, each.label): each for each in averages(trials)}
    for label in ("", "language"):
        own = [found[name, label].composite for name in "mn"]
        assert found[None, label].composite == pytest.approx(sum(own) / 2)
        assert (found[None, label].trials, found["offline", label].trials) == (4, 2)
    of_one = averages([each for each in trials if each.model != "n"])
    assert not any(each.model is None for each in of_one)


@pytest.mark.parametrize("format", ["text", "markdown", "csv", "json"])
def test_tables_in_every_format(format):
    trials = with_similarities(
        [trial(SUFFIX, "openai:m"), LeakageTrial("openai:m", other("b\x1b[2J"), OPEN)]
    )
    written = write_leakage(trials, format)
    assert "openai:m" in written and "\x1b" not in written
    if format == "json":
        assert json.loads(written)["averages"][0]["composite"] == 1
    if format == "text":
        assert "openai:m: leaked hedges" in written
        assert "0.5000 to 1.0000" in written and "not tested 1 timeout" in written
        assert "temperature:0.1" in written


def test_leaked_tasks_are_listed_up_to_twenty():
    trials = with_similarities([trial(SUFFIX, task=other(f"t{n}")) for n in range(25)])
    assert "t19 and 5 others" in write_leakage(trials, "text")


def test_a_line_holds_the_texts_or_why_there_are_none():
    (done,) = with_similarities([trial(SUFFIX)])
    line = trial_as_json(done)
    assert (line["prefix"], line["suffix"], line["continuation"]) == (PREFIX, SUFFIX, SUFFIX)
    assert line["composite"] == 1 and line["leaked"] is True and line["served"] == "parrot-1"
    failed = trial_as_json(LeakageTrial("m", TASK, OPEN))
    assert (failed["cause"], failed["detail"]) == ("timeout", "too slow")
    assert "composite" not in failed
