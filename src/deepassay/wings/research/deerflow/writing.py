"""What the writer and the checker ask: outline, sections, synthesis, check, mending, key points.

A draft cites evidence by identifier, `[e3]`; numbers and the list are made at the end, by code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated, Final, Literal

from pydantic import Field

from deepassay.models.operation import Inputs, OffMenu, Operation, Prose, Reply
from deepassay.wings.research.deerflow.asking import (
    cites_only,
    id_of,
    ids_in,
    on_menu,
    once,
    refuse_wordless,
    research_operation,
    sentences,
    with_ids,
)
from deepassay.wings.research.deerflow.evidence import missing_numbers, share_of_words

MOST_SECTIONS: Final = 8
MOST_OF_TITLE: Final = 80
SUPPORTED: Final = 0.6
PARTLY: Final = 0.35
"""Shares of a sentence's words in its quotes from which on the rule says so."""

_HOST: Final = re.compile(r" \(([^()\s]*)\)\Z")
_CLAUSES: Final = re.compile(rf".{{20,{MOST_OF_TITLE}}}(?=[,;:] |[，；：、])")
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


class Outlining(Inputs):
    """Questions, and evidence in one line each."""

    prompt: str
    questions: list[str]
    lines: list[str]


class PlannedSection(Reply):
    """A section. questions: numbers. evidence: identifiers."""

    heading: Annotated[str, Field(min_length=1, max_length=120)]
    aim: Annotated[str, Field(max_length=500)]
    questions: list[int]
    evidence: list[str]


class Outline(Reply):
    """The title of the report, and its sections in their order."""

    title: Annotated[str, Field(min_length=1, max_length=120)]
    sections: list[PlannedSection]


def _bound(inputs: Outlining, answer: Outline) -> None:
    if not 1 <= len(answer.sections) <= MOST_SECTIONS:
        raise OffMenu(f"{len(answer.sections)} sections; give 1 to {MOST_SECTIONS}")
    menu = {id_of(line) for line in inputs.lines}
    for each in answer.sections:
        on_menu(each.questions, inputs.questions, "question")
        if unknown := [one for one in each.evidence if one not in menu]:
            raise OffMenu(f"there is no evidence {unknown[0]}")
    refuse_wordless([answer.title, *(each.heading for each in answer.sections)], inputs.prompt)


_OF_QUESTIONS: Final = re.compile(r" questions: ([\d, ]*)\Z")


def outline_by_rule(inputs: Outlining) -> Outline:
    """A section a question; evidence goes where it shares most words."""
    headings = [heading_of(each) for each in inputs.questions][:MOST_SECTIONS]
    evidence: list[list[str]] = [[] for _ in headings]
    for line in inputs.lines:
        told = _OF_QUESTIONS.search(line)
        asked = [int(each) for each in re.findall(r"\d+", told[1])] if told else []
        places = [each - 1 for each in asked if 0 < each <= len(headings)] or [0]
        best = max(places, key=lambda place: share_of_words(inputs.questions[place], [line]))
        evidence[best].append(id_of(line))
    return Outline(
        title=title_by_rule(inputs.prompt),
        sections=[
            PlannedSection(
                heading=heading,
                aim=inputs.questions[place][:500],
                questions=[place + 1],
                evidence=evidence[place],
            )
            for place, heading in enumerate(headings)
        ],
    )


def bound(inputs: Outlining, answer: Outline) -> list[PlannedSection]:
    """The sections, and by rule those of questions that they leave out.

    A section without evidence gets what bears on its questions and is in no other section.
    """
    rules = outline_by_rule(inputs).sections
    used = {name for each in answer.sections for name in each.evidence}
    told = {number for each in answer.sections for number in each.questions}

    def left(questions: Iterable[int]) -> list[str]:
        own = [rule.evidence for rule in rules if {*rule.questions} & {*questions}]
        names = [name for each in own for name in each if name not in used]
        used.update(names)
        return names

    sections = [
        each.model_copy(update={"evidence": each.evidence or left(each.questions)})
        for each in answer.sections
    ]
    for rule in rules:
        if not told & {*rule.questions} and (names := left(rule.questions)):
            sections.append(rule.model_copy(update={"evidence": names}))
    return [each for each in sections if each.evidence or each.questions][:MOST_SECTIONS] or rules


