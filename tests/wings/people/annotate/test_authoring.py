"""A rubric is proposed and reviewed in Chromium, by keyboard alone."""

import json
import subprocess
from contextlib import contextmanager

from deepassay.wings.build.authoring.rubric_drafts import DRAFT_FILE
from deepassay.wings.build.authoring.steps import RubricAuthors, author
from tests.browser import needs_chromium
from tests.wings.people.annotate.test_browser import Rater

pytestmark = needs_chromium


class Author(Rater):
    """Somebody who writes."""

    def type(self, *words):
        """Words, with names of keys between them."""
        for word in words:
            self.press(*([word] if word in ("Enter", "Escape") else word))

    def tab(self):
        for kind in ("rawKeyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key="Tab", windowsVirtualKeyCode=9)

    def fill(self, words, weight, axis):
        """The three boxes of a line, from the first on."""
        self.type(words)
        for choice in (weight, axis):
            self.tab()
            self.type(choice)


@contextmanager
def serving(round_):
    command = [
        *("deepassay", "annotate", "serve", str(round_), "--port", "0"),
        *("--raters", "ana,bo,cy", "--study", str(round_.with_suffix(".assay"))),
    ]
    with (round_.parent / "addresses").open("w+") as told:
        process = subprocess.Popen(command, stdout=told, stderr=subprocess.PIPE, text=True)
        try:
            while "Everything is kept" not in (line := process.stderr.readline()):
                assert line, "it ended"
            told.seek(0)
            yield dict(line.strip().split(": ", 1) for line in told)
        finally:
            process.kill()
            process.communicate()


def test_a_rubric_is_proposed_and_reviewed_by_keyboard(tmp_path):
    tasks, output = tmp_path / "tasks.jsonl", tmp_path / "rubrics.yaml"
    tasks.write_text(json.dumps({"id": "hedges", "prompt": "Who pays for hedges?"}))
    people = RubricAuthors(("ana",), ("bo",), ("cy",))

    def draft():
        return DRAFT_FILE.load(tmp_path / "rubrics.authoring/drafts.yaml")["hedges"]

    first = author(tasks, output, people).round
    with Author() as page:
        with serving(first) as addresses:
            page.go(addresses["ana"])
            page.type("Escape", "k", "j", "e")
            page.fill("Names a grant", "4", "E")
            page.type("Escape", "a")
            page.fill("Praises lawns and walls", "-2", "Inst")
            page.type("Escape")
            page.leave("Enter")
            assert "Thank you" in page.run("document.body.textContent")
            second = author(tasks, output, people).round  # while it is being served
        assert [(each.criterion, each.weight, each.axis) for each in draft().rubric] == [
            ("Names a grant", 4, "Explicit Criteria"),
            ("Praises lawns and walls", -2, "Instruction Following"),
        ]
        with serving(second) as addresses:
            page.go(addresses["bo"])
            assert "asks for two things?" in page.run("document.body.textContent")
            page.type("1", "2", "Clearly ", "Escape", "j", "3", "no fault", "Escape", "j")
            page.leave("Enter")
            assert "Thank you" in page.run("document.body.textContent")
        author(tasks, output, people)
        assert not page.of("Runtime.exceptionThrown")
    own = draft()
    assert own.stage == "revise"
    assert [(each.of, each.said, each.comment) for each in own.open] == [
        ("c1", "change", ""),
        ("c2", "drop", "no fault"),
    ]
    assert "Clearly" in own.open[0].criterion and "Names a grant" in own.open[0].criterion
