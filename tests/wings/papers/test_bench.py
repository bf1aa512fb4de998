"""Tables of DeepResearch Bench on judgements by hand, and on published ones."""

from dataclasses import replace

import pytest

from deepassay.errors import BadInput
from deepassay.protocols.registry import ABLATIONS
from deepassay.results.families import Profile
from deepassay.results.lengths import Length, MeasuredReport
from deepassay.results.records import Judged
from deepassay.run.showing.boards import scores_of
from deepassay.score import Cause, Score, Signature, Unscored
from deepassay.wings.papers import bench, robustness
from deepassay.wings.papers.material import Given, PaperMaterial
from deepassay.wings.people.agreement.decisions import Decision, Decisions

PARTS = ("comprehensiveness", "insight", "instruction_following", "readability")


def race(agent, task, value, parts=(), protocol="race", judge="m", edition="paper"):
    recipe = Signature({"protocol": "race", "edition": edition, "judges": [{"model": judge}]})
    score = Score(value, (0.0, 1.0), dict(zip(PARTS, parts, strict=False)))
    return Judged(protocol, agent, task, 1, 0, {}, score, recipe)


def fact(agent, task, supported, unsupported, edition="paper"):
    counts = {"supported": supported, "unsupported": unsupported}
    counts["pairs"] = supported + unsupported
    protocol = "fact" if edition == "paper" else "fact(edition='code')"
    recipe = Signature({"protocol": "fact", "edition": edition, "judges": [{"model": "m"}]})
    score = Score(0.5, (0.0, 1.0), details={"counts": counts})
    return Judged(protocol, agent, task, 1, 0, {}, score, recipe)


def of(*records, **more):
    return PaperMaterial((Given("run", records),), **more)


def rows(table):
    return {row[0]: [cell.strip() for cell in row[1:]] for row in table.rows}


HERON = race("heron", "1", 0.5, (0.4, 0.5, 0.6, 0.7))
WREN = race("wren", "1", 0.45, (0.45, 0.4, 0.5, 0.6))


def test_table_1_has_race_and_fact_in_one_row_as_the_paper_prints_them():
    counted = [fact("heron", "1", 3, 1), fact("heron", "2", 0, 0)]
    counted += [fact("wren", "1", 4, 0), fact("wren", "2", 4, 0)]
    (table,) = bench.table1(of(HERON, WREN, *counted))
    assert table.head == (
        *("Model", "Overall", "Comp.", "Depth", "Inst.", "Read."), "C. Acc.", "E. Cit.",
    )  # fmt: skip
    # heron: accuracies .75 and 0 over both tasks; 3 supported statements over 2 tasks
    assert rows(table)["heron"] == [
        *("50.00**", "40.00*", "50.00**", "60.00**", "70.00**"), "37.50*", "1.50*",
    ]  # fmt: skip
    assert rows(table)["wren"][-2:] == ["100.00**", "4.00**"]
    assert any("equations 4 and 5" in note for note in table.notes)


def test_figures_of_the_released_program_are_named_as_such():
    counted = [fact("heron", "1", 3, 1, "code"), fact("heron", "2", 0, 0, "code")]
    (table,) = bench.table1(of(HERON, *counted))
    assert rows(table)["heron"][-2:] == ["75.00**", "3.00**"]
    assert any("as the released program does" in note for note in table.notes)


def test_what_was_not_judged_is_a_dash_with_its_reason():
    (table,) = bench.table1(of(HERON))
    assert rows(table)["heron"][-2:] == ["–", "–"]
    assert "– heron: nobody was judged by fact." in table.notes


def test_the_best_two_are_marked_within_each_family():
    profiles = {"heron": Profile("heron", "DRA"), "wren": Profile("wren", "search")}
    (table,) = bench.table1(of(HERON, WREN, profiles=profiles))
    assert [row[0] for row in table.rows] == ["DRA", "heron", "search", "wren"]
    assert rows(table)["wren"][0] == "45.00**"


def test_the_reference_is_named_and_never_the_best():
    reference = replace(race("kestrel", "1", 0.5, (0.5, 0.5, 0.5, 0.5)), is_reference=True)
    (table,) = bench.table1(of(replace(WREN), reference))
    assert rows(table)["kestrel (reference)"][0] == "50.00"
    assert rows(table)["wren"][0] == "45.00**"
    assert "RACE, without a place: kestrel (reference) (scored in 1/1 tasks)." in table.notes


def test_an_agent_without_a_family_is_refused():
    with pytest.raises(BadInput, match="wren"):
        bench.table1(of(HERON, WREN, profiles={"heron": Profile("heron", "DRA")}))


def test_judges_are_never_mixed_in_one_table():
    with pytest.raises(BadInput, match="not made by one recipe") as caught:
        bench.table1(of(HERON, replace(WREN, signature=Signature({"judges": [{"model": "n"}]}))))
    assert "--allow-mixed" not in caught.value.remedy


def test_a_variant_is_not_shown_as_race_while_there_are_several():
    vanilla = replace(HERON, protocol="race(vanilla=True)")
    static = replace(HERON, protocol="race(criteria='static')")
    (one,) = bench.table1(of(vanilla))
    assert any("race(vanilla=True)" in note for note in one.notes)
    with pytest.raises(BadInput):
        bench.table1(of(vanilla, static))


