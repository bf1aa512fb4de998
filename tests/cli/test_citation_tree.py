"""The rubric tree as a user types it, on a site whose pages fail in every way it tells apart."""

import json
import re
import socket
from collections import Counter
from pathlib import Path

import pytest

from deepassay.protocols.citation_accuracy.tree import tree_of
from deepassay.runfile import RunFile
from tests.loopback import FakeJudge
from tests.site import HTML, ORDINARY, Site

pytestmark = pytest.mark.usefixtures("read_here")

PROMPT = "How much wind power do the plants on the coast store, and what does it cost?"
CLAIMS_ON_ONE_PAGE, TRUE_CLAIMS = 100, 75
_FENCED = re.compile(r"<<<BEGIN (\w+) \w+\n(.*?)\n<<<END \1", re.DOTALL)
_ITEM = re.compile(r"^\d+\. (.*)$", re.MULTILINE)


def html(title, *sentences):
    body = "".join(f"<p>{each}</p>" for each in sentences)
    return (
        200,
        HTML,
        f"<html><head><title>{title}</title></head><body><article><h1>{title}</h1>{body}"
        "<p>The figures were collected by the coast authority, which visits the plants twice a "
        f"year and publishes what it finds.</p>{ORDINARY}</article></body></html>".encode(),
    )


def stores(number):
    return f"Plant number {number} stores {number} gigawatt hours of wind power."


def knows_the_site(body):
    """Phones are off the subject; a page supports what it says word for word."""
    prompt = body["messages"][-1]["content"]
    shown = dict(_FENCED.findall(prompt))
    if "opening" in shown:
        on_topic = "Phones" not in shown["title"]
        return json.dumps({"on_topic": on_topic, "reason": f"It is titled {shown['title']}."})
    found = [
        {
            "statement": number,
            "verdict": "supported" if each in shown["page"] else "unsupported",
            "quote": each if each in shown["page"] else "",
        }
        for number, each in enumerate(_ITEM.findall(shown["statements"]), start=1)
    ]
    return json.dumps({"verdicts": found})


@pytest.fixture
def judge():
    with FakeJudge(knows_the_site) as server:
        yield server


@pytest.fixture
def site():
    with Site() as server:
        server.pages["/live"] = html("Wind", "Wind power is stored in caverns.", stores(7))
        server.pages["/half"] = html("Cost", "A cavern costs two million euros.")
        server.pages["/many"] = html("Plants", *map(stores, range(TRUE_CLAIMS)))
        server.pages["/phones"] = html("Phones", "The new telephone has two cameras.")
        server.pages["/picture"] = (200, {"Content-Type": "image/png"}, b"\x89PNG\r\n\x1a\n" * 9)
        yield server


