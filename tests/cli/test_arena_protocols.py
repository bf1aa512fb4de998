"""KAE on a site and ACE with checklists, as a person types them."""

import json
import re
from pathlib import Path

import pytest

from deepassay.run.asking.estimate import estimate
from deepassay.run.showing.records import records_of
from deepassay.tasks.ace import ACE_FILE
from tests.asked import asked as asking
from tests.judging import verdicts
from tests.loopback import FakeJudge
from tests.site import HTML, ORDINARY, Site

pytestmark = pytest.mark.usefixtures("read_here")

PROMPT = (
    "How much energy do grids store in batteries, and how did the solar output of grids change?"
)
STORED, AGAIN = (
    "Grids stored 3.5 GW of energy in batteries in 2023.",
    "In 2023, grids held 3.5 GW of energy in their batteries.",
)
LOST, ROSE = (
    "Grids lose 7 % of the stored energy on average.",
    "The solar output of grids rose by 9 % in Texas in 2022.",
)
DAY = ("--date", "2026-05-04", "--run", "r")


def html(*sentences):
    body = "".join(f"<p>{each}</p>" for each in sentences)
    return (
        200,
        HTML,
        f"<html><head><title>Storage</title></head><body><article><h1>Storage</h1>{body}"
        "<p>The operator issues its annual report in spring, and engineers inspect every "
        f"substation twice before it is printed.</p>{ORDINARY}</article></body></html>".encode(),
    )


@pytest.fixture
def site():
    with Site() as server:
        server.pages["/one"] = html(STORED, LOST)
        server.pages["/two"] = html(AGAIN, ROSE, STORED)
        yield server


@pytest.fixture
def cited(tmp_path, site):
    """A task and the reports of two agents on the same pages."""
    task = {"id": "a", "prompt": PROMPT, "labels": {"family": "Comparative analysis"}}
    (tmp_path / "tasks.jsonl").write_text(json.dumps(task))
    urls = [site.url(path) for path in ("/one", "/two", "/status/404")]
    listed = "\n".join(f"[{number}] Page {url}" for number, url in enumerate(urls, start=1))
    for agent, said in (
        ("heron", f"{STORED} [1]\n\nThe solar output of grids fell by 9 % in Texas in 2022 [2]."),
        ("magpie", f"{STORED} [1] {LOST} [1]\n\nThere is more [3]."),
        ("cuckoo", "Nothing of that is known."),
    ):
        file = tmp_path / "reports" / agent / "a.md"
        file.parent.mkdir(parents=True)
        listing = "" if agent == "cuckoo" else f"\n\n## References\n\n{listed}\n"
        file.write_text(f"# Storage\n\n{said}{listing}", encoding="utf-8")
    return "tasks.jsonl", "reports"


_FENCED = re.compile(r"<<<BEGIN (\w+) \w+\n(.*?)\n<<<END \1", re.DOTALL)
_ITEM = re.compile(r"^\d+\. (.*)$", re.MULTILINE)


def knows_the_site(body):
    """Finds every known sentence on a page and one that is not there; knows what says the same."""
    shown = dict(_FENCED.findall(body["messages"][-1]["content"]))
    if "page" in shown:
        found = [each for each in (STORED, AGAIN, LOST, ROSE) if each in shown["page"]]
        points = [{"point": each, "spans": [each]} for each in (*found, "Grids sleep.")]
        return json.dumps({"points": points})
    points = _ITEM.findall(shown["points"])
    if "report" not in shown:
        same = [n for n, each in enumerate(points, start=1) if each in (STORED, AGAIN)]
        rest = [[n] for n in range(1, len(points) + 1) if n not in same]
        return json.dumps({"groups": [same, *rest]})
    answer = {}
    for number, each in enumerate(points, start=1):
        opposite = each.replace("rose", "fell").removesuffix(".")
        relation, quotes = "OMITS", []
        if each in shown["report"]:
            relation, quotes = "SUPPORTS", [each]
        elif opposite in shown["report"]:
            relation, quotes = "CONTRADICTS", [opposite]
        answer[f"k{number}"] = {"reason": "so it is", "relation": relation, "quotes": quotes}
    return json.dumps({"relations": answer})


