"""Agreement over spans: figures counted here a second time, character by character."""

from __future__ import annotations

from itertools import combinations, permutations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.errors import BadInput, BadTasks
from deepassay.results.tables import as_csv
from deepassay.wings.people.agreement.marked import (
    MarkedText,
    MarkedTexts,
    ReadSpan,
    read_marked,
)
from deepassay.wings.people.annotate.exchange import SPANS

LENGTH = 12
SPAN = st.tuples(st.integers(0, LENGTH - 1), st.integers(1, LENGTH), st.sampled_from("ab")).filter(
    lambda each: each[0] < each[1]
)
TEXT = st.lists(st.lists(SPAN, max_size=3), min_size=2, max_size=3)


def texts_of(spans: list[list[list[tuple[int, int, str]]]]) -> MarkedTexts:
    return MarkedTexts(
        "q",
        {
            (str(place),): MarkedText(
                LENGTH,
                "",
                {str(n): [ReadSpan(*each) for each in own] for n, own in enumerate(text)},
            )
            for place, text in enumerate(spans)
        },
    )


def figures_of(texts: MarkedTexts) -> dict[str, float | None]:
    return {each.name: each.value for each in texts.figures(0)}


def values(text: list[list[tuple[int, int, str]]], label: str | None) -> list[list[str]]:
    """By character, what each rater said of it."""
    return [
        [
            "".join(sorted({k for a, b, k in own if a <= at < b and label in (None, k)}))
            for own in text
        ]
        for at in range(LENGTH)
    ]


def alpha(units: list[list[str]]) -> float | None:
    """Krippendorff's, from the coincidences of all pairs, as his paper has it."""
    whole = [value for unit in units for value in unit]
    observed = sum(
        sum(a != b for a, b in permutations(unit, 2)) / (len(unit) - 1) for unit in units
    ) / len(whole)
    expected = sum(a != b for a, b in permutations(whole, 2)) / len(whole) / (len(whole) - 1)
    return 1 - observed / expected if expected else None


@settings(max_examples=60, deadline=None)
@given(st.lists(TEXT, min_size=1, max_size=2))
def test_figures_are_those_that_counting_characters_gives(
    spans: list[list[list[tuple[int, int, str]]]],
) -> None:
    found = figures_of(texts_of(spans))
    used = {k for text in spans for own in text for *_, k in own}
    for label in (None, *(sorted(used) if len(used) > 1 else ())):
        name = f", {label}" if label else ""
        wanted = alpha([unit for text in spans for unit in values(text, label)])
        assert found[f"Krippendorff's alpha of characters{name}"] == (
            None if wanted is None else pytest.approx(wanted)
        )
        both = either = 0
        for text in spans:
            for one, other in combinations(range(len(text)), 2):
                for kind in used if label is None else {label}:
                    first, second = (
                        [kind in unit[n] for unit in values(text, kind)] for n in (one, other)
                    )
                    both += sum(a and b for a, b in zip(first, second, strict=True))
                    either += sum(first) + sum(second)
        assert found[f"F1 of characters{name}"] == (
            pytest.approx(2 * both / either) if either else None
        )


def test_the_same_spans_are_one_and_others_none() -> None:
    same = texts_of([[[(0, 4, "a")], [(0, 4, "a")]], [[], []]])
    assert [*figures_of(same).values()] == [1.0, 1.0, 1.0]
    other = figures_of(texts_of([[[(0, 4, "a")], [(6, 9, "a")]]]))
    assert other["F1 of characters"] == other["spans that another rater met"] == 0.0
    labels = figures_of(texts_of([[[(0, 4, "a")], [(0, 4, "b")]]]))
    assert labels["F1 of characters"] == 0.0 and labels["F1 of characters, a"] == 0.0


def test_a_span_that_another_touches_is_met() -> None:
    texts = texts_of([[[(0, 4, "a"), (8, 9, "a")], [(3, 6, "a")]]])
    assert figures_of(texts)["spans that another rater met"] == pytest.approx(2 / 3)


def test_where_nobody_marked_anything_nothing_is_defined() -> None:
    assert [*figures_of(texts_of([[[], []]])).values()] == [None, None, None]


def row(rater: str, label: str = "", start: object = "", end: object = "", **more: object) -> dict:
    given = {"rater": rater, "label": label, "start": start, "end": end}
    return {"agent": "a", "task": "t", "sample": 1, "question": "q", "length": 9} | given | more


def written(path: Path, *rows: dict) -> Path:
    path.write_text(as_csv(rows, SPANS), encoding="utf-8")
    return path


def test_what_cannot_be_used_is_told_of_with_its_line(tmp_path: Path) -> None:
    marked = read_marked(
        written(
            tmp_path / "s.csv",
            row("ana", "x", 0, 3),
            row("bo"),
            row("ana", "x", 4, 12),
            row("ana", "x", "four", 5),
            row("ana", "x", 5, 5),
            row("bo", "x", 0, 3, length=8),
            row("", "x", 0, 3),
            row("ana", "x", 0, 3, task="u"),
            row("ana", "x", 1, "9" * 30),
        )
    )
    (one,) = marked.questions
    assert [len(own) for own in one.compared[0].spans.values()] == [1, 0]
    assert (marked.joined.came, marked.joined.used, len(marked.joined.by_rule)) == (9, 2, 1)
    told = " ".join(marked.joined.strays)
    for part in ("4 to 12 is no span", "'four' is no number", "was added", "of another text",
                 "rater missing", "line 4"):  # fmt: skip
        assert part in told


@pytest.mark.parametrize("text", ["", "agent,task\na,t\n"])
def test_a_file_of_another_kind_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "s.csv").write_text(text)
    with pytest.raises(BadTasks):
        read_marked(tmp_path / "s.csv")


def test_one_rater_alone_is_no_agreement(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no text was given to two raters"):
        read_marked(written(tmp_path / "s.csv", row("ana", "x", 0, 3), row("ana", "x", 4, 5)))
