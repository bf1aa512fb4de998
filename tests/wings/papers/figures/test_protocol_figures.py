"""What the figures of single protocols draw is what can be counted by hand."""

from math import sqrt
from statistics import fmean
from xml.etree import ElementTree

import numpy as np
import pytest
from scipy import stats

from deepassay.results.figures.figure import Figure, Omitted
from deepassay.results.figures.making import make_figures
from deepassay.results.figures.rendering import as_svg, canvas_of
from deepassay.results.overview import OFFLINE_NOTE
from deepassay.score import Cause
from tests.results.rubrics import EXPLICIT, IMPLICIT, N, S, graded, rubric

from .judged import CHECKS, cited, compared, judged, key_points, material, passed, report
from .materials import HOSTILE

KINDS = (
    *("race-and-fact", "pass-rates", "win-rates", "rubric-failures", "rubric-importance"),
    *("rubric-strata", "key-points-against-cost"),
)
FOURTEEN = tuple(f"agent {n}" for n in range(14))


def one(kind, what):
    (figure,) = make_figures(what, [kind])
    return figure


def points(axes):
    """Every line of axes as its points."""
    return [list(zip(*map(list, line.get_data()), strict=True)) for line in axes.lines]


def has(seen, *wanted):
    return any(
        len(each) == len(wanted)
        and all(a == pytest.approx(b, abs=1e-9) for a, b in zip(each, wanted, strict=True))
        for each in seen
    )


def by_student(values):
    """The ends of a 95 % interval, by scipy.stats."""
    return stats.t.interval(0.95, len(values) - 1, fmean(values), stats.sem(values))


def contrast(one, other):
    """By WCAG 2.1, of colours as matplotlib has them."""

    def luminance(colour):
        parts = np.asarray(colour[:3])
        linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        return float(linear @ [0.2126, 0.7152, 0.0722])

    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


# ------------------------------------------------------------------ pass rates


def forms(agents, tasks=4):
    return [
        judged("presentation", agent, f"t{task}", passed(*CHECKS[: (place + task * 3) % 11]))
        for place, agent in enumerate(agents)
        for task in range(tasks)
    ]


@pytest.mark.parametrize("agents", [FOURTEEN, ("heron",)], ids=["fourteen", "one"])
def test_pass_rates_are_shares_of_tasks_printed_in_contrast(agents):
    from matplotlib.colors import to_rgba

    records = forms(agents)
    figure = one("pass-rates", material(records))
    with canvas_of(figure) as canvas:
        canvas.draw_without_rendering()  # the colours of cells are found on the way
        axes = canvas.subfigs[1].axes[0]
        names = [label.get_text() for label in axes.get_yticklabels()]
        mesh = axes.collections[0]
        texts = {text.get_position(): text for text in axes.texts}
        colours = mesh.get_facecolor().reshape(len(agents), 10, 4)
        assert sorted(names) == sorted(agents)
        for row, agent in enumerate(names):
            own = [each.outcome for each in records if each.agent == agent]
            for column, check in enumerate(CHECKS):
                rate = fmean(outcome.parts[check] for outcome in own)
                text = texts[column + 0.5, row + 0.5]
                assert mesh.get_array()[row, column] == pytest.approx(rate)
                assert text.get_text() == f"{rate:.1f}"
                assert contrast(colours[row, column], to_rgba(text.get_color())) > 4.5
                assert figure.table.rows[row][column + 1] == f"{rate:.1f}"


def test_pass_rates_say_what_is_missing_and_what_the_checks_ask():
    records = [*forms(("heron", "magpie")), judged("presentation", "heron", "t9", Cause.BUDGET)]
    figure = one("pass-rates", material(records))
    assert [row[-1] for row in figure.table.rows if row[0] == "heron"] == ["4/5"]
    assert any("heron 4/5" in note for note in figure.table.notes)
    assert "P10 asks for P10" in figure.caption


# ------------------------------------------------------------------ win rates


def wilson(wins, n, z=1.959963984540054):
    middle, share = n + z * z, wins / n
    half = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n)) * n / middle
    return (wins + z * z / 2) / middle - half, (wins + z * z / 2) / middle + half


def against(baseline, **winners):
    return [
        judged(f"depth(baseline='{baseline}')", agent, f"t{n}", compared(winner, baseline))
        for agent, own in winners.items()
        for n, winner in enumerate(own)
    ]


