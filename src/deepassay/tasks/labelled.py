"""Published sets of people's labels: what each is like, as a declaration, and its rows as pairs.

A pair is a statement, the page that it is said to stand on, and what people said of it. The files
are those of the sets as they are published; none is part of this package. A set whose file holds no
pages gets them from a second one, by the key of the pair.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal, NamedTuple, get_args

from deepassay.errors import BadTasks
from deepassay.files import BadFile, decode_text
from deepassay.intake.rows import InputRow
from deepassay.score import Json
from deepassay.tasks.rows import read_rows

Support = Literal["supported", "partial", "unsupported"]
SUPPORT: Final[tuple[Support, ...]] = get_args(Support)
"""Best first."""

Side = Literal["first", "equal", "second"]
SIDES: Final[tuple[Side, ...]] = get_args(Side)


@dataclass(frozen=True)
class LabelledPair:
    """A statement and a page. people: the label of each rater. key: what its page is found by.

    written: the label as the set has it. source: where in the set it comes from. quotes: what
    people quoted of the page. of: the title of the set.
    """

    place: str
    statement: str
    people: tuple[Support, ...]
    page: str = ""
    url: str = ""
    key: str = ""
    written: str = ""
    source: str = ""
    quotes: tuple[str, ...] = ()
    of: str = ""


@dataclass(frozen=True)
class LabelledAnswers:
    """Two answers to a question. people: which one each rater prefers. good: a right answer."""

    place: str
    question: str
    first: str
    second: str
    people: tuple[Side, ...]
    source: str = ""
    good: str = ""


class LabelledSet(NamedTuple):
    """A published layout: its title, the fields that give it away, and how a row is read."""

    title: str
    fields: frozenset[str]
    pairs: Callable[[InputRow], Iterator[LabelledPair]]


def _mapped(**words: Support) -> Mapping[str, Support]:
    return {word.replace("_", " "): label for word, label in words.items()}


ATTRIBUTION: Final = _mapped(attributable="supported", not_attributable="unsupported")
WICE: Final = _mapped(
    supported="supported", partially_supported="partial", not_supported="unsupported"
)
LFQA: Final = _mapped(supported="supported", partially="partial", not_supported="unsupported")
REFCHECKER: Final = _mapped(
    entailment="supported", neutral="unsupported", contradiction="unsupported"
)
FACTSCORE: Final = _mapped(s="supported", ns="unsupported")
DEEPFACT: Final = _mapped(
    supported="supported", contradictory="unsupported", inconclusive="unsupported"
)
IRRELEVANT: Final = "IR"
"""FActScore: not about the topic, which is no label of support."""


def _attribution(row: InputRow) -> Iterator[LabelledPair]:
    written = labelled_text(row, "attribution_label")
    yield LabelledPair(
        row.place,
        labelled_text(row, "claim"),
        (_label(row, "attribution_label", written, ATTRIBUTION),),
        "\n\n".join(_texts(row, "references")),
        written=written,
        source=labelled_text(row, "src_dataset"),
    )


def _wice(row: InputRow) -> Iterator[LabelledPair]:
    written, sentences = labelled_text(row, "label"), _texts(row, "evidence")
    groups = row.fields.get("supporting_sentences", [])
    if not isinstance(groups, list) or not all(isinstance(group, list) for group in groups):
        raise bad_downloaded_field(row, "supporting_sentences", "is no list of lists of numbers")
    places = [n for group in groups for n in group]
    if any(type(n) is not int or not 0 <= n < len(sentences) for n in places):
        raise bad_downloaded_field(
            row, "supporting_sentences", "names a sentence that is not in evidence"
        )
    yield LabelledPair(
        row.place,
        labelled_text(row, "claim"),
        (_label(row, "label", written, WICE),),
        "\n".join(sentences),
        written=written,
        quotes=tuple(sentences[n] for n in dict.fromkeys(places)),
    )


def _lfqa(row: InputRow) -> Iterator[LabelledPair]:
    key = str(row.fields.get("question_id", ""))
    for number, each in enumerate(_objects(row, "annotations"), start=1):
        labels, said = each.get("labels"), each.get("answer")
        field = f"annotations[{number}]"
        if not isinstance(said, str) or not said.strip():
            raise bad_downloaded_field(row, f"{field}.answer", "is missing or no text")
        if not isinstance(labels, list) or not labels:
            raise bad_downloaded_field(row, f"{field}.labels", "is missing or no list")
        people = tuple(_label(row, f"{field}.labels", word, LFQA) for word in labels)
        yield LabelledPair(row.place, said.strip(), people, key=key)


def _refchecker(row: InputRow) -> Iterator[LabelledPair]:
    for name in [each for each in row.fields if each.endswith("_response_kg")]:
        triples = list(_objects(row, name))
        if not any("human_label" in each for each in triples):
            continue  # the set's own program adds those of other extractors, which nobody labelled
        for number, each in enumerate(triples, start=1):
            triple, word = each.get("triplet"), each.get("human_label")
            if not isinstance(triple, list) or not all(isinstance(part, str) for part in triple):
                raise bad_downloaded_field(
                    row, f"{name}[{number}].triplet", "is missing or no list of texts"
                )
            label = _label(row, f"{name}[{number}].human_label", word, REFCHECKER)
            yield LabelledPair(
                row.place,
                " ".join(triple),
                (label,),
                key=str(row.fields.get("id", "")),
                written=str(word),
            )


def _factscore(row: InputRow) -> Iterator[LabelledPair]:
    topic = labelled_text(row, "topic")
    if row.fields["annotations"] is None:
        return  # the model had said that it does not know
    for number, sentence in enumerate(_objects(row, "annotations"), start=1):
        facts = sentence.get("human-atomic-facts") or []
        for at, fact in enumerate(facts if isinstance(facts, list) else [None], start=1):
            field = f"annotations[{number}].human-atomic-facts[{at}]"
            if not isinstance(fact, dict) or not isinstance(fact.get("text"), str):
                raise bad_downloaded_field(row, f"{field}.text", "is missing or no text")
            if (word := fact.get("label")) != IRRELEVANT:
                label = _label(row, f"{field}.label", word, FACTSCORE)
                yield LabelledPair(row.place, fact["text"], (label,), key=topic, written=str(word))


def _deepfact(row: InputRow) -> Iterator[LabelledPair]:
    if not row.fields["human_verdict"]:
        return  # nobody has decided on this sentence
    written = labelled_text(row, "human_verdict")
    yield LabelledPair(
        row.place,
        labelled_text(row, "sentence"),
        (_label(row, "human_verdict", written, DEEPFACT),),
        key=str(row.fields.get("report_id", "")),
        written=written,
        source=str(row.fields.get("domain") or ""),
    )


SETS: Final = (
    LabelledSet(
        "AttributionBench", frozenset({"claim", "references", "attribution_label"}), _attribution
    ),
    LabelledSet("WiCE", frozenset({"claim", "evidence", "label"}), _wice),
    LabelledSet("FActScore", frozenset({"topic", "annotations"}), _factscore),
    LabelledSet("LFQA-Verification", frozenset({"question_id", "annotations"}), _lfqa),
    LabelledSet("DeepFact-Bench", frozenset({"sentence", "human_verdict"}), _deepfact),
)
"""Tried in this order; RefChecker is told by a field whose name ends in `_response_kg`."""


def labelled_set(path: Path) -> list[LabelledPair] | None:
    """The pairs of a published file; None where it has no known layout.

    Raises BadTasks naming file, line and field.
    """
    rows = objects_of(path)
    first = rows[0].fields if rows else {}
    found = next((each for each in SETS if each.fields <= first.keys()), None)
    if found is None and any(name.endswith("_response_kg") for name in first):
        found = LabelledSet("RefChecker", frozenset(), _refchecker)
    if found is None:
        return None
    for row in rows:
        if lacking := sorted(found.fields - row.fields.keys()):
            raise bad_downloaded_field(row, lacking[0], f"is missing, as {found.title} has it")
    return [replace(pair, of=found.title) for row in rows for pair in found.pairs(row)]


def objects_of(path: Path) -> list[InputRow]:
    """The rows of a file: a JSON list of objects, or what `read_rows` reads."""
    if path.suffix.lower() != ".json":
        return read_rows(path)
    try:
        value = json.loads(decode_text(path.read_bytes()))
    except OSError as error:
        why = error.strerror or error
        raise BadTasks(f"{path} cannot be read: {why}.", "Check the path.") from error
    except (BadFile, ValueError) as error:
        raise BadTasks(f"{path.name}: not JSON ({error}).", "Download it again.") from error
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise BadTasks(f"{path.name}: no list of objects.", "Check that it is the right file.")
    return [InputRow(f"{path.name}, object {n}", each) for n, each in enumerate(value, start=1)]


_KEYS: Final = ("key", "question_id", "report_id", "topic", "id")
_PAGES: Final = ("page", "text", "context", "reference", "documents", "docs")


def pairs_with_pages(pairs: Sequence[LabelledPair], path: Path) -> list[LabelledPair]:
    """The pairs with pages of a second file, by their keys; those that have one keep it.

    A row has a key (`key`, `question_id`, `report_id`, `topic` or `id`) and a page (`page`, `text`,
    `context`, `reference`, `documents` or `docs`): a text, or a list of texts or of objects with
    `title` and `text`. Raises BadTasks naming line and field.
    """
    pages: dict[str, str] = {}
    for row in objects_of(path):
        key = next((row.fields[name] for name in _KEYS if row.fields.get(name) is not None), None)
        name = next((name for name in _PAGES if row.fields.get(name) is not None), None)
        if key is None or name is None:
            lacking = _KEYS if key is None else _PAGES
            raise bad_downloaded_field(
                row, lacking[0], f"is missing, and so are {', '.join(lacking[1:])}"
            )
        pages[str(key)] = _page(row, name)
    return [each if each.page else replace(each, page=pages.get(each.key, "")) for each in pairs]


def _page(row: InputRow, name: str) -> str:
    value = row.fields[name]
    parts = []
    for each in value if isinstance(value, list) else [value]:
        shown = [each.get("title"), each.get("text")] if isinstance(each, dict) else [each]
        if not isinstance(shown[-1], str):
            raise bad_downloaded_field(row, name, "is neither a text nor a list of texts")
        parts += [part for part in shown if part]
    return "\n\n".join(map(str, parts))


def ragchecker(path: Path, label: str = "overall") -> list[LabelledAnswers]:
    """`human_labeled_data.json` of RAGChecker; a positive label prefers the second answer.

    label: overall, correctness or completeness. Rows on the same answers are those of several
    raters. Raises BadTasks naming object and field.
    """
    found: dict[tuple[str, str, str], LabelledAnswers] = {}
    for row in objects_of(path):
        grade = row.fields.get(f"{label}_label")
        if isinstance(grade, bool) or not isinstance(grade, int) or not -2 <= grade <= 2:
            raise bad_downloaded_field(row, f"{label}_label", "is no whole number from -2 to 2")
        texts = []
        for name in ("model1", "model2"):
            own = row.fields.get(name)
            if not isinstance(own, dict) or not isinstance(own.get("response"), str):
                raise bad_downloaded_field(row, f"{name}.response", "is missing or no text")
            texts.append(own["response"])
        side: Side = "second" if grade > 0 else "first" if grade < 0 else "equal"
        key = (labelled_text(row, "query"), texts[0], texts[1])
        source, good = str(row.fields.get("dataset") or ""), str(row.fields.get("gt_answer") or "")
        known = found.get(key) or LabelledAnswers(row.place, *key, (), source, good)
        found[key] = replace(known, people=(*known.people, side))
    return list(found.values())


BENCH_PARTS: Final = {
    "comprehensiveness": "comprehensiveness",
    "depth": "insight",
    "insight": "insight",
    "instruction following": "instruction_following",
    "readability": "readability",
}
"""Dimensions as the published scores of DeepResearch Bench name them, in small letters."""


def scores_of_bench(rows: list[InputRow]) -> list[InputRow]:
    """`human_RACE_annotation.jsonl` of DeepResearch Bench as decisions on RACE; else the rows.

    A row has a task, and by agent an overall score and scores of dimensions, 0 to 100. The raters
    of a task are numbered in their order: identifiers of annotations occur twice.
    """
    if not rows or not {"id", "dimension_scores", "overall_scores"} <= rows[0].fields.keys():
        return rows
    found: list[InputRow] = []
    raters: Counter[str] = Counter()
    for row in rows:
        overall, parts = (_by_agent(row, f"{name}_scores") for name in ("overall", "dimension"))
        task = str(row.fields["id"])
        raters[task] += 1
        common = {"task": task, "rater": str(raters[task]), "protocol": "race"}
        for agent, score in overall.items():
            if score is not None:
                found.append(InputRow(row.place, {**common, "agent": agent, "score": score}))
        for agent, own in parts.items():
            for part, score in own.items() if isinstance(own, dict) else ():
                item = BENCH_PARTS.get(part.lower().replace("_", " ").replace("-", " "))
                if item is None:
                    field = f"dimension_scores.{agent}"
                    raise bad_downloaded_field(
                        row, field, f"{part!r} is none of {', '.join(BENCH_PARTS)}"
                    )
                if score is not None:
                    fields = {**common, "agent": agent, "item": item, "score": score}
                    found.append(InputRow(row.place, fields))
    return found


def _by_agent(row: InputRow, field: str) -> Mapping[str, Json]:
    value = row.fields.get(field)
    if not isinstance(value, dict):
        raise bad_downloaded_field(row, field, "is no mapping")
    return value


def labelled_text(row: InputRow, field: str) -> str:
    """A field that is a text and not empty. Raises BadTasks."""
    value = row.fields.get(field)
    if not isinstance(value, str) or not value.strip():
        raise bad_downloaded_field(row, field, "is missing or no text")
    return value.strip()


def _texts(row: InputRow, field: str) -> list[str]:
    value = row.fields.get(field)
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise bad_downloaded_field(row, field, "is no list of texts")
    return value


def _objects(row: InputRow, field: str) -> Iterable[Mapping[str, Json]]:
    value = row.fields.get(field)
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise bad_downloaded_field(row, field, "is no list of objects")
    return value


def _label(row: InputRow, field: str, written: Json, words: Mapping[str, Support]) -> Support:
    label = words.get(str(written).strip().lower().replace("_", " "))
    if label is None:
        raise bad_downloaded_field(row, field, f"{written!r} is none of {', '.join(words)}")
    return label


def bad_downloaded_field(row: InputRow, field: str, problem: str) -> BadTasks:
    """What is wrong with a field of a downloaded file."""
    return BadTasks(
        f"{row.place}: field '{field}': {problem}.", "Correct the file, or download it again."
    )
