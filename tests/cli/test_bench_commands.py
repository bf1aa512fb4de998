"""RACE and FACT as a user types them: references, criteria, ablations, pages, editions."""

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from deepassay.runfile import RunFile
from tests.judging import verdicts
from tests.loopback import FakeJudge
from tests.site import HTML, ORDINARY, Site

pytestmark = pytest.mark.usefixtures("read_here")

DIMENSIONS = ("comprehensiveness", "insight", "instruction_following", "readability")
ABLATIONS = 9


def article(text):
    body = f"<article><h1>Sky</h1>{f'<p>{text}</p>' * 12}{ORDINARY}</article>"
    return f"<html><head><title>Sky</title></head><body>{body}</body></html>".encode()


@pytest.fixture
def criteria(tmp_path):
    rows = [
        {
            "id": task,
            "prompt": prompt,
            "dimension_weight": dict(zip(DIMENSIONS, (0.4, 0.3, 0.2, 0.1), strict=True)),
            "criterions": {
                name: [
                    {"criterion": f"{name} one", "explanation": "e", "weight": 0.75},
                    {"criterion": f"{name} two", "explanation": "e", "weight": 0.25},
                ]
                for name in DIMENSIONS
            },
        }
        for task, prompt in (("a", "Why is the sky blue?"), ("b", "天空为什么是蓝色的？"))
    ]
    (tmp_path / "criteria.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return "criteria.jsonl"


@pytest.fixture
def site():
    with Site() as server:
        server.pages["/blue"] = (200, HTML, article("Air scatters blue light most of all."))
        server.pages["/red"] = (200, HTML, article("In 2019 the sunset was red on 40 evenings."))
        yield server


@pytest.fixture
def cited(tmp_path, site):
    """A task and two reports that cite pages of the site, one of them gone, one blocked."""
    (tmp_path / "tasks.jsonl").write_text('{"id": "a", "prompt": "Why is the sky blue?"}')
    texts = {
        "heron": "Air scatters blue light most of all [1]. The sunset was red on 40 evenings [2].",
        "magpie": "Air scatters blue light most of all [1]. Ferries were late after 9 storms [2]. "
        "Fog is grey in the morning [3]. Nothing else was ever seen there [4].",
    }
    entries = [site.url(path) for path in ("/blue", "/red", "/status/404", "/status/403")]
    for agent, text in texts.items():
        file = tmp_path / "reports" / agent / "a.md"
        file.parent.mkdir(parents=True)
        listed = "\n".join(f"[{n}] Page {url}" for n, url in enumerate(entries, start=1))
        file.write_text(f"# Sky\n\n{text}\n\n## References\n\n{listed}\n", encoding="utf-8")
    return "tasks.jsonl", "reports"


def standings(deepassay, run, *options):
    """Agent -> the row of the leaderboard in JSON."""
    (board,) = json.loads(deepassay("leaderboard", run, "--format", "json", *options).stdout)
    return {row["agent"]: row for row in board["standings"]}


def test_race_against_an_agent(deepassay, small, criteria):
    done = deepassay(
        *("evaluate", *small, "--protocol", "race", "--run", "r"),
        *("--reference", "heron", "--criteria", criteria),
    )
    assert done.returncode == 0, done.stderr
    rows = standings(deepassay, "r")
    assert rows["heron"]["mean"] == 0.5  # held against itself
    assert rows["cuckoo"]["mean"] < 0.5
    replayed = deepassay("replay", "r")
    assert (replayed.returncode, replayed.stderr) == (0, "")
    assert "3 outcomes are the same" in replayed.stdout


def test_explain_and_export_mark_the_reference(deepassay, small, criteria, tmp_path):
    deepassay(
        *("evaluate", *small, "--protocol", "race", "--run", "r"),
        *("--reference", "heron", "--criteria", criteria),
    )
    task = min(path.stem for path in (tmp_path / "reports/heron").iterdir())
    for agent, name in (("heron", "heron (reference)"), ("cuckoo", "cuckoo")):
        done = deepassay("explain", "r", "--agent", agent, "--task", task)
        assert done.stdout.startswith(f"race: {name} on {task}\n")
    deepassay("export", "r", "--format", "csv", "--tables", "scores", "-o", "scores.csv")
    with (tmp_path / "scores.csv").open(encoding="utf-8") as file:
        marked = {(row["agent"], row["reference"]) for row in csv.DictReader(file)}
    assert marked == {("heron", "true"), ("cuckoo", "false")}


def test_race_against_a_file_is_the_same_but_for_the_name(deepassay, small, criteria, tmp_path):
    lines = [
        json.dumps({"id": path.stem, "article": path.read_text(encoding="utf-8")})
        for path in sorted((tmp_path / "reports/heron").iterdir())
    ]
    (tmp_path / "authors.jsonl").write_text("\n".join(lines), encoding="utf-8")
    common = ("evaluate", *small, "--protocol", "race", "--criteria", criteria)
    deepassay(*common, "--reference", "heron", "--run", "one")
    deepassay(*common, "--reference", "authors.jsonl", "--run", "two")
    one, two = (standings(deepassay, run) for run in ("one", "two"))
    assert one["cuckoo"]["mean"] == two["cuckoo"]["mean"]


def test_without_reference_or_criteria_it_says_what_to_give(deepassay, small, criteria):
    done = deepassay("evaluate", *small, "--protocol", "race", "--run", "r")
    assert done.returncode == 1
    assert "deepassay tasks criteria" in done.stderr
    done = deepassay("evaluate", *small, "--protocol", "race", "--criteria", criteria, "--run", "s")
    assert "--reference" in done.stderr


def test_a_reference_that_is_neither_agent_nor_file_is_refused(deepassay, small):
    done = deepassay("evaluate", *small, "--protocol", "race", "--reference", "ostrich")
    assert done.returncode == 2
    assert "neither an agent nor a file" in done.stderr


def test_criteria_may_be_added_to_a_run_but_not_changed(deepassay, small, criteria, tmp_path):
    deepassay("evaluate", *small, "--protocol", "presentation", "--run", "r")
    again = ("evaluate", *small, "--protocol", "race", "--reference", "heron", "--run", "r")
    assert deepassay(*again, "--criteria", criteria).returncode == 0
    text = (tmp_path / criteria).read_text(encoding="utf-8")
    (tmp_path / criteria).write_text(text.replace("0.75", "0.7").replace("0.25", "0.3"))
    done = deepassay(*again, "--criteria", criteria)
    assert done.returncode == 2
    assert "the criteria for task a, the criteria for task b changed since" in done.stderr


def test_all_ablations_in_one_command_and_one_table_each_with_its_recipe(
    deepassay, small, criteria
):
    done = deepassay(
        *("evaluate", *small, "--protocol", "race-ablations", "--run", "r"),
        *("--reference", "heron", "--criteria", criteria),
    )
    assert done.returncode == 0, done.stderr
    table = (
        deepassay("leaderboard", "r", "--wide")
        .stdout.split("\n\nAll protocols")[1]
        .split("\n\n")[1]
        .splitlines()[2:]
    )
    recipes = [row.split()[-1] for row in table]
    assert len(table) == len(set(recipes)) == ABLATIONS
    assert all(re.fullmatch("[0-9a-f]{12}", recipe) for recipe in recipes)


def test_a_paid_judge_is_asked_once_for_each_pair_of_reports(deepassay, small, criteria):
    with FakeJudge(verdicts) as judge:
        done = deepassay(
            *("evaluate", *small, "--protocol", "race", "--run", "r"),
            *("--reference", "heron", "--criteria", criteria),
            *("--judge", "openai:x", "--base-url", judge.base_url, "--allow-unpriced"),
        )
        assert done.returncode == 0, done.stderr
        assert len(judge.requests) == 1  # of three reports two are the reference itself
    assert deepassay("replay", "r").returncode == 0


def test_fact_reads_the_cited_pages_and_tells_their_failures_apart(deepassay, cited, site):
    done = deepassay(
        *("evaluate", *cited, "--protocol", "fact", "--run", "r"), "--allow-host", site.spec
    )
    assert done.returncode == 0, done.stderr
    rows = standings(deepassay, "r")
    assert rows["heron"]["mean"] == 1.0
    assert rows["magpie"]["mean"] == pytest.approx(1 / 3)  # the blocked page is left open
    table = deepassay("leaderboard", "r", "--wide").stdout
    assert "C.Acc (paper)" in table
    assert "rate (code)" in table
    with RunFile.read(Path("r")) as run:
        counts = {each.agent: each.outcome["details"]["counts"] for each in run.scores()}
    assert {kind: counts["magpie"][kind] for kind in ("supported", "gone", "blocked")} == {
        "supported": 1,
        "gone": 1,
        "blocked": 1,
    }
    assert deepassay("replay", "r").returncode == 0


@pytest.mark.parametrize(
    ("command", "options"),
    [("leaderboard", ()), ("leaderboard", ("--wide",)), ("compare", ("heron", "magpie"))],
)
def test_pairs_that_a_rule_reads_are_said_above_tables_and_below_a_first_screen(
    deepassay, cited, site, command, options
):
    deepassay("evaluate", *cited, "--protocol", "fact", "--run", "r", "--allow-host", site.spec)
    shown = deepassay(command, "r", *options).stdout
    above, line, below = shown.partition("─")  # the first of a table
    assert line, shown
    told = below if (command, options) == ("leaderboard", ()) else above
    assert "fact: pairs of statement and address were read from the reports by rule" in told
    assert "--extractor PROVIDER:NAME" in told


def test_pages_go_elsewhere_in_a_web_archive_and_give_the_same_scores(deepassay, cited, site):
    fetch = ("sources", "fetch", cited[1], "--snapshots", "pages", "--allow-host", site.spec)
    assert deepassay(*fetch).returncode == 0
    common = ("evaluate", *cited, "--protocol", "fact", "--offline-sources")
    deepassay(*common, "--snapshots", "pages", "--run", "here")
    visits = site.hits.total()
    deepassay("sources", "export", "--snapshots", "pages", "-o", "pages.warc.gz")
    checked = subprocess.run(
        [sys.executable, "-m", "warcio.cli", "check", "pages.warc.gz"], check=False
    )
    assert checked.returncode == 0
    deepassay("sources", "import", "pages.warc.gz", "--snapshots", "elsewhere")
    deepassay(*common, "--snapshots", "elsewhere", "--run", "there")
    assert site.hits.total() == visits
    here, there = (standings(deepassay, run) for run in ("here", "there"))
    assert here == there
    assert here["heron"]["mean"] == 1.0


def test_offline_sources_fetch_nothing(deepassay, cited, site):
    done = deepassay(
        *("evaluate", *cited, "--protocol", "fact", "--offline-sources", "--run", "r"),
        *("--allow-host", site.spec),
    )
    assert done.returncode == 1
    assert "not_archived" in done.stderr
    assert not site.hits


def test_a_blocked_page_is_repaired_by_import_and_scored_by_retry(deepassay, cited, site, tmp_path):
    common = ("evaluate", *cited, "--protocol", "fact", "--run", "r", "--allow-host", site.spec)
    deepassay(*common)
    page = tmp_path / "saved.html"
    page.write_bytes(article("Nothing else was ever seen there."))
    deepassay("sources", "import", page, "--url", site.url("/status/403"), "--snapshots", "r")
    assert standings(deepassay, "r")["magpie"]["mean"] == pytest.approx(1 / 3)
    assert deepassay("replay", "r").returncode == 0  # the score rests on what was seen then
    deepassay(*common, "--retry-unscored")
    assert standings(deepassay, "r")["magpie"]["mean"] == pytest.approx(2 / 4)
    assert deepassay("replay", "r").returncode == 0


def test_named_protocols_only_read_pages(deepassay, cited, site):
    """Nobody asked for the network: without --protocol, no page is fetched."""
    done = deepassay("evaluate", *cited, "--run", "r", "--allow-host", site.spec)
    assert done.returncode == 0, done.stderr
    assert not site.hits
    with RunFile.read(Path("r")) as run:
        without = {"presentation", "consistency", "citation_association", "surface"}
        assert set(run.protocols()) == without  # there is no checklist, no criteria


@pytest.mark.parametrize("protocol", ["race", "fact"])
def test_edition_code_asks_and_counts(deepassay, cited, criteria, site, protocol):
    with FakeJudge(verdicts) as judge:
        done = deepassay(
            *("evaluate", *cited, "--protocol", protocol, "--edition", "code", "--run", "r"),
            *("--reference", "heron", "--criteria", criteria, "--allow-host", site.spec),
            *("--judge", "openai:x", "--base-url", judge.base_url, "--allow-unpriced"),
        )
    assert done.returncode == 0, done.stderr
    assert deepassay("replay", "r").returncode == 0


def test_an_estimate_takes_unseen_pages_for_typical_ones(deepassay, cited, site):
    done = deepassay("estimate", *cited, "--protocol", "fact", "--judge", "offline")
    assert "cited pages are not fetched yet" in done.stdout
    assert not site.hits


def test_on_the_published_set_claude_is_below_onyx(deepassay, shared):
    """20 published tasks, the offline judge: below 0.5 on more than half, as on 42 of all 50."""
    bench = shared / "data/bench"
    done = deepassay(
        *("evaluate", bench / "query.jsonl", bench / "reports/claude-3-7-sonnet.raw.jsonl"),
        *(bench / "reports/onyx.cleaned.jsonl", "--protocol", "race", "--reference", "onyx"),
        *("--criteria", bench / "criteria.jsonl", "--run", "r", "--limit", "20"),
    )
    assert done.returncode == 0, done.stderr
    with RunFile.read(Path("r")) as run:
        claude = [each.outcome["value"] for each in run.scores() if "claude" in each.agent]
    assert len(claude) == 20
    assert sum(value < 0.5 for value in claude) >= 14


def test_published_verdicts_are_counted_by_both_formulas(deepassay, shared):
    """Those that the released program gives for its file of five tasks, and the paper's."""
    done = deepassay("leaderboard", shared / "data/bench/fact/dls.validated.jsonl", "--wide")
    assert done.returncode == 0, done.stderr
    (row,) = [line.split() for line in done.stdout.splitlines() if line.startswith("dls      5/5")]
    assert row == ["dls", "5/5", "0.3053", "22.60", "0.7847", "72.00", "56.50", "–", "–"]


def test_a_report_whose_pages_the_budget_cut_short_has_no_outcome_yet(
    deepassay, cited, site, tmp_path
):
    (tmp_path / "prices.toml").write_text("good = {input = 1.0, output = 1.0}")
    with FakeJudge(verdicts) as judge:
        command = (
            *("evaluate", *cited, "--protocol", "fact", "--run", "r", "--allow-host", site.spec),
            *("--judge", "openai:good", "--base-url", judge.base_url),
            *("--prices", "prices.toml", "--max-output", "500", "--max-connections", "1"),
        )
        done = deepassay(*command, "--budget", "0.003")
        assert done.returncode == 3, done.stderr
        assert judge.requests
        with RunFile.read(Path("r")) as run:
            assert not any(each.outcome["details"].get("open") for each in run.scores())
        few = len(judge.requests)
        done = deepassay(*command, "--budget", "1")
        assert done.returncode == 0, done.stderr
        assert few < len(judge.requests) <= 4  # two pages for each of two reports
    assert deepassay("replay", "r").returncode == 0


def test_a_dead_page_that_a_person_saved_is_counted_by_retry(deepassay, cited, site, tmp_path):
    common = ("evaluate", *cited, "--protocol", "fact", "--run", "r", "--allow-host", site.spec)
    deepassay(*common)
    before = standings(deepassay, "r")["magpie"]["mean"]
    page = tmp_path / "saved.html"
    page.write_bytes(article("Fog is grey in the morning."))
    dead = site.url("/status/404")
    deepassay("sources", "import", page, "--url", dead, "--snapshots", "r")
    deepassay(*common, "--retry-unscored")
    assert standings(deepassay, "r")["magpie"]["mean"] == pytest.approx(before + 1 / 3)
    assert deepassay("replay", "r").returncode == 0


def test_a_refused_page_is_read_once_its_host_is_allowed(deepassay, cited, site):
    common = ("evaluate", *cited, "--protocol", "fact", "--run", "r")
    deepassay(*common)
    assert standings(deepassay, "r")["heron"]["mean"] == 0.0
    deepassay(*common, "--allow-host", site.spec, "--retry-unscored")
    assert standings(deepassay, "r")["heron"]["mean"] == 1.0
    assert deepassay("replay", "r").returncode == 0


def test_a_report_of_which_the_rule_can_extract_nothing_stops_nobody(deepassay, tmp_path):
    (tmp_path / "tasks.jsonl").write_text('{"id": "a", "prompt": "Why?"}', encoding="utf-8")
    for agent, text in (
        ("heron", "See the work of Zhang and others, arXiv:1502.00671, on birds.\n"),
        ("magpie", "## Birds (arXiv:1502.00671)\n\n- They fly, and some of them swim.\n"),
    ):
        file = tmp_path / "reports" / agent / "a.md"
        file.parent.mkdir(parents=True)
        file.write_text(text, encoding="utf-8")
    done = deepassay(
        *("evaluate", "tasks.jsonl", "reports", "--protocol", "fact(statements='model')"),
        *("--offline-sources", "--run", "r"),
    )
    assert "Traceback" not in done.stderr
    assert "unscored: 2 not_archived" in done.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--reader", "jna"), "--reader jna: there is no such reader"),
        (("--reader", "archive:x"), "--reader archive:x: there is no such reader"),
        (("--snapshots", "nosuch.assay"), "--snapshots nosuch.assay: there is no such file"),
    ],
)
def test_what_cannot_be_read_from_is_refused_offline_too(deepassay, cited, options, said):
    done = deepassay(
        *("evaluate", *cited, "--protocol", "fact", "--offline-sources", "--run", "r"), *options
    )
    assert done.returncode == 2
    assert said in done.stderr
    assert not Path("nosuch.assay").exists()
