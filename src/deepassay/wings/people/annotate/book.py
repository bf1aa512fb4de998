"""A study while it is going on: who has what, what was said, how far they agree."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from statistics import median
from typing import Final

import numpy as np

from deepassay.errors import BadInput
from deepassay.reports.traced import TracedText
from deepassay.runfile import Rating, RunFile
from deepassay.runfile.annotating import TextName
from deepassay.runfile.questions import Item, Opinion, Question
from deepassay.score import digest
from deepassay.stats.reliability import Alpha
from deepassay.wings.people.agreement.marked import MarkedText, MarkedTexts, ReadSpan, TextPlace
from deepassay.wings.people.agreement.sampling import lettered
from deepassay.wings.people.annotate.blinding import Blinding
from deepassay.wings.people.annotate.questions import on_menu
from deepassay.wings.people.annotate.words import LANGUAGES, Language

LEADER: Final = ""
"""Under which name the key of the leader is kept: no rater can have it."""


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


@dataclass(frozen=True)
class RaterPosition:
    """Where a rater stands. number: of the item, None when all is done."""

    number: int | None
    done: int
    total: int


@dataclass(frozen=True)
class QuestionAgreement:
    """How far raters agree on one question, over all items. alpha: Krippendorff's, by its level."""

    question: str
    pairs: int
    same: float | None
    alpha: float | None


@dataclass(frozen=True)
class _SecondLook:
    """With whom a rater agreed. beside: the own answers that stood on the page."""

    rating: Rating
    beside: Mapping[str, str] | None


