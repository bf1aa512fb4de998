"""`evaluate` and what reads its run file, as a person types them."""

import json
import os
import pty
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.cli.conftest import COMMAND
from tests.judging import verdicts
from tests.loopback import FakeJudge, completion

TWO = ("--protocol", "coverage", "--protocol", "presentation")


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


def test_the_demo_ranks_the_agents_as_they_were_written(process, deepassay, demo):
    done = process(
        *("evaluate", demo / "tasks.jsonl", demo / "reports", *TWO),
        *("--date", "2026-05-04", "--run", "r"),
    )
    assert done.returncode == 0, done.stderr
    assert "Scored 36 of 36" in done.stderr
    boards = json.loads(deepassay("leaderboard", "r", "--format", "json").stdout)
    assert [board["protocol"] for board in boards] == ["coverage", "presentation"]
    for board in boards:
        ranked = [each["agent"] for each in board["standings"]]
        assert ranked == ["heron", "magpie", "cuckoo"]
        assert board["offline_baseline"]


def test_it_ends_with_the_table_and_a_command_that_shows_the_lowest_score(deepassay, demo):
    command = ("evaluate", demo / "tasks.jsonl", demo / "reports", *TWO, "--date", "2026-05-04")
    done = deepassay(*command, "--run", "the run")
    table, word, following = done.stdout.partition("\nNext: ")
    assert word
    assert table.strip() == deepassay("leaderboard", "the run").stdout.strip()
    program, *arguments = shlex.split(following)
    assert (program, arguments[:2]) == ("deepassay", ["explain", "the run"])
    shown = deepassay(*arguments)
    assert shown.returncode == 0, shown.stderr
    # Of coverage, which stands first, the rule cannot tell: its ranking is closed.
    rows = lines(deepassay("export", "the run").stdout)
    scores = [each for each in rows if each["protocol"] == "presentation"]
    lowest = min(scores, key=lambda each: (each["value"], each["task"], each["agent"]))
    assert f"presentation: {lowest['agent']} on {lowest['task']}\n" in shown.stdout
    assert deepassay("--quiet", *command, "--run", "quiet").stdout == ""


def test_an_agent_with_escapes_in_its_name_is_printed_so_that_it_can_be_typed(deepassay, small):
    folder = Path(small[1])
    (folder / "heron").rename(folder / "\x1b[31mheron")
    shutil.rmtree(folder / "cuckoo")
    done = deepassay("evaluate", *small, "--protocol", "coverage")
    _, _, following = done.stdout.partition("\nNext: ")
    assert r"--agent $'\033[31mheron'" in following
    said = subprocess.run(
        ["bash", "-c", f"printf '%s\\0' {following}"], capture_output=True, check=True
    )
    shown = deepassay(*said.stdout.decode().split("\0")[1:-1])
    assert shown.returncode == 0, shown.stderr
    assert r"Agents: $'\033[31mheron'." in deepassay("compare", "run.assay", "a", "b").stderr


def test_the_same_command_again_asks_nothing_and_changes_nothing(deepassay, small, judge):
    command = ("evaluate", *small, *TWO, "--judge", "openai:good", "--base-url", judge.base_url)
    first = deepassay(*command)
    assert first.returncode == 0, first.stderr
    asked, exported = len(judge.requests), deepassay("export", "run.assay").stdout
    again = deepassay(*command)
    assert again.returncode == 0
    assert "(6 were there already)" in again.stderr
    assert len(judge.requests) == asked == 6
    assert deepassay("export", "run.assay").stdout == exported


def test_a_report_that_an_agent_does_not_have_is_expected_all_the_same(deepassay, small):
    done = deepassay("evaluate", *small, "--protocol", "coverage")
    assert "Scored 3 of 4" in done.stderr
    assert "1 for which an agent has no report" in done.stderr
    (board,) = json.loads(deepassay("leaderboard", "run.assay", "--format", "json").stdout)
    cuckoo = next(each for each in board["standings"] if each["agent"] == "cuckoo")
    assert cuckoo["tasks"] == {"scored": 1, "expected": 2}
    assert cuckoo["unscored"] == {"missing_input": 1}


def test_coverage_below_the_threshold_ends_with_1(deepassay, small):
    command = ("evaluate", *small, "--protocol", "coverage", "--min-coverage")
    assert deepassay(*command, "0.5").returncode == 0
    done = deepassay(*command, "0.6")
    assert done.returncode == 1
    assert "50.0% of what was expected of cuckoo under coverage" in done.stderr


