"""A provider who keeps the beginnings of prompts, and bills by a tokenizer of its own."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from functools import partial

from tests.loopback import Reply, Request, completion

BLOCK = 128
SHORTEST = 1024


class CachingProvider:
    """A scenario for `FakeJudge`: completions with the usage as it is billed.

    A prompt is cached from the moment at which its answer has been sent, in blocks of BLOCK tokens,
    and not below SHORTEST; a prompt that comes before that is billed in full. bytes_a_token: of
    its tokenizer, which knows no words. billed: tokens in all, by kind.
    """

    def __init__(self, bytes_a_token: float) -> None:
        self._bytes_a_token = bytes_a_token
        self._kept: set[bytes] = set()
        self.billed: Counter[str] = Counter()

    @property
    def share(self) -> float:
        """The share of prompt tokens that was billed as cached."""
        return self.billed["cached"] / self.billed["input"]

    def __call__(self, request: Request, text: str) -> Reply:
        said = "\0".join(each["content"] for each in request.body["messages"])
        blocks = list(self._blocks(said.encode()))
        known = next((n for n, each in enumerate(blocks) if each not in self._kept), len(blocks))
        cached = known * BLOCK if known * BLOCK >= SHORTEST else 0
        asked, answered = self._count(said), self._count(text)
        self.billed.update(input=asked, cached=cached, output=answered)
        reply = completion(text)
        body = json.loads(reply.body)
        body["usage"] = {
            "prompt_tokens": asked,
            "completion_tokens": answered,
            "total_tokens": asked + answered,
            "prompt_tokens_details": {"cached_tokens": cached},
        }
        return Reply(body=json.dumps(body).encode(), then=partial(self._kept.update, blocks))

    def _count(self, text: str) -> int:
        return round(len(text.encode()) / self._bytes_a_token)

    def _blocks(self, said: bytes) -> Iterator[bytes]:
        """For each full block a digest of everything up to its end."""
        size = round(BLOCK * self._bytes_a_token)
        digest = hashlib.sha256()
        for end in range(size, len(said) + 1, size):
            digest.update(said[end - size : end])
            yield digest.digest()
