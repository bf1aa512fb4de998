"""What is drawn are the numbers of the tables, and what is missing is said."""

from itertools import combinations

import numpy as np
import pytest

from deepassay.errors import BadInput, BadSetting
from deepassay.results.comparing import compare
from deepassay.results.differences import ComparisonTerms
from deepassay.results.figures.figure import Material, Omitted, file_name
from deepassay.results.figures.making import kinds, make_figures
from deepassay.results.figures.rendering import canvas_of
from deepassay.results.figures.style import short, wrapped
from deepassay.results.overview import OFFLINE_NOTE
from deepassay.results.ranking import rank
from deepassay.results.tables import width
from deepassay.score import Signature
from tests.results.judgements import RECIPE
from tests.results.judgements import make as judgement

from .materials import material

THREE = ("heron", "magpie", "cuckoo")


def one(kind, what):
    (figure,) = make_figures(what, [kind])
    return figure


def lines(figure, place=0):
    """The ends of all lines of axes, as points."""
    with canvas_of(figure) as canvas:
        axes = canvas.subfigs[1].axes[place]
        return [list(zip(*map(list, line.get_data()), strict=True)) for line in axes.lines]


def test_ranking_draws_means_and_intervals_of_the_leaderboard():
    what = material(THREE)
    (board,) = [each for each in what.boards if each.label is None]
    seen = lines(one("ranking", what))
    for place, row in enumerate(board.standings):
        low, high = row.summary.interval
        assert [(low, place), (high, place)] in seen
        assert [(row.summary.mean, place)] in seen


def test_differences_draw_what_compare_says():
    what = material(THREE)
    (contest,) = compare(what.records, None, ComparisonTerms())
    seen = lines(one("differences", what))
    assert len(contest.differences) == 3
    for place, each in enumerate(contest.differences):
        assert [(each.mean, place)] in seen
        assert [(each.interval.low, place), (each.interval.high, place)] in seen


def test_many_pairs_become_a_grid_of_the_same_differences():
    agents = tuple(f"agent {n}" for n in range(12))
    what = material(agents)
    (contest,) = compare(what.records, None, ComparisonTerms())
    figure = one("differences", what)
    order = [each.agent for each in contest.contestants]
    wanted = {frozenset((each.one, each.other)): each.mean for each in contest.differences}
    with canvas_of(figure) as canvas:
        cells = canvas.subfigs[1].axes[0].collections[0].get_array()
        for row, column in combinations(range(12), 2):
            mean = wanted[frozenset((order[row], order[column]))]
            assert cells[row, column - 1] == pytest.approx(mean)
    assert len(figure.table.rows) == 66


def test_a_single_agent_has_no_differences():
    assert one("differences", material(("heron",))) == Omitted(
        "differences-coverage", "no two agents have a score for the same task"
    )


def test_noise_draws_deviations_and_passes():
    what = material(THREE)
    (contest,) = compare(what.records, None, ComparisonTerms())
    figure = one("repeat-noise", what)
    with canvas_of(figure) as canvas:
        bars = [bar.get_width() for bar in canvas.subfigs[1].axes[0].patches]
    for each in contest.contestants:
        assert each.noise.judge in bars
        assert each.noise.observed in bars
    right = lines(figure, 1)
    for place, each in enumerate(contest.contestants):
        assert [(mean, place + 0.25) for mean in each.passes] in right


def test_noise_needs_repeats():
    omitted = one("repeat-noise", material(THREE, repeats=1))
    assert isinstance(omitted, Omitted)
    assert "--repeat" in omitted.why


def test_scores_by_label_are_those_of_its_boards():
    what = material(THREE)
    seen = [point for line in lines(one("scores-by-label", what)) for point in line]
    cuts = [board for board in what.boards if board.label is not None]
    assert len(cuts) == 3
    for board in cuts:
        for row in board.standings:
            assert any(x == row.summary.mean for x, _ in seen)


def test_many_agents_by_label_become_a_grid_with_every_mean():
    what = material(tuple(f"agent {n}" for n in range(9)))
    figure = one("scores-by-label", what)
    whole, *cuts = sorted(what.boards, key=lambda board: board.label or ("", ""))
    order = [row.agent for row in whole.standings]
    with canvas_of(figure) as canvas:
        cells = canvas.subfigs[1].axes[0].collections[0].get_array()
        for column, board in enumerate(cuts):
            for row in board.standings:
                assert cells[order.index(row.agent), column] == row.summary.mean


ALIKE = tuple(f"openai-deep-research-{much}-effort-with-web-tools" for much in ("little", "no"))


