"""`leaderboard`, `explain`, `export`, `replay`, `estimate` and `doctor`, as a person types them."""

import asyncio
import csv
import io
import json
import shutil
import socket
import subprocess
from pathlib import Path

from deepassay import limits
from deepassay.run.asking.doctor import examine_run
from deepassay.run.settings import Settings
from tests.cli.conftest import COMMAND
from tests.judging import verdicts
from tests.loopback import FakeJudge

TWO = ("--protocol", "coverage", "--protocol", "presentation")


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


def test_estimate_asks_nothing_and_needs_no_key(deepassay, small, judge):
    done = deepassay("estimate", *small, *TWO, "--judge", "openai:gpt-5")
    assert done.returncode == 0, done.stderr
    assert "openai:gpt-5: 6 questions; about $0." in done.stdout
    assert judge.requests == []


def test_estimate_says_how_many_questions_are_too_long_to_be_sent(deepassay, small, tmp_path):
    report = tmp_path / "reports" / "heron" / "a.md"
    report.write_text("# Sky\n\n" + "Air scatters blue light more than red light. " * 3000)
    asked = ("estimate", *small, "--protocol", "presentation", "--judge", "openai:gpt-5")
    whole = deepassay(*asked).stdout
    assert "openai:gpt-5: 3 questions" in whole and "window" not in whole
    parts = deepassay(*asked, "--context-window", "28000").stdout
    assert "openai:gpt-5 (context_window 28000): 5 questions" in parts
    assert "longer than the model's window and not to be sent: 1 more;" in parts


def test_estimate_tells_players_of_one_model_apart(deepassay, small, tmp_path):
    (tmp_path / "assay.toml").write_text(
        'judge = "openai:gpt-5"\n[protocol.coverage]\neffort = "high"\n'
    )
    done = deepassay("estimate", *small, *TWO)
    assert "openai:gpt-5: 3 questions" in done.stdout
    assert "openai:gpt-5 (effort high): 3 questions" in done.stdout


def test_estimate_leaves_out_what_is_answered_already(deepassay, small, judge):
    options = ("--judge", "openai:good", "--base-url", judge.base_url)
    assert deepassay("evaluate", *small, *options, "--protocol", "coverage").returncode == 0
    done = deepassay("estimate", *small, *options, *TWO)
    assert "openai:good: 3 questions (3 more are answered already)" in done.stdout


def test_estimate_asks_for_failures_again_only_when_told(deepassay, small, judge):
    options = ("--judge", "openai:refusal", "--base-url", judge.base_url, "--protocol", "coverage")
    deepassay("evaluate", *small, *options)
    assert "openai:refusal: 0 questions (3 more" in deepassay("estimate", *small, *options).stdout
    again = deepassay("estimate", *small, *options, "--retry-unscored")
    assert "openai:refusal: 3 questions; " in again.stdout


def test_explain_shows_the_evidence(deepassay, small):
    deepassay("evaluate", *small)
    done = deepassay("explain", "run.assay", "--agent", "heron", "--task", "a")
    assert done.returncode == 0, done.stderr
    assert "q1 met" in done.stdout
    assert "Is scattering named?" in done.stdout
    wrong = deepassay("explain", "run.assay", "--agent", "nobody", "--task", "a")
    assert wrong.returncode == 2
    assert "heron" in wrong.stderr
    wrong = deepassay("explain", "run.assay", "--agent", "heron", "--task", "not there")
    assert wrong.returncode == 2
    assert "no judgement of 'heron' on 'not there'" in wrong.stderr and "Tasks: a" in wrong.stderr


def test_replay_recomputes_every_score_without_asking(deepassay, small):
    with FakeJudge(verdicts) as judge:
        options = ("--judge", "openai:good", "--judge", "openai:refusal")
        deepassay("evaluate", *small, *TWO, *options, "--base-url", judge.base_url)
    done = deepassay("replay", "run.assay")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines() == [
        "As written: 3 settings, 2 protocols, 2 tasks, 3 reports, 12 answers, 12 attempts, "
        "5 shared, 6 outcomes",
        "6 outcomes are the same to the byte, 0 are not.",
    ]


