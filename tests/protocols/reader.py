"""A judge on loopback that knows what to look for, and nothing but what it is shown."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from deepassay.models.usage import estimate_tokens
from tests.loopback import Reply, Request, completion, error

_MATERIAL = re.compile(r"<<<BEGIN (\w+) (\w+)\n(.*?)\n<<<END \1 \2", re.DOTALL)


@dataclass(frozen=True)
class Reader:
    """Meets an item where everything that it looks for is shown.

    facts: for each item of the checklist, the sentences that deliver it, all of them needed.
    faults: sentences that fail check p2 of presentation.
    window: tokens that it takes; longer prompts are refused.
    """

    facts: Mapping[str, tuple[str, ...]]
    faults: tuple[str, ...] = ()
    window: int = 40_000

    def answer(self, body: dict[str, Any]) -> str:
        """The text of its answer."""
        prompt = body["messages"][-1]["content"]
        kind, shown = _material(prompt)
        asked = self.facts if "checklist" in prompt else {"p2": self.faults}
        if kind == "window":
            return self._gathered(asked, shown)
        if kind == "evidence":
            quotes = [each["quote"] for each in json.loads(shown or "[]")]
            shown = "\n".join(quotes)
        verdicts = {key: all(fact in shown for fact in facts) for key, facts in asked.items()}
        if "p2" in asked:
            others = (f"p{number}" for number in range(1, 11))
            verdicts = dict.fromkeys(others, True) | {"p2": not any(map(shown.count, self.faults))}
        return json.dumps(
            {
                "evaluations": {
                    key: {"score": int(met), "justification": "as shown"}
                    for key, met in verdicts.items()
                }
            }
        )

    def _gathered(self, asked: Mapping[str, tuple[str, ...]], shown: str) -> str:
        return json.dumps(
            {
                "evidence": [
                    {"item": key, "bearing": "against" if key == "p2" else "for", "quote": fact}
                    for key, facts in asked.items()
                    for fact in facts
                    if fact in shown
                ]
            }
        )

    def refusing(self, request: Request, text: str) -> Reply:
        """A provider that counts, and says so when a prompt is too long."""
        tokens = sum(estimate_tokens(each["content"]) for each in request.body["messages"])
        if tokens > self.window:
            told = f"This model's maximum context length is {self.window} tokens."
            return error(400, told, code="context_length_exceeded")
        return completion(text)

    def cutting(self, request: Request, text: str) -> Reply:
        """A server that cuts what is too long in silence: what it answers then is worth nothing."""
        reply = self.refusing(request, text)
        return reply if reply.status == 200 else completion("cut")


def _material(prompt: str) -> tuple[str, str]:
    """What a prompt shows first: `report`, `window` or `evidence`, and its text."""
    found = _MATERIAL.match(prompt)
    assert found is not None
    return found[1], found[3]
