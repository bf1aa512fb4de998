"""Untrusted text in a prompt: a fence that the text cannot close.

    <<<BEGIN report 5f0c91d2a7be
    ... the text of a stranger ...
    <<<END report 5f0c91d2a7be

The code is derived from the text and a salt that is drawn for each run: its author cannot know
it, and the same text has the same fence in every operation of a run, so that a provider's prefix
cache still works. Besides, no line of the text can look like a fence of ours, because a run of
three or more opening angle brackets, in any script, is replaced by as many round ones.

Text that looks like a model's own control tokens (`<|im_end|>`, `[INST]`, `</s>`) loses its first
bracket in the same way: a server with a careless tokenizer would take it for the end of a turn.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from deepassay.score import digest

_OPENERS = "<＜﹤‹«《〈〈≪⟨⟪⋘❮❰˂ᐸ"
_UNSEEN = "\u00ad\u180e\u200b-\u200f\u2060-\u2064\ufeff"
_LOOK_ALIKE = re.compile(rf"[{_OPENERS}](?:[{_UNSEEN} \t\u00a0]{{0,3}}[{_OPENERS}]){{2,}}")
_CONTROL = re.compile(
    r"[<\[](?=[|｜][^|｜<>\n]{1,60}[|｜]>|/?s>|/?(?:bos|eos|pad|unk|start_of_turn|end_of_turn)>"
    r"|</?SYS>>|/?SYS>>|/?INST\]|/?(?:SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\])"
)
_LINE_END = re.compile("\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_OPENER = re.compile(f"[{_OPENERS}]")


LONGEST_KEPT = 200_000
"""Characters of a text whose fenced form is kept for the next question: reports, and no pages."""


def fenced(label: str, text: str, salt: str) -> str:
    """`text` between two lines that only this run can write."""
    return (_kept if len(text) <= LONGEST_KEPT else _fenced)(label, text, salt)


def _fenced(label: str, text: str, salt: str) -> str:
    code = digest(f"{salt}\n{label}\n{text}")[:12]
    return f"<<<BEGIN {label} {code}\n{disarmed(text)}\n<<<END {label} {code}"


_kept = lru_cache(maxsize=256)(_fenced)  # a report comes back with every question about it


def disarmed(text: str) -> str:
    """`text`, of the same length, without anything that looks like a fence or a control token.

    A quote that a judge returns was taken from this form of the text: look it up here.
    Surrogates without a partner, which no request can carry, become U+FFFD.
    """
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return _CONTROL.sub("(", _LOOK_ALIKE.sub(lambda run: _OPENER.sub("(", run.group()), text))


def numbered(items: Iterable[str]) -> str:
    """`1. first` and so on; further lines of an item are indented, so that none can pose as one."""
    return "\n".join(
        f"{number}. {_LINE_END.sub(chr(10) + '   ', item)}" for number, item in enumerate(items, 1)
    )