@pytest.fixture
def closed():
    """Host and port where nobody answers."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{taken.getsockname()[1]}"


FAILING = ("/status/404", "/status/401", "/status/403", "/status/429", "/gate", "/status/408")


@pytest.fixture
def cited(tmp_path, site, closed):
    """A task and the reports of two agents that cite every page of the site."""
    (tmp_path / "tasks.jsonl").write_text(
        json.dumps({"id": "a", "prompt": PROMPT, "labels": {"category": "Market analysis"}})
    )
    paths = ("/live", "/half", "/many", "/phones", "/picture", *FAILING)
    urls = [*map(site.url, paths), f"http://{closed}/"]
    said = [
        "Wind power is stored in caverns [1].",
        "A cavern costs two million euros [2].",
        "A cavern takes two years to build [2].",
        f"{stores(7).removesuffix('.')} [1][2][6].",  # two of its three sources do not say so
        *(f"{stores(number).removesuffix('.')} [3]." for number in range(CLAIMS_ON_ONE_PAGE)),
        "Phones store very little energy [4].",
        "Telephones hold two cameras each [4].",
        "The coast is drawn on a map of 1990 [5].",
        *(f"Source {number} says that caverns are dry [{number}]." for number in range(6, 13)),
    ]
    listed = [f"[{number}] Page {url}" for number, url in enumerate(urls, start=1)]
    for agent in ("heron", "magpie"):
        file = tmp_path / "reports" / agent / "a.md"
        file.parent.mkdir(parents=True)
        text = "\n\n".join(["# Wind", *said, "## References", "\n".join(listed)])
        file.write_text(f"{text}\n", encoding="utf-8")
    return "tasks.jsonl", "reports"


def evaluate(deepassay, cited, site, closed, judge, *more):
    return deepassay(
        *("evaluate", *cited, "--protocol", "citation_accuracy", "--run", "r", *more),
        *("--allow-host", site.spec, "--allow-host", closed),
        *("--judge", "openai:x", "--base-url", judge.base_url, "--allow-unpriced"),
    )


def details_of(run, protocol="citation_accuracy"):
    with RunFile.read(Path(run)) as file:
        return {
            each.agent: each.outcome["details"]
            for each in file.scores()
            if each.protocol == protocol
        }


def support_questions(judge):
    """The page and the statements of every support question."""
    shown = [dict(_FENCED.findall(request.text)) for request in judge.requests]
    return [(each["page"], _ITEM.findall(each["statements"])) for each in shown if "page" in each]


def test_every_error_is_found_and_nothing_is_asked_or_fetched_in_vain(
    deepassay, cited, site, closed, judge
):
    done = evaluate(deepassay, cited, site, closed, judge)
    assert done.returncode == 0, done.stderr
    expected = {
        "sources": 12,
        "E1": len(FAILING) + 1,  # and the host that refuses connections
        "blocked": 4,
        "timeout": 1,
        "E2": 1,
        "E3": CLAIMS_ON_ONE_PAGE - TRUE_CLAIMS + 2,  # and the half-supporting page, twice
        "unknown": 0,
        "errors": 7 + 1 + 27,
        "open_pairs": 1,  # a picture: it is there, but no text
        "stopped": 2 + 7 + 1,
        "supported": TRUE_CLAIMS + 3,
        "pairs": 4 + 2 + 100 + 2 + 1 + 7 - 1 + 1,
    }
    for details in details_of("r").values():
        assert {name: details["errors"][name] for name in expected} == expected
    # One retrieval for each address, though two reports cite it, one of them a hundred times.
    assert set(site.hits.values()) == {1}
    assert len(site.hits) == 11
    # One question on the subject of each page that was read, for both reports together.
    subjects = [request for request in judge.requests if '"on_topic"' in request.text]
    assert len(subjects) == 4
    # No claim is held against a page that stopped, and each against the others once.
    asked = support_questions(judge)
    assert not any("telephone" in page for page, _ in asked)
    once = Counter((page, each) for page, claims in asked for each in claims)
    assert set(once.values()) == {1}
    assert once.total() == 2 + 3 + CLAIMS_ON_ONE_PAGE


def test_the_tree_can_be_walked_from_the_run_file(deepassay, cited, site, closed, judge):
    evaluate(deepassay, cited, site, closed, judge)
    tree = tree_of(details_of("r")["heron"])
    states = {source.url: source for source in tree.sources}
    assert states[site.url("/status/404")].evidence == "The server answered with status 404."
    assert states[f"http://{closed}/"].evidence == "The host refuses connections."
    assert states[site.url("/gate")].cause == "blocked"
    phones = states[site.url("/phones")]
    assert (phones.state, phones.title, phones.evidence) == ("E2", "Phones", "It is titled Phones.")
    assert {claim.verdict for claim in phones.claims} == {"not_asked"}
    assert "The new telephone" in phones.opening
    many = states[site.url("/many")]
    assert Counter(claim.verdict for claim in many.claims) == {"supported": 75, "unsupported": 25}
    assert many.claims[3].evidence == stores(3)
    assert [ends for ends in tree.ends_by_claim().values() if len(ends) > 1] == [
        ["supported", "E3", "E1", "supported"]
    ]


def test_explain_prints_the_tree_with_lines_and_evidence(deepassay, cited, site, closed, judge):
    evaluate(deepassay, cited, site, closed, judge)
    text = deepassay("explain", "r", "--agent", "heron", "--task", "a").stdout
    assert "35 errors: E1 7 (4 blocked, 1 timed out), E2 1, E3 27 (0 unknown)" in text
    assert f"E1 (gone): {site.url('/status/404')}\n      The server answered with" in text
    assert f"E2: {site.url('/phones')}" in text
    assert re.search(
        r"      s2\.2 E3 \(unsupported\): A cavern takes two years to build\.\n"
        r" +line 7, column 1: stands here\n",
        text,
    )


def test_the_leaderboard_has_the_table_of_errors_also_by_category(
    deepassay, cited, site, closed, judge
):
    evaluate(deepassay, cited, site, closed, judge)
    text = deepassay("leaderboard", "r", "--by", "category", "--wide").stdout
    assert "citation_accuracy, category: Market analysis: citation errors" in text
    rows = [line.split() for line in text.splitlines() if line.startswith("heron")]
    assert ["heron", "1/1", "1", "7.0", "1.0", "27.0", "35.0"] in [row[:7] for row in rows]


def test_a_replay_asks_nobody_and_a_second_run_neither(deepassay, cited, site, closed, judge):
    evaluate(deepassay, cited, site, closed, judge)
    asked, visits = len(judge.requests), site.hits.total()
    assert deepassay("replay", "r").returncode == 0
    evaluate(deepassay, cited, site, closed, judge)
    assert (len(judge.requests), site.hits.total()) == (asked, visits)


def test_fact_and_the_tree_ask_each_support_question_once(deepassay, cited, site, closed, judge):
    done = evaluate(deepassay, cited, site, closed, judge, "--protocol", "fact")
    assert done.returncode == 0, done.stderr
    asked = support_questions(judge)
    once = Counter((page, each) for page, claims in asked for each in claims)
    assert set(once.values()) == {1}
    assert once.total() == 2 + 3 + CLAIMS_ON_ONE_PAGE + 2  # FACT also looks at the phones
    assert set(site.hits.values()) == {1}
    trees = details_of("r")
    assert {each["errors"]["errors"] for each in trees.values()} == {35}


def test_a_page_that_comes_back_is_counted_by_retry(deepassay, cited, site, closed, judge):
    evaluate(deepassay, cited, site, closed, judge)
    site.pages["/status/404"] = html("Caverns", "Source 6 says that caverns are dry.")
    done = evaluate(deepassay, cited, site, closed, judge, "--retry-unscored")
    assert done.returncode == 0, done.stderr
    errors = details_of("r")["heron"]["errors"]
    assert (errors["E1"], errors["E3"]) == (6, 28)  # the other claim is not on the page
    assert deepassay("replay", "r").returncode == 0


def test_a_chinese_task_is_judged_in_chinese(deepassay, tmp_path, site, judge):
    (tmp_path / "tasks.jsonl").write_text(
        json.dumps({"id": "z", "prompt": "沿海电站储存多少风能？", "language": "zh"})
    )
    site.pages["/zh"] = html("风能", "第七座电站储存七吉瓦时的风能。")
    file = tmp_path / "reports" / "heron" / "z.md"
    file.parent.mkdir(parents=True)
    text = f"# 风能\n\n第七座电站储存七吉瓦时的风能。[1]\n\n## 参考文献\n\n[1] {site.url('/zh')}\n"
    file.write_text(text, encoding="utf-8")
    done = deepassay(
        *("evaluate", "tasks.jsonl", "reports", "--protocol", "citation_accuracy", "--run", "r"),
        *("--judge", "openai:x", "--base-url", judge.base_url, "--allow-unpriced"),
        *("--allow-host", site.spec),
    )
    assert done.returncode == 0, done.stderr
    assert all("只回答一个" in request.text for request in judge.requests)
    assert details_of("r")["heron"]["errors"]["supported"] == 1


def test_an_estimate_counts_both_questions_of_pages_that_nobody_has_seen(deepassay, cited, site):
    done = deepassay("estimate", *cited, "--protocol", "citation_accuracy")
    assert "12 cited pages are not fetched yet" in done.stdout
    # On the subject of each page that is not gone, on the claims of those that are on topic, and
    # more for 100 claims; at the least nine pages are there and none is on topic, at the most one
    # of ten is in doubt.
    assert "offline: 21 questions (9 to 41)" in done.stdout
    assert not site.hits
