"""Captures survive a WARC file; those of other programs become pages; nothing is lost unsaid."""

import gzip
import io
import resource
import subprocess
import sys
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from deepassay.errors import BadSnapshots
from deepassay.runfile import Capture
from deepassay.sources import body as bodies
from deepassay.sources import warc_reading
from deepassay.sources.warc_reading import read_warc
from deepassay.sources.warc_writing import write_captures

NOW = "2026-11-20T10:00:00Z"
PAGE = Capture(
    "https://example.org/herons",
    NOW,
    "direct",
    final_url="https://www.example.org/herons?a=b",
    status=200,
    media="text/html; charset=utf-8",
    title="Herons\r\nX-Injected: yes 鹭",
    text="Herons breed 在欧洲。\n\nline \u2028 lone \ud800",
    body=b"<p>Herons breed",
)
CAPTURES = [
    PAGE,
    Capture("https://example.org/gone", NOW, "direct", status=404, failure="gone", detail="404."),
    Capture("https://example.org/jina", "2026-11-20T11:00:00.5+02:00", "jina", text="A reading"),
    Capture("https://example.org/scan", NOW, "direct", body=b"%PDF", failure="not_text"),
    Capture("https://example.org/empty", "long ago", "import", text="", body=b""),
    Capture("http://[broken", NOW, "direct", media="a\r\nb: 中", text="x", body=b"y"),
]


def exported(captures=CAPTURES):
    out = io.BytesIO()
    assert write_captures(captures, out) == len(captures)
    return out.getvalue()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "pages.warc.gz"


def read(path, content):
    path.write_bytes(content)
    return list(read_warc(path))


def read_until_error(path, content):
    path.write_bytes(content)
    found = []
    with pytest.raises(BadSnapshots) as told:
        for capture in read_warc(path):
            found.append(capture)
    return found, str(told.value)


# ------------------------------------------------------------------ ours


def test_captures_come_back_the_very_same(path):
    found = read(path, exported())
    assert found == CAPTURES
    assert [each.id for each in found] == [each.id for each in CAPTURES]


def test_an_export_is_the_same_bytes_again():
    assert exported() == exported([replace(each) for each in CAPTURES])


def test_what_was_imported_is_exported_as_the_same_bytes(path):
    assert exported(read(path, exported())) == exported()


def test_nothing_is_a_valid_export(path):
    assert read(path, exported([])) == []


def test_a_capture_kept_without_its_body_keeps_its_name(path):
    bare = replace(PAGE, body=None)
    vars(bare)["id"] = PAGE.id
    [found] = read(path, exported([bare]))
    assert (found.id, found.body) == (PAGE.id, None)


def test_exports_can_be_joined_and_unpacked(path):
    both = exported(CAPTURES[:2]) + exported(CAPTURES[2:])
    assert read(path, both) == CAPTURES
    assert read(path, gzip.decompress(both)) == CAPTURES


def test_warcio_finds_every_digest_right(path):
    path.write_bytes(exported())
    check = [sys.executable, "-m", "warcio.cli", "check", "-v", str(path)]
    done = subprocess.run(check, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    # warcinfo and count; metadata of each; bodies, two of them with a request; texts
    assert done.stdout.count("digest pass") == 2 + 6 + (4 + 2) + 4


def test_no_header_can_be_written_by_a_page():
    lines = gzip.decompress(exported()).split(b"\r\n")
    assert not [line for line in lines if line.startswith((b"X-Injected", b"b:"))]


URLS = st.one_of(
    st.text(max_size=30),
    st.text(max_size=30).map("https://example.org/".__add__),
    st.characters().map("http://{}/ [".format),
)
TEXTS = st.text(st.characters(exclude_categories=()), max_size=30)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.builds(
            Capture,
            url=st.one_of(URLS, TEXTS),
            fetched=st.one_of(st.just(NOW), st.datetimes().map(str), TEXTS),
            reader=st.sampled_from(["direct", "jina", "archive", "import"]),
            final_url=st.one_of(st.just(""), URLS),
            status=st.one_of(st.none(), st.integers(0, 999)),
            media=st.one_of(st.just("text/html"), TEXTS),
            title=TEXTS,
            text=st.one_of(st.none(), TEXTS),
            body=st.one_of(st.none(), st.binary(max_size=99)),
            failure=st.sampled_from([None, "gone", "blocked"]),
            detail=TEXTS,
        ),
        max_size=4,
        unique_by=lambda capture: capture.id,
    )
)
def test_any_captures_come_back(tmp_path_factory, captures):
    path = tmp_path_factory.getbasetemp() / "any.warc.gz"
    found = read(path, exported(captures))
    assert found == captures
    assert [each.id for each in found] == [each.id for each in captures]


