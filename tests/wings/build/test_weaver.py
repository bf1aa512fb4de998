"""TaskWeaver: every construction rule, broken by a scripted model and by hand."""

from __future__ import annotations

import asyncio
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.models.ask import Answer, OfflineAsker
from deepassay.models.clients import Clients
from deepassay.models.live import LiveAsker
from deepassay.runfile import RunFile
from deepassay.score import Cause, Unscored
from deepassay.tasks.yardsticks import PHASES
from deepassay.text import count_words
from deepassay.wings.build.arena.construction import (
    FAMILIES,
    MOST,
    PHASE_OF,
    Lead,
    Proposed,
    broken_rules,
    text_flaws,
    ungrounded,
)
from deepassay.wings.build.arena.inspiration import KINDS
from deepassay.wings.build.arena.weaver import PREFERRED, WEAVE, Leads, claim_of, from_templates
from tests.growth import assert_linear, repeated
from tests.loopback import FakeJudge

from .weavers import BREACHES, HYPOTHESIS, LEADS, LIMITATION, Proposals, answer, proposals

CHINESE = {
    "Limitation": "问题是到现在没有人测过旧楼改造以后卧室夜里的温度，只有室外气象站的数据。",
    "Methodology": "我们提出在每个树穴埋一根便宜的探针，测土壤的氧气、水分和温度。",
    "Transdisciplinarity": "可以借鉴生态学里估计青蛙出现概率的模型，用到窗户的开关上。",
    "Hypothesis": "我们推测临街窗户因为噪声而关闭，导致卧室比保温层本身造成的更热。",
}
ENGLISH = {
    "Limitation": LIMITATION,
    "Methodology": "We propose a night budget: heat stored in walls against heat that leaves.",
    "Transdisciplinarity": "We could borrow occupancy models from ecology for windows.",
    "Hypothesis": HYPOTHESIS,
}


def read(tasks: Proposals) -> list[Proposed]:
    return [Proposed.model_validate_json(json.dumps(each)) for each in tasks]


def ask(answers: list[str]) -> tuple[Answer | Unscored, FakeJudge]:
    """What comes of a scripted weaver, which says the last answer for ever."""
    said = iter(answers)
    last = [answers[-1]]

    def script(body: object) -> str:
        return next(said, last[0])

    async def once(judge: FakeJudge) -> Answer | Unscored:
        with RunFile.in_memory() as run:
            return await with_kept(run, judge)

    async def with_kept(run: RunFile, judge: FakeJudge) -> Answer | Unscored:
        async with Clients(1, seconds=10.0, prices=None) as clients:
            client = await clients.connect("openai:good", base_url=judge.base_url)
            asker = LiveAsker(client, run, chance=np.random.default_rng(0), allow_unpriced=True)
            return await asker(WEAVE, Leads(language="en", inspirations=LEADS))

    with FakeJudge(script) as judge:
        return asyncio.run(once(judge)), judge


# ------------------------------------------------------------------ the rules


def test_tasks_that_keep_to_the_rules_break_none():
    assert broken_rules(read(proposals()), LEADS, "en") == []


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")


@pytest.mark.parametrize("breach", BREACHES)
def test_a_broken_rule_is_named_and_asked_again(breach):
    broken, said = BREACHES[breach]
    end, judge = ask([answer(broken()), answer(proposals())])
    assert isinstance(end, Answer)
    assert broken_rules(end.value.tasks, LEADS, "en") == []
    assert len(judge.requests) == 2
    assert said in judge.requests[1].text


@pytest.mark.parametrize("breach", BREACHES)
def test_a_rule_that_stays_broken_ends_as_a_recorded_failure(breach):
    broken, said = BREACHES[breach]
    end, judge = ask([answer(broken())])
    assert isinstance(end, Unscored)
    assert end.cause is Cause.ANSWER_UNREADABLE
    assert said in end.detail
    assert len(judge.requests) == 3


def test_all_rules_broken_in_turn_end_as_a_failure_that_names_the_last():
    names = ["too few tasks", "no deliverable", "mentions the seminar"]
    end, judge = ask([answer(BREACHES[name][0]()) for name in names])
    assert isinstance(end, Unscored)
    assert "seminar" in end.detail
    assert "there are 4 tasks" in judge.requests[1].text
    assert "names no deliverable" in judge.requests[2].text


def test_several_broken_rules_are_named_at_once():
    tasks = proposals()[:4]
    tasks[0]["hours"] = 9
    said = "\n".join(broken_rules(read(tasks), LEADS, "en"))
    assert "there are 4 tasks" in said
    assert "phase Evaluate" in said
    assert "not 9" in said


def test_every_family_belongs_to_a_phase_and_every_type_has_one_of_each():
    assert len(FAMILIES) == 10
    assert [sum(PHASE_OF[each] == phase for each in FAMILIES) for phase in PHASES] == [3, 4, 3]
    for families in PREFERRED.values():
        assert {PHASE_OF[each] for each in families} == set(PHASES)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("提交一张关于卧室温度的表。", []),
        ("想一想卧室温度。", ["deliverable"]),
        ("请按讲者的说法，提交一张表。", ["讲者"]),
        ("提交一张表，" + "说明卧室的温度" * 30, ["the limit is 170"]),
        ("统计社会上以文献形式发布的温度，提交报告。", []),
    ],
)
def test_chinese_tasks_are_held_to_the_same_rules(text, said):
    flaws = list(text_flaws(text, "zh"))
    assert len(flaws) == len(said)
    assert all(part in flaw for part, flaw in zip(said, flaws, strict=True))


