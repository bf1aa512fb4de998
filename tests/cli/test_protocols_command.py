"""`deepassay protocols`: what there is, what each needs and asks."""

import json

import pytest

from deepassay.protocols.registry import PROTOCOLS


def test_every_protocol_is_listed_with_what_it_needs_and_asks(deepassay):
    done = deepassay("protocols", "--format", "json")
    rows = json.loads(done.stdout)
    assert {row["name"] for row in rows} == set(PROTOCOLS)
    assert [row["name"] for row in rows[:3]] == ["race", "rubrics", "coverage"]
    for row in rows:
        assert row["source"]
        assert row["asks"] != "not stated"


def test_the_list_fits_a_terminal_and_ends_with_the_groups(deepassay):
    lines = deepassay("protocols").stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert "bench: race, fact" in lines


def test_options_groups_and_files_are_told(deepassay, tmp_path):
    (tmp_path / "metric.yaml").write_text(
        "name: my_tone\nquestion: Is the tone even?\nscale: [0, 10]\n"
    )
    done = deepassay("protocols", "bench", "presentation(mechanical=True)", "metric.yaml")
    assert done.returncode == 0, done.stderr
    names = [line for line in done.stdout.splitlines() if line and not line.startswith(" ")]
    assert names == ["race", "fact", "presentation(mechanical=True)", "my_tone"]
    assert deepassay("protocols", "rase").returncode == 2


ONE_A_REPORT = ("presentation", "consistency", "coverage", "citation_association", "error_patterns")


@pytest.mark.parametrize(
    ("protocols", "calls"),
    [(ONE_A_REPORT, 5 * 18), (("race",), 12), (("depth",), 2 * 12), (("direct_rating",), 5 * 18)],
)
def test_what_is_said_of_calls_is_what_an_estimate_counts(deepassay, demo, protocols, calls):
    """18 reports; heron is reference and baseline, which leaves 12."""
    done = deepassay(
        *("estimate", demo / "tasks.jsonl", demo / "reports", "--judge", "openai:x"),
        *("--criteria", demo / "criteria.yaml", "--reference", "heron", "--baseline", "heron"),
        *(word for each in protocols for word in ("--protocol", each)),
    )
    assert f"{calls} questions" in done.stdout + done.stderr