@pytest.mark.parametrize("media", ["=0;¡", "text/html; charset=中文", "é;=é", "a\tb\x85c"])
def test_a_strange_media_type_comes_back(path, media):
    capture = Capture("http://a.example/", NOW, "direct", media=media, body=b"words")
    assert read(path, exported([capture])) == [capture]


# ------------------------------------------------------------------ damage


def members(content):
    """Where each record of a gzipped WARC ends."""
    at = [place for place in range(len(content)) if content.startswith(b"\x1f\x8b\x08", place)]
    return [*at[1:], len(content)]


def test_a_file_that_was_cut_is_told_and_what_stands_before_is_given(path):
    content = exported()
    cuts = [*members(content)[:-1], *range(len(content) - 40, len(content) - 12, 9)]
    for cut in cuts:
        found, problem = read_until_error(path, content[:cut])
        assert found == CAPTURES[: len(found)]
        assert "cut" in problem or "not there" in problem
    assert len(found) == len(CAPTURES)


def test_a_body_that_was_changed_is_told_and_the_others_are_given(path):
    content = gzip.decompress(exported()).replace(b"<p>Herons", b"<p>Egrets")
    found, problem = read_until_error(path, content)
    assert found == CAPTURES[1:]
    assert f"the body of capture {PAGE.id} is not what was exported" in problem


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"failure": "gone"', b'"failure": "rust"'),
        (b'"status": 404', b'"status": "4"'),
        (b'"detail": "404."', b'"detail": [1, 2]'),
        (b'"detail"', b'"retail"'),
        (b'"sha256": {}', b'"sha256": 55'),
        (b'"id": "', b'"id":"-'),
        (b'"capture"', b'"kapture"'),
        (b"{\n", b"[\n"),
    ],
)
def test_a_description_that_we_never_wrote_is_told(path, old, new):
    gone = gzip.decompress(exported([CAPTURES[1]]))
    assert old in gone
    found, problem = read_until_error(path, gone.replace(old, new, 1))
    assert not found
    assert "description" in problem
    assert "0 of 1" in problem


def test_many_problems_are_told_shortly(path):
    many = [replace(PAGE, detail=str(number)) for number in range(500)]
    content = gzip.decompress(exported(many)).replace(b"<p>Herons", b"<p>Egrets")
    found, problem = read_until_error(path, content)
    assert not found
    assert "496 more" in problem
    assert len(problem) < 1000


def test_a_capture_that_was_taken_out_is_told(path):
    content = exported()
    second = members(content)[4:6]
    found, problem = read_until_error(path, content[: second[0]] + content[second[1] :])
    assert len(found) == len(CAPTURES) - 1
    assert "5 of 6 captures" in problem


@pytest.mark.parametrize("content", [b"", b"<html>", b"SQLite format 3\0", b"\x1f\x8b", b"WARC/"])
def test_what_is_no_warc_is_refused_with_a_remedy(path, content):
    found, problem = read_until_error(path, content)
    assert not found
    assert "\n  " in problem


def test_gzip_of_something_else_is_refused(path):
    assert "is no WARC" in read_until_error(path, gzip.compress(b"<html>words</html>"))[1]


def test_a_zip_file_is_told(path):
    assert "is a ZIP file" in read_until_error(path, b"PK\x03\x04rest")[1]


def test_a_warc_packed_as_a_whole_is_told_to_be_unpacked(path):
    content = gzip.compress(gzip.decompress(foreign_warc(("https://example.org/", b"words")) * 3))
    assert "gunzip" in read_until_error(path, content)[1]


# ------------------------------------------------------------------ of other programs


def foreign_warc(*pages, status="200 OK", media="text/html", headers=(), kind="response"):
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=True)
    writer.write_record(writer.create_warcinfo_record("a.warc.gz", {"software": "Wget/1.21"}))
    for url, body in pages:
        http = None
        if kind == "response":
            fields = [("Content-Type", media), *headers]
            http = StatusAndHeaders(status, fields, protocol="HTTP/1.1")
        writer.write_record(
            writer.create_warc_record(
                url,
                kind,
                payload=io.BytesIO(body),
                length=len(body),
                http_headers=http,
                warc_content_type="" if http else media,
                warc_headers_dict={"WARC-Date": NOW},
            )
        )
    return out.getvalue()


def test_pages_of_other_programs_are_taken(path):
    [found] = read(path, foreign_warc(("https://Example.org/a?utm_source=b", b"<p>words")))
    assert found == Capture(
        "https://example.org/a",
        NOW,
        "import",
        final_url="https://Example.org/a?utm_source=b",
        status=200,
        media="text/html",
        body=b"<p>words",
    )


