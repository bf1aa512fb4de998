"""The line from transcripts to tasks: what comes of it, stopped and resumed, reviewed, broken."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from deepassay.errors import BadSetting, BadTasks
from deepassay.run.asking.making import Listener
from deepassay.run.settings import Settings
from deepassay.score import Unscored
from deepassay.tasks.loaders import load_tasks
from deepassay.wings.build.arena.construction import Lead, text_flaws, ungrounded
from deepassay.wings.build.arena.provenance import provenance_file, read_provenance, traced
from deepassay.wings.build.arena.rank_eval import comparisons_file, played, read_comparisons
from deepassay.wings.build.arena.review import ANSWERED, WOVEN
from deepassay.wings.build.arena.subtitles import read_transcript
from deepassay.wings.build.arena.weaver import from_templates
from deepassay.wings.build.arena.whole_line import BuildTerms, build_tasks
from tests.loopback import FakeJudge
from tests.wings.build.weavers import BREACHES
from tests.wings.build.weavers import answer as woven_answer


@pytest.fixture
def seminar(repository) -> Path:
    return repository / "examples" / "demo" / "seminar"


@pytest.fixture
def chinese(seminar) -> Path:
    return seminar / "street-trees.srt"


class Wanted(NamedTuple):
    """What `build_tasks` takes."""

    transcripts: Sequence[Path]
    output: Path
    settings: Settings
    line: BuildTerms


def request(folder: Path, *transcripts: Path, **changes) -> Wanted:
    folder.mkdir(exist_ok=True)
    output = changes.pop("output", folder / "tasks.jsonl")
    line = {
        name: changes.pop(name) for name in [*changes] if name in BuildTerms.__dataclass_fields__
    }
    return Wanted(
        transcripts, output, Settings(run=folder / "r.assay", **changes), BuildTerms(**line)
    )


def made(folder: Path) -> dict[str, bytes]:
    """Everything but the run file, by its place."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "r.assay" not in path.name
    }


def decide(sheet: Path, decision, edited: str = "") -> None:
    """Fill in the decisions of a sheet: a function of the number of the row."""
    with sheet.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    for number, row in enumerate(rows):
        row["decision"] = decision(number)
        row["edited_task"] = edited if row["decision"] == "edit" else ""
    with sheet.open("w", encoding="utf-8", newline="") as stream:
        table = csv.DictWriter(stream, [*WOVEN, *ANSWERED])
        table.writeheader()
        table.writerows(rows)


# ------------------------------------------------------------------ the demo


def test_the_demo_talk_is_long_and_has_questions(seminar):
    talk = read_transcript(seminar / "warm-nights.vtt")
    assert len(talk.text.split()) >= 6000
    assert len({segment.speaker for segment in talk.segments}) >= 10
    assert all(segment.start is not None for segment in talk.segments)


def test_transcripts_become_valid_tasks_that_lead_back_to_their_words(tmp_path, seminar):
    files = [seminar / "warm-nights.vtt", seminar / "street-trees.srt"]
    built = build_tasks(*request(tmp_path, *files, keep=1000))
    tasks = load_tasks(tmp_path / "tasks.jsonl")
    assert built.tasks == len(tasks) >= 50
    assert {task.language for task in tasks} == {"en", "zh"}
    assert len({task.labels["family"] for task in tasks}) == 10
    beside = provenance_file(tmp_path / "tasks.jsonl")
    texts = {each.name: each.text for each in map(read_transcript, files)}
    for each, task in zip(traced(tasks, read_provenance(beside), beside), tasks, strict=True):
        assert list(text_flaws(task.prompt, task.language)) == []
        for ground in each.inspirations:
            assert ungrounded(task.prompt, ground.text, task.language) == ""
            assert texts[ground.transcript][ground.start : ground.end] == ground.quote
            assert ground.time is not None
    ratings = [each.rating for each in traced(tasks, read_provenance(beside), beside)]
    rounded = [round(each, 6) for each in ratings]
    assert rounded == sorted(rounded, reverse=True)


