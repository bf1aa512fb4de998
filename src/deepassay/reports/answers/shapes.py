"""What the JSON of providers says: text, annotations with offsets, numbered sources.

Names are those of the interfaces: OpenAI's Responses, Chat Completions and Assistants, Anthropic's
Messages, Gemini's generateContent and Interactions, Perplexity's lists, and messages of a
conversation exported from ChatGPT. Both spellings, `startIndex` and `start_index`, are read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from deepassay.reports.listing import Source

Json = Mapping[str, Any]


class Annotation(NamedTuple):
    """Sources for a stretch of text. start, end: in whatever the provider counts; None if it does
    not say. quote: the text that stands there, where it says that.
    """

    sources: tuple[Source, ...]
    start: int | None = None
    end: int | None = None
    quote: str = ""


class AnswerPart(NamedTuple):
    """A piece of the text, with annotations whose offsets count from its beginning."""

    text: str
    annotations: tuple[Annotation, ...] = ()


class ProviderAnswer(NamedTuple):
    """An answer. shape: which interface it is of. sources: a list whose n-th entry `[n]` means,
    those without an address included.

    status: what the provider says of an end before the end, such as `incomplete`; else "".
    """

    shape: str
    parts: tuple[AnswerPart, ...]
    sources: tuple[Source, ...] = ()
    status: str = ""

    @property
    def text(self) -> str:
        """The parts joined to one text, nothing added for annotations."""
        return "".join(part.text for part in self.parts)


def answer_of(value: object) -> ProviderAnswer | None:
    """The answer that parsed JSON holds, or None if no interface is known that gives such JSON."""
    if isinstance(value, list):
        events = [each for each in value if isinstance(each, Mapping)]
        if len(events) == len(value) and all(_is_gemini(each) for each in events) and events:
            return _gemini_stream(events)
        return None
    if not isinstance(value, Mapping):
        return None
    for envelope in ("response", "result", "body", "message", "data"):
        inner = value.get(envelope)
        if isinstance(inner, Mapping) and (found := answer_of(inner)) is not None:
            return _with_sources(found, value)
    for reader in _READERS:
        if (found := reader(value)) is not None:
            return _with_sources(found, value)
    return None


def _with_sources(answer: ProviderAnswer, value: Json) -> ProviderAnswer:
    """Lists of sources stand beside the text, wherever the interface puts them."""
    if answer.sources or any(part.annotations for part in answer.parts):
        return answer
    return answer._replace(sources=_listed(value))


_URLS: Final = ("url", "uri", "link", "source", "source_url")
_LISTS: Final = (
    *("search_results", "citations", "references", "web_search", "sources", "source_urls"),
)


def _listed(value: Json) -> tuple[Source, ...]:
    """The first list of addresses: Perplexity, Grok, Azure and others.

    An entry without an address, such as null, holds its place: `[n]` counts it.
    """
    for name in _LISTS:
        several = value.get(name)
        if isinstance(several, list) and several:
            found = tuple(map(_source, several))
            if any(each.url for each in found):
                return found
    choices = _objects(value.get("choices"))
    places = [value.get("context"), value.get("search_info")]
    for place in [*places, *(each.get("message") for each in choices[:1])]:
        if isinstance(place, Mapping) and (found := _listed(place)):
            return found
    return ()


def _source(given: object) -> Source:
    """A source from an address or an object with one; without address where there is none."""
    if isinstance(given, str):
        return Source(given if _is_address(given) else "")
    if not isinstance(given, Mapping):
        return Source("")
    for inner in ("url_citation", "web", "retrievedContext", "retrieved_context", "document"):
        if isinstance(given.get(inner), Mapping):
            return _source(given[inner])
    urls, titles = (
        [given[name] for name in names if isinstance(given.get(name), str)]
        for names in (_URLS, ("title", "name", "document_title"))
    )
    title = " ".join(titles[0].split()) if titles else ""
    return Source(next(filter(_is_address, urls), ""), title)


def _is_address(text: str) -> bool:
    return re.match(r"https?://[^\s/]", text.strip(), re.IGNORECASE) is not None


def _get(value: Json, *names: str) -> Any:  # noqa: ANN401 - JSON
    """The first of several spellings that is there."""
    return next((value[name] for name in names if value.get(name) is not None), None)


def _objects(value: object) -> list[Json]:
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def _object(value: object) -> Json:
    return value if isinstance(value, Mapping) else {}


def _offset(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _annotations(several: object) -> tuple[Annotation, ...]:
    return tuple(note for each in _objects(several) if (note := _annotation(each)) is not None)


def _annotation(each: Json) -> Annotation | None:
    """One annotation; None where it names no page, such as a citation of an uploaded file."""
    many = _objects(_get(each, "sources", "items", "url_citations"))
    sources = [_source(one) for one in (many or [each])]
    known = tuple(dict.fromkeys(one for one in sources if one.url))
    if not known:
        return None
    inner = each.get("url_citation")
    places = [each, inner] if isinstance(inner, Mapping) else [each]
    start, end = (
        next((at for place in places if (at := _offset(_get(place, *names))) is not None), None)
        for names in (
            ("start_index", "startIndex", "start_idx", "start_ix", "start"),
            ("end_index", "endIndex", "end_idx", "end_ix", "end"),
        )
    )
    quote = _get(each, "matched_text", "text")
    return Annotation(known, start, end, quote if isinstance(quote, str) else "")


def _responses(value: Json) -> ProviderAnswer | None:
    """OpenAI's Responses (Grok's too): the last message of `output`."""
    output = value.get("output")
    if not isinstance(output, list):
        return None
    messages = [each for each in _objects(output) if each.get("type") == "message"]
    contents = [_text_contents(each.get("content")) for each in messages]
    last = next((each for each in reversed(contents) if each), ())
    return ProviderAnswer("responses", tuple(last), status=_ended(value.get("status")))


def _ended(status: object) -> str:
    return status if isinstance(status, str) and status != "completed" else ""


def _text_contents(content: object) -> list[AnswerPart]:
    """Pieces of a message, each with its own annotations."""
    if isinstance(content, str):
        return [AnswerPart(content)] if content else []
    found = []
    for each in _objects(content):
        inner = each.get("text")
        holder = {**inner, "text": inner.get("value")} if isinstance(inner, Mapping) else each
        text, notes = holder.get("text"), holder.get("annotations")
        if isinstance(text, str) and text:
            found.append(AnswerPart(text, _annotations(notes)))
    return found


def _chat(value: Json) -> ProviderAnswer | None:
    """Chat Completions, and what is compatible with them."""
    choices = _objects(value.get("choices"))
    message = choices[0].get("message") if choices else None
    if not isinstance(message, Mapping):
        return None
    parts = _text_contents(message.get("content"))
    if len(parts) == 1 and not parts[0].annotations:
        parts = [AnswerPart(parts[0].text, _annotations(message.get("annotations")))]
    reason = choices[0].get("finish_reason")
    cut = reason if reason in ("length", "content_filter") else ""
    return ProviderAnswer("chat", tuple(parts), status=cut)


def _messages(value: Json) -> ProviderAnswer | None:
    """Anthropic's Messages: citations stand beside the block of text that they are for.

    Talk between searches, which cites nothing, is no part of the answer.
    """
    content = value.get("content")
    blocks = _objects(content)
    if not blocks or value.get("type") != "message" or "role" not in value:
        return None
    runs: list[list[AnswerPart]] = [[]]
    for block in blocks:
        text = block.get("text")
        if block.get("type") == "text" and isinstance(text, str):
            cited = tuple(
                dict.fromkeys(
                    source
                    for each in _objects(block.get("citations"))
                    if (source := _source(each)).url
                )
            )
            note = (Annotation(cited, 0, len(text), text),) if cited else ()
            runs[-1].append(AnswerPart(text, note))
        elif runs[-1]:
            runs.append([])
    kept = [run for run in runs[:-1] if any(part.annotations for part in run)]
    parts = [part for run in (*kept, runs[-1]) for part in run] or [p for run in runs for p in run]
    cut = value.get("stop_reason")
    return ProviderAnswer(
        "messages", tuple(parts), status=cut if cut in ("max_tokens", "refusal") else ""
    )


def _is_gemini(value: Json) -> bool:
    return any(
        isinstance(each.get("content"), Mapping) for each in _objects(value.get("candidates"))[:1]
    )


def _gemini_stream(events: Sequence[Json]) -> ProviderAnswer:
    """Pieces of a streamed generateContent: the texts together, under the last grounding."""
    first = [_objects(event["candidates"])[0] for event in events]
    parts = [part for each in first for part in _objects(each["content"].get("parts"))]
    grounded = [each for each in first if _get(each, "groundingMetadata", "grounding_metadata")]
    whole = {**(grounded or first)[-1], "content": {"parts": parts}}
    answer = _gemini({"candidates": [whole]})
    assert answer is not None
    return answer


def _gemini(value: Json) -> ProviderAnswer | None:
    """Gemini's generateContent. Its offsets count bytes of a part, without its thoughts."""
    candidates = _objects(value.get("candidates"))
    if not candidates or not _is_gemini(value):
        return None
    first = candidates[0]
    pieces = _objects(first["content"].get("parts"))
    grounding = _object(_get(first, "groundingMetadata", "grounding_metadata"))
    chunks = [
        _source(each) for each in _objects(_get(grounding, "groundingChunks", "grounding_chunks"))
    ]
    supports = _objects(_get(grounding, "groundingSupports", "grounding_supports"))
    segments = [_object(each.get("segment")) for each in supports]
    apart = any(_get(each, "partIndex", "part_index") for each in segments)
    texts = [
        str(each["text"]) if isinstance(each.get("text"), str) and not each.get("thought") else ""
        for each in pieces
    ]
    if not apart:
        texts = ["".join(texts)]
    notes: list[list[Annotation]] = [[] for _ in texts]
    for support, segment in zip(supports, segments, strict=True):
        part = _offset(_get(segment, "partIndex", "part_index")) or 0
        named = _get(support, "groundingChunkIndices", "grounding_chunk_indices")
        known = tuple(
            chunks[at]
            for at in (named if isinstance(named, list) else ())
            if _offset(at) is not None and 0 <= at < len(chunks) and chunks[at].url
        )
        if known and 0 <= part < len(notes):
            start = _offset(_get(segment, "startIndex", "start_index")) or 0
            end = _offset(_get(segment, "endIndex", "end_index"))
            quote = segment.get("text")
            notes[part].append(
                Annotation(known, start, end, quote if isinstance(quote, str) else "")
            )
    parts = tuple(AnswerPart(text, tuple(own)) for text, own in zip(texts, notes, strict=True))
    cut = _get(first, "finishReason", "finish_reason")
    status = cut.lower() if isinstance(cut, str) and cut not in ("STOP", "stop") else ""
    sources = () if any(notes) else tuple(each for each in chunks if each.url)
    return ProviderAnswer("gemini", parts, sources, status)


