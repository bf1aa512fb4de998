"""A corpus is read from whatever holds pages, and gives the same answers every time."""

import asyncio
import json
import subprocess
import sys
from contextlib import asynccontextmanager

import pytest

from deepassay.errors import BadRunFile, BadSnapshots
from deepassay.run.archives import import_pages
from deepassay.runfile import Capture, RunFile
from deepassay.sources.page import Failure, NoPage, Page
from deepassay.sources.snapshots import Snapshots
from deepassay.sources.warc_writing import write_captures
from deepassay.wings.research.search.corpus import open_corpus

pytestmark = pytest.mark.usefixtures("read_here")

MILL = (
    "---\nurl: https://A.example/mill#top\ndate: 2025-06-01\n---\n# Tide mill\n\nIt yields 34 %.\n"
)
GONE = (
    "---\nurl: https://a.example/gone\ntitle: Old figures\nstatus: 404\n---\nThe mill yields 22 %."
)
SHUT = "<!--\nurl: https://a.example/shut\nstatus: 403\n-->\n<p>The mill yields 22 % in autumn.</p>"
CHINESE = "---\nurl: https://b.example/潮汐\n---\n潮汐发电站每年发电。"


def folder(tmp_path, **files):
    for name, content in files.items():
        stem, _, ending = name.rpartition("_")
        path = tmp_path / "corpus" / f"{stem}.{ending}"
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, "utf-8")
    return tmp_path / "corpus"


@asynccontextmanager
async def corpus_of(tmp_path, **files):
    async with open_corpus(folder(tmp_path, **files)) as corpus:
        yield corpus


async def hits(corpus, query, **options):
    return (await corpus.search(query, **options)).hits


@pytest.mark.asyncio
async def test_a_folder_is_searched_and_read(tmp_path):
    async with corpus_of(
        tmp_path, mill_md=MILL, gone_md=GONE, shut_html=SHUT, zh_txt=CHINESE
    ) as corpus:
        (first, *others) = await hits(corpus, "mill 34")
        assert (first.url, first.title) == ("https://a.example/mill", "Tide mill")
        assert (first.snippet, first.date, first.rank) == ("It yields 34 %.", "2025-06-01", 1)
        assert [hit.url for hit in others] == ["https://a.example/gone", "https://a.example/shut"]
        assert [hit.rank for hit in others] == [2, 3]
        assert [hit.url for hit in await hits(corpus, "潮汐")] == ["https://b.example/潮汐"]
        assert await hits(corpus, 'OR NEAR( "') == ()
        assert len(await hits(corpus, "mill", count=2)) == 2
        page = await corpus.read("https://a.example/mill?utm_source=x")
        assert (page.text, page.failure) == ("# Tide mill\n\nIt yields 34 %.", None)
        assert (await corpus.read("https://c.example/")).failure == "not_archived"


@pytest.mark.asyncio
async def test_a_page_that_is_gone_or_shut_is_found_but_not_read(tmp_path):
    async with corpus_of(tmp_path, gone_md=GONE, shut_html=SHUT) as corpus:
        by_url = {hit.url: hit for hit in await hits(corpus, "mill")}
        assert by_url["https://a.example/gone"].snippet == "The mill yields 22 %."
        assert "22 % in autumn" in by_url["https://a.example/shut"].snippet
        gone, shut = [await corpus.read(url) for url in sorted(by_url)]
        assert (gone.status, gone.failure, gone.text) == (404, "gone", None)
        assert (shut.status, shut.failure, shut.text) == (403, "blocked", None)
        served = corpus.pages["https://a.example/gone"]
        assert (served.status, served.body) == (404, b"404 Not Found\n")


@pytest.mark.asyncio
async def test_what_is_served_is_what_was_saved(tmp_path):
    markup = '<html><head><link rel="canonical" href="https://a.example/p"></head><p>Mill</html>'
    async with corpus_of(tmp_path, p_html=markup, zh_txt=CHINESE) as corpus:
        page = corpus.pages["https://a.example/p"]
        assert (page.status, page.media, page.body) == (200, "text/html", markup.encode())
        page = corpus.pages["https://b.example/潮汐"]
        assert (page.media, page.body.decode()) == (
            "text/plain; charset=utf-8",
            "潮汐发电站每年发电。",
        )


@pytest.mark.asyncio
async def test_files_that_name_no_address_get_one_that_cannot_exist(tmp_path):
    path = folder(tmp_path, mill_md="# Mill\n\nTide.", with_blank_txt="Tide tables.")
    (path / "with_blank.txt").rename(path / "with blank.txt")
    async with open_corpus(path) as corpus:
        assert list(corpus.pages) == [
            "https://corpus.invalid/mill.md",
            "https://corpus.invalid/with%20blank.txt",
        ]
        assert corpus.pages["https://corpus.invalid/with%20blank.txt"].title == "with blank.txt"
    async with open_corpus(path / "mill.md") as corpus:
        assert list(corpus.pages) == ["https://corpus.invalid/mill.md"]


