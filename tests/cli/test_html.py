"""`deepassay html`: the page of the demonstration, read as people read it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from urllib.parse import unquote

import pytest

from deepassay.errors import BadSetting
from deepassay.run.archives import import_pages
from deepassay.run.asking.evaluate import evaluate
from deepassay.run.settings import Settings
from deepassay.run.showing.page import write_page
from deepassay.run.showing.records import records_of
from deepassay.runfile import RunFile
from deepassay.runfile.rows import Attempt
from tests.browser import Browser, needs_chromium

from .conftest import Run


@pytest.fixture(scope="module")
def evaluated(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three protocols of the demonstration, with its pages."""
    demo = repository / "examples" / "demo"
    file = tmp_path_factory.mktemp("evaluated") / "run.assay"
    import_pages([demo / "pages.jsonl"], file, url=None)
    settings = Settings(
        protocols=["presentation", "fact", "rubrics"], rubric=demo / "rubrics.yaml",
        offline_sources=True, judges=["offline"], date="2026-05-04", run=file,
    )  # fmt: skip
    assert evaluate(demo / "tasks.jsonl", [demo / "reports"], settings).tally.left == 0
    return file


@pytest.fixture(scope="module")
def whole(evaluated: Path) -> str:
    """Its page in one file."""
    file = evaluated.with_name("whole.html")
    write_page([evaluated], file)
    return file.read_text(encoding="utf-8")


@pytest.fixture
def run(evaluated: Path, tmp_path: Path) -> Path:
    """A copy of it, which a test may change."""
    return shutil.copy(evaluated, tmp_path / "run.assay")


@needs_chromium
def test_a_reader_finds_the_ranking_a_report_and_the_place_of_a_finding(
    deepassay: Run, run: Path, tmp_path: Path
) -> None:
    assert deepassay("html", run, "-o", "results.html").returncode == 0
    file = tmp_path / "results.html"
    with Browser() as tab:
        tab.screen(390, 844)
        tab.open(file)
        ranking = tab.run(
            "[...document.querySelectorAll('#leaderboard table')]"
            ".find(each => each.caption.textContent.startsWith('fact'))"
            ".querySelector('tbody').innerText"
        )
        assert [line.split()[1] for line in ranking.splitlines()] == ["heron", "magpie", "cuckoo"]

        # A link to a mark opens the report that it stands in, and nothing else needs to be done.
        pointer = tab.run(
            "document.querySelector('.item.bad p:first-child > a').getAttribute('href')"
        ).removeprefix("#")
        assert not tab.run(f"document.getElementById('{pointer}').checkVisibility()")
        tab.run(f"location.hash = '{pointer}'")
        tab.settle()
        assert tab.run(f"document.getElementById('{pointer}').checkVisibility()")
        top = tab.run(f"document.getElementById('{pointer}').getBoundingClientRect().top")
        assert 0 <= top < 844
        marked = tab.run(
            f"(mark => {{ while (mark.tagName !== 'MARK') mark = mark.nextElementSibling;"
            f" return mark.textContent }})(document.getElementById('{pointer}'))"
        )
        texts = [each.read_text(encoding="utf-8") for each in _reports(tmp_path, run)]
        assert any(marked in text for text in texts)

        wide = tab.run("document.documentElement.scrollWidth")
        assert wide <= 390, "a phone would have to scroll sideways"
        asked = [url for url in tab.requests() if not url.startswith("data:image/svg+xml;base64,")]
        assert asked == [file.as_uri()]
        drawn = "[...document.images].filter(each => each.naturalWidth > 100).length"
        assert tab.run(drawn) >= 2
        assert tab.of("Log.entryAdded") == []


def _reports(folder: Path, run: Path) -> list[Path]:
    """The reports of a run, written out."""
    found = []
    with RunFile.read(run) as file:
        for number, report in enumerate(file.reports()):
            found.append(folder / f"{number}.txt")
            found[-1].write_text(report.text, encoding="utf-8")
    return found


def test_every_judgement_and_every_quote_on_its_page_is_there(evaluated: Path, whole: str) -> None:
    records = records_of([evaluated])
    assert whole.count('<details class="judgement"') >= len(records)
    supported = sum(
        item["verdict"] == "supported"
        for each in records
        if each.protocol == "fact"
        for item in each.outcome.details["items"]
    )
    assert supported > 0
    assert whole.count('<details class="passage"') + whole.count('<a class="passage"') == supported


