"""Whether a model may have seen a task: it is shown half a prompt, and goes on as the rest does."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

import numpy as np
from rapidfuzz.distance import LCSseq
from scipy.sparse import csr_array

from deepassay.models.ask import Asker
from deepassay.models.operation import Inputs, Operation, Prose
from deepassay.score import Cause, Json, Unscored
from deepassay.tasks.task import Task
from deepassay.text import HAN, is_letter
from deepassay.wings.build.wording import PROMPTS

# Of the marks that stand next to each other (`?!`, `...`) only the first is one.
_MARK: Final = re.compile(r"(?<![.,;:!?。，；：！？、．｡､])[.,;:!?。，；：！？、．｡､]")
_WORD: Final = re.compile(r"[^\W_]")


def prompt_halves(prompt: str) -> tuple[str, str] | None:
    """Prefix and suffix of a prompt, cut before the punctuation mark nearest the middle.

    DeepResearch Arena, section A.1, eq. 9. Marks are `. , ; : ! ?`, their full-width forms and the
    Chinese enumeration comma; but no half-width one between two letters or digits (`3.5`, `10,000`,
    `10:30`, `e.g`), and none without words on both sides of it. Of two equally near the left one is
    taken. The mark opens the suffix; together the halves are the prompt. None without a mark.
    """
    worded = [found.start() for found in _WORD.finditer(prompt)]
    if not worded:
        return None
    inner = [at for at in _marks(prompt) if worded[0] < at < worded[-1]]
    if not inner:
        return None
    cut = min(inner, key=lambda at: abs(2 * at - len(prompt)))  # the first of equals
    return prompt[:cut], prompt[cut:]


def _marks(prompt: str) -> Iterator[int]:
    for found in _MARK.finditer(prompt):
        at = found.start()
        joins = (
            found[0].isascii()
            and is_letter(prompt[at - 1 : at])
            and is_letter(prompt[at + 1 : at + 2])
        )
        if not joins:
            yield at


LEAKED_ABOVE: Final = 0.7
_RUN: Final = re.compile(rf"([{HAN}]+)|[^\W_{HAN}]+")


@dataclass(frozen=True)
class Similarity:
    """Of a continuation to the true suffix. string, tfidf, overlap: eqs. 11, 12, 13."""

    string: float
    tfidf: float
    overlap: float

    @property
    def composite(self) -> float:
        """The mixture (eq. 14): weights 0.4, 0.4, 0.2."""
        # In whole fifths, so that three parts of 0.7 make 0.7 and nothing above it.
        return (2 * self.string + 2 * self.tfidf + self.overlap) / 5

    @property
    def leaked(self) -> bool:
        """Whether the model may have seen the task (eq. 15)."""
        return self.composite > LEAKED_ABOVE


def similarities(pairs: Sequence[tuple[str, str]]) -> list[Similarity]:
    """The similarities of pairs (suffix, continuation), blanks around them aside."""
    trimmed = [(suffix.strip(), continuation.strip()) for suffix, continuation in pairs]
    cosines = tfidf_similarities(trimmed)
    return [
        Similarity(string_similarity(*pair), cosine, overlap(*pair))
        for pair, cosine in zip(trimmed, cosines, strict=True)
    ]


def string_similarity(one: str, other: str) -> float:
    """Twice the longest common subsequence of characters, over the characters of both (eq. 11)."""
    whole = len(one) + len(other)
    return 2 * int(LCSseq.similarity(one, other)) / whole if whole else 1.0


def overlap(suffix: str, continuation: str) -> float:
    """The share of the suffix's different words that the continuation has (eq. 13)."""
    wanted = set(leakage_words(suffix))
    if not wanted:
        return float(suffix == continuation)
    return len(wanted & set(leakage_words(continuation))) / len(wanted)


def leakage_words(text: str) -> Iterator[str]:
    """Words in small letters: runs of letters and digits, and pairs of adjoining Han characters.

    A Han character that stands alone is a word.
    """
    for found in _RUN.finditer(text.lower()):
        han = found[1]
        if han is None or len(han) == 1:
            yield found[0]
        else:
            yield from map("".join, pairwise(han))


