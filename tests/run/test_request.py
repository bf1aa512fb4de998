"""What is asked for is refused where it cannot be meant."""

from pathlib import Path

import pytest

from deepassay.errors import BadSetting
from deepassay.run.request import Request, plan_of

DEMO = Path(__file__).parents[2] / "examples" / "demo"
URL = "http://gateway.example/v1"


def request(**more) -> Request:
    return Request(tasks=DEMO / "tasks.jsonl", reports=[DEMO / "reports"], **more)


@pytest.mark.parametrize("name", ["budget", "deadline", "temperature", "min_coverage"])
@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_number_that_nothing_can_pass_is_refused(name, value):
    with pytest.raises(BadSetting, match=name.replace("_", "-")):
        plan_of(request(**{name: value}))


def test_one_address_does_not_get_the_keys_of_two_providers():
    with pytest.raises(BadSetting, match="the keys of anthropic, openai"):
        plan_of(request(judges=["openai:a", "anthropic:b"], base_url=URL))
    with pytest.raises(BadSetting, match="the keys of google, openai"):
        own = {"coverage": {"judge": ["google:b"]}}
        plan_of(request(judges=["openai:a"], base_url=URL, per_protocol=own))


def test_one_address_serves_judges_of_one_provider_and_others_live_elsewhere():
    plan_of(request(judges=["openai:a", "openai-responses:b", "offline"], base_url=URL))
    own = {"coverage": {"judge": ["openai:b"], "base_url": URL}}
    plan_of(request(judges=["anthropic:a"], per_protocol=own))


@pytest.mark.parametrize("judge", ["openai:m\udce9", "openai:\x07", "\udce9"])
def test_a_judge_whose_name_is_no_text_is_refused(judge):
    with pytest.raises(BadSetting):
        plan_of(request(judges=[judge]))


def test_a_limit_that_leaves_no_report_is_refused(tmp_path):
    (tmp_path / "heron").mkdir()
    (tmp_path / "heron" / "repair-bonus.md").write_text("# Bonuses\n")
    few = Request(tasks=DEMO / "tasks.jsonl", reports=[tmp_path], limit=1)
    with pytest.raises(BadSetting, match="within --limit 1"):
        plan_of(few)
    assert plan_of(Request(tasks=few.tasks, reports=few.reports)).reports
