import json

import pytest

from deepassay.tasks.loaders import load_tasks
from deepassay.tasks.topics import TOPICS, topic_named

# Names as WebOrganizer, the paper's figures and the paper's table 4 have them.
SPELLED = {
    "Electronics & Hardware": "Hardware",
    "Hardware": "Hardware",
    "History & Geography": "History",
    "history and geography": "History",
    "Science, Math & Technology": "Science & Technology",
    "Science & Tech.": "Science & Technology",
    "Sci & Tech": "Science & Technology",
    "Travel & Tourism": "Travel",
    "Software Dev.": "Software Development",
    "Soft Dev": "Software Development",
    "Fin & Biz": "Finance & Business",
    "Finance&Business": "Finance & Business",
    "Edu & Jobs": "Education & Jobs",
    " Social  Life ": "Social Life",
}


@pytest.mark.parametrize(("name", "topic"), SPELLED.items())
def test_both_spellings_name_a_topic(name, topic):
    assert topic_named(name) == topic


@pytest.mark.parametrize("name", ["Politics", "Adult Content", "none", "", "Soft"])
def test_other_names_are_no_topic(name):
    assert topic_named(name) is None


def test_every_topic_has_its_own_name():
    assert len(TOPICS) == 22
    assert [topic_named(topic) for topic in TOPICS] == list(TOPICS)


def test_published_queries_get_the_short_names_and_other_topics_stay(tmp_path):
    path = tmp_path / "query.jsonl"
    rows = [
        {"id": number, "topic": topic, "prompt": "Why?"}
        for number, topic in enumerate(["Travel & Tourism", "Health", "Politics"])
    ]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert [task.labels["topic"] for task in load_tasks(path)] == ["Travel", "Health", "Politics"]


def test_the_published_tasks_name_topics_of_these(shared):
    tasks = load_tasks(shared / "data" / "bench" / "query.jsonl")
    assert {task.labels["topic"] for task in tasks} <= {*TOPICS}