def test_published_rows_give_the_means_of_the_notes(shared):
    folder = shared / "data" / "bench"
    files = [folder / "race" / "claude-3-7-sonnet.jsonl", folder / "fact" / "dls.validated.jsonl"]
    (table,) = bench.table1(of(*scores_of(files)))
    claude = [cell.rstrip("*") for cell in rows(table)["claude-3-7-sonnet"]]
    assert claude == ["42.28", "41.30", "40.74", "46.23", "41.61", "–", "–"]
    dls = [cell.rstrip("*") for cell in rows(table)["dls"]]
    assert dls[-2:] == ["78.47", "56.50"]


PEOPLE = [
    Decision("", agent, task, rater, score=score)
    for task in ("1", "2")
    for rater in ("p", "q")
    for agent, score in (("heron", 8.0), ("wren", 6.0), ("lark", 3.0))
]
SCORED = {"heron": 0.6, "wren": 0.5, "lark": 0.4}


def under(protocol, judge="m", values=SCORED):
    return [
        race(agent, task, value, protocol=protocol, judge=judge)
        for agent, value in values.items()
        for task in ("1", "2")
    ]


def test_table_2_has_the_papers_rows_in_its_order():
    swapped = {"heron": 0.5, "wren": 0.6, "lark": 0.4}
    records = [*under("race"), *under("race(vanilla=True)", values=swapped)]
    (table,) = bench.table2(of(*records, decisions=Decisions(tuple(PEOPLE))))
    assert [row[0] for row in table.rows] == [*bench.METHODS, "Human Inter-Agreement"]
    found = rows(table)
    assert found["RACE(Full)"][0] == "100.00**"
    assert found["Vanilla Prompt"][0] == "66.67"  # 2 of 3 pairs are ordered as people order them
    assert found["- No Weights"] == ["–"] * 5
    assert found["Human Inter-Agreement"] == ["100.00", "–", "–", "–", "–"]
    lacking = "not judged by race(criteria_weights=False, dimension_weights=False)"
    assert f"– - No Weights: {lacking}." in table.notes


def test_the_rows_of_table_2_are_the_group_that_is_evaluated_for_it():
    assert set(bench.METHODS.values()) == set(ABLATIONS) - {"race(position='both')"}


def test_without_people_the_table_says_how_to_give_them():
    with pytest.raises(BadInput) as caught:
        bench.table2(of(*under("race")))
    assert "--human" in caught.value.remedy


def test_table_3_has_a_row_for_each_judge_with_the_cost_of_a_comparison():
    runs = (
        Given("a", under("race", "o3"), prices={("race/compare", "o3"): 0.375}),
        Given("b", under("race", "free"), prices={("race/compare", "free"): None}),
    )
    (table,) = bench.table3(PaperMaterial(runs, decisions=Decisions(tuple(PEOPLE))))
    assert table.head == (
        *("Judge LLM", "License", "PAR", "OPC", "FAP", "FAS", "Overall", "Cost ($)"),
    )
    found = rows(table)
    assert found["o3"][1] == "100.00"
    assert (found["o3"][-1], found["free"][-1]) == ("0.38", "–")
    assert "– cost of free: no price is known." in table.notes


def test_table_7_names_the_reference_and_gives_places():
    given = Given("run", (HERON, WREN), references=("kestrel",))
    (table,) = robustness.other_reference(7)(PaperMaterial((given,)))
    assert table.title.endswith("with kestrel as reference")
    assert table.head[1:] == ("Overall", "Comp.", "Insight", "Inst.", "Read.")
    assert rows(table)["wren"][0] == "45.00 (2nd)"


@pytest.mark.parametrize(
    ("number", "written"), [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"),
                            (12, "12th"), (21, "21st"), (113, "113th")]
)  # fmt: skip
def test_places_are_written_as_in_english(number, written):
    assert robustness.ordinal(number) == written


def report(agent, characters):
    length = Length(characters, characters // 6, characters // 4)
    return MeasuredReport(agent, "1", 1, {}, length, length, 0, 0)


def test_table_9_gives_lengths_by_the_shortest():
    lengths = [report("wren", 33_400), report("heron", 49_000)]
    (table,) = robustness.table9(of(HERON, WREN, reports=lengths))
    assert [row[:2] for row in table.rows] == [("wren", "33.4k"), ("heron", "49.0k (x1.47)")]


def test_table_9_holds_longer_versions_against_their_own_originals():
    names = "wren", "heron", "heron (expand)", "heron (expand 2)"
    records = [replace(HERON, agent=name) for name in names]
    lengths = [report(name, n) for name, n in zip(names, (100, 1000, 1500, 2200), strict=True)]
    (table,) = robustness.table9(of(*records, reports=lengths))
    assert [row[:2] for row in table.rows] == [
        ("heron", "1.0k"),
        ("heron (expand)", "1.5k (x1.50)"),
        ("heron (expand 2)", "2.2k (x2.20)"),
    ]


def test_table_10_puts_agents_across_and_judges_down():
    records = [*under("race", "gemini"), *under("race", "qwen", {"heron": 0.55, "wren": 0.35})]
    (table,) = robustness.table10(of(*records))
    assert table.head == ("Judge", "heron", "wren", "lark")
    assert rows(table) == {"gemini": ["60.00", "50.00", "40.00"], "qwen": ["55.00", "35.00", "–"]}
    assert "– lark: no score by qwen." in table.notes


def test_a_lost_judgement_is_counted_below_and_not_as_zero():
    lost = replace(HERON, task="2", outcome=Unscored(Cause.TIMEOUT, "late"))
    (table,) = bench.figure1(of(HERON, lost))
    assert rows(table)["heron"][0] == "50.00"  # no mark either: half of the tasks is too few
    assert any("heron 1/2" in note for note in table.notes)
