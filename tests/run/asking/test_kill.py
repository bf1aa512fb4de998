"""A run that is killed at any moment loses nothing, doubles nothing and resumes."""

from tests.run.kills import PROTOCOLS, exported, killed_and_resumed

KILLS = 4
"""`python -m benchmarks.kills` makes a hundred."""


def test_a_run_that_is_killed_loses_nothing_and_doubles_nothing(tmp_path):
    counts = killed_and_resumed(tmp_path, KILLS, tasks=1, seed=20261120)
    lines = exported(tmp_path / "undisturbed").splitlines()
    assert len(lines) == 3 * len(PROTOCOLS)  # of three agents
    # Most of the moments must have been inside a run, or this test would show nothing.
    assert counts["killed"] >= KILLS / 2, counts
    assert counts["sent back"] >= counts["calls"] / KILLS / 4, "many answers are unusable"