def test_win_rates_leave_ties_out():
    own, lost, tie = "own", "baseline", "tie"
    records = against("heron", magpie=[own, own, lost, tie], cuckoo=[lost, tie], wren=[tie, tie])
    figure = one("win-rates", material(records))
    with canvas_of(figure) as canvas:
        axes = canvas.subfigs[1].axes[0]
        names = [label.get_text() for label in axes.get_yticklabels()]
        seen, beside = points(axes), {text.xy[1]: text.get_text() for text in axes.texts}
    place = names.index("magpie")
    low, high = wilson(2, 3)
    assert has(seen, (100 * 2 / 3, place))
    assert has(seen, (100 * low, place), (100 * high, place))
    assert has(seen, (0.0, names.index("cuckoo")))
    assert not any(each[0][1] == names.index("wren") for each in seen if len(each) == 1)
    assert beside[place] == "2 / 1 / 1"
    assert figure.table.notes == ("No mark: nothing but ties.",)
    (row,) = (row for row in figure.table.rows if row[0] == "magpie")
    assert row[1:4] == ("66.7", f"{100 * low:.1f}", f"{100 * high:.1f}")
    assert row[4:] == ("2", "1", "1", "3", "4")


def test_several_baselines_make_one_grid_of_all_pairs():
    own, lost = "own", "baseline"
    records = [
        *against("heron", magpie=[own, lost, lost], cuckoo=[lost, lost]),
        *against("magpie", heron=[own, own, lost], cuckoo=[lost, lost]),
        *against("cuckoo", heron=[own, own], magpie=[own, own]),
    ]
    figure = one("win-rates", material(records))
    with canvas_of(figure) as canvas:
        axes = canvas.subfigs[1].axes[0]
        cells = np.ma.filled(axes.collections[0].get_array(), np.nan)
    third = 100 / 3
    wanted = [[np.nan, 2 * third, 100], [third, np.nan, 100], [0, 0, np.nan]]
    np.testing.assert_allclose(cells, wanted)  # heron, magpie, cuckoo: by all that they won
    assert len(figure.table.rows) == 6


# ------------------------------------------------------------------ RACE and FACT


def test_race_and_fact_draw_both_readings():
    race = {"heron": (0.5, 0.5, 0.5), "magpie": (0.41, 0.47, 0.44)}
    pairs = {"heron": ((8, 2), (3, 3), (0, 0)), "magpie": ((1, 3), (5, 0), (2, 2))}
    records = [
        judged("race", agent, f"t{n}", passed_value)
        for agent, values in race.items()
        for n, passed_value in enumerate(map(relative, values))
    ] + [
        judged("fact", agent, f"t{n}", cited(*own))
        for agent, each in pairs.items()
        for n, own in enumerate(each)
    ]
    figure = one("race-and-fact", material(records))
    with canvas_of(figure) as canvas:
        quality, accuracy, effective = (points(axes) for axes in canvas.subfigs[1].axes)
        names = [label.get_text() for label in canvas.subfigs[1].axes[0].get_yticklabels()]
    magpie = names.index("magpie")
    assert has(quality, (fmean(race["magpie"]), magpie))
    low, high = by_student(race["magpie"])
    assert has(quality, (low, magpie), (high, magpie))
    up, down = magpie - 0.1875, magpie + 0.1875
    assert has(accuracy, (fmean((0.25, 1.0, 0.5)), up))
    assert has(accuracy, (8 / 13, down))
    assert has(effective, (8 / 3, up))
    assert has(effective, (8 / 3, down))
    heron = names.index("heron") + 0.1875
    assert has(accuracy, (11 / 16, heron))
    assert has(effective, (11 / 2, heron))  # one report of three cites nothing


def relative(value):
    from deepassay.score import Score

    return Score(value, (0.0, 1.0))


def test_of_race_and_fact_the_one_that_was_not_scored_is_named():
    records = [
        judged("race", "heron", "t1", relative(0.5)),
        judged("fact", "heron", "t1", cited(0, 0, not_archived=4)),
    ]
    figure = one("race-and-fact", material(records))
    assert {row[1] for row in figure.table.rows} == {"RACE (overall)"}
    assert figure.table.notes == ("Not drawn: nothing was scored by fact.",)


# ------------------------------------------------------------------ key points


