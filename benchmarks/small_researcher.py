"""A real small model plays all roles of Deerflow+: 20 runs on the bundled corpus.

Both editions answer ten tasks, in English and Chinese. Counted are reports, how runs ended, what
was done by rule in place of the model, findings of the linter, and citations of addresses that were
not opened, of which there must be none. No figure says how good a report is.

    python -m benchmarks.small_researcher              # fetches the model, see `make real-judge`
    python -m benchmarks.small_researcher RUN.assay... # counts runs that are there
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from benchmarks.material import ROOT
from benchmarks.real_judge import MATERIAL, fetch, served
from deepassay.runfile import RunFile, StoredRun

TASKS: Final = MATERIAL / "research" / "tasks.jsonl"
BUILT: Final = ROOT / "build" / "small-researcher"
SETTINGS: Final = """
[agent.{name}]
"deerflow+" = "{name}"
search = "corpus:{corpus}"
model = "openai:qwen2.5-coder-0.5b"
base_url = "{address}"
structured = true
context_window = 4_096
rounds = 1
budget = {{ calls = 16, pages = 2, searches = 2 }}

[agent.{name}.caps]
planner = [2_400, 200]
researcher = [2_000, 200]
reader = [1_200, 200]
writer = [2_800, 250]
checker = [2_400, 150]
"""


def main() -> None:
    """Run what has not been run, and print what came of all."""
    paths = [Path(each) for each in sys.argv[1:]]
    if not paths:
        fetch()
        with served() as address:
            research(address)
        paths = [BUILT / "run.assay"]
    rows = [each for path in paths for each in runs_of(path)]
    print(table(rows))
    print("\nNone of these figures says how good a report is.")


def research(address: str) -> None:
    """Have both editions answer the tasks, or go on where that was stopped."""
    BUILT.mkdir(parents=True, exist_ok=True)
    corpus = ROOT / "examples" / "demo" / "research" / "corpus"
    told = [
        SETTINGS.format(name=name, corpus=corpus, address=address) for name in ("ours", "paper")
    ]
    (BUILT / "assay.toml").write_text("".join(told), encoding="utf-8")
    asked = [sys.executable, "-m", "deepassay", "research", str(TASKS), "--agent", "ours"]
    asked += ["--agent", "paper", "--max-agents", "2", "--deadline", "1200"]
    asked += ["-o", "reports", "--run", "run.assay"]
    environment = os.environ | {"OPENAI_API_KEY": "none"}
    subprocess.run(asked, check=False, cwd=BUILT, env=environment)


def runs_of(path: Path) -> list[StoredRun]:
    """The runs that a file keeps."""
    with RunFile.read(path) as kept:
        return list(kept.answering.runs())


def table(runs: Iterable[StoredRun]) -> str:
    """A line a run, and below it what was done by rule, by edition and step."""
    lines = [
        f"{'edition':9}{'task':16}{'ended':13}{'report':>8}{'by rule':>9}{'calls':>7}"
        f"{'opened':>8}{'cited':>7}{'unopened':>10}{'linter':>8}"
    ]
    rules: Counter[tuple[str, str, str]] = Counter()
    for each in sorted(runs, key=lambda each: (each.agent, each.task)):
        run, record = each.run, each.run.record
        unopened = set(run.sources) - set(run.opened)
        rules.update((each.agent, told["operation"], told["cause"]) for told in record["fallbacks"])
        lines.append(
            f"{each.agent:9}{each.task:16}{run.stop:13}{len(run.report or ''):8,}"
            f"{len(record['fallbacks']):9}{record['calls']:7}"
            f"{len(run.opened):8}{len(run.sources):7}{len(unopened):10}{accepted(run.report):>8}"
        )
    lines += [f"{agent:9}{step:26}{why:22}{n:3}" for (agent, step, why), n in sorted(rules.items())]
    return "\n".join(lines)


def accepted(report: str | None) -> str:
    """Whether the linter has something to say of a report; `-` where there is none."""
    if report is None:
        return "-"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.md"
        path.write_text(report, encoding="utf-8")
        asked = [sys.executable, "-m", "deepassay", "lint", str(path)]
        done = subprocess.run(asked, check=False, cwd=ROOT, capture_output=True)
    return "FINDINGS" if done.returncode else "nothing"


if __name__ == "__main__":
    main()
