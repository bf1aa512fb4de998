"""Protocols as scorers of Inspect: its models and ours, panels, and what is not scored."""

from __future__ import annotations

import math
from typing import Any

import pytest
from inspect_ai import score as rescored
from inspect_ai._util.error import PrerequisiteError
from inspect_ai._util.registry import registry_info, registry_params
from inspect_ai.event import ModelEvent
from inspect_ai.log import EvalLog
from inspect_ai.model import ModelConfig, ModelOutput
from inspect_ai.scorer import Score
from inspect_ai.util import LimitExceededError

from deepassay import Report, evaluate, open_run
from deepassay.protocols.registry import PROTOCOLS
from deepassay.run.archives import import_pages
from deepassay.runfile import RunFile
from deepassay.wings.bridges.inspect.outcomes import PARTS
from deepassay.wings.bridges.inspect.scorers import as_scorer
from tests.judging import verdicts
from tests.loopback import FakeJudge
from tests.wings.bridges.inspect.logs import (
    CHECKLIST,
    REPORT,
    Answerer,
    log_of,
    model,
    output,
    right,
    sample,
    written,
)

ASKED = {"assay_checklist": CHECKLIST}
TASKS = '{"id": "a", "prompt": "Are heat pumps worth it?", "checklist": ["Does it?", "Why?"]}\n'


def scored(log: EvalLog, protocol: str, roles: Any = None, **arguments: Any) -> list[Score]:
    """The scores that a scorer gives, in the order of the samples."""
    done = scored_log(log, protocol, roles, **arguments)
    name = protocol.partition("(")[0]
    return [(each.scores or {})[name] for each in done.samples or []]


def scored_log(log: EvalLog, protocol: str, roles: Any = None, **arguments: Any) -> EvalLog:
    scorer = as_scorer(protocol, **arguments)
    return rescored(log, scorer, model_roles=roles, action="overwrite", display="none")


def one(**metadata: Any) -> EvalLog:
    """A log of one sample, with a checklist or other metadata."""
    return log_of([sample("a", metadata=metadata or ASKED)])


def metadata_of(found: Score) -> dict[str, Any]:
    return found.metadata or {}


# ------------------------------------------------------------------ Inspect's models


def test_a_judge_of_inspect_scores_and_the_recipe_is_our_own():
    done = scored_log(one(), "coverage", {"judge": model("strict")})

    assert done.samples and done.samples[0].scores and done.results
    found = done.samples[0].scores["coverage"]
    assert isinstance(found.value, float)
    assert "**q1**" in (found.explanation or "")
    assert metadata_of(found)["protocol"] == "coverage"
    assert "judges:model=mockllm/strict," in metadata_of(found)["signature"]
    assert metadata_of(found)["tally"] == [found.value / 50, 2.0]
    assert done.results.scores[0].metrics["mean"].value == found.value
    (asked,) = [each for each in done.samples[0].events if isinstance(each, ModelEvent)]
    assert asked.role == "judge"


def test_the_header_keeps_the_first_judge_and_the_score_names_its_own():
    log = one()
    log.eval.model_roles = {"judge": ModelConfig(model="mockllm/first")}

    (found,) = scored(log, "coverage", {"judge": model("second")})

    assert "mockllm/second" in metadata_of(found)["signature"]
    assert "mockllm/first" not in metadata_of(found)["signature"]


def test_a_role_bound_to_a_list_is_a_panel():
    def unreadable(_: list[dict[str, str]]) -> ModelOutput:
        return output("Rather good, I would say.")

    panel = [model("a"), model("b"), model("c", unreadable)]

    (found,) = scored(one(), "coverage", {"judge": panel})

    details = metadata_of(found)["details"]
    assert list(details["judges"]) == ["mockllm/a", "mockllm/b", "mockllm/c"]
    assert (details["spread"]["scored"], details["spread"]["expected"]) == (2, 3)
    assert details["judges"]["mockllm/c"]["cause"] == "answer_unreadable"
    assert "Judge mockllm/c: Unscored (answer_unreadable)" in (found.explanation or "")


def test_the_same_judge_twice_is_no_panel():
    with pytest.raises(PrerequisiteError, match="same judge twice"):
        scored(one(), "coverage", {"judge": [model("a"), model("a")]})


def test_other_roles_are_played_by_whom_they_are_bound_to():
    asked: list[str] = []

    def noted(name: str) -> Answerer:
        def answer(messages: list[dict[str, str]]) -> ModelOutput:
            asked.append(name)
            return right(messages)

        return answer

    roles = {"judge": model("j", noted("judge")), "extractor": model("e", noted("extractor"))}

    (found,) = scored(one(), "consistency", roles)
    assert set(asked) == {"judge"}
    (found,) = scored(one(), "fact(statements='model')", roles)

    assert "extractor" in asked
    assert "extractor:model=mockllm/e" in metadata_of(found)["signature"]