def test_the_key_points_of_a_site_are_unified_and_shared_by_all_agents(deepassay, cited, site):
    with FakeJudge(knows_the_site) as judge:
        done = deepassay(
            "evaluate", *cited, "--protocol", "kae", *DAY, "--allow-host", site.spec,
            "--judge", "openai:good", "--base-url", judge.base_url, "--allow-unpriced",
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        # Two pages; one list for the two agents that cite them; one report each.
        assert judge.count("good") == 2 + 1 + 2
    assert site.hits["/one"] == site.hits["/two"] == 1
    outcomes = {each.agent: each.outcome for each in records_of([Path("r")])}
    heron, magpie, cuckoo = (outcomes[name] for name in ("heron", "magpie", "cuckoo"))
    assert [item["item"] for item in heron.details["items"]] == [STORED, LOST, ROSE]
    assert [item["verdict"] for item in heron.details["items"]] == [
        *("SUPPORTS", "OMITS", "CONTRADICTS")
    ]
    assert heron.details["items"][0]["urls"] == [site.url("/one"), site.url("/two")]
    assert magpie.parts["KSR"] == pytest.approx(2 / 3) and magpie.parts["KCR"] == 0
    counts = heron.details["key_points"]
    assert (counts["extracted"], counts["dropped"], counts["gone"]) == (5, 2, 1)
    assert (counts["merged by text"], counts["merged by model"]) == (1, 1)
    assert cuckoo.cause == "missing_input"
    assert deepassay("replay", "r").returncode == 0
    told = deepassay("explain", "r", "--agent", "heron", "--task", "a").stdout
    assert "3 key points of 2 pages; 2 more were dropped" in told
    assert f"k3 CONTRADICTS: {ROSE}" in told and "line 5, column 1" in told


def test_the_whole_group_runs_by_rule(deepassay, cited, site):
    done = deepassay("tasks", "checklist", "tasks.jsonl", "-o", "ace.yaml", "--run", "made")
    assert done.returncode == 0 and "made by rule, a baseline" in done.stderr
    asked = ("evaluate", *cited, "--protocol", "arena", "--ace", "ace.yaml", *DAY)
    done = deepassay(*asked, "--allow-host", site.spec)
    assert done.returncode == 0, done.stderr
    scored = {(each.protocol, each.agent): each.outcome for each in records_of([Path("r")])}
    assert set(scored) == {(p, a) for p in ("kae", "ace") for a in ("heron", "magpie", "cuckoo")}
    assert scored["kae", "heron"].parts["KSR"] > 0
    assert 0 <= scored["ace", "heron"].value <= 10
    again = deepassay(*asked[:-4], *DAY, "--allow-host", site.spec)
    assert "6 were there already" in again.stderr
    assert deepassay("replay", "r").returncode == 0
    told = deepassay("explain", "r", "--agent", "heron", "--task", "a", "--protocol", "ace").stdout
    assert "Substance and accuracy" in told and "weight 0.34" in told


def test_a_run_refuses_another_checklist(deepassay, small, tmp_path):
    deepassay("tasks", "checklist", small[0], "-o", "ace.yaml", "--run", "made")
    asked = ("evaluate", *small, "--protocol", "ace", "--ace", "ace.yaml", *DAY)
    assert deepassay(*asked).returncode == 0
    file = tmp_path / "ace.yaml"
    file.write_text(file.read_text().replace("Clarity and order", "Order and clarity"))
    changed = deepassay(*asked)
    assert changed.returncode == 2 and "the ace for task a changed" in changed.stderr


def test_without_a_checklist_a_named_maker_makes_one_for_each_task(deepassay, small, judge):
    done = deepassay(
        "evaluate", *small, "--protocol", "ace", *DAY, "--allow-unpriced",
        "--maker", "openai:maker", "--judge", "openai:good", "--base-url", judge.base_url,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (judge.count("maker"), judge.count("good")) == (2, 3 * 4)
    assert {each.protocol for each in records_of([Path("r")])} == {"ace(make=True)"}
    assert deepassay("replay", "r").returncode == 0
    without = deepassay("evaluate", *small, "--protocol", "ace", "--run", "other")
    assert without.returncode == 1 and "missing_input" in without.stderr


GOOD = json.loads(verdicts({"messages": [{"role": "user", "content": '{"items": [{"title"'}]}))


def broken(kind):
    items = GOOD["items"]
    return {
        "sum of 0.9": {"items": [{**items[0], "weight": 0.35}, *items[1:]]},
        "seven items": {
            "items": [{**items[0], "title": f"Side {n}", "weight": 1 / 7} for n in range(7)]
        },
        "no items": {"items": []},
    }[kind]


@pytest.mark.parametrize("kind", ["sum of 0.9", "seven items", "no items"])
def test_a_checklist_off_the_rules_is_asked_again_with_the_reason(deepassay, small, kind):
    said = []

    def falters_once(body):
        said.append(body["messages"][-1]["content"])
        return json.dumps(GOOD if len(body["messages"]) > 2 else broken(kind))

    with FakeJudge(falters_once) as maker:
        done = deepassay(
            "tasks", "checklist", small[0], "-o", "ace.yaml", "--limit", "1", "--run", "made",
            "--maker", "openai:good", "--base-url", maker.base_url, "--allow-unpriced",
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert [each.weight for each in ACE_FILE.load("ace.yaml")["a"].items] == [
        0.45,
        0.30,
        0.15,
        0.10,
    ]
    assert ACE_FILE.load("ace.yaml")["a"].made_by == "openai:good"
    assert len(said) == 2 and "the checklist has" in said[1]


def test_an_item_scored_11_is_asked_again(deepassay, small):
    deepassay("tasks", "checklist", small[0], "-o", "ace.yaml", "--run", "made")

    def exaggerates(body):
        rating = 8 if len(body["messages"]) > 2 else 11
        return json.dumps({"justification": "it is so", "rating": rating})

    with FakeJudge(exaggerates) as judge:
        done = deepassay(
            "evaluate", *small, "--protocol", "ace", "--ace", "ace.yaml", *DAY, "--limit", "1",
            "--judge", "openai:good", "--base-url", judge.base_url, "--allow-unpriced",
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert judge.count("good") == 2 * 4 * 2
    assert {each.outcome.value for each in records_of([Path("r")])} == {8.0}


def test_the_estimate_counts_the_calls_of_pages_that_are_not_there_yet(cited, tmp_path):
    request = asking(
        tasks=tmp_path / cited[0],
        reports=[tmp_path / cited[1]],
        protocols=["arena"],
        judge=["openai:gpt-5-mini"],
        maker="openai:gpt-5-nano",
        run=tmp_path / "r",
    )
    reckoned = estimate(*request)
    calls = {model.model: each.typical.calls for model, each in reckoned.models.items()}
    # Three pages; for two reports a list of 24 key points in two batches; for three four items.
    assert calls == {"openai:gpt-5-mini": 3 + 2 * (1 + 2) + 3 * 4, "openai:gpt-5-nano": 1}
    assert reckoned.assumed == 3
