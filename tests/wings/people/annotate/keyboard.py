"""The command that serves a study, and somebody before a screen who has no mouse."""

import re
import socket
import subprocess
import time
from contextlib import contextmanager

from tests.browser import Browser


def is_taken(port):
    """Whether somebody listens: who was killed does for a moment."""
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def serving(run, study, *options, questions=("race(reference=False)", "coverage"), port=0):
    """The command in a process of its own; what it printed, and the process."""
    command = [
        *("deepassay", "annotate", "serve", str(run), "--study", str(study)),
        *("--port", str(port), "--raters", "ana,bo", "--per-item", "2", "--seed", "5", *options),
        *(part for each in questions for part in ("--questions", each)),
    ]
    while port and is_taken(int(port)):
        time.sleep(0.01)
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

    def press(self, *keys):
        for key in keys:
            text = {"Enter": "\r", "Escape": "", "PageDown": "", "Tab": ""}.get(key, key)
            named = {"Enter": 13, "Escape": 27, "PageDown": 34, "Tab": 9}
            number = named.get(key, ord(key[0].upper()))
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
        """How many items are done, of how many; the page says so in the item's language."""
        told = self.run("document.querySelector('header span').textContent")
        return re.sub("[^0-9]+", " of ", told)

    def chosen(self):
        return self.run(
            "[...document.querySelectorAll('input:checked')].map(each => each.value).join()"
        )

    def read(self):
        """The item that is shown, and of each question the answers by their keys."""
        number = self.run("document.querySelector('[name=item]').value")
        of_one = "[...each.querySelectorAll('[data-press]')].map(x => [x.dataset.press, x.value])"
        answers = self.run(
            f"[...document.querySelectorAll('fieldset')].map(each => Object.fromEntries({of_one}))"
        )
        return int(number), answers
