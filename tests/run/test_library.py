"""`import deepassay` as a library: objects or files in, a run with its results out."""

import asyncio
import json
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest

import deepassay
from deepassay import Report, Score, Task, Unscored
from deepassay.errors import BadInput, BadReports, BadSetting, BadTasks, MissingExtra
from deepassay.protocols.coverage import Coverage
from deepassay.protocols.race.protocol import Race
from deepassay.run.showing.records import records_of
from tests.preloaded import python

TASKS = [
    Task(id="sky", prompt="Why is the sky blue?", checklist=("Is scattering named?",)),
    {"id": "sea", "prompt": "Why is the sea salty?", "checklist": ["Are rivers named?"]},
]
REPORTS = [
    Report(
        "# Sky\n\nIt is scattering [1].\n\n## References\n\n[1] https://a.example/\n",
        "heron",
        "sky",
    ),
    Report("# Sea\n\nRivers carry salt.\n", "heron", "sea"),
    Report("# Sky\n\nNobody knows.\n", "cuckoo", "sky"),
    Report("# Sea\n\nNobody knows.\n", "cuckoo", "sea"),
]


def strict(prompt):
    """Yes to everything in a report that does not say that nobody knows."""
    met = int("Nobody knows" not in prompt)
    return json.dumps({"evaluations": {"q1": {"score": met, "justification": "Looked."}}})


async def lenient(prompt):
    await asyncio.sleep(0)
    return json.dumps({"evaluations": {"q1": {"score": 1, "justification": "Fine."}}})


class Judging:
    """An object that is called, in place of a function."""

    def __init__(self):
        self.asked = []

    async def __call__(self, prompt):
        self.asked.append(prompt)
        return strict(prompt)


@pytest.fixture(scope="module")
def run():
    return deepassay.evaluate(TASKS, REPORTS, "coverage", judge=strict)


def means(run):
    return {row["agent"]: row["mean"] for row in run.leaderboard()}


def test_objects_go_in_and_a_ranking_comes_out(run):
    board = run.leaderboard()
    assert [(row["rank"], row["agent"], row["mean"]) for row in board] == [
        (1, "heron", 100.0),
        (2, "cuckoo", 0.0),
    ]
    assert "heron" in repr(board) and "rank" in repr(board)
    assert "<td" in board._repr_html_() and "heron" in board._repr_html_()
    assert list(board.to_pandas()["agent"]) == ["heron", "cuckoo"]


def test_the_run_says_what_came_of_it(run):
    first, *_ = repr(run).splitlines()
    assert first == f"{run.path}: scored 4 of 4 (coverage); cost unknown"
    assert "scored 4 of 4" in run._repr_html_()


def test_scores_evidence_and_differences(run):
    scores = run.scores()
    assert len(scores) == 4 and {row["value"] for row in scores} == {0.0, 100.0}
    assert "4 judgements" in repr(scores)
    assert len(run.to_pandas()) == 4
    why = run.explain("heron", "sky")
    assert "Is scattering named?" in str(why) and why._repr_html_().startswith("<pre>")
    assert list(why.to_pandas()["verdict"]) == ["met"]
    (difference,) = run.compare("heron", "cuckoo")
    assert difference["difference"] == 100.0
    assert len(run.compare()) == 1 and "heron" in run.compare()._repr_html_()


def test_tables_and_proof(run, tmp_path):
    assert run.export(tmp_path / "tables")["scores"] == 4
    assert run.replay().proved


def test_names_that_reports_bring_cannot_become_html():
    hostile = Report("# Sky\n\nText.\n", "<script>x</script>", "sky")
    board = deepassay.evaluate(TASKS, hostile, "coverage", judge=strict).leaderboard()
    assert "<script>" not in board._repr_html_() and "&lt;script&gt;" in board._repr_html_()


def test_a_run_without_a_name_lasts_as_long_as_the_object(tmp_path):
    made = deepassay.evaluate(TASKS[0], REPORTS[0], Coverage, judge=strict)
    kept = made.save(tmp_path / "kept.assay")
    scratch = made.path
    assert scratch.exists()
    del made
    assert not scratch.exists()
    assert means(kept) == {"heron": 100.0}
    assert means(deepassay.open_run(str(tmp_path / "kept.assay"))) == {"heron": 100.0}
    with pytest.raises(BadSetting, match="is there already"):
        kept.save(tmp_path / "kept.assay")


