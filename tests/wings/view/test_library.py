"""The page of a run in Python."""

from __future__ import annotations

from pathlib import Path

import pytest

import deepassay
from deepassay import Report, Run, Task
from deepassay.errors import BadInput, BadSetting


@pytest.fixture(scope="module")
def run() -> Run:
    task = Task(id="sky", prompt="Why is the sky blue?")
    return deepassay.evaluate([task], [Report("# Sky\n", "heron", "sky")], "surface")


def test_it_is_written_once(run: Run, tmp_path: Path) -> None:
    assert run.html(tmp_path / "page.html").read_text().startswith("<!doctype html>")
    with pytest.raises(BadSetting, match="is there already"):
        run.html(str(tmp_path / "page.html"))


@pytest.mark.parametrize("given", [5, b"x", "nul\0", "x" * 5_000])
def test_what_is_no_path_is_said(run: Run, given: object) -> None:
    with pytest.raises(BadInput, match="is no path") as caught:
        run.html(given)  # type: ignore[arg-type]
    assert len(str(caught.value)) < 400
