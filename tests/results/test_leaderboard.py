import csv
import io
import json
import subprocess
import sys
from dataclasses import replace

import pytest

from deepassay.results.leaderboard import FORMATS, write
from deepassay.results.ranking import rank
from deepassay.results.tables import width
from deepassay.score import Cause, Signature

from .judgements import RECIPE, make


@pytest.fixture
def records():
    return [
        make("heron", "a", 100, tally=(4.0, 4.0), parts={"Q1": 100.0}),
        make("heron", "b", 50, tally=(1.0, 2.0), parts={"Q1": 0.0}),
        make("苍鹭", "a", 25, tally=(1.0, 4.0), parts={"Q1": 100.0}),
        make("苍鹭", "b", Cause.JUDGE_REFUSED),
    ]


def test_a_table_for_people_says_what_it_rests_on(records):
    text = write(rank(records), wide=True)
    (heron,) = [line for line in text.splitlines() if "heron" in line]
    assert heron.split()[:9] == [
        "1",
        "heron",
        "75.0",
        "0.0",  # the t interval reaches beyond the range of the metric
        "to",
        "100.0",
        "75.0",
        "to",
        "75.0",
    ]
    assert heron.split()[9:] == ["2/2", "2/2", "83.3", "%"]
    assert "苍鹭" in text
    assert "12.5 to 62.5" in text
    assert "苍鹭: unscored judge_refused 1" in text
    assert "recipe: protocol:coverage|judges:model=offline|repeats:1" in text


def test_bounds_are_explained_also_where_all_is_scored(records):
    assert "bounds: the score if everything unscored" in write(rank(records[:2]), wide=True)


def test_the_offline_baseline_is_named_wherever_its_numbers_stand(records):
    for style in ("text", "markdown"):
        table = write(rank(records), style, wide=True)
        assert "coverage (offline baseline)" in table.replace("\\", "")
        assert "not comparable with any published figure" in table
    modelled = Signature({**RECIPE.identity, "judges": [{"model": "openai:x"}]})
    assert "offline" not in write(
        rank([replace(each, signature=modelled) for each in records]), wide=True
    )


def test_columns_line_up_where_characters_are_two_cells_wide(records):
    lines = write(rank(records), wide=True).splitlines()[4:8]
    rule = lines[1]
    ends = [i for i, char in enumerate(rule) if char == "─" and rule[i + 1 : i + 2] != "─"]
    for line in lines:
        assert width(line) == len(rule)
    assert len(ends) == 8


def test_several_protocols_get_one_table_with_a_column_each(records):
    both = records + [replace(each, protocol="presentation") for each in records]
    first = write(rank(both), wide=True)
    lines = first.splitlines()[2:]
    assert lines[0] == "All protocols (offline baseline)"
    assert lines[2].split() == ["agent", "coverage", "presentation"]
    assert "25.0 (1/2)" in first


def test_where_only_some_numbers_are_of_the_baseline_they_are_marked(records):
    modelled = Signature({**RECIPE.identity, "judges": [{"model": "openai:x"}]})
    other = [replace(each, protocol="presentation", signature=modelled) for each in records]
    lines = write(rank(records + other), wide=True).splitlines()[2:]
    assert lines[0] == "All protocols"
    assert "coverage (offline baseline)  presentation" in lines[2]


def test_parts_have_a_table_of_their_own_on_request(records):
    assert "Q1" not in write(rank(records), wide=True)
    tables = write(rank(records), parts=True).split("\n\n\n")[0]
    assert "coverage (offline baseline): parts" in tables
    heron = [line.split() for line in tables.splitlines() if line.startswith("heron")]
    assert heron == [["heron", "50.0"]]


def test_the_ten_pass_rates_stand_in_the_order_of_the_checks():
    parts = {f"P{n}": 100.0 * (n % 2) for n in range(1, 11)}
    text = write(rank([make("heron", "a", 50, parts=parts)]), parts=True)
    (head,) = [line for line in text.splitlines() if line.startswith("agent")]
    assert head.split() == ["agent", *(f"P{n}" for n in range(1, 11))]


def test_items_that_only_one_task_has_make_no_columns():
    items = {"a": {"a:Q1": 100.0}, "b": {"b:Q1": 0.0}}
    boards = rank([make("x", task, 50, parts=parts) for task, parts in items.items()])
    assert "Q1" not in write(boards, parts=True)
    assert "Q1" not in write(boards, "csv")
    assert set(json.loads(write(boards, "json"))[0]["standings"][0]["parts"]) == {"a:Q1", "b:Q1"}


def test_csv_keeps_every_number_unrounded(records):
    heron, other = csv.DictReader(io.StringIO(write(rank(records), "csv")))
    assert (heron["agent"], heron["mean"], heron["part:Q1"]) == ("heron", "75.0", "50.0")
    assert float(heron["pooled"]) == 5 / 6
    assert (other["bound_low"], other["bound_high"]) == ("12.5", "62.5")
    assert (other["judgements_scored"], other["judgements_expected"]) == ("1", "2")
    assert other["interval_low"] == ""


def test_json_holds_the_recipe_and_the_causes(records):
    (board,) = json.loads(write(rank(records), "json"))
    assert board["recipes"][0]["identity"] == RECIPE.identity
    assert board["standings"][1]["unscored"] == {"judge_refused": 1}
    assert board["standings"][0]["tasks"] == {"scored": 2, "expected": 2}
    assert board["offline_baseline"] is True
    assert board["tables"] == []


def test_a_mixed_table_says_so_and_what_differs():
    other = Signature({**RECIPE.identity, "repeats": 3})
    text = write(rank([make("x", "1", 1), make("y", "1", 2, recipe=other)], allow_mixed=True))
    assert "MIXED" in text
    assert "[a] repeats = 1" in text
    assert "[b] repeats = 3" in text
    assert "y [b]" in text


def test_the_overview_of_a_mixed_table_keeps_both_numbers_of_an_agent():
    other = Signature({**RECIPE.identity, "repeats": 3})
    records = [make("x", "1", 1), make("x", "1", 3, recipe=other)]
    records += [replace(each, protocol="presentation") for each in records]
    text = write(rank(records, allow_mixed=True))
    assert "3.0 [a], 1.0 [b]" in text.split("\n\n\n")[0]
    assert "[a] repeats = 3" in text


@pytest.mark.parametrize("style", FORMATS)
def test_names_from_strangers_cannot_command_the_terminal_or_the_page(style):
    table = write(rank([make("evil\x1b[2J\u202e|<b>\nx", "a", 1)]), style)
    assert "\x1b" not in table
    assert style != "text" or "\u202e" not in table
    assert style != "markdown" or "<b>" not in table.replace("\\<b\\>", "")


def test_importing_results_is_quick():
    code = "import sys, deepassay.results.leaderboard; print('scipy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_many_protocols_go_below_each_other_each_with_its_recipe(records):
    names = [f"race(option={number})" for number in range(6)]
    several = [
        replace(each, protocol=name, signature=Signature({**RECIPE.identity, "protocol": name}))
        for name in names
        for each in records
    ]
    lines = write(rank(several), wide=True).split("\n\n")[2].splitlines()
    assert lines[0].split() == ["protocol", "heron", "苍鹭", "recipe"]
    rows = lines[2:]
    assert [row.split()[0] for row in rows] == names
    assert len({row.split()[-1] for row in rows}) == len(names)