def tfidf_similarities(pairs: Sequence[tuple[str, str]]) -> list[float]:
    """The cosine of the two TF-IDF vectors of each pair (eq. 12); 0 where only one has words.

    Counts of words times ln((1 + n) / (1 + df)) + 1, as scikit-learn does by default; n and df
    count the different texts of all pairs. Equal texts without words have 1.
    """
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    if not texts:
        return []
    place = {text: row for row, text in enumerate(texts)}
    vectors = _vectors(texts)
    ones = vectors[[place[one] for one, _ in pairs]]
    twos = vectors[[place[other] for _, other in pairs]]
    cosines = np.asarray((ones * twos).sum(axis=1)).clip(0.0, 1.0)
    return [
        1.0 if one == other else float(cosine)
        for (one, other), cosine in zip(pairs, cosines, strict=True)
    ]


def _vectors(texts: Sequence[str]) -> csr_array:
    """TF-IDF of every text: one row each, of length 1 or, without words, 0."""
    columns: dict[str, int] = {}
    indices, counts, ends = [], [], [0]
    for text in texts:
        for word, count in Counter(leakage_words(text)).items():
            indices.append(columns.setdefault(word, len(columns)))
            counts.append(count)
        ends.append(len(indices))
    width = max(len(columns), 1)
    matrix = csr_array((np.array(counts, float), indices, ends), shape=(len(texts), width))
    found_in = np.bincount(np.array(indices, int), minlength=width)
    matrix.data *= np.log((1 + len(texts)) / (1 + found_in[matrix.indices])) + 1
    norms = np.sqrt(np.asarray((matrix * matrix).sum(axis=1)))
    matrix.data /= np.repeat(norms, np.diff(matrix.indptr))
    return matrix


TEMPERATURE: Final = 0.1
MOST_TOKENS: Final = 500
"""Of a continuation (section A.4)."""


class Prefix(Inputs):
    """The first half of a task's prompt."""

    prefix: str


def _said_again(inputs: Prefix) -> Prose:
    return Prose(text=inputs.prefix)


CONTINUE: Final[Operation[Prefix, Prose]] = Operation(
    "arena/continue",
    prompts=PROMPTS,
    takes=Prefix,
    gives=Prose,
    # What a text on the same subject has in common with the second half, without knowing it.
    offline=_said_again,
)


@dataclass(frozen=True)
class Continuation:
    """What a model made of a prefix. suffix: what really follows. served: name of the model.

    asked: model and settings as they were sent.
    """

    prefix: str
    suffix: str
    text: str
    asked: Mapping[str, Json]
    served: str


@dataclass(frozen=True)
class LeakageTrial:
    """One task and one model. similarity: None before texts are compared, or without one."""

    model: str
    task: Task
    outcome: Continuation | Unscored
    similarity: Similarity | None = None


async def continued(task: Task, model: Asker) -> Continuation | Unscored:
    """Have a model go on with the first half of a task's prompt.

    A first half that it says once more before going on is taken off.
    """
    parts = prompt_halves(task.prompt)
    if parts is None:
        problem = "the prompt has no punctuation mark with words on both sides"
        return Unscored(Cause.MISSING_INPUT, problem)
    prefix, suffix = parts
    answer = await model(CONTINUE, Prefix(language=task.language, prefix=prefix))
    if isinstance(answer, Unscored):
        return answer
    text = answer.value.text.strip()
    return Continuation(
        prefix, suffix, text.removeprefix(prefix.strip()) or text, model.identity, answer.model
    )


def with_similarities(trials: Sequence[LeakageTrial]) -> list[LeakageTrial]:
    """The trials with their similarities; TF-IDF is fitted on all suffixes and continuations."""
    ended = [each.outcome for each in trials if isinstance(each.outcome, Continuation)]
    found = iter(similarities([(each.suffix, each.text) for each in ended]))
    return [
        replace(each, similarity=next(found)) if isinstance(each.outcome, Continuation) else each
        for each in trials
    ]


def trial_as_json(trial: LeakageTrial) -> dict[str, Json]:
    """A trial as a line of a file: the texts and what they have in common, or why there is none."""
    line: dict[str, Json] = {
        "task": trial.task.id,
        "model": trial.model,
        "labels": dict(trial.task.labels),
    }
    if isinstance(trial.outcome, Unscored):
        return line | {"cause": str(trial.outcome.cause), "detail": trial.outcome.detail}
    line |= {
        "served": trial.outcome.served,
        "asked": dict(trial.outcome.asked),
        "prefix": trial.outcome.prefix,
        "suffix": trial.outcome.suffix,
        "continuation": trial.outcome.text,
    }
    if (found := trial.similarity) is not None:
        line |= {
            "string": found.string,
            "tfidf": found.tfidf,
            "overlap": found.overlap,
            "composite": found.composite,
            "leaked": found.leaked,
        }
    return line
