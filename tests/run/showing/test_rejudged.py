"""One set of reports by two judges: what is held against each other."""

from deepassay import Report, evaluate
from deepassay.results.migration import migrate
from deepassay.run.showing.revisions import rejudged

TASKS = [{"id": f"t{n}", "prompt": f"Why {n}?", "checklist": ["Is it so?"]} for n in range(4)]
REPORTS = [
    *(Report(f"# Why {n}\n\nIt is so.\n", "heron", f"t{n}") for n in range(4)),
    *(Report(f"# Because {n}\n\nIt was so.\n", "wren", f"t{n}") for n in range(2)),
    Report("", "owl", "t0"),
    Report("# Owl\n\nIt is so.\n", "owl", "t1"),
]


def test_a_report_that_neither_run_has_is_none_of_those_that_came_in(tmp_path):
    later = Report("# Later\n\nIt is so.\n", "owl", "t3")
    for name, reports in (("old", REPORTS), ("new", [*REPORTS, later])):
        evaluate(TASKS, reports, "coverage", run=tmp_path / name, date="2026-11-28")

    old, new, changed = rejudged(tmp_path / "old", tmp_path / "new")
    (found,) = migrate(old, new, None, changed)

    assert (found.reports, found.one_sided) == (7, 1)
    assert (found.joined.came, found.joined.matched) == (9, 7)
    assert [*found.joined.left_out()] == [
        "left out: owl on t0, scored by neither judge.",
        "left out: owl on t3, scored by the new judge only.",
    ]
