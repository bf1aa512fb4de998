"""A corpus on a port: every dialect by our own clients, statuses, the proxy, sessions, rows."""

import asyncio
import io
import os
import signal
import socket
from dataclasses import replace

import pytest

from deepassay.errors import BadSetting
from deepassay.runfile import RunFile
from deepassay.web.serving import listener
from deepassay.wings.research.sandbox.server import serving
from deepassay.wings.research.search.providers import PROVIDERS, LiveSearch
from tests.cli.conftest import STARTED
from tests.wings.research.sandbox.served import BARRED, GONE, MILL, MOVED, PLAIN, served

pytestmark = pytest.mark.asyncio


@pytest.mark.parametrize("name", PROVIDERS)
async def test_our_clients_find_the_pages_in_every_dialect(name):
    async with served() as at:
        provider = replace(PROVIDERS[name], spacing=0.0)
        key = "key-of-the-test" if provider.key else ""
        async with LiveSearch(provider, f"{at.address}/s/me", key) as search:
            found = await search.search("Where does the tide turn a mill at Ardle?", count=3)
        assert {hit.url for hit in found.hits} == {MILL, GONE, BARRED}
        (hit,) = [hit for hit in found.hits if hit.url == MILL]
        assert hit.title == "Tide mills" and hit.date == "2025-06-01"
        assert "turns the mill" in hit.snippet
        whole = {"tavily", "exa"}
        assert (hit.text is not None) is (name in whole)
        (_, asked), *pages = at.rows("me")
        assert asked["dialect"] == name and asked["urls"] == [hit.url for hit in found.hits]
        # What came whole with the hits has been read.
        statuses = {body["url"]: body["status"] for _, body in pages}
        assert statuses == ({MILL: 200, GONE: 404, BARRED: 403} if name in whole else {})


async def test_pages_keep_their_status():
    async with served() as at:
        status, media, text = await at.get(f"/s/me/w/{MILL}")
        assert (status, media) == (200, "text/plain") and "twice a day" in text
        assert (await at.get(f"/s/me/w/{GONE}"))[0] == 404
        status, _, text = await at.get(f"/s/me/w/{BARRED}")
        assert status == 403 and "40 crowns" not in text
        assert (await at.get("/s/me/w/https://elsewhere.example/"))[0] == 404
        status, _, text = await at.get(f"/s/me/w/{MOVED}")
        assert status == 200 and "twice a day" in text
        async with at.client.head(f"{at.address}/s/me/w/{GONE}") as answer:
            assert answer.status == 404
        assert [(body["url"], body["status"]) for _, body in at.rows("me")] == [
            (MILL, 200),
            (GONE, 404),
            (BARRED, 403),
            ("https://elsewhere.example/", 404),
            (MOVED, 200),
        ]


@pytest.mark.parametrize(
    ("title", "address"),
    [
        ("a slash lost", "https:/mills.example/tide?page=1"),
        ("escaped", "https%3A%2F%2Fmills.example%2Ftide%3Fpage%3D1"),
        ("utm", f"{MILL}&utm_source=x"),
        ("host in capitals", "https://MILLS.example/tide?page=1"),
    ],
)
async def test_addresses_that_clients_have_changed_lead_to_the_page(title, address):
    async with served() as at:
        assert (await at.get(f"/w/{address}"))[0] == 200, title


async def test_the_pages_are_a_proxy_for_http():
    async with served() as at:
        named = at.address.replace("//", "//me%2F1:secret@")
        async with at.client.get(PLAIN, proxy=named) as answer:
            assert answer.status == 200 and "潮汐水磨" in await answer.text()
        async with at.client.get("http://elsewhere.example/", proxy=at.address) as answer:
            assert answer.status == 404
        # A client that sends everything through its proxy still finds the search.
        async with at.client.get(f"{at.address}/search?q=mill", proxy=at.address) as answer:
            assert answer.status == 200 and (await answer.json())["results"]
        assert at.rows("me/1") == [("page", {"url": PLAIN, "status": 200, "way": "proxy"})]
        assert [body.get("way") for _, body in at.rows()] == ["proxy", None]


async def test_tunnels_are_refused_with_what_to_do_instead():
    async with served() as at:
        host, port = at.address.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(b"CONNECT mills.example:443 HTTP/1.1\r\nHost: mills.example:443\r\n\r\n")
        head = await reader.readuntil(b"\r\n\r\n")
        told = await reader.readuntil(b"\n")
        writer.close()
        assert head.startswith(b"HTTP/1.1 501 ")
        assert b"opens no tunnel" in told and f"{at.address}/w/ADDRESS".encode() in told
        body = {"url": "https://mills.example:443", "status": 501, "way": "connect"}
        assert at.rows() == [("page", body)]


async def test_hits_lead_back_where_that_is_asked_for():
    async with served(prefix=True) as at:
        base = f"{at.address}/s/me"
        _, told = await at.post("/s/me/search", {"q": "tide mill"})
        (link,) = [each["link"] for each in told["organic"] if "tide" in each["link"]]
        assert link == f"{base}/w/{MILL}"
        assert (await at.get(link.removeprefix(at.address)))[0] == 200
        # The same address is understood wherever one is taken.
        _, told = await at.post("/s/me/extract", {"urls": link})
        assert (
            told["results"][0]["url"] == link and "twice a day" in told["results"][0]["raw_content"]
        )
        assert [body.get("url") for _, body in at.rows("me")] == [None, MILL, MILL]


