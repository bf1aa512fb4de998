"""What is expected of scores when a report is changed."""

from __future__ import annotations

from typing import ClassVar

import pytest

from deepassay.errors import BadSetting
from deepassay.protocols.fact.protocol import Fact
from deepassay.protocols.presentation.protocol import Presentation
from deepassay.protocols.race.protocol import Race
from deepassay.protocols.registry import PROTOCOLS
from deepassay.reports.clean import clean
from deepassay.reports.report import Report
from deepassay.score import WHOLE, Direction
from deepassay.wings.trials.effects import EFFECTS, by_perturbation, effects_of
from deepassay.wings.trials.perturb import PERTURBATIONS, perturb, random_for
from tests.wings.trials.perturb.test_perturb import CHINESE, ENGLISH


def test_the_table_names_protocols_and_perturbations_that_exist() -> None:
    made_by_audits = {"swap-pages", "signed"}
    assert set(EFFECTS) <= set(PROTOCOLS)
    for metrics in EFFECTS.values():
        for effects in metrics.values():
            assert set(effects) <= set(PERTURBATIONS) | made_by_audits


def test_every_perturbation_is_to_lower_some_score_or_to_raise_none() -> None:
    lowered = {
        name: {key for key, way in ways.items() if way is Direction.LOWER}
        for name, ways in by_perturbation().items()
    }
    assert lowered["delete-citations"] == {"citation_association"}
    assert lowered["plant-contradiction"] == {"consistency"}
    assert lowered["swap-citations"] == {"citation_accuracy", "fact"}
    assert lowered["drop-section"] == {"coverage", "depth", "race", "rubrics", "ace", "kae"}
    assert lowered["pad"] == lowered["address-judge"] == set()


def test_a_plea_may_help_nowhere_and_the_released_program_skips_dead_pages() -> None:
    assert effects_of(Presentation())[WHOLE]["address-judge"] is Direction.NOT_HIGHER
    assert effects_of(Fact())[WHOLE]["dead-url"] is Direction.LOWER
    assert effects_of(Fact(edition="code"))[WHOLE]["dead-url"] is Direction.SAME


class Fewer(Presentation):
    """A protocol of another package, with expectations of its own."""

    effects: ClassVar = {WHOLE: {"pad": Direction.LOWER}}


def test_a_protocol_declares_its_own() -> None:
    assert effects_of(Fewer())[WHOLE]["pad"] is Direction.LOWER
    assert "strip-style" not in effects_of(Fewer())[WHOLE]


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        (
            {"drop-sections": "lower"},
            "name 'drop-sections', which does not exist.\n.* drop-section,",
        ),
        ({"pad-50": "lower"}, "name 'pad-50', which does not exist.\n.* pad,"),
        ({"pad": "worse"}, "name 'worse', which does not exist.\n.* lower, higher, same"),
    ],
)
def test_a_name_that_is_none_is_refused(declared: dict[str, str], said: str) -> None:
    class Misspelt(Presentation):
        effects: ClassVar = {"a part": declared}

    with pytest.raises(BadSetting, match=said):
        effects_of(Misspelt())


def test_a_direction_may_be_written_as_a_word() -> None:
    class Plain(Presentation):
        effects: ClassVar = {"a part": {"swap-pages": "not higher"}}

    assert effects_of(Plain())["a part"]["swap-pages"] is Direction.NOT_HIGHER


def test_race_that_leaves_citations_in_says_nothing_of_them() -> None:
    assert Race().cleans and effects_of(Race())[WHOLE]["dead-url"] is Direction.SAME
    uncleaned = Race(cleaning="none")
    assert not uncleaned.cleans and "dead-url" not in effects_of(uncleaned)[WHOLE]
    assert effects_of(uncleaned)[WHOLE]["drop-section"] is Direction.LOWER


@pytest.mark.parametrize("text", [ENGLISH, CHINESE])
@pytest.mark.parametrize("name", ["delete-citations", "swap-citations", "break-number", "dead-url"])
def test_what_race_must_not_see_leaves_the_cleaned_text_alike(name: str, text: str) -> None:
    report = Report(text)
    changed = perturb(report, name, random_for(1, report, name))
    assert changed is not None
    assert clean(changed.report) == clean(report)
