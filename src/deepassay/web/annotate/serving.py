"""A study on a port, until somebody stops it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from deepassay.errors import BadSetting, MissingExtra
from deepassay.runfile import RunFile
from deepassay.web.annotate.book import LEADER, Book
from deepassay.web.annotate.setting_up import Terms, begin

try:
    from deepassay.agents.sandbox.server import is_loopback, listener, until_stopped
    from deepassay.web.annotate.server import Study
    from deepassay.web.guard import Guard
except ImportError as error:
    raise MissingExtra("Annotating", "web") from error


async def serve(
    source: Path,
    study: Path,
    terms: Terms,
    *,
    host: str,
    port: int,
    tls_in_front: str = "",
    new_keys: bool = False,
    tell: Callable[[Mapping[str, str]], None],
) -> None:
    """Serve a study until a signal asks to stop.

    tls_in_front: the address under which a proxy with TLS answers for this one; without it only
    this machine is let in. tell: is told the addresses by rater (the leader's under an empty name),
    nothing where those of an earlier start hold. Raises BadInput, BadSetting.
    """
    if not is_loopback(host) and not tls_in_front:
        raise BadSetting(
            f"--host {host}: keys and answers would cross the network in the clear.",
            "Leave it out, and let raters in by `ssh -L`; or put a proxy with TLS before it and "
            "name its address with --behind https://….",
        )
    with RunFile.create(study) as run:
        begin(source, run, terms)
        book = Book(run)
        with listener(host, port) as socket:
            port = socket.getsockname()[1]
            shown = f"[{host}]" if ":" in host else host
            address = tls_in_front.rstrip("/") or f"http://{shown}:{port}"
            hosts = {f"{name}:{port}" for name in (shown, "127.0.0.1", "localhost")}
            origins = {f"http://{each}" for each in hosts}
            if tls_in_front:
                hosts.add(address.partition("://")[2])
                origins.add(address)
            keys = {} if book.has_keys and not new_keys else book.new_keys()
            app = Guard(Study(book, port).app, hosts, origins)
            await until_stopped(
                app,
                socket,
                lambda: tell({name: f"{address}/enter#{key}" for name, key in keys.items()}),
            )


__all__ = ["LEADER", "serve"]