def test_a_run_with_a_name_is_resumed_and_another_judge_refused(tmp_path):
    judge, file = Judging(), tmp_path / "run.assay"
    deepassay.evaluate(TASKS, REPORTS[:2], "coverage", judge=judge, run=file)
    assert len(judge.asked) == 2
    deepassay.evaluate(TASKS, REPORTS, "coverage", judge=judge, run=str(file))
    assert len(judge.asked) == 4
    with pytest.raises(deepassay.ConfigurationChanged, match="Judging"):
        deepassay.evaluate(TASKS, REPORTS, "coverage", judge=lenient, run=file)


def test_files_names_values_and_classes_are_taken(tmp_path):
    (tmp_path / "tasks.jsonl").write_text(json.dumps(TASKS[1]))
    (tmp_path / "heron").mkdir()
    (tmp_path / "heron" / "sea.md").write_text(REPORTS[1].text)
    protocols = ["presentation(mechanical=True)", Race(reference=False), Coverage]
    made = deepassay.evaluate(str(tmp_path / "tasks.jsonl"), str(tmp_path / "heron"), protocols)
    assert {each.protocol for each in records_of([made.path])} == {
        "presentation(mechanical=True)",
        "race(reference=False)",
        "coverage",
    }
    assert [task.id for task in deepassay.tasks(tmp_path / "tasks.jsonl")] == ["sea"]
    assert [task.id for task in deepassay.tasks(TASKS)] == ["sky", "sea"]
    assert [each.agent for each in deepassay.reports([tmp_path / "heron", REPORTS[2]])] == [
        "cuckoo",
        "heron",
    ]


def test_a_panel_of_functions_is_asked_one_by_one():
    made = deepassay.evaluate(TASKS, REPORTS, "coverage", judge=[strict, lenient])
    assert means(made) == {"heron": 100.0, "cuckoo": 50.0}
    (identity,) = {
        json.dumps(each.signature.identity["judges"]) for each in records_of([made.path])
    }
    names = [judge["model"] for judge in json.loads(identity)]
    assert names == [f"{__name__}:strict", f"{__name__}:lenient"]
    with pytest.raises(BadSetting, match="the same judge twice"):
        deepassay.evaluate(TASKS, REPORTS, "coverage", judge=[strict, strict])


@pytest.mark.parametrize(
    ("judge", "cause", "said"),
    [
        (lambda prompt: 1 / 0, "judge_unreachable", "ZeroDivisionError: division by zero"),
        (lambda prompt: None, "judge_unreachable", "no text but NoneType"),
        (lambda prompt: "I cannot say.", "answer_unreadable", ""),
    ],
)
def test_a_function_that_fails_leaves_a_report_unscored(judge, cause, said):
    made = deepassay.evaluate(TASKS[0], REPORTS[0], "coverage", judge=judge)
    (record,) = records_of([made.path])
    assert isinstance(record.outcome, Unscored)
    assert record.outcome.cause == cause and said in record.outcome.detail
    assert f"unscored: 1 {cause}" in repr(made)


def test_what_cannot_be_used_is_said(tmp_path):
    with pytest.raises(BadSetting, match="is no judge"):
        deepassay.evaluate(TASKS, REPORTS, "coverage", judge=3)
    with pytest.raises(BadTasks, match="no column is known as the prompt"):
        deepassay.tasks({"id": "x"})
    with pytest.raises(BadTasks, match="the same id"):
        deepassay.tasks([TASKS[0], TASKS[0]])
    with pytest.raises(BadSetting, match="budgett"):
        deepassay.evaluate(TASKS, REPORTS, "coverage", budgett=3)
    with pytest.raises(BadSetting, match="means 6 protocols"):
        deepassay.protocol("deepeval")
    with pytest.raises(BadSetting, match="One agent is named"):
        deepassay.evaluate(TASKS[0], REPORTS[0], "coverage", judge=strict).compare("heron")


@pytest.mark.parametrize("given", [None, 5, b"x", [5], [None], []])
def test_what_are_no_tasks_is_said(given):
    with pytest.raises(BadTasks, match="task"):
        deepassay.evaluate(given, REPORTS, "coverage")


