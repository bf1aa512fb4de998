"""Figures of released programs, got by the command line from verdicts that a scripted judge gives.

Each case of a golden file becomes a task of its set in the set's own layout, with a report; a judge
on loopback answers what the case says, and `evaluate --set NAME --edition code` has to arrive at
what the program made of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.loopback import FakeJudge

CASE = re.compile(r"Report of case (\S+)\.")
ENTRY = re.compile(r"^\d+\. (.*)$", re.MULTILINE)
LOST = "(lost)"
"""A verdict that the judge leaves out."""


@dataclass
class Script:
    """What a judge says: by case the texts of the criteria in order, and a verdict on each.

    bare: it answers with the verdict alone, as a text.
    """

    texts: Mapping[str, Sequence[str]]
    said: Mapping[str, Sequence[Any]]
    bare: bool = False

    def __call__(self, body: dict[str, Any]) -> str:
        """An answer to a question about some criteria that follow each other."""
        text = next(each["content"] for each in body["messages"] if each["role"] == "user")
        case = CASE.search(text)
        assert case is not None
        asked = ENTRY.findall(text.split("<<<BEGIN criteria")[1].split("<<<END criteria")[0])
        known = [*self.texts[case[1]]]
        starts = [n for n in range(len(known)) if known[n : n + len(asked)] == asked]
        verdicts = self.said[case[1]][starts[0] : starts[0] + len(asked)]
        if self.bare:
            return "" if verdicts[0] is None else str(verdicts[0])
        keyed = {
            f"r{number}": {"reason": "as it seems", "verdict": each, "quotes": []}
            for number, each in enumerate(verdicts, start=1)
            if each != LOST
        }
        return json.dumps({"verdicts": keyed})


NOBODY: Mapping[str, str] = {}


@pytest.fixture
def figures(deepassay, tmp_path, monkeypatch):
    """The outcomes of a run by the command line, by task, and the line of the leaderboard.

    Where an answer is empty the judge is asked again at once, and not after seconds.
    """
    monkeypatch.setattr("deepassay.models.service.LONGEST_WAIT", 0.0)

    def run(
        name: str,
        tasks: Path | Sequence[Any],
        script: Script,
        agents: Mapping[str, str] = NOBODY,
    ) -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
        if not isinstance(tasks, Path):
            rows, tasks = tasks, tmp_path / "tasks.jsonl"
            tasks.write_text("\n".join(map(json.dumps, rows)), "utf-8")
        for case in script.texts:
            report = tmp_path / "reports" / agents.get(case, "heron") / f"{case}.md"
            report.parent.mkdir(parents=True, exist_ok=True)
            report.write_text(f"Report of case {case}.\n", "utf-8")
        with FakeJudge(script) as judge:
            asked = ("--judge", "openai:good", "--base-url", judge.base_url, "--allow-unpriced")
            done = deepassay(
                *("evaluate", tasks, tmp_path / "reports", "--set", name, "--edition", "code"),
                *(*asked, "--run", tmp_path / "r"),
            )
        assert done.returncode in (0, 1), done.stderr
        lines = deepassay("export", tmp_path / "r").stdout.splitlines()
        (board,) = json.loads(deepassay("leaderboard", tmp_path / "r", "--format", "json").stdout)
        return {each["task"]: each for each in map(json.loads, lines)}, board

    return run


def golden(shared: Path, name: str) -> dict[str, Any]:
    return json.loads((shared / "golden/sets" / f"{name}.json").read_text("utf-8"))


def near(value: float | None) -> Any:
    return pytest.approx(value, abs=1e-12, rel=1e-12)


def test_bench_ii(shared, figures):
    cases = {f"idx-{n}": each for n, each in enumerate(golden(shared, "drb2")["cases"])}
    rows, texts, said = [], {}, {}
    for n, (name, case) in enumerate(cases.items()):
        content = {"task": f"About {n}.", "rubric": case["rubric"], "blocked": None}
        rows.append({"id": f"task{n}", "idx": n, "prompt": f"Write {n}.", "content": content})
        texts[name] = [text for own in case["rubric"].values() for text in own]
        said[name] = [LOST if case["batch_fails"] else each for each in case["verdicts"]]
    agents = {name: "AB"[n % 2 == 0] for n, name in enumerate(cases)}
    found, board = figures("drb2", rows, Script(texts, said), agents)
    for name, case in cases.items():
        if case["error"]:
            assert "value" not in found[name] or found[name]["value"] is None
            continue
        expected, parts = case["expected"], found[name]["parts"]
        assert found[name]["value"] == near(expected["total"]), name
        assert parts["blocked_rate"] == near(expected["blocked_rate"])
        for part, spelled in (
            ("inforecall", "info_recall"),
            ("analysis",) * 2,
            ("presentation",) * 2,
        ):
            assert (parts.get(spelled) or 0.0) == near(expected[part] or 0.0), (name, part)

    tables = golden(shared, "drb2")["tables"]
    for standing in board["standings"]:
        means = {name: each["mean"] for name, each in standing["parts"].items()}
        means |= {"total": standing["mean"], "blocked": means["blocked_rate"]}
        means["inforecall"] = means["info_recall"]
        for table, lines in tables.items():
            column = lines[0].split(",").index(standing["agent"])
            assert f"{means[table]:.6f}" == lines[-1].split(",")[column], (table, standing["agent"])


def test_mr_dre(shared, figures):
    cases = {str(n): each for n, each in enumerate(golden(shared, "mrdre")["cases"])}
    rows, texts, said = [], {}, {}
    for name, case in cases.items():
        texts[name] = [f"item {n}" for n, _ in enumerate(case["weights"])]
        listed = [
            {"id": n, "item": text, "weight": weight}
            for n, (text, weight) in enumerate(zip(texts[name], case["weights"], strict=True))
        ]
        rows.append({"id": int(name), "question": f"Why {name}?", "checklist": listed})
        said[name] = [
            LOST if n == case["unreadable"] else each for n, each in enumerate(case["verdicts"])
        ]
    found, board = figures("mr-dre", rows, Script(texts, said))
    for name, case in cases.items():
        expected = case["expected"]
        if "raises" in expected:
            assert found[name].get("value") is None, name
            continue
        assert found[name]["value"] == near(expected["coverage_score"]), name
        points = found[name]["parts"]["covered"] * expected["total_points"]
        assert points == near(expected["covered_points"])
    aggregate, standing = golden(shared, "mrdre")["aggregate"], board["standings"][0]
    assert standing["mean"] == near(aggregate["avg_coverage_score"])
    assert standing["parts"]["covered"]["mean"] == near(aggregate["avg_covered_percentage"])
    assert standing["parts"]["covered"]["tasks"] == aggregate["total_samples"]


def test_researcher_bench(shared, figures):
    whole = golden(shared, "researcherbench")
    cases = {str(n): each for n, each in enumerate(whole["cases"])}
    rows, texts, said = [], {}, {}
    for name, case in cases.items():
        texts[name] = [f"item {n}" for n, _ in enumerate(case["weights"])]
        points = [
            {"point": text, "weight": weight}
            for text, weight in zip(texts[name], case["weights"], strict=True)
        ]
        rows.append({"id": int(name), "question": f"Why {name}?", "rubric": points})
        said[name] = case["answers"]
    found, board = figures("researcherbench", rows, Script(texts, said, bare=True))
    for name, case in cases.items():
        assert found[name]["value"] == case["expected"]["recall"], name
    assert board["standings"][0]["mean"] == near(whole["mean_recall"])


def test_finder(shared, figures):
    whole = golden(shared, "finder")
    cases = {str(n): each for n, each in enumerate(whole["cases"], start=1)}
    rows, texts, said = [], {}, {}
    for name, case in cases.items():
        # an answer that is empty is read from what the model thought aloud
        said[name] = [a or b for a, b in zip(case["answers"], case["reasoning"], strict=True)]
        texts[name] = [f"item {n}" for n, _ in enumerate(said[name])]
        listed = [{"title": text, "description": text} for text in texts[name]]
        rows.append({"id": int(name), "prompt": f"Why {name}?", "checklist": listed})
    found, _ = figures("finder", rows, Script(texts, said, bare=True))
    for name, case in cases.items():
        items = found[name]["details"]["items"]
        assert [each["score"] == 1 for each in items] == case["expected"], name


def test_finder_s_pass_rate_is_over_all_items(shared, figures):
    whole = golden(shared, "finder")
    pairs = whole["reports_passed_checked"]
    rows, texts, said = [], {}, {}
    _, passed, checked = pairs
    assert passed / checked * 100 == near(whole["pass_rate"])
    answers = ["Yes"] * passed + ["No"] * (checked - passed)
    for n, start in enumerate(range(0, checked, 5), start=1):
        said[str(n)] = answers[start : start + 5]
        texts[str(n)] = [f"item {place}" for place, _ in enumerate(said[str(n)])]
        listed = [{"title": text, "description": text} for text in texts[str(n)]]
        rows.append({"id": n, "prompt": f"Why {n}?", "checklist": listed})
    _, board = figures("finder", rows, Script(texts, said, bare=True))
    assert board["standings"][0]["mean"] == near(whole["pass_rate"])


RATES = ("support_rate", "omitted_rate", "contradicted_rate")


def write_key_points(folder: Path, labels: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    texts = {}
    for name, own in labels.items():
        texts[name] = [f"item {n}" for n, _ in enumerate(own)]
        points = [
            {"point_number": n, "point_content": text, "original_point_number": [n]}
            for n, text in enumerate(texts[name], start=1)
        ]
        path = folder / f"{name}_aggregated.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps({"question": f"Why {name}?", "key_points": points}))
    return texts


def test_key_points(shared, figures, tmp_path):
    whole = golden(shared, "drgym")
    cases = {each["query"]: each for each in whole["cases"]}
    said = {name: each["labels"] for name, each in cases.items()}
    texts = write_key_points(tmp_path / "points", said)
    found, board = figures("key-points", tmp_path / "points", Script(texts, said))
    for name, case in cases.items():
        for rate in RATES:
            assert found[name]["parts"][rate] == near(case["expected"][rate] or 0.0), name
    means = {name: each["mean"] for name, each in board["standings"][0]["parts"].items()}
    printed = dict(re.findall(r"Average (\w+) rate: ([\d.]+)%", "\n".join(whole["printed"])))
    for name, value in printed.items():
        assert f"{means[f'{name}_rate']:.2f}" == value


def test_nuggets(shared, figures):
    whole = golden(shared, "nuggets")
    cases = {str(n): each for n, each in enumerate(whole["cases"])}
    rows, texts, said = [], {}, {}
    for name, case in cases.items():
        texts[name] = [f"item {n}" for n, _ in enumerate(case["importance"])]
        listed = [
            {"text": text, "importance": each}
            for text, each in zip(texts[name], case["importance"], strict=True)
        ]
        rows.append({"qid": name, "query": f"Why {name}?", "nuggets": listed})
        said[name] = case["assignment"]
    found, board = figures("nuggets", rows, Script(texts, said))
    spelled = {"strict_vital_score": "strict vital", "strict_all_score": "strict all"}
    spelled |= {"vital_score": "vital", "all_score": "all"}
    for name, case in cases.items():
        for theirs, ours in spelled.items():
            assert found[name]["parts"][ours] == near(case["expected"][theirs]), (name, theirs)
        assert found[name]["value"] == found[name]["parts"]["strict vital"]
    for theirs, ours in spelled.items():
        assert board["standings"][0]["parts"][ours]["mean"] == near(whole["global"][theirs])


def test_health_bench(shared, figures):
    whole = golden(shared, "healthbench")
    cases = {str(n): each for n, each in enumerate(whole["cases"])}
    rows, texts, said = [], {}, {}
    for name, case in cases.items():
        texts[name] = [f"item {n}" for n, _ in enumerate(case["points"])]
        listed = [
            {"criterion": text, "points": points, "tags": tags}
            for text, points, tags in zip(texts[name], case["points"], case["tags"], strict=True)
        ]
        asked = [{"role": "user", "content": f"Why {name}?"}]
        rows.append({"prompt": asked, "prompt_id": name, "rubrics": listed})
        said[name] = case["met"]
    found, board = figures("healthbench", rows, Script(texts, said))
    for name, case in cases.items():
        assert found[name]["value"] == near(case["expected"]["overall_score"]), name
        for tag, value in case["expected"].items():
            if tag.startswith("axis:"):
                assert found[name]["parts"][tag] == near(value)
    standing = board["standings"][0]
    assert standing["mean"] == near(whole["aggregate"]["score"])
    for tag, value in whole["aggregate"].items():
        if tag.startswith("axis:") and not tag.endswith("n_samples"):
            assert standing["parts"][tag]["mean"] == near(value)
            assert standing["parts"][tag]["tasks"] == whole["aggregate"][f"{tag}:n_samples"]


def test_health_bench_keeps_a_mean_below_0_at_0(shared, figures):
    cases = [
        each for each in golden(shared, "healthbench")["cases"]
        if each["expected"]["overall_score"] < 0
    ]  # fmt: skip
    rows, texts, said = [], {}, {}
    for n, case in enumerate(cases):
        texts[str(n)] = [f"item {place}" for place, _ in enumerate(case["points"])]
        listed = [
            {"criterion": text, "points": points, "tags": []}
            for text, points in zip(texts[str(n)], case["points"], strict=True)
        ]
        asked = [{"role": "user", "content": f"Why {n}?"}]
        rows.append({"prompt": asked, "prompt_id": str(n), "rubrics": listed})
        said[str(n)] = case["met"]
    found, board = figures("healthbench", rows, Script(texts, said))
    assert all(each["value"] < 0 for each in found.values())
    assert board["standings"][0]["mean"] == 0


def test_research_qa(shared, figures):
    whole = golden(shared, "researchqa")
    cases = {str(n): each for n, each in enumerate(whole["cases"])}
    rows, texts, said = [], {}, {}
    for name, case in cases.items():
        texts[name] = [f"item {n}" for n, _ in enumerate(case["verdicts"])]
        listed = [{"rubric_item": text, "type": "x"} for text in texts[name]]
        rows.append({"id": name, "query": f"Why {name}?", "rubric": listed})
        short = case["one_line_short"]
        said[name] = [*case["verdicts"][:-1], LOST] if short else case["verdicts"]
    found, board = figures("researchqa", rows, Script(texts, said))
    for name, case in cases.items():
        if case["expected"] is None:
            assert found[name].get("value") is None
        else:
            assert found[name]["value"] == near(case["expected"]), name
    assert board["standings"][0]["mean"] == near(whole["mean"])


def as_own(cases: Mapping[str, Sequence[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Tasks in our own layout. cases: by name, the criteria of each without a weight."""
    return [
        {
            "id": name,
            "prompt": f"Why {name}?",
            "rubric": [{"weight": 1, **each} for each in criteria],
        }
        for name, criteria in cases.items()
    ]


