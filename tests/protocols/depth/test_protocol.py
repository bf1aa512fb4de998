import json

import pytest

from deepassay.models.reading import Unreadable, read_reply
from deepassay.protocols.depth.comparison import COMPARE, TwoReports
from deepassay.protocols.depth.protocol import Depth
from deepassay.protocols.depth.released import COMPARE_AS_RELEASED
from deepassay.protocols.protocol import Case, RoleAskers
from deepassay.protocols.registry import parse
from deepassay.reports.report import Report
from deepassay.score import Cause, Unscored
from deepassay.tasks.task import Task
from tests.protocols.depth.marked import ByText, answer
from tests.protocols.judges import NO_SOURCES, ByRule, Scripted, Silent

TASK = Task(id="t1", prompt="Which boats are quiet?")
OWN, RIVAL = Report("Electric ferries are quiet."), Report("All ferries are quiet.")
CASE = Case(TASK, OWN, rival=RIVAL)
INPUTS = TwoReports(language="en", report_a="a", report_b="b", query="q")


async def scored(judge, case=CASE, protocol=None):
    protocol = protocol or Depth(baseline="heron")
    return await protocol.score(case, RoleAskers.alone(judge), NO_SOURCES)


@pytest.mark.asyncio
async def test_both_orders_are_asked_and_the_marks_follow_the_reports():
    judge = ByText({OWN.text: (5, 4, 4, 4, 4), RIVAL.text: (2, 2, 2, 2, 2)})
    score = await scored(judge)
    asked = [(inputs.report_a, inputs.report_b) for _, inputs, _ in judge.asked]
    assert asked == [(OWN.text, RIVAL.text), (RIVAL.text, OWN.text)]
    assert (score.value, score.tally) == (100, (1, 1))
    assert score.details["totals"] == {"own": 21, "baseline": 10}
    assert score.details["baseline"] == "heron"


@pytest.mark.asyncio
async def test_the_mirrored_case_asks_the_same_two_questions():
    judge = ByText({OWN.text: (5,) * 5, RIVAL.text: (2,) * 5})
    win = await scored(judge)
    loss = await scored(judge, Case(TASK, RIVAL, rival=OWN), Depth(baseline="cuckoo"))
    assert (win.value, loss.value) == (100, 0)
    first, mirrored = judge.asked[:2], judge.asked[2:]
    assert sorted(map(repr, first)) == sorted(map(repr, mirrored))


@pytest.mark.asyncio
async def test_a_preference_for_the_first_place_cancels_out():
    judge = ByText({OWN.text: (3,) * 5, RIVAL.text: (3,) * 5}, shift=2)
    score = await scored(judge)
    assert (score.value, score.details["games"]) == (50, ["own", "baseline"])


class FailsSecond(ByText):
    """Has no answer to its second question."""

    async def __call__(self, operation, inputs, *, repeat=0):
        said = await super().__call__(operation, inputs, repeat=repeat)
        return said if len(self.asked) == 1 else Unscored(Cause.TIMEOUT, "too slow")


@pytest.mark.asyncio
async def test_without_one_of_the_orders_there_is_no_score():
    judge = FailsSecond({OWN.text: (5,) * 5, RIVAL.text: (2,) * 5})
    outcome = await scored(judge)
    assert isinstance(outcome, Unscored)
    assert outcome.cause is Cause.TIMEOUT
    assert len(judge.asked) == 2


@pytest.mark.asyncio
@pytest.mark.parametrize("protocol", [Depth(), Depth(baseline="heron"), Depth("code", "heron")])
async def test_without_a_rival_nobody_is_asked(protocol):
    case = Case(TASK, OWN)
    outcome = await scored(Silent(None), case, protocol)
    assert outcome.cause is Cause.MISSING_INPUT
    assert outcome.detail == protocol.lacks(case)
    assert ("--baseline" in outcome.detail) == (not protocol.baseline)