def test_an_answer_that_cannot_be_used_is_sent_back_with_the_reason():
    turns: list[int] = []

    def wrong_once(messages: list[dict[str, str]]) -> ModelOutput:
        turns.append(len(messages))
        return right(messages) if len(turns) > 1 else output('{"nothing": "of this"}')

    (found,) = scored(one(), "coverage", {"judge": model("j", wrong_once)})

    assert isinstance(found.value, float) and not math.isnan(found.value)
    assert turns == [2, 4]


UNSCORED = {
    "unreadable": (lambda _: output("It is fine."), "answer_unreadable", "grader_failed"),
    "cut off": (lambda _: output('{"eval', "max_tokens"), "answer_truncated", "grader_failed"),
    "filtered": (lambda _: output("", "content_filter"), "judge_refused", "grader_failed"),
    "no answer": (lambda _: output(" "), "answer_unreadable", "grader_failed"),
    "down": (lambda _: ConnectionRefusedError(), "judge_unreachable", "grader_failed"),
    "limit": (
        lambda _: LimitExceededError("token", value=2, limit=1), "budget", "scoring_failed",
    ),
}  # fmt: skip


def test_a_rate_limit_that_inspect_gives_up_on_is_not_waited_out_once_more():
    class Limited(Exception):
        status_code = 429

    calls: list[int] = []

    def limited(_: list[dict[str, str]]) -> Exception:
        calls.append(1)
        return Limited("slow down")

    (found,) = scored(one(), "coverage", {"judge": model("j", limited)})

    assert calls == [1]
    assert metadata_of(found)["cause"] == "judge_unreachable"
    assert "status 429: slow down" in metadata_of(found)["detail"]


@pytest.mark.parametrize("case", UNSCORED)
def test_a_judge_that_fails_leaves_no_number_but_a_cause(case):
    answer, cause, reason = UNSCORED[case]
    log = log_of([sample("a", metadata=ASKED), sample("b", metadata=ASKED)])

    done = scored_log(log, "coverage", {"judge": model("j", answer)})

    assert done.samples and done.results
    for each in done.samples:
        found = (each.scores or {})["coverage"]
        assert isinstance(found.value, float) and math.isnan(found.value)
        assert (metadata_of(found)["cause"], found.reason) == (cause, reason)
        assert "signature" in metadata_of(found)
    (column,) = done.results.scores
    assert (column.scored_samples, column.unscored_samples) == (0, 2)


def test_a_context_that_is_full_is_met_with_windows():
    def narrow(messages: list[dict[str, str]]) -> ModelOutput:
        whole = "BEGIN report" in messages[1]["content"]
        return output("the prompt is too long", "model_length") if whole else right(messages)

    (found,) = scored(one(), "coverage", {"judge": model("j", narrow)})

    assert metadata_of(found)["details"]["windows"]


def test_a_chinese_task_is_judged_in_chinese():
    asked: list[str] = []

    def noted(messages: list[dict[str, str]]) -> ModelOutput:
        asked.extend(each["content"] for each in messages)
        return right(messages)

    log = log_of(
        [
            sample(
                "a",
                "# 热泵\n\n热泵在多数住宅中节能。",
                prompt="热泵值得安装吗？请比较费用。",
                metadata={"assay_checklist": ["是否比较了费用？"]},
            )
        ]
    )
    (found,) = scored(log, "coverage", {"judge": model("j", noted)})

    assert metadata_of(found)["tally"][1] == 1
    assert "你" in asked[0] and "热泵在多数住宅中节能。" in asked[1]


def test_numbers_beside_the_value_have_the_same_names_in_every_sample():
    done = scored_log(one(), "race(vanilla=True)", {"judge": model("j")})

    assert done.results
    columns = {each.name: each for each in done.results.scores}
    assert list(columns) == ["overall", *PARTS["race"]]
    assert (columns["overall"].scored_samples, columns["insight"].unscored_samples) == (1, 1)


def test_epochs_are_samples_and_their_mean_leaves_out_what_has_no_score():
    turns: list[int] = []

    def second_fails(messages: list[dict[str, str]]) -> ModelOutput:
        turns.append(1)
        return right(messages) if len(turns) == 1 else output("no")

    log = log_of([sample("a", metadata=ASKED), sample("a", metadata=ASKED, epoch=2)])
    done = scored_log(log, "coverage", {"judge": model("j", second_fails)})

    values = [(each.scores or {})["coverage"].value for each in done.samples or []]
    assert sum(math.isnan(float(str(each))) for each in values) == 1
    assert done.results and not math.isnan(done.results.scores[0].metrics["mean"].value)


# ------------------------------------------------------------------ what samples bring


