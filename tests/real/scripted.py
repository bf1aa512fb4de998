"""A model that researches by a script, behind the interface of chat completions.

It may repeat only sentences of a corpus that stand in its context, and cites an address only if
that stands there too. So the citations of a report show that an agent's search, reading, memory
and writing carried evidence from the corpus to the end, and nothing else can have made them.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.loopback import FakeJudge, Reply, Request, completion

MODEL = "gpt-5-mini"
"""The name under which the declarations of the examples ask for a model."""

PAGES = 8
"""Pages that it opens, at most."""

SENTENCES = 3
"""Of one page that it repeats, at most."""

_SEARCHES = {"web_search": "query", "search": "query"}
_READERS = {"visit_webpage": "url", "fetch": "id"}


@dataclass
class Scripted:
    """pages: the sentences of each page of the corpus, by address. queries: what it asks for."""

    pages: Mapping[str, Sequence[str]]
    queries: Sequence[str]
    _ids: int = field(default=0, init=False)

    def server(self) -> FakeJudge:
        """A server that answers so, for the model MODEL and for embeddings."""
        server = FakeJudge(scenarios={MODEL: self._completion})
        server.paths["/v1/embeddings"] = _embeddings
        return server

    # What it says

    def report(self, context: str) -> str:
        """Sentences of the context that stand in the corpus, cited as far as it may be."""
        told = " ".join(context.split())
        cited, lines = [], []
        for page, sentences in self.pages.items():
            there = [each for each in sentences if each in told][:SENTENCES]
            address = _address(page, told)
            if there and address:
                cited.append(address)
            lines += [f"{each} [{len(cited)}]" if address else each for each in there]
        listed = [f"[{number}] {address}" for number, address in enumerate(cited, 1)]
        return "\n\n".join(["# What the pages say", *lines, "## Sources", *listed])

    def _completion(self, request: Request, _: str) -> Reply:
        body = request.body
        messages = [_text(each) for each in body["messages"]]
        said = [
            text
            for text, each in zip(messages, body["messages"], strict=True)
            if each["role"] == "assistant"
        ]
        context = "\n".join(messages)
        tools = {each["function"]["name"]: each["function"] for each in body.get("tools") or ()}
        calls = self._calls(tools, said, context)
        if calls:
            message = {"tool_calls": [self._call(name, given) for name, given in calls]}
            reply = completion("", "tool_calls", **message)
        else:
            reply = completion(self._words(body, context))
        return _streamed(reply) if body.get("stream") else reply

    def _calls(
        self, tools: Mapping[str, Any], said: Sequence[str], context: str
    ) -> list[tuple[str, dict[str, Any]]]:
        """The tools that are called next, with their arguments."""

        def times(name: str) -> int:
            return sum(f'"{name}"' in each or f"'{name}'" in each for each in said)

        for name, argument in _SEARCHES.items():
            if name in tools and not times(name):
                return [(name, {argument: query}) for query in self.queries]
        for name, argument in _READERS.items():
            if name in tools and not times(name):
                told = " ".join(context.split())
                known = [address for page in self.pages if (address := _address(page, told))]
                return [(name, {argument: address}) for address in known[:PAGES]]
        if "ConductResearch" in tools and not times("ConductResearch"):
            return [("ConductResearch", {"research_topic": query}) for query in self.queries[:2]]
        if "ResearchComplete" in tools:
            return [("ResearchComplete", {})]
        if "final_answer" in tools:
            return [("final_answer", {"answer": self.report(context)})]
        return []

    def _words(self, body: Mapping[str, Any], context: str) -> str:
        """An answer in words, of the form that is asked for."""
        form = body.get("response_format") or {}
        if form.get("type") == "json_schema":
            fields = form["json_schema"]["schema"]["properties"]
            return json.dumps(dict.fromkeys(fields, "; ".join(self.queries)))
        if "agent_role_prompt" in context:
            return json.dumps({"server": "Researcher", "agent_role_prompt": "You research."})
        if "list of strings" in context:
            return json.dumps(list(self.queries))
        if "visit_webpage(" in context:  # an agent that writes programs
            return self._program(context)
        return self.report(context)

    def _program(self, context: str) -> str:
        if "Observation" not in context.rpartition("New task")[2]:
            code = f"for query in {list(self.queries)!r}:\n    print(web_search(query))"
        else:
            code = f"final_answer({self.report(context)!r})"
        return f"Thought: go on.\n<code>\n{code}\n</code>"

    def _call(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        self._ids += 1
        function = {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}
        return {"id": f"call_{self._ids}", "type": "function", "function": function}


def _address(page: str, told: str) -> str | None:
    """The address of a page as it stands in a text, with what a sandbox puts before it."""
    found = re.search(r"(?:http://[\w.:]+(?:/s/\w+)?/w/)?" + re.escape(page), told)
    return found[0] if found else None


def _text(message: Mapping[str, Any]) -> str:
    """All that a message says, calls of tools included."""
    content = message.get("content") or ""
    if not isinstance(content, str):
        content = "\n".join(part.get("text", "") for part in content)
    calls = message.get("tool_calls") or ()
    return "\n".join([_told(content), *(json.dumps(each, ensure_ascii=False) for each in calls)])


def _told(content: str) -> str:
    """A text; one that holds JSON with its escapes undone, as a model reads over them."""
    return content.replace("\\n", "\n").replace('\\"', '"')


def _streamed(reply: Reply) -> Reply:
    """The same as server-sent events."""
    whole = json.loads(reply.body)
    (choice,) = whole["choices"]
    message = dict(choice["message"])
    for number, call in enumerate(message.get("tool_calls") or ()):
        call["index"] = number
    chunk = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": MODEL}
    pieces = [
        {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]},
    ]
    lines = [f"data: {json.dumps(each)}\n\n" for each in pieces]
    return Reply(
        200, {"Content-Type": "text/event-stream"}, "".join([*lines, "data: [DONE]\n\n"]).encode()
    )


def _embeddings(request: Request, _: str) -> Reply:
    """Vectors by the words of a text: alike where these are."""
    given = request.body["input"]
    texts = [given] if isinstance(given, str) else given
    data = [
        {"object": "embedding", "index": number, "embedding": _vector(text)}
        for number, text in enumerate(texts)
    ]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return Reply(
        body=json.dumps({"object": "list", "data": data, "model": "words", "usage": usage}).encode()
    )


def _vector(text: str, length: int = 64) -> list[float]:
    vector = [0.01] * length
    for word in re.findall(r"\w{4,}", text.lower()):
        vector[int(hashlib.sha256(word.encode()).hexdigest(), 16) % length] += 1.0
    return vector