def test_a_page_that_is_there_is_overwritten_only_on_request(
    deepassay: Run, run: Path, tmp_path: Path
) -> None:
    (tmp_path / "results.html").write_text("mine")
    done = deepassay("html", run, "-o", "results.html")
    assert done.returncode == 2
    assert "--force" in done.stderr
    assert (tmp_path / "results.html").read_text() == "mine"
    assert deepassay("html", run, "-o", "results.html", "--force").returncode == 0
    assert "<!doctype html>" in (tmp_path / "results.html").read_text(encoding="utf-8")


def test_a_run_file_is_never_the_page(deepassay: Run, run: Path) -> None:
    before = run.read_bytes()
    assert deepassay("html", run, "-o", run, "--force").returncode == 2
    assert run.read_bytes() == before


def test_a_folder_for_the_page_is_refused_in_words(deepassay: Run, run: Path, tmp_path) -> None:
    (tmp_path / "taken").mkdir()
    done = deepassay("html", run, "-o", "taken", "--force")
    assert done.returncode == 2
    assert "is a folder" in done.stderr
    assert not list(tmp_path.glob(".taken*"))


def test_runs_with_different_reports_of_one_agent_are_refused(
    deepassay: Run, small: tuple[str, str], tmp_path: Path
) -> None:
    tasks, reports = small
    deepassay("evaluate", tasks, reports, "--judge", "offline", "--run", "one.assay")
    shutil.copytree(reports, "later")
    (tmp_path / "later" / "heron" / "a.md").write_text("# Another\n\nIt is blue.\n")
    deepassay("evaluate", tasks, "later", "--judge", "offline", "--run", "two.assay")
    done = deepassay("html", "one.assay", "two.assay", "-o", "results.html")
    assert done.returncode == 2
    assert "different reports of heron for a" in done.stderr


def test_failures_are_listed_with_their_causes_and_the_cost_stands_below(
    deepassay: Run, small: tuple[str, str], tmp_path: Path
) -> None:
    deepassay("evaluate", *small, "--judge", "offline", "--run", "one.assay")
    with RunFile.create(tmp_path / "one.assay") as run:
        run.keep_attempts([Attempt("key", 1, "answer", cost=1.25, usage={"input_tokens": 7})])
    write_page([tmp_path / "one.assay"], tmp_path / "results.html")
    html = (tmp_path / "results.html").read_text(encoding="utf-8")
    failures = html[html.index('id="failures"') : html.index('id="recipe"')]
    assert "missing_input" in failures
    assert "the agent has no report for this task" in failures
    assert "1.2500" in html[html.index('id="recipe"') :]
    assert "input_tokens 7" in html


def test_the_page_of_forty_long_reports_is_small(
    deepassay: Run, shared: Path, repository: Path, tmp_path: Path
) -> None:
    metrics = ("presentation", "consistency", "coverage", "citation_association", "fact")
    deepassay(
        *("evaluate", repository / "tests/live/tasks.jsonl", shared / "data" / "live" / "reports"),
        *(word for each in (*metrics, "citation_accuracy") for word in ("--protocol", each)),
        *("--offline-sources", "--judge", "offline", "--run", "live.assay"),
    )
    size = write_page([tmp_path / "live.assay"], tmp_path / "results.html").size
    assert (tmp_path / "results.html").read_text("utf-8").count('<details class="report"') == 40
    assert size < 8_000_000


SMALL = 0.15
"""MB of a file, so that the demonstration does not fit into one."""


@needs_chromium
def test_a_page_that_is_too_large_is_an_index_and_files_that_a_reader_walks_through(
    deepassay: Run, run: Path, tmp_path: Path
) -> None:
    done = deepassay("html", run, "-o", "my results.html", "--largest", str(SMALL))
    assert done.returncode == 0
    assert "follows in my results-pages" in done.stderr
    index, folder = tmp_path / "my results.html", tmp_path / "my results-pages"
    files = sorted(folder.iterdir())
    assert max(each.stat().st_size for each in (index, *files)) <= SMALL * 1e6
    names = [each.name for each in files]
    assert names[:3] == ["agent-0001.html", "agent-0002.html", "agent-0003.html"]
    assert {"reports-0001.html", "reports-0001-2.html"} <= set(names)
    with Browser() as tab:
        tab.open(index)
        assert tab.run("document.querySelectorAll('#best table').length") == 3
        for section, name in (("agents", "cuckoo"), ("reports", "terrace-heat")):
            assert tab.run(f"document.querySelector('#{section} a').textContent") == name
        tab.run("document.querySelector('#agents a').click()")
        tab.settle()
        assert tab.run("document.querySelector('h1').textContent") == "cuckoo"
        wanted = tab.run("document.querySelector('td a').getAttribute('href')")
        tab.run("document.querySelector('td a').click()")
        tab.settle()
        assert tab.run("location.href").endswith(wanted)
        anchor = wanted.partition("#")[2]
        assert "cuckoo" in tab.run(f"document.getElementById('{anchor}').innerText")
        tab.run("document.querySelector('nav a').click()")
        tab.settle()
        assert tab.run("document.querySelector('h1').textContent") == "Results"
        asked = [url for url in tab.requests() if not url.startswith("data:image/svg+xml;base64,")]
        assert all(url.startswith("file://") for url in asked)
        assert tab.of("Log.entryAdded") == []


