"""`agree rubrics` on criteria that people decided on: RuVerBench's layout, tables of one's own."""

import csv
import io
import json
import re

import pytest

from deepassay.runfile import RunFile
from tests.draws import few_draws  # noqa: F401 - for all tests
from tests.loopback import FakeJudge

CRITERIA = re.compile(r"<<<BEGIN criteria .*?\n(.*)\n<<<END criteria", re.DOTALL)


def say_yes(body):
    """A judge that finds everything met."""
    prompt = next(each["content"] for each in body["messages"] if each["role"] == "user")
    asked = re.findall(r"^\d+\. ", CRITERIA.search(prompt)[1], re.MULTILINE)
    said = {f"r{n}": {"verdict": "Yes", "reason": "So it is."} for n in range(1, len(asked) + 1)}
    return json.dumps({"verdicts": said})


POINTS = {
    "RR_1": [("Names a limit.", True, "logic"), ("Has a table.", False, "format")],
    "DRB2_2": [("给出成本。", True, "numbers"), ("Has a table.", False, "format")],
    "RB_3": [],
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path, content):
    path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    return path


def said(points, name="covered"):
    return {"coverage_results": [{"point": text, name: met} for text, met, _ in points]}


@pytest.fixture
def bench(folder):
    """A folder as RuVerBench is published, with answers."""
    own = folder / "benchmark"
    own.mkdir()
    write(
        own / "deepresearch_labels.json", [{"id": n, "result": said(p)} for n, p in POINTS.items()]
    )
    write(
        own / "deepresearch_dataset.json",
        [
            {
                "id": n,
                "question": f"What of {n}?",
                "rubric": [{"point": t} for t, _, _ in own_points],
            }
            for n, own_points in POINTS.items()
        ],
    )
    points = [
        {"question_id": name, "point_index": at, "point": text, "category": kind}
        for name, own_points in POINTS.items()
        for at, (text, _, kind) in enumerate(own_points)
    ]
    order = ["format", "numbers", "logic", "facts"]
    taxonomy = {"category_order": order, "default_category": "facts", "points": points}
    write(own / "deepresearch_taxonomy.json", taxonomy)
    write(own / "agenticcoding_labels.json", [{"id": "x", "checks": []}])
    write(
        own / "deepresearch_responses.json",
        [
            {"id": n, "question": f"What of {n}?", "response": f"# Report\n\nOn {n}."}
            for n in POINTS
        ],
    )
    return own


def asked(judge, run="r.assay"):
    return (
        *("--judge", "openai:good", "--base-url", judge.base_url, "--allow-unpriced"),
        *("--run", run),
    )


def figures(done):
    rows = csv.DictReader(io.StringIO(done.stdout))
    return {(row["by"], row["figure"]): row for row in rows if row["figure"] and not row["cut"]}


def test_ruverbench_is_judged_on_its_criteria_alone_and_not_asked_twice(deepassay, bench):
    with FakeJudge(say_yes) as judge:
        command = ("agree", "rubrics", "benchmark", *asked(judge), "--format", "csv")
        done = deepassay(*command)
        count = len(judge.requests)
        again = deepassay(*command)
        assert len(judge.requests) == count == 4
    assert done.returncode == 0, done.stderr
    assert again.stdout == done.stdout
    found = figures(done)
    assert found["openai:good", "accuracy"]["value"] == "0.5"
    assert found["openai:good", "accuracy"]["n"] == "4"
    assert found["what people say most", "accuracy"]["value"] == "0.5"
    assert "verdicts of people: 4 came in, 4 found their criteria, 4 used." in done.stderr
    read = deepassay("agree", "rubrics", "benchmark", "r.assay", "--format", "csv")
    assert read.stdout == done.stdout
    assert deepassay("replay", "r.assay").returncode == 0


def test_options_of_the_protocol_go_to_the_judge(deepassay, bench):
    with FakeJudge(say_yes) as judge:
        option = "rubrics(set='ruverbench', together=2)"
        done = deepassay("agree", "rubrics", "benchmark", *asked(judge), "--protocol", option)
        assert len(judge.requests) == 2
    assert done.returncode == 0, done.stderr
    assert option in done.stdout


