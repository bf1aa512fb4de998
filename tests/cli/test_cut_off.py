"""A machine that finds no host: nothing is said of any page, and what is told to do works."""

import json
import re
import shlex
import socket

import pytest

from deepassay.runfile import RunFile
from deepassay.sources.page import NO_HOST, NO_NAMES
from tests.reports.traces.building import GONE, HIGH, LOW, PROMPT, lines, spans

HOSTS = [f"https://h{number}.test/a" for number in range(6)]
FOUND = "http://found.test:6379/b"
"""Its host is found, and nobody connects to it: no web page is on this port."""

PROTOCOLS = ("--protocol", "fact", "--protocol", "citation_accuracy")


@pytest.fixture
def known(monkeypatch):
    """The hosts that are found, by name; at first none but this machine."""

    def look_up(host, port, *more, **given):
        if host not in known:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (known[host], port))]

    known = {"localhost": "127.0.0.1"}
    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return known


@pytest.fixture
def given(tmp_path):
    """Lay out two agents' reports on as many tasks as there are addresses, one to each."""

    def lay_out(urls):
        for number, url in enumerate(urls):
            for agent in ("heron", "wren"):
                path = tmp_path / agent / f"t{number}.md"
                path.parent.mkdir(exist_ok=True)
                path.write_text(
                    f"# Rain\n\n{agent} counted {number + 3} storms [1].\n\n[1]: {url}\n"
                )
        tasks = [{"id": f"t{number}", "prompt": "How many?"} for number in range(len(urls))]
        (tmp_path / "tasks.jsonl").write_text("\n".join(map(json.dumps, tasks)))
        return [tmp_path / name for name in ("tasks.jsonl", "heron", "wren")]

    return lay_out


def details(run):
    """What was found of each address, once or in a second attempt of the same second."""
    found = {}
    with RunFile.read(run) as kept:
        for page in kept.captures.rows():
            found.setdefault(page.url, set()).add(page.detail)
    return found


def scored(run):
    with RunFile.read(run) as kept:
        return [score.outcome["value"] for score in kept.scores()]


def commands(said):
    """The commands that are told of, as words."""
    found = re.findall(r"(?:`|: )deepassay (sources fetch \S+ --retry --snapshots [^\s`;]+)", said)
    return [shlex.split(each) for each in dict.fromkeys(found)]


@pytest.mark.parametrize("most", [1, 2, 6])
def test_nothing_is_scored_where_no_host_is_found(known, given, deepassay, tmp_path, most):
    run = tmp_path / "run.assay"
    done = deepassay("evaluate", *given(HOSTS[:most]), *PROTOCOLS, "--run", run)
    assert done.returncode == 1 and f"Scored 0 of {4 * most} " in done.stderr
    assert f"unscored: {4 * most} timeout" in done.stderr
    assert f"cited addresses: {most} came in, 0 have an outcome, 0 can be read." in done.stderr
    assert f"no host of any of these pages was found ({most} in all)" in done.stderr
    assert details(run) == {url: {NO_NAMES} for url in HOSTS[:most]}


def test_the_command_that_is_told_reads_the_pages_again(known, given, deepassay, tmp_path):
    pages = tmp_path / "my pages.assay"
    request = (*given([*HOSTS, FOUND]), *PROTOCOLS, "--run", tmp_path / "run.assay")
    for more in ((), ("--snapshots", pages)):
        done = deepassay("evaluate", *request, *more)
    file = shlex.quote(str(pages))
    (told,) = re.findall(r"`deepassay (sources fetch .* --retry --snapshots .*)`", done.stderr)
    assert told.endswith(file)
    known["found.test"] = "93.184.215.14"
    done = deepassay(*shlex.split(told))
    assert f"{len(HOSTS) + 1} addresses: {len(HOSTS) + 1} read now" in done.stderr
    assert all(details(pages)[url] == {NO_HOST} for url in HOSTS)
    again = deepassay("evaluate", *request, "--snapshots", pages, "--retry-unscored")
    assert "E1" in deepassay("explain", request[-1], "--agent", "wren", "--task", "t1").stdout
    assert "cut off" not in again.stderr and "timeout" not in again.stderr


@pytest.mark.parametrize("at", [0, 3, 6])
def test_which_report_comes_first_decides_nothing(known, given, deepassay, tmp_path, at):
    known["found.test"] = "93.184.215.14"
    run = tmp_path / "run.assay"
    request = given([*HOSTS[:at], FOUND, *HOSTS[at:]])
    done = deepassay("evaluate", *request, *PROTOCOLS, "--run", run, "--max-connections", 1)
    assert "cut off" not in done.stderr and "timeout" not in done.stderr
    assert all(details(run)[url] == {NO_HOST} for url in HOSTS)


def test_of_scores_that_stand_none_is_to_be_asked_again(known, deepassay, tmp_path):
    (tmp_path / "x.otlp.jsonl").write_text(lines(spans()))
    task = {"id": "tide", "prompt": PROMPT, "relevant": [HIGH, LOW, *HOSTS]}
    (tmp_path / "tasks.jsonl").write_text(json.dumps(task))
    request = (tmp_path / "tasks.jsonl", tmp_path / "x.otlp.jsonl", "--protocol", "retrieval")
    scores = []
    ways = {"cut": (), "offline": ("--offline-sources",)}
    for name, more in ways.items():
        run = tmp_path / f"{name}.assay"
        done = deepassay("evaluate", *request, *more, "--run", run)
        said = " ".join(done.stderr.split())
        addresses = len({HIGH, GONE, LOW, *HOSTS})
        assert done.returncode == 1 and "Scored 1 of 1" in said
        counted = f"relevant addresses: {addresses} came in, 0 have an outcome, 0 can be read."
        assert counted in said and "--retry-unscored" not in said
        assert f"then score into another --run with --snapshots {run}." in said
        (command, *_) = commands(said)
        assert "addresses: " in deepassay(*command).stderr
        scores.append(scored(run))
    assert scores[0] == scores[1] != [0.0]
