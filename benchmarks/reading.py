"""How fast reports are read on one core, beside bare parsing, and how rightly.

Right is what a reader sees in samples of our own in the style of the systems of today; they are
those of the tests, so the figures say that nothing broke, and not how reports not yet seen fare.
"""

from __future__ import annotations

import time
from collections import defaultdict

from markdown_it import MarkdownIt
from tests.reports.systems import Pairs, found, samples

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


def shares() -> None:
    """Print precision and recall of pairs of statement and address, by system."""
    expected: defaultdict[str, Pairs] = defaultdict(Pairs)
    seen: defaultdict[str, Pairs] = defaultdict(Pairs)
    for each in samples():
        for system in (each.system, "all"):
            expected[system] += each.pairs
            seen[system] += found(each.text)
    for system, pairs in expected.items():
        right = (pairs & seen[system]).total()
        precision, recall = right / seen[system].total(), right / pairs.total()
        print(
            f"  {system:<20} {pairs.total():>3} pairs, precision {precision:.3f}, "
            f"recall {recall:.3f}"
        )


def main() -> None:
    """Print the comparison."""
    print("statements and their addresses in samples of systems:")
    shares()
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
