"""A decoder that can write nothing but what a JSON schema allows, byte by byte."""

from __future__ import annotations

from itertools import compress
from operator import itemgetter
from random import Random
from typing import Any, Literal

from llguidance import LLMatcher, LLTokenizer

BYTES = LLTokenizer("byte")
PREFERRED = {
    "shortest": [BYTES.eos_token, *b"}],"],
    "longest": [*b"xn,9"],
    "begun": [*b"x"],
    "going on": [*b'"x'],
    "ending": [*b'",]}'],
    "any": [],
}
"""What each way of writing takes first, of what the grammar lets it; lists and texts end late or
at once by it, texts after a letter."""

PLAIN = [token for token in range(32, 127) if token != ord("\\")]
OF_PLAIN = itemgetter(*PLAIN)
RUN = [*b"x"] * 500
"""Tokens of the words of the longest answers, asked about at once: masks take most of the time."""


def decoded(
    schema: dict[str, Any], way: Literal["shortest", "longest", "random"], seed: int = 0
) -> str:
    """An answer under a schema. Raises AssertionError for a schema of which no grammar is made."""
    grammar = LLMatcher.grammar_from_json_schema(schema, defaults={"whitespace_flexible": False})
    matcher = LLMatcher(BYTES, grammar)
    assert not matcher.get_error(), matcher.get_error()
    chance, written = Random(seed), bytearray()
    while not matcher.is_stopped():
        taken = matcher.compute_ff_tokens()  # where there is no choice
        if not taken and way == "longest":
            taken = RUN[: matcher.validate_tokens(RUN)]
        if not taken:
            allowed = matcher.compute_logit_bias()
            taken = [_chosen(allowed, PREFERRED[_next(way, written, chance)], chance)]
        assert matcher.consume_tokens(taken)
        written += bytes(token for token in taken if token != BYTES.eos_token)
        assert len(written) < 100_000
    return written.decode()


def _next(way: str, written: bytearray, chance: Random) -> str:
    """How to go on from here, as one of the ways that are listed."""
    inside = way != "longest" and written.count(b'"') % 2 == 1
    if inside and written.endswith(b'"'):
        return "begun"
    if way == "random":
        return chance.choices(["longest", "ending", "any"], [8, 1, 8])[0]
    return "going on" if inside else way


def _chosen(allowed: bytes, preferred: list[int], chance: Random) -> int:
    for token in preferred:
        if allowed[token]:
            return token
    plain = [*compress(PLAIN, OF_PLAIN(allowed))]
    return chance.choice(plain or [token for token, bias in enumerate(allowed) if bias])
