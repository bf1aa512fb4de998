"""A proxy on loopback that speaks CONNECT only, and an authority of the test's own.

with Proxy({"judge.test": server.port}) as proxy:
    ... proxy.url ...; assert proxy.asked == ["judge.test:443"]
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping
from pathlib import Path

import trustme

from tests.listening import Listening

NAMED = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY")
"""Variables that name proxies; their names in small letters do so too."""


class Proxy(Listening):
    """Leads to the ports of this machine that stand for hosts; every other host it refuses.

    asked: what CONNECT was asked for. other: lines of requests of any other kind. password: what
    it demands, as `Proxy-Authorization` has it.
    """

    def __init__(self, hosts: Mapping[str, int], password: str | None = None) -> None:
        super().__init__()
        self._hosts = hosts
        self._password = password
        self.asked: list[str] = []
        self.other: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        method, target, _ = head.split("\r\n")[0].split(" ")
        if method != "CONNECT":
            self.other.append(head.split("\r\n")[0])
            return await _refused(writer, 405)
        self.asked.append(target)
        if self._password is not None and f"Proxy-Authorization: {self._password}" not in head:
            return await _refused(writer, 407)
        port = self._hosts.get(target.rpartition(":")[0])
        if port is None:
            return await _refused(writer, 502)
        there, back = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        await asyncio.gather(_carry(reader, back), _carry(there, writer))
        return False


async def _refused(writer: asyncio.StreamWriter, status: int) -> bool:
    writer.write(f"HTTP/1.1 {status} No\r\nContent-Length: 0\r\n\r\n".encode())
    await writer.drain()
    return False


async def _carry(source: asyncio.StreamReader, to: asyncio.StreamWriter) -> None:
    try:
        while data := await source.read(65_536):
            to.write(data)
            await to.drain()
    except ConnectionError:
        pass
    finally:
        to.close()


class Authority:
    """Signs certificates of hosts; file: what SSL_CERT_FILE takes."""

    def __init__(self, folder: Path) -> None:
        self._authority = trustme.CA()
        self.file = folder / "authority.pem"
        self._authority.cert_pem.write_to_path(self.file)

    def server(self, *hosts: str) -> ssl.SSLContext:
        """What a server needs that is to be one of these hosts."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._authority.issue_cert(*hosts).configure_cert(context)
        return context
