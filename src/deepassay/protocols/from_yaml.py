"""A metric without code: criteria, or one question, in a YAML file.

    name: clarity
    scale: [1, 5]
    criteria:
      - name: terms
        description: Explains every technical term where it is first used.
        weight: 2
      - name: order
        description: {en: Leads from question to answer., zh: 从问题出发，逐步得出答案。}

In place of `criteria` there may be one `question`, and in place of the scale `labels` with the
number that each stands for. The score is the weighted mean of the marks, on their scale. `effects`
say which way it, and the mark of a criterion, should move where an audit changes a report:

    effects:
      score: {drop-section: lower}
      terms: {change-number: same}
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from deepassay.errors import BadSetting
from deepassay.files import BadFile, decode_text, read_yaml_mapping
from deepassay.models.form import Form
from deepassay.models.operation import Inputs, OffMenu, Operation, Reply, Trusted
from deepassay.models.prompt import Language
from deepassay.protocols.expected import VERDICT, for_each
from deepassay.protocols.overlap import report_words, share, words_of
from deepassay.protocols.protocol import (
    PROMPTS,
    Case,
    Edition,
    Protocol,
    RoleAskers,
    ScoreDetails,
    Sources,
)
from deepassay.results.evidence import EvidenceItem
from deepassay.score import WHOLE, Direction, Json, Score, Unscored

SCALE: Final = (0.0, 10.0)
ANSWER: Final = "answer"
"""The key of a single question."""

NUMBER_ON: Final[Mapping[Language, str]] = {
    "en": "The mark of every entry is a number from {low:g} (not at all) to {high:g} (fully).",
    "zh": "每一项的评分是从 {low:g}（完全没有做到）到 {high:g}（完全做到）的一个数。",
}
ONE_OF: Final[Mapping[Language, str]] = {
    "en": "The mark of every entry is one of these words, as it is written here: {labels}.",
    "zh": "每一项的评价是下列词语之一，照原样写出：{labels}。",
}

POSSIBLE: Final = (
    "A metric has `criteria` (each with name, description and perhaps weight) or one `question`; "
    "`scale: [LOWEST, HIGHEST]` or `labels` with their numbers; and perhaps name, title, source, "
    "language (en or zh) and effects."
)

MOST_BYTES: Final = 1_000_000
LARGEST: Final = 1e9
"""Beyond it, differences of marks would lose their digits."""


def _is_name(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z][\w-]*", text):
        raise ValueError(f"{text[:40]!r} is no name: a letter, then letters, digits, _ or -")
    return text


Name = Annotated[str, AfterValidator(_is_name)]
Number = Annotated[float, Field(ge=-LARGEST, le=LARGEST, allow_inf_nan=False)]
Written = Annotated[str, Field(min_length=1)]
PerLanguage = Written | dict[Language, Written]


class _SheetFields(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SheetCriterion(_SheetFields):
    """What is judged, in one language or in both, and how much it weighs."""

    name: Name
    description: PerLanguage
    weight: Annotated[Number, Field(gt=0)] = 1.0


class Sheet(_SheetFields):
    """What a file says. language: in which the judge is asked, else the task's."""

    name: Name
    title: str = ""
    source: str = ""
    language: Language | None = None
    scale: tuple[Number, Number] | None = None
    labels: Annotated[dict[str, Number], Field(min_length=2)] | None = None
    criteria: Annotated[tuple[SheetCriterion, ...], Field(min_length=1)] | None = None
    question: PerLanguage | None = None
    effects: dict[str, dict[str, Direction]] | None = None

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if (self.criteria is None) == (self.question is None):
            raise ValueError("give either criteria or one question")
        if self.scale is not None and self.labels is not None:
            raise ValueError("give either a scale or labels")
        if not self.bounds[0] < self.bounds[1]:
            raise ValueError("the scale does not rise from its first number to its second")
        names = [each.name for each in self.entries]
        if len(set(names)) < len(names):
            raise ValueError("two criteria have the same name")
        if lost := self.effects and [*self.effects.keys() - {WHOLE, *names}]:
            raise ValueError(f"effects on {lost[0]!r}, which is neither score nor a criterion")
        return self

    @property
    def bounds(self) -> tuple[float, float]:
        """The lowest and the highest mark."""
        if self.labels:
            return min(self.labels.values()), max(self.labels.values())
        return self.scale or SCALE

    @property
    def entries(self) -> tuple[SheetCriterion, ...]:
        """The criteria; a question is one."""
        if self.question is not None:
            return (SheetCriterion(name=ANSWER, description=self.question),)
        return self.criteria or ()

    def said(self, entry: SheetCriterion, language: Language) -> str:
        """An entry's text in this language, or else in the one that there is."""
        if isinstance(entry.description, str):
            return entry.description
        return entry.description.get(language) or next(iter(entry.description.values()))

    def value_of(self, mark: float | str) -> float:
        """The number that a mark stands for. Raises OffMenu for one that may not be given."""
        low, high = self.bounds
        if self.labels is not None:
            if mark not in self.labels:
                raise OffMenu(f"{mark!r} is none of {', '.join(self.labels)}")
            return self.labels[str(mark)]
        if isinstance(mark, str) or not low <= mark <= high:
            raise OffMenu(f"{mark!r} is no number from {low:g} to {high:g}")
        return mark


