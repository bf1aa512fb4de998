"""What a judge is asked to correct is said in the language of the task, as the question is."""

import json
import re

import pytest

from deepassay.models.reading import read_reply
from deepassay.protocols.ace.protocol import GATHER_EVIDENCE, KEY
from deepassay.protocols.error_patterns import FIND_PLACES
from deepassay.protocols.fact.extraction import EXTRACT, MERGE
from deepassay.protocols.kae.key_points import EXTRACT_POINTS, UNIFY_POINTS
from deepassay.protocols.kae.relations import JUDGE_POINTS
from deepassay.protocols.pointwise.issues import FIND_INCONSISTENCIES
from deepassay.protocols.rubrics.criteria import JUDGE_CRITERIA
from deepassay.protocols.support import JUDGE_SUPPORT

REPORT = {"report": "噪声为 34 分贝。", "query": "问"}
WINDOW = {"window": "噪声为 34 分贝。", "number": 1, "windows": 1, "query": "问"}
ITEM = {"context": "", "title": "甲", "description": "乙"}
PASSAGE = {"item": KEY, "bearing": "for", "quote": "无"}
ISSUE = {"kind": "contradiction", "quote": "无", "other_quote": "无", "problem": "丙"}


def said(relation, *quotes):
    return {"relations": {"k1": {"reason": "丙", "relation": relation, "quotes": [*quotes]}}}


CASES = [
    (GATHER_EVIDENCE, {**WINDOW, **ITEM}, {"evidence": [PASSAGE]}),
    (GATHER_EVIDENCE, {**WINDOW, **ITEM}, {"evidence": [PASSAGE] * 7}),
    (
        FIND_PLACES,
        {**REPORT, "number": 1, "parts": 1},
        {"places": [{"pattern": "text_flow", "quote": "无", "reason": "丙"}]},
    ),
    (EXTRACT, {"report": "噪声。"}, {"statements": [{"statement": "无", "url": "", "number": ""}]}),
    (MERGE, {"statements": ("甲", "乙")}, {"same": [[1, 2], [1, 2]]}),
    (
        EXTRACT_POINTS,
        {"page": "噪声。", "query": "问"},
        {"points": [{"point": "无", "spans": ["无"]}]},
    ),
    (JUDGE_POINTS, {**REPORT, "points": ("甲",)}, said("OMITS", "噪声")),
    (JUDGE_POINTS, {**REPORT, "points": ("甲",)}, said("SUPPORTS")),
    (JUDGE_POINTS, {**REPORT, "points": ("甲",)}, said("SUPPORTS", "无" * 801)),
    (JUDGE_POINTS, {**REPORT, "points": ("甲",)}, said("SUPPORTS", "无")),
    (UNIFY_POINTS, {"points": ("甲", "乙"), "count": 2}, {"groups": [[1]]}),
    (FIND_INCONSISTENCIES, REPORT, {"issues": [ISSUE]}),
    (FIND_INCONSISTENCIES, REPORT, {"issues": [{**ISSUE, "other_quote": ""}]}),
    (
        FIND_INCONSISTENCIES,
        REPORT,
        {"issues": [{**ISSUE, "quote": "噪声为", "other_quote": "噪声为"}]},
    ),
    (
        JUDGE_CRITERIA,
        {**REPORT, "criteria": ("甲",)},
        {"verdicts": {"r1": {"reason": "丙", "verdict": "Satisfied", "quotes": ["无"]}}},
    ),
    (
        JUDGE_SUPPORT,
        {"page": "噪声。", "statements": ("甲",)},
        {"verdicts": [{"statement": 1, "verdict": "supported", "quote": "无"}]},
    ),
]
OURS = {"quote", "other_quote", "OMITS", "SUPPORTS", "k1", KEY}
"""Names of fields and words of menus, which the question has in English too."""


@pytest.mark.parametrize(("operation", "asked", "answer"), CASES, ids=lambda value: str(value)[:40])
def test_a_correction_of_a_chinese_question_is_chinese(operation, asked, answer):
    inputs = operation.takes(language="zh", **asked)
    found = read_reply(operation, inputs, json.dumps(answer)).value
    told = operation.soft_check(inputs, found) or operation.quotes(inputs, found)
    assert re.search("[一-鿿]", told)
    assert {*re.findall(r"[A-Za-z_]\w*", told)} <= OURS
