"""`tasks topics`, as a person types it."""

import csv
import json
import re
from pathlib import Path

import pytest

from deepassay.tasks.loaders import load_tasks
from deepassay.wings.build.topics.topics import read_sorted
from tests.loopback import FakeJudge

LOG = {
    "trams": "Compare how three European cities paid for new tram lines, and what came of it.",
    "bran": "Does oat bran lower cholesterol? Review the evidence.",
    "mixed": "Weigh what game designers know of players' health.",
    "odd": "Explain the last elections of a country.",
    "fact": "Boiling point of ethanol",
}
TOPIC = {"tram": "Transportation", "bran": "Health", "elections": "none"}
QUERY = re.compile(r"<<<BEGIN query \w+\n(.*?)\n<<<END", re.DOTALL)
TOPICS = ("tasks", "topics", "log.jsonl")


def sorter(body):
    """Health and Games for the mixed query, one after the other as the menu has them."""
    asked = next(each["content"] for each in body["messages"] if each["role"] == "user")
    query = QUERY.search(asked)[1]
    if '"needs_many_sources"' in asked:
        deep = "ethanol" not in query
        names = ("needs_many_sources", "needs_analysis", "wants_report", "self_contained")
        return json.dumps({"reason": "It asks so.", **dict.fromkeys(names, deep)})
    first_of_two = "Health" if asked.index("- Health:") < asked.index("- Games:") else "Games"
    topic = next((name for word, name in TOPIC.items() if word in query), first_of_two)
    return json.dumps({"topic": topic, "reason": "It says so."})


def write(names=LOG, path="log.jsonl"):
    rows = [json.dumps({"id": name, "prompt": LOG[name]}) for name in names]
    Path(path).write_text("\n".join(rows), encoding="utf-8")


@pytest.fixture
def judge():
    with FakeJudge(sorter) as server:
        yield server


@pytest.fixture(autouse=True)
def log():
    write()


def asking(judge, model="good"):
    return ("--maker", f"openai:{model}", "--base-url", judge.base_url)


def allotted(path="topics.allocation.csv"):
    with Path(path).open(newline="", encoding="utf-8") as lines:
        return {row.pop("topic"): row for row in csv.DictReader(lines)}


def test_queries_are_sorted_and_tasks_allotted(deepassay, judge):
    done = deepassay(*TOPICS, *asking(judge), "--size", "48")
    assert done.returncode == 0, done.stderr
    found = {each.id: each for each in read_sorted(Path("topics.jsonl"))}
    assert list(found) == list(LOG)
    assert [each.deep_research for each in found.values()] == [True] * 4 + [False]
    assert found["trams"].topics == ("Transportation",) * 2
    assert {*found["mixed"].topics} == {"Health", "Games"}
    assert found["odd"].topics == ("none", "none")
    assert found["fact"].topics == ()
    (recipe,) = {each.recipe for each in found.values()}
    assert re.fullmatch(r"topics:bench\|model:openai:good\|prompts:\w{12}\|seed:1", recipe)
    rows = allotted()
    health = {"queries": "1.5", "share": "0.5", "tasks": "4", "en": "2", "zh": "2"}
    assert rows["Health"] == health
    assert sum(int(row["tasks"]) for row in rows.values()) == 48
    assert min(int(row["en"]) for row in rows.values()) == 1
    assert re.search(r"Health +1\.5 +50\.0 % +4 +2 +2", done.stdout)
    assert "Deep research: 4 of 5 queries (80.0 %" in done.stdout
    assert f"recipe: {recipe}" in done.stdout
    assert "Asked twice, 1 of 4 got two different answers" in done.stdout
    assert "Verdicts for 5 of 5 queries are in topics.jsonl." in done.stderr
    assert len(judge.requests) == 5 + 2 * 4