def test_files_stored_as_resources_are_taken(path):
    content = foreign_warc(
        ("https://example.org/a.pdf", b"%PDF"), media="application/pdf", kind="resource"
    )
    assert [(each.body, each.media) for each in read(path, content)] == [
        (b"%PDF", "application/pdf")
    ]


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (gzip.compress(b"words"), [("Content-Encoding", "gzip")]),
        (b"words", [("Content-Encoding", "gzip")]),
        (b"3\r\nwor\r\n2\r\nds\r\n0\r\n\r\n", [("Transfer-Encoding", "chunked")]),
        (b"words", [("Transfer-Encoding", "chunked")]),
        (gzip.compress(b"wo") + gzip.compress(b"rds"), [("Content-Encoding", "x-gzip")]),
    ],
    ids=["gzip", "gzip no more", "chunked", "chunked no more", "two members"],
)
def test_the_encodings_of_the_transport_are_undone(path, body, headers):
    [found] = read(path, foreign_warc(("https://example.org/", body), headers=headers))
    assert found.body == b"words"


@pytest.mark.parametrize(
    ("body", "encoding"),
    [(gzip.compress(b"words" * 99)[:-9], "gzip"), (b"words", "br")],
    ids=["cut off", "unknown"],
)
def test_what_cannot_be_unpacked_is_a_failure(path, body, encoding):
    headers = [("Content-Encoding", encoding)]
    [found] = read(path, foreign_warc(("https://example.org/", body), headers=headers))
    assert (found.body, found.failure) == (None, "not_text")


def test_what_is_no_page_is_counted(path):
    page = ("https://example.org/", b"words")
    path.write_bytes(
        foreign_warc(page, status="404 Not Found")
        + foreign_warc(page, status="301 Moved")
        + foreign_warc(page, media="image/png")
        + foreign_warc(page, media="text/css")
        + foreign_warc(("dns:example.org", b"words"), kind="resource", media="text/dns")
        + foreign_warc(("https://example.org/", b""), kind="revisit")
        + foreign_warc(page)
    )
    skipped = Counter()
    assert len(list(read_warc(path, skipped))) == 1
    assert skipped == {
        "HTTP status 404": 1,
        "HTTP status 301": 1,
        "no text: images, styles, scripts and the like": 2,
        "no web address": 1,
        "revisit records": 1,
    }


def test_a_foreign_file_that_ends_within_a_page_is_told(path):
    pages = [(f"https://example.org/{number}", b"words " * 1000) for number in range(3)]
    content = gzip.decompress(foreign_warc(*pages))
    found, problem = read_until_error(path, content[:-100])
    assert len(found) == 2
    assert "middle of a record" in problem


def test_ours_and_others_can_stand_in_one_file(path):
    other = foreign_warc(("https://example.org/other", b"words"))
    assert [each.url for each in read(path, exported() + other)][-1] == "https://example.org/other"


@pytest.mark.parametrize("packed", [True, False], ids=["encoded body", "plain body"])
def test_a_bomb_is_stopped_at_the_cap(path, packed, monkeypatch):
    bomb = packed_blanks(300)
    page = ("https://example.org/", bomb if packed else gzip.decompress(packed_blanks(30)))
    headers = [("Content-Encoding", "gzip")] if packed else []
    path.write_bytes(foreign_warc(page, headers=headers))
    del page
    unpacked = []
    feed = bodies._PlainBody.feed
    monkeypatch.setattr(
        bodies._PlainBody,
        "feed",
        lambda self, piece: unpacked.append(len(piece)) or feed(self, piece),
    )
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    [found] = read_warc(path)
    assert warc_reading.CAP < sum(unpacked) < 1.1 * warc_reading.CAP
    assert (found.failure, found.body) == ("too_large", None)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kB


def packed_blanks(megabytes):
    return b"".join([gzip.compress(b" " * 1_000_000, mtime=0)] * megabytes)


def test_the_cap_itself_is_allowed(path, monkeypatch):
    monkeypatch.setattr(warc_reading, "CAP", 5)
    [found] = read(path, foreign_warc(("https://example.org/", b"words")))
    assert found.body == b"words"
    [found] = read(path, foreign_warc(("https://example.org/", b"words!")))
    assert found.failure == "too_large"


def test_hostile_headers_do_not_break_the_reader(path):
    for record in (
        b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 5\r\n\r\nHTTP/\r\n\r\n",
        b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: x\r\n\r\n",
        b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a/\r\nContent-Length: "
        + b"9" * 5000
        + b"\r\n\r\n",
        b"WARC/1.0\r\n\r\n\r\n\r\n",
        b"WARC/1.0\r\n" + b"a" * 1_000_000,
    ):
        path.write_bytes(record)
        try:
            assert list(read_warc(path)) == []
        except BadSnapshots:
            continue
