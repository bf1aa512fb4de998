"""The board and the search: what the run says stands there, sorted and filtered as asked."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from deepassay.results.judge_evidence import judge_evidence_kinds
from deepassay.results.known import KnownOfJudge
from deepassay.results.opening import said_first
from deepassay.results.ranking import rank
from deepassay.results.records import Judged
from deepassay.run.showing.reading import RunRecords
from deepassay.run.showing.records import Judgements
from deepassay.runfile import RunFile
from deepassay.score import Score, Signature
from deepassay.wings.view.board import Reports, Terms
from deepassay.wings.view.heat import read_heat_map
from deepassay.wings.view.links import ServedLinks
from deepassay.wings.view.page_templates import room_pages
from deepassay.wings.view.standing import agent_board, agent_boards
from deepassay.wings.view.words import query, set_apart, snippets
from tests.browser import Browser, needs_chromium
from tests.judging import verdicts
from tests.loopback import FakeJudge
from tests.wings.view.rooms import Visitor, demo_run, faults


def table(visitor: Visitor, **asked: str) -> list:
    return [*Reports(visitor.side).table(Terms.of(asked)).rows]


def test_means_intervals_and_ranks_of_agents_are_those_of_the_leaderboard(
    visitor: Visitor, demo: Path
) -> None:
    (board,) = agent_boards(visitor.room.paths, False)
    text = visitor.get("/").text
    for at, ranked in enumerate(rank(RunRecords([demo]))):
        assert board.protocols[at] == ranked.protocol
        for row in ranked.standings:
            (cell,) = (
                each.scores[at]
                for each in board.rows
                if (each.agent, each.mark) == (row.agent, row.mark)
            )
            assert float(cell.value) == pytest.approx(row.summary.mean, abs=0.06)
            assert cell.place == row.place
            assert f"{cell.value} {cell.interval}".strip() in text


def test_the_reference_of_a_protocol_has_one_row_with_its_scores_by_the_others(
    visitor: Visitor,
) -> None:
    (board,) = agent_boards(visitor.room.paths, False)
    assert sorted(row.agent for row in board.rows) == ["cuckoo", "heron", "magpie"]
    (heron,) = (row.scores for row in board.rows if row.agent == "heron")
    told = dict(zip(board.protocols, heron, strict=True))
    assert {name: cell.remark for name, cell in told.items() if cell.remark} == {
        "race": "reference"
    }


def test_where_code_alone_decides_nobody_is_named_as_a_judge(tmp_path: Path) -> None:
    found = Visitor([demo_run(tmp_path / "rules.assay", protocols=["surface"], limit=2)])
    assert "Judged by rules, without a model" in found.get("/").text
    report = next(each for each in found.get("/").links() if each.startswith("/report"))
    assert "judged by rules, without a model" in found.follow(report).text
    found.close()


def test_code_in_a_sentence_is_an_element_and_what_else_it_holds_is_text() -> None:
    page = room_pages(ServedLinks()).from_string("{{ said | coded }}")
    assert page.render(said="`a <b>` & `c`: <code>d</code>, `e") == (
        "<code>a &lt;b&gt;</code> &amp; <code>c</code>: &lt;code&gt;d&lt;/code&gt;, `e"
    )


def test_of_a_model_that_judged_the_board_says_that_its_errors_are_not_known(
    tmp_path: Path,
) -> None:
    with FakeJudge(verdicts) as judge:
        path = tmp_path / "run.assay"
        asked = {"judge": ["openai:good"], "base_url": judge.base_url, "allow_unpriced": True}
        found = Visitor([demo_run(path, protocols=["presentation", "surface"], limit=2, **asked)])
    told = "How often this judge errs is not known here"
    assert f"{told}: <code>deepassay calibrate</code> measures it." in found.get("/").html
    found.close()
    ranked = rank(RunRecords([path]))
    (kind,) = (each for each in judge_evidence_kinds() if each.name == "calibration")

    def known(boards: Any, records: Any, file: Path) -> Any:
        return tuple(board.knowing(KnownOfJudge("calibrated")) for board in boards)

    (board,) = agent_boards((path,), False, ((replace(kind, beside=known), path),))
    assert len(board.protocols) == len(ranked)
    assert [note for note in board.notes if told in note] == []
    assert any("calibrated" in note for note in board.notes)


def test_the_board_says_what_is_still_to_come_and_which_judge_of_a_panel_has_no_part(
    tmp_path: Path,
) -> None:
    prices = tmp_path / "prices.json"
    cost = {"input": 0, "output": 10_000}
    prices.write_text(json.dumps({"openai:good": cost, "openai:filtered": cost}), "utf-8")
    with FakeJudge(verdicts) as judge:
        path = demo_run(
            tmp_path / "run.assay", protocols=["presentation"],
            judge=["openai:good", "openai:filtered"], base_url=judge.base_url,
            prices=str(prices), max_output=100, budget=9.0, max_connections=1,
        )  # fmt: skip
    found = Visitor([path])
    shown, told = found.get("/").text, said_first(rank(RunRecords([path])), RunRecords([path]))
    assert told[0].startswith("Not finished: ")
    assert told[1].startswith("Not every score rests on the whole panel: openai:filtered has a")
    for sentence in told[:2]:
        assert sentence.replace("`", "") in shown
    found.close()


def test_runs_with_reports_in_common_have_a_board_each(both: Visitor) -> None:
    assert Reports(both.side).in_common()
    assert [board.run for board in agent_boards(both.room.paths, True)] == [1, 2]
    assert both.get("/").html.count('<table class="agents">') == 2


def test_every_report_is_in_the_table_worst_first(visitor: Visitor, demo: Path) -> None:
    rows = table(visitor)
    with RunFile.read(demo) as run:
        assert {row.at[1:] for row in rows} == {*run.report_places()}
        values: dict[tuple[str, str], list[float]] = {}
        for each in Judgements(run).every():
            if isinstance(each.outcome, Score):
                values.setdefault((each.protocol, each.agent), []).append(each.outcome.value)
    standings = [row.standing for row in rows]
    assert standings == sorted(standings)
    assert [rows[0].at.agent, rows[-1].at.agent] == ["cuckoo", "heron"]
    shown = [row.cells["coverage"].value for row in rows if row.at.agent == "cuckoo"]
    assert fmean(map(float, shown)) == pytest.approx(fmean(values["coverage", "cuckoo"]), abs=0.06)


def test_standing_is_the_share_of_reports_that_are_not_better_ties_halved(visitor: Visitor) -> None:
    values = visitor.side.rows("SELECT value, rank FROM scores WHERE protocol='presentation'")
    others = len(values) - 1
    for value, found in values:
        below = sum(other < value for other, _ in values)
        level = sum(other <= value for other, _ in values)
        assert found == pytest.approx((below / others + level / len(values)) / 2)


def test_protocols_that_the_offline_rule_cannot_read_are_no_part_of_standing(
    visitor: Visitor, demo: Path
) -> None:
    with RunFile.read(demo) as run:
        reads = {each.protocol: each.reads for each in Judgements(run).every()}
    assert {*reads.values()} == {True, False}
    for row in table(visitor):
        ranks = visitor.side.rows(
            "SELECT protocol, rank FROM scores s JOIN reports r ON r.id=s.report "
            "WHERE r.agent=? AND r.task=? AND rank IS NOT NULL",
            row.at.agent,
            row.at.task,
        )
        told = [rank for protocol, rank in ranks if reads[protocol]]
        assert row.standing == pytest.approx(fmean(told or [rank for _, rank in ranks]))


def test_the_reference_of_a_protocol_has_no_rank_among_the_scores_against_it(
    visitor: Visitor, tmp_path: Path
) -> None:
    found = visitor.side.rows(
        "SELECT r.agent, s.value, s.rank FROM scores s JOIN reports r ON r.id=s.report "
        "WHERE s.protocol='race'"
    )
    values = [value for agent, value, _ in found if agent != "heron"]
    assert (len(found), len(values)) == (18, 12)
    for agent, value, held in found:
        below, level = (sum(map(than, values)) for than in (value.__gt__, value.__ge__))
        expected = (below / 11 + level / 12) / 2
        assert held == (None if agent == "heron" else pytest.approx(expected))
    alone = Visitor([demo_run(tmp_path / "race.assay", protocols=["race"])])
    rows = table(alone)
    assert [row.standing is None for row in rows] == [False] * 12 + [True] * 6
    assert {row.at.agent for row in rows[12:]} == {"heron"}
    alone.close()


FILTERS = [
    ({"agent": "magpie"}, lambda row: row.at.agent == "magpie"),
    ({"task": "swift-boxes"}, lambda row: row.at.task == "swift-boxes"),
    ({"protocol": "fact", "most": "0.1"}, lambda row: float(row.cells["fact"].value) <= 0.1),
    ({"mode": "failed"}, lambda row: any(cell.cause for cell in row.cells.values())),
]


@pytest.mark.parametrize(("asked", "fits"), FILTERS)
def test_a_filter_leaves_what_fits_and_all_of_it(
    visitor: Visitor, asked: dict, fits: object
) -> None:
    found = {row.at for row in table(visitor, **asked)}
    assert found == {row.at for row in table(visitor) if fits(row)}  # type: ignore[operator]


def test_labels_judges_and_causes_can_be_chosen_and_change_what_is_shown(visitor: Visitor) -> None:
    choices = Reports(visitor.side).choices()
    assert choices["judge"] == ["offline"]
    assert len(table(visitor, judge="offline")) == 18
    assert not table(visitor, judge="another")
    label = next(each for each in choices["label"] if each.startswith("language"))
    assert 0 < len(table(visitor, label=label)) < 18


def test_what_is_asked_wrongly_is_passed_over(visitor: Visitor) -> None:
    odd = {"run": "x", "most": "much", "start": "-3", "sort": "'; DROP", "mode": "?", "turned": "z"}
    assert len(table(visitor, **odd)) == 18
    assert visitor.get("/", **odd).status == 200
    assert visitor.get("/", start="99999999").status == 200


@pytest.mark.parametrize("sort", ["agent", "task", "fact", "race"])
def test_each_column_sorts_both_ways(visitor: Visitor, sort: str) -> None:
    def keys(turned: str) -> list:
        rows = table(visitor, sort=sort, turned=turned)
        if sort in ("agent", "task"):
            return [getattr(row.at, sort) for row in rows]
        return [float(row.cells[sort].value) for row in rows]

    assert keys("") == sorted(keys(""))
    assert keys("1") == sorted(keys("1"), reverse=True)


def test_all_reports_that_fail_a_criterion_are_one_click_from_the_board(visitor: Visitor) -> None:
    found = visitor.get("/")
    (link, *_) = [each for each in found.links() if "criterion=" in each]
    failing = visitor.follow(link)
    count = int(re.search(r"<b>(\d+) of \d+</b>", found.html)[1])
    assert f"{count} report" in failing.text


def test_what_cost_a_report_most_beyond_others_is_in_its_row(visitor: Visitor) -> None:
    row = next(row for row in table(visitor) if row.at[1:3] == ("cuckoo", "repair-bonus"))
    protocol, key, _, cost, name = row.costly
    assert (protocol, key, cost) == ("coverage", "q2", "−12.5")
    assert f'id="{name}"' in visitor.get("/report", agent="cuckoo", task="repair-bonus").html


def test_two_runs_show_what_changed(both: Visitor) -> None:
    changed = {(row.at.run, *row.at[1:3]) for row in table(both, mode="changed")}
    assert {each[1:] for each in changed} == {
        ("cuckoo", "swift-boxes"),
        ("magpie", "compost-yard"),
        ("magpie", "terrace-heat"),
    } | {each[1:] for each in changed if each[2] in ("swift-boxes", "compost-yard", "terrace-heat")}
    assert len(table(both, run="2")) == 18


def test_the_map_has_the_mean_of_every_agent_on_every_task(visitor: Visitor) -> None:
    found = read_heat_map(visitor.side, "fact", 0, 0)
    cells = {
        (agent, task): cell
        for agent, _, own in found.rows
        for (task, _), cell in zip(found.tasks, own, strict=True)
    }
    assert len(cells) == 18
    for row in table(visitor):
        cell = cells[row.at.agent, row.at.task]
        assert cell.value == row.cells["fact"].value
    means = [float(mean) for _, mean in found.tasks]
    assert means == sorted(means)
    assert [agent for agent, *_ in found.rows] == ["heron", "magpie", "cuckoo"]


@pytest.mark.parametrize(("protocol", "digits"), [("fact", 4), ("presentation", 1)])
def test_means_of_the_map_are_written_as_its_cells_are(
    visitor: Visitor, protocol: str, digits: int
) -> None:
    found = read_heat_map(visitor.side, protocol, 0, 0)
    shown = [mean for _, mean in found.tasks] + [mean for _, mean, _ in found.rows]
    shown += [cell.value for *_, own in found.rows for cell in own if not isinstance(cell, str)]
    assert {len(each.partition(".")[2]) for each in shown} == {digits}


# ------------------------------------------------------------------ words


def test_east_asian_signs_are_found_singly_in_pairs_and_in_phrases() -> None:
    assert query("电梯 lift") == '"电  梯" AND "lift"*'
    assert query('"heat pumps"') == '"heat pumps"'
    assert query('NEAR( "" *** OR') == '"NEAR("* AND "OR"*'
    assert query("") == query("***") == ""
    assert " 电 " in set_apart("电梯")


@pytest.mark.parametrize(
    ("asked", "kind", "word"),
    [
        ("电梯", "report", "电梯"),
        ("梯", "report", "梯"),
        ("ground loop", "page", "loop"),
        ('"shared ground loop"', "report", "shared ground loop"),
        ("borehol", "report", "borehol"),
        ("words stand close", "finding", "stand"),
    ],
)
def test_words_are_found_with_the_text_around_them(
    visitor: Visitor, asked: str, kind: str, word: str
) -> None:
    found = visitor.get("/search", q=asked)
    hits = re.findall(r"<li>.*?</li>", found.html, re.S)
    own = [each for each in hits if f'<span class="kind">{kind}</span>' in each]
    assert own
    assert any(word.lower() in each.lower().partition("<mark")[2] for each in own)
    for link in [each for each in found.links() if each.startswith(("/report", "/page"))][:6]:
        assert visitor.follow(link).status == 200


@pytest.mark.parametrize(
    "asked", ['"', "NEAR(a b)", "a AND", "* *", "col:x", "-", "\x00", "é" * 900]
)
def test_no_words_are_an_error(visitor: Visitor, asked: str) -> None:
    assert visitor.get("/search", q=asked).status == 200
    assert visitor.get("/", q=asked).status == 200


def test_snippets_show_the_word_and_not_all_of_the_text() -> None:
    text = "a " * 500 + "The heat pumps are loud. " + "b " * 500
    (found,) = snippets(text, "heat pump")
    assert found.word.startswith("heat") or found.word.startswith("pump")
    assert len(found.before) < 120


def test_an_index_that_is_kept_is_gone_on_with_and_one_of_others_is_made_anew(
    demo: Path, later: Path, tmp_path: Path
) -> None:
    kept = tmp_path / "room.db"
    for runs in ([demo], [demo], [later], [demo, later]):
        visitor = Visitor(runs, index=kept)
        assert len(table(visitor)) == 18 * len(runs)
        assert len(visitor.side.rows("SELECT 1 FROM scores")) == 90 * len(runs)
        visitor.close()


def test_a_file_that_is_no_index_is_left_as_it_is(demo: Path, tmp_path: Path) -> None:
    from deepassay.errors import BadSetting

    for name, content in (("text", b"not a database at all" * 99), ("run", demo.read_bytes())):
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(BadSetting, match="index"):
            Visitor([demo], index=path)
        assert path.read_bytes() == content


@needs_chromium
def test_the_board_fits_every_screen_without_a_complaint(both_address: str) -> None:
    with Browser() as browser:
        for path in ("/", "/map?protocol=fact", "/search?q=电梯", "/?mode=changed"):
            browser.open(both_address + path)
            for width in (360, 1440, 2560):
                browser.screen(width, 900, dark=width == 1440)
                assert browser.run("document.documentElement.scrollWidth") <= width
                assert not faults(browser)
            assert len(browser.run("document.documentElement.outerHTML")) < 300_000


def test_a_row_of_a_mixed_board_is_of_one_recipe_throughout() -> None:
    recipes = {
        name: Signature({"protocol": "p", "judges": [{"model": name}]}) for name in ("one", "two")
    }
    scores = {"one": (10.0, 12.0, 11.0), "two": (90.0, 92.0, 91.0)}
    records = [
        Judged(protocol, agent, f"t{task}", 1, 0, {}, Score(value, (0, 100)), recipes[judge])
        # Which recipe comes first, and has the letter a, is not the same in both rankings.
        for protocol, judges in (("coverage", ("one", "two")), ("presentation", ("two", "one")))
        for agent, judge in zip(("aster", "birch"), judges, strict=True)
        for task, value in enumerate(scores[judge])
    ]
    records += [
        Judged(protocol, "cedar", f"t{task}", 1, 0, {}, Score(value, (0, 100)), recipes[judge])
        for protocol in ("coverage", "presentation")
        for judge, own in scores.items()
        for task, value in enumerate(own)
    ]
    board = agent_board(0, rank(records, allow_mixed=True))
    cedars = [row for row in board.rows if row.agent == "cedar"]
    assert sorted([cell and cell.value for cell in row.scores] for row in cedars) == [
        ["11.0", "11.0"],
        ["91.0", "91.0"],
    ]
    for row in cedars:
        (told,) = (note for note in board.notes if note.startswith(f"[{row.mark}]"))
        assert ("one" in told) == (row.scores[0] is not None and row.scores[0].value == "11.0")
