"""Runs of ours in Inspect's viewer: table, questions and scores, and nothing from outside."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deepassay import Report, evaluate
from tests.browser import PATIENCE, Browser, needs_chromium
from tests.wings.bridges.inspect.logs import CHECKLIST, REPORT

TASKS = [
    {"id": "pumps", "prompt": "Are heat pumps worth it?", "checklist": CHECKLIST},
    {"id": "none", "prompt": "Is there no checklist?"},
]


@contextmanager
def viewed(logs: Path) -> Iterator[str]:
    """The address at which `inspect view` shows a folder of logs."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    view = subprocess.Popen(
        ["inspect", "view", "start", "--log-dir", str(logs),
         "--host", "127.0.0.1", "--port", str(port)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    assert view.stdout is not None
    try:
        told = next((line for line in view.stdout if "Running on" in line), "")
        assert told, "the viewer did not start"
        yield f"http://127.0.0.1:{port}/"
    finally:
        view.kill()
        view.stdout.close()
        view.wait()


def shown(browser: Browser, *words: str) -> str:
    """What stands on the page, once these words do."""
    until = time.monotonic() + PATIENCE
    while True:
        browser.settle(0.2)
        text = str(browser.run("document.body.innerText"))
        if all(word in text for word in words):
            return text
        assert time.monotonic() < until, (words, text)


def go_to(browser: Browser, place: str) -> None:
    """Go to a part of the viewer, which is one page."""
    browser.run(f"location.hash = {place!r}")


@needs_chromium
def test_the_viewer_shows_table_questions_and_scores_and_asks_nobody_outside(tmp_path):
    report = f"{REPORT}\n<img src='http://192.0.2.1/x.png' onerror='alert(2)'>\n"
    reports = [Report(report, "owl", "pumps"), Report(report, "owl", "none")]
    run = evaluate(TASKS, reports, "coverage", run=tmp_path / "r.assay", date="2026-11-20")
    (name,) = run.export(tmp_path / "logs", "eval")

    with viewed(tmp_path / "logs") as address, Browser() as browser:
        browser.open(address)
        shown(browser, "coverage", "owl")

        go_to(browser, f"/logs/{name}/samples")
        shown(browser, "pumps", "none", "Is there no checklist?", "50")
        go_to(browser, f"/logs/{name}/samples/sample/pumps/1/transcript")
        shown(browser, "MODEL CALL (JUDGE): OFFLINE", "Whoever asked expects the report")
        go_to(browser, f"/logs/{name}/samples/sample/pumps/1/messages")
        shown(browser, "Heat pumps save energy in most homes")
        go_to(browser, f"/logs/{name}/samples/sample/none/1/scoring")
        shown(browser, "Unscored (missing_input): Task none has no checklist.")

        hosts = {each.split("/")[2] for each in browser.requests() if each.startswith("http")}
        assert hosts == {address.split("/")[2]}
        assert not browser.of("Page.javascriptDialogOpening")