def test_a_task_is_made_of_input_and_metadata():
    rubric = [{"criterion": "It names a source.", "weight": 5}]

    (found,) = scored(
        one(assay_rubric=rubric, assay_language="en"), "rubrics", {"judge": model("j")}
    )

    assert metadata_of(found)["details"]["items"][0]["item"] == "It names a source."


@pytest.mark.parametrize(
    ("metadata", "told"),
    [
        ({"assay_checklist": "one text"}, "Sample 'a': field 'checklist': is not a list"),
        ({"assay_checklists": "red"}, "unknown field 'checklists'"),
        ({"other": 1}, "has no checklist"),
    ],
)
def test_a_sample_without_its_input_is_told_and_ends_nothing(metadata, told):
    log = log_of([sample("a", metadata=metadata), sample("b", metadata=ASKED)])

    missing, other = scored(log, "coverage", {"judge": model("j")})

    assert metadata_of(missing)["cause"] == "missing_input"
    assert missing.reason == "scoring_failed"
    assert told in (missing.explanation or "")
    assert not math.isnan(float(str(other.value)))


def test_a_sample_without_a_report_is_the_agents_failure():
    (found,) = scored(log_of([sample("a", "", metadata=ASKED)]), "coverage", {"judge": model("j")})

    assert (metadata_of(found)["cause"], found.reason) == ("missing_input", "no_response")


def test_tasks_of_a_file_are_joined_by_identifier(tmp_path):
    (tmp_path / "tasks.jsonl").write_text(TASKS)
    log = log_of([sample("a"), sample("elsewhere", prompt="What is rain?")])

    found, missing = scored(log, "coverage", {"judge": model("j")}, tasks=tmp_path / "tasks.jsonl")

    assert metadata_of(found)["tally"][1] == 2
    assert metadata_of(missing)["cause"] == "missing_input"
    assert "No report answers any of the tasks" in (missing.explanation or "")


def test_a_number_that_stands_for_another_task_is_refused(tmp_path):
    (tmp_path / "tasks.jsonl").write_text(TASKS)

    (found,) = scored(
        log_of([sample("a", prompt="What is rain?")]),
        "coverage",
        {"judge": model("j")},
        tasks=tmp_path / "tasks.jsonl",
    )

    assert "written for another prompt" in (found.explanation or "")


def test_reports_are_held_against_those_of_a_file(tmp_path):
    (tmp_path / "rival").mkdir()
    (tmp_path / "rival" / "a.md").write_text(REPORT.replace("save", "waste"))
    judge = {"judge": model("j")}

    (depth,) = scored(one(), "depth", judge, baseline_file=tmp_path / "rival")
    (race,) = scored(
        one(),
        "race",
        judge,
        criteria="static",
        dimension_weights=False,
        reference_file=tmp_path / "rival",
    )

    assert metadata_of(depth)["protocol"] == "depth(baseline='rival')"
    assert list(metadata_of(race)["basis"]) == ["criteria", "reference"]


def test_the_baseline_is_not_held_against_itself(tmp_path):
    log = one()
    baseline = written(log, tmp_path / "log.eval")

    done = scored_log(log, "depth", {"judge": model("j")}, baseline_file=baseline)

    assert [each.scores for each in done.samples or []] == [{}]


def test_pages_come_from_snapshots_or_not_at_all(tmp_path):
    judge = {"judge": model("j")}
    page = tmp_path / "page.html"
    page.write_text("<p>Heat pumps save energy in most homes. They cost more to install.</p>")
    import_pages([page], tmp_path / "pages.assay", "https://example.org/pumps")

    (without,) = scored(one(), "fact", judge)
    (found,) = scored(one(), "fact", judge, snapshots=tmp_path / "pages.assay")

    assert (metadata_of(without)["cause"], without.reason) == ("not_archived", "scoring_failed")
    assert isinstance(found.value, dict) and list(found.value) == ["overall", "E.Cit"]
    assert list(metadata_of(found)["record"]["pages"]) == ["https://example.org/pumps"]


# ------------------------------------------------------------------ arguments


def test_arguments_are_the_fields_of_the_protocol_and_stay_in_the_log():
    scorer = as_scorer("race(reference=False)", criteria="static", dimension_weights=False)

    assert registry_info(scorer).name == "deepassay/race"
    assert registry_params(scorer) == {
        "reference": False,
        "criteria": "static",
        "dimension_weights": False,
    }


