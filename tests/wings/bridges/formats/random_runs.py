"""Runs of which everything is drawn: protocols, panels, names, failures, gaps, extremes."""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Iterator
from pathlib import Path

from deepassay.runfile import AgentRun, RunFile, StoredReport, StoredRun, StoredScore
from deepassay.score import MOST, Cause, Json

NAMES = (
    *("heron", "Räte & Söhne", "白鹭", "a/b", "con", "x=y", "😀 agent", "\u202ertl", "li\u2028ne"),
    *("'; DROP TABLE runs;--", "-n", "..", "data", "unknown", "q" * 200, "鹭" * 150, "trailing. "),
    *("<b>&amp;]]>", "new\nline", "\x1b[31m", '=cmd|" /C calc"!A1', "tab\t"),
)
PROMPTS = (
    *(
        "Why is the sky blue?",
        "天空为什么是蓝色的？",
        "a\u2028b\u2029c\x85d\x0be\x0cf\x1cg",
        "😀" * 50,
    ),
    *(
        "<script>alert(1)</script>",
        "null\x00byte",
        '{"a": [1e309]}',
        "\\u0000\\ud800",
        "x" * 20_000,
    ),
)
PROTOCOLS: tuple[tuple[str, tuple[float, float] | None], ...] = (
    *(("presentation", (0.0, 100.0)), ("coverage", (0.0, 100.0)), ("race", (0.0, 1.0))),
    *(("fact", (0.0, 1.0)), ("rubrics", None), ("race(vanilla=True)", (0.0, 1.0))),
    *(("deepassay_mine:Own(words='a, b=1')", None), ("retrieval", (0.0, 1.0))),
)
JUDGES = ("openai:gpt-5-mini", "anthropic:claude", "offline", "ollama:qwen3:32b", "本地:模型")
HAZARDS = (5e-324, 2.2250738585072014e-308, 0.1 + 0.2, 1 / 3, 1e-9, 0.5, math.pi / 4, -0.0, 2 / 3)


def value_in(chance: random.Random, bounds: tuple[float, float] | None) -> float:
    """A value that a score may have, often one that is hard to write down."""
    low, high = bounds or (-MOST, MOST)
    drawn = chance.choice(
        [chance.uniform(low, high), low, high, math.nextafter(high, low), math.nextafter(low, high)]
    )
    return chance.choice([drawn, low + (high - low) * chance.choice(HAZARDS), drawn])


def outcome_in(
    chance: random.Random, bounds: tuple[float, float] | None, judges: list[str]
) -> dict[str, Json]:
    """A score, or why there is none; of a panel with what each judge said."""
    if chance.random() < 0.25:
        words = chance.choice(["", "It did not answer.", "\u2028 <&> \x00", "超时" * 200])
        return {"cause": str(chance.choice(list(Cause))), "detail": words, "details": {}}
    value = value_in(chance, bounds)
    details: dict[str, Json] = {"open": chance.random() < 0.1}
    limits = None if bounds is None else [*bounds]
    if len(judges) > 1:
        own = {"bounds": limits, "parts": {}, "tally": None, "details": {}}
        details["judges"] = {
            name: {"value": value_in(chance, bounds), **own}
            if chance.random() < 0.8
            else {"cause": "timeout", "detail": "late", "details": {}}
            for name in judges
        }
    parts = {
        name: value_in(chance, bounds) for name in chance.sample(["P1", "readability", "轴"], 2)
    }
    tally = [3.0, 7.0] if chance.random() < 0.3 else None
    return {"value": value, "bounds": limits, "parts": parts, "tally": tally, "details": details}


def traced_in(chance: random.Random) -> dict[str, Json]:
    """What is known of the trace of a run: its spans, or a name that is none."""
    if chance.random() < 0.2:
        return {"trace": "a conversation"}
    return {"trace": f"{chance.getrandbits(128):032x}", "root": f"{chance.getrandbits(64):016x}"}


def random_run(path: Path, seed: int, *, alone: bool = False) -> None:
    """Write a run file of up to five agents, six tasks and four protocols; alone: of one report."""
    chance = random.Random(seed)
    agents = chance.sample(NAMES, 1 if alone else chance.randint(1, 5))
    names = [f"{chance.choice(['t', '任务', 'a/b', '<i>'])}{number}" for number in range(6)]
    tasks = {
        name: {"id": name, "prompt": chance.choice(PROMPTS), "labels": {"set": "drawn"}}
        for name in names[: 1 if alone else chance.randint(1, 6)]
    }
    reports = [
        StoredReport(agent, task, sample, f"# {agent}\n\n{chance.choice(PROMPTS)}\n")
        for agent in agents
        for task in tasks
        for sample in range(1, 1 if alone else chance.choice([1, 1, 2]) + 1)
        if chance.random() < 0.9
    ] or [StoredReport(agents[0], next(iter(tasks)), 1, "# Alone\n")]
    repeats = chance.choice([1, 1, 2])
    drawn = chance.sample(PROTOCOLS, chance.randint(1, 4))
    panels = {name: chance.sample(JUDGES, chance.choice([1, 1, 2, 3])) for name, _ in drawn}
    identities: dict[str, Json] = {
        name: {
            "date": "2026-05-04",
            "edition": "paper",
            "judges": [{"model": each, "settings": {"temperature": 0.1}} for each in panel],
            "prompts": "0123456789ab",
            "protocol": name,
            "repeats": repeats,
        }
        for name, panel in panels.items()
    }

    def scores() -> Iterator[StoredScore]:
        for name, bounds in drawn:
            ranges = {
                task: bounds if bounds or chance.random() < 0.5 else (-chance.random(), 1.0)
                for task in tasks
            }
            for report in reports:
                for repeat in range(repeats):
                    if chance.random() < 0.9:
                        place = (report.agent, report.task, report.sample, repeat)
                        own = outcome_in(chance, ranges[report.task], panels[name])
                        key = f"{name} {place}"
                        yield StoredScore(key, name, *place, own, identities[name], {})

    async def keep(run: RunFile) -> None:
        await asyncio.gather(*map(run.keep_score, [*scores()]))

    runs = [
        StoredRun(
            *(each.agent, each.task, each.sample),
            AgentRun(each.text, "done", record=traced_in(chance)),
        )
        for each in reports
        if chance.random() < 0.6
    ]
    with RunFile.create(path) as run:
        named = {each.agent: {"agent": each.agent} for each in runs}
        run.answering.register(named)
        configuration = {"date": "2026-05-04", "repeat": repeats}
        run.register(configuration, identities, tasks, reports, runs=runs)
        asyncio.run(keep(run))
