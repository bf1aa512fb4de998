"""Two raters and a leader in Chromium, by keyboard alone; the server is killed and comes back."""

import csv
import io
import os
import signal
import subprocess
import sys

import pytest

from deepassay.runfile import RunFile
from tests.browser import needs_chromium
from tests.web.annotate.keyboard import Rater, serving
from tests.web.annotate.studies import AGENTS, scored

pytestmark = needs_chromium


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