class ReportAndCriteria(Inputs):
    """A report, its request, and what the author of the metric wants judged, and how."""

    report: str
    query: str
    criteria: Annotated[str, Trusted]
    scale: Annotated[str, Trusted]


class Mark(Reply):
    """A number on the scale or a label, and why."""

    mark: float | str
    justification: Annotated[str, Field(min_length=1)]


class SheetMarks(Reply):
    """A mark for each entry, by its key."""

    evaluations: dict[str, Mark]


def _complete(sheet: Sheet, inputs: ReportAndCriteria, answer: SheetMarks) -> None:
    keys = [each.name for each in sheet.entries]
    if set(keys) != answer.evaluations.keys():
        raise OffMenu(f"give one mark for each of {', '.join(keys)}, and for nothing else")
    for key in keys:
        try:
            sheet.value_of(answer.evaluations[key].mark)
        except OffMenu as problem:
            raise OffMenu(f"{key}: {problem}") from None


def _form_of(sheet: Sheet, inputs: ReportAndCriteria, form: Form) -> None:
    low, high = sheet.bounds
    mark: Json = {"type": "number", "minimum": low, "maximum": high}
    form.keys("evaluations", [each.name for each in sheet.entries])
    form.override_field("mark", {"enum": [*sheet.labels]} if sheet.labels else mark)


def _by_rule(sheet: Sheet, inputs: ReportAndCriteria) -> SheetMarks:
    """The share of a description's words that the report holds. It sees words, not meaning."""
    low, high = sheet.bounds
    found = {word.key for word in report_words(inputs.report).words}
    marks = {}
    for entry in sheet.entries:
        held = share(words_of(sheet.said(entry, inputs.language)), found)
        mark: float | str = min(high, max(low, round(low + held * (high - low), 2)))
        if sheet.labels is not None:
            rising = sorted(sheet.labels, key=lambda label: sheet.labels[label])  # type: ignore[index]
            mark = rising[round(held * (len(rising) - 1))]
        reason = f"By rule: the report holds {held:.0%} of the words of this entry."
        marks[entry.name] = Mark(mark=mark, justification=reason)
    return SheetMarks(evaluations=marks)


@dataclass(frozen=True, repr=False)
class FromYaml(Protocol):
    """A protocol that a file defines; each file makes a class of its own."""

    editions: ClassVar[tuple[Edition, ...]] = ("paper",)
    offline_reads: ClassVar[bool] = False
    calls: ClassVar[str] = "1 a report"
    sheet: ClassVar[Sheet]
    text: ClassVar[str]
    operation: ClassVar[Operation[ReportAndCriteria, SheetMarks]]

    @property
    def definition(self) -> str:
        """The text of the file that defines it."""
        return self.text

    async def score(self, case: Case, ask: RoleAskers, sources: Sources) -> Score | Unscored:
        """Ask for all marks at once, and weigh them."""
        inputs = self._question(case)
        answer = await ask.judge(self.operation, inputs, repeat=case.repeat)
        if isinstance(answer, Unscored):
            return answer
        return score_of(self.sheet, answer.value, inputs.language)

    def _question(self, case: Case) -> ReportAndCriteria:
        sheet = self.sheet
        language = sheet.language or case.task.language
        low, high = sheet.bounds
        scale = NUMBER_ON[language].format(low=low, high=high)
        if sheet.labels is not None:
            scale = ONE_OF[language].format(labels=", ".join(sheet.labels))
        return ReportAndCriteria(
            language=language,
            report=case.report.text,
            query=case.task.prompt,
            criteria="\n".join(f"- {e.name}: {sheet.said(e, language)}" for e in sheet.entries),
            scale=scale,
        )

    def operations(self) -> tuple[Operation[Any, Any], ...]:
        """The one question, which asks for all marks."""
        return (self.operation,)


