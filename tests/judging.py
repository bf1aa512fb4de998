"""What a loopback judge answers to the questions of the protocols: always right in form."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from typing import Any

from tests.loopback import FakeJudge

_CHECKS = re.compile(r"^- (p\d+)[:：]", re.MULTILINE)
_CHECKLIST = re.compile(r"<<<BEGIN checklist .*?\n(.*)\n<<<END checklist", re.DOTALL)
_ITEM = re.compile(r"^\d+\. ", re.MULTILINE)
_CRITERIA = re.compile(r"<<<BEGIN criteria .*?\n(.*)\n<<<END criteria", re.DOTALL)


def verdicts(body: dict[str, Any]) -> str:
    """A verdict for every key that was asked for; which one, the text of the prompt decides."""
    prompt = next(each["content"] for each in body["messages"] if each["role"] == "user")
    # The fences carry a salt that each run draws anew; the rest is the same in every run.
    text = re.sub(r"<<<(BEGIN|END) (\w+) \w+", r"\1 \2", prompt)
    bits = int.from_bytes(hashlib.sha256(text.encode()).digest())
    if "overall_score" in prompt:
        return json.dumps({"overall_score": bits % 101 / 10, "justification": "as a whole"})
    if criteria := _CRITERIA.search(prompt):
        scores = ("article_1_score", "article_2_score") if "article_2" in prompt else ("score",)
        return marks(json.loads(criteria.group(1)), scores, bits)
    checklist = _CHECKLIST.search(prompt)
    if checklist:
        keys = [f"q{n}" for n, _ in enumerate(_ITEM.findall(checklist.group(1)), start=1)]
    else:
        keys = _CHECKS.findall(prompt)
    return json.dumps(
        {
            "evaluations": {
                key: {"score": bits >> place & 1, "justification": f"because of {key}"}
                for place, key in enumerate(dict.fromkeys(keys))
            }
        }
    )


def marks(criteria: dict[str, list[dict[str, str]]], scores: tuple[str, ...], bits: int) -> str:
    """RACE: marks from 0 to 10 for every criterion."""
    return json.dumps(
        {
            dimension: [
                {"id": each["id"], "criterion": each["criterion"], "analysis": "because"}
                | {
                    score: (bits >> 7 * int(each["id"][1:]) + place) % 101 / 10
                    for place, score in enumerate(scores)
                }
                for each in listed
            ]
            for dimension, listed in criteria.items()
        }
    )


if __name__ == "__main__":
    with FakeJudge(verdicts, latency=float(sys.argv[1])) as judge:
        print(judge.base_url, flush=True)
        sys.stdin.read()