def test_the_same_seed_gives_the_same_files_and_another_one_another_order(tmp_path, seminar):
    talk = seminar / "warm-nights.vtt"
    for name, seed in (("a", 7), ("b", 7), ("c", 8)):
        build_tasks(*request(tmp_path / name, talk, seed=seed, keep=20))
    assert made(tmp_path / "a") == made(tmp_path / "b")
    one, other = ((tmp_path / name / "tasks.jsonl").read_bytes() for name in "ac")
    assert one != other
    assert len(one.splitlines()) == len(other.splitlines()) == 20


def test_the_same_command_again_changes_nothing(tmp_path, chinese):
    build_tasks(*request(tmp_path, chinese))
    before = made(tmp_path)
    built = build_tasks(*request(tmp_path, chinese))
    assert made(tmp_path) == before
    assert [stage.made for stage in built.stages.values()] == [[], [], []]


# ------------------------------------------------------------------ stopping and going on


class Killed(Exception):
    """Stands for the end of the process."""


@pytest.mark.parametrize("stage", ["inspirations", "tasks", "verdicts"])
def test_a_build_that_was_cut_off_ends_as_if_it_had_not_been(tmp_path, chinese, stage):
    def cut(what, outcome):
        if what == stage:
            raise Killed

    with pytest.raises(Killed):
        build_tasks(*request(tmp_path / "cut", chinese), listener=Listener(stage=cut))
    build_tasks(*request(tmp_path / "cut", chinese))
    build_tasks(*request(tmp_path / "whole", chinese))
    assert made(tmp_path / "cut") == made(tmp_path / "whole")


def test_tasks_edited_by_hand_are_not_written_over(tmp_path, chinese):
    build_tasks(*request(tmp_path, chinese))
    output = tmp_path / "tasks.jsonl"
    text = output.read_text().replace('"difficulty": "Basic"', '"difficulty": "Hard"', 1)
    output.write_text(text)
    with pytest.raises(BadTasks, match="would be overwritten"):
        build_tasks(*request(tmp_path, chinese))
    assert output.read_text() == text


def test_other_inspirations_than_those_that_were_woven_are_refused(tmp_path, chinese):
    build_tasks(*request(tmp_path, chinese))
    with pytest.raises(BadTasks, match="woven from other inspirations"):
        build_tasks(*request(tmp_path, chinese, group_size=3))


@pytest.mark.parametrize("name", ["tasks.csv", "tasks.yaml", "tasks.parquet"])
def test_an_output_that_would_not_be_read_as_lines_is_refused(tmp_path, chinese, name):
    with pytest.raises(BadSetting, match=r"ends in \.jsonl"):
        build_tasks(*request(tmp_path, chinese, output=tmp_path / name))


def test_a_talk_without_an_inspiration_gives_no_tasks(tmp_path):
    small = tmp_path / "small.txt"
    small.write_text("Good afternoon. There is coffee outside.\n")
    built = build_tasks(*request(tmp_path, small))
    assert built.tasks is None
    assert not (tmp_path / "tasks.jsonl").exists()


# ------------------------------------------------------------------ review


