"""Titles of papers: out of tables, and from registries, which are asked once and only if wanted."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from deepassay.errors import BadSetting
from deepassay.run.asking.papers import registered_titles, titles_of_file

TITLE = "Measuring the Tides of Shallow Northern Harbours"


@contextmanager
def registry():
    """A registry on loopback that knows two papers, and what it was asked."""
    asked = []
    known = {
        "/works/10.1000/tides.19": {"message": {"publisher": "P", "title": [TITLE]}},
        "/dois/10.48550/arXiv.2401.00001": {"data": {"attributes": {"titles": [{"title": "Two"}]}}},
    }

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            found = known.get(self.path)
            body = json.dumps(found or {"status": "no"}).encode()
            self.send_response(200 if found else 404)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *told):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    host = f"127.0.0.1:{server.server_port}"
    try:
        yield host, asked
    finally:
        server.shutdown()
        server.server_close()


def test_registries_are_asked_once_and_their_answers_are_kept(tmp_path):
    wanted = ["10.1000/tides.19", "arxiv:2401.00001", "10.1000/none", "10.1000/tides.19"]
    with registry() as (host, asked):
        terms = {
            "registries": (f"http://{host}/works/", f"http://{host}/dois/"),
            "allow_hosts": [host],
        }
        found = registered_titles(wanted, tmp_path / "p.assay", **terms)
        assert found == {"10.1000/tides.19": TITLE, "arxiv:2401.00001": "Two", "10.1000/none": None}
        assert sorted(asked) == [
            "/dois/10.48550/arXiv.2401.00001",
            "/works/10.1000/none",
            "/works/10.1000/tides.19",
        ]
        asked.clear()
        assert registered_titles(wanted, tmp_path / "p.assay", **terms) == found
        assert asked == ["/works/10.1000/none"]  # what failed may be there now


def test_a_registry_on_a_private_address_is_not_asked(tmp_path):
    with registry() as (host, asked):
        found = registered_titles(
            ["10.1000/tides.19"],
            tmp_path / "p.assay",
            registries=(f"http://{host}/works/", f"http://{host}/dois/"),
        )
    assert found == {"10.1000/tides.19": None} and asked == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("p.csv", f"DOI;Title\nhttps://doi.org/10.1000/Tides.19;{TITLE}\n2401.00001v2;Two\n"),
        (
            "p.jsonl",
            json.dumps({"DOI": "10.1000/tides.19", "title": [TITLE], "type": "article"})
            + "\n"
            + json.dumps({"arxiv_id": "2401.00001", "title": "Two", "abstract": "?"}),
        ),
    ],
)
def test_tables_of_papers_are_taken_as_they_are(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    found = titles_of_file(tmp_path / name)
    assert found == {"10.1000/tides.19": TITLE, "arxiv:2401.00001": "Two"}


@pytest.mark.parametrize(("name", "text"), [("none.csv", None), ("p.csv", "a,b\n1,2\n")])
def test_other_files_are_refused(tmp_path, name, text):
    if text:
        (tmp_path / name).write_text(text)
    with pytest.raises(BadSetting, match=r"--papers"):
        titles_of_file(tmp_path / name)
