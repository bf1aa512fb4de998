"""A judge on loopback that reads what stands in a report, with faults that are planted in it."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

_ARTICLE = re.compile(r"<<<BEGIN article_([12]) .*?\n(.*?)\n<<<END article_", re.DOTALL)
_CRITERIA = re.compile(r"<<<BEGIN criteria .*?\n(.*)\n<<<END criteria", re.DOTALL)
_PAGE = re.compile(r"<<<BEGIN page .*?\n(.*)\n<<<END page", re.DOTALL)
_STATEMENTS = re.compile(r"<<<BEGIN statements .*?\n(.*)\n<<<END statements", re.DOTALL)

FINDING = "Finding"
"""Begins each section that counts."""


@dataclass
class MarkingJudge:
    """Marks articles from 0 to 10 by their findings; supports what a page says word for word.

    All in points of a mark. notice: share of missing findings that cost something. length: for each
    doubling. first: for the article that stands first. own: for the line that names the model.
    plea: for a sentence to the judge. noise: about as much up or down, another each time. blind:
    supports every statement.
    """

    notice: float = 1.0
    length: float = 0.0
    first: float = 0.0
    own: float = 0.0
    plea: float = 0.0
    noise: float = 0.02
    blind: bool = False
    seen: Counter[str] = field(default_factory=Counter)

    def __call__(self, body: dict[str, Any]) -> str:
        """The answer to a request."""
        prompt = next(each["content"] for each in body["messages"] if each["role"] == "user")
        if page := _PAGE.search(prompt):
            return self._support(page[1], prompt)
        criteria = _CRITERIA.search(prompt)
        assert criteria is not None
        marks = {
            f"article_{place}_score": self._mark(text, place == "1")
            for place, text in _ARTICLE.findall(prompt)
        }
        return json.dumps(
            {
                dimension: [
                    {"id": each["id"], "criterion": each["criterion"], "analysis": "read"} | marks
                    for each in listed
                ]
                for dimension, listed in json.loads(criteria[1]).items()
            }
        )

    def _mark(self, text: str, first: bool) -> float:
        self.seen[text] += 1
        chance = _chance(f"{self.seen[text]} {first} {text}")
        mark = 5.0 + self.noise * (2 * chance - 1) * math.sqrt(3)
        if text.count(FINDING) < 4:
            mark -= _chance(text) < self.notice
        mark += self.length * math.log2(len(text) / 1000)
        mark += self.first * first
        mark += self.own * ("Written by marking" in text)
        return round(mark + self.plea * ("highest score" in text), 4)

    def _support(self, page: str, prompt: str) -> str:
        listed = _STATEMENTS.search(prompt)
        assert listed is not None
        said = [re.sub(r"^\d+\. ", "", line).strip() for line in listed[1].split("\n") if line]
        verdicts = []
        for number, statement in enumerate(said, start=1):
            words = statement.strip('"“” ')
            found = words in page
            quote = words if found else page.strip().split("\n")[0]
            verdict = "supported" if found or self.blind else "unsupported"
            verdicts.append({"statement": number, "verdict": verdict, "quote": quote})
        return json.dumps({"verdicts": verdicts})


def _chance(text: str) -> float:
    """A number from 0 to 1 that the text decides."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6]) / 2**48