@pytest.mark.parametrize("given", [None, 5, b"x", [5], [None], "nul\0", "x" * 100_000])
def test_what_are_no_reports_is_said(given):
    with pytest.raises(BadReports, match=r"path|cannot be read") as caught:
        deepassay.evaluate(TASKS, given, "coverage")
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("given", [[], ()])
def test_no_reports_are_not_said_to_have_names(given):
    with pytest.raises(BadReports) as caught:
        deepassay.evaluate(TASKS, given, "coverage")
    assert caught.value.problem == "No report is given."
    assert "--columns" not in caught.value.remedy


@pytest.mark.parametrize("text", [None, 5, b"x", ["x"]])
def test_the_text_of_a_report_is_a_text(text):
    with pytest.raises(BadReports, match="The text of a report is a str, not"):
        Report(text, agent="heron", task="sky")


@pytest.mark.parametrize("shards", [[], ()])
def test_of_no_shards_nothing_is_merged(tmp_path, shards):
    with pytest.raises(BadSetting, match="No run file is given to merge"):
        deepassay.merge(shards, tmp_path / "whole.assay")
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("given", [5, b"x", "nul\0", "x" * 5_000])
def test_what_is_no_path_is_said(run, given):
    for look in (deepassay.open_run, run.save, run.export):
        with pytest.raises(BadInput, match="is no path") as caught:
            look(given)
        assert len(str(caught.value)) < 400
    with pytest.raises(BadInput):
        deepassay.evaluate(TASKS, REPORTS, "coverage", run=given)


def test_what_cannot_be_written_or_made_is_said(run, tmp_path):
    with pytest.raises(BadSetting, match="cannot be written"):
        run.save(tmp_path / "none" / "x.assay")
    with pytest.raises(BadSetting, match="no format 'xlsx'"):
        run.export(tmp_path / "tables", format="xlsx")
    with pytest.raises(BadSetting, match="Protocol cannot be made"):
        deepassay.evaluate(TASKS, REPORTS, deepassay.Protocol)
    with pytest.raises(BadSetting, match="from 1 to 1000"):
        deepassay.evaluate(TASKS, REPORTS, "coverage", repeat=10**9)


def test_it_works_where_an_event_loop_is_running():
    async def main():
        within = deepassay.evaluate(TASKS, REPORTS, "coverage", judge=strict)
        awaited = await deepassay.aevaluate(TASKS, REPORTS, "coverage", judge=lenient)
        return means(within), means(awaited)

    assert asyncio.run(main()) == (
        {"heron": 100.0, "cuckoo": 0.0},
        {"heron": 100.0, "cuckoo": 100.0},
    )


def test_what_is_awaited_can_be_cancelled_and_is_kept(tmp_path):
    asked = []

    async def slow(prompt):
        asked.append(prompt)
        if len(asked) > 1:
            await asyncio.Event().wait()
        return strict(prompt)

    async def main():
        work = asyncio.ensure_future(
            deepassay.aevaluate(
                TASKS, REPORTS, "coverage", judge=slow, run=tmp_path / "r", max_connections=1
            )
        )
        while len(asked) < 2:
            await asyncio.sleep(0.01)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work

    asyncio.run(main())
    assert sum(row["value"] is not None for row in deepassay.open_run(tmp_path / "r").scores()) == 1


def test_nothing_of_the_process_is_changed():
    import gc
    import signal

    before = (gc.get_threshold(), gc.isenabled(), signal.getsignal(signal.SIGINT))
    frozen, threads = gc.get_freeze_count(), threading.active_count()
    asyncio.run(deepassay.aevaluate(TASKS[0], REPORTS[0], "coverage", judge=lenient))
    assert (gc.get_threshold(), gc.isenabled(), signal.getsignal(signal.SIGINT)) == before
    assert gc.get_freeze_count() == frozen
    assert threading.active_count() <= threads + 1  # the loop's own pool may stay