@pytest.mark.asyncio
async def test_a_panel_averages_totals_in_edition_paper_and_rates_in_edition_code():
    marks = [{OWN.text: (4, 4, 4, 4, own), RIVAL.text: (4, 4, 4, 4, 0)} for own in (2, 0)]
    outcomes = {name: await scored(ByText(m)) for name, m in zip("xy", marks, strict=True)}
    panel = Depth(baseline="heron").combine(outcomes)
    assert ([each.value for each in outcomes.values()], panel.value) == ([100, 50], 50)
    assert panel.details["baseline"] == "heron"
    code = Depth("code", "heron")
    raw = {name: await scored(Scripted({"winner": w}), CASE, code) for name, w in (("x", "A"),)}
    raw["y"] = await scored(Scripted({"winner": "tie"}), CASE, code)
    assert code.combine(raw).value == (50 + 0) / 2


def test_the_baseline_is_part_of_the_name_and_is_not_held_against_itself():
    protocol = parse("depth(baseline='heron')")[0]
    assert protocol == Depth(baseline="heron")
    assert str(protocol) == "depth(baseline='heron')"
    assert protocol.excuses("heron")
    assert not protocol.excuses("cuckoo")


def test_the_report_of_the_baseline_is_part_of_what_a_score_rests_on():
    other = Case(TASK, OWN, rival=Report("Some ferries."))
    assert Depth(baseline="a").basis(CASE) != Depth(baseline="a").basis(other)
    assert Depth().basis(Case(TASK, OWN)) == {}


# ------------------------------------------------------------------ answers


def wrong(**changes):
    said = answer((3,), (2,))
    for path, value in changes.items():
        *way, last = path.split("__")
        place = said
        for step in way:
            place = place[step]
        if value is None:
            del place[last]
        else:
            place[last] = value
    return said


@pytest.mark.parametrize(
    "said",
    [
        wrong(scores__A__insight=6),
        wrong(scores__A__insight=-1),
        wrong(scores__A__insight=3.5),
        wrong(scores__A__insight=True),
        wrong(scores__A__insight="6"),
        wrong(scores__A__insight=None),
        wrong(scores__B=None),
        wrong(scores__A__total=15),
        wrong(winner="A"),
        wrong(justification=" "),
        wrong(major_flaws__A=None),
        wrong(major_flaws__B="none"),
    ],
)
def test_an_answer_off_the_menu_is_refused(said):
    with pytest.raises(Unreadable):
        read_reply(COMPARE, INPUTS, json.dumps(said))


@pytest.mark.parametrize("mark", [0, 5, 4.0])
def test_marks_are_whole_numbers_from_0_to_5(mark):
    value = read_reply(COMPARE, INPUTS, json.dumps(wrong(scores__A__insight=mark))).value
    assert value.scores.A.insight == int(mark)


@pytest.mark.parametrize("operation", [COMPARE, COMPARE_AS_RELEASED])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_prompt_shows_both_reports_in_their_order_and_then_the_request(operation, language):
    inputs = TwoReports(language=language, report_a="Cats.", report_b="Dogs.", query="Why?")
    text = operation.render(inputs, "salt").text
    assert text.index("Cats.") < text.index("Dogs.") < text.index("Why?")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_only_edition_code_asks_for_a_winner(language):
    paper, code = (each.files[language].question for each in (COMPARE, COMPARE_AS_RELEASED))
    assert '"winner"' in code and '"total"' in code
    assert '"winner"' not in paper and '"total"' not in paper


@pytest.mark.asyncio
async def test_offline_both_editions_score_and_agree_on_a_clear_case():
    deep = "# Ferries\n\n" + "\n\n".join(
        f"Ferry {n} is quiet because its electric motor {n} has no exhaust, which means that ferry "
        f"noise falls by {n} dB; however, the ferry battery limits the range."
        for n in range(20)
    )
    case = Case(TASK, Report(deep), rival=Report("# Ferries\n\nFerries are boats."))
    for edition in ("paper", "code"):
        score = await scored(ByRule(), case, Depth(edition, "heron"))
        assert (score.value, score.details["games"]) == (100, ["own", "own"])
