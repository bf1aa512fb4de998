"""An outcome in columns is the same outcome, to the byte, whoever wrote it."""

import asyncio
import json
import math
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.errors import NotKept
from deepassay.runfile import RunFile, StoredScore
from deepassay.runfile.columns import COLUMNS, InColumns, joined, split
from deepassay.runfile.rows import Bodies
from deepassay.score import canonical_json, to_json

from .outcomes import IDENTITY, of_a_panel, outcomes, texts

ODD = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
NAMES = st.sampled_from(
    ["items", "judges", "counts", "low", "high", "open", "said", "list", "pages", "totals"]
)


def stored(outcome, record=None, key="k", **place):
    about = {"protocol": "rubrics", "agent": "heron", "task": "1", "sample": 1, "repeat": 0}
    return StoredScore(
        key, **{**about, **place}, outcome=outcome, identity=IDENTITY, record=record or {}
    )


def plain(outcome):
    """As it is kept: null for what is no number of JSON, and names in their order."""
    return json.loads(Bodies(Path()).spelled(outcome))


@settings(deadline=None)
@given(outcomes, st.dictionaries(texts, outcomes, max_size=2))
def test_what_is_joined_is_what_was_split(own, judges):
    for kept in (to_json(own), of_a_panel(own, judges)):
        outcome = plain(kept)
        again = joined(*split(outcome))
        assert canonical_json(again) == canonical_json(outcome)
        assert json.dumps(again) == json.dumps(outcome)  # names in their order too


@settings(deadline=None)
@given(outcomes, NAMES, ODD)
def test_details_of_any_shape_are_kept(own, name, odd):
    """Of a shape that no run of ours has: split or whole, it comes back."""
    kept = to_json(own)
    outcome = plain(kept | {"details": {**kept["details"], name: odd}})
    found = InColumns.of({"outcome": outcome, "identity": IDENTITY, "record": {}}, 0)
    if "recipe" not in found.columns:
        assert found.body["outcome"] == outcome
    else:
        assert canonical_json(joined(*split(outcome))) == canonical_json(outcome)


def read_back(*scores):
    async def keep(run):
        await asyncio.gather(*map(run.keep_score, scores))

    with RunFile.in_memory() as run:
        asyncio.run(keep(run))
        with RunFile.read(run.path) as reading:
            return [*reading.scores()], reading.verify().damage


@settings(deadline=None, max_examples=15)
@given(outcomes, st.dictionaries(texts, outcomes, max_size=2))
def test_a_run_file_gives_back_what_it_was_given(own, judges):
    record = {"pages": {"https://a.example": "1f"}, "version": "1"}
    given_ = [stored(to_json(own), key="a"), stored(of_a_panel(own, judges), record, "b", repeat=1)]
    found, damage = read_back(*given_)
    assert not damage
    for before, after in zip(given_, found, strict=True):
        assert canonical_json(vars(after)) == canonical_json(vars(before))


SCORE = {"value": 1.0, "bounds": [0.0, 1.0], "parts": {}, "tally": None, "details": {}}


@pytest.mark.parametrize(
    "change",
    [
        {"value": -0.0},
        {"value": 2**63 - 1, "bounds": None},
        {"bounds": [-0.0, 1]},
        {"tally": [1, 2.0]},
        {"details": {"low": -0.0, "high": 1}},
        {"details": {"items": []}},
        {"details": {"counts": {}}},
        {"details": {"again": True}},
        {"parts": {"\ud800": 1.0}},
        {"details": {"summary": "half \udfff"}},
    ],
    ids=str,
)
def test_numbers_and_texts_that_sqlite_would_change_stay_what_they_are(change):
    (found,), damage = read_back(stored(SCORE | change))
    assert canonical_json(found.outcome) == canonical_json(SCORE | change)
    assert repr(found.outcome["value"]) == repr((SCORE | change)["value"])
    assert not damage


def test_what_is_no_number_is_kept_as_nothing_and_what_is_no_json_not_at_all():
    (found,), _ = read_back(stored(SCORE | {"details": {"low": math.nan, "high": math.inf}}))
    assert found.outcome["details"] == {"low": None, "high": None}
    with pytest.raises(NotKept, match="it is no JSON"):
        read_back(stored(SCORE | {"details": {"low": {1}}}))


def test_numbers_and_verdicts_can_be_read_by_sql_alone():
    items = [
        {"key": "a", "score": 1.0, "item": "Names it."},
        {"key": "b", "score": 0.0, "item": "X"},
    ]
    said = SCORE | {"details": {"items": items, "counts": {"pairs": 3}}}
    asked = {"a": stored(said, key="a"), "b": stored(said | {"value": 0.5}, key="b", agent="wren")}
    with RunFile.in_memory() as run:
        for each in asked.values():
            asyncio.run(run.keep_score(each))
        with closing(sqlite3.connect(run.path)) as db:
            assert db.execute("SELECT agent, value FROM outcomes ORDER BY 1").fetchall() == [
                ("heron", 1.0),
                ("wren", 0.5),
            ]
            met = db.execute(
                "SELECT avg(json_extract(each.value, '$.score')) "
                "FROM outcomes, json_each(outcomes.marks) each"
            )
            assert met.fetchone() == (0.5,)
            assert db.execute("SELECT count(*) FROM shared").fetchone() == (3,)


def test_an_outcome_that_is_open_gives_way_with_all_its_columns():
    """A panel of which one judge failed, then a score by both."""
    lacking = {"cause": "timeout", "detail": "", "details": {}}
    judges = {"a": SCORE, "b": lacking}
    half = SCORE | {"details": {"judges": judges, "low": 0.5, "high": 1.0, "open": True}}
    whole = SCORE | {"value": 0.25}
    (found,), damage = read_back(stored(half), stored(whole), stored(half))
    assert found.outcome == whole
    assert not damage


def test_columns_are_those_of_the_table():
    with RunFile.in_memory() as run, closing(sqlite3.connect(run.path)) as db:
        names = [name for _, name, *_ in db.execute("PRAGMA table_info(outcomes)")]
    assert names[6:-2] == [*COLUMNS]