def test_a_protocol_of_ones_own_is_scored_read_and_replayed(tmp_path):
    @dataclass(frozen=True, repr=False)
    class Length(deepassay.Protocol):
        name = "length"
        title = "Length"
        source = "ours"
        bounds = (0.0, 1000.0)

        async def score(self, case, ask, sources):
            return Score(float(len(case.report.text)), self.bounds)

        def operations(self):
            return ()

    made = deepassay.evaluate(TASKS, REPORTS, Length, run=tmp_path / "r.assay")
    (one, *_) = records_of([made.path])
    assert one.metric.title == "Length"
    assert one.signature.identity["code"].startswith(f"{__name__}:")
    assert not made.replay().proved
    assert made.replay(Length).proved


def test_metrics_without_code(tmp_path):
    (tmp_path / "my-metric.yaml").write_text("question: Is it clear?\nscale: [1, 5]\n")
    metric = deepassay.protocol(tmp_path / "my-metric.yaml")
    assert str(metric) == "my-metric"
    answer = json.dumps({"evaluations": {"answer": {"mark": 4, "justification": "Clear."}}})
    made = deepassay.evaluate(TASKS, REPORTS, metric, judge=lambda prompt: answer)
    assert set(means(made).values()) == {4.0}
    assert made.replay().proved


def test_reports_are_linted_cleaned_and_read():
    found = deepassay.lint(REPORTS[2])
    assert [(row["code"], row["agent"], row["line"]) for row in found] == [
        ("DA106", "cuckoo", 1),
        ("DA201", "cuckoo", 3),
    ]
    assert repr(found).startswith("2 findings\n")
    assert "[1]" not in deepassay.clean(REPORTS[0])
    (statement,) = deepassay.statements(REPORTS[0])
    assert statement.urls == ("https://a.example/",)
    with pytest.raises(BadInput, match="holds 4 reports"):
        deepassay.clean(REPORTS)


def test_a_frame_without_pandas_says_what_is_missing(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtra, match="data frame"):
        run.scores().to_pandas()


def test_names_are_listed_before_anything_is_loaded():
    code = (
        "import sys, deepassay; names = dir(deepassay); assert 'evaluate' in names;"
        "assert not [m for m in sys.modules if m.startswith('deepassay.')];"
        "import deepassay.reports.report, deepassay.tasks.task;"
        "assert callable(deepassay.reports) and callable(deepassay.tasks)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_client_of_ones_own_is_asked_as_it_is():
    from deepassay.models.client import AdaptivePace, Completion
    from deepassay.models.usage import Usage

    async def complete(call):
        return Completion(strict(call.prompt.text), "stop", Usage(1000, 10), "mine-1")

    client = SimpleNamespace(
        identity={"model": "mine", "endpoint": "here"},
        pace=AdaptivePace(4),
        price=lambda usage: usage.input / 1e6,
        max_output=100,
        context_window=None,
        complete=complete,
    )
    made = deepassay.evaluate(TASKS, REPORTS, "coverage", judge=client, budget=1.0)
    assert "cost $0.0040" in repr(made)
    (served,) = {json.dumps(each.signature.record["served"]) for each in records_of([made.path])}
    assert json.loads(served) == {"mine": ["mine-1"]}


def test_paths_of_a_run_that_is_not_there_are_refused():
    with pytest.raises(deepassay.BadRunFile):
        deepassay.open_run(Path("nothing.assay"))


INTERRUPTED = """
import asyncio, json, os, signal, sys
import deepassay
from tests.run.test_library import REPORTS, TASKS, strict

asked = []

async def judge(prompt):
    asked.append(prompt)
    if len(asked) == 2:
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.Event().wait()
    return strict(prompt)

def evaluated():
    deepassay.evaluate(TASKS, REPORTS, "coverage", judge=judge, run=sys.argv[1], max_connections=1)

async def within_a_loop():
    evaluated()

try:
    asyncio.run(within_a_loop()) if sys.argv[2] == "loop" else evaluated()
except KeyboardInterrupt:
    print(sum(row["value"] is not None for row in deepassay.open_run(sys.argv[1]).scores()))
"""


@pytest.mark.parametrize("where", ["bare", "loop"])
def test_an_interruption_from_the_keyboard_keeps_what_is_done(tmp_path, repository, where):
    done = subprocess.run(
        python(INTERRUPTED, str(tmp_path / "run.assay"), where),
        cwd=repository, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "1\n"), done.stderr
