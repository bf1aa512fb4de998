"""What a loopback maker answers to the two questions: right in form, of a task's own."""

from __future__ import annotations

import json
from typing import Any

from deepassay.tasks.yardsticks import DIMENSIONS

WEIGHTS = dict(zip(DIMENSIONS, (0.3, 0.35, 0.2, 0.15), strict=True))


def made_up(body: dict[str, Any]) -> str:
    """Weights or criteria, whichever the prompt asks for."""
    question = next(each["content"] for each in body["messages"] if each["role"] == "user")
    if '"criteria": [' not in question:
        return json.dumps({"analysis": "it asks why", "weights": WEIGHTS})
    criteria = [
        {"criterion": f"Criterion {n}", "explanation": "It matters.", "weight": 0.25}
        for n in range(1, 5)
    ]
    return json.dumps({"analysis": "it depends", "criteria": criteria})
