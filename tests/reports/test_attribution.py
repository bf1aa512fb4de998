"""Statements attributed to sources without a marker: what counts, and what does not."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.protocols.overlap import words_of
from deepassay.reports.attribution import attributions, identifiers, listed_sources
from deepassay.reports.report import Report
from deepassay.text import canonical
from tests.growth import assert_linear, repeated

INTRODUCED = """\
## Two studies

**Lund et al., 2024, "Roofs that drink" (arXiv:2401.01234)**
- **Method:** Forty roofs were watched for a year.
- **Findings:** Peak runoff fell by 61 percent.

Both studies are small.

### Okada, "Moss on concrete" (doi:10.1234/moss.77)
The moss grew on nine of ten walls.

## What follows
Cities should wait.
"""

LISTED = """\
## Sources

### Skylab
- **Skylab Roof Manual**
  https://skylab.example/docs/manual
- **Skylab Irrigation Notes**
  https://skylab.example/docs/irrigation

### Further reading of various kinds
- [A walk](https://walks.example/one)

## Findings
Skylab recommends irrigation at night.

Hail is rare [1].

### Skylab
- Keeps a manual for every roof.

## References
[1] https://hail.example/
"""


def found(text: str) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(each.how, each.text, each.urls) for each in attributions(Report(text))]


def test_a_work_covers_the_list_or_the_section_below_it_and_no_more() -> None:
    lund = ("https://arxiv.org/abs/2401.01234",)
    assert found(INTRODUCED) == [
        ("lead", "Method: Forty roofs were watched for a year.", lund),
        ("lead", "Findings: Peak runoff fell by 61 percent.", lund),
        ("lead", "The moss grew on nine of ten walls.", ("https://doi.org/10.1234/moss.77",)),
    ]


def test_a_listed_source_is_meant_by_the_name_of_its_heading() -> None:
    manual, irrigation = (
        "https://skylab.example/docs/manual",
        "https://skylab.example/docs/irrigation",
    )
    assert found(LISTED) == [
        ("name", "Skylab recommends irrigation at night.", (irrigation,)),
        ("name", "Skylab: Keeps a manual for every roof.", (manual,)),
    ]


@pytest.mark.parametrize("heading", ["Sources", "References", "Further reading", "参考资料"])
def test_a_heading_that_says_that_sources_follow_names_none(heading: str) -> None:
    said = f"Renewable energy {heading.lower()} grew in Texas."
    listed = "- Texas tides https://a.example/1\n- Ohio moss https://a.example/2\n"
    assert found(f"{said}\n\n## {heading}\n\n{listed}\nTexas grew too.\n") == []


def test_a_listed_source_that_shares_no_word_with_a_statement_is_not_meant() -> None:
    listed = "## Solar\n\n- Texas tides https://a.example/1\n- Moss https://a.example/2\n"
    assert found(f"Solar output rose, and the Texas grid held.\n\n{listed}") == [
        ("name", "Solar output rose, and the Texas grid held.", ("https://a.example/1",))
    ]
    assert found(f"Solar output rose.\n\n{listed}") == []


def test_titles_with_an_address_are_listed_sources() -> None:
    assert [(each.title, each.heading) for each in listed_sources(Report(LISTED))] == [
        ("Skylab Roof Manual", "Skylab"),
        ("Skylab Irrigation Notes", "Skylab"),
        ("A walk", "Further reading of various kinds"),
    ]


@pytest.mark.parametrize(
    ("text", "urls"),
    [
        ("(arXiv:2401.01234)", ["https://arxiv.org/abs/2401.01234"]),
        ("arXiv: 2401.01234v2.", ["https://arxiv.org/abs/2401.01234v2"]),
        ("listed by the arXiv service as 2307.01312", ["https://arxiv.org/abs/2307.01312"]),
        ("arXiv:hep-th/9901001", ["https://arxiv.org/abs/hep-th/9901001"]),
        ("doi: 10.1000/xyz.5.", ["https://doi.org/10.1000/xyz.5"]),
        ("In 2024.01234 there is nothing.", []),
        ("arXiv papers of 2021", []),
    ],
)
def test_identifiers_in_running_text(text: str, urls: list[str]) -> None:
    assert list(identifiers(text)) == urls


def test_an_identifier_in_the_statement_itself_counts() -> None:
    text = "Moss helps, as arXiv:2401.01234 shows. Nothing else does."
    assert found(text) == [
        (
            "identifier",
            "Moss helps, as arXiv:2401.01234 shows.",
            ("https://arxiv.org/abs/2401.01234",),
        )
    ]


PIECES = [
    "# A\n",
    "### Sky\n",
    "- **Sky guide**\n  https://a.example/g\n",
    "**B (arXiv:2401.01234)**\n",
]
PIECES += [
    "- x y.\n",
    "  - deeper.\n",
    "Sky says so. ",
    "\n\n",
    "| a |\n|---|\n| arXiv:2401.00001 |\n",
    "天空",
]


@settings(deadline=None, max_examples=40)
@given(st.lists(st.sampled_from(PIECES), max_size=20).map("".join))
def test_only_statements_without_a_marker_are_attributed_and_each_once(text: str) -> None:
    report = Report(text)
    given_ = attributions(report)
    spans = [each.statement.span for each in given_]
    assert len(set(spans)) == len(spans)
    assert all(each.urls and each.text.endswith(each.statement.text) for each in given_)
    assert all(each.how == "identifier" or not each.statement.urls for each in given_)


NAME = "## N{0}\n\n- Title {0} https://x.example/{0}\n\nN{0} rises.\n\n"
ENTRY = "- Sky title https://x.example/{}\n"


def many_names(size: int) -> str:
    return "".join(NAME.format(number) for number in range(size // 30))


def many_entries_of_one_name(size: int) -> str:
    entries = "".join(ENTRY.format(number) for number in range(size // 30))
    return f"# Sky\n\n{entries}\n# Found\n\n" + "Sky titles rise here.\n\n" * (size // 30)


def a_long_heading(size: int) -> str:
    return f"{NAME.format(0)}# {'A ' * (size // 2)}\n\n" + "- x y.\n" * (size // 20)


HOSTILE = [*map(repeated, PIECES), many_names, many_entries_of_one_name, a_long_heading]


@pytest.mark.parametrize("made", HOSTILE)
def test_a_hostile_report_is_attributed_in_linear_time(made: Callable[[int], str]) -> None:
    def read(size: int) -> Report:
        report = Report(made(size))
        assert report.statements is not None
        return report

    assert_linear(attributions, read, 20_000)


def test_the_published_extraction_is_found_again(shared) -> None:
    """DeepResearch Bench's own pairs of two reports: at least 92 % are among ours."""
    rows = (shared / "data/bench/fact/dls.validated.jsonl").read_text(encoding="utf-8")
    hits = pairs = 0
    lengths: list[int] = []
    for row in map(json.loads, rows.splitlines()):
        if not row["citations"]:
            continue
        report = Report(row["article"])
        ours = [(each.text, each.urls) for each in report.statements if each.urls]
        ours += [(each.text, each.urls) for each in attributions(report)]
        lengths += [len(text) for text, _ in ours]
        by_url: dict[str, list[set[str]]] = {}
        for text, urls in ours:
            for url in urls:
                by_url.setdefault(url, []).append(content(text))
        for each in row["citations"]:
            wanted = content(each["fact"])
            said = by_url.get(canonical(each["url"]), [])
            hits += any(len(wanted & words) >= 0.8 * len(wanted) for words in said)
            pairs += 1
    assert pairs == 155
    assert hits / pairs >= 0.92
    assert statistics.median(lengths) <= 150


def content(text: str) -> set[str]:
    return set(words_of(text))


TIED = """\
## Sources

### Skylab
- **Notch filter, gyro, noise and harmonic guide**
  https://skylab.example/notch-filter-gyro-noise
- **Harmonic noise, gyro, filter and notch setup**
  https://skylab.example/setup-filter-notch
- **Gyro harmonic noise notch filter tuning**
  https://skylab.example/tuning-gyro

## Findings
Skylab says that a notch filter takes harmonic noise out of the gyro data before tuning or setup.
"""


def test_ties_are_settled_alike_in_every_process() -> None:
    code = (
        "import sys; from deepassay.reports.attribution import attributions; "
        "from deepassay.reports.report import Report; "
        "print([a.urls for a in attributions(Report(sys.stdin.read()))])"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", code],
            input=TIED,
            env={"PYTHONHASHSEED": str(seed)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in range(3)  # a set of the three addresses has another order under each
    }
    assert len(seen) == 1
    assert "skylab" in seen.pop()