@pytest.mark.parametrize(
    ("protocol", "arguments", "told"),
    [
        ("coverage", {"colour": "red"}, "no argument 'colour'"),
        ("coverage", {"budget": 5}, "for a judge of ours, and none is named"),
        ("coverage", {"judge": "offline", "limit": 5}, "no argument 'limit'"),
        ("race", {"criteria": "criteria.yaml"}, "there is no such criteria"),
        ("coverage", {"judge": "local:folder"}, "cannot judge reports"),
        ("coverage", {"judge": "nobody"}, "does not name a model"),
        ("coverage", {"criteria_file": "x.yaml"}, "-S tasks=FILE"),
        ("coverage", {"tasks": "missing.jsonl"}, "missing.jsonl cannot be read"),
        ("coverage", {"edition": "draft"}, "no edition 'draft'"),
        ("coverage", {"baseline_file": "x"}, "no such file"),
        ("race", {"reference": "yes"}, "not a bool"),
        ("bench", {}, "means 2 protocols"),
    ],
)
def test_what_a_scorer_cannot_take_is_refused_before_anything_is_asked(protocol, arguments, told):
    with pytest.raises(PrerequisiteError) as refused:
        as_scorer(protocol, **arguments)
    assert told in str(refused.value.message)


def test_without_a_judge_the_command_says_how_to_name_one():
    with pytest.raises(PrerequisiteError) as refused:
        scored(one(), "coverage")
    assert "--model-role judge=" in str(refused.value.message)


def test_every_protocol_is_a_scorer_and_so_is_a_metric_without_code(tmp_path):
    metric = tmp_path / "tone.yaml"
    metric.write_text(
        "name: tone\nquestion: How polite is the report?\nlabels: {rude: 0, polite: 1}\n"
    )

    assert [registry_info(as_scorer(each)).name for each in PROTOCOLS] == [
        f"deepassay/{each}" for each in PROTOCOLS
    ]
    assert registry_info(as_scorer(str(metric))).name == "deepassay/tone"


# ------------------------------------------------------------------ our models


def test_our_judge_keeps_a_run_as_evaluate_would(tmp_path):
    log = log_of([sample(each, metadata=ASKED) for each in ("a", "b", "c")])
    mine, other = tmp_path / "mine.assay", tmp_path / "other.assay"
    tasks = [{"id": x, "prompt": "Are heat pumps worth it?", "checklist": CHECKLIST} for x in "abc"]
    reports = [Report(REPORT, "mockllm/writer", each) for each in "abc"]

    found = scored(log, "coverage", judge="offline", run=mine, date="2026-11-20")
    evaluate(tasks, reports, "coverage", run=other, date="2026-11-20")

    assert [each.value for each in found] == [row["value"] for row in open_run(other).scores().rows]
    with RunFile.read(mine) as ours, RunFile.read(other) as theirs:
        assert [vars(each) for each in ours.scores()] == [vars(each) for each in theirs.scores()]
        assert ours.metrics() == theirs.metrics()
    assert open_run(mine).replay().proved


def test_two_scorers_share_one_run_file(tmp_path):
    log = log_of([sample(each, metadata=ASKED) for each in ("a", "b", "c")])
    mine = tmp_path / "mine.assay"
    scorers = [
        as_scorer(each, judge="offline", run=mine, budget=1.0)
        for each in ("coverage", "presentation")
    ]

    rescored(log, scorers, action="overwrite", display="none")

    run = open_run(mine)
    assert {row["protocol"] for row in run.scores().rows} == {"coverage", "presentation"}
    assert run.replay().proved
    with pytest.raises(PrerequisiteError) as refused:
        both = [as_scorer(each, judge="offline", run=mine, budget=spent)
                for each, spent in (("coverage", 1.0), ("presentation", 2.0))]  # fmt: skip
        rescored(log, both, action="overwrite", display="none")
    assert "different budgets" in str(refused.value.message)


def test_a_run_file_of_other_reports_leaves_the_sample_unscored(tmp_path):
    given = {"judge": "offline", "run": tmp_path / "mine.assay"}
    scored(one(), "coverage", **given)

    (found,) = scored(log_of([sample("a", "Other.", metadata=ASKED)]), "coverage", **given)

    assert metadata_of(found)["cause"] == "missing_input"
    assert "mine.assay" in (found.explanation or "")


def test_our_judge_is_asked_once_and_within_its_budget(tmp_path):
    log = log_of([sample(each, f"{REPORT}\n{each}", metadata=ASKED) for each in ("a", "b", "c")])
    (tmp_path / "prices.yaml").write_text("good: {input: 10, output: 0}\n")
    with FakeJudge(verdicts) as judge:
        given: dict[str, Any] = {
            "judge": "openai:good", "base_url": judge.base_url, "run": tmp_path / "r.assay",
            "prices": tmp_path / "prices.yaml", "max_connections": 1,
        }  # fmt: skip
        little = scored(log, "coverage", **given, budget=0.015)
        sent = len(judge.requests)
        enough = scored(log, "coverage", **given, budget=5.0)
        again = scored(log, "coverage", **given, budget=5.0)

    assert 0 < sent < 3
    causes = [metadata_of(each).get("cause") for each in little]
    assert causes.count("budget") == 3 - sent
    assert len(judge.requests) == 3
    assert [each.value for each in again] == [each.value for each in enough]
