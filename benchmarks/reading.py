"""How many reports a second are read, cleaned and linted on one core, beside bare parsing."""

from __future__ import annotations

import time

from markdown_it import MarkdownIt

from benchmarks.material import report_files
from deepassay.reports.clean import clean
from deepassay.reports.lint import lint
from deepassay.reports.report import Report

ROUNDS = 5


def read(text: str) -> None:
    """Everything that can be read off a report."""
    report = Report(text)
    assert report.resolved is not None
    assert report.statements is not None


def best(texts: list[str], work: object) -> float:
    """Reports a second in the best of several rounds."""
    assert callable(work)
    rounds = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        for text in texts:
            work(text)
        rounds.append(len(texts) / (time.perf_counter() - began))
    return max(rounds)


def main() -> None:
    """Print the comparison."""
    texts = [path.read_text(encoding="utf-8") for path in report_files()]
    size = sum(map(len, texts)) / len(texts)
    parser = MarkdownIt("commonmark").enable("table")
    print(
        f"reading {len(texts)} reports of {size:,.0f} characters: "
        f"{best(texts, read):.0f} a second; cleaned {best(texts, clean):.0f} a second, "
        f"the cleaned again {best([*map(clean, texts)], clean):.0f} a second; read and linted "
        f"{best(texts, lambda text: lint(Report(text))):.0f} a second "
        f"(markdown-it-py alone, with inline rules: {best(texts, parser.parse):.0f} a second)"
    )


if __name__ == "__main__":
    main()