def test_replay_of_a_run_that_never_began_says_so(deepassay, small):
    assert deepassay("evaluate", *small, "--judge", "openai:gpt-5").returncode == 2
    done = deepassay("replay", "run.assay")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_a_full_disk_behind_the_output_is_told(small, deepassay):
    deepassay("evaluate", *small)
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [COMMAND, "leaderboard", "run.assay"], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 2
    assert b"No space left" in done.stderr
    assert b"Traceback" not in done.stderr


def test_export_is_json_lines_or_csv_in_a_fixed_order(deepassay, small):
    deepassay("evaluate", *small, *TWO)
    rows = lines(deepassay("export", "run.assay").stdout)
    table = list(
        csv.DictReader(io.StringIO(deepassay("export", "run.assay", "--format", "csv").stdout))
    )
    places = [(row["protocol"], row["agent"], row["task"]) for row in rows]
    assert places == sorted(places)
    assert places == [(row["protocol"], row["agent"], row["task"]) for row in table]
    assert rows[0]["signature"].startswith("protocol:coverage|edition:paper|judges:model=offline")


def test_a_signature_is_the_same_in_every_export(deepassay, small, tmp_path):
    deepassay("evaluate", *small, "--protocol", "coverage", "--protocol", "presentation")
    rows = lines(deepassay("export", "run.assay").stdout)
    printed = csv.DictReader(
        io.StringIO(deepassay("export", "run.assay", "--format", "csv").stdout)
    )
    deepassay("export", "run.assay", "-o", "tables", "--format", "csv")
    with (tmp_path / "tables" / "scores.csv").open(encoding="utf-8", newline="") as file:
        tidy = {(row["protocol"], row["agent"], row["task"]): row for row in csv.DictReader(file)}
    assert len(rows) == 6 < len(tidy), "which has a row for what is lacking, too"
    for row, other in zip(rows, printed, strict=True):
        place = row["protocol"], row["agent"], row["task"]
        assert row["signature"] == other["signature"] == tidy[place]["signature"]
    of_coverage = {row["signature"] for row in rows if row["protocol"] == "coverage"}
    assert ["|tasks:" in each and "|checklist:" in each for each in of_coverage] == [True]


def test_a_leaderboard_can_be_cut_by_a_label_and_written_in_four_ways(deepassay, small):
    deepassay("evaluate", *small)
    for format, says in (("text", "heron"), ("markdown", "| heron"), ("csv", ",heron,")):
        done = deepassay("leaderboard", "run.assay", "--by", "language", "--format", format)
        assert done.returncode == 0, done.stderr
        assert says in done.stdout
    wrong = deepassay("leaderboard", "run.assay", "--by", "colour")
    assert wrong.returncode == 2
    assert "language" in wrong.stderr


def test_scores_of_unequal_recipes_are_ranked_only_when_told(deepassay, small):
    deepassay("evaluate", *small, "--run", "one.assay", "--date", "2026-01-05")
    deepassay("evaluate", *small, "--run", "two.assay", "--date", "2026-01-06")
    refused = deepassay("leaderboard", "one.assay", "two.assay")
    assert refused.returncode == 2
    assert "date" in refused.stderr
    assert deepassay("leaderboard", "one.assay", "two.assay", "--allow-mixed").returncode == 0


def test_a_leaderboard_of_one_protocol_leaves_out_the_others(deepassay, small):
    deepassay("evaluate", *small, *TWO)
    whole = json.loads(deepassay("leaderboard", "run.assay", "--format", "json").stdout)
    one = json.loads(
        deepassay(
            *("leaderboard", "run.assay", "--format", "json", "--protocol", "coverage")
        ).stdout
    )
    assert {row["protocol"] for row in whole} == {"coverage", "presentation"}
    assert one == [row for row in whole if row["protocol"] == "coverage"]
    refused = deepassay("leaderboard", "run.assay", "--protocol", "coverag")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "Protocols: coverage, presentation." in refused.stderr


