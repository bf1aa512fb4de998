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
_PAGE = re.compile(r"<<<BEGIN page .*?\n(.*)\n<<<END page", re.DOTALL)
_STATEMENTS = re.compile(r"<<<BEGIN statements .*?\n(.*)\n<<<END statements", re.DOTALL)
_SENTENCE = re.compile(r"[^\s#\[][^\n.。]{10,200}[.。]")
_URL = re.compile(r"https?://\S+")


def verdicts(body: dict[str, Any]) -> str:
    """A verdict for every key that was asked for; which one, the text of the prompt decides."""
    prompt = next(each["content"] for each in body["messages"] if each["role"] == "user")
    # The fences carry a salt that each run draws anew; the rest is the same in every run.
    text = re.sub(r"<<<(BEGIN|END) (\w+) \w+", r"\1 \2", prompt)
    bits = int.from_bytes(hashlib.sha256(text.encode()).digest())
    if statements := _STATEMENTS.search(prompt):
        page = _PAGE.search(prompt)
        count = len(_ITEM.findall(statements.group(1)))
        return support(page.group(1), count, bits, prompt) if page else kept(count, prompt)
    if '"url"' in prompt:
        return pairs(prompt)
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


def support(page: str, count: int, bits: int, prompt: str) -> str:
    """FACT: a verdict for every statement; those that are supported quote the page."""
    results = ["supported" if bits >> place & 1 else "unsupported" for place in range(count)]
    if '"idx"' in prompt:  # as the released program asks
        numbered = enumerate(results, start=1)
        return json.dumps([{"idx": place, "result": result} for place, result in numbered])
    sentence = _SENTENCE.search(page)
    return json.dumps(
        {
            "verdicts": [
                {
                    "statement": place,
                    "verdict": result if sentence else "unknown",
                    "quote": sentence.group() if sentence and result == "supported" else "",
                }
                for place, result in enumerate(results, start=1)
            ]
        }
    )


def kept(count: int, prompt: str) -> str:
    """FACT: no statement repeats another."""
    return json.dumps({"same": []} if '"same"' in prompt else [*range(1, count + 1)])


def pairs(prompt: str) -> str:
    """FACT: the first sentences of a report, each with one of its addresses."""
    found = list(zip(_SENTENCE.findall(prompt), _URL.findall(prompt), strict=False))
    if '"ref_idx"' in prompt:
        return json.dumps([{"fact": said, "ref_idx": 1, "url": url} for said, url in found])
    return json.dumps({"statements": [{"statement": said, "url": url} for said, url in found]})


if __name__ == "__main__":
    with FakeJudge(verdicts, latency=float(sys.argv[1])) as judge:
        print(judge.base_url, flush=True)
        sys.stdin.read()