@pytest.mark.asyncio
async def test_a_folder_is_kept_as_snapshots_under_the_addresses_that_agents_saw(tmp_path):
    place = folder(tmp_path, mill_md=MILL, gone_md=GONE, shut_html=SHUT, **{"a tide_txt": "Tides."})
    for way in ("deep/潮汐.md", "deep/er/100 %.html", ".git/hidden.md"):
        (place / way).parent.mkdir(parents=True, exist_ok=True)
        (place / way).write_text(f"<p>The page {way} tells of tides.</p>", "utf-8")
    kept = tmp_path / "kept.assay"
    imported = await asyncio.to_thread(import_pages, [place], kept, None)

    async with open_corpus(place) as corpus:
        served = {url: page.capture.text for url, page in corpus.pages.items()}
    with RunFile.read(kept) as run:
        found = {url: run.captures.best(url).text for url in (e.url for e in run.captures.rows())}
    assert found == served
    assert "https://corpus.invalid/a%20tide.txt" in found
    assert imported.states == {"ok": 4, "gone": 1, "blocked": 1}
    with pytest.raises(BadSnapshots, match="--url is for a file"):
        await asyncio.to_thread(import_pages, [place], kept, "https://a.example/")
    inside = place / "run.assay"  # a run file there, as the default of the command, is no page
    for _ in range(2):
        again = await asyncio.to_thread(import_pages, [place], inside, None)
        assert again.states == imported.states


@pytest.mark.asyncio
async def test_rows_are_pages(tmp_path):
    rows = [
        {"url": "https://a.example/1", "text": "Tide mill.", "title": "One", "date": "2025-06-01"},
        {"url": "https://a.example/2", "text": "Tide tables.", "status": 403},
        {"url": "https://a.example/3", "text": "Tide.", "date": "last spring"},
    ]
    async with corpus_of(tmp_path, pages_jsonl="\n".join(map(json.dumps, rows))) as corpus:
        found = {hit.url[-1]: hit for hit in await hits(corpus, "tide")}
        assert [found[name].date for name in "123"] == ["2025-06-01", None, None]
        assert found["1"].title == "One"
        assert (await corpus.read("https://a.example/2")).failure == "blocked"


def captured(text, url="https://a.example/mill", fetched="2025-06-01T00:00:00Z", **more):
    return Capture(url, fetched, "direct", text=text, media="text/html", **more)


async def snapshots(path, *captures):
    with RunFile.share(path) as run:
        for capture in captures:
            await run.captures.keep(capture)
    return path


CAPTURES = (
    captured("The old mill."),
    captured("The new mill.", fetched="2026-06-01T00:00:00Z", body=b"<p>The new mill."),
    captured(None, fetched="2026-07-01T00:00:00Z", failure="timeout", detail="Slow."),
    captured(None, "https://a.example/gone", status=404, failure="gone"),
)


@pytest.mark.asyncio
@pytest.mark.parametrize("kind", ["run file", "archive"])
async def test_of_snapshots_the_newest_text_counts(tmp_path, kind):
    path = await snapshots(tmp_path / "pages.assay", *CAPTURES)
    if kind == "archive":
        with RunFile.read(path) as run, (tmp_path / "pages.warc").open("wb") as file:
            write_captures(run.captures.all(), file)
        path = tmp_path / "pages.warc"
    async with open_corpus(path) as corpus:
        (hit,) = await hits(corpus, "mill")
        assert (hit.snippet, hit.date) == ("The new mill.", None)
        assert (await corpus.read("https://a.example/mill")).text == "The new mill."
        assert corpus.pages["https://a.example/mill"].body == b"<p>The new mill."
        assert corpus.pages["https://a.example/gone"].status == 404


@pytest.mark.asyncio
async def test_snapshots_read_a_corpus_as_they_read_the_web(tmp_path):
    with RunFile.in_memory() as run:
        async with corpus_of(tmp_path, mill_md=MILL, gone_md=GONE) as corpus:
            pages = Snapshots(run.captures, reader=corpus)
            page = await pages.get("https://a.example/mill")
            gone = await pages.get("https://a.example/gone")
            absent = await pages.get("https://a.example/")
        assert isinstance(page, Page)
        assert (page.text, page.title) == ("# Tide mill\n\nIt yields 34 %.", "")
        assert isinstance(gone, NoPage)
        assert (gone.failure, gone.status) == (Failure.GONE, 404)
        assert isinstance(absent, NoPage)
        assert absent.failure is Failure.NOT_ARCHIVED


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ({"readme_rst": "Tide."}, "corpus: the corpus is empty"),
        ({"a_md": MILL, "b_md": MILL}, r"b\.md: https://a.example/mill is .* of .*a\.md as well"),
        ({"a_md": "---\nurl: mill\n---\nTide."}, r"a\.md: url cannot be 'mill'"),
        ({"a_md": "---\nstatus: 4040\n---\nTide."}, r"a\.md: status cannot be 4040"),
        ({"a_txt": "---\ndate: spring\n---\nTide."}, r"a\.txt: date cannot be 'spring'"),
        ({"a_md": "---\nurl: [\n---\nTide."}, r"a\.md: the front matter is not YAML"),
        ({"a_md": "\n"}, r"a\.md: no text can be read from it"),
        ({"a_pdf": "%PDF-1.4 torn"}, r"a\.pdf: no text can be read from it"),
        ({"a_jsonl": '{"url": "https://a.example/", "text": "x"}\n{'}, r"a\.jsonl, line 2"),
        ({"a_warc": "torn"}, r"a\.warc"),
    ],
)
async def test_what_is_no_corpus_is_refused(tmp_path, files, problem):
    with pytest.raises(BadSnapshots, match=problem) as refused:
        async with corpus_of(tmp_path, **files):
            pass
    assert refused.value.remedy