def heading_of(question: str, most: int = 60) -> str:
    """A question as a heading of so many characters."""
    bare = re.sub(r"!?\[[^\]]*\](?:\([^)]*\))?|https?://\S+|[`#|]+", " ", question)
    bare = " ".join(bare.split()).strip(" .?!。？！*-–")
    if len(bare) <= most:
        return bare or "?"
    cut = bare[:most]
    return (cut.rpartition(" ")[0] or cut).rstrip(" ,;:，；：") + " …"


def title_by_rule(prompt: str) -> str:
    """A title by rule: the first sentence of a task, of a long one the clauses that have room."""
    title = heading_of((sentences(prompt) or [prompt])[0], 500)
    if len(title) > MOST_OF_TITLE and (clauses := _CLAUSES.match(title)):
        return clauses[0].rstrip()
    return heading_of(title, MOST_OF_TITLE)


OUTLINE: Final[Operation[Outlining, Outline]] = research_operation(
    "research/outline",
    takes=Outlining,
    gives=Outline,
    offline=outline_by_rule,
    check=_bound,
    version=3,
    shape=lambda inputs, form: (
        form.entries("sections", 1, MOST_SECTIONS)
        .chosen("questions", len(inputs.questions))
        .chosen("evidence", [id_of(line) for line in inputs.lines])
    ),
)


class SectionInputs(Inputs):
    """One section and its evidence in full: `[e3] quote (host)`. written: what stands before."""

    prompt: str
    heading: str
    aim: str
    evidence: list[str]
    written: list[str]


def _of_the_section(inputs: SectionInputs, answer: Prose) -> None:
    cites_only(answer.text, map(id_of, inputs.evidence))
    if _HEADING.search(answer.text):
        raise OffMenu("no heading above ###; the section has its heading already")
    for paragraph in answer.text.split("\n\n"):
        figure = re.search(r"\d", re.sub(r"\[e[^\]]*\]", "", paragraph))
        if inputs.evidence and figure and not ids_in(paragraph):
            raise OffMenu("a paragraph gives a figure and cites nothing; cite its evidence")


def quote_of(line: str) -> str:
    """The quote of a line of evidence."""
    return _HOST.sub("", _OF_QUESTIONS.sub("", line).partition("] ")[2])


def section_by_rule(inputs: SectionInputs) -> Prose:
    """The quotes as sentences, each with its identifier; those of one host in one paragraph."""
    paragraphs: dict[str, list[str]] = {}
    for line in inputs.evidence:
        host = (_HOST.search(line) or ("", ""))[1]
        paragraphs.setdefault(host, []).append(with_ids(_plain(quote_of(line)), [id_of(line)]))
    joint = "" if inputs.language == "zh" else " "
    made = [joint.join(each) for each in paragraphs.values()]
    return Prose(text="\n\n".join(made) or _WORDS[inputs.language]["nothing"])


def _plain(quote: str) -> str:
    """A quote as a sentence of running text: without marks of lists and headings, or citations."""
    bare = re.sub(r"^[\s>#*+-]+(?=\S)", "", quote.replace("**", ""))
    return re.sub(r"\s*\[(?:\d{1,3}|\^\w+)\]", "", bare)


WRITE_SECTION: Final[Operation[SectionInputs, Prose]] = research_operation(
    "research/write_section",
    takes=SectionInputs,
    gives=Prose,
    offline=section_by_rule,
    soft_check=once(_of_the_section),
)


