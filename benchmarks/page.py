"""How long the leaderboard and the page of ten thousand scores take, and how much memory."""

from __future__ import annotations

import asyncio
import resource
import tempfile
import time
from pathlib import Path

from deepassay.results.leaderboard import write
from deepassay.results.ranking import rank
from deepassay.run.showing.records import records_of
from deepassay.runfile import RunFile, StoredReport, StoredScore
from deepassay.score import Json
from deepassay.wings.view.writing import write_page

PROTOCOLS = ("presentation", "coverage", "race", "fact", "consistency")
AGENTS = 20
TASKS = 100
ITEMS = 10
PARAGRAPHS = 10
SENTENCE = "The meter of house {0} showed {1} kWh in the winter, which is less than before [{0}]. "


def make_run(path: Path, agents: int = AGENTS, tasks: int = TASKS) -> int:
    """A run with a score by each protocol of every agent's report for every task; how many."""
    names = [f"task-{number:03}" for number in range(tasks)]
    stored: dict[str, Json] = {
        name: {"id": name, "prompt": f"What do the meters say ({name})?", "labels": {}}
        for name in names
    }
    reports = [
        StoredReport(f"agent-{agent:02}", name, 1, _report(agent))
        for agent in range(agents)
        for name in names
    ]
    scores = [
        _score(protocol, report, number)
        for number, report in enumerate(reports)
        for protocol in PROTOCOLS
    ]
    identities: dict[str, Json] = {name: _identity(name) for name in PROTOCOLS}

    async def keep(run: RunFile) -> None:
        await asyncio.gather(*map(run.keep_score, scores))

    with RunFile.create(path) as run:
        run.register({}, identities, stored, reports)
        asyncio.run(keep(run))
    return len(scores)


def _report(agent: int) -> str:
    paragraphs = (SENTENCE.format(agent, line) * 2 for line in range(PARAGRAPHS))
    return "# Meters\n\n" + "\n\n".join(paragraphs) + "\n"


def _identity(protocol: str) -> Json:
    judges = [{"model": "offline"}]
    return {"protocol": protocol, "edition": "paper", "judges": judges, "repeats": 1}


def _score(protocol: str, report: StoredReport, number: int) -> StoredScore:
    met = [(number * 7 + item * 3) % 10 < 6 for item in range(ITEMS)]
    items = [
        {
            "key": f"c{item}",
            "item": "Does the report name what the meter of the house showed?",
            "score": int(each),
            "justification": "It gives the reading and the season it was taken in.",
            "places": [{"line": 3 + 2 * item, "column": 1, "message": ""}],
        }
        for item, each in enumerate(met)
    ]
    outcome: dict[str, Json] = {
        "value": 100.0 * sum(met) / ITEMS,
        "bounds": [0.0, 100.0],
        "parts": {},
        "tally": [float(sum(met)), float(ITEMS)],
        "details": {"items": items},
    }
    key = f"{protocol} {report.agent} {report.task}"
    place = (report.agent, report.task, report.sample, 0)
    return StoredScore(key, protocol, *place, outcome, _identity(protocol), {})


def main() -> None:
    """Make a run and its page, and print seconds and megabytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.assay"
        scores = make_run(path)
        began = time.perf_counter()
        write(rank(records_of([path])))
        ranked = time.perf_counter()
        size = write_page([path], Path(folder) / "findings.html").size
        done = time.perf_counter()
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{scores:,} scores by {len(PROTOCOLS)} protocols: leaderboard {ranked - began:.1f} s, "
        f"page {done - ranked:.1f} s ({size / 1e6:.0f} MB), {most:.0f} MB of memory at most"
    )


if __name__ == "__main__":
    main()