def test_all_whose_coverage_is_below_the_threshold_are_named(deepassay, small, tmp_path):
    for agent, text in (("jay", "# Sky\n"), ("rook", " ")):
        (tmp_path / "reports" / agent).mkdir()
        (tmp_path / "reports" / agent / "a.md").write_text(text, encoding="utf-8")
    done = deepassay("evaluate", *small, *TWO, "--min-coverage", "0.95")
    assert done.returncode == 1
    lines = re.findall(r"Scored (\S+) of what was expected of (\w+) under (\w+), less", done.stderr)
    assert lines == [
        *(("0.0%", "rook", protocol) for protocol in TWO[1::2]),
        *(("50.0%", agent, protocol) for protocol in TWO[1::2] for agent in ("cuckoo", "jay")),
    ]


def test_agents_tasks_and_protocols_may_be_added_to_a_run(deepassay, small, tmp_path):
    assert deepassay("evaluate", *small, "--protocol", "coverage", "--limit", "1").returncode == 0
    more = tmp_path / "reports" / "magpie" / "b.md"
    more.parent.mkdir()
    more.write_text("# 天空\n", encoding="utf-8")
    done = deepassay("evaluate", *small, *TWO)
    assert done.returncode == 0, done.stderr
    assert "Scored 8 of 12" in done.stderr
    assert "(2 were there already)" in done.stderr


def test_another_configuration_is_refused_and_the_difference_named(deepassay, small, judge):
    assert deepassay("evaluate", *small, *TWO, "--date", "2026-01-05").returncode == 0
    for changed, says in (
        (("--repeat", "2"), "repeat: 1 when the run began, 2 now"),
        (("--date", "2026-01-06"), "date: '2026-01-05' when the run began"),
        (("--date", "2026-01-06", "--repeat", "2"), "'2026-01-06' now\n  repeat: 1 when the run"),
        (("--judge", "openai:good", "--base-url", judge.base_url), "judges: "),
    ):
        done = deepassay("evaluate", *small, *TWO, *changed)
        assert done.returncode == 2
        assert says in done.stderr
        assert "Traceback" not in done.stderr
    assert judge.requests == []


def test_a_run_goes_on_with_the_day_on_which_it_began(deepassay, small):
    assert deepassay("evaluate", *small, *TWO, "--date", "2020-02-29").returncode == 0
    done = deepassay("evaluate", *small, *TWO)
    assert done.returncode == 0, done.stderr
    assert "(6 were there already)" in done.stderr


def test_what_is_refused_leaves_the_run_as_it_was(deepassay, small, tmp_path):
    assert deepassay("evaluate", *small, "--protocol", "coverage").returncode == 0
    before = deepassay("leaderboard", "run.assay").stdout
    tasks = tmp_path / "tasks.jsonl"
    tasks.write_text(tasks.read_text().replace("Why is", "Why was"))
    assert deepassay("evaluate", *small, *TWO).returncode == 2
    assert deepassay("leaderboard", "run.assay").stdout == before


def test_a_report_that_was_edited_since_is_refused(deepassay, small, tmp_path):
    assert deepassay("evaluate", *small, *TWO).returncode == 0
    (tmp_path / "reports" / "heron" / "a.md").write_text("# Other\n")
    done = deepassay("evaluate", *small, *TWO)
    assert done.returncode == 2
    assert "the report of heron for task a changed since" in done.stderr


def test_both_editions_may_stand_in_one_run(deepassay, small):
    names = ("--protocol", "coverage", "--protocol", "coverage(edition='code')")
    assert deepassay("evaluate", *small, *names).returncode == 0
    boards = json.loads(deepassay("leaderboard", "run.assay", "--format", "json").stdout)
    assert [board["protocol"] for board in boards] == ["coverage", "coverage(edition='code')"]


def test_a_panel_scores_alone_and_one_failing_judge_leaves_the_others_standing(
    deepassay, small, judge
):
    done = deepassay(
        *("evaluate", *small, "--protocol", "coverage", "--base-url", judge.base_url),
        *("--judge", "openai:good", "--judge", "openai:refusal"),
    )
    assert done.returncode == 0, done.stderr
    for row in lines(deepassay("export", "run.assay").stdout):
        judges = row["details"]["judges"]
        assert judges["openai:refusal"]["cause"] == "judge_refused"
        assert judges["openai:good"]["value"] == row["value"]
        assert row["details"]["spread"]["expected"] == 2
        assert row["details"]["spread"]["scored"] == 1
    assert "scored in part, for want of a judge or of a page: 3" in done.stderr