async def test_extracts_and_contents_name_what_cannot_be_read():
    async with served() as at:
        wanted = [MILL, GONE, "https://elsewhere.example/"]
        _, told = await at.post("/extract", {"urls": wanted})
        assert [each["url"] for each in told["results"]] == [MILL]
        assert [each["error"] for each in told["failed_results"]] == ["status 404"] * 2
        _, told = await at.post("/contents", {"ids": wanted, "text": True})
        assert [each["id"] for each in told["results"]] == [MILL]
        assert [each["status"] for each in told["statuses"]] == ["success", "error", "error"]
        assert told["statuses"][1]["error"]["httpStatusCode"] == 404


async def test_more_hits_follow_on_the_next_page():
    async with served() as at:
        first = (await at.post("/search", {"q": "mill", "num": 1}))[1]["organic"]
        second = (await at.post("/search", {"q": "mill", "num": 1, "page": 2}))[1]["organic"]
        assert [each["position"] for each in first + second] == [1, 2]


@pytest.mark.parametrize(
    ("title", "query"),
    [
        ("operators", 'NEAR("mill" AND) OR -* ^: {ardle} \'; DROP TABLE pages; --'),
        ("half a character", "mill \ud83d ardle"),
        ("nothing but marks", "?!…"),
        ("a null byte", "mill\0ardle"),
        ("a hundred thousand characters", "mill " * 20_000),
    ],
)
async def test_a_hostile_query_is_data(title, query):
    async with served() as at:
        status, told = await at.post("/search", {"query": query})
        assert status == 200 and "results" in told, title
        assert [kind for kind, _ in at.rows()] == ["search"]


@pytest.mark.parametrize(
    ("title", "body", "status"),
    [
        ("no JSON", b"{", 400),
        ("nested", b"[" * 100_000, 400),
        ("no query", b'{"q": ["mill"]}', 400),
        ("a list", b'["mill"]', 400),
        ("too long", b'{"q": "' + b"m" * (1 << 20) + b'"}', 413),
    ],
)
async def test_what_is_no_request_is_refused(title, body, status):
    async with served() as at:
        headers = {"content-type": "application/json"}
        async with at.client.post(
            f"{at.address}/search", data=io.BytesIO(body), headers=headers
        ) as answer:
            assert answer.status == status and (await answer.json())["error"], title
        assert at.rows() == []


async def test_a_form_is_a_query():
    async with served() as at:
        form = {"q": "潮汐水磨", "format": "json"}
        async with at.client.post(f"{at.address}/search", data=form) as answer:
            assert [each["url"] for each in (await answer.json())["results"]] == [PLAIN]


async def test_a_page_in_a_browser_cannot_read_the_corpus_under_its_own_name():
    async with served() as at:
        status, _, text = await at.get("/search?q=mill", headers={"Host": "evil.example"})
        assert status == 421 and "mill" not in text


async def test_a_port_that_is_taken_is_named_with_a_remedy():
    async with served() as at:
        port = int(at.address.rpartition(":")[2])
        with pytest.raises(BadSetting, match=f"127.0.0.1:{port} cannot be listened on") as told:
            async with serving(at.sandbox, port=port):
                pass
        assert "--port" in told.value.remedy


async def test_other_machines_need_a_word():
    async with served() as at:
        with pytest.raises(BadSetting, match="other machines") as told:
            async with serving(at.sandbox, "0.0.0.0"):
                pass
        assert "--expose" in told.value.remedy
        async with (
            serving(at.sandbox, "127.0.0.2") as address,
            at.client.get(f"{address}/search?q=mill") as answer,
        ):
            assert answer.status == 200
        async with serving(at.sandbox, "0.0.0.0", exposed=True) as address:
            port = address.rpartition(":")[2]
            url = f"http://127.0.0.1:{port}/search?q=mill"
            async with at.client.get(url, headers={"Host": "corpus.internal"}) as answer:
                assert answer.status == 200


async def test_a_server_that_is_killed_has_kept_every_row_that_it_answered(tmp_path):
    async with served() as at:
        (tmp_path / "mill.md").write_text(f"---\nurl: {MILL}\n---\nThe mill at Ardle.\n")
        kept = tmp_path / "kept.assay"
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        process = await asyncio.create_subprocess_exec(
            *(STARTED, "sandbox", str(tmp_path)),
            *("--port", str(port), "--run", str(kept)),
            stdout=asyncio.subprocess.PIPE,
        )
        assert process.stdout is not None
        address = (await process.stdout.readline()).decode().strip()
        assert address == f"http://127.0.0.1:{port}"
        for number in range(5):
            async with at.client.get(f"{address}/s/me/search?q=mill+{number}") as answer:
                assert answer.status == 200
        os.kill(process.pid, signal.SIGKILL)
        await process.wait()
        with RunFile.read(kept) as run:
            queries = [row.body["query"] for row in run.answering.served("me")]
        assert queries == [f"mill {number}" for number in range(5)]


async def test_the_body_of_an_answer_does_not_wait_for_the_head_to_be_acknowledged():
    with (
        listener("127.0.0.1", 0) as listening,
        socket.create_connection(listening.getsockname()),
        listening.accept()[0] as accepted,
    ):
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
