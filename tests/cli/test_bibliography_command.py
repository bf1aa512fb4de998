"""References of experts as a person gives them, and the figures of released programs."""

from __future__ import annotations

import json

from tests.cli.test_set_figures import golden, near

REFERENCES = """
- id: "1"
  bibliography:
    - Measuring the tides of small harbours
    - {title: Moons, arxiv: "2104.01234"}
"""


def test_references_are_given_beside_tasks(deepassay, tmp_path):
    (tmp_path / "b.yaml").write_text(REFERENCES)
    (tmp_path / "t.jsonl").write_text(json.dumps({"id": "1", "prompt": "How high?"}))
    report = tmp_path / "reports" / "heron" / "1.md"
    report.parent.mkdir(parents=True)
    report.write_text("High [1].\n\n## References\n\n[1] Moons. https://arxiv.org/abs/2104.01234\n")
    given = (tmp_path / "t.jsonl", tmp_path / "reports", "--bibliography", tmp_path / "b.yaml")
    done = deepassay("evaluate", *given, "--protocol", "bibliography", "--run", tmp_path / "r")
    assert done.returncode == 0, done.stderr
    (found,) = map(json.loads, deepassay("export", tmp_path / "r").stdout.splitlines())
    assert found["value"] == 0.5 and found["parts"]["precision"] == 1
    told = deepassay("explain", tmp_path / "r", "--agent", "heron", "--task", "1").stdout
    assert "b1 missing: Measuring the tides of small harbours" in told
    assert "b2 by arXiv number: Moons" in told
    assert "1 outcomes are the same to the byte" in deepassay("replay", tmp_path / "r").stdout
    missing = deepassay(
        "evaluate", *given[:2], "--protocol", "bibliography", "--run", tmp_path / "s"
    )
    assert "--bibliography FILE" in missing.stderr + missing.stdout


def test_sets_with_references_are_judged_by_them(deepassay, shared, tmp_path):
    data = shared / "data/sets/reportbench"
    (tmp_path / "reports" / "heron").mkdir(parents=True)
    (tmp_path / "reports" / "heron" / "2101.01507.md").write_text("It is [so](https://a.example).")
    tasks, bibliographies = data / "ReportBench_v1.1.odd.jsonl", data / "ReportBench_v1.1_GT"
    given = (
        "evaluate",
        tasks,
        tmp_path / "reports",
        "--set",
        "reportbench",
        "--run",
        tmp_path / "r",
    )
    done = deepassay(*given, "--bibliography", bibliographies)
    assert done.returncode in (0, 1), done.stderr
    found = {
        each["task"]: each
        for each in map(json.loads, deepassay("export", tmp_path / "r").stdout.splitlines())
    }
    assert found["2101.01507"]["protocol"] == "bibliography"
    assert found["2101.01507"]["parts"]["works"] == 5
    counted = deepassay("tasks", "describe", bibliographies, "--format", "json").stdout
    assert json.loads(counted)["works"]["count"] == 15


def counted_references(deepassay, tmp_path, name, works, reports):
    """The outcomes of edition `code` of a set's bibliography, by task, from links in reports."""
    tasks = tmp_path / "tasks.jsonl"
    rows = ({"id": each, "prompt": f"Why {each}?", "bibliography": works[each]} for each in reports)
    tasks.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    for each, links in reports.items():
        report = tmp_path / "reports" / "heron" / f"{each}.md"
        report.parent.mkdir(parents=True, exist_ok=True)
        lines = [f"It is said so {link}." for link in links] or ["Nobody has said so."]
        report.write_text("\n\n".join(lines) + "\n", "utf-8")
    done = deepassay(
        *("evaluate", tasks, tmp_path / "reports", "--run", tmp_path / "r"),
        *("--protocol", f"bibliography(set={name!r})", "--edition", "code"),
    )
    assert done.returncode == 0, done.stderr
    lines = deepassay("export", tmp_path / "r").stdout.splitlines()
    return {each["task"]: each for each in map(json.loads, lines)}


def test_report_bench(deepassay, shared, tmp_path):
    """A paper is what has a number on arXiv; what the program's model took for none has none."""
    cases = {f"b{n}": each for n, each in enumerate(golden(shared, "reportbench")["cases"])}
    works = {name: [*filter(None, each["ground_truth"])] for name, each in cases.items()}
    reports = {}
    for name, case in cases.items():
        reports[name] = [
            (f"[{each['title']}]" if each["title"] else "")
            + (
                f"(https://arxiv.org/abs/2301.{n:05})"
                if each["is_academic_paper"]
                else f"(https://example.com/{n})"
            )
            for n, each in enumerate(case["found"])
        ]
    found = counted_references(deepassay, tmp_path, "reportbench", works, reports)
    for name, case in cases.items():
        expected, parts = case["expected"], found[name]["parts"]
        assert found[name]["value"] == near(expected["recall"]), name
        assert parts["precision"] == near(expected["precision"]), name
        assert parts["f1"] == near(expected["f1_score"]), name
        assert parts["references"] == expected["predicted_count"], name
        assert parts["works"] == expected["ground_truth_count"], name
        assert parts["found"] == expected["intersection_count"], name


def test_deep_scholar_s_references(deepassay, shared, tmp_path):
    cases = golden(shared, "deepscholar_references")["cases"]
    named = {f"d{n}": each for n, each in enumerate(cases)}
    works = {
        name: [{"title": each["title"], "arxiv": each["arxiv_link"]} for each in case["important"]]
        for name, case in named.items()
    }
    reports = {
        name: [
            f"[{each['title']}]({each['sent'][4:]})"
            if each["sent"].startswith("see ")
            else f"[{each['title']}](https://example.com/{n})"
            for n, each in enumerate(case["found"])
        ]
        for name, case in named.items()
    }
    found = counted_references(deepassay, tmp_path, "deepscholar-papers", works, reports)
    for name, case in named.items():
        assert found[name]["value"] == near(case["expected"]), name