def test_verdicts_of_others_in_its_layout_are_held_against_people_without_asking(deepassay, bench):
    rows = [
        {"id": n, "evaluator": "theirs", "result": said([(t, n != "RR_1", k) for t, _, k in p])}
        for n, p in POINTS.items()
    ]
    rows[0]["result"]["coverage_results"][0]["covered"] = None
    write(bench.parent / "theirs.json", rows)
    done = deepassay("agree", "rubrics", "benchmark", "theirs.json", "--format", "csv")
    found = figures(done)
    assert done.returncode == 1  # a verdict is missing
    assert found["theirs", "accuracy"]["n"] == "3"
    assert float(found["theirs", "accuracy"]["value"]) == pytest.approx(2 / 3)
    mean = float(found["theirs", "balanced accuracy, mean of kinds"]["value"])
    # format .5 of 2 right, none met: .25; numbers 1 of met, none not met: .5; the others 0
    assert mean == pytest.approx((0.25 + 0.5) / 4)


def test_without_answers_the_rules_are_shown_and_it_says_what_is_missing(deepassay, bench):
    responses = (bench / "deepresearch_responses.json").rename(bench.parent / "answers.json")
    done = deepassay("agree", "rubrics", bench / "deepresearch_labels.json", "-o", "kept.json")
    assert done.returncode == 1
    assert "kept.json is not written" in done.stderr
    assert "always met on RuVerBench" in done.stdout
    assert "Nobody was asked" in done.stderr and "--reports" in done.stderr
    with FakeJudge(say_yes) as judge:
        done = deepassay("agree", "rubrics", bench, "--reports", responses, *asked(judge))
        assert len(judge.requests) == 4
    assert done.returncode == 0, done.stderr


def test_labels_without_a_criterion_are_counted(deepassay, bench):
    rows = json.loads((bench / "deepresearch_labels.json").read_text())
    rows[0]["result"]["coverage_results"].append({"point": "Moon.", "covered": True})
    write(bench / "deepresearch_labels.json", rows)
    with FakeJudge(say_yes) as judge:
        done = deepassay("agree", "rubrics", bench, *asked(judge))
    assert done.returncode == 1
    assert "5 came in, 4 found their criteria, 4 used" in done.stderr
    assert "RR_1, 'Moon.': its task has no such criterion" in done.stderr


def test_a_run_with_two_answers_to_a_task_is_refused(deepassay, bench, folder):
    for agent in ("one", "two"):
        (folder / "reports" / agent).mkdir(parents=True)
        for name in POINTS:
            (folder / "reports" / agent / f"{name}.md").write_text(f"{agent} on {name}, at length.")
    made = deepassay(
        *("evaluate", bench / "deepresearch_dataset.json", "reports", "--set", "ruverbench"),
        *("--run", "two.assay"),
    )
    assert made.returncode == 0, made.stderr
    done = deepassay("agree", "rubrics", bench, "two.assay")
    assert done.returncode == 2
    assert "labels on one answer to RR_1, and the runs hold several: of one, two" in done.stderr


@pytest.mark.parametrize(
    ("change", "said_of_it"),
    [
        ({"point": ""}, "coverage_results[1].point': is missing or no text"),
        ({"covered": "perhaps"}, "coverage_results[1].covered': 'perhaps' is no verdict"),
    ],
)
def test_a_wrong_field_is_named(deepassay, bench, change, said_of_it):
    rows = json.loads((bench / "deepresearch_labels.json").read_text())
    rows[0]["result"]["coverage_results"][0] |= change
    write(bench / "deepresearch_labels.json", rows)
    done = deepassay("agree", "rubrics", bench)
    assert done.returncode == 2 and said_of_it in done.stderr


def test_the_whole_published_half_is_read(deepassay, shared):
    done = deepassay("agree", "rubrics", shared / "data/sets/ruverbench", "--format", "csv")
    found = figures(done)
    assert done.returncode == 1
    assert found["always met", "accuracy"]["n"] == "774"
    met = sum(
        '"covered": true' in line
        for line in (shared / "data/sets/ruverbench/deepresearch_labels.odd.json")
        .read_text(encoding="utf-8")
        .splitlines()
    )
    assert float(found["always met", "accuracy"]["value"]) == pytest.approx(met / 774)


