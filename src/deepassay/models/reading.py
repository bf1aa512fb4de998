"""From what a model wrote to what it answered: lenient about the wrapping, strict about the rest.

Fences and prose around the object are ignored. Broken JSON (a comma too many, bare quotes inside
a text) is mended only if the mending invented and dropped nothing: each number of the mended
value must be written in the raw text, and each word of the raw text must be in the value. Closing
braces that are missing at the end are put there; of a list that is not closed nobody knows whether
it is whole. Where a number is asked for, one in quotes is one, and the record says so. What was
read must fit the operation's answer type exactly and pass its check. Everything here is a function
of the raw text, so that a stored answer is read again just as it was.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import reduce
from operator import getitem
from typing import Final, Generic, NoReturn

from pydantic import ValidationError

from deepassay.models.operation import In, OffMenu, Operation, Out
from deepassay.score import Json

LONGEST: Final = 400_000
"""Characters of an answer that are looked at; more is not an answer."""

_TRIES: Final = 64
_LONGEST_TO_MEND: Final = 100_000
_MOST_TO_CLOSE: Final = 3
_PAIRS: Final = (("{", "}"), ("[", "]"))
_ENDS_WHOLE: Final = ("}", "]", '"')
_STRAY_BACKSLASH = re.compile(r'(\\["\\/bfnrtu])|\\([^"\\/bfnrtu])')
_OBJECT_BEGINS = re.compile(r'\{\s{0,100}"')
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,15})(?:\.\d{1,16})?")
_NUMERIC: Final = ("float_type", "int_type", "literal_error")
_WORD = re.compile(r"\w+")
_ENTRY = re.compile(r"(?<!\w)(\w++)[\"']?\s{0,20}:\s{0,20}[\"'\[{\d-]")
_NO_WORD = re.compile(r"\\u[0-9a-fA-F]{4}|\\.|//[^\n]*", re.DOTALL)
_WHOLE_NUMBER = re.compile(r"(?<![\w.%-])-?(?:0|[1-9]\d*)(?:\.\d+)?(?=\s{0,100}(?:[,}\]]|//|$))")


class Unreadable(Exception):
    """There is no usable answer in the text; the message goes back to the model."""


@dataclass(frozen=True)
class ReadAnswer(Generic[Out]):
    """An answer that fits. repaired: its JSON was broken and had to be mended.

    note: what else was passed over, for the record; empty where nothing was.
    """

    value: Out
    repaired: bool = False
    note: str = ""


def read_reply(operation: Operation[In, Out], inputs: In, raw: str) -> ReadAnswer[Out]:
    """The answer that `raw` holds. Raises Unreadable with the reason, in words for the model."""
    if len(raw) > LONGEST:
        raise Unreadable(f"The answer is longer than {LONGEST} characters.")
    if operation.in_prose:
        text = raw if operation.raw else without_thoughts(raw)
        return ReadAnswer(_fitting(operation, inputs, {"text": text}))
    if callable(operation.reading):
        return ReadAnswer(_fitting(operation, inputs, _found_by(operation.reading, raw)))
    if operation.reading == "released":
        return _read_as_released(operation, inputs, raw)
    text = without_thoughts(raw)
    valid: list[ReadAnswer[Out]] = []
    problem: Unreadable | None = None
    decoded = _Decoded(text)
    for found in decoded:
        try:
            valid.append(_validated(operation, inputs, found))
        except Unreadable as error:
            problem = error
    if decoded.broken or (not valid and problem is None and "{" in text):
        return replace(_validated(operation, inputs, _mended(text)), repaired=True)
    if valid and all(each.value == valid[0].value for each in valid):
        return valid[0]
    if valid:
        raise Unreadable("There is more than one JSON object, and they differ.")
    raise problem or Unreadable("There is no JSON object in the answer.")


class _Decoded:
    """The JSON objects in a text, one after the other; `broken` if one begins and does not parse.

    Each failed try reads to the end of the text, so their number is bounded.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self.broken = False

    def __iter__(self) -> Iterator[Json]:
        position, tries = self._text.find("{"), 0
        while position >= 0:
            tries += 1
            if tries > _TRIES:
                raise Unreadable("The answer is not one JSON object.")
            try:
                value, position = _STRICT.raw_decode(self._text, position)
                yield value
            except (ValueError, RecursionError):
                self.broken = self.broken or bool(_OBJECT_BEGINS.match(self._text, position))
                position += 1
            position = self._text.find("{", position)


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise ValueError("a key occurs twice")
    return value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_STRICT = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant)


def without_thoughts(text: str) -> str:
    """The text after its leading `<think>` blocks. Later ones may be quotes, and stay."""
    text = text.strip().removeprefix("\ufeff")
    while text.startswith("<think>"):
        _, closed, text = text.partition("</think>")
        if not closed:
            raise Unreadable("The answer ends before its thinking does.")
        text = text.lstrip()
    return text


def _validated(operation: Operation[In, Out], inputs: In, value: Json) -> ReadAnswer[Out]:
    note = ""
    try:
        try:
            answer = _typed(operation, value)
        except ValidationError as error:
            mended, quoted = _without_quotes(value, error)
            if not quoted:
                raise
            answer = _typed(operation, mended)
            note = f"numbers in quotes: {quoted}"
        operation.check(inputs, answer)
    except ValidationError as error:
        raise Unreadable(_in_words(error)) from None
    except OffMenu as error:
        raise Unreadable(str(error)) from None
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"The JSON object cannot be read: {error}.") from None
    return ReadAnswer(answer, note=note)