def test_a_judge_of_a_panel_that_failed_can_be_asked_again_and_counts_for_coverage(
    deepassay, small
):
    def flaky(request, text):
        return completion("", refusal="no") if request.number <= 3 else completion(text)

    with FakeJudge(verdicts, scenarios={"flaky": flaky}) as judge:
        command = (
            *("evaluate", *small, "--protocol", "coverage", "--base-url", judge.base_url),
            *("--judge", "openai:good", "--judge", "openai:flaky"),
        )
        assert deepassay(*command, "--min-coverage", "0.5").returncode == 1
        assert deepassay(*command, "--retry-unscored", "--min-coverage", "0.5").returncode == 0
        assert judge.count("good") == 3
        assert judge.count("flaky") == 6
    (board,) = json.loads(deepassay("leaderboard", "run.assay", "--format", "json").stdout)
    heron = next(each for each in board["standings"] if each["agent"] == "heron")
    assert heron["judgements"] == {"scored": 4, "expected": 4}


def test_repeats_are_separate_answers(deepassay, small, judge):
    done = deepassay(
        *("evaluate", *small, "--protocol", "coverage", "--repeat", "3"),
        *("--judge", "openai:good", "--base-url", judge.base_url),
    )
    assert done.returncode == 0, done.stderr
    assert len(judge.requests) == 9
    rows = lines(deepassay("export", "run.assay").stdout)
    assert [row["repeat"] for row in rows[:3]] == [0, 1, 2]


def test_assay_toml_gives_defaults_and_judges_of_single_protocols(
    deepassay, small, judge, tmp_path
):
    (tmp_path / "assay.toml").write_text(
        f"""
        judge = "openai:good"
        base_url = "{judge.base_url}"
        run = "night.assay"
        date = "2026-01-05"

        [protocol.coverage]
        judge = "offline"
        """
    )
    done = deepassay("evaluate", *small, *TWO)
    assert done.returncode == 0, done.stderr
    rows = lines(deepassay("export", "night.assay").stdout)
    judged_by = {row["protocol"]: row["signature"] for row in rows}
    assert "judges:model=offline|" in judged_by["coverage"]
    assert "model=openai:good," in judged_by["presentation"]


def test_what_is_typed_goes_before_what_stands_in_assay_toml(deepassay, small, tmp_path):
    (tmp_path / "assay.toml").write_text('[protocol.coverage]\njudge = "openai:gpt-5"\n')
    done = deepassay("evaluate", *small, *TWO, "--judge", "offline")
    assert done.returncode == 0, done.stderr
    assert deepassay("evaluate", *small, "--protocol", "presentation", "--run", "p").returncode == 0
    (tmp_path / "assay.toml").write_text("[protocol.beauty]\neffort = 'high'\n")
    assert "beauty, which is no protocol" in deepassay("evaluate", *small, *TWO).stderr


def test_an_empty_report_is_unscored_and_not_asked_about(deepassay, small, judge, tmp_path):
    (tmp_path / "reports" / "heron" / "a.md").write_text(" \n")
    done = deepassay(
        *("evaluate", *small, *TWO, "--judge", "openai:good", "--base-url", judge.base_url),
    )
    assert "unscored: 2 missing_input, mostly: the report is empty" in done.stderr
    assert len(judge.requests) == 4
    assert deepassay("replay", "run.assay").returncode == 0


def test_a_run_in_which_nothing_was_scored_ends_with_1_and_says_why(deepassay, small, judge):
    command = (
        "evaluate",
        *small,
        *TWO,
        "--judge",
        "openai:unauthorized",
        "--base-url",
        judge.base_url,
    )
    done = deepassay(*command)
    assert done.returncode == 1
    assert "judge_unreachable, mostly: " in done.stderr
    assert "401" in done.stderr
    assert "Nothing was scored." in done.stderr


def test_a_limit_that_never_ends_does_not_hold_a_run_for_ever(deepassay, small, judge):
    done = deepassay(
        *("evaluate", *small, *TWO, "--judge", "openai:limited", "--base-url", judge.base_url),
        *("--deadline", "0.5", "--max-connections", "1"),
    )
    assert done.returncode == 1
    assert "unscored: 6 judge_unreachable" in done.stderr


