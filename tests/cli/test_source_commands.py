"""`sources`: what is typed on the first evening, and to repair what could not be read."""

import json
import os
import re
import signal
import subprocess
import time
import zipfile
from collections import Counter

import pytest

from deepassay.runfile import RunFile
from deepassay.text import canonical
from tests.cli.conftest import COMMAND
from tests.neighbours import Neighbours
from tests.site import GATE, HTML, PAGE

pytestmark = pytest.mark.usefixtures("read_here")


@pytest.fixture(scope="module")
def neighbours():
    try:
        with Neighbours() as site:
            yield site
    except OSError:
        pytest.skip("needs more loopback addresses than 127.0.0.1")


@pytest.fixture
def site(neighbours):
    neighbours.hits.clear()
    neighbours.visits.clear()
    return neighbours


@pytest.fixture
def cite(tmp_path):
    """Write a report that cites these addresses."""

    def write(urls, task="t1"):
        file = tmp_path / "reports" / "heron" / f"{task}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        body = " ".join(f"It rose [{number}]." for number, _ in enumerate(urls, start=1))
        entries = "\n".join(f"[{number}] Page {url}" for number, url in enumerate(urls, start=1))
        file.write_text(f"# Tides\n\n{body}\n\n## References\n\n{entries}\n", encoding="utf-8")
        return "reports"

    return write


def states(done):
    return dict(re.findall(r"^  (\w+): (\d+)$", done.stderr, re.MULTILINE))


def rows(done):
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_fetch_reads_each_page_once_and_says_what_came_of_it(deepassay, cite, site):
    paths = ["/ok", "/ok", "/status/404", "/gate", "/chinese/gbk", "/pdf", "/redirect/2"]
    reports = cite([site.url(path) for path in paths])
    done = deepassay("sources", "fetch", reports, *site.options)
    assert done.returncode == 0, done.stderr
    assert "6 addresses: 6 read now, 0 there already" in done.stderr
    assert states(done) == {"ok": "3", "doubtful": "1", "gone": "1", "blocked": "1"}
    assert "sources import" in done.stderr
    visits = site.hits.total()
    again = deepassay("sources", "fetch", reports, *site.options)
    assert "6 addresses: 0 read now, 6 there already" in again.stderr
    assert states(again) == states(done)
    assert site.hits.total() == visits


def test_retry_reads_again_what_failed_or_is_in_doubt(deepassay, cite, site):
    site.pages["/flaky"] = (403, HTML, b"no")
    site.pages["/brief"] = (200, HTML, b"<p>The tide rises by twelve metres.</p>")
    reports = cite([site.url(path) for path in ("/ok", "/brief", "/flaky")])
    deepassay("sources", "fetch", reports, *site.options)
    site.pages["/flaky"] = (200, HTML, PAGE)
    assert states(deepassay("sources", "fetch", reports, *site.options)) == {
        "ok": "1",
        "doubtful": "1",
        "blocked": "1",
    }
    done = deepassay("sources", "fetch", reports, *site.options, "--retry")
    assert "2 read now, 1 there already" in done.stderr
    assert states(done) == {"ok": "2", "doubtful": "1"}
    assert (site.hits["/ok"], site.hits["/brief"]) == (1, 2)


def test_the_guard_refuses_this_machine_unless_it_is_named(deepassay, cite, site):
    done = deepassay("sources", "fetch", cite([site.url("/ok")]))
    assert states(done) == {"refused": "1"}
    assert not site.hits


def test_list_shows_each_address_with_its_state(deepassay, cite, site):
    reports = cite([site.url(path) for path in ("/ok", "/status/410", "/gate")])
    deepassay("sources", "fetch", reports, *site.options, "--snapshots", "pages.assay")
    done = deepassay("sources", "list", "--snapshots", "pages.assay")
    assert done.returncode == 0
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["blocked", "ok", "gone"]
    only = deepassay("sources", "list", "--snapshots", "pages.assay", "--state", "ok", "--json")
    (row,) = rows(only)
    assert (row["state"], row["url"], row["title"]) == ("ok", site.url("/ok"), "Tides")
    assert "text" not in row
    wrong = deepassay("sources", "list", "--snapshots", "pages.assay", "--state", "fine")
    assert wrong.returncode == 2
    assert "not_archived" in wrong.stderr


def test_a_list_of_nothing_is_told(deepassay):
    done = deepassay("sources", "list")
    assert done.returncode == 2
    assert "run.assay" in done.stderr


def test_a_blocked_page_is_repaired_by_importing_it(deepassay, cite, site, tmp_path):
    site.pages["/walled"] = (200, HTML, GATE)
    url = site.url("/walled")
    reports = cite([url])
    deepassay("sources", "fetch", reports, *site.options)
    (tmp_path / "saved.html").write_bytes(PAGE)
    done = deepassay("sources", "import", "saved.html", "--url", url)
    assert done.returncode == 0, done.stderr
    assert "Imported 1 captures: 1 ok" in done.stderr
    visits = site.hits.total()
    again = deepassay("sources", "fetch", reports, *site.options, "--retry")
    assert states(again) == {"ok": "1"}
    assert site.hits.total() == visits
    (row,) = rows(deepassay("sources", "list", "--json"))
    assert row["reader"] == "import"


