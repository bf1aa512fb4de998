"""What each person is asked about a rubric on its way.

The proposer writes prompt and criteria. The reviewer says of each whether it stays, how he would
change it, or why it goes, and adds what is missing. The proposer takes that or keeps to his own,
with a reason, and the reviewer is asked again about what is still open, until nothing is. The third
decides on all of it without seeing what was said before; what he changes is changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from deepassay.results.weighing import level_of
from deepassay.runfile.questions import MOST_LINES, TEXT, Box, Choice, Item, Question, Shown
from deepassay.tasks.yardsticks import HEAVIEST, Criterion
from deepassay.wings.build.authoring.remarks import remarks_on
from deepassay.wings.build.authoring.rubric_drafts import (
    CRITERIA,
    MISSING,
    PROMPT,
    Open,
    RubricDraft,
)

AXES: Final[Mapping[str, str]] = {
    "Explicit Criteria": "明确要求",
    "Implicit Criteria": "隐含要求",
    "Synthesis of Information": "信息综合",
    "References & Citation Quality": "参考文献与引用质量",
    "Communication Quality": "表达质量",
    "Instruction Following": "遵循指令",
}
"""The six axes of Table 3 by their names in the published set, and in Chinese."""

LEVELS_ZH: Final = ("至关重要", "重要", "略为重要", "略有损害", "有损害", "严重损害", "没有权重")
WORDS: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "prompt": "The task, as agents are to get it. Correct it, or leave it as it is.",
        "criteria": "Criteria: one demand each. A weight above 0 is for what a good report has, "
        "below 0 for a fault that it does not have; 4 and 5, -4 and -5 are mandatory.",
        "missing": "Criteria that are missing.",
        "stays": "Does the task stay as it is?",
        "weight": "Weight",
        "axis": "Axis",
        "suggested": "Suggested",
        "added": "To be added",
        "dropped": "To be dropped",
        "rubric": "Rubric",
        "reply": "The proposer",
        "kept": "keeps to it",
        "left": "leaves it out",
        "remark": "Worth a look",
        "why": "Because",
    },
    "zh": {
        "prompt": "任务正文：将原样交给智能体。可以修改，也可以保持不变。",
        "criteria": "评分条目：每条只提一个要求。权重大于 0 表示好报告应有之处，小于 0 表示不应有的"
        "缺陷；4、5、-4、-5 为必须项。",
        "missing": "尚缺的评分条目。",
        "stays": "任务正文是否保持不变？",
        "weight": "权重",
        "axis": "维度",
        "suggested": "建议改为",
        "added": "建议增加",
        "dropped": "建议删去",
        "rubric": "评分条目",
        "reply": "提出者",
        "kept": "坚持原文",
        "left": "不予采纳",
        "remark": "请留意",
        "why": "理由",
    },
}


def _choice(value: str, en: str, zh: str, version: str = "no", comment: str = "may") -> Choice:
    return Choice.model_validate(
        {"value": value, "en": en, "zh": zh, "version": version, "comment": comment}
    )


_KEEP: Final = _choice("keep", "stays as it is", "保持不变")
_CHANGE: Final = _choice("change", "stays, changed", "修改后保留", "must")
_DROP: Final = _choice("drop", "goes", "删去", comment="must")
_INSIST: Final = _choice("insist", "my suggestion stands", "坚持我的建议", comment="must")
_LEAVE: Final = _choice("keep", "may be left out", "可以不采纳")
_ADOPT: Final = _choice("adopt", "I take it", "采纳")
_OWN: Final = _choice("keep", "I keep to mine", "坚持原文", comment="must")
_LEFT: Final = _choice("keep", "I leave it out", "不予采纳", comment="must")
_OTHER: Final = _choice("other", "I write something else", "另行改写", "must")


@dataclass(frozen=True)
class Maker:
    """Makes what people are asked. axes: that criteria may have, with their names in Chinese."""

    axes: Mapping[str, str]

    def item(self, name: str, draft: RubricDraft) -> Item | None:
        """What comes next for a draft; None when it is done. name: of the task."""
        asked = {
            "propose": self._propose,
            "review": self._review,
            "revise": self._revise,
            "final": self._all,
        }.get(draft.stage)
        if asked is None:
            return None
        return Item(
            task=name,
            language=draft.language,
            prompt=draft.prompt,
            subject="" if draft.stage == "propose" else self._standing(draft),
            questions=tuple(asked(draft)),
            raters=(draft.whose,),
        )

    def _standing(self, draft: RubricDraft) -> str:
        """The rubric as it stands, in Markdown, beside what is asked about it."""
        lines = [
            f"- {' '.join(each.criterion.split())} *{self._weighed(draft, each)}*"
            for each in draft.rubric
        ]
        return "\n".join([f"# {WORDS[draft.language]['rubric']}", "", *lines])

    # What is asked

    def _propose(self, draft: RubricDraft) -> Iterator[Question]:
        yield Question(
            protocol=draft.stage,
            item=PROMPT,
            text=WORDS[draft.language]["prompt"],
            boxes=(TEXT,),
            given=({"text": draft.prompt},),
            least=1,
        )
        yield self._lines(draft, CRITERIA, draft.rubric, least=1)

    def _all(self, draft: RubricDraft) -> Iterator[Question]:
        """On everything, without what anybody said before."""
        menu = (_KEEP, _CHANGE)
        yield self._asked(draft, PROMPT, WORDS[draft.language]["stays"], menu)
        for each in draft.rubric:
            yield self._asked(draft, each.id, each.criterion, (*menu, _DROP))
        yield self._lines(draft, MISSING)

    def _review(self, draft: RubricDraft) -> Iterator[Question]:
        """At first everything, later what is open."""
        if not draft.open:
            yield from self._all(draft)
            return
        for each in draft.open:
            known, prompt = draft.criterion(each.of), each.of == PROMPT
            new = known is None and not prompt
            shown = [*self._suggestion(draft, each), *self._reply(draft, each, new)]
            text = known.criterion if known else each.criterion
            menu: tuple[Choice, ...] = (_LEAVE if new else _KEEP, _INSIST, _CHANGE)
            if each.reply == "other":  # that is another one than the suggestion was about
                menu = (_KEEP, _CHANGE) if prompt else (_KEEP, _CHANGE, _DROP)
            if prompt:
                text = WORDS[draft.language]["stays"]
            yield self._asked(draft, each.of, text, menu, shown, each if new else None)
        yield self._lines(draft, MISSING)

    def _revise(self, draft: RubricDraft) -> Iterator[Question]:
        for each in draft.open:
            known = draft.criterion(each.of)
            text = known.criterion if known else each.criterion
            if each.of == PROMPT:
                text = WORDS[draft.language]["stays"]
            own = _OWN if known or each.of == PROMPT else _LEFT
            version = None if each.said == "drop" else each
            shown = self._suggestion(draft, each)
            yield self._asked(draft, each.of, text, (_ADOPT, own, _OTHER), shown, version)
        yield self._lines(draft, MISSING)

    # Its parts

    def _asked(
        self,
        draft: RubricDraft,
        of: str,
        text: str,
        menu: tuple[Choice, ...],
        shown: Sequence[Shown] = (),
        version: Open | None = None,
    ) -> Question:
        """On one criterion, or the prompt. version: what stands in the boxes in its place."""
        known = draft.criterion(of)
        if of == PROMPT:
            boxes: tuple[Box, ...] = (TEXT,)
            given = {"text": version.criterion if version else draft.prompt}
        else:
            found = version.version if version else known
            assert found is not None
            boxes, given = self._boxes(draft, [found.weight], [found.axis]), _line(found)
            text = f"{text}\n{self._weighed(draft, known or found)}"
            if known is not None:
                label = WORDS[draft.language]["remark"]
                own = [each.told(draft.language) for each in remarks_on(known)]
                shown = [*shown, *(Shown(label=label, text=each) for each in own)]
        return Question(
            protocol=draft.stage,
            item=of,
            text=text,
            menu=menu,
            boxes=boxes,
            given=(given,),
            shown=tuple(shown),
        )

    def _lines(
        self, draft: RubricDraft, of: str, given: Sequence[Criterion] = (), least: int = 0
    ) -> Question:
        weights, axes = [each.weight for each in given], [each.axis for each in given]
        return Question(
            protocol=draft.stage,
            item=of,
            text=WORDS[draft.language][of],
            boxes=self._boxes(draft, weights, axes),
            given=tuple(map(_line, given)),
            least=least,
            most=MOST_LINES,
        )

    def _boxes(
        self, draft: RubricDraft, weights: Sequence[float], axes: Sequence[str]
    ) -> tuple[Box, ...]:
        """Words, weight and axis. weights, axes: that must be on the menus besides."""
        known = {**{name: name for name in axes if name}, **self.axes}
        whole = [float(step) for step in range(int(HEAVIEST), -int(HEAVIEST) - 1, -1) if step]
        menu = sorted({*whole, *weights}, reverse=True)
        return (
            TEXT,
            Box(
                name="weight",
                en=WORDS["en"]["weight"],
                zh=WORDS["zh"]["weight"],
                kind="choice",
                menu=tuple(_weight(each) for each in menu),
            ),
            Box(
                name="axis",
                en=WORDS["en"]["axis"],
                zh=WORDS["zh"]["axis"],
                kind="choice",
                menu=tuple(Choice(value=name, en=name, zh=zh) for name, zh in known.items()),
                required=not any(not name for name in axes),
            ),
        )

    def _weighed(self, draft: RubricDraft, criterion: Criterion) -> str:
        weight, axis = _weight(criterion.weight), criterion.axis
        if draft.language == "zh":
            return f"权重：{weight.zh}" + (f"；维度：{self.axes.get(axis, axis)}" if axis else "")
        return f"Weight: {weight.en}" + (f". Axis: {axis}" if axis else "")

    def _suggestion(self, draft: RubricDraft, each: Open) -> list[Shown]:
        words = WORDS[draft.language]
        if each.said == "drop":
            return [Shown(label=words["dropped"], text=each.comment or "–")]
        label = {"change": "suggested", "add": "added"}[each.said]
        told = each.criterion
        if each.weight is not None:
            told = f"{told}\n{self._weighed(draft, each.version)}"
        shown = [Shown(label=words[label], text=told)]
        return shown + ([Shown(label=words["why"], text=each.comment)] if each.comment else [])

    def _reply(self, draft: RubricDraft, each: Open, left_out: bool) -> list[Shown]:
        words = WORDS[draft.language]
        kept = words["left" if left_out else "kept"]
        text = "\n".join(filter(None, (kept if each.reply == "keep" else "", each.answer)))
        return [Shown(label=words["reply"], text=text)] if text else []


def _weight(weight: float) -> Choice:
    level = level_of(weight)
    chinese = dict(zip(type(level), LEVELS_ZH, strict=True))[level]
    return Choice(
        value=f"{weight:g}", en=f"{weight:g}, {level.lower()}", zh=f"{weight:g}，{chinese}"
    )


def _line(criterion: Criterion) -> dict[str, str]:
    line = {"text": criterion.criterion, "weight": f"{criterion.weight:g}", "axis": criterion.axis}
    return {name: value for name, value in line.items() if value}
