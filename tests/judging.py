"""What a loopback judge answers to the questions of the protocols: always right in form."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.loopback import FakeJudge

_CHECKS = re.compile(r"^- (p\d+)[:：]", re.MULTILINE)
_CHECKLIST = re.compile(r"<<<BEGIN checklist .*?\n(.*)\n<<<END checklist", re.DOTALL)
_ITEM = re.compile(r"^\d+\. ", re.MULTILINE)
_CRITERIA = re.compile(r"<<<BEGIN criteria .*?\n(.*)\n<<<END criteria", re.DOTALL)
_REPORT = re.compile(r"<<<BEGIN report .*?\n(.*)\n<<<END report", re.DOTALL)
_WINDOW = re.compile(r"<<<BEGIN (?:window|chunk) .*?\n(.*)\n<<<END (?:window|chunk)", re.DOTALL)
_EXAMPLE = re.compile(r'"item": "([pqra])')
_PAGE = re.compile(r"<<<BEGIN page .*?\n(.*)\n<<<END page", re.DOTALL)
_ARTICLE = re.compile(r"<<<BEGIN article \w+\n(.*)\n<<<END article", re.DOTALL)
_STATEMENTS = re.compile(r"<<<BEGIN statements .*?\n(.*)\n<<<END statements", re.DOTALL)
_POINTS = re.compile(r"<<<BEGIN points .*?\n(.*)\n<<<END points", re.DOTALL)
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
        scores = [f"article_{n}_score" for n in range(1, 5) if f"<<<BEGIN article_{n} " in prompt]
        return marks(json.loads(criteria.group(1)), scores or ["score"], bits)
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


def patterns(bits: int, prompt: str) -> str:
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


def marks(criteria: dict[str, list[dict[str, str]]], scores: Sequence[str], bits: int) -> str:
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


def passages(bits: int, prompt: str) -> str:
    """Long reports: the first sentence of a window bears on the first of the items."""
    window, kind = _WINDOW.search(prompt), _EXAMPLE.search(prompt)
    assert window is not None and kind is not None
    sentence = _SENTENCE.search(window.group(1))
    key = _CHECKS.findall(prompt)[0] if kind.group(1) == "p" else f"{kind.group(1)}1"
    bearing = ("for", "against")[bits & 1]
    found = [{"item": key, "bearing": bearing, "quote": sentence.group()}] if sentence else []
    return json.dumps({"evidence": found})


def chunk_evidence(bits: int, prompt: str) -> str:
    """Rubrics as the released program asks about a chunk: its first sentence."""
    chunk = _WINDOW.search(prompt)
    assert chunk is not None
    return json.dumps(
        {
            "relevant_evidence": _SENTENCE.findall(chunk.group(1))[:1],
            "satisfaction": bool(bits & 1),
            "confidence_for_chunk": 0.8,
            "notes": "as it seems",
        }
    )


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
    if '"followed"' in prompt:
        menu = ("followed", "partly", "ignored")
    report = _REPORT.search(prompt)
    sentence = _SENTENCE.search(report.group(1)) if report else None
    answer = {}
    for place, _ in enumerate(_ITEM.findall(found.group(1))):
        verdict = menu[(bits >> 2 * place % 250) % 3]
        quotes = [sentence.group()] if sentence and verdict != menu[2] else []
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


def key_points(bits: int, prompt: str) -> str:
    """KAE: the first sentences of the page, and one that is not on it."""
    page = _PAGE.search(prompt)
    found = _SENTENCE.findall(page.group(1))[: 1 + bits % 3] if page else []
    points = [{"point": each, "spans": [each]} for each in found]
    invented = [{"point": "Nobody said so.", "spans": ["Nobody ever said so."]}] if found else []
    return json.dumps({"points": points + invented})


def groups(bits: int, prompt: str) -> str:
    """KAE: the first two key points are one, if there are two."""
    found = _POINTS.search(prompt)
    numbers = [*range(1, 1 + len(_ITEM.findall(found.group(1))))] if found else []
    return json.dumps({"groups": [numbers[:2], *([each] for each in numbers[2:])]})


def relations(bits: int, prompt: str) -> str:
    """KAE: a relation to every key point; but for omissions the report is quoted."""
    found, report = _POINTS.search(prompt), _REPORT.search(prompt)
    assert found is not None and report is not None
    menu = ("SUPPORTS", "OMITS", "CONTRADICTS")
    sentence = _SENTENCE.search(report.group(1))
    answer = {}
    for place, _ in enumerate(_ITEM.findall(found.group(1))):
        relation = menu[(bits >> 2 * place % 250) % 3] if sentence else "OMITS"
        quotes = [sentence.group()] if sentence and relation != "OMITS" else []
        answer[f"k{place + 1}"] = {"reason": "it seems", "relation": relation, "quotes": quotes}
    return json.dumps({"relations": answer})


def rating(bits: int, prompt: str) -> str:
    """ACE: a whole number from 0 to 10."""
    return json.dumps({"justification": "as it seems", "rating": bits % 11})


def weighted_items(bits: int, prompt: str) -> str:
    """ACE: a checklist of four items."""
    weights = (0.45, 0.30, 0.15, 0.10)
    items = [
        {"title": f"Side {number}", "description": "What to look for.", "weight": weight}
        for number, weight in enumerate(weights, start=1)
    ]
    return json.dumps({"items": items})


def cleaned(bits: int, prompt: str) -> str:
    """RACE: the article as our own rules clean it."""
    from deepassay.reports.clean import clean

    article = _ARTICLE.search(prompt)
    assert article is not None
    return json.dumps({"article": clean(article.group(1))})


def came(bits: int, prompt: str) -> str:
    """Pages in doubt: most are what was asked for."""
    return json.dumps({"came": "unclear" if bits & 3 == 3 else "page", "reason": "as it seems"})


BY_MARK: Mapping[str, Callable[[int, str], str]] = {
    '{"verdicts": {"r1":': rubric_verdicts,
    '"missing_elements"': rubric_grade,
    '"relevant_evidence"': chunk_evidence,
    '{"evidence":': passages,
    '{"places":': patterns,
    '"major_flaws"': depths,
    '"on_topic"': on_topic,
    '"specific_issues"': issues,
    '{"issues":': issues,
    '{"points":': key_points,
    '{"groups":': groups,
    '{"relations":': relations,
    '"rating"': rating,
    '{"items": [{"title"': weighted_items,
    '{"article":': cleaned,
    '{"came":': came,
}
"""Answers by a mark that only the prompts of one protocol have."""


if __name__ == "__main__":
    with FakeJudge(verdicts, latency=float(sys.argv[1])) as judge:
        print(judge.base_url, flush=True)
        sys.stdin.read()
