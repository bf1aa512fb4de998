"""Run files as tidy tables: the same rows in every format, whatever untrusted text holds."""

import asyncio
import csv
import json
import sqlite3
import sys
from contextlib import closing
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay import evaluate
from deepassay.errors import BadRunFile, BadSetting, MissingExtra, Notice
from deepassay.reports.report import Report
from deepassay.results.tables import Column, ColumnKind, unguarded
from deepassay.run.showing.export import TABLES, columns, export, run_rows
from deepassay.run.showing.output import FORMATS, fitting
from deepassay.runfile import AgentRun, Capture, RunFile, StoredAnswer, StoredReport, StoredScore
from deepassay.tasks.task import Task

HOSTILE = '=cmd|" /C calc"!A1,\r\n"quoted"\t\x1b[31m\x00\ud800鹭'
FIT = HOSTILE.replace("\x00", "\ufffd").replace("\ud800", "\ufffd")
PAGE = Capture(
    "https://a.example/", "2026-05-04T10:00:00Z", "direct", status=200, title=HOSTILE, text="Air."
)
GONE = Capture("https://b.example/", "2026-05-04T11:00:00Z", "direct", failure="page_dead")
IDENTITY = {
    "protocol": "presentation",
    "edition": "paper",
    "judges": [{"model": "offline"}],
    "repeats": 1,
}


def outcome(value, **details):
    return {"value": value, "bounds": [0.0, 100.0], "parts": {"P1": value}, "tally": None} | {
        "details": details
    }


@pytest.fixture
def run(tmp_path):
    """One agent with a name that means harm, two tasks, one of them not judged."""
    path = tmp_path / "one.assay"
    tasks = {
        "a": {"id": "a", "prompt": HOSTILE.replace("\ud800", ""), "labels": {"domain": "law"}},
        "b": {"id": "b", "prompt": "天空为什么是蓝色的？", "checklist": ["Is it named?"]},
    }
    report = StoredReport("=heron", "a", 1, f"# Sky\n\n{HOSTILE} [1](https://a.example/).\n")
    item = {"key": "p1", "item": "order", "score": 1, "justification": HOSTILE}
    record = {"pages": {PAGE.url: PAGE.id}}
    place = ("presentation", "=heron", "a", 1, 0)
    score = StoredScore("k", *place, outcome(100.0, items=[item]), IDENTITY, record)
    answers = [
        StoredAnswer("k1", "op", "m", 0, "d", HOSTILE, usage={"input": 5, "cached": 2}, cost=0.25),
        StoredAnswer("k2", "op", "m", 0, "d", "", cause="timeout", detail="late"),
    ]

    async def keep(file):
        for capture in (PAGE, GONE):
            await file.captures.keep(capture)
        await file.keep_score(score)
        for answer in answers:
            await file.keep_answer(answer, [])

    with RunFile.create(path) as file:
        file.register({}, {"presentation": IDENTITY}, tasks, [report])
        asyncio.run(keep(file))
    return path


def from_csv(path, kinds):
    def value(text, kind):
        if text == "" and kind is not ColumnKind.TEXT:
            return None
        read = {
            ColumnKind.INTEGER: int,
            ColumnKind.NUMBER: float,
            ColumnKind.BOOLEAN: "true".__eq__,
        }
        return read.get(kind, lambda same: unguarded(same) or None)(text)

    with path.open(encoding="utf-8", newline="") as file:
        return [
            {name: value(text, kinds[name]) for name, text in row.items()}
            for row in csv.DictReader(file)
        ]


def read(folder, table, format):
    """The rows of a file; empty texts as None, since CSV's readers do not tell them apart."""
    path = folder / f"{table}.{format}"
    if format == "csv":
        return from_csv(path, dict(columns(table, texts=True)))
    if format == "jsonl":
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
    else:
        rows = pytest.importorskip("pyarrow.parquet").read_table(path).to_pylist()
    return [{name: None if value == "" else value for name, value in row.items()} for row in rows]


def moments(rows):
    """The rows with times as Parquet holds them."""
    return [
        {
            name: datetime.fromisoformat(value)
            if name == "fetched" and isinstance(value, str)
            else value
            for name, value in row.items()
        }
        for row in rows
    ]


