"""The first question about a text goes ahead of the others, so that a provider's cache is warm.

A provider bills the beginning of a prompt as cached once it has answered a prompt that began the
same. Questions about one report begin the same (system prompt, then the report): were they all
sent at once, each would be billed in full.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from deepassay.models.prompt import Prompt

LEAST: Final = 4_000
"""Characters of a beginning that is worth waiting for; providers keep none below 1,024 tokens."""


class Prefixes:
    """The beginnings of prompts that one client has sent, or is sending for the first time."""

    def __init__(self) -> None:
        self._sent: set[int] = set()
        self._first: dict[int, asyncio.Event] = {}

    @asynccontextmanager
    async def behind_first(self, prompt: Prompt) -> AsyncIterator[None]:
        """Wait while the first prompt with this beginning is underway.

        Whatever becomes of it, the others go on together then.
        """
        if len(prompt.material) < LEAST:
            yield
            return
        beginning = prompt.beginning
        while (first := self._first.get(beginning)) is not None:
            await first.wait()
        if beginning in self._sent:
            yield
            return
        first = self._first[beginning] = asyncio.Event()
        try:
            yield
            self._sent.add(beginning)
        finally:  # where the first was cancelled, the next one is the first
            del self._first[beginning]
            first.set()
