"""A study on a port, until somebody stops it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from deepassay.errors import BadSetting, MissingExtra
from deepassay.runfile import RunFile
from deepassay.wings.people.annotate.blinding import telling
from deepassay.wings.people.annotate.book import LEADER, StudyBook
from deepassay.wings.people.annotate.setting_up import StudyTerms, set_up_study
from deepassay.wings.people.annotate.words import LANGUAGES

try:
    from deepassay.web.guard import PageGuard
    from deepassay.web.serving import is_loopback, listener, until_stopped
    from deepassay.wings.people.annotate.server import StudyApplication
except ImportError as error:
    raise MissingExtra("Annotating", "web") from error


Tell = Callable[[str, Mapping[str, str], Mapping[str, int]], None]


@dataclass(frozen=True)
class Door:
    """Where a study is served.

    behind: the address under which a proxy with TLS answers for it; without one only this machine
    is let in. new_keys: whether the addresses of an earlier start open nothing any more. languages:
    of the pages, by rater, or under an empty name for all others; where none is said, those of
    before.
    """

    host: str
    port: int
    behind: str = ""
    new_keys: bool = False
    languages: Mapping[str, str] = field(default_factory=dict)


async def serve(source: Path, study: Path, terms: StudyTerms, door: Door, tell: Tell) -> None:
    """Serve a study until a signal asks to stop.

    tell: is told where all enter, which with `#` and a key is somebody's address; the keys by rater
    (the leader's under an empty name), none where those of an earlier start hold, of which only
    digests are kept; and words that may tell whose reports are, with counts. Raises BadInput and
    BadSetting.
    """
    host, behind = door.host, door.behind
    parts = urlsplit(behind)
    if behind and (parts.scheme != "https" or not parts.netloc or parts.path.strip("/")):
        raise BadSetting(
            f"--behind {behind}: is no address of a host with TLS.",
            "Give https://HOST, without a path.",
        )
    if not is_loopback(host) and not behind:
        raise BadSetting(
            f"--host {host}: keys and answers would cross the network in the clear.",
            "Leave it out, and let raters in by `ssh -L`; or put a proxy with TLS before it and "
            "name its address with --behind https://….",
        )
    _check_languages(door.languages, terms.raters)
    with RunFile.create(study) as run:
        set_up_study(source, run, terms)
        if door.languages:
            run.annotating.keep_languages(door.languages)
        book = StudyBook(run)
        with listener(host, door.port) as socket:
            port = socket.getsockname()[1]
            shown = f"[{host}]" if ":" in host else host
            address = behind.rstrip("/").lower() or f"http://{shown}:{port}"
            hosts = {f"{name}:{port}" for name in (shown, "127.0.0.1", "localhost")}
            origins = {f"http://{each}" for each in hosts}
            if behind:
                hosts.add(address.partition("://")[2])
                origins.add(address)
            keys = {} if book.has_keys and not door.new_keys else book.new_keys()
            app = PageGuard(
                StudyApplication(book, port, secure=bool(behind)).app, hosts, origins, "/enter"
            )
            await until_stopped(
                app,
                socket,
                lambda: tell(
                    f"{address}/enter",
                    keys,
                    telling((item.report for item in book.items), book.blind),
                ),
            )


def _check_languages(languages: Mapping[str, str], raters: Sequence[str]) -> None:
    for rater, language in languages.items():
        if language not in LANGUAGES:
            raise BadSetting(
                f"--language {language}: the pages are not in it.",
                f"Give {' or '.join(LANGUAGES)}, or NAME={LANGUAGES[0]} for one rater.",
            )
        if rater and rater not in raters:
            raise BadSetting(
                f"--language {rater}={language}: {rater} is no rater.",
                f"The raters are {', '.join(raters)}.",
            )


__all__ = ["LEADER", "serve"]
