"""The pictures of README and docs: the demonstration, as the reading room and the page show it.

Needs Chromium. `make pictures` calls it; look at what it made before you commit it.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from deepassay.wings.view.writing import write_page
from tests.browser import Browser
from tests.conftest import REPOSITORY
from tests.wings.view.rooms import demo_run, served

IMAGES = REPOSITORY / "docs" / "images"
SIZE = (1280, 1080)
REPORT = "/report?agent=magpie&task=terrace-heat"
TITLE = "Three invented agents"
NOTE = "The demonstration, judged by rules: no model was asked."


def main() -> None:
    """Make both pictures anew."""
    with tempfile.TemporaryDirectory() as folder, Browser() as tab:
        run = demo_run(Path(folder) / "demo.assay")
        tab.screen(*SIZE)
        with served(run) as address:
            tab.open(address + REPORT)
            tab.settle()
            (IMAGES / "reading-room.png").write_bytes(tab.picture())
        page = Path(folder) / "results.html"
        write_page([run], page, title=TITLE, note=NOTE)
        tab.open(page)
        tab.settle()
        (IMAGES / "results.png").write_bytes(tab.picture())


if __name__ == "__main__":
    main()
