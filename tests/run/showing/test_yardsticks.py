"""Criteria and references in a run: given at once, later, or only once; for some tasks or all."""

import json
from pathlib import Path

import pytest

from deepassay.errors import ConfigurationChanged, Notice
from deepassay.protocols.ace import protocol as ace
from deepassay.run.asking.evaluate import evaluate
from deepassay.run.asking.planning import plan_of
from deepassay.run.showing.records import judged
from deepassay.run.showing.replay import replay
from deepassay.run.showing.yardsticks import about, as_stored
from deepassay.runfile import RunFile
from deepassay.score import Cause, Unscored
from deepassay.tasks.task import Task
from deepassay.tasks.yardsticks import DIMENSIONS, AceItem
from tests.asked import asked as asking

PROMPTS = {"a": "Why is the sky blue?", "b": "Why is grass green?"}
REPORT = "# Sky\n\nAir scatters blue light, because its molecules are small; {agent} says so.\n"


def criteria_row(task, share=0.75):
    listed = [("one", share), ("two", 1 - share)]
    return {
        "id": task,
        "prompt": PROMPTS[task],
        "dimension_weight": dict(zip(DIMENSIONS, (0.4, 0.3, 0.2, 0.1), strict=True)),
        "criterions": {
            name: [{"criterion": f"{name} {n}", "weight": weight} for n, weight in listed]
            for name in DIMENSIONS
        },
    }


def write_rows(path: Path, rows) -> Path:
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


@pytest.fixture
def given(tmp_path):
    """What is asked for two tasks, two agents and the criteria of both tasks."""
    tasks = write_rows(
        tmp_path / "tasks.jsonl",
        [{"id": task, "prompt": prompt, "reference": "# Own"} for task, prompt in PROMPTS.items()],
    )
    for agent in ("heron", "cuckoo"):
        for task in PROMPTS:
            file = tmp_path / "reports" / agent / f"{task}.md"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(REPORT.format(agent=agent), encoding="utf-8")
    write_rows(tmp_path / "criteria.jsonl", map(criteria_row, PROMPTS))

    def request(**options):
        options = {"protocols": ["race"], "run": tmp_path / "r", **options}
        return asking(tasks, [tmp_path / "reports"], **options)

    return request


def outcomes(run):
    """Agent, task and outcome of everything that the run file holds, after a whole replay."""
    with RunFile.read(run) as file:
        assert replay(file).different == ()
        return [(each.agent, each.task, each.outcome) for each in judged(file)]


def test_what_was_unscored_without_criteria_is_scored_once_they_are_given(given, tmp_path):
    evaluate(*given(reference="heron"))
    lacking = outcomes(tmp_path / "r")
    assert {outcome.cause for _, _, outcome in lacking} == {Cause.MISSING_INPUT}
    evaluate(*given(reference="heron", criteria=tmp_path / "criteria.jsonl"))
    found = outcomes(tmp_path / "r")
    assert len(found) == len(lacking) == 4
    assert not any(isinstance(outcome, Unscored) for _, _, outcome in found)


def test_what_a_run_was_given_once_need_not_be_given_again(given, tmp_path):
    whole = {"reference": "heron", "criteria": tmp_path / "criteria.jsonl"}
    evaluate(*given(**whole, protocols=["race(vanilla=True)"]))
    before = plan_of(*given(**whole, run=tmp_path / "other"))
    (tmp_path / "tasks.jsonl").write_text(
        "\n".join(json.dumps({"id": id_, "prompt": text}) for id_, text in PROMPTS.items()),
        encoding="utf-8",
    )
    after = plan_of(*given())
    texts = [{task: ref.text for task, ref in plan.references.items()} for plan in (before, after)]
    assert texts[0] == texts[1]
    assert [task.criteria for task in after.tasks.values()] == [
        task.criteria for task in before.tasks.values()
    ]
    after = evaluate(*given()).tally
    assert (after.scored, after.settled) == (2, 2)  # two are the reference's own
    assert len(outcomes(tmp_path / "r")) == 8


def test_other_criteria_or_another_reference_are_refused(given, tmp_path):
    whole = {"reference": "heron", "criteria": tmp_path / "criteria.jsonl"}
    evaluate(*given(**whole))
    with pytest.raises(ConfigurationChanged, match="the reference for task a"):
        evaluate(*given(**{**whole, "reference": "cuckoo"}))
    write_rows(tmp_path / "criteria.jsonl", [criteria_row(task, 0.5) for task in PROMPTS])
    with pytest.raises(ConfigurationChanged, match="the criteria for task a"):
        evaluate(*given(**whole))


def test_the_references_of_the_tasks_stand_in_where_none_is_named(given, tmp_path):
    evaluate(*given(criteria=tmp_path / "criteria.jsonl"))
    assert {task: ref.text for task, ref in plan_of(*given()).references.items()} == {
        "a": "# Own",
        "b": "# Own",
    }
    assert all(outcome.value != 0.5 for _, _, outcome in outcomes(tmp_path / "r"))


