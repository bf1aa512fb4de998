"""What is asked for is refused where it cannot be meant."""

from pathlib import Path

import pytest

from deepassay.errors import BadReports, BadSetting, BadTasks, Notice
from deepassay.protocols.coverage import Coverage
from deepassay.protocols.presentation.protocol import Presentation
from deepassay.reports.report import Report
from deepassay.run.asking.plan import AskedModel
from deepassay.run.asking.planning import plan_of
from deepassay.run.settings import Settings
from deepassay.tasks.task import Task
from tests.asked import asked as asking

DEMO = Path(__file__).parents[3] / "examples" / "demo"
URL = "http://gateway.example/v1"


def request(**more):
    return asking(tasks=DEMO / "tasks.jsonl", reports=[DEMO / "reports"], **more)


def test_one_address_does_not_get_the_keys_of_two_providers():
    with pytest.raises(BadSetting, match="the keys of anthropic, openai"):
        plan_of(*request(judge=["openai:a", "anthropic:b"], base_url=URL))
    with pytest.raises(BadSetting, match="the keys of google, openai"):
        own = {"coverage": {"judge": ["google:b"]}}
        plan_of(*request(judge=["openai:a"], base_url=URL, per_protocol=own))


def test_one_address_serves_judges_of_one_provider_and_others_live_elsewhere():
    plan_of(*request(judge=["openai:a", "openai-responses:b", "offline"], base_url=URL))
    own = {"coverage": {"judge": ["openai:b"], "base_url": URL}}
    plan_of(*request(judge=["anthropic:a"], per_protocol=own))


@pytest.mark.parametrize("judge", ["openai:m\udce9", "openai:\x07", "\udce9"])
def test_a_judge_whose_name_is_no_text_is_refused(judge):
    with pytest.raises(BadSetting):
        plan_of(*request(judge=[judge]))


def test_pairs_that_are_asked_for_where_there_is_one_agent_are_left_out_with_a_word():
    one = asking(DEMO / "tasks.jsonl", [DEMO / "reports" / "heron"], protocols=["deepeval"])
    with pytest.warns(match="depth is left out: it compares pairs, and there is no other agent"):
        plan = plan_of(*one)
    assert "depth" not in {each.name for each in plan.protocols}
    two = [DEMO / "reports" / name for name in ("heron", "magpie")]
    plan = plan_of(*asking(DEMO / "tasks.jsonl", two, protocols=["deepeval"]))
    assert "depth" in {each.name for each in plan.protocols}


def test_a_limit_that_leaves_no_report_is_refused(tmp_path):
    (tmp_path / "heron").mkdir()
    (tmp_path / "heron" / "repair-bonus.md").write_text("# Bonuses\n")
    few = asking(DEMO / "tasks.jsonl", [tmp_path], limit=1)
    with pytest.raises(BadSetting, match="within --limit 1"):
        plan_of(*few)
    assert plan_of(*few.but(limit=None)).reports


def test_tasks_and_reports_may_be_objects_and_protocols_values(tmp_path):
    tasks = [Task(id="t", prompt="Why?", checklist=("a?",)), Task(id="u", prompt="How?")]
    reports = [Report("# A", "heron", "t"), Report("# B", "heron", "v")]
    settings = Settings(protocols=[Coverage(), Presentation], run=tmp_path / "r")
    plan = plan_of(tasks, reports, settings)
    assert [str(each) for each in plan.protocols] == ["coverage", "presentation"]
    assert (plan.reports, plan.joined.strays) == (
        (reports[0],),
        ["heron on v: there is no such task."],
    )
    with pytest.raises(BadTasks, match="same id"):
        plan_of([tasks[0], tasks[0]], reports, settings)
    with pytest.raises(BadReports, match="given as a value"):
        plan_of(tasks, [reports[0], Report("# Other", "heron", "t")], settings)
    with pytest.warns(Notice, match="count once: 1"):
        assert len(plan_of(tasks, [reports[0], reports[0]], settings).reports) == 1


def test_judges_may_be_given_in_place_of_names(tmp_path):
    judges = [AskedModel("mine", client=object())]
    own = {"coverage": {"judge": "offline"}, "presentation": {"temperature": 1.0}}
    tasks, reports, settings = request(run=tmp_path / "r", per_protocol=own)
    plan = plan_of(tasks, reports, settings, judges=judges)
    panels = {each.name: plan.panel(each) for each in plan.protocols}
    assert panels["presentation"] == panels["consistency"] == tuple(judges)
    assert panels["coverage"] == (AskedModel("offline"),)


def test_a_protocol_may_have_a_baseline_of_its_own(tmp_path):
    asked = request(
        run=tmp_path / "r",
        protocols=["depth"],
        baseline="heron",
        per_protocol={"depth": {"baseline": "magpie"}},
    )
    assert [str(each) for each in plan_of(*asked).protocols] == ["depth(baseline='magpie')"]


SHAPED = """
title = "Ours"
measures = "what we want"
licence = "ours"
source = "here"
ours = "all of it"
[setting]
shape = "gate"
[setting.menu]
"yes" = {merit = 1}
"no" = {merit = 0}
"""


def test_criteria_that_a_set_s_shape_cannot_count_are_refused_before_anybody_is_asked(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text(SHAPED)
    rubric = [{"criterion": "p", "weight": 2}, {"criterion": "q", "weight": -1}]
    task = Task(id="a", prompt="Why?", rubric=rubric)
    reports = [Report("Because.", task="a", agent="wren")]
    with pytest.raises(BadTasks, match='Task a: shape = "gate" counts all criteria alike'):
        plan_of(*asking([task], reports, set=str(path)))
    alike = task.model_copy(update={"rubric": (task.rubric[0],)})
    with pytest.warns(Notice, match='"gate": no criterion says critical or within'):
        plan_of(*asking([alike], reports, set=str(path)))