def _interactions(value: Json) -> ProviderAnswer | None:
    """Gemini's Interactions: the last output, or the last step, that has text."""
    steps = [*_objects(value.get("outputs")), *_objects(value.get("steps"))]
    found: list[AnswerPart] = []
    for step in steps:
        text = step.get("text")
        found = (
            [AnswerPart(text, _annotations(step.get("annotations")))]
            if isinstance(text, str) and text
            else _text_contents(step.get("content"))
        ) or found
    if not steps:
        return None
    return ProviderAnswer("interactions", tuple(found), status=_ended(value.get("status")))


def _conversation(value: Json) -> ProviderAnswer | None:
    """A conversation exported from ChatGPT: the last message of the assistant that has text."""
    nodes = value.get("mapping")
    if not isinstance(nodes, Mapping):
        return None
    messages = [each.get("message") for each in nodes.values() if isinstance(each, Mapping)]
    said = [
        each
        for each in messages
        if isinstance(each, Mapping)
        and _object(each.get("author")).get("role") == "assistant"
        and each.get("recipient", "all") == "all"
        and (found := _exported(each)) is not None
        and found.text.strip()
    ]
    if not said:
        return None
    return _exported(max(said, key=_when))


def _when(message: Json) -> float:
    told = message.get("create_time")
    return float(told) if isinstance(told, int | float) else 0.0