def test_every_format_has_the_same_rows(run, tmp_path):
    counts = [export([run], tmp_path / format, (), format, texts=True) for format in FORMATS]
    assert counts[0] == counts[1] == counts[2]
    assert list(counts[0]) == list(TABLES)
    for table in TABLES:
        rows = [moments(read(tmp_path / format, table, format)) for format in FORMATS]
        assert rows[0] == rows[1] == rows[2], table
        assert len(rows[0]) == counts[0][table]


@pytest.mark.parametrize(
    "change", ["value=NULL", "value=250", "cause='timeout'", "value=NULL, cause='mood'"]
)
@pytest.mark.parametrize("table", ["scores", "judgements"])
def test_an_outcome_that_no_run_writes_is_left_out_and_named(run, tmp_path, table, change):
    own, others = (("=heron", task, 1, 0) for task in "ab")
    with closing(sqlite3.connect(run)) as db, db:
        db.execute(
            "INSERT INTO outcomes SELECT 'k2', protocol, agent, 'b', sample, repeat, value, cause, "
            "detail, open, partial, lowest, highest, low, high, met, of, recipe, record, list, "
            "counts, parts, marks, said, pages, voices, body, sha256 FROM outcomes"
        )
        db.execute(f"UPDATE outcomes SET {change} WHERE task='a'")
    with pytest.warns(Notice, match=r"damaged \(score k\b.* is left out"):
        export([run], tmp_path, (table,))
    rows = read(tmp_path, table, "jsonl")
    there = {(row["agent"], row["task"], row["sample"], row["repeat"]): row for row in rows}
    assert there[others]["value"] == 100.0
    assert own not in there or there[own]["cause"] == "not_asked"


def test_untrusted_text_is_got_back_but_for_half_characters(run, tmp_path):
    export([run], tmp_path, ("items", "scores", "reports", "pages"), "csv", texts=True)
    (item,) = read(tmp_path, "items", "csv")
    assert (item["agent"], item["justification"]) == ("=heron", FIT)
    (report,) = read(tmp_path, "reports", "csv")
    assert FIT in report["text"]
    title = read(tmp_path, "pages", "csv")[0]["title"]
    assert title == FIT


def test_what_is_missing_has_a_row_with_its_cause(run, tmp_path):
    export([run], tmp_path, ("scores",))
    scored, missing = read(tmp_path, "scores", "jsonl")
    assert (scored["task"], scored["value"], scored["cause"]) == ("a", 100.0, None)
    assert (missing["task"], missing["value"], missing["cause"]) == ("b", None, "missing_input")
    assert missing["report"] is None


def test_keys_join(run, tmp_path):
    export([run], tmp_path)
    (report,) = read(tmp_path, "reports", "jsonl")
    score = read(tmp_path, "scores", "jsonl")[0]
    (part,) = read(tmp_path, "parts", "jsonl")
    (use,) = read(tmp_path, "page_uses", "jsonl")
    pages = {row["page"]: row for row in read(tmp_path, "pages", "jsonl")}
    for name in ("run", "agent", "task", "sample", "report"):
        assert report[name] == score[name]
    for name, _ in columns("page_uses")[:6]:
        assert score[name] == part[name] == use[name]
    assert pages[use["page"]]["url"] == use["url"]
    assert {row["kind"] for row in pages.values()} == {"ok", "page_dead"}
    assert (report["citations"], report["words"] > 0) == (1, True)


def test_tasks_tell_what_they_are_held_against(run, tmp_path):
    export([run], tmp_path, ("tasks", "labels"))
    tasks = read(tmp_path, "tasks", "jsonl")
    assert [(row["number"], row["language"], row["checklist"]) for row in tasks] == [
        (1, "en", 0),
        (2, "zh", 1),
    ]
    labels = [
        (row["task"], row["label"], row["value"]) for row in read(tmp_path, "labels", "jsonl")
    ]
    assert labels == [("a", "domain", "law"), ("a", "language", "en"), ("b", "language", "zh")]


