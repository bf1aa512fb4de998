"""Answers by rule change only with the version of the rule, which is part of offline recipes."""

import json
from pathlib import Path

import pytest

from deepassay.models.operation import Operation
from deepassay.protocols.registry import PROTOCOLS, parse
from deepassay.run.archives import import_pages
from deepassay.run.asking.evaluate import evaluate
from deepassay.runfile import RunFile
from deepassay.score import digest
from tests.asked import asked as asking

pytestmark = pytest.mark.filterwarnings("ignore:.*came in, \\d+ found their tasks")

DEMO = Path(__file__).parents[3] / "examples" / "demo"
NAMES = [
    *("ace(make=True)" if name == "ace" else name for name in PROTOCOLS),
    "presentation(mechanical=True)",
    "race(vanilla=True)",
    "race(reference=False)",
]
EXPECTED = Path(__file__).parent.with_name("offline_answers.json")
"""Version of each rule and digest of its answers by rule on two tasks of the demo.

After a change of a rule: raise `rule` of its operation, then write what the test tells here.
Where only the demo was edited, the digests alone.
"""


def operations() -> dict[str, Operation]:
    return {each.name: each for name in NAMES for rule in parse(name) for each in rule.operations()}


def written(found: dict[str, list[object]]) -> str:
    lines = (f'  "{name}": {json.dumps(line)}' for name, line in found.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[object]]:
    folder = tmp_path_factory.mktemp("offline")
    rows = (DEMO / "tasks.jsonl").read_text("utf-8").splitlines()
    chosen = [row for row in rows if json.loads(row)["id"] in ("swift-boxes", "compost-yard")]
    with_feedback = [{**json.loads(row), "feedback": ["Say how loud it is."]} for row in chosen]
    lines = (json.dumps(row, ensure_ascii=False) for row in with_feedback)
    (folder / "tasks.jsonl").write_text("\n".join(lines), "utf-8")
    asked = asking(
        tasks=folder / "tasks.jsonl",
        reports=[DEMO / "reports" / name for name in ("heron", "magpie")],
        protocols=NAMES,
        reference="heron",
        baseline="heron",
        criteria=DEMO / "criteria.yaml",
        rubric=DEMO / "rubrics.yaml",
        previous=str(DEMO / "reports"),
        offline_sources=True,
        date="2026-05-04",
        run=folder / "run.assay",
    )
    import_pages([DEMO / "pages.jsonl"], asked.run, url=None)
    evaluate(*asked)
    raw: dict[str, list[str]] = {}
    with RunFile.read(asked.run) as file:
        for key in file.answers():
            if (answer := file.answer(key)) is not None:
                raw.setdefault(answer.operation, []).append(answer.raw)
    known = operations()
    return {
        name: [known[name].rule, digest(sorted(answers))[:12]]
        for name, answers in sorted(raw.items())
    }


def test_answers_by_rule_change_only_with_the_version_of_the_rule(
    found: dict[str, list[object]],
) -> None:
    expected = json.loads(EXPECTED.read_text("utf-8"))
    assert found == expected, f"{EXPECTED.name} would be:\n{written(found)}"


def test_most_operations_are_asked_there(found: dict[str, list[object]]) -> None:
    of_parts = ("gather_", "_on_evidence", "decide_")
    asked_of_all = {name for name in operations() if not any(each in name for each in of_parts)}
    # By rule, code reads statements off a report and cleans articles without being asked;
    # reports of the demo are no completions, and none of its pages is in doubt.
    not_there = {"race/clean", "fact/extract", "race/compare_four", "pages/judge_page"}
    assert found.keys() >= asked_of_all - not_there
