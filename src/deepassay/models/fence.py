"""Untrusted text in a prompt: a fence that the text cannot close.

    <<<BEGIN report 5f0c91d2a7be
    ... the text of a stranger ...
    <<<END report 5f0c91d2a7be

The code is derived from the text and a salt that is drawn for each run: its author cannot know
it, and the same text has the same fence in every operation of a run, so that a provider's prefix
cache still works. Besides, no line of the text can look like a fence of ours, because a run of
three or more opening angle brackets is replaced by as many round ones: in any script, with blanks
or unseen characters between them, and also where two signs look like three before BEGIN or END.

Text that looks like a model's own control tokens (`<|im_end|>`, `[INST]`, `</s>`) loses its first
bracket in the same way: a server with a careless tokenizer would take it for the end of a turn.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from unicodedata import normalize

from deepassay.files import without_surrogates
from deepassay.models.digests import LONGEST_KEPT, digest_of_text
from deepassay.score import digest

_OPENERS = "<＜﹤‹«《〈〈≪⟨⟪⋘❮❬❰˂ᐸᚲ⧼⦑︿︽\U0001d236\U000e003c"
_WIDE = dict.fromkeys("«≪《⟪︽", 2) | {"⋘": 3}  # signs that look like several
_BLANKS = "\x00-\x09\x0b-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_UNSEEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a"
    "\U000e0000-\U000e003b\U000e003d-\U000e01ef"
)
_MARKS = "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
_GAP = rf"[{_BLANKS}{_UNSEEN}{_MARKS}]*+"
_AFTER = re.compile(rf"{_GAP}(.)", re.DOTALL)
_REST = (
    r"(?=[|｜][^|｜<>\n]{1,60}[|｜]>|/?s>|/?(?:bos|eos|pad|unk|eoa|eoh|start_of_turn|end_of_turn|reserved_\d{1,5})>"
    r"|</?SYS>>|/?SYS>>|/?INST\]|/?(?:SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\])"
)
# What begins a pattern stands alone in front, which lets the engine skip to it; in this order,
# because `[` may stand before `<SYS>>`.
_CONTROL = [re.compile(bracket + _REST) for bracket in (r"\[", "<")]
_LINE_END = re.compile("\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_OPENER = re.compile(f"[{_OPENERS}]")


def fenced(label: str, text: str, salt: str) -> str:
    """`text` between two lines that only this run can write."""
    return (_kept if len(text) <= LONGEST_KEPT else _fenced)(label, text, salt)


def _fenced(label: str, text: str, salt: str) -> str:
    code = digest(f"{salt}\n{label}\n{digest_of_text(text)}")[:12]
    return f"<<<BEGIN {label} {code}\n{disarmed(text)}\n<<<END {label} {code}"


_kept = lru_cache(maxsize=256)(_fenced)  # a report comes back with every question about it


def disarmed(text: str) -> str:
    """`text`, of the same length, without anything that looks like a fence or a control token.

    A quote that a judge returns was taken from this form of the text: look it up here.
    Surrogates without a partner, which no request can carry, become U+FFFD.
    """
    text = without_surrogates(text)
    if signs := "".join(each for each in _OPENERS if each in text):
        text = _run(signs).sub(_rounded, text)
    for control in _CONTROL:
        text = control.sub("(", text)
    return text


@lru_cache(maxsize=64)
def _run(signs: str) -> re.Pattern[str]:
    """A run of brackets, where there are no others than these.

    To one sign alone, which is all that most texts have, the engine skips.
    """
    return re.compile(rf"[{signs}](?:(?:{_GAP}[{signs}])++|(?<=⋘))")


def _rounded(run: re.Match[str]) -> str:
    """A run of brackets with round ones in their place, if it could be taken for ours."""
    signs = _OPENER.findall(run.group())
    if sum(_WIDE.get(each, 1) for each in signs) < 3:
        return run.group()
    if len(signs) < 3:  # 《〈红楼梦〉研究》 stays; only before the words of a fence it may not
        after = _AFTER.match(run.string, run.end())
        if after is None or normalize("NFKC", after[1])[:1] not in {"B", "E", "b", "e"}:
            return run.group()
    return _OPENER.sub("(", run.group())


def numbered(items: Iterable[str]) -> str:
    """`1. first` and so on; further lines of an item are indented, so that none can pose as one."""
    return "\n".join(
        f"{number}. {_LINE_END.sub(chr(10) + '   ', item)}" for number, item in enumerate(items, 1)
    )
