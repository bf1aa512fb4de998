"""A headless Chromium, driven over a pipe by its DevTools protocol; what it did is kept.

One is started for all tests of a process: that takes longer than most of what they do with it.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections import defaultdict, deque
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Self

import pytest

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser")
"""The first has the engine without the windows around it: a fifth less work for the same pages."""

CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
PATIENCE = 60.0

needs_chromium = pytest.mark.skipif(
    CHROMIUM is None and not os.environ.get("CI"), reason="needs Chromium"
)
"""Where CI is set, a test without its browser fails: there it must not vanish unseen."""

OWN = (
    *("WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup"),
    *("InitialWebUI", "PreloadTopChromeWebUI", "SpareRendererForSitePerProcess"),
)
"""What a window of Chromium loads beside the page, for its own frame and ahead of need: of what a
window costs that was four fifths."""

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-extensions",
    "--no-first-run",
    "--no-startup-window",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--remote-debugging-pipe",
    f"--disable-features={','.join(OWN)}",
)


class Chromium:
    """The program. inboxes: what it said to each tab that is open, by its session."""

    def __init__(self) -> None:
        assert CHROMIUM is not None, "no Chromium is installed"
        self.inboxes: defaultdict[str, deque[dict[str, Any]]] = defaultdict(deque)
        self.number = 0
        self._rest = b""
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        theirs_in, self._commands = os.pipe()
        self._reports, theirs_out = os.pipe()
        high = [fcntl.fcntl(each, fcntl.F_DUPFD, 20) for each in (theirs_in, theirs_out)]

        def connect() -> None:
            os.dup2(high[0], 3)  # where Chromium looks for commands
            os.dup2(high[1], 4)

        self._process = subprocess.Popen(
            [CHROMIUM, *FLAGS, f"--user-data-dir={self._profile.name}"],
            preexec_fn=connect,  # noqa: PLW1509
            close_fds=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for each in (theirs_in, theirs_out, *high):
            os.close(each)

    @classmethod
    @cache
    def of_this_process(cls) -> Self:
        """The one that is running, or a new one."""
        return cls()

    @classmethod
    def close(cls) -> None:
        """End the one that is running, if one is: without its commands it does."""
        if cls.of_this_process.cache_info().currsize:
            own = cls.of_this_process()
            os.close(own._commands)
            own._process.wait(PATIENCE)
            os.close(own._reports)
            own._profile.cleanup()
            cls.of_this_process.cache_clear()

    def send(self, method: str, session: str, params: dict[str, object]) -> int:
        """Give a command; its number, with which the answer comes."""
        self.number += 1
        command = {"id": self.number, "method": method, "params": params}
        if session:
            command["sessionId"] = session
        message = json.dumps(command).encode() + b"\0"
        while message:
            message = message[os.write(self._commands, message) :]
        return self.number

    def next(self, session: str, seconds: float) -> dict[str, Any] | None:
        """What comes next for a tab, unless nothing does for so long."""
        inbox = self.inboxes[session]
        while not inbox:
            while b"\0" not in self._rest:
                if not select.select([self._reports], [], [], seconds)[0]:
                    return None
                chunk = os.read(self._reports, 1 << 16)
                if not chunk:
                    return None
                self._rest += chunk
            message, _, self._rest = self._rest.partition(b"\0")
            found = dict(json.loads(message))
            self.inboxes[found.get("sessionId", "")].append(found)
        return inbox.popleft()


class PageLeft(AssertionError):
    """A page was asked something while it was being left for another."""


class Browser:
    """One tab of somebody who has been nowhere. events: all that Chromium reported, in order.

    context: what `Browser.…` commands of the protocol take as `browserContextId`.
    """

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self._chromium = Chromium.of_this_process()
        self._session = ""
        self.context = self.send("Target.createBrowserContext")["browserContextId"]
        target = self.send(
            "Target.createTarget", url="about:blank", browserContextId=self.context, newWindow=True
        )["targetId"]
        attached = self.send("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.send(f"{domain}.enable")
        self.send("Emulation.setFocusEmulationEnabled", enabled=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        session, self._session = self._session, ""
        self.send("Target.disposeBrowserContext", browserContextId=self.context)
        self._chromium.inboxes.pop(session, None)

    def send(self, method: str, **params: object) -> dict[str, Any]:
        """Give a command and wait for its result."""
        number = self._chromium.send(method, self._session, params)
        while True:
            found = self._next(PATIENCE)
            assert found is not None, f"{method}: no answer"
            if found.get("id") == number:
                if (error := found.get("error")) is not None:
                    left = any(
                        each in error["message"] for each in ("navigated", "execution context")
                    )
                    kind = PageLeft if left else AssertionError
                    raise kind(f"{method}: {error}")
                return dict(found["result"])
            self._note(found)

    def open(self, page: Path | str) -> None:
        """Load a file or an address and wait until it is loaded."""
        self.events.clear()
        url = page if isinstance(page, str) else page.as_uri()
        loader = self.send("Page.navigate", url=url)["loaderId"]
        until = time.monotonic() + PATIENCE
        while not self._is_loaded(loader):
            assert time.monotonic() < until
            self.settle(0.05)

    def _is_loaded(self, loader: str) -> bool:
        """Whether a page is, and not the one before, of which the news may come late."""
        committed = False
        for each in self.events:
            if each["method"] == "Page.frameNavigated":
                committed = committed or each["params"]["frame"]["loaderId"] == loader
            elif committed and each["method"] == "Page.loadEventFired":
                return True
        return False

    def until(self, condition: str) -> None:
        """Wait until a JavaScript expression is true on the page, or the one that it leads to."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            with suppress(PageLeft):  # the next page is asked
                if self.run(f"Boolean({condition})"):
                    return
            self.settle(0.02)
        raise AssertionError(condition)

    def settle(self, seconds: float = 0.3) -> None:
        """Let what is under way happen, until nothing does for so long."""
        while (found := self._next(seconds)) is not None:
            self._note(found)

    def run(self, script: str) -> Any:
        """The value of a JavaScript expression on the page."""
        done = self.send("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in done, done
        return done["result"].get("value")

    def of(self, method: str) -> list[dict[str, Any]]:
        """The parameters of all events of a kind since the page was opened."""
        return [each["params"] for each in self.events if each["method"] == method]

    def requests(self) -> list[str]:
        """The addresses that the page asked for, its own among them."""
        return [each["request"]["url"] for each in self.of("Network.requestWillBeSent")]

    def screen(self, width: int, height: int, *, dark: bool = False) -> None:
        """The size of the window in CSS pixels, and the colours that the reader prefers."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.send("Emulation.setDeviceMetricsOverride", **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])

    def picture(self) -> bytes:
        """The window as PNG."""
        return base64.b64decode(self.send("Page.captureScreenshot")["data"])

    def _note(self, found: dict[str, Any]) -> None:
        if "method" in found and self._session:
            self.events.append(found)
            if found["method"] == "Page.javascriptDialogOpening":
                self.send("Page.handleJavaScriptDialog", accept=False)

    def _next(self, seconds: float) -> dict[str, Any] | None:
        return self._chromium.next(self._session, seconds)