class Synthesising(Inputs):
    """claims: sentences of the sections with their identifiers. against: pairs that contradict,
    `[e1] quote (host) / [e2] quote (host)`. open: questions without an answer.
    """

    prompt: str
    claims: list[str]
    against: list[str]
    open: list[str]


def _of_claims(inputs: Synthesising, answer: Prose) -> None:
    given = [each for text in (*inputs.claims, *inputs.against) for each in ids_in(text)]
    cites_only(answer.text, given)


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
        with_ids(_plain(quote_of(line)), [id_of(line)]) for line in pair.split(" / ") if id_of(line)
    )


SYNTHESISE: Final[Operation[Synthesising, Prose]] = research_operation(
    "research/synthesise",
    takes=Synthesising,
    gives=Prose,
    offline=synthesis_by_rule,
    soft_check=once(_of_claims),
)


class Checking(Inputs):
    """Sentences that cite, and for each the quotes that it cites, joined by line ends."""

    sentences: list[str]
    quotes: list[str]


Verdict = Literal["supported", "partly", "not"]


class SentenceVerdicts(Reply):
    """One for each sentence, in their order."""

    verdicts: list[Verdict]


def _each(inputs: Checking, answer: SentenceVerdicts) -> None:
    if len(answer.verdicts) != len(inputs.sentences):
        raise OffMenu(f"{len(answer.verdicts)} verdicts for {len(inputs.sentences)} sentences")


def sentence_verdict_by_rule(sentence: str, quotes: list[str]) -> Verdict:
    """Figures must stand in a quote; else by the share of words that do."""
    bare = re.sub(r"\[e[^\]]*\]", "", sentence)
    if missing_numbers(bare, quotes):
        return "not"
    share = share_of_words(bare, quotes)
    return "supported" if share >= SUPPORTED else "partly" if share >= PARTLY else "not"


def check_by_rule(inputs: Checking) -> SentenceVerdicts:
    """The verdict of `sentence_verdict_by_rule` on each sentence, in their order."""
    return SentenceVerdicts(
        verdicts=[
            sentence_verdict_by_rule(sentence, quotes.split("\n"))
            for sentence, quotes in zip(inputs.sentences, inputs.quotes, strict=True)
        ]
    )


CHECK: Final[Operation[Checking, SentenceVerdicts]] = research_operation(
    "research/check",
    takes=Checking,
    gives=SentenceVerdicts,
    offline=check_by_rule,
    check=_each,
    shape=lambda inputs, form: form.entries(
        "verdicts", len(inputs.sentences), len(inputs.sentences)
    ),
)


class Mending(Inputs):
    """A sentence that its quotes support in part, with them: `[e3] quote (host)`."""

    sentence: str
    evidence: list[str]


def _one_sentence(inputs: Mending, answer: Prose) -> None:
    cites_only(answer.text, map(id_of, inputs.evidence))
    if "\n" in answer.text.strip() or not ids_in(answer.text):
        raise OffMenu("give one sentence on one line, with the evidence that it cites")


def mend_by_rule(inputs: Mending) -> Prose:
    """The quote that shares most words with the sentence."""
    best = max(inputs.evidence, key=lambda line: share_of_words(inputs.sentence, [quote_of(line)]))
    return Prose(text=with_ids(_plain(quote_of(best)), [id_of(best)]))


MEND: Final[Operation[Mending, Prose]] = research_operation(
    "research/mend",
    takes=Mending,
    gives=Prose,
    offline=mend_by_rule,
    soft_check=once(_one_sentence),
)


class Leading(Inputs):
    """The sections as they are written, each with its heading."""

    prompt: str
    sections: list[str]


def _used(inputs: Leading, answer: Prose) -> None:
    cites_only(answer.text, [each for text in inputs.sections for each in ids_in(text)])
    if _HEADING.search(answer.text):
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


LEDE: Final[Operation[Leading, Prose]] = research_operation(
    "research/lede",
    takes=Leading,
    gives=Prose,
    offline=lede_by_rule,
    soft_check=once(_used),
)