def test_pages_go_out_as_a_web_archive_and_come_in_elsewhere(deepassay, cite, site):
    reports = cite([site.url(path) for path in ("/ok", "/chinese/gb18030", "/pdf", "/status/404")])
    deepassay("sources", "fetch", reports, *site.options, "--snapshots", "one.assay")
    done = deepassay("sources", "export", "-o", "pages.warc.gz", "--snapshots", "one.assay")
    assert done.returncode == 0, done.stderr
    done = deepassay("sources", "import", "pages.warc.gz", "--snapshots", "two.assay")
    assert done.returncode == 0, done.stderr
    one, two = (
        {page.id: (page.url, page.text, page.failure, page.body) for page in pages_in(path)}
        for path in ("one.assay", "two.assay")
    )
    assert len(one) == 4
    assert one == two


def pages_in(path):
    from pathlib import Path

    with RunFile.read(Path(path)) as run:
        return list(run.captures.all())


def test_two_addresses_for_one_option_are_refused(deepassay, tmp_path):
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("x")
    done = deepassay("sources", "import", "a.txt", "b.txt", "--url", "https://a.example/")
    assert done.returncode == 2
    assert "one file at a time" in done.stderr.lower()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--reader", "lynx"], "there is no such reader"),
        (["--reader", "archive:yesterday"], "there is no such reader"),
        (["--reader", "jina"], "JINA_API_KEY is not set"),
    ],
)
def test_a_reader_that_cannot_be_had_is_told(deepassay, cite, options, says):
    done = deepassay("sources", "fetch", cite(["https://a.example/"]), *options)
    assert done.returncode == 2
    assert says in done.stderr


def start(reports, site, *options):
    return subprocess.Popen(
        [COMMAND, "sources", "fetch", reports, *site.options, *options],
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def until(condition):
    end = time.monotonic() + 120  # if ever
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


def plain_pages(site, count):
    paths = [f"/page/{number}" for number in range(count)]
    for path in paths:
        site.pages[path] = (200, HTML, PAGE)
    return site.urls(paths)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_in_good_order(cite, site, number):
    reports = cite(plain_pages(site, 200))
    child = start(reports, site)
    until(lambda: site.hits.total() > 40)
    os.kill(child.pid, number)
    _, told = child.communicate(timeout=120)
    assert child.returncode == 128 + number
    assert "the same command goes on from here" in told
    assert "Traceback" not in told
    assert 0 < len(pages_in("run.assay")) < 200


def test_what_was_kept_before_a_kill_is_never_requested_again(cite, site):
    urls = plain_pages(site, 200)
    reports = cite(urls)
    child = start(reports, site, "--max-connections", "8")
    until(lambda: site.hits.total() > 80)
    child.kill()
    child.communicate()
    kept = {page.url for page in pages_in("run.assay")}
    assert 0 < len(kept) < 200
    before = Counter(site.hits)
    site.visits.clear()

    second = start(reports, site, "--max-connections", "8")
    _, told = second.communicate(timeout=120)
    assert second.returncode == 0, told
    assert f"{200 - len(kept)} read now, {len(kept)} there already" in told
    asked = {visit.path for visit in site.visits}
    assert asked == {"/" + url.split("/", 3)[3] for url in map(canonical, urls) if url not in kept}
    assert len(site.visits) == 200 - len(kept)
    assert sum((site.hits - before).values()) <= 200
    assert len(pages_in("run.assay")) == 200


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("run.assay", "a web archive is not named so"),
        ("notes.warc.gz", "is there, and it is no web archive"),
        ("reports", "a web archive is not named so"),
        ("run.assay/pages.warc.gz", "it cannot be written"),
    ],
)
def test_export_overwrites_nothing_but_web_archives(deepassay, cite, site, tmp_path, name, said):
    deepassay("sources", "fetch", cite([site.url("/ok")]), *site.options)
    (tmp_path / "notes.warc.gz").write_text("written by hand", encoding="utf-8")
    there = {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    done = deepassay("sources", "export", "-o", name)
    assert done.returncode == 2
    assert said in done.stderr
    assert {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == there
    for _ in range(2):  # an archive may be written anew
        assert deepassay("sources", "export", "-o", "pages.warc.gz").returncode == 0


def test_one_bad_row_is_named_and_the_rest_imported(deepassay, tmp_path):
    rows = ['{"url": "https://a.example/", "text": "One."}', '{"url": "", "text": "Two."}']
    (tmp_path / "a.jsonl").write_text("\n".join(rows))
    done = deepassay("sources", "import", "a.jsonl")
    assert done.returncode == 1
    assert "Imported 1 captures: 1 doubtful" in done.stderr
    assert "could not be read: 1" in done.stderr
    assert "a.jsonl, line 2: field 'url' is no address." in done.stderr


def test_nothing_is_imported_where_one_file_is_refused(deepassay, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"url": "https://a.example/", "text": "One."}')
    (tmp_path / "b.docx").write_text("no page")
    done = deepassay("sources", "import", "a.jsonl", "b.docx")
    assert done.returncode == 2
    assert not (tmp_path / "run.assay").exists()


def test_a_wacz_is_imported(deepassay, cite, site, tmp_path):
    reports = cite([site.url("/ok")])
    deepassay("sources", "fetch", reports, *site.options, "--snapshots", "one.assay")
    deepassay("sources", "export", "-o", "one.warc.gz", "--snapshots", "one.assay")
    with zipfile.ZipFile(tmp_path / "one.wacz", "w") as file:
        file.write(tmp_path / "one.warc.gz", "archive/data.warc.gz")
    done = deepassay("sources", "import", "one.wacz")
    assert done.returncode == 0, done.stderr
    listed = deepassay("sources", "list", "--json")
    (row,) = [json.loads(line) for line in listed.stdout.splitlines()]
    assert (row["url"], row["state"]) == (site.url("/ok"), "ok")
