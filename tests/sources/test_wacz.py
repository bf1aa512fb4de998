"""A WACZ is read as the web archives in it; a ZIP that is none, or a trap, is refused."""

from __future__ import annotations

import zipfile
from collections import Counter
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.errors import BadSnapshots, DamagedSnapshots
from deepassay.runfile import Capture
from deepassay.sources.wacz_reading import read_wacz
from deepassay.sources.warc_writing import write_captures

PAGES = [
    Capture(f"https://a.example/{number}", "2026-11-20T10:00:00Z", "direct", text=f"Page {number}.")
    for number in range(3)
]


def warc(*captures: Capture) -> bytes:
    out = BytesIO()
    write_captures(captures, out)
    return out.getvalue()


def wacz(path: Path, members: dict[str, bytes], packing: int = zipfile.ZIP_STORED) -> Path:
    with zipfile.ZipFile(path, "w", packing) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return path


def read(path: Path) -> list[Capture]:
    return list(read_wacz(path, Counter(), {}))


def test_the_pages_of_all_its_archives_come_in(tmp_path: Path) -> None:
    members = {
        "datapackage.json": b"{}",
        "archive/data-0.warc.gz": warc(PAGES[0], PAGES[1]),
        "archive/data-1.WARC.GZ": warc(PAGES[2]),
        "pages/pages.jsonl": b"{}",
        "indexes/index.cdx.gz": b"",
    }
    assert read(wacz(tmp_path / "a.wacz", members)) == PAGES
    assert read(wacz(tmp_path / "b.wacz", members, zipfile.ZIP_DEFLATED)) == PAGES


def test_names_choose_members_and_lead_nowhere(tmp_path: Path) -> None:
    names = (
        "../archive/a.warc.gz",
        "/archive/a.warc.gz",
        "archive/../a.warc.gz",
        "archive/b/a.warc",
    )
    members = {name: warc(PAGES[1]) for name in names} | {"archive/ok.warc.gz": warc(PAGES[0])}
    assert read(wacz(tmp_path / "a.wacz", members)) == [PAGES[0]]
    assert [each.name for each in tmp_path.iterdir()] == ["a.wacz"]


@pytest.mark.parametrize(
    ("members", "says"),
    [
        ({"word/document.xml": b"<w/>"}, "without web archives"),
        ({"archive/inner.wacz": b"PK"}, "without web archives"),
        ({"archive/a.warc": bytes(50_000_000)}, "no honest WACZ"),
        ({"archive/a.warc.gz": b""} | {f"{n}": b"" for n in range(10_001)}, "no honest WACZ"),
    ],
)
def test_what_is_none_or_a_trap_is_refused(
    tmp_path: Path, members: dict[str, bytes], says: str
) -> None:
    with pytest.raises(BadSnapshots, match=says):
        read(wacz(tmp_path / "a.wacz", members, zipfile.ZIP_DEFLATED))


def test_one_bad_archive_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    members = {
        "archive/bad.warc.gz": b"PK\x03\x04",
        "archive/cut.warc.gz": warc(*PAGES)[:-200],
        "archive/good.warc.gz": warc(PAGES[0]),
    }
    found = []
    with pytest.raises(DamagedSnapshots) as told:
        for capture in read_wacz(wacz(tmp_path / "a.wacz", members), Counter(), {}):
            found.append(capture.url)
    assert found[-1] == PAGES[0].url
    assert len(told.value.problems) == 2
    assert "bad.warc.gz" in told.value.problems[0] and "cut.warc.gz" in told.value.problems[1]


@given(st.integers(0, 3000), st.integers(0, 255))
@settings(deadline=None, max_examples=40)
def test_a_flipped_byte_is_told_or_harmless(place: int, byte: int) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = wacz(Path(folder) / "a.wacz", {"archive/a.warc.gz": warc(*PAGES)})
        content = bytearray(path.read_bytes())
        content[place % len(content)] = byte
        path.write_bytes(content)
        try:
            assert read(path) == PAGES
        except BadSnapshots as error:
            assert "a.wacz" in error.problem
