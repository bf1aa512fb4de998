"""Somebody before the screen, who finds things by their words and their role, and counts clicks."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

from tests.browser import PATIENCE, Browser


class Seen(NamedTuple):
    """Something that the browser offers to people, as it tells screen readers of it."""

    role: str
    name: str
    node: int


class Reader:
    """Somebody with a mouse and a keyboard. clicks: how many there were since the errand began."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.clicks = 0
        for domain in ("DOM", "Accessibility"):
            browser.send(f"{domain}.enable")

    def begin(self, address: str) -> None:
        """Start an errand at an address."""
        self.browser.open(address)
        self.settle()
        self.clicks = 0

    def all(self, role: str, words: str, within: tuple[str, str] | None = None) -> list[Seen]:
        """What has this role and these words, in the order of the page; exact names before others.

        within: role and words of what it stands in.
        """
        found = [each for each in self._tree(within) if each.role == role]
        exact = [each for each in found if words and each.name == words]
        return exact or [each for each in found if words in each.name]

    def _tree(self, within: tuple[str, str] | None) -> Iterator[Seen]:
        nodes = self.browser.send("Accessibility.getFullAXTree")["nodes"]
        by_id = {each["nodeId"]: each for each in nodes}
        outer: Seen | None = None
        if within is not None:
            listed = self.all(*within)
            assert len(listed) == 1, (within, listed)
            outer = listed[0]
        for each in nodes:
            node: dict[str, Any] | None = each
            while (
                outer is not None
                and node is not None
                and node.get("backendDOMNodeId") != (outer.node)
            ):
                node = by_id.get(node.get("parentId", ""))
            if node is not None and not each["ignored"] and "backendDOMNodeId" in each:
                name = str(each.get("name", {}).get("value", "")).strip()
                yield Seen(str(each["role"]["value"]), name, each["backendDOMNodeId"])

    def click(
        self, role: str, words: str, within: tuple[str, str] | None = None, place: int = 0
    ) -> Seen:
        """Move the mouse there, press and release it; what was clicked."""
        found = self.all(role, words, within)
        assert len(found) > place, (role, words, self.text()[:2000])
        chosen = found[place]
        self.browser.send("DOM.scrollIntoViewIfNeeded", backendNodeId=chosen.node)
        box = self.browser.send("DOM.getContentQuads", backendNodeId=chosen.node)["quads"][0]
        where = {"x": (box[0] + box[4]) / 2, "y": (box[1] + box[5]) / 2}
        for kind in ("mousePressed", "mouseReleased"):
            self.browser.send(
                "Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **where
            )
        self.clicks += 1
        self.settle()
        return chosen

    def type(self, words: str, enter: bool = False) -> None:
        """Type where the cursor is."""
        self.browser.send("Input.insertText", text=words)
        for kind in ("keyDown", "keyUp") if enter else ():
            self.browser.send(
                "Input.dispatchKeyEvent",
                type=kind, key="Enter", text="\r", windowsVirtualKeyCode=13,
            )  # fmt: skip
        self.settle()

    def settle(self) -> None:
        """Wait until a page is there and nothing moves."""
        until = time.monotonic() + PATIENCE
        last = None
        while True:
            self.browser.settle(0.15)
            try:
                now = self.browser.run("[document.readyState, location.href, scrollY]")
            except AssertionError:  # the page is just going
                now = None
            if now is not None and now[0] == "complete" and now == last:
                return
            last = now
            assert time.monotonic() < until

    def text(self) -> str:
        """All words that are shown."""
        return str(self.browser.run("document.body.innerText"))

    def heading(self) -> str:
        """The words of the first heading."""
        return str(self.browser.run("document.querySelector('h1').innerText"))

    def led_to(self) -> str:
        """The words of what the address points at, and what stands beside it, in the window."""
        where = self.browser.run(
            "(() => { const it = document.querySelector(':target'); "
            "const box = it.getBoundingClientRect(); "
            "return [box.top < innerHeight && box.bottom > 0, "
            "(it.closest('.row, .finding, .snapshot') || it).innerText]; })()"
        )
        assert where[0], "it is outside the window"
        return str(where[1])

    def is_in_window(self, seen: Seen) -> bool:
        """Whether something can be seen without scrolling."""
        quads = self.browser.send("DOM.getContentQuads", backendNodeId=seen.node)["quads"]
        height = self.browser.run("innerHeight")
        return bool(quads) and 0 <= quads[0][1] < height

    def where(self) -> str:
        """The address."""
        return str(self.browser.run("location.href"))
