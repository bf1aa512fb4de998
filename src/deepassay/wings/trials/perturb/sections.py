"""Perturbations of sections and paragraphs, and the sections of a body that they work on."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from numpy.random import Generator

from deepassay.reports.markdown import Block
from deepassay.reports.removal import blank_before
from deepassay.reports.report import Report, parts_outside
from deepassay.reports.spans import Edit, Span
from deepassay.text import HAN_CHARACTER
from deepassay.wings.trials.perturb.perturbation import Perturbation, choose

_FRAME = re.compile(
    r"[#\s*_]*(?:[\dIVX]{1,4}[.)、\s]{1,3}|[一二三四五六七八九十]{1,3}[、.．\s]{1,3})?\s*"
    r"(?:executive|introduct|overview|summary|abstract|background|tl;?dr|key (?:takeaways|findings)"
    r"|conclusion|concluding|closing|next steps"
    r"|摘要|引言|前言|导言|导论|绪论|概述|概要|概览|执行摘要|内容提要|背景|结论|结语|总结|小结)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Section:
    """A heading with all that stands under it.

    span: from the heading to the last character under it, without a closing rule (`---`) and
    without the blank lines before the next section. blocks: those in it, the heading first.
    """

    span: Span
    blocks: tuple[Block, ...]

    @property
    def length(self) -> int:
        """How many characters stand under the heading."""
        return self.span.end - self.blocks[0].span.end


def sections(report: Report) -> tuple[Section, ...]:
    """Sections of the body in reading order, all under headings of one level.

    Neither title and opening, which stand before the first, nor reference lists are in any. A
    section that goes on below a reference list within it is none, because it is not known
    which part of it the list serves.
    """
    blocks = [block for block in report.body if block.kind != "rule"]
    level = _dividing_level(blocks)
    if level is None:
        return ()
    found: list[Section] = []
    under: list[Block] = []
    for block in [*blocks, None]:
        ends = block is None or _heads(block) in range(1, level + 1)
        if ends and under:
            found.append(_section(report, under))
            under = []
        if block is not None and (under or (ends and _heads(block) == level)):
            under.append(block)
    return tuple(parts_outside((each.span for each in report.reference_lists), found))


def frames(report: Report, section: Section) -> bool:
    """Whether a section is called an introduction, a summary or a conclusion."""
    return _FRAME.match(report.text, *section.blocks[0].span) is not None


def _heads(block: Block) -> int:
    """The level of a heading that divides the report; 0 for other blocks, quoted ones too."""
    return block.level if block.kind == "heading" and not block.depth else 0


def _dividing_level(blocks: list[Block]) -> int | None:
    """The highest level with three headings, or else with two: a title or two divide nothing."""
    counts = Counter(_heads(block) for block in blocks)
    for least in (3, 2):
        for level in range(1, 7):
            if counts[level] >= least:
                return level
    return None


def _section(report: Report, blocks: list[Block]) -> Section:
    start, end = blocks[0].span.start, blocks[-1].span.end
    end = start + len(report.text[start:end].rstrip())
    return Section(Span(start, end), tuple(blocks))


def line_end_of(report: Report) -> str:
    """How the lines of a report end."""
    return "\r\n" if "\r\n" in report.text else "\n"


_CHINESE_FROM = 0.2


def is_chinese(report: Report) -> bool:
    """Whether what is added to a report has to be in Chinese."""
    return len(HAN_CHARACTER.findall(report.text)) > _CHINESE_FROM * len(report.text)


def takes_a_paragraph_below(block: Block) -> bool:
    """Whether text below a block is a paragraph: code and HTML may still be open at its end."""
    return block.kind not in ("code", "html", "heading")


def gaps(report: Report) -> list[int]:
    """Where the blocks above each heading of the body end, and the last block of the body.

    Between a paragraph and the next, another would part a claim from citations below it.
    """
    blocks = [block for block in report.body if block.kind != "rule"]
    ends = [one for one, following in pairwise(blocks) if following.kind == "heading"]
    return [block.span.end for block in [*ends, *blocks[-1:]] if takes_a_paragraph_below(block)]


def paragraphs_below(end: int, paragraphs: Iterable[str], line_end: str) -> Edit:
    """The edit that puts paragraphs below a block, which ends at `end`."""
    gap = 2 * line_end
    return Edit(Span(end, end), "".join(gap + paragraph for paragraph in paragraphs))


_ENGLISH = (
    "It goes without saying that this topic has many sides, each of which matters in its own way.",
    "There is much that could be said here, and much of it depends on how one looks at it.",
    "Before going further, it helps to pause for a moment and keep the larger picture in mind.",
    "As with so many questions, the answer is seldom simple, and it rarely stands by itself.",
    "Different readers will naturally find different aspects of this more or less important.",
    "Taken together, these points form a picture that is both broad and rich in detail.",
    "It is worth bearing in mind that context always plays a part in matters of this kind.",
    "What has been said so far should be seen in the light of what is still to be said.",
    "Needless to say, a careful look at all of this is more useful than a hasty one.",
    "In one way or another, everything mentioned here is connected with everything else.",
    "Such considerations deserve attention, whatever conclusion one may finally come to.",
    "Of course, no overview can do full justice to a subject with so many facets.",
    "With this in view, the discussion can move on to the next point in a natural manner.",
    "Every situation is different, and what holds in one case need not hold in another.",
    "Much has been thought about this, and no doubt much more will be thought about it.",
    "In the end, it all comes down to weighing the various factors against each other.",
)

_CHINESE = (
    "毋庸赘言，这一话题涉及方方面面，每个方面都有其自身的意义。",
    "对此可以说的内容很多，而怎样去说在很大程度上取决于看问题的角度。",
    "在继续讨论之前，不妨稍作停顿，从整体上把握全局。",
    "正如许多问题一样，答案往往并不简单，也很少能够孤立地看待。",
    "不同的读者自然会觉得其中不同的部分更为重要。",
    "综合起来看，上述内容构成了一幅既全面又丰富的图景。",
    "值得注意的是，在这类问题上，背景总是起着一定的作用。",
    "前面所谈的内容，应当与后面将要谈到的内容结合起来理解。",
    "不言而喻，认真细致地加以考察，总比匆忙下结论更为有益。",
    "从某种意义上说，这里提到的一切都是相互联系的。",
    "无论最终得出怎样的看法，这些思考都值得重视。",
    "当然，任何概述都难以完全展现这样一个多层面的主题。",
    "有鉴于此，下面的讨论便可以自然而然地展开。",
    "每种情形各有不同，适用于一处的未必适用于另一处。",
    "关于这一点，人们已经有过许多思考，今后想必还会有更多思考。",
    "归根结底，关键在于对各种因素进行综合权衡。",
)

_SENTENCES = 4


def empty_paragraphs(chinese: bool, random: Generator) -> Iterator[str]:
    """Paragraphs of four sentences without end; none comes twice before all have come."""
    sentences = _CHINESE if chinese else _ENGLISH
    while True:
        order = random.permutation(len(sentences))
        for start in range(0, len(order), _SENTENCES):
            chosen = [sentences[index] for index in order[start : start + _SENTENCES]]
            yield ("" if chinese else " ").join(chosen)


# ------------------------------------------------------------------ perturbations


def _drop_section(report: Report, random: Generator, _share: float) -> Iterator[Edit]:
    """One edit, which removes a section at least as long as the middle one.

    A section that introduces or sums up is taken only where there is no other, because the
    rest of the report says the same at greater length. A rule above it goes too if there is
    another below.
    """
    found = sections(report)
    if len(found) < 2:
        return
    candidates = [each for each in found if not frames(report, each)] or list(found)
    candidates.sort(key=lambda each: each.length)
    longer = candidates[len(candidates) // 2 :]
    dropped = longer[random.integers(len(longer))]
    start = blank_before(report.text, _rule_above(report, dropped) or dropped.span.start)
    yield Edit(Span(start, dropped.span.end), "")


def _rule_above(report: Report, section: Section) -> int | None:
    """Where the rule above a section begins, if another follows it."""
    starts = [block.span.start for block in report.blocks]
    first = bisect_left(starts, section.span.start)
    after = bisect_left(starts, section.span.end)
    around = report.blocks[max(0, first - 1) : first] + report.blocks[after : after + 1]
    rules = [block.span.start for block in around if block.kind == "rule"]
    return rules[0] if len(rules) == 2 else None


DROP_SECTION = Perturbation(
    name="drop-section",
    what="Takes one section of the body away, a substantial one.",
    edits=_drop_section,
    needs="two sections",
    found="dropped sections",
)


def _shuffle_sections(report: Report, random: Generator, _share: float) -> Iterator[Edit]:
    """One edit for each section that comes to stand in the place of another.

    What stands before the first section, a first section that introduces or sums up, and the
    reference list stay where they are; so do the blank lines and rules between the sections.
    """
    movable = list(sections(report))
    if movable and frames(report, movable[0]):
        del movable[0]
    if len(movable) < 2:
        return
    order = random.permutation(len(movable))
    while (order == range(len(movable))).all():
        order = random.permutation(len(movable))
    for section, source in zip(movable, order, strict=True):
        yield Edit(section.span, movable[source].span.of(report.text))


SHUFFLE_SECTIONS = Perturbation(
    name="shuffle-sections",
    what="Puts the sections of the body into another order.",
    edits=_shuffle_sections,
    needs="two sections besides an introduction",
    found="shuffled sections",
)


_WHOLE = re.compile(r"[.!?。！？](?:[^:：\r\n]{0,40}[^:：*_\s])?[*_\s]{0,8}\Z")
_SUBSTANTIAL = 200
_SHORTEST = 30


def _duplicate_paragraph(report: Report, random: Generator, _share: float) -> Iterator[Edit]:
    """One edit; of a long paragraph if there is one, else of a shorter one, else of a list item.

    What ends with a colon announces something below and is left alone.
    """
    blocks = [
        block
        for block in report.body
        if block.kind == "paragraph"
        and block.span.end - block.span.start >= _SHORTEST
        and _WHOLE.search(report.text, max(block.span.start, block.span.end - 60), block.span.end)
    ]
    paragraphs = [block for block in blocks if not block.depth]
    long = [each for each in paragraphs if each.span.end - each.span.start >= _SUBSTANTIAL]
    chosen = choose([long, paragraphs, blocks], random)
    if chosen is not None:
        gap = line_end_of(report) * (1 if chosen.depth else 2)
        place = Span(chosen.span.end, chosen.span.end)
        yield Edit(place, gap + chosen.span.of(report.text))


DUPLICATE_PARAGRAPH = Perturbation(
    name="duplicate-paragraph",
    what="Says one paragraph twice, the second time directly below.",
    edits=_duplicate_paragraph,
    needs="a paragraph, or an item of a list, of 30 characters",
    found="repeated paragraphs",
)


def _pad(report: Report, random: Generator, share: float) -> Iterator[Edit]:
    """One edit for each place above a heading, or at the end of the body, that gets paragraphs.

    Places get one paragraph after another, in random order, until the report is longer by
    `share` of its length.
    """
    places = gaps(report)
    if not places:
        return
    order = [places[index] for index in random.permutation(len(places))]
    chinese = is_chinese(report)
    added: dict[int, list[str]] = {}
    length = 0
    for number, paragraph in enumerate(empty_paragraphs(chinese, random)):
        if length >= share * len(report.text):
            break
        added.setdefault(order[number % len(order)], []).append(paragraph)
        length += len(paragraph)
    line_end = line_end_of(report)
    for end, below in added.items():
        yield paragraphs_below(end, below, line_end)


PAD = Perturbation(
    name="pad",
    what="Makes a report longer by sentences that say nothing, by a quarter of its length by "
    "default.",
    edits=_pad,
    needs="a text in its body",
    found="empty paragraphs",
    share=0.25,
)
