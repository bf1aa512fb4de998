import pytest

from deepassay.errors import BadInput
from deepassay.results.ranking import rank
from deepassay.results.records import Judged
from deepassay.results.tables import Table
from deepassay.score import Score, Signature
from deepassay.wings.people.agreement.judge_quality import JudgeQuality, JudgeQualityFile

JUDGE = {"model": "openai:j", "temperature": 0.0}
TABLE = Table.listed("j on set", ("figure", "j"), [("accuracy", "0.9")], ("A note.",))
KEPT = JudgeQualityFile(
    judges=(JudgeQuality.of(JUDGE, [TABLE], [{"figure": "accuracy", "value": 0.9}]),),
)


def boards(*judges, **others):
    recipe = Signature({"judges": list(judges), **others})
    return rank([Judged("fact", "a", "t", 1, 0, {}, Score(0.5, (0, 1)), recipe)])


def test_a_file_is_read_as_it_was_written():
    again = JudgeQualityFile.read(KEPT.to_json(), "f.json")
    assert again == KEPT
    assert again.beneath(boards(JUDGE), "f.json") == (TABLE,)


def test_a_file_of_rules_alone_stands_beneath_nobody():
    with pytest.raises(BadInput, match="f holds no judge: rules alone were measured"):
        JudgeQualityFile(judges=()).beneath(boards(JUDGE), "f")


def test_it_stands_beneath_rankings_of_that_judge_alone():
    assert KEPT.beneath(boards({"model": "x"}, verifier=JUDGE), "f") == (TABLE,)
    for other in ({"model": "x"}, {**JUDGE, "temperature": 1.0}):
        with pytest.raises(BadInput, match="f is on openai:j, with settings"):
            KEPT.beneath(boards(other), "f")


def test_beneath_a_panel_it_says_that_it_is_on_one_of_its_judges():
    other, third = {"model": "x"}, {"model": "y"}
    for panel in ((other, JUDGE), (JUDGE, other, third)):
        (shown,) = KEPT.beneath(boards(*panel), "f")
        told = f"openai:j is one of the {len(panel)} judges of this panel: the figures are its own"
        assert (shown.rows, shown.notes[0]) == (TABLE.rows, "A note.")
        assert shown.notes[1].startswith(told) and len(shown.notes) == 2
    alone = (*boards(other, JUDGE), *boards(JUDGE))
    assert KEPT.beneath(alone, "f") == (TABLE,)
    assert KEPT.beneath(boards(other, third, verifier=JUDGE), "f") == (TABLE,)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "f is no file of labels: all of it"),
        ('{"about": "labels"}', "f is no file of labels: judges: Field required"),
        ('{"about": "audit", "judges": []}', "f is no file of labels: about"),
    ],
)
def test_another_file_is_refused(text, said):
    with pytest.raises(BadInput, match=said):
        JudgeQualityFile.read(text, "f")
