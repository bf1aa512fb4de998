"""The reading room on a port of this machine, until somebody stops it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic
from typing import Final

from deepassay.errors import BadSetting, MissingExtra
from deepassay.results.judge_evidence import OnJudge
from deepassay.wings.view.filling import Filling
from deepassay.wings.view.room import Room
from deepassay.wings.view.side import SideFile

try:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from deepassay.web.guard import PageGuard
    from deepassay.web.serving import is_loopback, listener, until_stopped
    from deepassay.wings.view.application import RoomApplication
except ImportError as error:
    raise MissingExtra("The reading room", "web") from error


PATIENCE: Final = 2.0
"""Seconds for which runs are read before the address is told; larger ones are read on meanwhile."""

MOMENT: Final = 0.01

PAUSE: Final = 1.0
"""Seconds after which it is looked again whether there is something new."""

TOLD: Final = 10_000
"""Outcomes after which it is said how far the reading is."""


async def serve(
    paths: Sequence[Path],
    host: str,
    port: int,
    index: Path | None,
    human: Path | None,
    rater: str,
    on_judge: OnJudge,
    tell: Callable[[str], None],
    count: Callable[[int], None],
) -> None:
    """Serve runs until a signal asks to stop.

    index: the file that is kept of what is looked for; None for one that is gone afterwards.
    human: what people decided, as `agree` reads it. rater: whose notes are written. on_judge: files
    that say something of the judge. tell: is told the address. count: is told how many outcomes
    were read so far. Raises BadRunFile for runs that cannot be read, BadSetting for a port or an
    index that cannot be used.
    """
    if not is_loopback(host):
        raise BadSetting(
            f"--host {host}: reports and pages would be open to the network, for anybody.",
            "Leave it out, and let others in by `ssh -L`.",
        )
    room, known = Room(paths), tuple(on_judge.items())
    try:
        side = SideFile(index, [run.file.salt for run in room])
        try:
            filling = Filling(room, side)
            until = monotonic() + PATIENCE
            while filling.behind and monotonic() < until:
                filling.catch_up()
            with listener(host, port) as socket:
                shown = f"[{host}]" if ":" in host else host
                served = socket.getsockname()[1]
                hosts = {f"{name}:{served}" for name in (shown, "127.0.0.1", "localhost")}
                origins = {f"http://{each}" for each in hosts}
                app = _AnswersFirst(
                    RoomApplication(room, side, filling, human, rater, known=known).app
                )
                guarded = PageGuard(app, hosts, origins, linked=True)
                keeping_up = asyncio.create_task(_keep_up(filling, app, count))
                try:
                    await until_stopped(guarded, socket, lambda: tell(f"http://{shown}:{served}/"))
                finally:
                    keeping_up.cancel()
        finally:
            side.close()
    finally:
        room.close()


class _AnswersFirst:
    """An application. answering: how many requests it is answering."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.answering = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.answering += scope["type"] == "http"
        try:
            await self._app(scope, receive, send)
        finally:
            self.answering -= scope["type"] == "http"


async def _keep_up(filling: Filling, app: _AnswersFirst, count: Callable[[int], None]) -> None:
    """Read what is new, slice by slice, while nobody waits for a view."""
    told = filling.seen
    while True:
        while app.answering:
            await asyncio.sleep(MOMENT)
        filling.catch_up()
        if filling.seen - told >= TOLD:
            count(told := filling.seen)
        await asyncio.sleep(0 if filling.behind else PAUSE)


__all__ = ["serve"]
