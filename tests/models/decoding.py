"""A decoder that can write nothing but what a JSON schema allows, byte by byte."""

from __future__ import annotations

from random import Random
from typing import Any, Literal

from llguidance import LLMatcher, LLTokenizer

BYTES = LLTokenizer("byte")
PREFERRED = {
    "shortest": [BYTES.eos_token, *b'}]",'],
    "longest": [*b"xn,9"],
}
"""What each way of writing takes first, of what the grammar lets it; lists and texts end late or
at once by it."""


def decoded(
    schema: dict[str, Any], way: Literal["shortest", "longest", "random"], seed: int = 0
) -> str:
    """An answer under a schema. Raises AssertionError for a schema of which no grammar is made."""
    grammar = LLMatcher.grammar_from_json_schema(schema, defaults={"whitespace_flexible": False})
    matcher = LLMatcher(BYTES, grammar)
    assert not matcher.get_error(), matcher.get_error()
    chance, written = Random(seed), bytearray()
    while not matcher.is_stopped():
        allowed = matcher.compute_logit_bias()
        token = _chosen(allowed, way, chance)
        matcher.consume_token(token)
        if token != BYTES.eos_token:
            written.append(token)
            assert len(written) < 100_000
    return written.decode()


def _chosen(allowed: bytes, way: str, chance: Random) -> int:
    first = PREFERRED.get(way, [*b'x",]}'] if chance.random() < 0.5 else [])
    for token in first:
        if allowed[token]:
            return token
    possible = [token for token, bias in enumerate(allowed) if bias]
    plain = [each for each in possible if 32 <= each < 127 and each != ord("\\")]
    return chance.choice(plain or possible)
