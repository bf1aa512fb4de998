"""A figure of a run in Python, as a notebook shows it."""

from __future__ import annotations

import pytest

import deepassay
from deepassay import Report, Task
from deepassay.errors import BadSetting


def test_a_figure_shows_itself_and_one_that_is_not_there_is_said() -> None:
    task = Task(id="sky", prompt="Why is the sky blue?", checklist=("Is scattering named?",))
    reports = [Report("# Sky\n\nAir scatters.\n", agent, "sky") for agent in ("heron", "cuckoo")]
    run = deepassay.evaluate([task], reports, "coverage", judge="offline")
    figure = run.figure("ranking")
    assert figure._repr_svg_().lstrip().startswith("<?xml") or "<svg" in figure._repr_svg_()[:400]
    assert figure._repr_png_().startswith(b"\x89PNG")
    with pytest.raises(BadSetting, match="no figure ranking 9"):
        run.figure("ranking", 9)
