"""Judges behind a proxy that demands CONNECT, with a certificate of a private authority."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import uvloop

from deepassay.errors import BadSetting
from deepassay.models.client import Call, Completion, Fault, FaultKind, ModelSettings
from deepassay.models.clients import Clients
from deepassay.models.form import Form
from deepassay.models.prompt import Prompt
from tests.loopback import FakeJudge, Reply
from tests.proxy import NAMED, Authority, Proxy

from .conftest import GOOD, Verdict
from .test_providers import as_claude

HOST = "judge.invalid"
"""A name that is nowhere looked up (RFC 2606): only the proxy knows where it leads."""

Looping = Callable[[], asyncio.AbstractEventLoop]
LOOPS = [
    pytest.param(asyncio.new_event_loop, id="asyncio"),
    pytest.param(uvloop.new_event_loop, id="uvloop"),
]
WAYS = [
    pytest.param("openai:m", ModelSettings(), id="aiohttp"),
    pytest.param("anthropic:m", ModelSettings(), id="anthropic"),
]


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*NAMED, *map(str.lower, NAMED), "SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "a-key-that-is-a-secret")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a-key-that-is-a-secret")


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def judge(authority: Authority) -> Iterator[FakeJudge]:
    def claude(*_: Any) -> Reply:
        return Reply(body=json.dumps(as_claude(GOOD)).encode())

    tls = authority.server(HOST, "127.0.0.1")
    with FakeJudge(GOOD, tls=tls) as server:
        server.paths["/v1/messages"] = claude
        yield server


@pytest.fixture
def proxy(judge: FakeJudge) -> Iterator[Proxy]:
    with Proxy({HOST: judge.port}) as found:
        yield found


def asked(looping: Looping, name: str, settings: ModelSettings, url: str) -> Completion:
    async def ask() -> Completion:
        base_url = url if name.startswith("anthropic") else f"{url}/v1"
        async with Clients(2, seconds=60.0) as clients:
            client = await clients.connect(name, settings, base_url)
            call = Call(Prompt("system", "material", "question"), partial(Form, Verdict))
            completion = await client.complete(call)
            assert call.body_digest is not None
            return completion

    with asyncio.Runner(loop_factory=looping) as runner:
        return runner.run(ask())


def fault_of(looping: Looping, name: str, settings: ModelSettings, url: str) -> Fault:
    with pytest.raises(Fault) as raised:
        asked(looping, name, settings, url)
    assert "secret" not in raised.value.detail
    return raised.value


@pytest.mark.parametrize("looping", LOOPS)
@pytest.mark.parametrize(("name", "settings"), WAYS)
class TestBehindAProxy:
    def test_it_answers(
        self,
        looping: Looping,
        name: str,
        settings: ModelSettings,
        judge: FakeJudge,
        proxy: Proxy,
        authority: Authority,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
        answer = asked(looping, name, settings, f"https://{HOST}")
        assert answer.text == GOOD
        assert (proxy.asked, proxy.other) == ([f"{HOST}:443"], [])
        assert len(judge.requests) == 1

    def test_without_the_certificate_the_variable_for_it_is_named(
        self,
        looping: Looping,
        name: str,
        settings: ModelSettings,
        judge: FakeJudge,
        proxy: Proxy,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        fault = fault_of(looping, name, settings, f"https://{HOST}")
        assert (fault.kind, fault.kind.passes) == (FaultKind.ACCESS, False)
        assert "SSL_CERT_FILE" in fault.detail
        assert not judge.requests

    def test_without_the_proxy_the_variable_for_it_is_named(
        self,
        looping: Looping,
        name: str,
        settings: ModelSettings,
        authority: Authority,
        proxy: Proxy,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
        fault = fault_of(looping, name, settings, f"https://{HOST}")
        assert "HTTPS_PROXY" in fault.detail
        assert not proxy.connections

    def test_a_host_of_no_proxy_is_asked_itself(
        self,
        looping: Looping,
        name: str,
        settings: ModelSettings,
        judge: FakeJudge,
        proxy: Proxy,
        authority: Authority,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
        answer = asked(looping, name, settings, f"https://127.0.0.1:{judge.port}")
        assert answer.text == GOOD
        assert not proxy.connections


@pytest.mark.parametrize(("name", "settings"), WAYS)
def test_a_name_that_is_looked_up_in_vain_is_not_tried_again(
    name: str, settings: ModelSettings
) -> None:
    # Longer than any name can be, so that no resolver is asked, here or anywhere.
    fault = fault_of(asyncio.new_event_loop, name, settings, f"https://{'a' * 64}.invalid")
    assert (fault.kind, fault.kind.passes) == (FaultKind.ACCESS, False)
    assert "HTTPS_PROXY" in fault.detail


@pytest.mark.parametrize(("name", "settings"), WAYS)
def test_the_proxy_for_all_counts(
    name: str,
    settings: ModelSettings,
    proxy: Proxy,
    authority: Authority,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ALL_PROXY", proxy.url)
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    assert asked(asyncio.new_event_loop, name, settings, f"https://{HOST}").text == GOOD
    assert proxy.asked == [f"{HOST}:443"]


@pytest.mark.parametrize(("name", "settings"), WAYS)
def test_a_proxy_with_a_password_gets_it_and_what_it_refuses_is_told_without(
    name: str,
    settings: ModelSettings,
    judge: FakeJudge,
    authority: Authority,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    with Proxy({HOST: judge.port}, password="Basic bWU6b3Blbi1zZXNhbWU=") as proxy:
        known = proxy.url.replace("http://", "http://me:open-sesame@")
        monkeypatch.setenv("HTTPS_PROXY", known)
        assert asked(asyncio.new_event_loop, name, settings, f"https://{HOST}").text == GOOD
        monkeypatch.setenv("HTTPS_PROXY", known.replace("open", "another"))
        fault = fault_of(asyncio.new_event_loop, name, settings, f"https://{HOST}")
    assert fault.kind is FaultKind.ACCESS
    assert "proxy" in fault.detail and "407" in fault.detail
    assert "sesame" not in fault.detail


@pytest.mark.parametrize(("name", "settings"), WAYS)
def test_a_proxy_that_does_not_reach_the_host_may_do_so_later(
    name: str, settings: ModelSettings, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", proxy.url)
    fault = fault_of(asyncio.new_event_loop, name, settings, "https://other.invalid")
    assert (fault.kind, fault.kind.passes) == (FaultKind.CONNECTION, True)
    assert "502" in fault.detail


@pytest.mark.parametrize(("name", "settings"), WAYS)
@pytest.mark.parametrize("proxy_url", ["socks5://127.0.0.1:9", "ftp://127.0.0.1:9"])
def test_a_proxy_of_an_unknown_kind_is_a_bad_setting(
    name: str, settings: ModelSettings, proxy_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", proxy_url)
    with pytest.raises(BadSetting, match="HTTPS_PROXY"):
        asked(asyncio.new_event_loop, name, settings, f"https://{HOST}")


def test_a_file_of_certificates_that_is_not_there_is_a_bad_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "nowhere.pem"))
    with pytest.raises(BadSetting, match=r"SSL_CERT_FILE is .*nowhere"):
        asked(asyncio.new_event_loop, "openai:m", ModelSettings(), f"https://{HOST}")


def test_no_password_of_a_file_of_the_user_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password from-a-file\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    with FakeJudge(GOOD) as server:
        asked(
            asyncio.new_event_loop, "openai:m", ModelSettings(), f"http://127.0.0.1:{server.port}"
        )
        assert server.requests[0].headers["authorization"] == "Bearer a-key-that-is-a-secret"