@pytest.mark.asyncio
async def test_all_files_that_cannot_be_read_are_named_at_once_and_can_be_left_out(tmp_path):
    with pytest.raises(BadSnapshots) as refused:
        async with corpus_of(
            tmp_path, a_md="\n", b_pdf="%PDF-1.4 torn", mill_md=MILL, c_warc="torn"
        ):
            pass
    first, *files = refused.value.problem.splitlines()
    assert first.endswith("corpus: 3 of 4 files cannot be read:")
    for name, told in zip(("a.md", "b.pdf", "c.warc"), files, strict=True):
        assert told.startswith(f"  {tmp_path / 'corpus' / name}")
        (tmp_path / "corpus" / name).rename(tmp_path / "corpus" / f".{name}")
    async with open_corpus(tmp_path / "corpus") as corpus:
        assert len(corpus.pages) == 1


@pytest.mark.asyncio
async def test_a_corpus_that_is_not_there_or_damaged_is_refused(tmp_path):
    with pytest.raises(BadSnapshots, match="no such file or folder"):
        async with open_corpus(tmp_path / "none"):
            pass
    (tmp_path / "a.assay").write_bytes(b"SQLite format 3\0 and nothing else")
    with pytest.raises(BadRunFile):
        async with open_corpus(tmp_path / "a.assay"):
            pass


@pytest.mark.asyncio
async def test_a_file_beside_a_page_says_what_the_page_cannot(tmp_path):
    path = folder(tmp_path, mill_txt="Tide mill.")
    (path / "mill.txt.yaml").write_text("url: https://a.example/mill\ntitle: Mill\n")
    async with open_corpus(path) as corpus:
        assert corpus.pages["https://a.example/mill"].title == "Mill"


async def digest_of(path):
    async with open_corpus(path) as corpus:
        return corpus.digest


@pytest.mark.asyncio
async def test_the_digest_is_that_of_the_pages(tmp_path):
    path = folder(tmp_path, mill_md=MILL, gone_md=GONE)
    before = await digest_of(path)
    (path / "mill.md").rename(path / "renamed.md")
    assert await digest_of(path) == before
    (path / "gone.md").write_text(GONE.replace("22", "23"))
    assert await digest_of(path) != before


def test_answers_are_the_same_in_every_process(tmp_path):
    path = folder(tmp_path, mill_md=MILL, gone_md=GONE, zh_txt=CHINESE)
    program = (
        "import asyncio, sys\n"
        "from pathlib import Path\n"
        "from deepassay.wings.research.search.corpus import open_corpus\n"
        "async def main():\n"
        "    async with open_corpus(Path(sys.argv[1])) as corpus:\n"
        "        print(corpus.identity, await corpus.search('mill 34 潮汐 yields'))\n"
        "asyncio.run(main())\n"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", program, path],
            env={"PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1
    assert "潮汐".encode() in said.pop()


LINKS = {
    "a file elsewhere": "../elsewhere/secret.md",
    "an absolute one": "/etc/hostname",
    "a way around": "../corpus/../elsewhere/secret.md",
    "a link to a link": "../elsewhere/link.md",
}


@pytest.mark.asyncio
@pytest.mark.parametrize("title", LINKS)
@pytest.mark.parametrize("ending", ["md", "html", "jsonl"])
async def test_a_link_out_of_the_folder_is_refused_by_name(tmp_path, title, ending):
    place = folder(tmp_path, mill_md=MILL)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "secret.md").write_text("A secret of the user.\n")
    (tmp_path / "elsewhere" / "link.md").symlink_to("secret.md")
    (place / f"leads.{ending}").symlink_to(LINKS[title])
    with pytest.raises(BadSnapshots, match=r"leads.*leads out of the folder"):
        async with open_corpus(place):
            pass
    with pytest.raises(BadSnapshots, match=r"leads.*leads out of the folder"):
        await asyncio.to_thread(import_pages, [place], tmp_path / "kept.assay", None)


@pytest.mark.asyncio
async def test_a_link_within_the_folder_is_a_page_and_a_folder_may_be_one(tmp_path):
    place = folder(tmp_path, mill_md=MILL)
    (place / "deep").mkdir()
    (place / "deep" / "more.txt").write_text("Another page.\n")
    (place / "linked.txt").symlink_to("deep/more.txt")
    (tmp_path / "named").symlink_to(place)
    async with open_corpus(tmp_path / "named") as corpus:
        assert len(corpus.pages) == 3