def test_a_review_stops_the_line_and_its_decisions_let_it_go_on(tmp_path, chinese):
    wanted = request(tmp_path, chinese, review=tmp_path / "review.csv")
    first = build_tasks(*wanted)
    assert first.undecided > 10
    assert first.tasks is None
    assert not (tmp_path / "tasks.jsonl").exists()

    decide(
        wanted.line.review,
        lambda number: "" if number == 3 else "reject" if number % 2 else "accept",
    )
    assert build_tasks(*wanted).undecided == 1

    decide(wanted.line.review, lambda number: "reject" if number % 2 else "accept")
    last = build_tasks(*wanted)
    assert last.undecided == 0
    assert last.tasks == -(-first.undecided // 2)
    kept = read_provenance(provenance_file(wanted.output)).values()
    assert {each.review.decision for each in kept} == {"accept"}


def test_an_edited_task_is_ranked_with_its_new_text(tmp_path, chinese):
    wanted = request(tmp_path, chinese, review=tmp_path / "review.csv")
    build_tasks(*wanted)
    task = load_tasks(wanted.output.with_suffix(".build") / "tasks.jsonl")[0]
    edited = f"{task.prompt[:-1]}，并附一页说明。"
    decide(
        wanted.line.review,
        lambda number: "reject" if number > 1 else "edit" if not number else "accept",
        edited,
    )
    assert build_tasks(*wanted).tasks == 2
    tasks = {each.id: each for each in load_tasks(wanted.output)}
    assert tasks[task.id].prompt == edited
    review = read_provenance(provenance_file(wanted.output))[task.id].review
    assert (review.decision, review.woven) == ("edit", task.prompt)


def test_a_task_that_is_edited_after_the_ranking_is_compared_anew(tmp_path, chinese):
    wanted = request(tmp_path, chinese, review=tmp_path / "review.csv")
    build_tasks(*wanted)
    task = load_tasks(wanted.output.with_suffix(".build") / "tasks.jsonl")[0]
    edited = f"{task.prompt[:-1]}，并附一页说明。"
    for decision, prompt in (("accept", task.prompt), ("edit", edited), ("accept", task.prompt)):
        decide(
            wanted.line.review, lambda number, first=decision: "accept" if number else first, edited
        )
        build_tasks(*wanted)
        ranked = {each.id: each for each in load_tasks(wanted.output)}
        assert ranked[task.id].prompt == prompt
        comparisons = read_comparisons(comparisons_file(wanted.output))
        met = [each for each in comparisons if task.id in each.tasks]
        assert {each.prompts[task.id] for each in met} == {ranked[task.id].digest}
        assert min(played(comparisons, [*ranked.values()]).values()) == wanted.line.rounds


def test_of_two_tasks_the_only_comparison_may_be_dropped(tmp_path, chinese):
    wanted = request(tmp_path, chinese, review=tmp_path / "review.csv")
    build_tasks(*wanted)
    task = load_tasks(wanted.output.with_suffix(".build") / "tasks.jsonl")[0]
    for first in ("accept", "edit"):
        decide(
            wanted.line.review,
            lambda number, first=first: ("accept" if number else first) if number < 2 else "reject",
            f"{task.prompt[:-1]}，并附一页说明。",
        )
        assert build_tasks(*wanted).tasks == 2


def test_a_review_that_rejects_everything_leaves_no_task(tmp_path, chinese):
    wanted = request(tmp_path, chinese, review=tmp_path / "review.csv")
    build_tasks(*wanted)
    decide(wanted.line.review, lambda number: "reject")
    built = build_tasks(*wanted)
    assert (built.tasks, built.undecided) == (None, 0)


# ------------------------------------------------------------------ a model that breaks rules


BROKEN = woven_answer(BREACHES["no deliverable"][0]())


def weaver(body) -> str:
    """Weaves as the templates do, but for the first group that it is shown, ever and again."""
    asked = next(each["content"] for each in body["messages"] if each["role"] == "user")
    shown = json.loads(asked.split("BEGIN inspirations")[1].split("\n")[1])
    if "菌根" in shown[0]["text"]:
        return BROKEN
    leads = [Lead.model_validate(each) for each in shown]
    return json.dumps({"tasks": [each.model_dump() for each in from_templates(leads, "zh")]})


def test_groups_that_a_model_cannot_weave_are_failures_and_the_others_give_tasks(
    tmp_path, chinese, monkeypatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
    build_tasks(*request(tmp_path / "by rule", chinese))
    there = tmp_path / "by rule" / "tasks.build" / "inspirations.jsonl"
    folder = tmp_path / "by model" / "tasks.build"
    folder.mkdir(parents=True)
    shutil.copy(there, folder)
    failures = {}

    def note(item, outcome):
        if isinstance(outcome, Unscored):
            failures[item.id] = outcome.detail

    with FakeJudge(weaver) as judge:
        built = build_tasks(
            *request(
                folder.parent,
                chinese,
                maker="openai:good",
                judge="offline",
                base_url=judge.base_url,
                allow_unpriced=True,
            ),
            listener=Listener(item=note),
        )
    woven = built.stages["tasks"]
    assert 0 < len(woven.failures) < woven.total
    assert failures.keys() == woven.failures.keys()
    assert all("names no deliverable" in detail for detail in failures.values())
    assert {task.id.rpartition("-")[0] for task in load_tasks(folder.parent / "tasks.jsonl")} == {
        *woven.made
    }
