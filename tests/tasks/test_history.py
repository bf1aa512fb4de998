"""Histories: chained, told apart from what was edited by hand, and read as they were written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from deepassay.files import add_yaml_entries, read_yaml_entries
from deepassay.tasks.history import History, HistoryEntry, by_hand, standing_texts

WHEN = "2026-01-05T09:00:00+00:00"


class Kept(BaseModel):
    history: History = ()


def entry(of: str, before: str | None, after: str | None, said: str = "") -> HistoryEntry:
    return HistoryEntry(
        who="ana", when=WHEN, step="rate", of=of, said=said, before=before, after=after
    )


def test_what_stands_is_what_the_last_change_left() -> None:
    history = (
        entry("query", None, "What?"),
        entry("c1", None, "Is it there?"),
        entry("query", None, None, said="appropriate"),
        entry("query", "What?", "What exactly?"),
        entry("c2", None, "Is it dated?"),
        entry("c1", "Is it there?", None),
    )
    assert standing_texts(history) == {"query": "What exactly?", "c2": "Is it dated?"}


def test_a_history_that_contradicts_itself_is_refused_by_its_place() -> None:
    rows = [entry("query", None, "a").model_dump(), entry("query", "b", "c").model_dump()]
    with pytest.raises(ValidationError) as caught:
        Kept.model_validate({"history": rows})
    cause = caught.value.errors()[0]["ctx"]["error"]
    assert cause.place == 1
    assert str(cause) == "says that 'b' stood there before, where 'a' did"


@pytest.mark.parametrize("field", ["who", "when", "step"])
def test_an_entry_says_who_when_and_at_which_step(field: str) -> None:
    fields = {"who": "ana", "when": WHEN, "step": "rate", field: " "}
    with pytest.raises(ValidationError, match="is empty"):
        HistoryEntry.model_validate(fields)


def test_files_hold_no_empty_fields() -> None:
    assert entry("query", None, None).model_dump() == {
        "who": "ana",
        "when": WHEN,
        "step": "rate",
        "of": "query",
    }


PARTS = st.dictionaries(st.sampled_from("abcd"), st.text("xy甲", min_size=1), max_size=4)


@given(st.lists(PARTS, max_size=6))
def test_hand_made_changes_lead_to_what_the_file_has(states: list[dict[str, str]]) -> None:
    history: tuple[HistoryEntry, ...] = ()
    for now in states:
        history = (*history, *by_hand(history, now, "bo", WHEN))
        assert standing_texts(history) == now
        assert by_hand(history, now, "bo", WHEN) == ()
    written = add_yaml_entries("", [Kept(history=history).model_dump(mode="json")])
    assert Kept.model_validate(read_yaml_entries(written)[0].fields).history == history
