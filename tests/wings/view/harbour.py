"""Two runs by a panel of two judges, in two languages, of whose every score one knows why.

Four agents report on eight tasks. Each task has five sides; a report states so many of them as its
agent is good, each with a figure and a page. Of some the page has another figure: these citations
are false. What the judges say follows from the texts alone: ash is content where a side is spoken
of, birch wants a figure. One report makes both of them ramble, so that it has no score.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from deepassay.run.archives import import_pages
from deepassay.run.asking.evaluate import aevaluate
from tests.asked import asked
from tests.judging import verdicts
from tests.loopback import FakeJudge, Reply, Request, completion

JUDGES: Final = ("openai:ash", "openai:birch")
SIDES: Final[Mapping[str, tuple[str, ...]]] = {
    "en": ("cost", "noise", "lifetime", "permits", "maintenance"),
    "zh": ("成本", "噪音", "寿命", "许可", "维护"),
}


class Asked(NamedTuple):
    """A task: its identifier, language and prompt."""

    name: str
    language: str
    prompt: str

    @property
    def sides(self) -> tuple[str, ...]:
        return SIDES[self.language]


TASKS: Final = (
    Asked("ferry", "en", "Should our harbour replace its diesel ferry by an electric one?"),
    Asked("market-hall", "en", "How can the roof of our market hall be insulated?"),
    Asked("street trees?", "en", "Which trees stand drought in streets like ours?"),
    Asked("night-bus", "en", "Compare a night bus with shared taxis."),
    Asked("school-meals", "en", "What would cooking school meals on site take?"),
    Asked("雨水花园", "zh", "雨水花园与地下蓄水池相比如何?"),
    Asked("电梯加装", "zh", "老旧小区加装电梯应当注意什么?"),
    Asked("自行车道", "zh", "独立自行车道是否值得修建?"),
)
STATED: Final = {"alder": 5, "larch": 4, "maple": 3, "rowan": 2}
"""How many sides each agent states; the reference is alder."""

STATED_BEFORE: Final = {**STATED, "larch": 2, "rowan": 3}
RAMBLING: Final = ("rowan", "market-hall")
"""Of this report nobody's answer can be read."""

VAGUE: Final = ("larch", 2)
"""This agent speaks of this side without a figure."""


def figure(task: int, side: int) -> int:
    """What the page has to say."""
    return 1200 + 317 * task + 41 * side


def is_false(agent: str, task: int, side: int) -> bool:
    """Whether the report has another figure than the page."""
    return agent in ("maple", "rowan") and (task + side) % 2 == 0


def page(task: int, side: int) -> str:
    """The address of the page on a side of a task."""
    return f"https://source-{side}.example/case-{task}"


def sentence(task: int, side: int, stated: int) -> str:
    name = TASKS[task].sides[side]
    if TASKS[task].language == "zh":
        return f"受访城镇的{name}为每年{stated:,}个单位。"
    return f"The {name} came to {stated:,} units a year in the towns that were asked."


def vague(task: int, side: int) -> str:
    name = TASKS[task].sides[side]
    if TASKS[task].language == "zh":
        return f"{name}难以确定。"
    return f"The {name} is hard to say anything about with certainty."


def claim(agent: str, task: int, side: int) -> str:
    """What a report says of a side."""
    if (agent, side) == VAGUE:
        return vague(task, side)
    return sentence(task, side, figure(task, side) + 777 * is_false(agent, task, side))


def report(agent: str, task: int, stated: int) -> str:
    """A report with so many sides."""
    parts = [f"# {TASKS[task].prompt}"]
    for side in range(stated):
        parts += [
            f"## {TASKS[task].sides[side].title()}",
            f"{claim(agent, task, side)} [{side + 1}]",
        ]
    if (agent, TASKS[task].name) == RAMBLING:
        parts.append("The zeppelin hangar nearby had the same trouble.")
    if agent == "alder":
        parts.append("| option | price |\n|---|--:|\n| new | 1,200 |\n| old | 900 |")
    parts.append("## References")
    parts.append("\n".join(f"[{side + 1}] {page(task, side)}" for side in range(stated)))
    return "\n\n".join(parts) + "\n"


def _fenced(name: str, prompt: str) -> str:
    found = re.search(rf"<<<BEGIN {name} .*?\n(.*)\n<<<END {name}", prompt, re.DOTALL)
    return found[1] if found else ""


def _numbered(name: str, prompt: str) -> list[str]:
    return re.split(r"^\d+\. ", _fenced(name, prompt), flags=re.MULTILINE)[1:]


def _passage(text: str, item: str, model: str) -> str:
    """The sentence on the side that an item is about, if it is good enough for this judge."""
    (side,) = (each for own in SIDES.values() for each in own if each in item)
    return next(
        (
            each.strip()
            for each in re.split(r"(?<=[.。])\s+|\[\d+\]|\n", text)
            if side in each.lower() and each.strip().endswith((".", "。"))
            and (model == "ash" or re.search(r"\d,\d\d\d", each))
        ),
        "",
    )  # fmt: skip