def test_failed_judgements_are_counted_and_asked_again_only_when_told(deepassay, small):
    def flaky(request, text):
        return completion("", refusal="no") if request.number <= 3 else completion(text)

    with FakeJudge(verdicts, scenarios={"flaky": flaky}) as judge:
        command = (
            *("evaluate", *small, "--protocol", "coverage"),
            *("--judge", "openai:flaky", "--base-url", judge.base_url),
        )
        first = deepassay(*command)
        assert "unscored: 3 judge_refused, mostly: no" in first.stderr
        assert "--retry-unscored asks again for what failed" in first.stderr
        assert first.returncode == 1
        assert len(judge.requests) == 3
        deepassay(*command)
        assert len(judge.requests) == 3
        last = deepassay(*command, "--retry-unscored")
        assert "Scored 3 of 4" in last.stderr
        assert len(judge.requests) == 6


def test_the_budget_ends_the_run_and_a_larger_one_goes_on(deepassay, small, judge, tmp_path):
    # 1,000 tokens in and 100 out: a call costs $0.0011 and might, before it is made, cost four
    # times as much.
    (tmp_path / "prices.toml").write_text('"openai:good" = {input = 1.0, output = 1.0}')
    command = (
        *("evaluate", *small, *TWO, "--judge", "openai:good", "--base-url", judge.base_url),
        *("--prices", "prices.toml", "--max-output", "500", "--max-connections", "1"),
    )
    none = deepassay(*command, "--budget", "0.0001")
    assert re.search(
        r"Stopped by the budget\. The next call may cost \$0\.00\d\d; \$0\.0000 of the budget",
        none.stderr,
    )
    assert not judge.requests
    done = deepassay(*command, "--budget", "0.0065")
    assert done.returncode == 3, done.stderr
    assert "Stopped by the budget" in done.stderr
    assert "not yet asked" in done.stderr
    assert re.search(r"Scored [1-5] of 8", done.stderr)
    few = len(judge.requests)
    again = deepassay(*command, "--budget", "0.0065")
    assert re.search(r"Scored [1-5] of 8 .*\([1-5] were there already\)", again.stderr)
    assert len(judge.requests) == few
    assert 0 < few < 6, done.stderr
    done = deepassay(*command, "--budget", "1")
    assert done.returncode == 0, done.stderr
    assert len(judge.requests) == 6
    assert "Cost: $0.0066" in done.stderr


def test_a_file_of_prices_without_that_of_the_judge_is_told_of(deepassay, small, judge, tmp_path):
    (tmp_path / "prices.toml").write_text("other = {input = 1.0, output = 1.0}")
    done = deepassay(
        *("evaluate", *small, *TWO, "--judge", "openai:good", "--base-url", judge.base_url),
        *("--prices", "prices.toml"),
    )
    assert "no price for openai:good; it has prices for other" in done.stderr


