"""Untrusted text in a prompt: a fence that it cannot close, and quotes that are looked up in it.

    <<<BEGIN report 5f0c91d2a7be
    ... untrusted text ...
    <<<END report 5f0c91d2a7be

The code is derived from the text and a salt that is drawn for each run: its author cannot know
it, and the same text has the same fence in every operation of a run, so that a provider's prefix
cache still works. Besides, no line of the text can look like a fence of ours, because a run of
three or more opening angle brackets is replaced by as many round ones: in any script, with blanks
or unseen characters between them, and also where two signs look like three before BEGIN or END.

Text that looks like a model's own control tokens (`<|im_end|>`, `[INST]`, `</s>`) loses its first
bracket in the same way: a server with a careless tokenizer would take it for the end of a message.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Final
from unicodedata import normalize

from deepassay.files import without_surrogates
from deepassay.score import digest

LONGEST_KEPT: Final = 200_000
"""Characters of a text of which something is kept for the next question: reports, and no pages."""


def digest_of_text(text: str) -> str:
    """SHA-256 of a text, in hexadecimal, as `digest` gives it."""
    return (_digest_kept if len(text) <= LONGEST_KEPT else digest)(text)


_digest_kept = lru_cache(maxsize=256)(digest)


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
    return f"<<<BEGIN {label} {code}\n{_shown(text)}\n<<<END {label} {code}"


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


def numbered_items(items: Iterable[str]) -> str:
    """`1. first` and so on; further lines of an item are indented, so that none can pose as one."""
    return "\n".join(
        f"{number}. {_LINE_END.sub(chr(10) + '   ', item)}" for number, item in enumerate(items, 1)
    )


_SAME: Final = (
    dict.fromkeys("‘’‚‛′`´", "'")
    | dict.fromkeys("“”„‟″«»", '"')
    | dict.fromkeys("‐‑‒–—―−﹣－", "-")
    | dict.fromkeys(
        "\u00ad\u180e\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\ufeff", ""
    )
    | dict.fromkeys("*_\\", "")  # emphasis and escapes, which Markdown has and a quote often lacks
)


class _PlainCharacters(dict[str, str]):
    """Characters as they are compared; unseen ones and blanks are nothing.

    A ligature is its letters, `…` three points, a full-width sign a narrow one.
    """

    def __missing__(self, char: str) -> str:
        """The form of a character that is seen for the first time; only 4,096 are kept."""
        folded = normalize("NFKC", _SAME.get(char, char))
        plain = "".join(_SAME.get(each, each) for each in folded if not each.isspace())
        if len(self) < 4096:
            self[char] = plain
        return plain


_PLAIN: Final = _PlainCharacters()
_shown = lru_cache(maxsize=64)(disarmed)


@lru_cache(maxsize=8)  # all quotes from a page are looked up on it, one after the other
def _folded(text: str) -> tuple[str, Sequence[int]]:
    """The text without blanks and unseen characters, and how much of it each character ends."""
    plain = [_PLAIN[char] for char in text]
    return "".join(plain), array("L", accumulate(map(len, plain)))


def find_quote(text: str, quote: str) -> str | None:
    """The passage of a text that a model quotes, as the text spells it; None if it has none.

    The model was shown the text with its fences disarmed: this is where the quote is looked up.
    A quote without a letter or a digit shows nothing.
    """
    place = place_of_quote(text, quote)
    return None if place is None else _shown(text)[slice(*place)]


def place_of_quote(text: str, quote: str) -> tuple[int, int] | None:
    """Where the passage that a model quotes begins and ends in a text; None if it has none."""
    if not quote.strip():
        return None
    shown = _shown(text)
    if (at := shown.find(quote)) >= 0 and any(map(str.isalnum, quote)):
        return at, at + len(quote)  # word for word, as most are
    plain, ends = _folded(shown)
    wanted = "".join([_PLAIN[char] for char in quote])
    at = plain.find(wanted)
    if at < 0 or not any(map(str.isalnum, wanted)):
        return None
    return bisect_right(ends, at), bisect_right(ends, at + len(wanted) - 1) + 1
