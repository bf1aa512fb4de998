"""Every switch of Deerflow+ turned in its place, on the bundled corpus, without a model.

A check of machinery and no claim of quality: the roles follow rules, there are three tasks, and
the corpus was written for them. The second table plants faults in what the writer gives, and
counts which of them the report still has.

    python -m benchmarks.ablations
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from statistics import mean
from typing import Any, Final

from tests.wings.research.deerflow.scripted import DAY, Model, laboratory

import deepassay
from benchmarks.material import ROOT
from deepassay.run.settings import Settings
from deepassay.runfile import AgentRun, RunFile
from deepassay.tasks.loaders import load_tasks
from deepassay.wings.research.answering import ResearchTerms, research
from deepassay.wings.research.deerflow.researcher import Researcher

FOLDER: Final = ROOT / "examples" / "demo" / "research"
PROTOCOLS: Final = ("coverage", "fact", "citation_association", "consistency", "presentation")
SWITCHES: Final[Mapping[str, bool]] = {
    "ledger": False,
    "outline": False,
    "sections": False,
    "check": False,
    "summaries": True,
    "patches": False,
    "contradictions": False,
    "forms": False,
    "cite_unopened": True,
}
FIGURE: Final = "1871"
"""Stands on no page."""

_PAIRS: Final = (("34 %", "22 %"), ("61%", "45%"))


def agents() -> dict[str, Researcher]:
    """Both editions, and edition ours with one switch turned."""
    search = f"corpus:{FOLDER / 'corpus'}"
    turned = {
        f"{name} {'on' if value else 'off'}": Researcher(search=search, **{name: value})
        for name, value in SWITCHES.items()
    }
    printed = Researcher(search=search, edition="paper")
    return {"ours": Researcher(search=search), **turned, "paper": printed}


def answered(folder: Path) -> tuple[dict[str, list[AgentRun]], dict[str, dict[str, float]]]:
    """The runs of each agent, and its mean under each protocol."""
    path = folder / "ablations.assay"
    tasks = FOLDER / "tasks.jsonl"
    settings = Settings(run=path, date=DAY.isoformat(), offline_sources=True)
    research(tasks, agents(), settings, ResearchTerms())
    with RunFile.read(path) as kept:
        runs: dict[str, list[AgentRun]] = {}
        for each in kept.answering.runs():
            runs.setdefault(each.agent, []).append(each.run)
    scored = deepassay.evaluate(
        tasks, path, list(PROTOCOLS), run=path, date=DAY.isoformat(), offline_sources=True
    )
    values: dict[tuple[str, str], list[float]] = {}
    for row in scored.scores():
        if row["value"] is not None:
            values.setdefault((row["agent"], row["protocol"]), []).append(row["value"])
    means: dict[str, dict[str, float]] = {}
    for (agent, protocol), found in values.items():
        means.setdefault(agent, {})[protocol] = mean(found)
    return runs, means


def relevant() -> dict[str, set[str]]:
    """The pages that answer each task."""
    return {task.id: set(task.relevant) for task in load_tasks(FOLDER / "tasks.jsonl")}


def row(runs: list[AgentRun], means: Mapping[str, float]) -> list[str]:
    """One agent: what it did, and what it scored."""
    wanted = relevant().values()
    reports = [run.report or "" for run in runs]
    cited = [len(pages & set(run.sources)) for pages, run in zip(wanted, runs, strict=True)]
    both = sum(side_by_side(text) for text in reports)
    closed = sum(len(set(run.sources) - set(run.opened or ())) for run in runs)
    return [
        str(sum(int(run.record["calls"]) for run in runs)),
        f"{sum(cited)}/{sum(map(len, wanted))}",
        str(both),
        str(closed),
        *(f"{means[name]:.1f}" if name in means else "–" for name in PROTOCOLS),
    ]


def side_by_side(report: str) -> bool:
    """Whether the two figures that contradict each other stand on one line with two sources."""
    return any(
        one in line and other in line and len(set(re.findall(r"\[\d+\]", line))) > 1
        for line in report.splitlines()
        for one, other in _PAIRS
    )


def table(folder: Path) -> list[str]:
    """The first table, as Markdown."""
    runs, means = answered(folder)
    head = [
        "",
        "questions",
        "relevant pages cited",
        "figures side by side",
        "unopened cited",
        *PROTOCOLS,
    ]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for agent in agents():
        lines.append(f"| {agent} | " + " | ".join(row(runs[agent], means[agent])) + " |")
    return lines


def invented(operation: str, inputs: Any, answer: str) -> str:  # noqa: ANN401 - of any operation
    """A figure that no quote has, with a citation."""
    if operation != "write_section" or not inputs.evidence:
        return answer
    name = inputs.evidence[0].partition("]")[0] + "]"
    return f"{answer} It was first built in {FIGURE} {name}."


def uncited(operation: str, inputs: Any, answer: str) -> str:  # noqa: ANN401
    """A figure without a citation."""
    written = operation in ("write_section", "report")
    return f"{answer} It was first built in {FIGURE}." if written else answer


def foreign(operation: str, inputs: Any, answer: str) -> str:  # noqa: ANN401
    """A citation of what was never found."""
    written = operation in ("write_section", "report")
    return f"{answer} It was first built long ago [e99]." if written else answer


FAULTS: Final = {
    "figure that no quote has": (invented, FIGURE),
    "figure without a citation": (uncited, FIGURE),
    "citation of nothing": (foreign, "[e99]"),
}


def planted(folder: Path) -> list[str]:
    """The second table: of three reports, those that still hold the planted fault."""
    variants: Mapping[str, dict[str, Any]] = {
        "ours": {},
        "check off": {"check": False},
        "patches off": {"patches": False},
        "paper": {"edition": "paper"},
    }
    lines = ["| | " + " | ".join(FAULTS) + " |", "|---" * (len(FAULTS) + 1) + "|"]
    tasks = [task.on(DAY) for task in load_tasks(FOLDER / "tasks.jsonl")]
    for name, settings in variants.items():
        counts = []
        for script, mark in FAULTS.values():
            if settings.get("edition") == "paper" and script is invented:
                counts.append("–")
                continue
            held = 0
            for task in tasks:
                with laboratory(folder, FOLDER / "corpus") as lab:
                    run = lab.answer(Model(script), task, **settings)
                held += mark in (run.report or mark)
            counts.append(f"{held}/{len(tasks)}")
        lines.append(f"| {name} | " + " | ".join(counts) + " |")
    return lines


def main() -> None:
    """Print both tables."""
    with tempfile.TemporaryDirectory() as folder:
        print("\n".join(table(Path(folder))))
        print()
        print("\n".join(planted(Path(folder))))


if __name__ == "__main__":
    main()