def test_a_budget_without_a_price_is_refused_before_anything_is_asked(deepassay, small, judge):
    command = (
        *("evaluate", *small, *TWO, "--judge", "openai:good", "--base-url", judge.base_url),
        *("--budget", "1"),
    )
    done = deepassay(*command)
    assert done.returncode == 2
    assert "no price is known for openai:good" in done.stderr
    assert judge.requests == []
    assert deepassay(*command, "--allow-unpriced").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("evaluate", "none.jsonl", "reports"), "none.jsonl"),
        (("evaluate", "tasks.jsonl", "nowhere"), "nowhere"),
        (("evaluate", "tasks.jsonl", "reports", "--protocol", "beauty"), "no protocol 'beauty'"),
        (("evaluate", "tasks.jsonl", "reports", "--judge", "gpt-5"), "does not name a model"),
        (("evaluate", "tasks.jsonl", "reports", "--date", "yesterday"), "--date 'yesterday'"),
        (("evaluate", "tasks.jsonl", "reports", "--judge", "openai:gpt-5"), "OPENAI_API_KEY"),
        (("evaluate", "tasks.jsonl", "reports", "--repeat", "0"), "repeat"),
        (("evaluate", "tasks.jsonl", "reports", "--run", "tasks.jsonl"), "not a run file"),
        (("leaderboard", "none.assay"), "no such run file"),
        (("replay", "tasks.jsonl"), "not a run file"),
    ],
)
def test_a_mistake_is_told_in_a_sentence_and_ends_with_2(deepassay, small, arguments, says):
    done = deepassay(*arguments)
    assert done.returncode == 2, done.stdout + done.stderr
    assert says in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_run_in_good_order_and_it_can_be_resumed(
    deepassay, small, tmp_path, number, status
):
    with FakeJudge(verdicts, latency=0.3) as judge:
        command = (
            *("evaluate", *small, *TWO, "--judge", "openai:good", "--base-url", judge.base_url),
            *("--max-connections", "1"),
        )
        with subprocess.Popen(
            [COMMAND, *command],
            cwd=tmp_path,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as process:
            while len(judge.requests) < 2:
                time.sleep(0.01)
            process.send_signal(number)
            assert process.stderr is not None
            told = process.stderr.read()
        assert process.returncode == status, told
        assert "the same command goes on from here" in told
        done = deepassay(*command)
        assert "Scored 6 of 8" in done.stderr
        assert len(judge.requests) == 6


HELP = """
import sys
from deepassay.cli import main
sys.argv = ["deepassay", "lint", "--help"]
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
"""
LOADED = """
import sys
print(*sorted({name.partition(".")[0] for name, module in sys.modules.items()
               if "site-packages" in (getattr(module, "__file__", None) or "")}), file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("program", "loads"),
    [
        ("import deepassay", set()),
        (HELP, {"typer", "shellingham", "pydantic", "pydantic_core"}),
    ],
    ids=["import deepassay", "deepassay lint --help"],
)
def test_starting_loads_nothing_that_takes_long(program, loads):
    """How many seconds that makes is measured by `benchmarks.starting`."""
    light = {"annotated_doc", "annotated_types", "typing_extensions", "typing_inspection"}
    light |= {"_distutils_hack"}  # setuptools has every Python load it
    light |= {"deepassay"}  # where it is installed as others are
    done = subprocess.run(
        [sys.executable, "-c", program + LOADED], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert set(done.stderr.split()) - light <= loads


def test_a_silent_server_does_not_hold_a_run_for_ever(deepassay, small, judge):
    done = deepassay(
        *("evaluate", *small, *TWO, "--judge", "openai:silence", "--base-url", judge.base_url),
        *("--deadline", "0.4", "--max-connections", "2"),
    )
    assert done.returncode == 1, done.stderr
    assert "unscored: 6 timeout" in done.stderr
    assert 1 <= len(judge.requests) <= 2 * 3, "what one finds out, the others need not"


def test_on_a_terminal_the_progress_is_shown_with_counts_cost_and_time_left(small, tmp_path):
    with FakeJudge(verdicts, latency=0.4) as judge:
        terminal, its_end = pty.openpty()
        with subprocess.Popen(
            [COMMAND, "evaluate", *small, *TWO, "--judge", "openai:good",
             "--base-url", judge.base_url, "--max-connections", "1"],
            cwd=tmp_path, stderr=its_end,
        ) as process:  # fmt: skip
            os.close(its_end)
            shown = b""
            with suppress(OSError):  # the terminal is closed from the other end
                while piece := os.read(terminal, 4096):
                    shown += piece
        os.close(terminal)
    assert process.returncode == 0
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode())
    assert re.search(r"[1-5]/6 +[1-5] scored, 0 unscored, \$0\.00, 0:0\d left", text), text
    assert "Scored 6 of 8" in text


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_inputs_are_read_ends_it_with_a_word(tmp_path, number):
    tasks = tmp_path / "tasks.jsonl"
    os.mkfifo(tasks)
    (tmp_path / "heron").mkdir()
    (tmp_path / "heron" / "a.md").write_text("# Rain\n\nIt rained.\n")
    command = [COMMAND, "evaluate", tasks, tmp_path / "heron", "--protocol", "presentation"]
    with (
        subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process,
        tasks.open("w"),  # done once it is open to be read
    ):
        told = None
        while told is None:  # one that comes just before a read begins does not end that read
            process.send_signal(number)
            with suppress(subprocess.TimeoutExpired):
                _, told = process.communicate(timeout=5)
    assert process.returncode == 128 + number
    assert told == "deepassay: stopped by a signal.\n"
    assert not (tmp_path / "run.assay").exists()