@pytest.mark.parametrize(
    "text",
    [
        "Compare surveys of native speakers of Basque. Deliver a table.",
        "Model how RNA transcripts decay. Provide the code.",
        "Compare talk therapy with exercise. Write a report of 2.5 pages.",
    ],
)
def test_words_of_a_subject_are_not_taken_for_the_talk(text):
    assert list(text_flaws(text, "en")) == []


def test_a_text_with_few_key_words_asks_for_no_more_than_it_has():
    assert ungrounded("Deliver a table on frogs.", "It is about the frogs.", "en") == ""
    assert "frogs" in ungrounded("Deliver a table on owls.", "It is about the frogs.", "en")


def test_other_forms_of_a_word_are_its_wording_too():
    assert ungrounded("Retrofits of flat and bedroom", "retrofitted bedrooms, flats", "en") == ""


# ------------------------------------------------------------------ the offline rule


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("size", range(1, 11))
def test_templates_keep_to_every_rule(language, size):
    texts = CHINESE if language == "zh" else ENGLISH
    kinds = [KINDS[place % 4] for place in range(size)]
    leads = [
        Lead(number=number, type=kind, text=texts[kind])
        for number, kind in enumerate(kinds, start=1)
    ]
    proposed = from_templates(leads, language)
    assert broken_rules(proposed, leads, language) == []
    assert {number for each in proposed for number in each.inspirations} == {
        lead.number for lead in leads[:MOST]
    }
    assert proposed == from_templates(leads, language)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("size", [1, 2, 3, 8, 10])
def test_leads_of_one_text_give_no_two_tasks_of_one_text(language, size):
    text = (CHINESE if language == "zh" else ENGLISH)["Limitation"]
    leads = [Lead(number=number + 1, type="Limitation", text=text) for number in range(size)]
    proposed = from_templates(leads, language)
    assert broken_rules(proposed, leads, language) == []
    assert len({each.task for each in proposed}) == len(proposed)


WORDS = st.sampled_from(
    ["we", "so", "the talk", "seminar", "speaker", "I", "you", "bedroom", "temperature", "3.5",
     "courtyard", "insulation", "nobody,", "measured.", "because?", "“quoted”", "{claim}", "—"]
)  # fmt: skip


@settings(deadline=None, max_examples=30)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(KINDS),
            st.one_of(
                st.lists(WORDS, min_size=1, max_size=120).map(" ".join),
                st.text(st.sampled_from("的夜里卧室温度讲者研讨会，。我们没有人 a"), min_size=1),
            ),
        ),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from(["en", "zh"]),
)
def test_templates_give_valid_tasks_or_are_a_recorded_failure(said, language):
    leads = tuple(
        Lead(number=number, type=kind, text=text) for number, (kind, text) in enumerate(said, 1)
    )

    async def once():
        with RunFile.in_memory() as run:
            return await OfflineAsker(run)(WEAVE, Leads(language=language, inspirations=leads))

    end = asyncio.run(once())
    if isinstance(end, Answer):
        assert broken_rules(end.value.tasks, leads, language) == []
    else:
        assert "by rule, and not to be used" in end.detail


def test_templates_stay_far_enough_from_the_limit():
    for language, texts, most in (("en", ENGLISH, 100), ("zh", CHINESE, 170)):
        long = ["".join(texts.values()) if language == "zh" else " ".join(texts.values())] * 2
        leads = [Lead(number=n, type=kind, text=long[0]) for n, kind in enumerate(KINDS, start=1)]
        assert max(count_words(each.task) for each in from_templates(leads, language)) <= most


@pytest.mark.parametrize(
    "piece", ["give ", "give-", "the talk ", "a", "没有，", '"', "deliver the "]
)
def test_long_texts_are_checked_in_linear_time(piece):
    def check(text):
        leads = [Lead(number=1, type="Limitation", text=text)]
        proposed = [
            Proposed(
                phase="Design",
                family="Hypothesis Generation",
                difficulty="Basic",
                hours=1,
                public_data=True,
                inspirations=[1],
                task=text,
            )
        ]
        for language in ("en", "zh"):
            broken_rules(proposed, leads, language)
            from_templates(leads, language)

    assert_linear(check, repeated(piece), 60_000)


@pytest.mark.parametrize(
    ("language", "text", "claim"),
    [
        (
            "en",
            "We have large models. Nobody measured bedrooms along courtyards at night.",
            "Nobody measured bedrooms along courtyards at night",
        ),
        ("en", "The speaker snores loudly.", "snores loudly"),
        ("en", "I like “warm” flats; “cold” flats rust.", "I like 'warm' flats; 'cold' flats rust"),
        ("zh", "讲者说临街的卧室更热。", "说临街的卧室更热"),
    ],
)
def test_what_a_template_quotes_can_stand_alone(language, text, claim):
    assert claim_of(text, language) == claim


def test_a_quote_is_cut():
    text = "Bedrooms stay warm at night, " + "walls and floors give off heat until dawn, " * 6
    assert len(claim_of(text, "en").split()) == 28