def test_key_points_stand_over_the_length_of_the_reports():
    rates = {"heron": ((0.8, 0.1), (0.6, 0.2)), "magpie": ((0.3, 0.0), (0.5, 0.1))}
    records = [
        judged("kae", agent, f"t{n}", key_points(*own))
        for agent, each in rates.items()
        for n, own in enumerate(each)
    ]
    reports = [report("heron", "t0", 900), report("heron", "t1", 1100), report("magpie", "t0", 500)]
    figure = one("key-points-against-cost", material(records, reports=reports))
    with canvas_of(figure) as canvas:
        support, conflict, omission = (points(axes) for axes in canvas.subfigs[1].axes)
    assert has(support, (1000.0, 0.7))
    assert has(conflict, (1000.0, 0.15))
    assert has(omission, (1000.0, 0.15))
    assert has(omission, (500.0, 0.55))
    assert [row[:3] for row in figure.table.rows] == [
        ("heron", "1000", "0.7000"),
        ("magpie", "500", "0.4000"),
    ]
    assert "the cost axis is ours" in figure.caption


def test_fourteen_agents_have_marks_of_their_own():
    records = [judged("kae", agent, "t", key_points(0.5, 0.1)) for agent in FOURTEEN]
    reports = [report(agent, "t", 100 + place) for place, agent in enumerate(FOURTEEN)]
    with canvas_of(one("key-points-against-cost", material(records, reports=reports))) as canvas:
        lines = canvas.subfigs[1].axes[0].lines
        assert len({(line.get_marker(), line.get_color()) for line in lines}) == 14


def test_without_lengths_there_are_no_key_points_against_cost():
    records = [judged("kae", "heron", "t1", key_points(0.5, 0.1))]
    omitted = one("key-points-against-cost", material(records))
    assert omitted == Omitted("key-points-against-cost", "the lengths of the reports are not known")


# ------------------------------------------------------------------ all of them


def everything(agents, judge="openai:good"):
    """Judgements by which every kind can be drawn, and the reports."""
    records = []
    for place, agent in enumerate(agents):
        for n in range(3):
            task = f"t{n}"
            for protocol, outcome in (
                ("presentation", passed(*CHECKS[: place % 10])),
                ("race", relative(0.5 - 0.01 * place)),
                ("fact", cited(3, 1 + place)),
                ("kae", key_points(0.5, 0.1)),
                ("depth(baseline='base')", compared("own" if n else "baseline", "base")),
            ):
                records.append(judged(protocol, agent, task, outcome, judge=judge))
            lines = ((EXPLICIT, 5, S), (IMPLICIT, 2, N), (IMPLICIT, -3, S))
            own = graded(agent, task, rubric(*lines), judge=judge, nesting=f"level {n}")
            records.append(own)
    reports = [report(agent, f"t{n}", 100 + n) for agent in agents for n in range(3)]
    return material(records, reports=reports)


def test_names_of_strangers_do_no_harm():
    figures = make_figures(everything(HOSTILE), KINDS)
    assert len(figures) == len(KINDS) + 1  # strata on two scales
    for figure in figures:
        assert isinstance(figure, Figure)
        text = as_svg(figure)
        tags = {element.tag.rpartition("}")[2] for element in ElementTree.fromstring(text).iter()}
        assert not tags & {"script", "a", "image", "foreignObject"}
        assert "\x1b" not in text


def test_the_offline_baseline_is_named_in_the_picture_and_the_caption():
    for figure in make_figures(everything(("heron", "magpie"), judge="offline"), KINDS):
        assert OFFLINE_NOTE in figure.table.notes
        assert OFFLINE_NOTE in figure.caption
        assert "offline baseline" in figure.title


def test_nothing_is_said_of_protocols_that_were_not_judged():
    assert make_figures(material([judged("coverage", "heron", "t1", relative(0.5))]), KINDS) == []


@pytest.mark.parametrize(
    ("protocol", "kinds"),
    [
        ("presentation", {"pass-rates"}),
        ("race", {"race-and-fact"}),
        ("kae", {"key-points-against-cost"}),
        ("rubrics", {"rubric-failures", "rubric-importance", "rubric-strata"}),
    ],
)
def test_what_was_never_scored_is_no_figure_but_a_reason(protocol, kinds):
    found = make_figures(material([judged(protocol, "heron", "t1", Cause.TIMEOUT)]), KINDS)
    assert {each.name for each in found} == kinds
    assert all(isinstance(each, Omitted) for each in found)
    assert {each.why for each in found} == {f"nothing was scored by {protocol}"}


def test_unequal_recipes_are_not_drawn_together():
    from deepassay.results.figures.figure import Material
    from deepassay.results.ranking import rank

    records = [
        judged("presentation", "heron", "t1", passed("P1")),
        judged("presentation", "magpie", "t1", passed("P2"), judge="openai:other"),
    ]
    mixed = Material(records, rank(records, allow_mixed=True))
    why = "the scores of presentation were not made by one recipe"
    assert make_figures(mixed, KINDS) == [Omitted("pass-rates", why)]