def _typed(operation: Operation[In, Out], value: Json) -> Out:
    return operation.gives.model_validate_json(json.dumps(value, allow_nan=False), strict=True)


def _without_quotes(value: Json, error: ValidationError) -> tuple[Json, int]:
    """The value with numbers that stand in quotes as numbers, and how many there are.

    0 where something else is wrong besides.
    """
    wrong = error.errors(include_url=False)
    mended = deepcopy(value)
    for each in wrong:
        said, place = each["input"], each["loc"]
        if each["type"] not in _NUMERIC or not (isinstance(said, str) and _NUMBER.fullmatch(said)):
            return value, 0
        try:
            reduce(getitem, place[:-1], mended)[place[-1]] = json.loads(said)
        except (LookupError, TypeError):  # the place names a type among several
            return value, 0
    return mended, len(wrong)


def _in_words(error: ValidationError) -> str:
    """The first few things that are wrong, one a line."""
    lines = []
    for each in error.errors(include_url=False, include_input=False)[:8]:
        place = ".".join(str(step) for step in each["loc"]) or "the object"
        lines.append(f"{place}: {each['msg']}")
    return "\n".join(lines)


def _mended(text: str) -> Json:
    """The one object in a text with broken JSON, if it can be mended without inventing."""
    from json_repair import loads

    rest = text[text.find("{") :]
    if (closed := _closed(rest)) is not None:
        return closed
    if len(rest) > _LONGEST_TO_MEND or any(rest.count(a) != rest.count(b) for a, b in _PAIRS):
        raise Unreadable("The JSON is broken: its brackets do not match.")
    piece = rest[: rest.rfind("}") + 1]
    try:
        value = loads(piece, strict=True, skip_json_loads=True)
        numbers, words, swallowed = _held(value)
    except (ValueError, RecursionError):
        raise Unreadable("The JSON is broken.") from None
    if numbers - Counter(Decimal(number) for number in _WHOLE_NUMBER.findall(piece)):
        raise Unreadable("The JSON is broken: a number is not written as JSON.")
    if Counter(_WORD.findall(_NO_WORD.sub(" ", piece))) - words:
        raise Unreadable("The JSON is broken: something stands outside of its texts.")
    if swallowed:
        raise Unreadable(f"The JSON is broken: a text seems to hold the entry {swallowed!r:.60}.")
    return value


def _closed(rest: str) -> Json | None:
    """The object that a text is but for its last closing braces and a fence; None if it is none.

    A number at the end may lack digits. An object that lacks entries is refused by its type, which
    a list is not.
    """
    rest = rest.rstrip().removesuffix("```").rstrip()
    if rest.endswith(_ENDS_WHOLE):
        for missing in range(1, _MOST_TO_CLOSE + 1):
            try:
                return _STRICT.decode(rest + "}" * missing)
            except (ValueError, RecursionError):
                continue
    return None


def _held(value: Json) -> tuple[Counter[Decimal], Counter[str], str]:
    """The numbers in a value; all words and digits that it is written with; a key in a text.

    A text that holds a key of the value, with a colon and a value after it, may have swallowed
    the entries that follow it.
    """
    numbers, words = Counter[Decimal](), Counter[str]()
    keys, entries = set[str](), dict[str, None]()
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            keys.update(each)
            words.update(word for key in each for word in _WORD.findall(key))
            waiting.extend(each.values())
        elif isinstance(each, list):
            waiting.extend(each)
        elif isinstance(each, str):
            words.update(_WORD.findall(each))
            entries |= dict.fromkeys(_ENTRY.findall(each))
        elif each is None or isinstance(each, bool):
            words.update([str(each), json.dumps(each)])
        else:
            numbers[Decimal(repr(each))] += 1
            words.update(_WORD.findall(repr(each)))
    return numbers, words, next((entry for entry in entries if entry in keys), "")


def _read_as_released(operation: Operation[In, Out], inputs: In, raw: str) -> ReadAnswer[Out]:
    """As the authors' programs read: plain JSON, and one of them mends stray backslashes.

    Text around it, which they do not take, is passed over; but a list that holds an object is a
    list.
    """
    text = without_thoughts(raw)
    if text.startswith("```"):
        text = text.replace("```json", "").replace("```", "").strip()
    spans = [(text.find(a), text.rfind(b) + 1) for a, b in _PAIRS if a in text]
    outer = [(a, b) for a, b in spans if not any(start < a and b < end for start, end in spans)]
    pieces = [text[start:end] for start, end in outer]
    for piece in (text, *pieces):
        for candidate in (piece, _STRAY_BACKSLASH.sub(r"\1\2", piece)):
            try:
                value = json.loads(candidate)
            except (ValueError, RecursionError):
                continue
            return ReadAnswer(_fitting(operation, inputs, value), repaired=candidate != piece)
    raise Unreadable("There is no JSON in the answer that can be read.")


def _found_by(reader: Callable[[str], Json], raw: str) -> Json:
    try:
        return reader(raw)
    except (ValueError, RecursionError) as error:
        raise Unreadable(str(error) or "There is no JSON in the answer that can be read.") from None


def _fitting(operation: Operation[In, Out], inputs: In, value: Json) -> Out:
    """What a released program read, as an answer: types are not enforced, NaN passes."""
    try:
        answer = operation.gives.model_validate(value)
        operation.check(inputs, answer)
    except ValidationError as error:
        raise Unreadable(_in_words(error)) from None
    except OffMenu as error:
        raise Unreadable(str(error)) from None
    return answer