def test_agents_are_grouped_by_the_families_of_a_file(deepassay, small, tmp_path):
    deepassay("evaluate", *small, "--protocol", "coverage")
    file = tmp_path / "agents.csv"
    file.write_text("agent,family\nheron,multi-agent\ncuckoo,single agent\n")
    done = deepassay("leaderboard", "run.assay", "--agents", file)
    assert done.returncode == 0, done.stderr
    _, title, table, *_ = done.stdout.split("\n\n")
    assert title == "Agents by family (offline baseline)"
    assert "mean of 1" in table
    file.write_text("agent,family\nheron,multi-agent\n")
    refused = deepassay("leaderboard", "run.assay", "--agents", file)
    assert refused.returncode == 2
    assert "of which family these are: cuckoo" in refused.stderr


def test_lengths_are_shown_instead_of_scores(deepassay, small):
    deepassay("evaluate", *small, "--protocol", "coverage")
    for format, says in (("text", "tokens w/o URLs"), ("csv", "words_without_urls"), ("json", "[")):
        done = deepassay("leaderboard", "run.assay", "--lengths", "--format", format)
        assert done.returncode == 0, done.stderr
        assert says in done.stdout
    shown = deepassay("leaderboard", "run.assay", "--lengths").stdout
    lengths, scores = [line.split() for line in shown.splitlines() if line.startswith("heron")]
    assert lengths[1] == "2"
    assert scores[1:5] == ["coverage", "score", "2", "2/2"]
    refused = deepassay("leaderboard", "run.assay", "--lengths", "--parts")
    assert refused.returncode == 2
    assert "--lengths ranks nobody" in refused.stderr