# ------------------------------------------------------------------ tables of one's own

ROWS = [
    ("Short report on rain.", "Names a cost.", "not met", "numbers"),
    ("Short report on rain.", "Is on rain.", "met", "facts"),
    ("Another, on snow.", "Is on snow.", "met", "facts"),
]


def own(folder, rows=ROWS, head=("report", "criterion", "verdict", "kind")):
    with (folder / "own.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([head, *rows])
    return folder / "own.csv"


def test_a_table_of_ones_own_is_all_that_it_takes(deepassay, folder):
    with FakeJudge(say_yes) as judge:
        done = deepassay("agree", "rubrics", own(folder), *asked(judge), "--format", "csv")
        assert len(judge.requests) == 3
    assert done.returncode == 0, done.stderr
    found = figures(done)
    assert float(found["openai:good", "accuracy"]["value"]) == pytest.approx(2 / 3)
    with RunFile.read(folder / "r.assay") as run:
        assert len([*run.reports()]) == 2


def test_reports_may_be_files_beside_the_table(deepassay, folder):
    (folder / "rain.md").write_text("Short report on rain.")
    done = deepassay(
        *("agree", "rubrics", own(folder, [("rain.md", "Is on rain.", "yes", "")])),
        *("--run", "r.assay"),
    )
    assert done.returncode == 0, done.stderr
    with RunFile.read(folder / "r.assay") as run:
        assert [each.text for each in run.reports()] == ["Short report on rain."]


def test_several_raters_and_partly_met(deepassay, folder):
    rows = [
        ("Short report on rain.", "Names a cost.", word, rater)
        for word, rater in (("met", "ada"), ("not met", "bo"), ("partial", "cy"))
    ]
    table = own(folder, rows, ("report", "criterion", "verdict", "rater"))
    done = deepassay("agree", "rubrics", table, "--run", "r.assay", "--format", "csv")
    assert done.returncode == 0, done.stderr
    found = figures(done)
    assert ("people", "accuracy") in found and found["offline", "accuracy"]["n"] == "1"
    twice = own(folder, [*rows, rows[0]], ("report", "criterion", "verdict", "rater"))
    done = deepassay("agree", "rubrics", twice, "--run", "r.assay")
    assert done.returncode == 2 and "ada has decided on this criterion" in done.stderr


def test_raters_who_are_divided_are_left_out_and_named(deepassay, folder):
    rows = [
        *(("Short report on rain.", "Names a cost.", w, r) for w, r in (("1", "a"), ("0", "b"))),
        *(("Short report on rain.", "Is on rain.", w, r) for w, r in (("1", "a"), ("1", "b"))),
    ]
    table = own(folder, rows, ("report", "criterion", "verdict", "rater"))
    done = deepassay("agree", "rubrics", table, "--run", "r.assay", "--format", "csv")
    assert done.returncode == 1
    assert "2 came in, 2 found their verdicts, 1 used" in done.stderr
    assert "raters are divided" in done.stderr
    found = figures(done)
    assert (found["people", "accuracy"]["value"], found["people", "accuracy"]["n"]) == ("0.5", "2")
    assert found["offline", "accuracy"]["n"] == "1"


def test_what_a_judge_is_worth_stands_beneath_its_rankings(deepassay, folder, bench):
    with FakeJudge(say_yes) as judge:
        done = deepassay("agree", "rubrics", own(folder), *asked(judge), "-o", "kept.json")
        assert done.returncode == 0, done.stderr
        made = deepassay(
            *("evaluate", bench / "deepresearch_dataset.json"),
            *(bench / "deepresearch_responses.json", "--set", "ruverbench"),
            *asked(judge, "board.assay"),
        )
        assert made.returncode == 0, made.stderr
    shown = deepassay("leaderboard", "board.assay", "--labels", "kept.json")
    assert shown.returncode == 0 and "openai:good on own.csv" in shown.stdout