@pytest.mark.parametrize("text", [None, " \n"])
def test_a_task_that_the_named_reference_leaves_out_is_unscored(given, tmp_path, text):
    folder = tmp_path / "authors"
    folder.mkdir()
    (folder / "a.md").write_text("# Theirs\n\nThe sky is blue.\n", encoding="utf-8")
    if text is not None:
        (folder / "b.md").write_text(text, encoding="utf-8")
    evaluate(*given(reference=str(folder), criteria=tmp_path / "criteria.jsonl"))
    causes = {task: outcome.cause for _, task, outcome in outcomes(tmp_path / "r") if task == "b"}
    assert causes == {"b": Cause.MISSING_INPUT}


def test_reports_that_are_told_by_their_prompt_are_found_under_a_limit(given, tmp_path):
    swapped = dict(zip(PROMPTS, reversed(PROMPTS.values()), strict=True))
    rows = [{"id": id_, "prompt": q, "article": f"Of {q}"} for id_, q in swapped.items()]
    file = write_rows(tmp_path / "swapped.jsonl", rows)
    request = given(limit=1)
    with pytest.warns(Notice, match="2 reports joined by prompt"):
        plan = plan_of(request.tasks, [file], request.settings)
    assert [(report.task, report.text) for report in plan.reports] == [("a", f"Of {PROMPTS['a']}")]
    assert list(plan.tasks) == ["a"]


def test_rubrics_are_no_part_of_the_tasks_as_stored(given, tmp_path):
    """So that scores of other protocols stay comparable, whatever rubric the tasks have."""
    rubric = tmp_path / "rubrics.jsonl"
    entry = {"id": "a", "rubric": [{"criterion": "Names scattering", "weight": 4}]}
    write_rows(rubric, [entry])
    evaluate(*given(protocols=["presentation"], rubric=rubric))
    evaluate(*given(protocols=["presentation"], run=tmp_path / "without"))
    with RunFile.read(tmp_path / "r") as run, RunFile.read(tmp_path / "without") as other:
        assert dict(run.tasks()) == dict(other.tasks())
        assert about(run).digest == about(other).digest
        assert [each.id for each in about(run).tasks["a"].rubric] == ["c1"]
        assert about(run).tasks["b"].rubric == ()


def test_a_kept_baseline_goes_before_what_its_agent_is_scored_on_later(given, tmp_path):
    file = tmp_path / "older" / "cuckoo" / "a.md"
    file.parent.mkdir(parents=True)
    file.write_text("# Sky\n\nAn older report of the cuckoo on the sky.\n", encoding="utf-8")
    own = tmp_path / "reports" / "cuckoo"
    own.rename(tmp_path / "aside")
    evaluate(*given(protocols=["depth"], baseline=str(file.parent.parent), judge=["offline"]))
    (tmp_path / "aside").rename(own)
    evaluate(*given(protocols=["presentation"]))
    with RunFile.read(tmp_path / "r") as run:
        assert about(run).rivals["cuckoo", "a"].text == file.read_text("utf-8")
    outcomes(tmp_path / "r")


def test_other_checklists_made_on_the_way_are_another_recipe(given, tmp_path, monkeypatch):
    def recipes(run, first_weight):
        async def made(task, maker):
            weights = (first_weight, 0.3, 0.7 - first_weight)
            return tuple(
                AceItem(title=f"Side {n}", description="What it asks.", weight=weight)
                for n, weight in enumerate(weights)
            )

        monkeypatch.setattr(ace, "make_checklist", made)
        evaluate(*given(protocols=["ace(make=True)"], run=tmp_path / run))
        with RunFile.read(tmp_path / run) as file:
            return {each.signature.digest for each in judged(file)}

    (one,), (same,), (other,) = recipes("a", 0.5), recipes("b", 0.5), recipes("c", 0.4)
    assert one == same != other


def planned(asked):
    return [str(each) for each in plan_of(*asked).protocols]


def test_a_baseline_that_was_named_once_need_not_be_named_again(given, tmp_path):
    (tmp_path / "older" / "robin").mkdir(parents=True)
    text = "# Sky\n\nAn older report of the robin on the sky.\n"
    (tmp_path / "older" / "robin" / "a.md").write_text(text, encoding="utf-8")
    evaluate(*given(protocols=["depth"], baseline=str(tmp_path / "older")))
    again = given(protocols=["depth"])
    assert planned(again) == ["depth(baseline='robin')"]
    assert plan_of(*again).rivals["robin", "a"].text == text
    done = evaluate(*again).tally
    assert (done.kept, done.done) == (done.total, 0)
    assert "depth(baseline='robin')" in planned(given(protocols=None))
    assert planned(given(protocols=["depth"], baseline="heron")) == ["depth(baseline='heron')"]


def test_where_none_was_named_an_agent_that_comes_later_is_a_baseline_too(given, tmp_path):
    evaluate(*given(protocols=["depth"]))
    folder = tmp_path / "reports" / "robin"
    folder.mkdir()
    (folder / "a.md").write_text(REPORT.format(agent="robin"), encoding="utf-8")
    names = [f"depth(baseline='{agent}')" for agent in ("cuckoo", "heron", "robin")]
    assert planned(given(protocols=["depth"])) == names


def test_a_task_without_known_pages_is_kept_as_before_there_was_such_a_field():
    task = Task(id="t", prompt="Why?")
    assert "relevant" not in as_stored(task)
    known = task.model_copy(update={"relevant": ("https://a.example/",)})
    assert as_stored(known) == as_stored(task) | {"relevant": ["https://a.example/"]}