def test_agents_whose_names_are_alike_once_cut_short_have_marks_of_their_own():
    assert len(set(map(short, ALIKE))) == 1
    with canvas_of(one("scores-by-label", material(ALIKE))) as canvas:
        marks = [line for line in canvas.subfigs[1].axes[0].lines if len(line.get_xdata()) == 1]
        assert len(marks) == 6
        assert len({line.get_color() for line in marks}) == len(ALIKE)


def test_agents_whose_names_are_alike_once_cut_short_have_rows_of_their_own():
    what = material((*ALIKE, *(f"agent {n}" for n in range(8))))
    with canvas_of(one("scores-by-label", what)) as canvas:
        cells = canvas.subfigs[1].axes[0].collections[0].get_array()
        assert not np.ma.is_masked(cells)


def test_families_draw_the_mean_of_their_agents():
    what = material(THREE)
    (board,) = [each for each in what.boards if each.label is None]
    means = {row.agent: row.summary.mean for row in board.standings}
    xs = {x for line in lines(one("scores-by-family", what)) for x, _ in line}
    assert (means["heron"] + means["cuckoo"]) / 2 in xs
    assert set(means.values()) <= xs


def test_lengths_are_quartiles_with_addresses_and_without():
    what = material(("heron",))
    figure = one("lengths", what)
    tokens = [each.whole.tokens for each in what.reports]
    (_, _, kind, *five), bare = figure.table.rows
    assert kind == "with URLs"
    assert list(map(float, five)) == [round(q) for q in np.percentile(tokens, (0, 25, 50, 75, 100))]
    assert int(bare[5]) < int(five[2])


def test_score_against_length_draws_every_report():
    what = material(THREE)
    seen = sorted(point for line in lines(one("score-against-length", what)) for point in line)
    assert len(seen) == 18
    assert {x for x, _ in seen} == {float(each.whole.words) for each in what.reports}


def test_too_few_reports_and_no_reports_are_said():
    few = material(("heron",), tasks=2)
    assert "fewer than 3 reports" in one("score-against-length", few).why
    none = Material(few.records, few.boards)
    assert one("lengths", none).why == "the files hold scores, but no reports"


def test_what_is_missing_is_in_notes_and_caption():
    figure = one("ranking", material(THREE, missing=True))
    assert any("magpie 10/12" in note and "Hollow" in note for note in figure.table.notes)
    assert "magpie 10/12" in figure.caption
    assert one("ranking", material(THREE)).table.notes == ()


def test_the_offline_baseline_is_said_in_title_notes_and_caption():
    figure = one("ranking", material(THREE, recipe=RECIPE))
    assert "offline baseline" in figure.title
    assert OFFLINE_NOTE in figure.table.notes
    assert OFFLINE_NOTE in figure.caption


def test_a_mixed_ranking_is_marked_and_has_no_differences():
    other = Signature({"protocol": "coverage", "judges": [{"model": "b"}]})
    records = [
        judgement(agent, f"t{n}", 50 + n, recipe=recipe)
        for agent, recipe in (("heron", RECIPE), ("magpie", other))
        for n in range(4)
    ]
    with pytest.raises(BadInput, match="one recipe"):
        rank(records)
    what = Material(records, rank(records, allow_mixed=True))
    figure = one("ranking", what)
    assert any(note.startswith("MIXED") for note in figure.table.notes)
    assert {row[1] for row in figure.table.rows} == {"heron [a]", "magpie [b]"}
    assert "one recipe" in one("differences", what).why


def test_agents_without_a_family_are_refused():
    what = material(THREE)
    lacking = {name: each for name, each in what.profiles.items() if name != "cuckoo"}
    with pytest.raises(BadInput, match="cuckoo"):
        make_figures(Material(what.records, what.boards, profiles=lacking))


def test_an_unknown_kind_is_refused_with_those_that_there_are():
    with pytest.raises(BadSetting, match="repeat-noise"):
        make_figures(material(THREE), ["pie"])


def test_kinds_have_names_for_files():
    assert all(file_name(kind) == kind for kind in kinds())
    assert file_name("ranking", "race(reference=False)") == "ranking-race-reference-false"
    assert file_name("通义") == "figure"


@pytest.mark.parametrize("name", ["x" * 300, "深" * 300, "heron", "a b" * 40])
def test_long_names_are_cut_in_the_middle(name):
    cut = short(name)
    assert width(cut) <= 28
    assert cut[0] == name[0]
    assert cut[-1] == name[-1]


def test_wrapped_text_keeps_every_word_and_the_width():
    text = "one two three " + "深" * 50
    shown = wrapped(text, 20)
    assert all(width(line) <= 20 for line in shown.split("\n"))
    assert shown.replace("\n", "").replace(" ", "") == text.replace(" ", "")