def test_tokens_are_null_where_nobody_counted_them(run, tmp_path):
    export([run], tmp_path, ("answers",))
    answered, failed = read(tmp_path, "answers", "jsonl")
    assert (answered["input"], answered["cached"], answered["output"]) == (5, 2, 0)
    assert (answered["cost"], answered["attempts"]) == (0.25, 1)
    assert (failed["input"], failed["cost"], failed["cause"]) == (None, None, "timeout")
    assert "text" not in answered


def test_types_hold_also_where_there_is_nothing(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    with RunFile.create(tmp_path / "empty.assay") as file:
        file.register({}, {}, {"a": {"id": "a", "prompt": "Why?"}}, [])
    export([tmp_path / "empty.assay"], tmp_path, format="parquet", texts=True)
    written = {
        "text": "string",
        "integer": "int64",
        "number": "double",
        "boolean": "bool",
        "time": "timestamp[us, tz=UTC]",
    }
    for table in TABLES:
        schema = parquet.read_schema(tmp_path / f"{table}.parquet")
        assert [(field.name, str(field.type)) for field in schema] == [
            (name, written[kind]) for name, kind in columns(table, texts=True)
        ]


def test_large_tables_are_written_in_groups(tmp_path, monkeypatch):
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr("deepassay.run.showing.output.GROUP_ROWS", 3)
    with FORMATS["parquet"](tmp_path / "t.parquet", [Column("n", ColumnKind.INTEGER)]) as file:
        for number in range(8):
            file.add((), [(number,)])
    found = parquet.ParquetFile(tmp_path / "t.parquet")
    assert found.num_row_groups == 3
    assert found.read().to_pylist() == [{"n": number} for number in range(8)]


@settings(deadline=None, max_examples=40)
@given(st.text(st.characters(codec=None), max_size=20))
def test_any_text_survives_csv_but_for_what_nothing_can_hold(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    with FORMATS["csv"](
        path, [Column("t", ColumnKind.TEXT), Column("n", ColumnKind.NUMBER)]
    ) as file:
        file.add((text,), [(1,)])
    with path.open(encoding="utf-8", newline="") as lines:
        written, number = list(csv.reader(lines))[1]
    assert (unguarded(written), number) == (fitting([text], ColumnKind.TEXT)[0], "1.0")


def test_a_table_in_csv_has_no_cell_that_a_spreadsheet_runs(tmp_path):
    path = tmp_path / "t.csv"
    with FORMATS["csv"](path, [Column("t", ColumnKind.TEXT), Column("n", ColumnKind.NUMBER)]) as f:
        f.add((), [('=HYPERLINK("http://a.example")', -1.5)])
    assert path.read_text().splitlines()[1] == '"\'=HYPERLINK(""http://a.example"")",-1.5'


def test_times_are_utc_and_what_names_none_is_null(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    with FORMATS["parquet"](tmp_path / "t.parquet", [Column("t", ColumnKind.TIME)]) as file:
        for text in ("2026-05-04T10:00:00Z", "2026-05-04T10:00:00+02:00", "yesterday", None):
            file.add((), [(text,)])
    ten, eight = (datetime(2026, 5, 4, hour, tzinfo=UTC) for hour in (10, 8))
    rows = parquet.read_table(tmp_path / "t.parquet").to_pylist()
    assert [row["t"] for row in rows] == [ten, eight, None, None]


def test_seconds_of_a_run_are_null_where_nobody_knows(tmp_path):
    took = {"auk": 9.0, "tern": 0.0, "ibis": 0.5}
    reports = [
        Report("# A", agent, "a", run=AgentRun("# A", "done", seconds=seconds))
        for agent, seconds in took.items()
    ]
    evaluate([Task(id="a", prompt="Why?")], reports, "presentation", run=tmp_path / "a.assay")
    with RunFile.read(tmp_path / "a.assay") as run:
        found = {row["agent"]: row["seconds"] for row in run_rows(run)}
    assert found == {"auk": 9.0, "tern": None, "ibis": 0.5}


def test_runs_of_one_name_are_told_apart_by_their_folders(run, tmp_path):
    other = tmp_path / "other" / "one.assay"
    with RunFile.create(other) as file:
        file.register({}, {}, {"z": {"id": "z", "prompt": "Why?"}}, [])
    export([run, other], tmp_path, ("tasks",))
    rows = read(tmp_path, "tasks", "jsonl")
    assert [row["run"] for row in rows] == [str(run), str(run), str(other)]


def test_a_single_table_may_have_a_file_of_its_own_name(run, tmp_path):
    export([run], tmp_path / "mine.csv", ("tasks",), "csv")
    assert (tmp_path / "mine.csv").exists()
    with pytest.raises(BadSetting, match="one file"):
        export([run], tmp_path / "all.csv", (), "csv")


def test_nothing_is_written_where_anything_is_refused(run, tmp_path):
    copy = tmp_path / "copy.assay"
    copy.write_bytes(run.read_bytes())
    out = tmp_path / "out"
    with pytest.raises(BadRunFile, match="same run"):
        export([run, copy], out)
    with pytest.raises(BadSetting, match="no table 'colours'"):
        export([run], out, ("tasks", "colours"))
    assert not out.exists() or list(out.iterdir()) == []
    out.mkdir(exist_ok=True)
    (out / "pages.jsonl").write_text("mine")
    with pytest.raises(BadSetting, match="is there already"):
        export([run], out)
    assert [each.name for each in out.iterdir()] == ["pages.jsonl"]
    export([run], out, force=True)
    assert len(list(out.iterdir())) == len(TABLES)


def test_parquet_without_its_library_is_named(run, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra) as missing:
        export([run], tmp_path / "out", ("tasks",), "parquet")
    assert "deepassay[parquet]" in str(missing.value)
    assert not (tmp_path / "out").exists()


def test_numbers_that_are_equal_and_are_spelled_otherwise_stay_what_they_are(tmp_path):
    path = tmp_path / "t.csv"
    numbers = (0.0, -0.0, 1, 1.0, True, None, 1e-7, 2**60)
    with FORMATS["csv"](
        path, [Column("n", ColumnKind.NUMBER), Column("i", ColumnKind.INTEGER)]
    ) as file:
        file.add((), [(number, number) for number in numbers])
    assert path.read_text().split()[1:] == [
        *("0.0,0", "-0.0,0", "1.0,1", "1.0,1", "1.0,1", ",", "1e-07,0"),
        "1.152921504606847e+18,1152921504606846976",
    ]


def test_rows_that_share_cells_are_as_if_each_had_its_own(tmp_path):
    named = [Column(name, ColumnKind.TEXT) for name in "abc"]
    for format in FORMATS:
        if format == "parquet":
            pytest.importorskip("pyarrow")
        with FORMATS[format](tmp_path / f"shared.{format}", named) as file:
            file.add(("x", '"'), [("1",), ("2",)])
            file.add(("y", None), [])
            file.add(("y", None), [("3",)])
        with FORMATS[format](tmp_path / f"own.{format}", named) as file:
            file.add((), [("x", '"', "1"), ("x", '"', "2"), ("y", None, "3")])
        one, other = ((tmp_path / f"{name}.{format}").read_bytes() for name in ("shared", "own"))
        assert one == other, format


def test_an_outcome_that_is_kept_whole_is_exported_as_it_is(run, tmp_path):
    place = ("presentation", "=heron", "b", 1, 0)
    kept = outcome(-0.0) | {"parts": {"P1": 10**30}}
    score = StoredScore("whole", *place, kept, IDENTITY, {"pages": {PAGE.url: PAGE.id}})
    with RunFile.create(run) as file:
        asyncio.run(file.keep_score(score))
    export([run], tmp_path, ("scores", "parts", "judgements", "page_uses"), "csv")
    rows = {
        table: (tmp_path / f"{table}.csv").read_text().splitlines()[-1].split(",")
        for table in ("scores", "parts", "judgements", "page_uses")
    }
    assert rows["scores"][7] == "-0.0"
    assert rows["parts"][-2:] == ['"P1"', "1e+30"]
    assert rows["judgements"][6:8] == ['"offline"', "-0.0"]
    assert rows["page_uses"][-1] == f'"{PAGE.id}"'