def test_an_empty_report_has_no_length_as_it_has_no_score(deepassay, tmp_path):
    folder, words = tmp_path / "written", {"heron": (30, 0, 50), "tern": (0, 0, 7), "gull": (4, 6)}
    rows = [json.dumps({"id": task, "prompt": f"Why {task}?"}) for task in "abc"]
    (tmp_path / "three.jsonl").write_text("\n".join(rows))
    for agent, numbers in words.items():
        (folder / agent).mkdir(parents=True)
        for task, number in zip("abc", numbers, strict=False):
            text = "Air is blue. " * (number // 3) + "So. " * (number % 3)
            (folder / agent / f"{task}.md").write_text(text or " \n" * (agent == "tern"))
    deepassay("evaluate", "three.jsonl", folder, "--protocol", "surface", "--run", "e.assay")
    done = deepassay("leaderboard", "e.assay", "--lengths")
    assert done.returncode == 0, done.stderr
    lengths = [line.split() for line in done.stdout.split("scores\n")[0].splitlines() if line]
    lengths = {line[0]: (line[1], line[3]) for line in lengths if line[0] in words}
    assert lengths == {"heron": ("2", "40"), "tern": ("1", "7"), "gull": ("2", "5")}
    assert "Empty reports have no length and are left out: 1 of heron, 2 of tern." in done.stdout
    shown = deepassay("leaderboard", "e.assay").stdout.split("Worst reports")[0].splitlines()
    read_off = {line.split()[0]: line.split()[1] for line in shown if line.split()[:1]}
    assert {agent: read_off[agent] for agent in words} == {a: n for a, (_, n) in lengths.items()}
    done = deepassay("leaderboard", "e.assay", "--lengths", "--format", "csv")
    assert "left out: 1 of heron, 2 of tern." in done.stderr
    rows = csv.DictReader(done.stdout.splitlines())
    assert [(row["agent"], row["words"]) for row in rows] == [
        ("gull", "5.0"), ("heron", "40.0"), ("tern", "7.0"),
    ]  # fmt: skip


def test_a_panel_is_compared_judge_by_judge_beneath_the_board(deepassay, small, judge):
    options = ("--judge", "openai:good", "--judge", "offline", "--base-url", judge.base_url)
    deepassay("evaluate", *small, *options, "--protocol", "coverage(edition='code')")
    assert "One judge of the panel is the offline" in deepassay("leaderboard", "run.assay").stdout
    done = deepassay("leaderboard", "run.assay", "--wide")
    assert done.returncode == 0, done.stderr
    assert "judges, pair by pair" in done.stdout
    assert "as the released program sums up" in done.stdout
    assert "both, averaged" in done.stdout


def test_the_categories_of_live_tasks_come_from_their_identifiers(deepassay, tmp_path):
    rows = [
        {"qid": f"{prefix}1", "question": "Which?", "checklist": "Is it named?"}
        for prefix in ("market", "infoco")
    ]
    (tmp_path / "tasks.jsonl").write_text("\n".join(map(json.dumps, rows)))
    for row in rows:
        report = tmp_path / "reports" / "heron" / f"{row['qid']}.md"
        report.parent.mkdir(parents=True, exist_ok=True)
        report.write_text("# Which\n\nIt is named.\n")
    done = deepassay("evaluate", "tasks.jsonl", "reports", "--protocol", "coverage")
    assert done.returncode == 0, done.stderr
    for options in ((), ("--lengths",)):
        done = deepassay("leaderboard", "run.assay", "--by", "category", *options)
        assert done.returncode == 0, done.stderr
        assert "category: market analysis" in done.stdout
        assert "category: wide information search" in done.stdout


def test_the_same_run_does_not_count_twice(deepassay, small, tmp_path):
    deepassay("evaluate", *small)
    (tmp_path / "copy.assay").write_bytes((tmp_path / "run.assay").read_bytes())
    for other in ("copy.assay", "run.assay"):
        done = deepassay("leaderboard", "run.assay", other)
        assert done.returncode == 2
        assert "are the same run" in done.stderr
        assert ("of one file" in done.stderr) == (other == "copy.assay")


def test_copies_that_went_on_apart_are_called_copies_and_the_remedy_is_told(
    deepassay, small, tmp_path
):
    (tmp_path / "page.txt").write_text("Storms were counted. " * 90)
    page = ("page.txt", "--url", "https://a.example/1")
    deepassay("sources", "import", *page, "--snapshots", "first.assay")
    shutil.copy("first.assay", "second.assay")
    for run, protocol in (("first.assay", "coverage"), ("second.assay", "presentation")):
        deepassay("evaluate", *small, "--protocol", protocol, "--run", run)
    two = ("first.assay", "second.assay")
    for command in (("leaderboard", *two), ("compare", *two, "--judges"), ("view", *two)):
        done = deepassay(*command)
        told = " ".join(done.stderr.split())
        assert done.returncode == 2, command
        assert "one is a copy of the other, or both of one file" in told
        assert "--run NEW, with --snapshots FILE" in told


def test_doctor_names_what_is_missing(deepassay, judge):
    assert deepassay("doctor").returncode == 0
    keyless = deepassay("doctor", "--judge", "openai:gpt-5")
    assert keyless.returncode == 1
    assert "OPENAI_API_KEY" in keyless.stdout
    asked = deepassay("doctor", "--judge", "openai:good", "--base-url", judge.base_url, "--ask")
    assert "answered in" in asked.stdout
    assert len(judge.requests) == 1


def test_doctor_tries_the_judge_as_it_will_be_used(deepassay, tmp_path):
    """One server keeps the form that is sent with the question, one takes no notice of it."""
    told = ("doctor", "--ask", "--structured", "--judge")
    with (
        FakeJudge(lambda _: '{"verdict": "yes"}') as keeps,
        FakeJudge(lambda _: "Yes, of course.") as forgets,
    ):
        kept = deepassay(*told, "openai:a", "--base-url", keeps.base_url)
        lost = deepassay(*told, "openai:b", "--base-url", forgets.base_url)
        plain = deepassay("doctor", "--ask", "--judge", "openai:b", "--base-url", forgets.base_url)
        own = f'judge = "openai:c"\nbase_url = "{keeps.base_url}"\n'
        (tmp_path / "assay.toml").write_text(
            f"{own}max_output = 64\n[protocol.coverage]\n{own}structured = true\n"
        )
        both = deepassay("doctor", "--ask")
    (tmp_path / "assay.toml").unlink()
    assert kept.returncode == 0 and "in the form of --structured" in kept.stdout
    assert lost.returncode == 1
    assert "but not in the form of --structured: 'Yes, of course.'" in lost.stdout
    assert plain.returncode == both.returncode == 0
    schema = keeps.requests[0].body["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["verdict"]["enum"] == ["yes", "no"]
    asked = [each.body for each in keeps.requests[1:]]
    assert ["response_format" in body for body in asked] == [False, True]
    assert {body["max_completion_tokens"] for body in asked} == {64}


def test_doctor_says_whether_anybody_listens_and_that_nothing_was_asked(deepassay, judge, tmp_path):
    with socket.socket() as free:  # bound, and nobody listens
        free.bind(("127.0.0.1", 0))
        nowhere = f"127.0.0.1:{free.getsockname()[1]}"
        command = ("doctor", "--judge", "openai:good", "--base-url")
        away = deepassay(*command, f"http://{nowhere}/v1")
        asked = deepassay(*command, f"http://{nowhere}/v1", "--ask")
        own = f'judge = "openai:mine"\nbase_url = "http://{nowhere}/v1"\n'
        (tmp_path / "assay.toml").write_text(f"[protocol.coverage]\n{own}")
        of_a_protocol = deepassay("doctor")
        (tmp_path / "assay.toml").unlink()
    assert away.returncode == asked.returncode == of_a_protocol.returncode == 1
    assert f"FAIL  openai:good: nobody answers at {nowhere}" in away.stdout
    assert "FAIL  openai:good: did not answer: the server refuses connections" in asked.stdout
    assert f"FAIL  openai:mine: nobody answers at {nowhere}" in of_a_protocol.stdout
    there = deepassay(*command, judge.base_url)
    assert there.returncode == 0
    assert "openai:good: a server listens at" in there.stdout
    assert "--ask says if it answers" in there.stdout
    assert not judge.requests


def test_doctor_connects_to_no_provider_unless_it_is_to_ask(deepassay, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setattr(asyncio, "open_connection", None)
    done = deepassay("doctor", "--judge", "openai:gpt-5")
    assert done.returncode == 0
    assert "has what asking at api.openai.com takes; --ask says if it answers" in done.stdout


def test_doctor_says_when_nothing_limits_the_readers_of_pages(monkeypatch, tmp_path):
    settings = Settings(run=tmp_path / "run.assay")
    assert "limits" not in [each.about for each in examine_run(settings, ask=False)]
    monkeypatch.setattr(limits, "available", lambda: False)
    (told,) = (each for each in examine_run(settings, ask=False) if each.about == "limits")
    assert told.fit and "no limits of memory and processor time" in told.says


def test_a_value_that_an_option_cannot_have_is_refused_by_its_name_there(deepassay):
    done = deepassay("estimate", "tasks.jsonl", "reports", "--date", "soon")
    assert done.returncode == 2
    assert done.stderr.startswith("deepassay: --date 'soon' is not possible.\n  Give a date as in")


def test_explain_without_a_report_lists_the_worst_and_leads_on_from_a_mistyped_name(
    deepassay, small
):
    deepassay("evaluate", *small, "--protocol", "presentation", "--run", "r.assay")
    done = deepassay("explain", "r.assay")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Reports by presentation, worst first:\n")
    lines = [line for line in done.stdout.splitlines() if "deepassay explain" in line]
    assert len(lines) == 4
    _, _, command = lines[0].partition("deepassay ")
    opened = deepassay(*command.split())
    assert opened.returncode == 0 and opened.stdout.startswith("presentation: ")
    refused = deepassay("explain", "r.assay", "--agent", "herron", "--task", "a")
    assert refused.returncode == 2 and "Did you mean heron? " in refused.stderr
    refused = deepassay("explain", "r.asay")
    assert refused.returncode == 2
    assert "Did you mean r.assay? Run files in .: r.assay." in refused.stderr
    refused = deepassay("evaluate", *small, "--protocol", "presentatoin")
    assert refused.returncode == 2 and "Did you mean presentation? " in refused.stderr