def answer(body: dict[str, Any]) -> str:
    """What a judge says. Marks are those of the judge of all tests, by the words of the prompt."""
    prompt = next(each["content"] for each in body["messages"] if each["role"] == "user")
    said = json.loads(verdicts(body))
    model, text = body["model"], _fenced("report", prompt)
    if isinstance(said.get("verdicts"), list):
        sentences = re.split(r"(?<=[.。])|\n", _fenced("page", prompt))
        for each, statement in zip(said["verdicts"], _numbered("statements", prompt), strict=True):
            number = re.search(r"\d,\d\d\d", statement)
            there = next((s.strip() for s in sentences if number and number[0] in s), "")
            other = "unknown" if model == "birch" and not number else "unsupported"
            each.update(verdict="supported" if there else other, quote=there)
    elif "verdicts" in said:
        for each, item in zip(
            said["verdicts"].values(), _numbered("criteria", prompt), strict=True
        ):
            found = _passage(text, item, model)
            each.update(
                verdict="Satisfied" if found else "Not Satisfied",
                quotes=[found] if found else [],
                reason=f"{model} finds it" if found else f"{model} misses it",
            )
    elif "evaluations" in said and (items := _numbered("checklist", prompt)):
        for each, item in zip(said["evaluations"].values(), items, strict=True):
            found = _passage(text, item, model)
            each.update(
                score=int(bool(found)),
                justification=f"{model} finds it" if found else f"{model} misses it",
            )
    return json.dumps(said, ensure_ascii=False)


def _rambling(request: Request, text: str) -> Reply:
    said = " ".join(each["content"] for each in request.body["messages"])
    ramble = "zeppelin" in said and "evaluations" in text
    return completion("I would say it is quite good." if ramble else text)


def _pages() -> Iterator[dict[str, str]]:
    for task, asked_ in enumerate(TASKS):
        for side in range(len(asked_.sides) - 1):  # of the last nothing is kept
            before = "It was written by an office. " * 90
            text = (
                f"Survey\n\n{before}\n\n{sentence(task, side, figure(task, side))}\n\nThat is all."
            )
            yield {"url": page(task, side), "text": text}


def _inputs(folder: Path, stated: Mapping[str, int]) -> None:
    """Tasks, rubrics, criteria, pages and reports as files."""
    files: dict[str, list[object]] = {"tasks.jsonl": [], "pages.jsonl": [*_pages()]}
    rubrics, criteria = [], []
    for each in TASKS:
        head = {"id": each.name, "prompt": each.prompt}
        chinese = each.language == "zh"
        checks = [
            f"是否说明{side}?" if chinese else f"Is the {side} stated?" for side in each.sides
        ]
        files["tasks.jsonl"].append({**head, "language": each.language, "checklist": checks})
        weighed = [
            {
                "id": f"r{place}",
                "criterion": f"给出{side}的数字。"
                if chinese
                else f"States the {side} with a figure.",
                "weight": 5 - place,
                "axis": "Explicit Criteria",
            }
            for place, side in enumerate(each.sides)
        ]
        rubrics.append({**head, "rubric": weighed})
        names = ("comprehensiveness", "insight", "instruction_following", "readability")
        own = [{"criterion": "one", "explanation": "as it reads", "weight": 1.0}]
        criteria.append(
            {
                **head,
                "dimension_weight": dict.fromkeys(names, 0.25),
                "criterions": dict.fromkeys(names, own),
            }
        )
    (folder / "reports").mkdir(parents=True)
    for agent, count in stated.items():
        files[f"reports/{agent}.jsonl"] = [
            {"id": each.name, "prompt": each.prompt, "article": report(agent, place, count)}
            for place, each in enumerate(TASKS)
        ]
    for name, rows in files.items():
        lines = (json.dumps(row, ensure_ascii=False) for row in rows)
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    for name, listed in (("rubrics.yaml", rubrics), ("criteria.yaml", criteria)):
        (folder / name).write_text(json.dumps(listed, ensure_ascii=False), encoding="utf-8")


def harbour_runs(folder: Path) -> tuple[Path, Path]:
    """The earlier run and the later one."""
    runs = folder / "before.assay", folder / "after.assay"
    with FakeJudge(answer, scenarios={"ash": _rambling, "birch": _rambling}) as judge:
        for run, stated in zip(runs, (STATED_BEFORE, STATED), strict=True):
            own = folder / run.stem
            _inputs(own, stated)
            import_pages([own / "pages.jsonl"], run, None)
            request: Any = asked(
                own / "tasks.jsonl",
                own / "reports",
                protocols=["presentation", "coverage", "race", "fact", "rubrics"],
                judge=[*JUDGES],
                base_url=judge.base_url,
                allow_unpriced=True,
                reference="alder",
                criteria=own / "criteria.yaml",
                rubric=own / "rubrics.yaml",
                offline_sources=True,
                date="2026-05-04",
                run=run,
            )
            asyncio.run(aevaluate(*request))
    return runs
