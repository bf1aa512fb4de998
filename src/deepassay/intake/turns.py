"""Conversations in what JSON holds: who said what, in the order in which it was said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from deepassay.intake.heads import plain
from deepassay.score import Json

_ASKS: Final = frozenset(("user", "human", "humanmessage", "humanmessagechunk"))
_ANSWERS: Final = frozenset(
    ("assistant", "ai", "gpt", "model", "bot", "chatbot", "aimessage", "aimessagechunk")
)
_OTHERS: Final = frozenset(
    ("system", "developer", "tool", "function", "systemmessage", "toolmessage", "ipython")
)
_ROLES: Final = ("role", "from", "sender", "speaker", "author", "type")
_CONTENTS: Final = ("content", "steps", "parts", "value", "text", "message", "data", "kwargs")
_MODELS: Final = ("senderName", "model", "model_name", "model_slug", "ls_model_name")
_SAYING: Final = (
    *("text", "multimodal_text", "input_text", "output_text", "human", "ai", "contentBlock"),
)
"""Types of parts of a content that are no thoughts, tools or code."""
_DEEPEST: Final = 6
"""Levels of a content: of parts, of messages in messages."""


class Turn(NamedTuple):
    """What was said at once. asks, answers: by whom; neither for systems and tools.

    model: which one answered, where that is said.
    """

    asks: bool
    answers: bool
    text: str
    model: str = ""


def turns_in(value: Json, beside: Mapping[str, Json] | None = None) -> list[Turn] | None:
    """The turns of a conversation, or None for what is none.

    A list of messages, one message, a list of such that has one entry, or messages that name the
    one before each, of which the last is named beside it.
    """
    if isinstance(value, Mapping):
        turn = _turn(value)
        return [turn] if turn else _linked(value, beside or {})
    if not isinstance(value, list) or not value:
        return None
    if len(value) == 1 and isinstance(value[0], list):
        return turns_in(value[0])
    other = _only_other(value)
    turns = [_turn(each, other) for each in value if isinstance(each, Mapping)]
    found = [each for each in turns if each is not None]
    return found if found and len(found) == len(value) else None


def who_speaks(value: Json) -> str:
    """`user`, `assistant` or `system` for what the one who speaks is called; else nothing."""
    name = plain(value) if isinstance(value, str) else ""
    return (
        "user"
        if name in _ASKS
        else "assistant"
        if name in _ANSWERS
        else "system"
        if name in _OTHERS
        else ""
    )


def _only_other(messages: Sequence[Json]) -> str:
    """The one name beside users, where someone is called by a name of their own."""
    senders = {
        each.get(key)
        for each in messages
        if isinstance(each, Mapping)
        for key in _ROLES
        if isinstance(each.get(key), str)
    }
    unknown = [each for each in senders if not who_speaks(each)]
    asks = any(who_speaks(each) == "user" for each in senders)
    return str(unknown[0]) if asks and len(unknown) == 1 else ""


def _turn(message: Mapping[str, Json], other: str = "", depth: int = 0) -> Turn | None:
    """What a message says, or one that it is about, as `{"message": {…}}`.

    other: the name of the one who answers, where none is known by what they are.
    """
    who = ""
    for key in _ROLES:
        named = message.get(key)
        named = named.get("role") if isinstance(named, Mapping) else named
        who = who or who_speaks(named) or ("assistant" if other and named == other else "")
    kind = message.get("id")
    if not who and isinstance(kind, list) and kind:  # as objects of LangChain are written
        who = who_speaks(kind[-1])
    if not who:
        versions = message.get("versions")
        at = message.get("currentlySelected", 0)
        chosen = versions[at] if isinstance(versions, list) and at in range(len(versions)) else None
        inner = message.get("message", chosen)
        if isinstance(inner, Mapping) and depth < _DEEPEST:
            return _turn(inner, other, depth + 1)
        return None
    if not any(key in message for key in _CONTENTS):
        return None
    texts = (_said(message.get(key)) for key in _CONTENTS)
    thought = message.get("isThought") is True or message.get("thought") is True
    text = "" if thought else next((each for each in texts if each.strip()), "")
    inner = (message, message.get("data"), message.get("kwargs"), message.get("senderInfo"))
    beside = [
        each
        for level in inner
        if isinstance(level, Mapping)
        for each in (level, level.get("metadata"), level.get("response_metadata"))
    ]
    models = [
        named
        for each in beside
        if isinstance(each, Mapping)
        for key in _MODELS
        if isinstance(named := each.get(key), str)
    ]
    return Turn(who == "user", who == "assistant", text, models[0] if models else "")


def _said(content: Json, depth: int = 0) -> str:
    """The text of a content: as it is, or of its parts; none of thoughts, tools and their code."""
    if isinstance(content, str):
        return content
    if depth == _DEEPEST:
        return ""
    if isinstance(content, list):
        return "".join(_said(each, depth + 1) for each in content)
    if not isinstance(content, Mapping):
        return ""
    kind = str(content.get("type", content.get("content_type", "text")))
    style = content.get("style")
    thought = isinstance(style, Mapping) and style.get("type") == "thinking"
    if kind not in _SAYING or thought:
        return ""
    keys = ("text", "parts", "content") if len(content) > 1 else (*content,)
    return next((text for key in keys if (text := _said(content.get(key), depth + 1))), "")


def _linked(nodes: Mapping[str, Json], beside: Mapping[str, Json]) -> list[Turn] | None:
    """The turns of messages by identifier, each of which names its parent."""
    if (
        not all(
            isinstance(each, Mapping) and {"message", "parent"} <= each.keys()
            for each in nodes.values()
        )
        or not nodes
    ):
        return None
    at = beside.get("current_node")
    if at not in nodes:
        at = [*nodes][-1]
    way: list[str] = []
    while isinstance(at, str) and at in nodes and at not in way:
        way.append(at)
        at = nodes[at]["parent"]
    turns = [_turn(nodes[each]) for each in reversed(way)]
    return [each for each in turns if each is not None and each.text.strip()]


_PARENTS: Final = ("parentId", "parent_id", "parent")
_LEVELS: Final = 4
"""Levels of fields at which messages by identifier are looked for."""


class Branches(NamedTuple):
    """Where messages name the one before each: the ways to answers that nothing follows.

    beside: the conversations that end in answers of several models to one question, each with which
    of the answers of its model it is, from 1; else the one that is shown. left: other answers.
    """

    beside: Sequence[tuple[Sequence[Json], int]] = ()
    left: int = 0


def versions_left(messages: Json) -> int:
    """How many answers of a conversation are versions that are not the one chosen."""
    entries = messages if isinstance(messages, list) else []
    several = [
        versions
        for each in entries
        if isinstance(each, Mapping) and isinstance(versions := each.get("versions"), list)
        if (turn := _turn(each)) and turn.answers
    ]
    return sum(len(versions) - 1 for versions in several)


def branches_of(value: Json, beside: Mapping[str, Json], depth: int = 0) -> Branches:
    """The branches of messages by identifier, each of which names its parent, at some depth.

    beside: what stands beside them, where the end of what is shown is named.
    """
    if not isinstance(value, Mapping) or depth == _LEVELS:
        return Branches()
    nodes = {key: each for key, each in value.items() if isinstance(each, Mapping)}
    parent_of = {key: next((n[p] for p in _PARENTS if p in n), "") for key, n in nodes.items()}
    if len(nodes) < len(value) or not nodes or "" in parent_of.values():
        inner = (branches_of(each, value, depth + 1) for each in value.values())
        return next((each for each in inner if any(each)), Branches())
    turns = {key: _turn(node) for key, node in nodes.items()}
    ends = [
        key
        for key, turn in turns.items()
        if turn and turn.answers and turn.text.strip() and key not in parent_of.values()
    ]
    if not ends:
        return Branches()
    ways: dict[str, list[str]] = {}
    asked: dict[str, dict[str, str]] = {}
    for end in ends:
        ways[end] = way = [end]
        while (above := parent_of[way[-1]]) in nodes and above not in way:
            way.append(str(above))
        question = next((each for each in way if (turn := turns[each]) and turn.asks), "")
        if question and (model := _model(turns[end])):
            asked.setdefault(question, {})[end] = model
    several = [each for each in asked.values() if len({*each.values()}) > 1]
    if len(several) != 1:
        shown = [each for each in beside.values() if isinstance(each, str) and each in ways]
        several = [{(shown or ends)[-1]: ""}]
    counted: Counter[str] = Counter()
    taken = []
    for end, model in several[0].items():
        counted[model] += 1
        said = [nodes[each] for each in reversed(ways[end]) if turns[each]]  # a root says nothing
        taken.append((said, counted[model]))
    return Branches(taken, len(ends) - len(taken))


def _model(turn: Turn | None) -> str:
    return turn.model if turn else ""


class Conversation(NamedTuple):
    """What a conversation is for an evaluation.

    asked: what users said. answers: what may be the report, by which it is: the longest text to the
    first question (`first`), the last, and the longest of all; an assistant may have called tools
    or asked back before, and be thanked after. certain: whether the last is, as far as one can see:
    one question was asked, and no other answer is long and longer. model: who gave the last, where
    that is said.
    """

    asked: Sequence[str]
    answers: Mapping[str, str]
    certain: bool
    model: str


_SHORTER: Final = 5
"""Times that an answer is shorter than another, so that it is rather something said around it."""
_LONG: Final = 200
"""Characters from which on an answer is long."""


def conversation_of(turns: Sequence[Turn]) -> Conversation:
    """What users asked, and what was answered."""
    asked = [each.text for each in turns if each.asks and each.text.strip()]
    answers = [each for each in turns if each.answers and each.text.strip()]
    questions = 0
    first = ""
    for each in turns:
        questions += each.asks and bool(each.text.strip())
        if each.answers and questions == 1:
            first = max(first, each.text, key=len)
    last = answers[-1] if answers else Turn(False, True, "")
    longest = max((each.text for each in answers), key=len, default="")
    texts = {"first": first, "last": last.text, "longest": longest}
    certain = len(asked) <= 1 and (len(longest) < _LONG or len(last.text) == len(longest))
    return Conversation(asked, {k: v for k, v in texts.items() if v}, certain, last.model)


def is_far_shorter(text: str, other: str) -> bool:
    """Whether a text is far shorter than another, which is long."""
    return len(other) >= _LONG and len(text) * _SHORTER < len(other)