class StudyBook:
    """The study of one run file, held in memory: nothing is answered before it is on the disk.

    name: a digest of its items, which no other study has.
    """

    def __init__(self, run: RunFile) -> None:
        self._run = run
        study = run.annotating.study
        if not study:
            raise BadInput(
                f"{run.path} holds no study.", "Begin one with `deepassay annotate serve`."
            )
        self.name: str = study["items"]
        self.raters: tuple[str, ...] = tuple(study["raters"])
        self.items = [Item.model_validate(each) for each in run.annotating.items()]
        self.blind = Blinding(study["masked"])
        report = cache(self.blind.report)  # one is asked about in several items
        self._texts = [_traced(item, report, self.blind) for item in self.items]
        self._shown = [
            _blinded(item, self.blind, texts)
            for item, texts in zip(self.items, self._texts, strict=True)
        ]
        self._duties: dict[str, list[int]] = {rater: [] for rater in self.raters}
        for duty in run.annotating.duties():
            self._duties[duty.rater].append(duty.item)
        self.ratings = list(run.annotating.ratings())
        self._forms = {each.form for each in self.ratings}
        self._own: defaultdict[str, list[Rating]] = defaultdict(list)
        for each in self.ratings:
            self._own[each.rater].append(each)
        self._keeping: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._latest: dict[tuple[str, int], Rating] = {}
        self._shown_judges: set[tuple[str, int]] = set()
        self._looks: dict[tuple[str, int], _SecondLook] = {}
        for each in self.ratings:
            self._count(each)
        self._second: bool = study["second_look"]
        self._seed: int = study["seed"]
        self._keys = run.annotating.keys
        said = run.annotating.languages
        self.languages: dict[str, Language] = {
            rater: language for rater in said for language in LANGUAGES if said[rater] == language
        }

    # Keys

    def new_keys(self) -> dict[str, str]:
        """Fresh keys of all raters and the leader; those before open nothing any more."""
        fresh = {name: secrets.token_urlsafe(24) for name in (*self.raters, LEADER)}
        self._keys = {name: _digest(key) for name, key in fresh.items()}
        self._run.annotating.keep_keys(self._keys)
        return fresh

    @property
    def has_keys(self) -> bool:
        """Whether keys were given out, at this start or an earlier one."""
        return bool(self._keys)

    def holder(self, key: str) -> str | None:
        """Whose key it is; None if it is nobody's."""
        given = _digest(key)
        found = [name for name, kept in self._keys.items() if hmac.compare_digest(kept, given)]
        return found[0] if found else None

    def digest_of_key(self, rater: str) -> bytes:
        """What only this program and its file know of a rater's key."""
        return self._keys[rater].encode()

    # Rating

    def place(self, rater: str) -> RaterPosition:
        """The first item that a rater has not answered."""
        own = self._duties[rater]
        left = [item for item in own if (rater, item) not in self._latest]
        return RaterPosition(left[0] if left else None, len(own) - len(left), len(own))

    def shown(self, number: int) -> Item:
        """An item without what tells who wrote it, or who judged it."""
        return self._shown[number]

    def text(self, number: int, name: TextName) -> TracedText:
        """A text of an item as raters see it, and where it stands in the item's own."""
        return self._texts[number].get(name) or TracedText.of("")

    def to_look_at(self, rater: str) -> int | None:
        """The item of which the rater is to see what the judges said: after his own answer."""
        if not self._second:
            return None
        answered = [item for item in self._duties[rater] if (rater, item) in self._latest]
        looks = self.looks()
        open_ = [item for item in answered if (rater, item) not in looks]
        return next((item for item in open_ if self.opinions(item)), None)

    def opinions(self, number: int) -> list[tuple[Question, dict[str, Opinion]]]:
        """Of an item, what each judge said, under letters in a random order.

        Only where several judges decided: of one there is nothing to prefer. In the values of the
        menu, also in studies that keep other words, as far as it has them.
        """
        rng = np.random.default_rng([self._seed, 2, number])
        found = []
        for question in self.items[number].questions:
            own = {
                each.judge: each.model_copy(
                    update={"verdict": on_menu(question.menu, each.verdict)}
                )
                for each in question.opinions
            }
            if len(own) > 1:
                letters = lettered(sorted(own), rng)
                found.append((question, {letter: own[judge] for letter, judge in letters.items()}))
        return found

    def masked(self, opinions: Mapping[str, Opinion]) -> dict[str, Opinion]:
        """Opinions without names of judges, in their reasons neither."""
        return {
            letter: each.model_copy(update={"judge": "", "reason": self.blind(each.reason)})
            for letter, each in opinions.items()
        }

    def saw_judge(self, rater: str, number: int) -> bool:
        """Whether the rater has seen what judges said of an item."""
        return (rater, number) in self._shown_judges

    async def shows_judges(self, rater: str, number: int, at: str) -> None:
        """Keep that the rater is being shown what judges said of an item; on the disk before."""
        if not self.saw_judge(rater, number):
            form = f"shown/{rater}/{number}"
            await self.keep(Rating(form, rater, number, None, at=at, saw_judge=True, second=True))

    def draft(self, rater: str, number: int) -> str:
        """A name for what a browser keeps of an item until it is saved, the same at every start.

        It is made of what is shown alone, so that nothing else can be read from it.
        """
        item = self._shown[number]
        texts = [item.task, item.prompt, item.report, item.rival, item.subject]
        asked = [
            [q.text, q.quote, *(each.en for each in (*q.menu, *q.labels))] for q in item.questions
        ]
        return digest([rater, texts, asked])[:16]

    def is_duty(self, rater: str, number: int) -> bool:
        """Whether the rater has this item."""
        return number in self._duties[rater]

    def before(self, rater: str, number: int) -> Rating | None:
        """What the rater said of an item the last time, if it was taken back since."""
        return next(
            (
                each
                for each in reversed(self._own[rater])
                if each.item == number and each.answers is not None and not each.second
            ),
            None,
        )

    def last(self, rater: str) -> int | None:
        """The item that the rater answered last and has not taken back."""
        own = (each.item for each in reversed(self._own[rater]) if not each.second)
        return next((item for item in own if (rater, item) in self._latest), None)

    def has(self, form: str) -> bool:
        """Whether what was sent from a form is there, be it taken back since."""
        return form in self._forms

    async def keep(self, rating: Rating) -> None:
        """Keep a rating, then know of it; one that came before is passed over."""
        async with self._keeping[rating.rater]:  # what comes twice waits for the first
            if rating.form in self._forms:
                return
            await self._run.annotating.keep(rating)
            self._forms.add(rating.form)
        self.ratings.append(rating)
        self._own[rating.rater].append(rating)
        self._count(rating)

    def _count(self, rating: Rating) -> None:
        """Let a rating count that came after all that count already."""
        place = rating.rater, rating.item
        if rating.second:
            self._shown_judges.add(place)
            if rating.answers is not None:
                own = self._latest.get(place)
                self._looks[place] = _SecondLook(rating, own.answers if own else None)
        elif rating.answers is None:
            self._latest.pop(place, None)
        else:
            self._latest[place] = rating

    # For the leader

    def progress(self) -> list[tuple[str, RaterPosition, float | None]]:
        """Each rater, how far, and the median of seconds an item."""
        taken: defaultdict[str, list[float]] = defaultdict(list)
        for (rater, _), rating in self._latest.items():
            taken[rater].append(rating.seconds)
        return [
            (rater, self.place(rater), median(taken[rater]) if taken[rater] else None)
            for rater in self.raters
        ]

    def agreement(self) -> list[QuestionAgreement]:
        """Of every kind of question, over items that several raters answered."""
        units: defaultdict[str, defaultdict[tuple[int, str], list[str]]] = defaultdict(
            lambda: defaultdict(list)
        )
        levels: dict[str, Question] = {}
        for (_, number), rating in sorted(self._latest.items()):
            for question in self.items[number].questions:
                if not question.menu:
                    continue
                kind = question_kind(question)
                levels.setdefault(kind, question)
                said = (rating.answers or {}).get(question.key)
                if said is not None:
                    units[kind][number, question.key].append(said)
        return [_agreed(kind, [*own.values()], levels[kind]) for kind, own in units.items()]

    def marked(self) -> list[MarkedTexts]:
        """Of every question for which words are marked: what raters marked, text by text."""
        found: defaultdict[str, dict[TextPlace, MarkedText]] = defaultdict(dict)
        for (rater, number), rating in sorted(self._latest.items()):
            item = self.items[number]
            for question in item.questions if rating.answers is not None else ():
                for name, text in item.texts.items() if question.labels else ():
                    place = str(number), name
                    own = found[question.key].setdefault(place, MarkedText(len(text), "", {}))
                    own.spans[rater] = [
                        ReadSpan(each.start, each.end, each.label)
                        for each in rating.spans.get(question.key, ())
                        if each.text == name
                    ]
        return [MarkedTexts(question, texts) for question, texts in found.items()]

    def latest(self) -> Mapping[tuple[str, int], Rating]:
        """By rater and item, what counts."""
        return self._latest

    def looks(self) -> Mapping[tuple[str, int], Rating]:
        """By rater and item, with whom the rater agreed at the second look.

        Only beside the answers that count: another answer needs another look.
        """
        return {
            place: look.rating
            for place, look in self._looks.items()
            if (own := self._latest.get(place)) and own.answers == look.beside
        }

    @property
    def outdated_looks(self) -> int:
        """How many second looks were at answers that were changed or taken back since."""
        return len(self._looks) - len(self.looks())