def test_the_same_command_goes_on_where_it_was_stopped(deepassay, judge):
    assert deepassay(*TOPICS, *asking(judge), "--limit", "2").returncode == 0
    before, asked = Path("topics.jsonl").read_text(), len(judge.requests)
    done = deepassay(*TOPICS, *asking(judge))
    assert "(2 had them already)" in done.stderr
    assert Path("topics.jsonl").read_text().startswith(before)
    assert len(judge.requests) == asked + 2 * 3 + 1
    asked, whole = len(judge.requests), allotted()
    Path("topics.jsonl").unlink()
    assert deepassay(*TOPICS, *asking(judge)).returncode == 0
    assert len(judge.requests) == asked  # answers stand in the run file
    assert allotted() == whole


def test_what_failed_is_said_left_out_and_asked_again(deepassay, judge):
    def refuses_bran(body):
        return "No." if LOG["bran"] in body["messages"][1]["content"] else sorter(body)

    with FakeJudge(refuses_bran) as careless:
        done = deepassay(*TOPICS, *asking(careless))
    assert done.returncode == 1
    assert "query bran: answer_unreadable" in done.stderr
    assert "Without verdicts: 1 queries." in done.stderr
    assert "Deep research: 3 of 4 queries" in done.stdout
    done = deepassay(*TOPICS, *asking(judge))
    assert done.returncode == 0, done.stderr
    assert "Deep research: 4 of 5 queries" in done.stdout


def test_a_budget_stops_it_and_no_tasks_are_allotted(deepassay, judge):
    Path("prices.json").write_text('{"good": {"input": 10, "output": 10}}')
    paid = (*asking(judge), "--prices", "prices.json", "--max-connections", "1")
    done = deepassay(*TOPICS, *paid, "--budget", "0.04")
    assert done.returncode == 3
    assert "with a larger --budget" in done.stderr
    assert done.stdout == ""
    assert not Path("topics.allocation.csv").exists()
    done = deepassay(*TOPICS, *paid, "--budget", "5")
    assert done.returncode == 0, done.stderr
    assert len(read_sorted(Path("topics.jsonl"))) == 5


def test_what_was_sorted_is_read_as_tasks_with_labels(deepassay, judge):
    deepassay(*TOPICS, *asking(judge))
    labels = {task.id: dict(task.labels) for task in load_tasks("topics.jsonl")}
    assert labels["trams"] == {
        "deep_research": "yes",
        "topic": "Transportation",
        "language": "en",
    }
    assert sorted(labels["mixed"].pop("topics").split("; ")) == ["Games", "Health"]
    assert labels["mixed"] == {"deep_research": "yes", "language": "en"}
    assert labels["fact"] == {"deep_research": "no", "language": "en"}
    done = deepassay("leaderboard", "topics.jsonl", "--as", "bench:figure3")
    assert re.search(r"Transportation +1 ", done.stdout), done.stderr


def test_the_distribution_is_compared_with_a_log_and_with_published_tasks(deepassay, judge):
    write(["trams", "bran"], "others.jsonl")
    deepassay("tasks", "topics", "others.jsonl", "-o", "sorted.jsonl", *asking(judge))
    done = deepassay(*TOPICS, *asking(judge), "--compare", "sorted.jsonl")
    assert done.returncode == 0, done.stderr
    assert "not sorted alike" not in done.stdout
    # Halves of 1/3 and 1.5/3 and .5/3 beside 1/2, 1/2 and 0.
    assert re.search(r"total variation +0\.167 +≤ [01]\.\d{3}", done.stdout)
    names = ["Travel & Tourism", "Health", "Politics"]
    rows = [{"id": n, "topic": name, "prompt": "Why?"} for n, name in enumerate(names)]
    Path("query.jsonl").write_text("\n".join(map(json.dumps, rows)))
    done = deepassay(*TOPICS, *asking(judge), "--compare", "query.jsonl")
    assert re.search(r"Travel +0\.0 % +50\.0 %", done.stdout)
    assert "Left out of query, no topic of these: Politics 1." in done.stdout
    assert "query was not sorted alike" in done.stdout
    assert "topics as published" in done.stdout


