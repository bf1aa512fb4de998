"""Judges and pages behind a proxy that demands CONNECT, certified by a private authority."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvloop

from tests.judging import verdicts
from tests.loopback import FakeJudge
from tests.proxy import NAMED, Authority, Proxy
from tests.site import HTML, PAGE, Site

from .conftest import Run

HOST = "judge.invalid"


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture
def proxy(authority: Authority, monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    for name in (*NAMED, *map(str.lower, NAMED), "SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)
    with (
        FakeJudge(verdicts, tls=authority.server(HOST)) as server,
        Proxy({HOST: server.port}) as found,
    ):
        yield found


@pytest.fixture(params=["asyncio", "uvloop"])
def looping(request: pytest.FixtureRequest) -> Iterator[None]:
    policy = asyncio.get_event_loop_policy()
    if request.param == "uvloop":
        asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
    yield
    asyncio.set_event_loop_policy(policy)


@pytest.mark.usefixtures("looping")
@pytest.mark.parametrize("more", [(), ("--structured",)])
def test_reports_are_scored_by_a_judge_behind_a_proxy(
    deepassay: Run,
    small: tuple[str, str],
    proxy: Proxy,
    authority: Authority,
    more: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = ("evaluate", *small, "--protocol", "presentation", "--judge", "openai:m")
    asked = (*asked, "--base-url", f"https://{HOST}/v1", *more)
    away = deepassay(*asked, "--run", "away")
    assert "HTTPS_PROXY" in away.stdout + away.stderr
    assert "Scored 0 of 4" in away.stdout + away.stderr
    monkeypatch.setenv("HTTPS_PROXY", proxy.url)
    unknown = deepassay(*asked, "--run", "unknown")
    assert "SSL_CERT_FILE" in unknown.stdout + unknown.stderr
    assert len(proxy.asked) < 5, "a certificate is not another one a moment later"
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    done = deepassay(*asked, "--run", "here")
    assert "Scored 3 of 4" in done.stdout + done.stderr
    assert set(proxy.asked) == {f"{HOST}:443"}


def test_pages_are_fetched_through_the_proxy_that_is_named_for_them(
    deepassay: Run, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    Path("t1.md").write_text(
        "# Tides\n\nThey rise [1].\n\n## References\n\n[1] https://page.invalid/a\n"
    )
    with Site(tls=authority.server("page.invalid")) as site:
        site.pages["/a"] = (200, HTML, PAGE)
        with Proxy({"page.invalid": site.port}) as proxy:
            monkeypatch.setenv("HTTPS_PROXY", proxy.url)
            direct = deepassay("sources", "fetch", "t1.md", "--snapshots", "direct")
            assert "ok: 1" not in direct.stderr
            assert not proxy.connections
            done = deepassay(
                "sources", "fetch", "t1.md", "--snapshots", "p", "--page-proxy", proxy.url
            )
            assert "ok: 1" in done.stderr
            assert proxy.asked == ["page.invalid:443"]


@pytest.mark.parametrize("url", ["proxy:8080", "ftp://proxy", "http://", "http://[::1"])
def test_what_is_no_proxy_is_refused(deepassay: Run, small: tuple[str, str], url: str) -> None:
    done = deepassay("evaluate", *small, "--page-proxy", url)
    assert done.returncode == 2
    assert "--page-proxy" in done.stderr
