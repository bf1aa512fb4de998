"""Services on loopback that carry out jobs, in the shapes of three vendors."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from deepassay.wings.research.adapters.recipe import ServiceRecipe, service_recipe_of
from tests.loopback import FakeJudge, Reply, Request

TEXT = "# 潮汐 🌊\n\nThe tide rises twice a day 🌊. 月亮拉动海水。 It falls after that.\n"
SENTENCES = ("The tide rises twice a day 🌊.", "月亮拉动海水。")
URLS = ("https://a.example/tides", "https://b.example/moon")

UNITS: Mapping[str, Callable[[str], int]] = {
    "characters": len,
    "utf16": lambda text: len(text.encode("utf-16-le")) // 2,
    "utf8": lambda text: len(text.encode()),
}


def annotations(unit: str, urls: tuple[str, ...] = URLS) -> list[dict[str, Any]]:
    """A citation for each of the sentences, with offsets in this unit."""
    count = UNITS[unit]
    return [
        {
            "type": "url_citation",
            "url": url,
            "title": "A page",
            "start_index": count(TEXT[: TEXT.index(sentence)]),
            "end_index": count(TEXT[: TEXT.index(sentence) + len(sentence)]),
        }
        for sentence, url in zip(SENTENCES, urls, strict=True)
    ]


def openai(unit: str = "characters") -> dict[str, Any]:
    """A finished response, thoughts and searches before its message."""
    content = [{"type": "output_text", "text": TEXT, "annotations": annotations(unit)}]
    output = [{"type": "reasoning", "summary": []}, {"type": "web_search_call"}]
    usage = {"input_tokens": 900, "output_tokens": 80, "output_tokens_details": {"x": 1}}
    return {"output": [*output, {"type": "message", "content": content}], "usage": usage}


def gemini(urls: tuple[str, ...] = URLS) -> dict[str, Any]:
    """A finished interaction, its offsets in bytes."""
    content = [{"type": "text", "text": TEXT, "annotations": annotations("utf8", urls)}]
    return {"steps": [{"type": "thought"}, {"type": "model_output", "content": content}]}


def perplexity() -> dict[str, Any]:
    """A finished request: markers in the text, an array beside it, a cost."""
    text = "<think>hm [2]</think>\n" + TEXT.replace("day 🌊.", "day 🌊[1].").replace(
        "海水。", "海水[2]。"
    )
    message = {"role": "assistant", "content": text}
    return {
        "response": {
            "choices": [{"message": message, "finish_reason": "stop"}],
            "search_results": [{"url": url, "title": "A page"} for url in URLS],
            "usage": {"prompt_tokens": 900, "cost": {"total_cost": 0.42}},
        }
    }


WORDS: Mapping[str, tuple[str, str]] = {
    "openai": ("in_progress", "completed"),
    "gemini": ("in_progress", "completed"),
    "perplexity": ("IN_PROGRESS", "COMPLETED"),
}
PATHS: Mapping[str, str] = {
    "openai": "/v1/responses",
    "gemini": "/v1beta/interactions",
    "perplexity": "/v1/async/sonar",
}


class Vendor(FakeJudge):
    """One of them. result: its body when done; running: polls before that, None for no end.

    submitted: bodies of jobs begun. polls: how many came. cancelled: whether it was asked to.
    replies: of the next polls, in place of the ordinary ones.
    """

    def __init__(self, name: str, result: dict[str, Any], running: int | None = 2) -> None:
        super().__init__()
        self.name, self.result, self.running = name, result, running
        self.submitted: list[dict[str, Any]] = []
        self.polls = 0
        self.cancelled = False
        self.replies: list[Reply] = []
        path = PATHS[name]
        self.paths = {
            path: self._submit,
            f"{path}/job-1": self._poll,
            f"{path}/job-1/cancel": self._cancel,
        }

    @property
    def base(self) -> str:
        """What `base_url` takes."""
        return self.base_url.removesuffix("/v1")

    def recipe(self, **poll: Any) -> ServiceRecipe:
        """The ready recipe, without its waits."""
        ready = service_recipe_of(self.name)
        return ready.model_copy(
            update={"poll": ready.poll.model_copy(update={"every_s": 0.01, **poll})}
        )

    def _submit(self, request: Request, text: str) -> Reply:
        self.submitted.append(request.body)
        return self._told(WORDS[self.name][0])

    def _poll(self, request: Request, text: str) -> Reply:
        self.polls += 1
        if self.replies:
            return self.replies.pop(0)
        if self.cancelled:
            return self._told("cancelled")
        if self.running is None or self.polls <= self.running:
            return self._told(WORDS[self.name][0])
        return self._told(WORDS[self.name][1], self.result)

    def _cancel(self, request: Request, text: str) -> Reply:
        self.cancelled = True
        return self._told("cancelled")

    def _told(self, word: str, result: Mapping[str, Any] | None = None) -> Reply:
        body = {"id": "job-1", "status": word, **(result or {})}
        return Reply(headers={"openai-poll-after-ms": "5"}, body=json.dumps(body).encode())
