"""What served pages are taken for: 364 of our own making in eight languages, on loopback.

`built_with.yaml` was at hand while the classifier was built; the others were written when it was
finished or corrected, the last of them by somebody who had seen neither it nor the other pages.
Each page goes the whole way: redirects, fetcher, worker process, classes.
"""

from __future__ import annotations

from collections import Counter

from tests.sources.served import outcomes, pages_of

PARTS = {
    "built_with.yaml": "built with",
    "held_out.yaml": "held out",
    "last.yaml": "written last",
    "third_held_out.yaml": "third held-out",
}
CLASSES = (
    *("ok", "gone", "blocked", "script_only", "paywalled", "redirected_home", "not_text"),
    "failed",
)


def table(counts: Counter[tuple[str, str]]) -> str:
    """Rows: what a page is; columns: what it was taken for."""
    width = max(map(len, CLASSES))
    lines = [" " * (width + 2) + " ".join(f"{each:>{max(5, len(each))}}" for each in CLASSES)]
    for wanted in CLASSES:
        cells = (f"{counts[wanted, got] or '·':>{max(5, len(got))}}" for got in CLASSES)
        lines.append(f"  {wanted:<{width}}" + " ".join(cells))
    return "\n".join(lines)


def main() -> None:
    """Print a confusion table of each part, and the pages that were taken for something else."""
    for file, name in PARTS.items():
        counts: Counter[tuple[str, str]] = Counter()
        wrong = []
        for page, capture, got in outcomes(pages_of(file)):
            counts[page.wanted, got] += 1
            if got != page.wanted:
                wrong.append(f"    {page.name} ({page.language}): {got}: {capture.detail}")
        lost = sum(n for (wanted, got), n in counts.items() if wanted == "ok" != got)
        false = sum(n for (wanted, got), n in counts.items() if got == "ok" != wanted)
        print(
            f"page classes, {name}: {counts.total()} pages, {len(wrong)} taken for another class; "
            f"{false} taken for a page, {lost} pages lost\n{table(counts)}"
        )
        print("\n".join(wrong))


if __name__ == "__main__":
    main()