def test_tasks_are_spread_over_other_languages(deepassay, judge):
    spoken = [part for name in ("en", "fr", "sw") for part in ("--language", name)]
    done = deepassay(*TOPICS, *asking(judge), "--size", "80", *spoken)
    assert done.returncode == 0, done.stderr
    assert "3 languages do not divide the tasks" in done.stdout
    totals = [sum(int(row[name]) for row in allotted().values()) for name in ("en", "fr", "sw")]
    assert totals == [27, 27, 26]


def test_by_rule_it_needs_no_model_and_says_so(deepassay):
    done = deepassay(*TOPICS, "--format", "json")
    assert done.returncode == 0, done.stderr
    assert "a baseline that counts words" in done.stderr
    assert json.loads(done.stdout)["demand"]["queries"] == 5


def test_without_a_query_on_a_topic_no_tasks_are_allotted(deepassay, judge):
    write(["fact"])
    done = deepassay(*TOPICS, *asking(judge))
    assert done.returncode == 1, done.stderr
    assert "so no tasks were allotted" in done.stderr
    assert not Path("topics.allocation.csv").exists()


UNFIT = {
    ("--size", "43"): "Give a --size of 44 or more",
    ("--language", "en", "--language", "en"): "Name every --language once",
    ("--compare", "none.jsonl"): "none.jsonl cannot be read",
    ("--compare", "log.jsonl"): "no task has a topic of the 22",
    ("-o", "topics.csv"): "Give an output file that ends in .jsonl",
    ("-o", "log.jsonl"): "log.jsonl, line 1",
    ("--seed", "2"): "Go on with the same --maker and --seed",
    ("--maker", "openai:other"): "model:openai:other|prompts",
}


def test_what_does_not_fit_is_refused_and_nothing_is_lost(deepassay):
    assert deepassay(*TOPICS).returncode == 0
    files = ("log.jsonl", "topics.jsonl", "topics.allocation.csv")
    before = [Path(name).read_bytes() for name in files]
    for options, says in UNFIT.items():
        done = deepassay(*TOPICS, *options)
        assert done.returncode == 2, options
        assert says in done.stderr
        assert [Path(name).read_bytes() for name in files] == before


def test_another_log_under_the_same_identifiers_is_refused(deepassay):
    assert deepassay(*TOPICS).returncode == 0
    Path("log.jsonl").write_text('{"id": "trams", "prompt": "Why do trams ring?"}')
    done = deepassay(*TOPICS)
    assert done.returncode == 2
    assert "the query 'trams' has another text there than in the log" in done.stderr


def test_the_papers_table_counts_what_this_command_counts(deepassay, judge):
    """Queries whose two answers differ count half in both, and those without a topic not at all."""
    done = deepassay(*TOPICS, *asking(judge), "--format", "json", "-o", "sorted.jsonl")
    demand = json.loads(done.stdout)["demand"]
    whole = sum(demand["counts"].values())
    assert demand["disputed"] == 1 and demand["none"] == 1 and whole == 3
    shown = deepassay("leaderboard", "sorted.jsonl", "sorted.jsonl", "--as", "bench:table4")
    assert shown.returncode == 0, shown.stderr
    shares = dict(re.findall(r"^(\S[\w &]*?) +(\d+\.\d\d) +\2$", shown.stdout, re.M))
    assert {name: float(share) for name, share in shares.items()} == {
        name: round(100 * count / whole, 2) for name, count in demand["counts"].items() if count
    }
    assert shown.stdout.count("sorted: 3 of 5 tasks; 1 got two different answers") == 2


@pytest.mark.parametrize("language", ["=x", "", "english please", "e"])
def test_what_is_no_language_is_refused_before_anything_is_asked(deepassay, language):
    write()
    done = deepassay(*TOPICS, "--language", language)
    assert done.returncode == 2
    assert f"{language!r} is no language" in done.stderr
    assert not Path("topics.jsonl").exists()