def score_of(sheet: Sheet, marks: SheetMarks, language: Language) -> Score:
    """The weighted mean of the marks, on their scale."""
    values = {
        each.name: sheet.value_of(marks.evaluations[each.name].mark) for each in sheet.entries
    }
    weights = {each.name: each.weight for each in sheet.entries}
    items = tuple(
        EvidenceItem(
            key=each.name,
            item=sheet.said(each, language),
            score=values[each.name],
            verdict=_shown(marks.evaluations[each.name].mark, sheet),
            justification=marks.evaluations[each.name].justification,
        )
        for each in sheet.entries
    )
    value = sum(values[name] * weights[name] for name in values) / sum(weights.values())
    return Score(value, sheet.bounds, parts=values, details=ScoreDetails(items=items).to_json())


def _shown(mark: float | str, sheet: Sheet) -> str:
    return mark if isinstance(mark, str) else f"{mark:g} of {sheet.bounds[1]:g}"


def _read(text: str, where: str) -> Sheet:
    """What a text says. Raises BadSetting with the line of the first thing that is wrong."""
    try:
        entry = read_yaml_mapping(text)
    except BadFile as error:
        raise BadSetting(f"{error.at(where)}: {error.problem}.", error.remedy) from error
    try:
        return Sheet.model_validate({"name": Path(where).stem} | entry.fields)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
    # pydantic names members of a union too: `str`, `constrained-str`, `dict[...]`
    way = [e for e in first["loc"] if e not in ("str", "constrained-str") and "[" not in str(e)]
    told = first["msg"].removeprefix("Value error, ")
    named = ".".join(_step_names(entry.fields, way))
    raise BadSetting(
        f"{where}, line {entry.line_of(way)}: {f'{named}: ' if named else ''}{told}.", POSSIBLE
    )


def _step_names(value: Json, way: Sequence[str | int]) -> Iterator[str]:
    """A way as a person reads it: places in lists count from 1, keys stand as they are."""
    for step in way:
        if isinstance(value, list) and isinstance(step, int):
            yield str(step + 1)
            value = value[step] if step < len(value) else None
        else:
            yield str(step)
            value = value.get(step) if isinstance(value, dict) else None


def protocol_in(path: Path) -> FromYaml:
    """The protocol that a file defines. Raises BadSetting, naming file and line."""
    try:
        with path.open("rb") as file:
            given = file.read(MOST_BYTES + 1)
        if len(given) > MOST_BYTES:
            raise BadSetting(
                f"{path}: a metric of more than {MOST_BYTES:,} bytes.", "Shorten what it asks."
            )
        text = decode_text(given)
    except OSError as error:
        raise BadSetting(f"{path}: it cannot be read ({error.strerror}).") from error
    except BadFile as error:
        raise BadSetting(f"{error.at(path)}: {error.problem}.", error.remedy) from error
    return protocol_of(text, str(path))


@lru_cache(maxsize=64)
def protocol_of(text: str, where: str) -> FromYaml:
    """The protocol that a text defines. where: it stands, for messages, and for its name."""
    sheet = _read(text, where)
    made: type[FromYaml] = type(
        "FromYaml",
        (FromYaml,),
        {
            "__module__": __name__,
            "name": sheet.name,
            "title": sheet.title or sheet.name,
            "source": sheet.source or "ours",
            "bounds": sheet.bounds,
            "sheet": sheet,
            "effects": sheet.effects,
            "text": text,
            "operation": Operation(
                "own/judge",
                prompts=PROMPTS,
                takes=ReportAndCriteria,
                gives=SheetMarks,
                offline=partial(_by_rule, sheet),
                check=partial(_complete, sheet),
                shape=partial(_form_of, sheet),
                expected=for_each(VERDICT, lambda inputs: inputs.criteria.count("\n") + 1),
            ),
        },
    )
    return made()
