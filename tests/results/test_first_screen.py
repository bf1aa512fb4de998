"""The first screen: notices once and first, every protocol, 80 cells wide whatever the names."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.results.families import Profile
from deepassay.results.first_screen import COLUMNS, first_screen
from deepassay.results.leaderboard import write
from deepassay.results.overview import OFFLINE_NOTE
from deepassay.results.ranking import rank
from deepassay.results.tables import Table, width
from deepassay.results.wrapped_tables import as_narrow, wrapped_lines
from deepassay.score import Cause, Metric, Score, Signature

from .judgements import RECIPE, make

MODEL = Signature({**RECIPE.identity, "judges": [{"model": "openai:x"}]})
PANEL = Signature({**RECIPE.identity, "judges": [{"model": "openai:x"}, {"model": "offline"}]})


def scores(protocol="coverage", importance=0, recipe=RECIPE, **agents):
    metric = Metric(protocol, importance=importance)
    return [
        replace(make(agent, f"t{task}", score, recipe=recipe), protocol=protocol, metric=metric)
        for agent, own in agents.items()
        for task, score in enumerate(own)
    ]


SMALL = [
    *scores("fact", 75, heron=(80, 90, 70), cuckoo=(10, 20, 30)),
    *scores("race", 100, heron=(60, 50, 55), cuckoo=(40, 45, Cause.TIMEOUT)),
    *scores("kae", 60, heron=(Cause.MISSING_INPUT,) * 3, cuckoo=(Cause.TIMEOUT,) * 3),
]


def test_the_whole_screen():
    assert (
        first_screen(rank(SMALL))
        == """\
Judged by the offline baseline: fixed rules without a model. Good for trying
things out; not comparable with any published figure.

Mean scores

agent         race  fact
──────  ──────────  ────
heron         55.0  80.0
cuckoo  42.5 (2/3)  20.0

rank  agent   score  95 % interval  tasks
────  ──────  ─────  ─────────────  ─────
race
   1  heron    55.0   42.6 to 67.4    3/3
   –  cuckoo   42.5   10.7 to 74.3    2/3
fact
   1  heron    80.0  55.2 to 100.0    3/3
   2  cuckoo   20.0    0.0 to 44.8    3/3

