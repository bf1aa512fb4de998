import csv
import io
import json
import re

import pytest

from deepassay.tasks.topics import TOPICS
from deepassay.wings.build.topics.allocation import allocate
from deepassay.wings.build.topics.topic_tables import TopicComparison, write_topics
from deepassay.wings.build.topics.topics import Demands


def demands(passed=0, disputed=0, none=0.0, queries=0, **counts):
    named = {name.replace("_", " & "): float(count) for name, count in counts.items()}
    assert named.keys() <= {*TOPICS}
    each = {topic: named.get(topic, 0.0) for topic in TOPICS}
    size = round(sum(each.values()))
    return Demands(each, queries or size, passed or size, disputed, none)


OURS = demands(queries=40, passed=20, disputed=3, none=1.0, Health=12, Games=6.5, Travel=0.5)
THEIRS = demands(Health=30, Travel=60, Food_Dining=10)


def tables(size=45, theirs=THEIRS, format="text", languages=("en", "zh")):
    compared = None if theirs is None else TopicComparison(OURS, theirs, "others", seed=1)
    return write_topics(OURS, allocate(OURS.counts, size, languages), compared, format)


def test_demand_and_tasks_stand_beside_each_other_the_largest_first():
    text = tables(theirs=None, size=46)
    rows = [re.split(r"\s{2,}", line.strip()) for line in text.split("\n")[4:7]]
    assert rows == [
        ["Health", "12", "63.2 %", "4", "2", "2"],
        ["Games", "6.5", "34.2 %", "2", "1", "1"],
        ["Travel", "0.5", "2.6 %", "2", "1", "1"],
    ]


def test_the_notes_say_what_the_shares_rest_on():
    text = tables(theirs=None)
    passed = (
        "Deep research: 20 of 40 queries (50.0 %; in DeepResearch Bench 44,019 of 96,147, 45.8 %)."
    )
    assert passed in text
    assert "Asked twice, 3 of 20 got two different answers; each counts a half." in text
    assert "No topic of these: 1, left out of the shares." in text
    assert "Topics without a query: 19. They get one task a language like any other." in text
    assert "2 languages do not divide the tasks" in text
    assert "below its exact part: Health (en)." in text


@pytest.mark.parametrize("format", ["text", "markdown"])
def test_a_comparison_says_how_far_apart_and_what_chance_would_make(format):
    text = tables(format=format)
    # Half of |12/19 - .3| + |6.5/19 - 0| + |.5/19 - .6| + .1
    assert "0.674" in text
    chance = re.search(r"total variation[ |]*0\.674[ |]*≤ (0\.\d+)", text)
    assert 0.1 < float(chance[1]) < 0.5
    assert "Chi-square" in text
    assert "no p is given" in text


def test_equal_sets_are_no_further_apart_than_chance():
    found = TopicComparison(THEIRS, THEIRS, "same", seed=1)
    assert found.found.total_variation == 0
    assert found.found.total_variation < found.chance["total_variation"]
    assert found.found.spearman == pytest.approx(1)
    assert found.chance["spearman"] <= 1


def test_json_has_every_number_unrounded_and_csv_the_numbers_of_tasks():
    about = json.loads(tables(format="json"))
    assert about["demand"]["counts"]["Games"] == 6.5
    assert about["tasks"]["tasks"]["Health"] == {"en": 2, "zh": 1}
    assert about["compared"]["found"]["total_variation"] == pytest.approx(0.673684, abs=1e-6)
    assert about["compared"]["chance"].keys() == about["compared"]["found"].keys()
    assert about["compared"]["chi_square"]["freedom"] == 3
    rows = list(csv.DictReader(io.StringIO(tables(format="csv"))))
    assert rows[0] == {
        "topic": "Health", "queries": "12.0", "share": str(12 / 19), "tasks": "3",
        "en": "2", "zh": "1",
    }  # fmt: skip
    assert sum(int(row["tasks"]) for row in rows) == 45


def test_without_a_topic_there_is_demand_but_no_task():
    none = demands(queries=4)
    text = write_topics(none, None, TopicComparison(none, THEIRS, "others", 1), "text")
    assert "Deep research: 0 of 4 queries (0.0 %" in text
    assert re.search(r"total variation\s+–\s+≤ –", text)