def test_mr_dre_s_presentation(shared, figures):
    whole = golden(shared, "mrdre")
    cases = {f"p{n}": each for n, each in enumerate(whole["presentation"])}
    texts = {name: [f"item {n}" for n in range(10)] for name in cases}
    said = {
        name: [LOST if n == each["unreadable"] else v for n, v in enumerate(each["verdicts"])]
        for name, each in cases.items()
    }
    rows = as_own({name: [{"criterion": text} for text in own] for name, own in texts.items()})
    found, board = figures("mr-dre-presentation", rows, Script(texts, said))
    for name, case in cases.items():
        assert found[name]["value"] == near(case["expected"]), name
    expected = whole["presentation_aggregate"]
    assert board["standings"][0]["mean"] == near(expected["avg_presentation"])


def leaves_of(node: dict[str, Any], within: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """The leaves of a tree of Mind2Web 2, as criteria, each with its status."""
    if "children" not in node:
        leaf = {"criterion": f"item {node['id']}", "within": list(within)}
        return [{**leaf, "critical": node["critical"], "status": node["status"]}]
    name = node["id"] + "!" * node["critical"] + ">" * (node["strategy"] == "sequential")
    return [leaf for each in node["children"] for leaf in leaves_of(each, (*within, name))]


def test_mind2web_2(shared, figures):
    cases = {f"t{n}": each for n, each in enumerate(golden(shared, "mind2web2")["cases"])}
    leaves = {name: leaves_of(each["tree"]) for name, each in cases.items()}
    said = {name: [each.pop("status") for each in own] for name, own in leaves.items()}
    texts = {name: [each["criterion"] for each in own] for name, own in leaves.items()}
    found, _ = figures("mind2web2", as_own(leaves), Script(texts, said))
    for name, case in cases.items():
        assert found[name]["value"] == near(case["expected"]["score"]), name
        uncut = case["expected"]["score_without_write_back"]
        assert found[name]["parts"]["uncut"] == near(uncut), name


def test_published_verdicts_are_counted_again(deepassay, shared, tmp_path):
    rates = deepassay("tasks", "recount", "key-points", shared / "data/kpr/gpt-researcher.json")
    assert rates.returncode == 0, rates.stderr
    assert "30 of 30 published figures are ours." in rates.stdout
    folder = shared / "data/sets/deepscholar/gt_nuggets_outputs"
    done = deepassay("tasks", "recount", "deepscholar", folder, "--format", "json")
    records = json.loads(done.stdout)
    assert len(records) == 4 * len([*folder.rglob("res.json")])
    assert all(each["published"] == near(each["ours"]) for each in records)


def test_a_figure_that_is_another_is_told(deepassay, tmp_path):
    path = tmp_path / "kpr.json"
    rates = {"support_rate": 60.0, "ommitted_rate": 50.0, "contradicted_rate": 0}
    labels = {"1": ["Supported", "so"], "2": ["Omitted", "so"]}
    path.write_text(json.dumps({"q7": {"labels": labels, **rates}}))
    done = deepassay("tasks", "recount", "key-points", path)
    assert done.returncode == 1
    assert "kpr.json, q7: support_rate is 60.0 there and 50.0 here." in done.stdout
    assert "2 of 3 published figures are ours." in done.stdout
    refused = deepassay("tasks", "recount", "draco", path)
    assert refused.returncode == 2
    assert "These do: deepscholar, key-points." in refused.stderr
    path.write_text("{}")
    assert "no verdicts stand there" in deepassay("tasks", "recount", "key-points", path).stderr


def test_deep_research_eval(shared, figures):
    """What is for another criterion is no number; a dimension that is absent has no verdicts."""
    cases = {f"e{n}": each for n, each in enumerate(golden(shared, "dreval")["cases"])}
    criteria: dict[str, list[dict[str, Any]]] = {}
    said: dict[str, list[Any]] = {}
    for name, case in cases.items():
        criteria[name], said[name] = [], []
        for dimension, weights in case["criteria"].items():
            within = [f"{dimension}@{case['dimension_weights'][dimension]!r}"]
            marks = case["scores"].get(dimension) or []
            for n, weight in enumerate(weights):
                text = f"item {dimension} {n}"
                criteria[name].append({"criterion": text, "weight": weight, "within": within})
                said[name].append(marks[n] if n < len(marks) else LOST)
        if case["names_differ"]:
            said[name][0] = "(for another criterion)"
    texts = {name: [each["criterion"] for each in own] for name, own in criteria.items()}
    found, _ = figures("deepresearcheval-criteria", as_own(criteria), Script(texts, said))
    for name, case in cases.items():
        expected, parts = {**case["expected"]}, found[name]["parts"]
        assert found[name]["value"] == near(expected.pop("total_weighted_score")), name
        for dimension, value in expected.items():
            assert parts[dimension.removesuffix("_score")] == near(value), (name, dimension)