def question_kind(question: Question) -> str:
    """The name under which questions of one kind are counted together."""
    scored = question.column == "score" and (question.part or question.item)
    return f"{question.protocol}/{scored}" if scored else question.protocol


def _agreed(kind: str, units: Sequence[Sequence[str]], question: Question) -> QuestionAgreement:
    pairs = [pair for unit in units for pair in combinations(unit, 2)]
    order = [choice.value for choice in question.menu]
    values: list[list[float]] = [
        [float(said) if question.level == "interval" else order.index(said) for said in unit]
        for unit in units
    ]
    same = sum(a == b for a, b in pairs) / len(pairs) if pairs else None
    return QuestionAgreement(
        kind, len(pairs), same, Alpha(values, question.level)() if pairs else None
    )


def _traced(
    item: Item, report: Callable[[str], TracedText], blind: Blinding
) -> dict[TextName, TracedText]:
    """The texts of an item as raters see them, those of reports by `report`."""
    return {
        name: report(text)
        if item.report
        else blind.traced(TracedText.of(text))  # of a building step
        for name, text in item.texts.items()
    }


def _blinded(item: Item, blind: Blinding, texts: Mapping[TextName, TracedText]) -> Item:
    """The item as raters see it. texts: those of it that are so already."""
    seen = {name: text.text for name, text in texts.items()}
    questions = []
    for each in item.questions:
        passage = each.passage
        if passage is not None:
            shown = {name: blind(value) for name, value in passage.model_dump().items()}
            passage = passage.model_copy(update=shown)
        questions.append(
            each.model_copy(
                update={
                    "text": blind(each.text),
                    "quote": blind(each.quote),
                    "passage": passage,
                    "shown": tuple(
                        one.model_copy(update={"text": blind(one.text)}) for one in each.shown
                    ),
                    "opinions": (),
                }
            )
        )
    return item.model_copy(
        update={
            "agent": "",
            "rival_agent": "",
            "rival_sample": 1,
            "rival_first": False,
            "prompt": blind(item.prompt),
            "report": seen.get("first", "") if item.report else "",
            "rival": seen.get("second", ""),
            "subject": "" if item.report else seen.get("first", ""),
            "questions": tuple(questions),
        }
    )