@pytest.mark.parametrize(
    ("largest", "moved"), [(SMALL, {"figures"}), (SMALL / 4, {"figures", "tables"})]
)
def test_a_page_in_files_has_what_one_file_has_and_every_link_leads_somewhere(
    run: Path, tmp_path: Path, whole: str, largest: float, moved: set[str]
) -> None:
    index = tmp_path / "results.html"
    found = write_page([run], index, limit=round(largest * 1e6))
    assert found.folder == tmp_path / "results-pages"
    assert found.files == len(list(found.folder.iterdir()))
    pages = {each: each.read_text(encoding="utf-8") for each in (index, *found.folder.iterdir())}
    assert index.stat().st_size <= largest * 1e6
    kinds = {each.name.partition("-")[0] for each in found.folder.iterdir()}
    assert kinds == {"agent", "reports", *moved}
    for piece in (
        "<figure>",
        "<caption>",
        '<details class="judgement"',
        '<details class="report"',
        "<h6>Judge",
        "<tr><td>",
    ):
        assert sum(map(str.count, pages.values(), [piece] * len(pages))) >= whole.count(piece)
    assert sum(text.count('<details class="report"') for text in pages.values()) == 18
    for page, text in pages.items():
        for link in re.findall(r'href="([^"#]*)(#[^"]*)?"', text):
            if link[0].startswith("http"):
                continue
            target = page if not link[0] else (page.parent / unquote(link[0])).resolve()
            assert target in pages, (page, link)
            assert not link[1] or f'id="{link[1][1:]}"' in pages[target], (page, link)


def test_files_of_an_earlier_page_are_gone_and_others_stay(run: Path, tmp_path: Path) -> None:
    output, folder = tmp_path / "results.html", tmp_path / "results-pages"
    write_page([run], output, limit=round(SMALL * 1e6))
    (folder / "reports-0001.html").rename(folder / "reports-9999.html")
    (folder / "mine.html").write_text("mine")
    with pytest.raises(BadSetting, match="results\\.html is there"):
        write_page([run], output)
    output.unlink()
    with pytest.raises(BadSetting, match="results-pages is there"):
        write_page([run], output, limit=round(SMALL * 1e6))
    assert not output.exists()
    write_page([run], output, force=True)
    assert [each.name for each in folder.iterdir()] == ["mine.html"]


def test_a_file_where_the_folder_belongs_is_in_the_way_of_a_split_page_alone(
    run: Path, tmp_path: Path
) -> None:
    output, folder = tmp_path / "results.html", tmp_path / "results-pages"
    folder.write_text("My notes.")
    with pytest.raises(BadSetting, match="results-pages is no folder"):
        write_page([run], output, force=True, limit=round(SMALL * 1e6))
    assert not output.exists()
    write_page([run], output, force=True)
    assert output.exists() and folder.read_text() == "My notes."


@pytest.mark.parametrize("limit", [SMALL, 20])
def test_a_file_that_only_has_the_name_of_one_of_ours_is_kept(
    run: Path, tmp_path: Path, limit: float
) -> None:
    output, folder = tmp_path / "results.html", tmp_path / "results-pages"
    folder.mkdir()
    (folder / "agent-0001.html").write_text("<!doctype html><p>My notes.</p>")
    with pytest.raises(BadSetting, match="agent-0001\\.html was not written by"):
        write_page([run], output, force=True, limit=round(limit * 1e6))
    assert (folder / "agent-0001.html").read_text() == "<!doctype html><p>My notes.</p>"
    assert not output.exists()
