"""Perturbations of claims: another figure, a negation, a contradiction in another section."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from decimal import Decimal

from numpy.random import Generator

from deepassay.reports.report import Report
from deepassay.reports.sentences import MASK
from deepassay.reports.spans import Edit, Span, apply
from deepassay.reports.statements import Statement
from deepassay.text import HAN, HAN_CHARACTER
from deepassay.wings.trials.perturb.perturbation import Perturbation, choose
from deepassay.wings.trials.perturb.sections import (
    line_end_of,
    paragraphs_below,
    sections,
    takes_a_paragraph_below,
)

_NOT_PROSE = re.compile(
    r"https?://[^\s<>]+|www\.[^\s<>]+|(?<=\])\([^()\s]{1,2000}\)|`[^`\n]{1,300}`|<[^<>\n]{1,300}>"
)


def masked(text: str, statement: Statement) -> str:
    """The statement as written, as long as its span, with MASK for all that is not its prose."""
    start, end = statement.span
    pieces = []
    at = start
    for resolved in () if statement.inherited else statement.citations:
        span = resolved.citation.span
        if not resolved.citation.in_sentence:
            pieces += [text[at : span.start], MASK * (span.end - span.start)]
            at = span.end
    prose = "".join([*pieces, text[at:end]])
    return _NOT_PROSE.sub(lambda found: MASK * len(found[0]), prose)


_DASHES = "\\-‐‑‒–—−~～至"
_FIGURE = re.compile(
    rf"(?<![A-Za-z0-9_.,/:#@^\\{_DASHES}])(?<![第年月])"
    r"(?P<number>\d{1,3}(?:,\d{3}){1,4}(?:\.\d{1,4})?|\d{1,9}(?:\.\d{1,4})?)"
    rf"(?![0-9_/:\\{_DASHES}])(?![.,]\d)"
)
_MEASURED = re.compile(
    r"\s?(?:%|％|‰|percent\b|per cent\b|percentage\b|million\b|billion\b|trillion\b|thousand\b"
    r"|(?:bn|mn|k|[KMBT]|km|kg|[GMkT]W(?:h)?|[GMT]B|USD|EUR|RMB|CNY)\b"
    r"|[千万亿倍元人个家名户吨米台辆])",
)
_COUNTED = re.compile(rf"\*{{0,2}}(?:\s[a-z]{{3,}}|\s?[{HAN}])")
_OF_A_DATE = re.compile(
    r"\s?(?:世纪|年代|[年月日号时点章节条款届期季级])|(?:st|nd|rd|th)\b"
    r"|\s(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sep|Oct|Nov|Dec|a\.?m\b|p\.?m\b)",
)
_OTHER_LETTER = re.compile(r"[A-Za-z]")
_CAPITAL_BEFORE = re.compile(r"(?:^|[\s(（*])[A-Z][\w./-]{0,20}\s\Z")
_PADDED = re.compile(r"0\d|[0.,]+\Z")
_MONEY = "$€£¥￥"
_FACTORS = (0.4, 0.55, 1.7, 2.3, 3.0)


def places_of_figures(text: str, statement: Statement) -> list[Span]:
    """Where in the report the figures of a statement stand.

    Percentages, sums of money, measures and counts; not years, dates, ranges, numbers of
    versions, figures and list items, and nothing in a citation or an address.
    """
    prose = masked(text, statement)
    return [
        Span(statement.span.start + found.start(), statement.span.start + found.end())
        for found in _FIGURE.finditer(prose)
        if _is_claimed(prose, found)
    ]


def _is_claimed(prose: str, found: re.Match[str]) -> bool:
    number, end = found["number"], found.end()
    if _PADDED.match(number):
        return False
    if _MEASURED.match(prose, end):
        return not _OF_A_DATE.match(prose, end)
    if _OF_A_DATE.match(prose, end) or _OTHER_LETTER.match(prose, end):
        return False
    if prose[found.start() - 1 : found.start()] in tuple(_MONEY) or "," in number:
        return True
    if _CAPITAL_BEFORE.search(prose, max(0, found.start() - 24), found.start()):
        return False
    year = len(number) == 4 and number[:2] in ("18", "19", "20")
    return not year and number != "1" and _COUNTED.match(prose, end) is not None


def changed_figure(text: str, figure: Span, random: Generator) -> Edit:
    """Another figure in its place, written alike: at least 40 % away, percentages below 100."""
    written = figure.of(text)
    value = Decimal(written.replace(",", ""))
    places = len(written.partition(".")[2])
    percent = text[figure.end : figure.end + 1] in ("%", "％") and value <= 100
    candidates = list(_candidates(value, places, percent))
    new = candidates[random.integers(len(candidates))]
    return Edit(figure, f"{new:,.{places}f}" if "," in written else f"{new:.{places}f}")


def _candidates(value: Decimal, places: int, percent: bool) -> Iterator[Decimal]:
    step = Decimal(1).scaleb(-places)
    for factor in _FACTORS:
        new = (value * Decimal(str(factor))).quantize(step)
        if (
            new not in (0, 1)
            and abs(new - value) >= value * Decimal("0.4")
            and not (percent and new >= 100)
        ):
            yield new


_VERB = re.compile(
    r"(?<=\s)(?:(?P<be>is|are|was|were|can|could|will|would|should|must)"
    r"|(?P<have>has|have|had)|(?P<cannot>cannot|can['’]t)"
    r"|(?P<short>isn|aren|wasn|weren|doesn|don|didn|couldn|wouldn|shouldn|hasn|haven|hadn)['’]t"
    r"|(?P<do>do|does|did)(?=\snot\s)"
    r"|(?P<third>includes|requires|provides|remains|contains|exceeds|allows|enables|becomes"
    r"|suggests|indicates|depends|involves|represents|combines|relies|applies)"
    r"|(?P<past>became|grew|rose|fell|began|took|went|gave|saw))"
    r"(?P<not>\s(?:not|never)(?!\s(?:only|just|merely|simply|least)\b))?(?=\s\**[A-Za-z0-9$€£~≈])"
)
_PARTICIPLE = re.compile(
    r"\s\**(?:(?:also|already|recently|since|long|largely|now|consistently|not)\s)?"
    r"(?:[a-z]{2,20}ed|been|become|grown|risen|fallen|shown|led|made|seen|begun|gone|taken|come"
    r"|emerged|driven|given|found|put|set|kept|brought|built|held|proven|won|lost|cut|drawn)\b"
)
_SUBORDINATE = re.compile(
    r"\b(?:that|which|who|whom|whose|if|whether|when|where|while|because|although|though|since"
    r"|unless|as|what|how|why|than|despite|and|but|or|after|before|until|once|may|might"
    r"|below|above|here|states?|says?|shows?|notes?|reports?|finds?|found"
    r"|estimates?|argues?|claims?)\b|[(\[（:;—]",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"\b(?:no|none|nor|neither|nobody|nothing|nowhere|hardly|rarely|few|little|without|only|any)\b"
    r"|\?",
    re.IGNORECASE,
)
_NOT = re.compile(r"\bnot\b|n['’]t\b")
_NOUN_BEFORE = re.compile(r"\b(?:the|a|an|its|their|his|her|of|to|and|or)\s\Z", re.IGNORECASE)
_BARE = {
    "relies": "rely", "applies": "apply",
    "became": "become", "grew": "grow", "rose": "rise", "fell": "fall", "began": "begin",
    "took": "take", "went": "go", "gave": "give", "saw": "see",
}  # fmt: skip
_WHOLE = {"isn": "is", "aren": "are", "wasn": "was", "weren": "were", "doesn": "does",
          "don": "do", "didn": "did", "couldn": "could", "wouldn": "would",
          "shouldn": "should", "hasn": "has", "haven": "have", "hadn": "had"}  # fmt: skip

_CHINESE_REPLACED = (
    ("不是", "是"), ("没有", "有"), ("尚未", "已经"), ("并未", "已经"), ("无法", "能够"),
    ("不能", "能够"), ("不会", "会"), ("不属于", "属于"), ("不具有", "具有"),
)  # fmt: skip
_CHINESE_VERB = re.compile(
    r"(?P<be>(?<![于但还只就可总凡若而要或别其正便即更像倒算又实不])是(?![否非因，,：:])"
    r"|属于|能够|可以|需要|应当|应该|具有|包括|存在|依赖|意味着|取决于|来自|位于)"
    r"|(?P<will>将会|将(?=[是成继达推带为]))"
    r"|(?P<done>已经|已(?=[成达经超实形进取完建]))"
    r"|(?P<did>(?<![能可会要以来为的地著步续常速幅期])(?:达到|超过|成为)(?!的|率|速|幅|点|期))"
)
_CONDITIONS = re.compile(r"[?？]|如果|虽然|尽管|是否|即使|而是|还是")
_DENIALS = re.compile(r"[不没未无非]")


def negated(text: str, statement: Statement) -> Edit | None:
    """The edit that makes a sentence say the contrary; None where no rule is sure of its verb.

    A negation that is there is taken away. Questions, sentences that deny already, and verbs
    of subordinate clauses are left alone.
    """
    prose = masked(text, statement)
    if "\n" in prose or "\r" in prose:
        return None
    chinese = len(HAN_CHARACTER.findall(prose)) * 4 > len(prose)
    edit = _chinese(prose) if chinese else _english(prose)
    if edit is None:
        return None
    start = statement.span.start
    return Edit(Span(edit.span.start + start, edit.span.end + start), edit.text)


def _english(prose: str) -> Edit | None:
    verb = _VERB.search(prose)
    if verb is None or _SUBORDINATE.search(prose, 0, verb.start()) or _NEGATED.search(prose):
        return None
    before = prose[: verb.start()]
    if before.count('"') % 2 or before.count("**") % 2 or before.count("“") > before.count("”"):
        return None
    if not re.search(r"[A-Za-z]", before) or _NOUN_BEFORE.search(before):
        return None
    if _NOT.search(prose, verb.end()):
        return None
    return Edit(Span(*verb.span()), _contrary(prose, verb))


def _contrary(prose: str, verb: re.Match[str]) -> str:
    """The verb with `not`, or without the `not` that it has."""
    word = verb[0].split()[0]
    if verb["cannot"] or verb["short"]:
        return _WHOLE.get(verb["short"], "can")
    if verb["not"] or verb["do"]:
        return word
    if verb["have"] and not _PARTICIPLE.match(prose, verb.end()):
        return {"has": "does not have", "have": "do not have", "had": "did not have"}[word]
    if verb["third"] or verb["past"]:
        auxiliary = "does" if verb["third"] else "did"
        return f"{auxiliary} not {_BARE.get(word, word[:-1])}"
    return "cannot" if word == "can" else f"{word} not"


def _chinese(prose: str) -> Edit | None:
    for denied, affirmed in _CHINESE_REPLACED:
        at = prose.find(denied)
        if (
            at >= 0
            and prose[at - 1 : at] != "而"
            and len(_DENIALS.findall(prose)) == 1
            and not _CONDITIONS.search(prose)
        ):
            return Edit(Span(at, at + len(denied)), affirmed)
    verb = _CHINESE_VERB.search(prose)
    if verb is None or not verb.start() or _DENIALS.search(prose) or _CONDITIONS.search(prose):
        return None
    word = verb[0]
    if verb["will"]:
        contrary = "不会"
    elif verb["done"]:
        contrary = "尚未"
    else:
        contrary = f"不{word}" if verb["be"] else f"没有{word}"
    return Edit(Span(*verb.span()), contrary)


_ENDS = re.compile(rf"(?:[.!。！…][\"'”’)）*_]{{0,4}}|{MASK})(?:[\s,;、，；]|{MASK})*[.。]?\Z")
_MARKS_OF_BLOCKS = re.compile(
    r"[#>|=+•●▪◦·–—-]|\*\s|\d{1,9}[.)、]|[（(]?[一二三四五六七八九十]{1,3}[、)）]"
)
_SHORTEST = 12
_LONGEST = 800


def whole_sentences(report: Report) -> list[Statement]:
    """Sentences on one line, to their full stop or citation, in reading order."""
    return [each for each in report.statements if _is_whole(report.text, each)]


def _is_whole(text: str, statement: Statement) -> bool:
    length = statement.span.end - statement.span.start
    if statement.kind != "sentence" or len(statement.text) < _SHORTEST or length > _LONGEST:
        return False
    prose = masked(text, statement)
    if "\n" in prose or "\r" in prose or prose.count("**") % 2 or _MARKS_OF_BLOCKS.match(prose):
        return False
    return _ENDS.search(prose, max(0, len(prose) - 80)) is not None


def cited_first(statements: Iterable[Statement]) -> tuple[list[Statement], list[Statement]]:
    """The statements that cite a source with an address in themselves, and the others."""
    groups: tuple[list[Statement], list[Statement]] = [], []
    for each in statements:
        groups[0 if each.urls and not each.inherited else 1].append(each)
    return groups


# ------------------------------------------------------------------ perturbations


def _change_number(report: Report, random: Generator, _share: float) -> Iterator[Edit]:
    """One edit, in a statement that cites a source if any such has a figure."""
    found = [
        [figure for each in group for figure in places_of_figures(report.text, each)]
        for group in cited_first(report.statements)
    ]
    figure = choose(found, random)
    if figure is not None:
        yield changed_figure(report.text, figure, random)


CHANGE_NUMBER = Perturbation(
    name="change-number",
    what="Changes one figure of a claim to a clearly different one.",
    edits=_change_number,
    needs="a figure that measures or counts something",
    found="changed figures",
    of_sources=True,
)


def _negate_sentence(report: Report, random: Generator, _share: float) -> Iterator[Edit]:
    """One edit, in a sentence that cites a source if there is one whose verb rules can see."""
    sentences = [each for each in report.statements if each.kind == "sentence"]
    found = [
        [edit for each in group if (edit := negated(report.text, each)) is not None]
        for group in cited_first(sentences)
    ]
    edit = choose(found, random)
    if edit is not None:
        yield edit


NEGATE_SENTENCE = Perturbation(
    name="negate-sentence",
    what="Makes one sentence say the contrary.",
    edits=_negate_sentence,
    needs="a sentence with a verb that rules can negate",
    found="negated claims",
    of_sources=True,
)


def _plant_contradiction(report: Report, random: Generator, _share: float) -> Iterator[Edit]:
    """One edit, which puts the copy as a paragraph at the end of a section that is another.

    The copy keeps its citations, so that it is as well supported as the original.
    """
    found = sections(report)
    if len(found) < 2:
        return
    groups = cited_first(whole_sentences(report))
    deniable = [[each for each in group if _can_change(report, each)] for group in groups]
    sentence = choose(deniable, random)
    if sentence is None:
        return
    own = bisect_right([each.span.start for each in found], sentence.span.start) - 1
    places = [
        each.span.end
        for index, each in enumerate(found)
        if index != own and takes_a_paragraph_below(each.blocks[-1])
    ]
    edit = _falsified(report, sentence, random)
    if places and edit is not None:
        end = places[random.integers(len(places))]
        yield paragraphs_below(end, [_copy(report, sentence, edit)], line_end_of(report))


def _can_change(report: Report, sentence: Statement) -> bool:
    return (
        bool(places_of_figures(report.text, sentence)) or negated(report.text, sentence) is not None
    )


def _falsified(report: Report, sentence: Statement, random: Generator) -> Edit | None:
    """The edit of one figure, or of the verb if there is none."""
    numbers = places_of_figures(report.text, sentence)
    if numbers:
        return changed_figure(report.text, numbers[random.integers(len(numbers))], random)
    return negated(report.text, sentence)


def _copy(report: Report, sentence: Statement, edit: Edit) -> str:
    start, end = sentence.span
    shifted = Edit(Span(edit.span.start - start, edit.span.end - start), edit.text)
    return apply(report.text[start:end], [shifted])


PLANT_CONTRADICTION = Perturbation(
    name="plant-contradiction",
    what="Says a sentence again in another section, with another figure or negated.",
    edits=_plant_contradiction,
    needs="two sections, and a sentence with a figure or with a verb that rules can negate",
    found="planted contradictions",
)
