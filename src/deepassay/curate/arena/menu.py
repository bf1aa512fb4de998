"""The menu of task families: ten, each belonging to one phase of research.

DeepResearch Arena, appendix "Task generator prompt", section 3, whose names these are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, get_args

Phase = Literal["Synthesize", "Design", "Evaluate"]
PHASES: Final[tuple[Phase, ...]] = get_args(Phase)

Family = Literal[
    "Literature Survey",
    "Trend / Market Scan",
    "Requirements Gathering / Needs Analysis",
    "Hypothesis Generation",
    "Method / Experiment Blueprint",
    "Prototype / System Specification",
    "Evaluation Metric Design",
    "Empirical / Simulation Test",
    "Replicability & Bias Review",
    "Comparative Analysis",
]
FAMILIES: Final[tuple[Family, ...]] = get_args(Family)

PHASE_OF: Final[Mapping[Family, Phase]] = {
    **dict.fromkeys(FAMILIES[:3], "Synthesize"),
    **dict.fromkeys(FAMILIES[3:7], "Design"),
    **dict.fromkeys(FAMILIES[7:], "Evaluate"),
}

Difficulty = Literal["Basic", "Advanced"]
