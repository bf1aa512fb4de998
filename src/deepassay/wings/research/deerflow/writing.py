"""What the writer asks: sections, synthesis, key points.

A draft cites evidence by identifier, `[e3]`; numbers and the list are made at the end, by code.
"""

from __future__ import annotations

import re
from typing import Final

from deepassay.models.operation import Inputs, OffMenu, Prose
from deepassay.wings.research.deerflow.asking import (
    evidence_id,
    ids_cited,
    ids_in,
    ids_of,
    prose_operation,
    sentences,
    with_ids,
)
from deepassay.wings.research.deerflow.evidence import HOST, as_sentence, quote_of

_HEADING: Final = re.compile(r"^#{1,2}[ \t]", re.MULTILINE)
_WORDS: Final = {
    "en": {
        "nothing": "No source was found for this.",
        "sources": "What the sources say",
        "sections": "Several sources agree on {agreed} of {all} points.",
        "against": "The sources disagree",
        "limits": "What was not found",
    },
    "zh": {
        "nothing": "没有找到与此相关的来源。",
        "sources": "来源情况",
        "sections": "{all} 项内容中有 {agreed} 项得到多个来源的支持。",
        "against": "来源之间的分歧",
        "limits": "未能找到的内容",
    },
}


class SectionInputs(Inputs):
    """One section and its evidence in full: `[e3] quote (host)`. written: what stands before."""

    prompt: str
    heading: str
    aim: str
    evidence: list[str]
    written: list[str]


def _of_the_section(inputs: SectionInputs, text: str) -> None:
    if _HEADING.search(text):
        raise OffMenu("no heading above ###; the section has its heading already")
    for paragraph in text.split("\n\n"):
        figure = re.search(r"\d", re.sub(r"\[e[^\]]*\]", "", paragraph))
        if inputs.evidence and figure and not ids_in(paragraph):
            raise OffMenu("a paragraph gives a figure and cites nothing; cite its evidence")


def section_by_rule(inputs: SectionInputs) -> Prose:
    """The quotes as sentences, each with its identifier; those of one host in one paragraph."""
    paragraphs: dict[str, list[str]] = {}
    for line in inputs.evidence:
        host = (HOST.search(line) or ("", ""))[1]
        paragraphs.setdefault(host, []).append(
            with_ids(as_sentence(quote_of(line)), [evidence_id(line)])
        )
    joint = "" if inputs.language == "zh" else " "
    made = [joint.join(each) for each in paragraphs.values()]
    return Prose(text="\n\n".join(made) or _WORDS[inputs.language]["nothing"])


WRITE_SECTION: Final = prose_operation(
    "research/write_section",
    SectionInputs,
    section_by_rule,
    lambda inputs: ids_of(inputs.evidence),
    _of_the_section,
)


class Synthesising(Inputs):
    """claims: sentences of the sections with their identifiers. against: pairs that contradict,
    `[e1] quote (host) / [e2] quote (host)`. open: questions without an answer.
    """

    prompt: str
    claims: list[str]
    against: list[str]
    open: list[str]


def synthesis_by_rule(inputs: Synthesising) -> Prose:
    """How many claims have several sources, which contradict, and what was not found."""
    words = _WORDS[inputs.language]
    agreed = sum(len(set(ids_in(each))) > 1 for each in inputs.claims)
    parts = []
    if inputs.claims:
        told = words["sections"].format(agreed=agreed, all=len(inputs.claims))
        parts.append(f"### {words['sources']}\n\n{told}")
    if inputs.against:
        rows = "\n".join(f"- {_both(each)}" for each in inputs.against)
        parts.append(f"### {words['against']}\n\n{rows}")
    if inputs.open:
        rows = "\n".join(f"- {each}" for each in inputs.open)
        parts.append(f"### {words['limits']}\n\n{rows}")
    return Prose(text="\n\n".join(parts) or words["nothing"])


def _both(pair: str) -> str:
    return " ".join(
        with_ids(as_sentence(quote_of(line)), [evidence_id(line)])
        for line in pair.split(" / ")
        if evidence_id(line)
    )


SYNTHESISE: Final = prose_operation(
    "research/synthesise",
    Synthesising,
    synthesis_by_rule,
    lambda inputs: ids_cited((*inputs.claims, *inputs.against)),
)


class Leading(Inputs):
    """The sections as they are written, each with its heading."""

    prompt: str
    sections: list[str]


def _no_heading(inputs: Leading, text: str) -> None:
    if _HEADING.search(text):
        raise OffMenu("no heading; only the key points")


def lede_by_rule(inputs: Leading) -> Prose:
    """The first sentence of each section that cites."""
    points = []
    for section in inputs.sections:
        body = section.partition("\n")[2] or section
        points += [each for each in sentences(body) if ids_in(each)][:1]
    return Prose(
        text="\n".join(f"- {each}" for each in points) or _WORDS[inputs.language]["nothing"]
    )


LEDE: Final = prose_operation(
    "research/lede",
    Leading,
    lede_by_rule,
    lambda inputs: ids_cited(inputs.sections),
    _no_heading,
)
