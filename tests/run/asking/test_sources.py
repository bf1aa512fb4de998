"""What is fetched, in which order, and what counts of what is kept."""

import threading
from dataclasses import replace

import pytest

from deepassay.reports.report import Report
from deepassay.run.archives import import_pages
from deepassay.run.asking.sources import addresses_of, fetch, latest_captures
from deepassay.run.settings import Settings
from deepassay.runfile import Capture, RunFile
from tests.captured import keep
from tests.site import ORDINARY, Site
from tests.sources.test_warc import foreign_warc

PAGE = Capture("https://a.example/", "2026-11-20T10:00:00Z", "direct", text="What it says.")


def report(*urls, body="", extra=""):
    cited = " ".join(f"It rose [{number}]." for number, _ in enumerate(urls, start=1))
    entries = "\n".join(f"[{number}] Page {url}" for number, url in enumerate(urls, start=1))
    return Report(f"# Tides\n\n{cited} {body}\n\n## References\n\n{entries}\n{extra}")


def test_every_address_is_fetched_once_however_it_is_spelled_and_cited():
    reports = [
        report("https://a.example", "https://a.example/one#part"),
        report("https://A.example/one?utm_source=x", body="See [this](https://b.example/two)."),
        report(extra="[1] Never cited https://c.example/three"),
    ]
    assert sorted(addresses_of(reports)) == [
        "https://a.example/",
        "https://a.example/one",
        "https://b.example/two",
        "https://c.example/three",
    ]


def test_hosts_take_turns():
    many = [f"https://a.example/{number}" for number in range(3)]
    order = addresses_of([report(*many, "https://b.example/", "https://c.example/")])
    assert order == [many[0], "https://b.example/", "https://c.example/", *many[1:]]


@pytest.mark.parametrize("first", ["page", "failure"])
def test_a_page_counts_more_than_a_failure_whichever_is_newer(first):
    days = ("2026-11-20", "2026-11-21")
    page = replace(PAGE, fetched=days[first != "page"])
    failure = replace(PAGE, fetched=days[first == "page"], text=None, failure="gone")
    other = replace(failure, url="https://b.example/", failure="blocked")
    with RunFile.in_memory() as run:
        keep(run, failure, page, other, replace(other, fetched="2026-11-22"))
        assert [(best.url, best.failure) for best in latest_captures(run)] == [
            ("https://a.example/", None),
            ("https://b.example/", "blocked"),
        ]
        assert [best.fetched for best in latest_captures(run)][1] == "2026-11-22"


def test_reports_that_cite_nothing_are_fetched_at_once(tmp_path):
    (tmp_path / "t1.md").write_text("# Tides\n\nThey rise.\n")
    harvest = fetch([tmp_path / "t1.md"], tmp_path / "pages.assay", Settings())
    assert (harvest.total, harvest.done) == (0, 0)


def test_it_runs_outside_the_main_thread_too(tmp_path):
    with Site() as site:
        (tmp_path / "t1.md").write_text(f"# Tides\n\nThey [rise]({site.url('/ok')}).\n")
        given = [tmp_path / "t1.md"], tmp_path / "pages.assay", Settings(allow_host=site.spec)
        seen = []
        thread = threading.Thread(target=lambda: seen.append(fetch(*given)))
        thread.start()
        thread.join()
    assert seen[0].states == {"ok": 1}


def test_one_page_serves_reports_that_spell_it_differently(tmp_path):
    with Site() as site:
        for task, spelling in (("t1", "/ok#a"), ("t2", "/ok#b")):
            (tmp_path / f"{task}.md").write_text(f"# Tides\n\n[Rise]({site.url(spelling)}).\n")
        given = [tmp_path], tmp_path / "pages.assay", Settings(allow_host=site.spec)
        assert fetch(*given).states == {"ok": 1}
        assert site.hits == {"/ok": 1}


def test_an_address_that_an_archive_knows_as_a_redirect_gets_the_page_behind_it(tmp_path):
    words = f"<html><body><article><p>The gauge was read.</p>{ORDINARY}</article>".encode()
    hops = [("https://a.example/old", "/newer"), ("https://a.example/newer", "/new")]
    archive = tmp_path / "crawl.warc.gz"
    archive.write_bytes(
        b"".join(
            foreign_warc((url, b""), status="301 Moved", headers=[("Location", to)])
            for url, to in hops
        )
        + foreign_warc(("https://a.example/new", words))
        + foreign_warc(
            ("https://a.example/gone", b""),
            status="302 Found",
            headers=[("Location", "https://b.example/")],
        )
    )
    pages = tmp_path / "pages.assay"
    assert import_pages([archive], pages, None).states == {"ok": 3}
    with RunFile.read(pages) as run:
        texts = {page.url: run.captures.get(page.id).text for page in latest_captures(run)}
    assert set(texts) == {f"https://a.example/{name}" for name in ("old", "newer", "new")}
    assert len(set(texts.values())) == 1
