"""What agents took, beside their scores."""

from __future__ import annotations

from deepassay.results.agents import agent_tables, run_totals
from deepassay.runfile import AgentRun, StoredRun


def run(agent, task, stop="done", **known):
    report = "# Report" if stop == "done" else None
    return StoredRun(agent, task, 1, AgentRun(report, stop, **known))


RUNS = [
    run("ibis", "a", seconds=60.0, cost=0.5, usage={"input_tokens": 900, "output_tokens": 100}),
    run("ibis", "b", "failed", seconds=120.0),
    run("heron", "a", seconds=30.0),
    run("crane", "a", record={"fallbacks": [{}, {}]}),
    run("crane", "b", record={"fallbacks": []}),
    run("ibis", "c"),
]


def test_what_nobody_knows_is_a_dash_and_no_zero():
    (table,) = agent_tables(run_totals(RUNS))
    assert table.rows == (
        ("crane", "2/2", "-", "-", "-", "2", "done 2"),
        ("heron", "1/1", "0.5", "-", "-", "-", "done 1"),
        ("ibis", "2/3", "1.5", "1,000", "0.50", "-", "done 2, failed 1"),
    )
    assert "not zero" in table.notes[0]


def test_rows_for_programs_have_null_where_nobody_knows():
    assert run_totals(RUNS)["heron"].row() == {
        "runs": 1,
        "reports": 1,
        "seconds": 30.0,
        "tokens": None,
        "cost": None,
        "cost_known": 0,
        "stops": {"done": 1},
        "fallbacks": None,
    }


def test_seconds_are_a_mean_over_runs_of_which_they_are_known():
    rows = {agent: own.row()["seconds"] for agent, own in run_totals(RUNS).items()}
    assert rows == {"crane": None, "heron": 30.0, "ibis": 90.0}


def test_without_runs_there_is_no_table():
    assert agent_tables(run_totals([])) == ()
