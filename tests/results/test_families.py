"""Agents by family, against the averages that LiveResearchBench prints (Table 1, section 5)."""

import csv
import io
import json
from dataclasses import replace

import pytest

from deepassay.errors import BadInput, BadSetting
from deepassay.results.families import TABLE_1, Profile, by_family, family_table
from deepassay.results.leaderboard import write
from deepassay.results.ranking import rank
from deepassay.score import Cause, Signature

from .judgements import RECIPE, make

WEB, DEEP, MULTI = "single agent with search", "single-agent deep research", "multi-agent"

PUBLISHED = {
    "GPT-5": (WEB, 71.6, 68.3, 83.4, 67.6),
    "GPT-4.1": (WEB, 66.0, 65.9, 63.6, 50.6),
    "GPT-5-mini": (WEB, 61.4, 66.9, 80.5, 55.5),
    "Gemini 2.5 Pro": (WEB, 51.9, 76.5, 73.1, 38.5),
    "Claude 4 Sonnet": (WEB, 81.9, 67.3, 49.2, 37.9),
    "Claude 4.1 Opus": (WEB, 81.6, 67.5, 50.8, 35.6),
    "Sonar Reasoning": (WEB, 82.1, 73.0, 40.7, 52.6),
    "Sonar Reasoning Pro": (WEB, 79.6, 71.9, 46.7, 50.1),
    "o3": (DEEP, 71.3, 64.2, 85.0, 25.6),
    "Sonar Deep Research": (DEEP, 83.5, 67.4, 65.5, 36.6),
    "Manus": (MULTI, 75.0, 63.1, 73.3, 45.6),
    "Grok-4 Heavy": (MULTI, 75.9, 59.4, 89.3, 48.0),
    "Deerflow+": (MULTI, 78.8, 69.9, 61.6, 77.0),
    "Open Deep Research": (MULTI, 81.0, 71.3, 65.3, 76.9),
}
"""Figures of Table 1: presentation, consistency, coverage, citation association."""

PROFILES = {agent: Profile(agent, family) for agent, (family, *_) in PUBLISHED.items()}


def under(protocol, record):
    return replace(record, protocol=protocol)


@pytest.fixture
def records():
    return [
        under(protocol, make(agent, "1", mean))
        for agent, (_, *means) in PUBLISHED.items()
        for protocol, mean in zip(TABLE_1, means, strict=True)
    ]


def rows(table):
    return {(row[0], row[1]): [cell.strip() for cell in row[2:]] for row in table.rows}


def test_the_averages_are_those_that_the_paper_prints(records):
    found = rows(family_table(rank(records), PROFILES))
    assert found[MULTI, "Open Deep Research"][-1].startswith("73.6")
    assert found[WEB, "GPT-5"][-1].startswith("72.7")
    assert found[MULTI, "mean of 4"] == ["77.7", "65.9", "72.4", "61.9", "69.5"]
    assert found[WEB, "mean of 8"][1] == "69.7"
    assert found[WEB, "mean of 8"][-1] == "62.8"


def test_the_best_of_all_and_of_each_family_are_marked(records):
    found = rows(family_table(rank(records), PROFILES))
    assert found[DEEP, "Sonar Deep Research"][0] == "83.5**"
    assert found[WEB, "Sonar Reasoning"][0] == "82.1*"
    assert found[MULTI, "Grok-4 Heavy"][2] == "89.3**"
    assert found[MULTI, "Open Deep Research"][-1] == "73.6**"
    assert found[WEB, "GPT-5"][-1] == "72.7*"
    assert found[WEB, "GPT-4.1"][0] == "66.0"


def test_families_come_in_the_order_of_the_file_and_agents_by_their_average(records):
    table = family_table(rank(records), PROFILES)
    assert list(dict.fromkeys(row[0] for row in table.rows)) == [WEB, DEEP, MULTI]
    multi = [row[1] for row in table.rows if row[0] == MULTI]
    assert multi == ["Open Deep Research", "Deerflow+", "Grok-4 Heavy", "Manus", "mean of 4"]


def test_a_family_stands_where_the_file_first_names_it_though_that_agent_was_not_judged():
    profiles = {name: Profile(name, name[0]) for name in ("b-absent", "a-one", "b-two")}
    assert by_family(["a-one", "b-two"], profiles, str) == {"b": ["b-two"], "a": ["a-one"]}


def test_an_agent_that_lacks_a_metric_has_no_average():
    pair = {name: Profile(name, "f") for name in "ab"}
    scored = [make("a", "1", 80), make("b", "1", 40)]
    other = [under("presentation", make("a", "1", 60))]
    lost = [under("presentation", make("b", "1", Cause.TIMEOUT))]
    found = rows(family_table(rank(scored + other + lost), pair))
    assert found["f", "a"] == ["60.0**", "80.0**", "70.0**"]
    assert found["f", "b"] == ["– (0/1)", "40.0", "–"]
    assert found["f", "mean of 2"] == ["60.0 (1/2)", "60.0", "70.0 (1/2)"]


def test_what_the_average_is_of_and_lacks_is_said():
    one = {"a": Profile("a", "f")}
    note = family_table(rank([make("a", "1", 80)]), one).notes[-1]
    assert "the mean of coverage" in note
    assert "also has presentation, consistency, citation_association" in note
    depth = family_table(rank([under("depth(baseline='b')", make("a", "1", 80))]), one)
    assert depth.rows[0][-1].strip() == "–"
    assert "none of which was judged" in depth.notes[-1]


def test_variants_of_a_metric_are_not_averaged():
    one = {"a": Profile("a", "f")}
    variant = under("coverage(edition='code')", make("a", "1", 60))
    table = family_table(rank([make("a", "1", 80), variant]), one)
    assert table.rows[0][-1].strip() == "–"
    assert "several variants" in table.notes[-1]


def test_an_agent_without_a_family_is_an_error_and_a_family_without_reports_is_said():
    records = [make("heron", "1", 80)]
    with pytest.raises(BadInput, match="heron") as caught:
        write(rank(records), "json", profiles={"Heron": Profile("Heron", "f")})
    assert "Heron" in caught.value.remedy
    more = {name: Profile(name, "f") for name in ("heron", "wren")}
    assert "in no run: wren" in write(rank(records), profiles=more)


def test_unequal_recipes_are_not_compared_by_family():
    other = Signature({**RECIPE.identity, "repeats": 3})
    boards = rank([make("a", "1", 1), make("b", "1", 2, recipe=other)], allow_mixed=True)
    with pytest.raises(BadSetting, match="one recipe"):
        write(boards, profiles={name: Profile(name, "f") for name in "ab"})


def test_families_and_days_are_in_every_format():
    boards = rank([make("heron", "1", 80)])
    profiles = {"heron": Profile("heron", "multi-agent", "2026-05-04")}
    assert "2026-05-04" in write(boards, profiles=profiles)
    assert "| multi-agent | heron | 2026-05-04 |" in write(boards, "markdown", profiles=profiles)
    (row,) = csv.DictReader(io.StringIO(write(boards, "csv", profiles=profiles)))
    assert (row["family"], row["collected"]) == ("multi-agent", "2026-05-04")
    (board,) = json.loads(write(boards, "json", profiles=profiles))
    (standing,) = board["standings"]
    assert (standing["family"], standing["collected"]) == ("multi-agent", "2026-05-04")
