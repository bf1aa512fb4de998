"""Prompts in neither English nor Chinese have no wrong label."""

import pytest

from deepassay.tasks.loaders import tasks_of

OTHERS = [
    "Wie gefährlich ist Mikroplastik in Teebeuteln?",
    "Quelles villes ont réduit la circulation ?",
    "¿Qué se sabe de los microplásticos?",
    "Quali città hanno ridotto il traffico?",
    "Które miasta ograniczyły ruch?",
    "自動車交通を減らした都市はどこですか。",
    "올리브유 가격은 왜 올랐나요?",
    "لماذا ارتفع سعر زيت الزيتون؟",
]


@pytest.mark.parametrize("prompt", OTHERS)
def test_a_prompt_in_another_language_is_labelled_as_unknown(prompt):
    (task,) = tasks_of([prompt])
    assert task.labels["language"] == "unknown"


@pytest.mark.parametrize(
    ("prompt", "language"),
    [
        ("What did El Niño do to the catch of anchoveta in Perú?", "en"),
        ("clean ipad screen", "en"),
        ("橄榄油价格为什么上涨?", "zh"),
    ],
)
def test_english_and_chinese_keep_their_labels(prompt, language):
    (task,) = tasks_of([prompt])
    assert (task.language, task.labels["language"]) == (language, language)


def test_a_language_that_is_said_is_taken():
    (task,) = tasks_of([{"prompt": OTHERS[0], "language": "en"}])
    assert task.labels["language"] == "en"
