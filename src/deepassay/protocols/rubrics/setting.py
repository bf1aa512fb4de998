"""How a set of criteria is judged and counted, as one frozen value: every published set is one.

The defaults are those of ResearchRubrics. A set's file (`tasks.set_tables`) gives the others, below
`[setting]`; what its released program does otherwise stands below `[setting.code]`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import Annotated, Final, Literal

from pydantic import Field, ValidationError

from deepassay.errors import BadSetting
from deepassay.models.prompt import Language
from deepassay.results.weighing import MERITS, Over
from deepassay.score import digest
from deepassay.tasks.fields import Record, field_name, first_mistake, problem_of
from deepassay.tasks.set_tables import set_in, set_named
from deepassay.tasks.yardsticks import Criterion

Shown = Literal["query", "weight", "sign", "blocked", "examples"]
Wanted = Literal["none", "reason", "quote"]
Quirky = Literal[
    "last-of-repeats", "no-anywhere", "yes-behind-no", "none-counts-zero", "numbers-only"
]


class MenuWord(Record):
    """A verdict that a judge may give. merit: how far what is asked for is met by it, None where it
    says that it does not apply. en, zh: what it means, as the judge is told.
    """

    merit: float | None = None
    en: str = ""
    zh: str = ""


class Released(Record):
    """What the set's released program does where edition `paper` has no word for it.

    lost: what becomes of a verdict that did not come: it counts 0, or the report has no score.
    off_menu: of one that is none of the menu: it counts as the number that it is, 0, nothing, or
    ends the report. digits: to which each score is rounded; of a tree each storey, or those of
    rounded, from the root, 0, on. quirks: what else it does, by name.
    """

    lost: Literal["zero", "report"] = "report"
    off_menu: Literal["number", "zero", "skip", "report"] = "zero"
    digits: int | None = None
    rounded: Annotated[tuple[int, ...], Field(strict=False)] = ()
    quirks: Annotated[tuple[Quirky, ...], Field(strict=False)] = ()


class Setting(Record):
    """The frozen value.

    menu: the verdicts by their words. weights: those of the file, or all alike. over: what the sum
    is divided by. clip: whether a report's score is kept within the scale, or only the mean. shape:
    one pot; means of means, by what criteria stand `within`; or a tree in which critical nodes
    gate. rates: shares of a verdict that are told beside the score, by name. importance, strict:
    parts by the importance of criteria, and with merits below 1 counted as 0. covered: a part, the
    share of criteria that are as they should be, wholly there or, of a fault, not at all. headline:
    the part that is the score; none: the whole. scale: of what 1 is. together: criteria of one
    question, 0 for all. passes: how often the set wants every report judged. shows: what the judge
    is told besides report and criterion. evidence: what it gives with a verdict. pool: whether an
    agent's score is the mean of its reports or a share of all their criteria. levels: whether
    weights mean the six levels of ResearchRubrics' Table 4. code: None where no program was
    released.
    """

    menu: Mapping[str, MenuWord] = Field(
        default_factory=lambda: {word: MenuWord(merit=merit) for word, merit in MERITS.items()}
    )
    weights: Literal["file", "equal"] = "file"
    over: Over = "positive"
    clip: Literal["no", "report", "mean"] = "no"
    shape: Literal["flat", "storeys", "gate"] = "flat"
    rates: Mapping[str, str] = Field(default_factory=dict)
    importance: bool = False
    strict: bool = False
    covered: bool = False
    headline: str = ""
    scale: float = 1
    together: Annotated[int, Field(ge=0)] = 1
    passes: Annotated[int, Field(ge=1)] = 1
    shows: Annotated[tuple[Shown, ...], Field(strict=False)] = ("query",)
    evidence: Wanted = "quote"
    pool: Literal["mean", "pooled"] = "mean"
    levels: bool = False
    code: Released | None = None

    @cached_property
    def digest(self) -> str:
        """Changes with everything that a score rests on besides report, rubric and answers."""
        return digest(self.model_dump(mode="json"))

    @cached_property
    def extremes(self) -> tuple[float, float]:
        """The lowest merit on the menu, 0 where none is below that, and the highest."""
        merits = [each.merit for each in self.menu.values() if each.merit is not None]
        return min(0.0, *merits, 0.0), max(merits, default=1.0)

    @property
    def computed_parts(self) -> list[str]:
        """The parts that every report has by this setting, of which one may be the score."""
        wholes = ["all"] if self.strict or self.importance else []
        wholes += ["vital", "okay"] if self.importance else []
        parts = wholes if self.importance else []
        parts = [*parts, *(f"strict {each}" for each in wholes if self.strict)]
        return [*parts, *(["covered"] if self.covered else []), *self.rates]

    @property
    def best(self) -> float:
        """The highest merit on the menu."""
        return self.extremes[1]

    @property
    def counts_numbers_only(self) -> bool:
        """Whether the released program counts no verdict that is a text."""
        return self.code is not None and "numbers-only" in self.code.quirks

    def weight_of(self, criterion: Criterion) -> float:
        """What a criterion weighs here."""
        return criterion.weight if self.weights == "file" else 1.0

    def words_for(self, criterion: Criterion) -> tuple[str, ...]:
        """The verdicts that may be given on a criterion; one with marks of its own has those."""
        return tuple(criterion.grades) or tuple(self.menu)

    def merit_of(self, criterion: Criterion, word: str) -> float | None:
        """How far a criterion is met by a verdict; None where it does not apply."""
        if criterion.grades:
            return criterion.grades[word] / criterion.weight if criterion.weight else 0.0
        return self.menu[word].merit

    def menu_in(self, language: Language) -> str:
        """The verdicts with what they mean, a line each."""
        colon = {"en": ": ", "zh": "："}[language]
        said = ((word, getattr(each, language)) for word, each in self.menu.items())
        return "\n".join(
            f'- "{word}"{colon}{means}' if means else f'- "{word}"' for word, means in said
        )


RESEARCH_RUBRICS: Final = Setting(levels=True)


@lru_cache(maxsize=64)
def setting_of(name: str, table: str = "") -> Setting:
    """How a set judges; ResearchRubrics for no name. Raises BadSetting for what is no setting.

    table: the text of the set, where that is kept and its file may be gone.
    """
    known = set_in(table, name) if table else set_named(name) if name else None
    found = known.setting if known else {}
    if not found:
        return RESEARCH_RUBRICS
    try:
        setting = Setting.model_validate(found)
    except ValidationError as error:
        first = first_mistake(error)
    else:
        for rate, word in setting.rates.items():
            if word not in setting.menu:
                raise BadSetting(
                    f"{name}: setting.rates.{rate}: {word!r} is not on the menu.", "Correct it."
                )
        if setting.headline and setting.headline not in (known_parts := setting.computed_parts):
            raise BadSetting(
                f"{name}: setting.headline: {setting.headline!r} is no part that this set has.",
                f"There are: {', '.join(known_parts)}; or leave it out, for the whole."
                if known_parts
                else "Leave it out, or ask for a part: rates, importance, strict or covered.",
            )
        return setting
    field = field_name(("setting", *first["loc"]))
    problem = "unknown field" if first["type"] == "extra_forbidden" else problem_of(first)
    raise BadSetting(f"{name}: {field}: {problem}.", "docs/own-sets.md shows a set whole.")
