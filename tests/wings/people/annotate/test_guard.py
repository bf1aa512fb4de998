"""Requests that another page, another rater or a stranger could send: none does anything."""

import asyncio

import pytest

from deepassay.web.guard import LONGEST_BODY
from deepassay.wings.people.annotate.book import LEADER
from tests.wings.people.annotate.studies import client, filled, scored, served

HOST = "127.0.0.1:{port}"
ORIGIN = "http://127.0.0.1:{port}"
COOKIE = "assay-{port}={ana}"
FORM = "application/x-www-form-urlencoded"


def post(body="key={form}&item={item}&q0=0", path="/save", **headers):
    """A request by raw HTTP; None takes a header out."""
    given = {"Host": HOST, "Origin": ORIGIN, "Cookie": COOKIE, "Content-Type": FORM} | headers
    return "POST", path, {name.replace("_", "-"): value for name, value in given.items()}, body


def get(path="/", **headers):
    given = {"Host": HOST, "Cookie": COOKIE} | headers
    return "GET", path, {name.replace("_", "-"): value for name, value in given.items()}, ""


LONG = "key={form}&item={item}&q0=0&note=" + "x" * LONGEST_BODY

ATTACKS = {
    # Another name for this address, as a page elsewhere would use after rebinding it.
    "another host": post(Host="evil.example"),
    "another host with the port": post(Host="evil.example:{port}"),
    "another port": post(Host="127.0.0.1:1"),
    "a host that begins alike": post(Host="127.0.0.1.evil.example:{port}"),
    "no host": post(Host=None),
    "to read, another host": get("/decisions.csv", Host="evil.example"),
    # Forms and requests of other pages.
    "another origin": post(Origin="http://evil.example"),
    "no origin": post(Origin=None),
    "origin null": post(Origin="null"),
    "origin with another port": post(Origin="http://127.0.0.1:1"),
    "origin by https": post(Origin="https://127.0.0.1:{port}"),
    "origin that begins alike": post(Origin="http://127.0.0.1:{port}.evil.example"),
    "fetched from another site": post(Sec_Fetch_Site="cross-site"),
    "fetched from the same site": get("/", Sec_Fetch_Site="same-site"),
    "to take back, another origin": post(path="/back", Origin="http://evil.example"),
    "to enter, another origin": post("token={ana}", path="/enter", Origin="http://evil.example"),
    # Keys that are none.
    "no cookie": post(Cookie=None),
    "another cookie": post(Cookie="assay-{port}=forged"),
    "an empty cookie": post(Cookie="assay-{port}="),
    "the name of the rater": post(Cookie="assay-{port}=ana"),
    "the cookie of another port": post(Cookie="assay-1={ana}"),
    "no key of the form": post("item={item}&q0=0"),
    "an empty key of the form": post("key=&item={item}&q0=0"),
    "a forged key of the form": post("key=" + "0" * 64 + "&item={item}&q0=0"),
    "a key that is no ASCII": post("key=%E9%92%A5&item={item}&q0=0"),
    "the key of another rater": post("key={form}&item={item}&q0=0", Cookie="assay-{port}={bo}"),
    "the key in the address": post("item={item}&q0=0", path="/save?key={form}"),
    # What is not one's own.
    "an item of another rater": post("key={form}&item={foreign}&q0=0"),
    "an item that is none": post("key={form}&item=99&q0=0"),
    "a negative item": post("key={form}&item=-1&q0=0"),
    "an item that is no number": post("key={form}&item=0x0&q0=0"),
    "an item too large": post("key={form}&item=" + "9" * 40 + "&q0=0"),
    "a second look that is not open": post("key={form}&item={item}&p0A=on", path="/look"),
    "a rater as the leader": get("/lead"),
    "a rater's answers of all": get("/decisions.csv"),
    # Bodies and paths.
    "a body too long": post(LONG),
    "a body that is no form": post('{"key": 1}', Content_Type="application/json"),
    "an answer off the menu": post("key={form}&item={item}&q0=perhaps"),
    "a file in place of an answer": post("x", Content_Type="multipart/form-data; boundary=y"),
    "a path out of the folder": get("/..%2f..%2fserver.py"),
    "another file of the folder": get("/server.py"),
    "a template": get("/pages/item.html.jinja"),
    "a path with a null": get("/style.css%00"),
    "saving by GET": get("/save?key={form}&item={item}&q0=0"),
    "another method": ("DELETE", "/", {"Host": HOST, "Origin": ORIGIN, "Cookie": COOKIE}, ""),
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return scored(tmp_path_factory.mktemp("run"))


@pytest.mark.asyncio
async def test_no_attack_does_anything_and_an_honest_form_does(run, tmp_path):
    async with served(run, tmp_path / "study.assay") as (book, keys, address):
        port = address.rpartition(":")[2]
        async with client(address, keys["ana"]) as own:
            _, page = await own.get()
            form = filled(page)
            book._duties["ana"].remove(foreign := book._duties["ana"][-1])
            known = {"port": port, "ana": keys["ana"], "bo": keys["bo"], "foreign": foreign}
            known |= {"form": form["key"], "item": form["item"]}
            for name, attack in ATTACKS.items():
                status, answer = await raw(port, attack, known)
                assert status >= 300, name
                assert not book.ratings, name
                for secret in (keys["ana"], keys["bo"], keys[LEADER], "nightjar", "Traceback"):
                    assert secret not in answer, name
            elsewhere = get("/enter", Cookie=None, Sec_Fetch_Site="cross-site")
            assert (await raw(port, elsewhere, known))[0] == 200  # as from a link in a message
            status, _ = await raw(port, post(), known)
            assert status == 303 and len(book.ratings) == 1


async def raw(port, attack, known):
    """Status and answer to a request that is sent as it stands."""
    method, path, headers, body = attack

    def filled_in(text):
        for name, value in known.items():
            text = text.replace(f"{{{name}}}", str(value))
        return text

    content = filled_in(body).encode()
    lines = [f"{method} {filled_in(path)} HTTP/1.1"]
    lines += [f"{name}: {filled_in(value)}" for name, value in headers.items() if value is not None]
    lines += [f"Content-Length: {len(content)}", "Connection: close", "", ""]
    reader, writer = await asyncio.open_connection("127.0.0.1", int(port))
    writer.write("\r\n".join(lines).encode() + content)
    answer = (await reader.read()).decode("utf-8", "replace")
    writer.close()
    return int(answer.split(" ", 2)[1]), answer
