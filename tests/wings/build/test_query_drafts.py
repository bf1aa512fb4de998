"""Drafts: what people change in a file is in the history, and steps do not overtake each other."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.errors import BadSetting, BadTasks
from deepassay.wings.build.experts.query_drafts import (
    QueryDraft,
    add_drafts,
    drafts_text,
    drafts_to_do,
    lost_dates,
    read_drafts,
)

EMPTY = QueryDraft(id="d1", language="en", domain="Law", category="review", expert="", query="")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "drafts.yaml"


def written(path: Path, text: str) -> list[QueryDraft]:
    path.write_text(text, "utf-8")
    return read_drafts(path, by="leader")


def test_a_query_that_an_expert_writes_into_the_file_is_his(path):
    add_drafts(path, [EMPTY])
    text = path.read_text("utf-8")
    assert "query: ''" in text and "expert: ''" in text
    filled = text.replace("query: ''", "query: Why?").replace("expert: ''", "expert: eva")
    (draft,) = written(path, filled)
    (entry,) = draft.history
    assert (entry.step, entry.who, entry.before, entry.after) == ("draft", "eva", None, "Why?")


def test_what_is_edited_later_is_noted_with_what_stood_before(path):
    draft = EMPTY.changed("eva", "draft", {"query": "Why?"})
    draft = draft.changed("m", "checklist", {"c1": "Is it there?", "c2": "Is it dated?"})
    text = drafts_text([draft]).replace("c2: Is it dated?", "c3: Is it long?")
    (read,) = written(path, text.replace("query: Why?", "query: Why now?"))
    edits = [(each.of, each.before, each.after, each.who) for each in read.history[3:]]
    assert edits == [
        ("query", "Why?", "Why now?", "leader"),
        ("c2", "Is it dated?", None, "leader"),
        ("c3", None, "Is it long?", "leader"),
    ]
    assert read.checklist == {"c1": "Is it there?", "c3": "Is it long?"}
    assert read.next_key("c") == "c4"


def test_a_query_that_is_taken_out_drops_the_draft(path):
    draft = EMPTY.changed("eva", "draft", {"query": "Why?"})
    (read,) = written(path, drafts_text([draft]).replace("query: Why?", "query: ''"))
    assert read.dropped and not EMPTY.dropped


TEXTS = st.text("ab甲:#-'\n ", min_size=1, max_size=12).filter(str.strip)


@settings(max_examples=30)
@given(st.lists(TEXTS, min_size=1, max_size=4), st.lists(TEXTS, max_size=3))
def test_files_give_drafts_back_as_they_were(tmp_path_factory, items, answers):
    draft = EMPTY.changed("eva", "draft", {"query": items[0]})
    for number, answer in enumerate(answers, start=1):
        draft = draft.changed("m", "clarify", {f"k{number}": "Which?"})
        draft = draft.changed("eva", "answer", {f"k{number}/answer": answer})
    draft = draft.changed("m", "checklist", {f"c{n}": text for n, text in enumerate(items, 1)})
    folder = tmp_path_factory.mktemp("drafts")
    for name in ("d.yaml", "d.jsonl"):
        add_drafts(folder / name, [draft])
        assert read_drafts(folder / name) == [draft]


@pytest.mark.parametrize(
    ("title", "change", "said"),
    [
        ("key", ("c1:", "first:"), r"line \d+: checklist: has the key 'first'; keys are c1"),
        ("history", ("after: Why?", "after: Who?"), r"line \d+: history: says that 'Why\?' stood"),
        ("field", ("domain:", "domains:"), "domain: is missing"),
        ("language", ("language: en", "language: fr"), "language: is unknown"),
    ],
)
def test_mistakes_are_told_by_line_and_field(path, title, change, said):
    draft = EMPTY.changed("eva", "draft", {"query": "Why?"})
    draft = draft.changed("eva", "refine", {"query": "Why now?", "c1": "Is it?"})
    with pytest.raises(BadTasks, match=said):
        written(path, drafts_text([draft]).replace(*change))


def test_a_draft_that_changed_since_a_step_is_not_passed_over_in_silence(path):
    draft = EMPTY.changed("eva", "draft", {"query": "Why?"})
    add_drafts(path, [draft.changed("m", "clarify", {"k1": "Which?"})])
    assert drafts_to_do([draft], path) == []
    with pytest.raises(BadTasks, match="draft d1 was made from an older form"):
        drafts_to_do([draft.changed("eva", "edited", {"query": "Why now?"})], path)


def test_hand_made_changes_count_whenever_they_were_noticed(path):
    drafted = EMPTY.model_copy(update={"query": "Why?", "expert": "eva"})
    source = path.with_name("source.yaml")
    add_drafts(source, [drafted])
    first = read_drafts(source)
    add_drafts(path, [each.changed("m", "clarify", {"k1": "Which?"}) for each in first])
    again = [
        each.model_copy(update={"history": (each.history[0].model_copy(update={"when": "2030"}),)})
        for each in read_drafts(source)
    ]
    assert drafts_to_do(again, path) == []


def test_a_file_of_other_drafts_is_refused(path):
    add_drafts(path, [EMPTY])
    other = EMPTY.model_copy(update={"id": "d9"})
    with pytest.raises(BadTasks, match="holds other drafts"):
        drafts_to_do([other], path)
    with pytest.raises(BadSetting, match="YAML or JSON Lines"):
        drafts_to_do([other], path.with_suffix(".csv"))


@pytest.mark.parametrize(
    ("before", "after", "lost"),
    [
        ("as of {{date}}", "as of {{ Date }}", []),
        ("{{current_year}} and {{last_year}}", "2026 and {{last_year}}", ["{{current_year}}"]),
        ("{{date}} {{date}}", "{{date}}", ["{{date}}"]),
        ("none", "{{date}}", []),
    ],
)
def test_dates_that_are_no_longer_open_are_found(before, after, lost):
    assert lost_dates(before, after) == lost
