"""Two raters and a leader in Chromium, by keyboard alone; the server is killed and comes back."""

import csv
import io
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

from deepassay.runfile import RunFile
from tests.browser import Browser, needs_chromium
from tests.web.annotate.studies import AGENTS, scored

pytestmark = needs_chromium


@contextmanager
def serving(run, study, *options, port=0):
    """The command in a process of its own; what it printed, and the process."""
    command = [
        *(sys.executable, "-m", "deepassay", "annotate", "serve", str(run), "--study", str(study)),
        *("--port", str(port), "--questions", "race(reference=False)", "--questions", "coverage"),
        *("--raters", "ana,bo", "--per-item", "2", "--seed", "5", *options),
    ]
    with (study.parent / "addresses").open("w+") as told:
        process = subprocess.Popen(command, stdout=told, stderr=subprocess.PIPE, text=True)
        try:
            while "Everything is kept" not in (line := process.stderr.readline()):
                assert line, "it ended"
            told.seek(0)
            yield dict(line.strip().split(": ", 1) for line in told), process
        finally:
            process.kill()
            process.communicate()


class Rater(Browser):
    """Somebody who has no mouse."""

    def go(self, address):
        self.send("Page.navigate", url=address)
        self.until("document.readyState == 'complete' && location.pathname != '/enter'")

    def until(self, condition):
        end = time.monotonic() + 60
        while not self.run(condition):
            assert time.monotonic() < end, condition
            self.settle(0.02)

    def press(self, *keys):
        for key in keys:
            text = {"Enter": "\r", "Escape": "", "PageDown": ""}.get(key, key)
            number = {"Enter": 13, "Escape": 27, "PageDown": 34}.get(key, ord(key[0].upper()))
            pressed = {"key": key, "windowsVirtualKeyCode": number}
            kind = "keyDown" if text else "rawKeyDown"
            self.send("Input.dispatchKeyEvent", type=kind, text=text, **pressed)
            self.send("Input.dispatchKeyEvent", type="keyUp", **pressed)

    def leave(self, key):
        """Press a key that leads to another page, and wait for it."""
        self.run("window.before = true")
        self.press(key)
        self.until("!window.before && document.readyState == 'complete'")

    def header(self):
        return self.run("document.querySelector('header span').textContent")

    def chosen(self):
        return self.run(
            "[...document.querySelectorAll('input:checked')].map(each => each.value).join()"
        )


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return scored(tmp_path_factory.mktemp("run"))


def test_a_study_by_keyboard_with_a_reload_a_kill_and_an_answer_taken_back(run, tmp_path):
    study = tmp_path / "study.assay"
    with Rater() as ana:
        with serving(run, study) as (addresses, process):
            port = addresses["ana"].split(":")[2].split("/")[0]
            ana.go(addresses["ana"])
            assert "#" not in ana.run("location.href")
            ana.press("3", "x", "k", "2", "n")
            ana.press(*"1 j")
            # A key that an input method is composing with is no answer.
            ana.run(
                "document.querySelector('textarea').dispatchEvent("
                "new KeyboardEvent('keydown', {key: 'Enter', isComposing: true, bubbles: true}))"
            )
            ana.press("Escape")
            assert ana.chosen() == "3,2"
            ana.press("Enter")
            assert "A question is open" in ana.run("document.getElementById('problem').textContent")
            ana.send("Page.reload")
            ana.until(
                "document.readyState == 'complete' && !!document.querySelector('fieldset.here')"
            )
            assert ana.chosen() == "3,2"
            assert ana.run("document.querySelector('textarea').value") == "1 j"
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
        with serving(run, study, port=port) as (addresses, _):
            assert not addresses  # those of before hold
            ana.go(f"http://127.0.0.1:{port}/")
            assert ana.chosen() == "3,2"
            ana.press("4", "5", "1")
            ana.leave("Enter")
            assert ana.header() == "1 of 4"
            ana.leave("z")
            assert ana.header() == "0 of 4" and ana.chosen() == "3,2,4,5,yes"
            ana.leave("Enter")
            while "Thank you" not in ana.run("document.body.textContent"):
                ana.press("9", "8", "7", "6", "1")
                ana.leave("Enter")
            assert not ana.of("Runtime.exceptionThrown")
            assert {each.split("/")[2] for each in ana.requests()} == {f"127.0.0.1:{port}"}
        with serving(run, study, "--new-keys", port=port) as (addresses, _):
            ana.go(addresses["bo"])
            seen = ana.run("document.documentElement.outerHTML")
            assert not [name for name in AGENTS if name in seen]
            while "Thank you" not in ana.run("document.body.textContent"):
                ana.press("9", "8", "7", "6", "2")
                ana.leave("Enter")
            ana.go(addresses["leader"])
            assert "4 of 4" in ana.run("document.body.textContent")
            assert not ana.of("Page.javascriptDialogOpening")
    printed = subprocess.run(
        [sys.executable, "-m", "deepassay", "annotate", "export", "--study", str(study)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    rows = list(csv.DictReader(io.StringIO(printed)))
    assert len(rows) == 2 * 4 * 5
    assert {row["score"] for row in rows if row["rater"] == "bo"} == {"9", "8", "7", "6", ""}
    with RunFile.read(study) as file:
        assert not file.verify().damage


@pytest.mark.parametrize(
    ("width", "zoom", "dark"), [(1400, 1, False), (500, 1, True), (1400, 2, False)]
)
def test_the_page_fits_narrow_dark_and_enlarged_and_names_every_control(
    run, tmp_path, width, zoom, dark
):
    with serving(run, tmp_path / "study") as (addresses, _), Rater() as ana:
        ana.screen(width // zoom, 900 // zoom, dark=dark)
        ana.go(addresses["ana"])
        assert ana.run("document.documentElement.scrollWidth <= innerWidth")
        unnamed = (
            "[...document.querySelectorAll('input:not([type=hidden]), textarea')]"
            ".filter(each => !each.labels.length).length"
        )
        assert ana.run(unnamed) == 0
        legends = (
            "[...document.querySelectorAll('fieldset')].every(each => each.querySelector('legend'))"
        )
        assert ana.run(legends)
        order = "[...document.querySelectorAll('[tabindex]')].every(each => each.tabIndex <= 0)"
        assert ana.run(order)
        ground = ana.run("getComputedStyle(document.body).backgroundColor")
        assert (sum(map(int, ground[4:-1].split(", "))) < 384) is dark
