import asyncio
from dataclasses import replace

import pytest

from deepassay.reports.report import Report
from deepassay.results.leaderboard import write
from deepassay.results.ranking import rank
from deepassay.run.records import length_of, measure, records_of, without_addresses
from deepassay.runfile import RunFile, StoredReport, StoredScore
from deepassay.score import Cause, Score, Unscored, to_json

REPORT = """# Lifts

A lift saves power [1]. See [the maker](https://example.org/lifts?utm_source=x) too [2].

## References

1. A study. https://example.org/a-very-long-address/with/many/parts
2. Another. www.example.net/page
"""


def test_addresses_are_taken_out_and_everything_else_stays():
    bare = without_addresses(REPORT)
    assert "example" not in bare
    assert "[the maker]()" in bare
    assert "1. A study. \n" in bare
    assert len(REPORT) - len(bare) == sum(
        map(
            len,
            (
                "https://example.org/lifts?utm_source=x",
                "https://example.org/a-very-long-address/with/many/parts",
                "www.example.net/page",
            ),
        )
    )


def test_a_word_stands_between_blanks_and_each_chinese_character_is_one():
    assert length_of("two words").words == 2
    assert length_of("电梯 lift 节能").words == 5
    assert length_of("") == (0, 0, 0)


def test_a_report_is_measured_whole_and_bare_with_its_markers_and_references():
    found = measure(Report(REPORT, "heron", "1"), {"language": "en"})
    assert (found.citations, found.references) == (3, 2)
    assert found.whole.characters == len(REPORT)
    assert found.whole.words - found.bare.words == 2  # the third address was part of a link
    assert found.whole.tokens > found.bare.tokens


JUDGE = {"model": "offline"}
RUBRICS = {"protocol": "rubrics", "edition": "paper", "judges": [JUDGE, JUDGE], "repeats": 1}
COVERAGE = {"protocol": "coverage", "edition": "paper", "judges": [JUDGE], "repeats": 1}
TASKS = {name: {"id": name, "prompt": "Why?", "labels": {"domain": "law"}} for name in "abc"}


def graded(*verdicts):
    """A score of a rubric with a panel of two, who say the same."""
    items = [
        {
            "key": f"c{number}",
            "item": f"Names part {number}.",
            "axis": "Explicit Criteria",
            "weight": 4.0,
            "mandatory": number == 1,
            "score": float(verdict == "Satisfied"),
            "verdict": verdict,
            "justification": "So it stands there.",
        }
        for number, verdict in enumerate(verdicts, start=1)
    ]
    met = verdicts.count("Satisfied")
    alone = Score(met / len(verdicts), (0.0, 1.0), {"Explicit Criteria": 1.0}, (met, 2.0))
    kept = to_json(replace(alone, details={"items": items}))
    return to_json(replace(alone, details={"judges": {"one": kept, "other": kept}}))


@pytest.fixture
def run(tmp_path):
    """Two agents, three tasks: a report that was never written, a score that never came."""
    path = tmp_path / "run.assay"
    places = [("heron", "a"), ("heron", "b"), ("onyx", "a"), ("onyx", "b"), ("onyx", "c")]
    reports = [StoredReport(*place, 1, "# Because\n") for place in places]
    outcomes = [
        *(("rubrics", place, graded("Satisfied", "Not Satisfied")) for place in places[:3]),
        ("rubrics", places[3], to_json(Unscored(Cause.TIMEOUT, "too late"))),
        *(("coverage", place, to_json(Score(50.0, (0.0, 100.0)))) for place in places),
    ]
    identities = {"rubrics": RUBRICS, "coverage": COVERAGE}
    scores = [
        StoredScore(f"{name} {place}", name, *place, 1, 0, outcome, identities[name], {"v": "1"})
        for name, place, outcome in outcomes
    ]

    async def keep(file):
        await asyncio.gather(*map(file.keep_score, scores))

    with RunFile.create(path) as file:
        file.register({}, identities, TASKS, reports)
        asyncio.run(keep(file))
    return path


def test_rankings_and_their_tables_are_the_same_of_condensed_records(run):
    whole, condensed = (records_of([run], condensed=each) for each in (False, True))
    assert len(whole) == len(condensed) == 12
    for by in (None, "domain", "axis"):
        for format in ("json", "csv", "text"):
            tables = [write(rank(each, by), format, parts=True) for each in (whole, condensed)]
            assert tables[0] == tables[1]
    assert "mandatory and optional criteria" in tables[0]


def test_condensed_records_of_one_protocol_share_its_recipe(run):
    recipes = {id(each.signature) for each in records_of([run], condensed=True)}
    assert len(recipes) == 4  # also of what never came, of which there is no record
    assert [each.signature.record for each in records_of([run])][:2] == [{"v": "1"}] * 2