def _exported(value: Json) -> ProviderAnswer | None:
    """A message exported from ChatGPT, whose markers `metadata` explains."""
    content, metadata = value.get("content"), value.get("metadata")
    if not isinstance(content, Mapping) or not isinstance(metadata, Mapping):
        return None
    if content.get("content_type", "text") != "text" or not isinstance(content.get("parts"), list):
        return None
    text = "".join(each for each in content["parts"] if isinstance(each, str))
    references = [
        each
        for each in _objects(metadata.get("content_references"))
        if str(each.get("matched_text", "")).strip()  # the list of all sources has none
    ]
    notes = _annotations(references) or _annotations(
        [{**_object(each.get("metadata")), **each} for each in _objects(metadata.get("citations"))]
    )
    return ProviderAnswer("chatgpt", (AnswerPart(text, notes),))


def _assistants(value: Json) -> ProviderAnswer | None:
    """A message of OpenAI's or Azure's Assistants, or a bare list of annotated texts."""
    if not isinstance(value.get("content"), list):
        return None
    parts = _text_contents(value["content"])
    return ProviderAnswer("assistants", tuple(parts)) if parts else None


_TEXTS: Final = ("final_report", "report", "article", "output_text", "answer", "text", "content")


def _plain(value: Json) -> ProviderAnswer | None:
    """An object with a text and a list of sources or annotations beside it."""
    text = next((value[name] for name in _TEXTS if isinstance(value.get(name), str)), None)
    notes = _annotations(value.get("annotations"))
    if text is None or not (notes or _listed(value) or "final_report" in value):
        return None
    return ProviderAnswer("text", (AnswerPart(text, notes),))


_READERS: Final[tuple[Callable[[Json], ProviderAnswer | None], ...]] = (
    _responses,
    _chat,
    _messages,
    _gemini,
    _interactions,
    _conversation,
    _exported,
    _assistants,
    _plain,
)