No rank: scored in fewer than 80% of the tasks (cuckoo 2/3 under race).
`deepassay compare` looks at the tasks that two agents share.
Nothing is scored under kae (missing_input 3, timeout 3).
`deepassay explain RUN --agent NAME --task ID` says why; `deepassay protocols`
says what each protocol needs; `evaluate --retry-unscored` asks again for what
failed.
`deepassay leaderboard --wide` has bounds, recipes and the tables of each
protocol; `deepassay compare` says whether a difference is more than chance.
"""
    )


def test_what_was_not_asked_is_not_to_be_asked_again():
    waiting = scores("race", heron=(Cause.NOT_ASKED,) * 3, cuckoo=(Cause.NOT_ASKED,) * 3)
    text = " ".join(first_screen(rank(waiting)).split())
    assert "Nothing is scored under race (not_asked 6)." in text
    assert "the same `deepassay evaluate` goes on with what was not asked." in text
    assert "--retry-unscored" not in text
    failed = scores("fact", heron=(Cause.TIMEOUT, Cause.NOT_ASKED), cuckoo=(Cause.TIMEOUT,) * 2)
    both = " ".join(first_screen(rank([*waiting, *failed])).split())
    assert "goes on with what was not asked; `evaluate --retry-unscored` asks again" in both


def test_what_was_cut_is_not_to_be_asked_again_with_the_same_limit():
    cut = scores("race", heron=(Cause.ANSWER_TRUNCATED,) * 2, cuckoo=(Cause.ANSWER_TRUNCATED,) * 3)
    text = " ".join(first_screen(rank(cut)).split())
    assert "Nothing is scored under race (answer_truncated 5)." in text
    assert "a larger `--max-output` with another `--run` asks all anew" in text
    assert "--retry-unscored" not in text
    failed = scores("fact", heron=(Cause.TIMEOUT,) * 2, cuckoo=(Cause.ANSWER_TRUNCATED,) * 2)
    both = " ".join(first_screen(rank([*cut, *failed])).split())
    assert "a larger `--max-output`" in both and "`evaluate --retry-unscored` asks again" in both


def test_of_many_agents_by_many_protocols_each_ranking_shows_its_first():
    agents = {f"a{number:02}": (number, 90, Cause.TIMEOUT) for number in range(15)}
    boards = rank([each for name in "abcdef" for each in scores(name, **agents)])
    text = first_screen(boards)
    means, rankings = text.split("rank  agent")
    assert means.count("a00") == 1
    assert rankings.count("a14") == 6 + 1  # and once among those without a rank
    assert "a08" not in rankings
    assert "Of each protocol the first 6 rows are shown; `deepassay leaderboard --wide`" in text
    assert "a12 2/3 under a, a11 2/3 under a, a10 2/3 under a, and 85 more)" in " ".join(
        text.split()
    )
    assert "| a08 |" not in write(boards, "markdown").split("### b")[1]
    assert write(boards, wide=True).count("a00") > 6


def test_of_more_protocols_than_eight_the_means_say_enough_and_a_line_names_the_rest():
    records = [each for name in "abcdefghi" for each in scores(name, a=(1, 2, 3), b=(3, 4, 6))]
    text = first_screen(rank(records))
    assert "rank  agent" not in text
    assert "`deepassay leaderboard --wide` has ranks and intervals by each protocol." in text
    lines = [line.split() for line in text.splitlines()]
    assert ["protocol", "b", "a"] in lines and ["i", "4.3", "2.0"] in lines
    cut = [replace(each, labels={"language": "en"}) for each in records]
    assert first_screen(rank(cut, "language")).count("language: en") == 9


def test_many_protocols_go_down_and_agents_across_unless_there_are_more_of_these():
    names = "abcde"
    few = [each for name in names for each in scores(name, x=(1, 2), y=(3, 4))]
    assert "protocol    y    x" in first_screen(rank(few))
    many = {f"x{at}": (at, at + 1) for at in range(6)}
    text = first_screen(rank([each for name in names for each in scores(name, **many)]))
    assert text.split("Mean scores")[1].split()[:6] == ["agent", *names]


def test_a_caution_that_holds_of_several_protocols_is_said_once():
    told = "{0}: pairs were read by rule. As in the paper: --protocol \"{0}(statements='model')\"."
    boards = [
        replace(board, notices=(told.format(board.protocol),))
        for board in rank([*scores("fact", 2, a=(1, 2)), *scores("kae", 1, a=(1, 2))])
    ]
    text = " ".join(first_screen(boards, said=("Judged.",)).split())
    both = 'fact, kae: pairs were read by rule. As in the paper: --protocol "NAME(statements='
    assert text.count("pairs were read") == 1 and both in text
    assert told.format("fact") in " ".join(first_screen(boards[:1], said=("Judged.",)).split())


def test_one_ranking_is_shown_whole():
    text = first_screen(rank(scores(**{f"a{number:02}": (number, 90) for number in range(60)})))
    assert all(f"a{number:02}" in text for number in range(60))
    assert "are shown" not in text


def test_markdown_says_the_same():
    text = write(rank(SMALL), "markdown")
    assert text.startswith("Judged by the offline baseline")
    assert "published figure.\n\n### Mean scores\n\n| agent" in text
    assert "| – | cuckoo | 42.5 | 10.7 to 74.3 | 2/3 |" in text
    assert text.count("offline baseline") == 1
    assert text.rstrip().endswith("says whether a difference is more than chance.")


def test_the_wide_tables_say_who_judged_once_and_first():
    text = write(rank(SMALL), wide=True)
    assert text.startswith(OFFLINE_NOTE)
    assert text.count(OFFLINE_NOTE) == 1


def test_one_offline_judge_of_a_panel_is_named_as_that():
    text = first_screen(rank(scores(recipe=PANEL, a=(1, 2, 3), b=(4, 5, 6))))
    assert text.startswith("One judge of the panel is the offline baseline")
    assert OFFLINE_NOTE[:30] not in text
    blind = Metric("coverage", offline_reads=False)
    records = [replace(each, metric=blind) for each in scores(recipe=PANEL, a=(1, 2), b=(4, 5))]
    assert [row.place for row in rank(records)[0].standings] == ["no reading"] * 2


def test_where_a_model_judged_too_the_numbers_of_the_baseline_are_marked():
    both = [*scores("race", 9, a=(1, 2), b=(3, 5)), *scores("fact", 1, MODEL, a=(1, 2), b=(3, 5))]
    text = first_screen(rank(both))
    assert "\nrace (offline baseline)\n" in text
    assert "\nfact\n" in text


def test_several_baselines_are_one_table_of_pairs():
    records = [
        replace(each, protocol=f"depth(baseline={baseline!r})")
        for baseline in ("a", "b")
        for agent in ("a", "b", "c")
        for task in ("t1", "t2")
        if agent != baseline
        for score in [Score(50.0, (0.0, 100.0), tally=(1, 2), details={"baseline": baseline})]
        for each in [make(agent, task, score)]
    ]
    text = first_screen(rank(records))
    assert "depth: win rates of all pairs" in text
    assert "depth(baseline" not in text


def test_a_table_of_families_comes_first_and_fits():
    profiles = {name: Profile(name, "single agent with search") for name in ("heron", "cuckoo")}
    text = first_screen(rank(SMALL), profiles=profiles)
    assert "Agents by family" in text
    assert max(map(width, text.splitlines())) <= COLUMNS


NAMES = st.text(
    st.one_of(
        st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Cf", "Mn", "Me")),
        st.sampled_from("研究代理报告 _-(,"),
    ),
    min_size=1,
    max_size=70,
).filter(lambda name: name.strip())


@settings(deadline=None, max_examples=30)
@given(
    st.lists(NAMES, min_size=1, max_size=6, unique=True),
    st.lists(NAMES, min_size=1, max_size=9, unique=True),
)
def test_no_line_is_wider_than_the_screen(agents, protocols):
    records = [
        replace(make(agent, f"t{task}", score), protocol=protocol)
        for protocol in protocols
        for agent in agents
        for task, score in enumerate((100, 3.5, 99.9))
    ]
    text = first_screen(rank(records))
    assert max(map(width, text.splitlines())) <= COLUMNS


@settings(deadline=None, max_examples=80)
@given(NAMES, st.integers(2, 30))
def test_nothing_of_a_name_is_lost_in_folding(name, cells):
    lines = wrapped_lines(name, cells)
    assert all(width(line) <= cells for line in lines)
    assert "".join("".join(lines).split()) == "".join(name.split())


def test_columns_that_do_not_fit_go_below_each_other():
    head = ("agent", *(f"protocol_number_{number}" for number in range(7)))
    rows = [(name, *(["0.1234"] * 7)) for name in ("heron", "一个很长的中文名字的研究代理系统")]
    assert (
        as_narrow(Table.listed("Means", head, rows), 60)
        == """\
Means

agent                 protocol_  protocol_  protocol_
                       number_0   number_1   number_2
────────────────────  ─────────  ─────────  ─────────
heron                    0.1234     0.1234     0.1234
一个很长的中文名字的     0.1234     0.1234     0.1234
研究代理系统

agent                 protocol_  protocol_  protocol_
                       number_3   number_4   number_5
────────────────────  ─────────  ─────────  ─────────
heron                    0.1234     0.1234     0.1234
一个很长的中文名字的     0.1234     0.1234     0.1234
研究代理系统

agent                 protocol_
                       number_6
────────────────────  ─────────
heron                    0.1234
一个很长的中文名字的     0.1234
研究代理系统"""
    )
