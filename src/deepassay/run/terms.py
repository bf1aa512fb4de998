"""On what terms models are asked: the part that every request for their work has in common."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from deepassay.errors import BadSetting


@dataclass(frozen=True, kw_only=True)
class Terms:
    """Where answers are kept, and what asking may take.

    budget: USD that the run file may cost in all. deadline: seconds for one attempt at a
    question. prices: a file of prices that override the known ones.
    """

    run: Path = Path("run.assay")
    max_connections: int = 16
    deadline: float = 120.0
    budget: float | None = None
    allow_unpriced: bool = False
    prices: Path | None = None

    def refuse_infinite(self, *names: str) -> None:
        """Refuse numbers that no comparison would stop: a budget of `nan` is none."""
        for name in ("budget", "deadline", *names):
            value = getattr(self, name)
            if value is not None and not math.isfinite(value):
                option = name.replace("_", "-")
                raise BadSetting(f"--{option} {value} is not possible.", "Give a finite number.")
