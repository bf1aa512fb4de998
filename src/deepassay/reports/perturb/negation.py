"""The negation of a sentence, English or Chinese, as far as rules can see its verb."""

from __future__ import annotations

import re

from deepassay.reports.perturb.masking import masked
from deepassay.reports.spans import Edit, Span
from deepassay.reports.statements import Statement
from deepassay.text import HAN_CHARACTER

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
    said = masked(text, statement)
    if "\n" in said or "\r" in said:
        return None
    chinese = len(HAN_CHARACTER.findall(said)) * 4 > len(said)
    edit = _chinese(said) if chinese else _english(said)
    if edit is None:
        return None
    start = statement.span.start
    return Edit(Span(edit.span.start + start, edit.span.end + start), edit.text)


def _english(said: str) -> Edit | None:
    verb = _VERB.search(said)
    if verb is None or _SUBORDINATE.search(said, 0, verb.start()) or _NEGATED.search(said):
        return None
    before = said[: verb.start()]
    if before.count('"') % 2 or before.count("**") % 2 or before.count("“") > before.count("”"):
        return None
    if not re.search(r"[A-Za-z]", before) or _NOUN_BEFORE.search(before):
        return None
    if _NOT.search(said, verb.end()):
        return None
    return Edit(Span(*verb.span()), _contrary(said, verb))


def _contrary(said: str, verb: re.Match[str]) -> str:
    """The verb with `not`, or without the `not` that it has."""
    word = verb[0].split()[0]
    if verb["cannot"] or verb["short"]:
        return _WHOLE.get(verb["short"], "can")
    if verb["not"] or verb["do"]:
        return word
    if verb["have"] and not _PARTICIPLE.match(said, verb.end()):
        return {"has": "does not have", "have": "do not have", "had": "did not have"}[word]
    if verb["third"] or verb["past"]:
        auxiliary = "does" if verb["third"] else "did"
        return f"{auxiliary} not {_BARE.get(word, word[:-1])}"
    return "cannot" if word == "can" else f"{word} not"


def _chinese(said: str) -> Edit | None:
    for denied, affirmed in _CHINESE_REPLACED:
        at = said.find(denied)
        if (
            at >= 0
            and said[at - 1 : at] != "而"
            and len(_DENIALS.findall(said)) == 1
            and not _CONDITIONS.search(said)
        ):
            return Edit(Span(at, at + len(denied)), affirmed)
    verb = _CHINESE_VERB.search(said)
    if verb is None or not verb.start() or _DENIALS.search(said) or _CONDITIONS.search(said):
        return None
    word = verb[0]
    if verb["will"]:
        contrary = "不会"
    elif verb["done"]:
        contrary = "尚未"
    else:
        contrary = f"不{word}" if verb["be"] else f"没有{word}"
    return Edit(Span(*verb.span()), contrary)
