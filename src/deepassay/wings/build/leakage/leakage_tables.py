"""The leakage test as tables: averages for each model, over all tasks and by labels (Table 4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Final

from deepassay.files import as_json
from deepassay.results.records import UNLABELLED
from deepassay.results.tables import (
    NONE,
    Table,
    as_csv,
    in_range,
    percent,
    printable_record,
    tables_as_text,
)
from deepassay.score import Signature, Unscored
from deepassay.wings.build.leakage.leakage import (
    CONTINUE,
    LEAKED_ABOVE,
    Continuation,
    LeakageTrial,
    Similarity,
)

LABELS: Final = ("language", "discipline")
OFFLINE_NOTE: Final = (
    "offline is no model: it says the first half again, which is what any text on the same "
    "subject has in common with the second."
)
LISTED: Final = 20
ALL: Final = "all models"
OFFLINE: Final = "offline"


@dataclass(frozen=True)
class Average:
    """Some trials in brief.

    model: None for all models, of which offline is none. label, value: empty for all tasks.
    tested, trials: with a continuation, and in all. leaked: how many; share: of those tested.
    string, tfidf, overlap, composite: means; None where nothing was tested. low, high: the mean
    composite if all that is missing had 0, or 1.
    """

    model: str | None
    label: str
    value: str
    tested: int
    trials: int
    leaked: int
    share: float | None
    composite: float | None
    low: float
    high: float
    string: float | None
    tfidf: float | None
    overlap: float | None


def averages(trials: Sequence[LeakageTrial], labels: Sequence[str] = LABELS) -> list[Average]:
    """Averages over all tasks, then over those with each value of each label that there is.

    Tasks without a label that others have stand together behind those that have it.
    """
    found = list(_of_models(trials, "", ""))
    for label in labels:
        if any(label in each.task.labels for each in trials):
            values = [each.task.labels.get(label, UNLABELLED) for each in trials]
            for value in sorted(set(values), key=lambda value: (value == UNLABELLED, value)):
                own = [each for each, has in zip(trials, values, strict=True) if has == value]
                found += _of_models(own, label, value)
    return found


def write_leakage(
    trials: Sequence[LeakageTrial], format: str, labels: Sequence[str] = LABELS
) -> str:
    """The averages as `text`, `markdown`, `csv` or `json`; CSV and JSON are not rounded."""
    found = averages(trials, labels)
    if format == "json":
        about = {"averages": [asdict(each) for each in found], "recipes": _recipes(trials)}
        return as_json(about)
    if format == "csv":
        return as_csv([printable_record(asdict(each)) for each in found])
    return tables_as_text(_tables(found, trials), format)


def _of_models(trials: Sequence[LeakageTrial], label: str, value: str) -> Iterator[Average]:
    models = list(dict.fromkeys(each.model for each in trials))
    for model in models:
        yield _average([each for each in trials if each.model == model], model, label, value)
    own = [each for each in trials if each.model != OFFLINE]
    if len({each.model for each in own}) > 1:
        yield _average(own, None, label, value)


def _average(trials: Sequence[LeakageTrial], model: str | None, label: str, value: str) -> Average:
    tested = [each.similarity for each in trials if each.similarity is not None]
    leaked = sum(each.leaked for each in tested)
    composites = [each.composite for each in tested]
    return Average(
        model=model,
        label=label,
        value=value,
        tested=len(tested),
        trials=len(trials),
        leaked=leaked,
        share=leaked / len(tested) if tested else None,
        composite=fmean(composites) if tested else None,
        low=sum(composites) / len(trials),
        high=(sum(composites) + len(trials) - len(tested)) / len(trials),
        string=_mean(tested, lambda each: each.string),
        tfidf=_mean(tested, lambda each: each.tfidf),
        overlap=_mean(tested, lambda each: each.overlap),
    )


def _mean(tested: Sequence[Similarity], part: Callable[[Similarity], float]) -> float | None:
    return fmean(map(part, tested)) if tested else None


def _tables(found: Sequence[Average], trials: Sequence[LeakageTrial]) -> Iterator[Table]:
    for label in dict.fromkeys(each.label for each in found):
        rows = [each for each in found if each.label == label]
        yield _table(rows, label, _notes(trials) if not label else ())


def _table(rows: Sequence[Average], label: str, notes: tuple[str, ...]) -> Table:
    first = ("model", label) if label else ("model",)
    head = (*first, "tasks", "leaked", "share", "composite", "string", "TF-IDF", "overlap")
    partly = any(each.tested < each.trials for each in rows)
    cells = []
    for each in rows:
        name = (each.model or ALL, each.value) if label else (each.model or ALL,)
        parts = (each.composite, each.string, each.tfidf, each.overlap)
        numbers = (f"{each.tested}/{each.trials}", str(each.leaked), percent(each.share))
        bounds = (_bounds(each),) if partly else ()
        cells.append((*name, *numbers, *(in_range(part, (0, 1)) for part in parts), *bounds))
    title = f"Leakage by {label}" if label else "Leakage"
    return Table.listed(title, (*head, "bounds") if partly else head, cells, notes, len(first))


def _bounds(each: Average) -> str:
    if each.tested == each.trials:
        return NONE
    return f"{in_range(each.low, (0, 1))} to {in_range(each.high, (0, 1))}"


def _notes(trials: Sequence[LeakageTrial]) -> tuple[str, ...]:
    notes = [
        f"Leaked: a composite above {LEAKED_ABOVE}, which is 0.4 string + 0.4 TF-IDF + 0.2 "
        "overlap; these are means over tasks."
    ]
    models = dict.fromkeys(each.model for each in trials)
    if OFFLINE in models:
        notes.append(OFFLINE_NOTE)
    notes += [
        f"{model}: leaked {_listed(names)}" for model in models if (names := _leaked(trials, model))
    ]
    missing = [note for model in models if (note := _missing(trials, model))]
    if missing:
        notes += [*missing, "bounds: the composite if all that is not tested had 0, or 1."]
    return (*notes, *(f"recipe: {recipe}" for recipe in _recipes(trials)))


def _leaked(trials: Sequence[LeakageTrial], model: str) -> list[str]:
    own = [each for each in trials if each.model == model]
    return [each.task.id for each in own if each.similarity and each.similarity.leaked]


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - LISTED} others" if len(names) > LISTED else ""
    return ", ".join(names[:LISTED]) + more


def _missing(trials: Sequence[LeakageTrial], model: str) -> str:
    causes = Counter(
        str(each.outcome.cause)
        for each in trials
        if each.model == model and isinstance(each.outcome, Unscored)
    )
    counted = ", ".join(f"{count} {cause}" for cause, count in causes.most_common())
    return f"{model}: not tested {counted}" if counted else ""


def _recipes(trials: Sequence[LeakageTrial]) -> list[str]:
    """What decides whether numbers may be compared, one line for each model."""
    ended = [each.outcome for each in trials if isinstance(each.outcome, Continuation)]
    fitted = len({text.strip() for each in ended for text in (each.suffix, each.text)})
    prompts = [CONTINUE.digest(language)[:12] for language in ("en", "zh")]
    made = [
        {"leakage": "arena", **each.asked, "prompts": prompts, "tfidf_over": fitted}
        for each in ended
    ]
    return list(dict.fromkeys(str(Signature(each)) for each in made))
