"""What a loopback judge answers to the questions of the protocols: always right in form."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Callable, Mapping
from typing import Any

from tests.loopback import FakeJudge

_CHECKS = re.compile(r"^- (p\d+)[:：]", re.MULTILINE)
_CHECKLIST = re.compile(r"<<<BEGIN checklist .*?\n(.*)\n<<<END checklist", re.DOTALL)
_ITEM = re.compile(r"^\d+\. ", re.MULTILINE)
_CRITERIA = re.compile(r"<<<BEGIN criteria .*?\n(.*)\n<<<END criteria", re.DOTALL)
_REPORT = re.compile(r"<<<BEGIN report .*?\n(.*)\n<<<END report", re.DOTALL)
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
    for mark, answer in BY_MARK.items():
        if mark in prompt:
            return answer(bits, prompt)
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


def patterns(prompt: str, bits: int) -> str:
    """Error patterns: the first sentences of the report are found fault with, or none."""
    report = _REPORT.search(prompt)
    quotes = _SENTENCE.findall(report.group(1))[: bits % 3] if report else []
    names = ("citation_format", "text_flow", "made_up")
    return json.dumps(
        {
            "places": [
                {"pattern": names[bits >> place & 1], "quote": quote, "reason": "as it seems"}
                for place, quote in enumerate(quotes)
            ]
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


def issues(bits: int, prompt: str) -> str:
    """Consistency and citation association: some sentences of the report are at fault."""
    report = _REPORT.search(prompt)
    sentences = dict.fromkeys(_SENTENCE.findall(report.group(1))) if report else {}
    chosen = [each for place, each in enumerate(sentences) if bits >> place % 256 & 3 == 3]
    if '"specific_issues"' in prompt:  # as the released program asks
        score = max(10, 100 - 10 * ((len(chosen) + 1) // 2))
        return json.dumps(
            {
                "specific_issues": chosen,
                "total_issues": len(chosen),
                "score": score,
                "justification": "as listed",
            }
        )
    more = {"kind": "logic", "other_quote": ""} if "other_quote" in prompt else {"kind": "uncited"}
    return json.dumps({"issues": [{"quote": each, "problem": "odd", **more} for each in chosen]})


def depths(bits: int, prompt: str) -> str:
    """Depth: marks from 0 to 5 for both reports, and the winner if the prompt asks for one."""
    names = ("granularity", "insight", "critique", "evidence", "density")
    marks = {
        side: {name: (bits >> 5 * place + shift) % 6 for place, name in enumerate(names)}
        for side, shift in (("A", 0), ("B", 40))
    }
    answer: dict[str, Any] = {"scores": marks, "justification": "as deep as that"}
    answer["major_flaws"] = {"A": ["the second half only describes"], "B": []}
    if '"winner"' in prompt:  # as the released program asks
        for side in marks.values():
            side["total"] = sum(side.values())
        lead = marks["A"]["total"] - marks["B"]["total"]
        answer["winner"] = "A" if lead > 1 else "B" if lead < -1 else "tie"
    return json.dumps(answer)


def kept(count: int, prompt: str) -> str:
    """FACT: no statement repeats another."""
    return json.dumps({"same": []} if '"same"' in prompt else [*range(1, count + 1)])


def pairs(prompt: str) -> str:
    """FACT: the first sentences of a report, each with one of its addresses."""
    found = list(zip(_SENTENCE.findall(prompt), _URL.findall(prompt), strict=False))
    if '"ref_idx"' in prompt:
        return json.dumps([{"fact": said, "ref_idx": 1, "url": url} for said, url in found])
    return json.dumps({"statements": [{"statement": said, "url": url} for said, url in found]})


def on_topic(bits: int, prompt: str) -> str:
    """Citation accuracy: most pages are about the matter."""
    return json.dumps({"on_topic": bits & 7 < 7, "reason": "by its title"})


def rubric_verdicts(bits: int, prompt: str) -> str:
    """Rubrics: a verdict on every criterion; what is satisfied is quoted from the report."""
    found = _CRITERIA.search(prompt)
    assert found is not None
    menu = ("Satisfied", "Partially Satisfied", "Not Satisfied")
    report = _REPORT.search(prompt)
    sentence = _SENTENCE.search(report.group(1)) if report else None
    answer = {}
    for place, _ in enumerate(_ITEM.findall(found.group(1))):
        verdict = menu[(bits >> 2 * place % 250) % 3]
        quotes = [sentence.group()] if sentence and verdict != "Not Satisfied" else []
        answer[f"r{place + 1}"] = {"reason": "as it seems", "verdict": verdict, "quotes": quotes}
    return json.dumps({"verdicts": answer})


def rubric_grade(bits: int, prompt: str) -> str:
    """Rubrics as the released programs ask."""
    menu = [("Satisfied", 1.0), ("Not Satisfied", 0.0), ("Partially Satisfied", 0.5)]
    verdict, score = menu[bits % (3 if '"Partially' in prompt else 2)]
    return json.dumps(
        {
            "verdict": verdict,
            "score": score,
            "confidence": 0.9,
            "reasoning": "as it seems",
            "evidence_quotes": [],
            "missing_elements": [],
        }
    )


BY_MARK: Mapping[str, Callable[[int, str], str]] = {
    '{"verdicts": {"r1":': rubric_verdicts,
    '"missing_elements"': rubric_grade,
    '"major_flaws"': depths,
    '"on_topic"': on_topic,
    '"specific_issues"': issues,
    '{"issues":': issues,
}
"""Answers by a mark that only the prompts of one protocol have."""


if __name__ == "__main__":
    with FakeJudge(verdicts, latency=float(sys.argv[1])) as judge:
        print(judge.base_url, flush=True)
        sys.stdin.read()
