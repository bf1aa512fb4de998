"""From what judges said to an audit, by hand; and the audit as tables and beside scores."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import numpy as np
import pytest

from deepassay.errors import BadInput
from deepassay.results.evidence import reading_of
from deepassay.results.known import why_not_trusted
from deepassay.results.leaderboard import write as write_board
from deepassay.results.ranking import rank
from deepassay.score import Cause, Direction, Metric, Score, Signature, Unscored, to_json
from deepassay.wings.trials.auditing.arithmetic import (
    PairedMetrics,
    first_place,
    judged_together,
    judgement_noise,
    measured_row,
    own_family,
    slope,
)
from deepassay.wings.trials.auditing.audit_file import AuditFile, AuditRow, Bias, base_of
from deepassay.wings.trials.auditing.board_notices import rankings_with_audit
from deepassay.wings.trials.auditing.design import AuditDesign, ChangedSpot, Copy
from deepassay.wings.trials.auditing.measures import AuditMeasures, JudgeVerdicts, audited
from deepassay.wings.trials.auditing.sentences import sentence_of
from deepassay.wings.trials.auditing.tables import write
from tests.results.judgements import RECIPE, make, unfolded

TASKS = tuple(f"t{at}" for at in range(8))
IDENTITY = {**RECIPE.identity, "prompts": "abc", "repeats": 1, "date": "2026-05-04"}


def empty(expects=Direction.LOWER, **given):
    row = {"metric": "score", "perturbation": "x", "found": "xs", "reports": 8, "applied": 8}
    return AuditRow(**row | {"expects": expects, "judged": 8} | given)


def pairs(before, after):
    return PairedMetrics(
        np.array(before, dtype=float), np.array(after, dtype=float), TASKS[: len(before)]
    )


TWINS = pairs([50, 50, 50, 50, 50, 50, 50, 50], [51, 49, 50, 51, 50, 49, 50, 50])


@pytest.mark.parametrize(
    ("expects", "after", "verdict"),
    [
        ("lower", [40, 41, 39, 40, 42, 38, 40, 41], "noticed"),
        ("lower", [60, 61, 59, 60, 62, 58, 60, 61], "misread"),
        ("lower", [49, 51, 50, 50, 51, 49, 50, 50], "not shown"),
        ("higher", [60, 61, 59, 60, 62, 58, 60, 61], "noticed"),
        ("same", [50, 50, 50, 50, 50, 50, 50, 50], "equal"),
        ("same", [40, 41, 39, 40, 42, 38, 40, 41], "moved"),
        ("same", [20, 90, 50, 70, 30, 40, 60, 80], "open"),
        ("not higher", [40, 41, 39, 40, 42, 38, 40, 41], "no gain"),
        ("not higher", [60, 61, 59, 60, 62, 58, 60, 61], "gained"),
        ("not higher", [20, 90, 50, 70, 30, 40, 60, 80], "open"),
    ],
)
def test_a_change_has_one_of_nine_ends(expects, after, verdict):
    row = measured_row(empty(Direction(expects)), pairs([50] * 8, after), TWINS, margin=1.0)
    ((told,), _) = judged_together([row], [])
    assert told.verdict == verdict


def test_a_row_has_every_figure():
    row = measured_row(
        empty(), pairs([50] * 8, [40, 40, 40, 40, 40, 50, 50, 60]), TWINS, margin=1.0
    )
    assert (row.fell, row.rose, row.right) == (5, 1, 0.625)
    assert row.mean == -5.0
    assert row.standout is not None
    assert (row.standout.found, row.standout.of, row.standout.false_alarm) == (5, 8, 0.0)
    assert row.p == pytest.approx(14 / 64)  # 0 or 1 of 6 coins, either way
    assert row.area == pytest.approx((5 * 8 + 2 * (2 + 4 * 0.5)) / 64)


def test_praise_and_blame_are_adjusted_apart():
    strong, weak = empty(p=0.01), empty(p=0.02)
    blame = empty(Direction.SAME, p=0.02, mean=1.0)
    bias = Bias(kind="place", n=8, value=1.0, interval=None, p=0.03)
    (first, second, third), (told,) = judged_together([strong, weak, blame], [bias])
    assert [first.adjusted, second.adjusted] == [0.02, 0.02]
    assert [third.adjusted, told.adjusted] == [0.04, 0.04]


def test_paddings_are_one_test_and_say_at_which_length_where_the_slope_is_shown():
    def told(slope, *metrics):
        rows = [
            empty(Direction.NOT_HIGHER, perturbation=name, metric=metric, p=p, mean=1.0, judged=8)
            for metric in metrics
            for name, p in (("pad-25", 0.2), ("pad-50", 0.03), ("pad-100", 0.001))
        ]
        other = empty(Direction.SAME, p=0.02, mean=1.0)
        length = Bias(kind="length", n=8, value=1.0, interval=None, p=slope)
        return judged_together([*rows, other], [length])

    (*rows, other), (length,) = told(0.01, "score")
    assert (other.adjusted, length.adjusted) == (0.02, 0.02), "two tests, and not five"
    assert [row.adjusted for row in rows] == [0.2, 0.03, 0.02]
    assert [row.verdict for row in rows] == ["open", "gained", "gained"]
    (*rows, _), _ = told(0.2, "score")
    assert {row.verdict for row in rows} == {"open"}, "not shown by the slope"
    (*rows, _), _ = told(0.2, "clarity")
    assert [row.adjusted for row in rows] == [0.4, 0.09, 0.005], "nothing stands for these"


def test_a_slope_is_points_for_each_doubling():
    assert slope([0, 1, 2], [5.0, 6.0, 7.0]) == pytest.approx(1.0)
    assert slope([0.0], [5.0]) is None


def test_flips_without_a_side_are_no_preference():
    flips = [(True, False), (False, True)] * 6 + [(True, True)] * 30
    found = first_place(flips)
    assert found is not None
    assert (found.value, found.flips, found.n, found.p) == (0.5, 12, 42, 1.0)
    leaning = first_place([(True, False)] * 10 + [(None, True)])
    assert leaning is not None
    assert leaning.value == 1.0 and leaning.p == pytest.approx(2**-10)
    assert first_place([(None, True)]) is None


def test_one_judgement_is_noisier_than_the_mean_of_several():
    before, again = np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.5, 2.5, 2.5, 4.0])
    once, thrice = judgement_noise(before, again, 1), judgement_noise(before, again, 3)
    assert once is not None and thrice is not None
    assert once.one == once.of_k
    assert thrice.deviation == pytest.approx(once.deviation * 3**0.5)
    assert thrice.one is not None and thrice.of_k is not None
    assert thrice.of_k == pytest.approx(3 * thrice.one / (1 + 2 * thrice.one))


def test_better_reports_of_the_own_family_are_no_bias():
    ours = {
        (agent, task): 9.0 if agent == "own" else 1.0 for agent in ("own", "x") for task in TASKS
    }
    theirs = {place: value - 1 for place, value in ours.items()}
    found = own_family(ours, theirs, frozenset({"own"}), 0.01)
    assert found is not None and found.value == 0.0 and found.p == 1.0
    assert own_family(ours, theirs, frozenset({"nobody"}), 0.01) is None


# ------------------------------------------------------------------ from records


def issues(*lines):
    items = [
        {"key": f"i{at}", "item": "x", "places": [{"line": line, "column": 1, "message": ""}]}
        for at, line in enumerate(lines)
    ]
    return Score(50.0 - len(lines), (0.0, 100.0), details={"issues": len(lines), "items": items})


def records(after, before=None):
    """Eight reports that scored 49 and 49 again, if nothing else is said, and one copy of each."""
    twice = [(task, repeat) for task in TASKS for repeat in range(2)]
    before = before or issues(9)
    originals = [make("heron", task, before, repeat=repeat) for task, repeat in twice]
    return originals + [
        make("heron+x", task, value) for task, value in zip(TASKS, after, strict=True)
    ]


def tried(after, before=None):
    """The audit of these."""
    originals = [("heron", task, 1) for task in TASKS]
    copies = [
        Copy(place, "x", after=ChangedSpot(((3, 4),)), before=ChangedSpot(((2, 2),)))
        for place in originals
    ]
    effects = {"coverage": {"score": {"x": Direction.LOWER}}}
    design = AuditDesign(originals, copies, {"x": "crossed sections"}, effects)
    (found,) = audited(records(after, before), design, {"coverage": IDENTITY})
    return found


def test_a_fault_points_to_the_change_where_there_was_none_before():
    found = tried([issues(3, 9)] * 5 + [issues(7, 9)] * 3)
    (row,) = found.rows
    assert row.located is not None
    assert (row.located.found, row.located.of, row.located.before) == (5, 8, 0)
    assert row.verdict == "noticed"
    assert "100 % (95 % interval 68 to 100 %) of crossed sections" in found.sentence


def test_a_fault_that_comes_without_the_change_when_asked_again_stands_beside_those_that_point():
    places = [("heron", task, 1) for task in TASKS]
    again = [issues(2)] * 3 + [issues(9)] * 5  # the changed words stand in line 2
    judged = [make("heron", task, issues(9)) for task in TASKS]
    judged += [make("heron", task, it, repeat=1) for task, it in zip(TASKS, again, strict=True)]
    judged += [make("heron+x", task, issues(3)) for task in TASKS[:4]]
    judged += [make("heron+x", task, issues(9)) for task in TASKS[4:]]
    copies = [
        Copy(at, "x", after=ChangedSpot(((3, 4),)), before=ChangedSpot(((2, 2),))) for at in places
    ]
    effects = {"coverage": {"score": {"x": Direction.LOWER}}}
    (found,) = audited(
        judged, AuditDesign(places, copies, {"x": "xs"}, effects), {"coverage": IDENTITY}
    )
    one = AuditFile(version="1", date="", seed=1, quick=False, texts="0", judges=(found,))
    assert "  4/8 (3)  " in write(one, "text")


def test_what_was_not_scored_is_counted_and_in_no_figure():
    found = tried([issues(3, 9)] * 6 + [Cause.TIMEOUT] * 2)
    (row,) = found.rows
    assert (row.applied, row.judged, found.unscored) == (8, 6, 2)


def test_without_a_score_nothing_is_said():
    found = tried([Cause.TIMEOUT] * 8)
    assert found.rows[0].verdict == "-"
    assert found.sentence.endswith("nothing was scored: 8 timeout (why).")


def test_without_a_score_it_is_said_once_why(file):
    nothing = Unscored(Cause.MISSING_INPUT, "Task t0 has no checklist.")
    lacking = tried([nothing] * 8, nothing)
    why = "nothing was scored: 16 missing_input (Task t0 has no checklist)."
    assert lacking.sentence.endswith(why)
    page = unfolded(write(file.model_copy(update={"judges": (lacking,)}), "text"))
    assert page.count("Task t0 has no checklist") == 1 and "crossed" not in page and "–" not in page


def test_a_part_that_no_score_has_is_named():
    copies = [Copy(("heron", task, 1), "x") for task in TASKS]
    effects = {"coverage": {"score": {"x": Direction.LOWER}, "clarty": {"x": Direction.SAME}}}
    design = AuditDesign([each.of for each in copies], copies, {"x": "xs"}, effects)
    (found,) = audited(records([issues(3)] * 8), design, {"coverage": IDENTITY})
    one = AuditFile(version="1", date="", seed=1, quick=False, texts="0", judges=(found,))
    assert "in no score: clarty." in write(one, "text")


def bounded(first, again, after, expects):
    """The audit of originals with these scores out of 0 to 100, and of a copy of each."""
    places = [("heron", f"t{at}", 1) for at in range(len(first))]
    made = [
        make(agent, task, value, repeat=repeat)
        for agent, repeat, values in (
            ("heron", 0, first),
            ("heron", 1, again),
            ("heron+x", 0, after),
        )
        for (_, task, _), value in zip(places, values, strict=True)
    ]
    metric = Metric("coverage", bounds=(0.0, 100.0))
    effects = {"coverage": {"score": {"x": expects}}}
    design = AuditDesign(places, [Copy(each, "x") for each in places], {"x": "xs"}, effects)
    judged = [replace(each, metric=metric) for each in made]
    (found,) = audited(judged, design, {"coverage": IDENTITY})
    return found


@pytest.mark.parametrize(
    ("expects", "judged", "no_room"),
    [(Direction.LOWER, 3, 2), (Direction.HIGHER, 3, 2), (Direction.NOT_HIGHER, 5, 0)],
)
def test_a_score_at_the_end_of_its_scale_is_no_trial_of_what_must_move(expects, judged, no_room):
    before, after = [0, 0, 50, 100, 100], [0, 10, 40, 90, 100]
    (row,) = bounded(before, before, after, expects).rows
    assert (row.applied, row.judged, row.no_room) == (5, judged, no_room)


def test_the_sentence_says_whose_score_could_not_fall():
    some = bounded([0, 0, 50, 60], [0, 0, 50, 60], [0, 0, 50, 20], Direction.LOWER).sentence
    assert "50 % (95 % interval 9 to 91 %) of xs (but for 2 whose score could not fall)" in some
    none = bounded([0] * 8, [0] * 8, [0] * 8, Direction.LOWER).sentence
    assert none.endswith("nothing that it must notice could be tried, since no score could fall.")
    rows = empty(judged=0), empty(Direction.SAME, p=0.5, mean=0.0)
    unscored = sentence_of(tried([issues(3)] * 8).model_copy(update={"rows": rows}))
    assert "nothing that it must notice could be tried; of the one thing that must not" in unscored


def test_a_blind_judge_whose_scores_are_often_the_lowest_is_not_said_to_notice():
    random = np.random.default_rng(1)
    told = [
        bounded(*random.choice([0, 50, 100], (3, 60), p=[0.5, 0.3, 0.2]).tolist(), Direction.LOWER)
        for _ in range(10)
    ]
    assert sum(each.rows[0].verdict != "not shown" for each in told) <= 1
    assert np.mean([each.rows[0].area for each in told]) == pytest.approx(0.5, abs=0.06)


def test_those_at_the_end_of_their_scale_do_not_make_noise_look_small():
    first, again = [0] * 90 + [50] * 10, [0] * 90 + [30, 70] * 5
    (row,) = bounded(first, again, first, Direction.LOWER).rows
    assert row.standout is not None and row.standout.band == pytest.approx(20)


@pytest.mark.parametrize(
    ("copy", "expects", "counts"),
    [
        ({"left": True}, Direction.SAME, {"cleans": False, "reads": True, "neither": True}),
        ({"on_sources": False}, Direction.LOWER, {"cleans": True, "reads": False, "neither": True}),
        ({"on_sources": False}, Direction.SAME, {"cleans": True, "reads": True, "neither": True}),
    ],
)
def test_a_copy_is_a_trial_of_who_can_see_its_change(copy, expects, counts):
    design = AuditDesign(
        [], [], {}, {}, cleaning=frozenset({"cleans"}), reading=frozenset({"reads"})
    )
    heard = {
        name: AuditMeasures(name, "x", design, JudgeVerdicts(design, {}), None, {}, None)
        for name in counts
    }
    made = Copy(("heron", "t0", 1), "dead-url", **copy)
    assert {name: each.counts(made, expects) for name, each in heard.items()} == counts


def test_a_statement_that_is_not_supported_points_to_itself():
    items = [{"key": "s1", "item": "It rains.", "score": 0, "url": "https://a.example"}]
    outcome = reading_of(Score(0.0, (0.0, 1.0), details={"items": items}))
    assert ChangedSpot(statements=frozenset({"It rains."})).is_touched(outcome)
    items[0]["score"] = 1
    assert not ChangedSpot(statements=frozenset({"It rains."})).is_touched(outcome)


def test_a_judge_of_a_panel_favours_its_own_family_beyond_what_the_other_gives():
    def panel(agent, task, repeat):
        at = TASKS.index(task)
        marks = {"one": 50.0 + at + 5 * (agent == "heron") + at % 2, "two": 50.0 + at}
        each = {name: to_json(Score(mark, (0.0, 100.0))) for name, mark in marks.items()}
        score = Score(sum(marks.values()) / 2, (0.0, 100.0), details={"judges": each})
        return make(agent, task, score, repeat=repeat)

    agents = ("heron", "crow")
    records = [
        panel(agent, task, repeat) for agent in agents for task in TASKS for repeat in (0, 1)
    ]
    design = AuditDesign(
        [(agent, task, 1) for agent in agents for task in TASKS],
        [],
        {},
        {"coverage": {"score": {}}},
        families={"heron": "birds", "crow": "others"},
        own={"one": "birds", "two": "others"},
    )
    judges = [{"model": "one"}, {"model": "two"}]
    together, one, two = audited(records, design, {"coverage": {**IDENTITY, "judges": judges}})
    assert [each.judge for each in (together, one, two)] == ["one + two", "one", "two"]
    assert one.identity["judges"] == [{"model": "one"}]
    (found,), (other,) = one.biases, two.biases
    assert (found.kind, found.value, found.shown) == ("family", 5.0, True)
    assert other.value == 5.0, "what it gives its own beyond the other is the same gap"
    assert together.biases == ()
    assert "it gives its own family +5.000 (throughout) more than other judges do" in one.sentence


def padded(direction, change, part=0.0):
    """Eight reports, copies that are twice as long, and a part that moves with every copy."""
    originals = [("heron", task, 1) for task in TASKS]
    records = [
        make(
            "heron+pad-100" if copy else "heron",
            task,
            whole(50 + copy * change + at % 2 / 9, 50 + part * copy),
            repeat=repeat,
        )
        for at, task in enumerate(TASKS)
        for copy, repeat in ((0, 0), (0, 1), (1, 0))
    ]
    effects = {"score": {"pad": direction}, "clarity": {"pad": Direction.SAME}}
    copies = [Copy(place, "pad-100", doublings=1.0) for place in originals]
    design = AuditDesign(originals, copies, {"pad-100": "padding"}, {"coverage": effects})
    (found,) = audited(records, design, {"coverage": IDENTITY})
    return found


def whole(value, part):
    return Score(value, (0.0, 100.0), parts={"clarity": part})


@pytest.mark.parametrize(
    ("direction", "change", "shown"),
    [
        (Direction.NOT_HIGHER, -5, False),  # filler may cost something
        (Direction.NOT_HIGHER, 5, True),
        (Direction.SAME, -5, True),
    ],
)
def test_length_is_a_fault_where_padding_must_not_move_the_score(direction, change, shown):
    length, _ = padded(direction, change).biases
    assert (length.kind, length.value, length.shown) == ("length", pytest.approx(change), shown)


def test_the_sentence_counts_what_must_not_move_the_score_and_names_a_part_that_moved():
    steady, moved = (padded(Direction.NOT_HIGHER, -5, part) for part in (0.0, 10.0))
    assert [row.verdict for row in steady.rows] == ["no gain", "equal"]
    told = "of 2 things that must not matter none moves it by 1 % of the span or more"
    assert told in steady.sentence
    assert [row.verdict for row in moved.rows] == ["no gain", "moved"]
    told = (
        "it gives +10.000 (throughout) in clarity for each doubling of length by empty sentences."
    )
    assert moved.sentence.endswith(told)


def test_a_gain_by_padding_is_told_where_the_slope_is_too_small_to_be_shown():
    rows = [empty(Direction.NOT_HIGHER, perturbation="pad-25", found="padding", p=0.001, mean=2.0)]
    for equal, told in ((0.9, "it gives +1.000"), (0.01, "padding gain +2.000")):
        length = Bias(kind="length", n=8, value=1.0, interval=None, p=0.001, equal=equal)
        judged, biases = judged_together(rows, [length])
        found = tried([issues(3)] * 8).model_copy(update={"rows": judged, "biases": biases})
        (one,) = sentence_of(found).partition(": ")[2].split("; ")
        assert one.startswith(told)


def test_a_change_that_a_part_takes_for_better_is_in_the_sentence():
    row = empty(
        Direction.LOWER, metric="readability", found="stripped headings", mean=2.0, rose=8, p=0.01
    )
    ((told,), _) = judged_together([row], [])
    audit = tried([issues(3)] * 8).model_copy(update={"rows": (told,)})
    assert sentence_of(audit).endswith(
        ": stripped headings are taken for better, +2.000 (throughout) in readability."
    )


def test_paddings_and_names_are_of_one_kind_each():
    assert [base_of(name) for name in ("pad-50", "signed:gpt", "drop-section")] == [
        "pad", "signed", "drop-section",
    ]  # fmt: skip


# ------------------------------------------------------------------ written, and beside scores


@pytest.fixture
def file():
    found = tried([issues(3, 9)] * 8)
    return AuditFile(
        version="1", date="2026-05-04", seed=1, quick=False, texts="0", judges=(found,)
    )


def test_the_page_fits_and_ends_with_the_sentence(file):
    page = write(file, "text")
    assert max(map(len, page.split("\n"))) <= 80
    assert "offline, coverage: what it must see" in page
    assert unfolded(page).endswith(file.judges[0].sentence)
    assert "### offline, coverage" in write(file, "markdown")
    (line,) = csv.DictReader(io.StringIO(write(file, "csv")))
    assert (line["verdict"], line["noticed_share"], line["pointed"]) == ("noticed", "1.0", "8")
    assert AuditFile.read(write(file, "json"), "here") == file


def boards(**identity):
    recipe = Signature({**IDENTITY, "tasks": "other", "date": "2027-01-01", **identity})
    return rank([make("magpie", task, 40, recipe=recipe) for task in TASKS])


def test_an_audit_stands_above_the_scores_of_its_judge(file):
    page = write_board(rankings_with_audit(boards(), file, "audit.json"))
    assert f"audit of 2026-05-04: {file.judges[0].sentence}" in unfolded(page)


def test_an_audit_of_another_judge_is_stale_naming_the_difference(file):
    other = boards(judges=[{"model": "openai:x", "effort": "high"}])
    (board,) = rankings_with_audit(other, file, "audit.json")
    assert board.known[0].stale
    assert "judges was offline in the audit, is openai:x (effort high) here" in board.notices[0]
    assert board.notices[0].startswith("STALE, and counts for nothing: the audit of 2026-05-04")
    (board,) = rankings_with_audit(boards(prompts="abd"), file, "audit.json")
    assert "prompts was abc in the audit, is abd here" in board.notices[0]


def test_faults_that_an_audit_found_speak_against_trust(file):
    (board,) = rankings_with_audit(boards(), file, "audit.json")
    assert [each.faults for each in board.known] == [False]
    (judge,) = file.judges
    moved = judge.rows[0].model_copy(update={"verdict": "moved"})
    blamed = judge.model_copy(update={"rows": (*judge.rows, moved)})
    (board,) = rankings_with_audit(
        boards(), file.model_copy(update={"judges": (blamed,)}), "audit.json"
    )
    assert [each.faults for each in board.known] == [True]
    assert why_not_trusted(board.recipes, board.known) == "an audit found faults"


def test_an_audit_by_another_protocol_is_refused(file):
    other = file.model_copy(
        update={"judges": (file.judges[0].model_copy(update={"protocol": "race"}),)}
    )
    with pytest.raises(BadInput, match="audits race; the scores are by coverage"):
        rankings_with_audit(boards(), other, "audit.json")


@pytest.mark.parametrize("text", ["{}", "[]", "no JSON", '{"audit": 2}'])
def test_what_is_no_audit_is_refused(text):
    with pytest.raises(BadInput, match="here is no audit"):
        AuditFile.read(text, "here")
