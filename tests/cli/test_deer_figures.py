"""Figures of DEER's two programs, by command from marks that a scripted judge gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from tests.cli.test_set_figures import Script, as_own, figures, golden, near

__all__ = ["figures"]


def deer_items(scores: dict[str, Any]) -> tuple[list[dict[str, Any]], list[Any]]:
    """The criteria of a report of DEER and their marks."""
    criteria, marks = [], []
    for dimension, of_dimension in scores.items():
        for criterion, elements in of_dimension.items():
            for element, items in elements.items():
                for item, mark in items.items():
                    within = [dimension, criterion, element, item[0]]
                    text = f"item {dimension} {criterion} {element} {item}"
                    criteria.append({"criterion": text, "within": within})
                    marks.append(mark)
    return criteria, marks


def test_deer(shared, figures):
    cases = {f"d{n}": each for n, each in enumerate(golden(shared, "deer")["cases"])}
    own = {name: deer_items(each["scores"]) for name, each in cases.items()}
    texts = {name: [each["criterion"] for each in items] for name, (items, _) in own.items()}
    said = {name: marks for name, (_, marks) in own.items()}
    rows = as_own({name: items for name, (items, _) in own.items()})
    found, _ = figures("deer", rows, Script(texts, said))
    for name, case in cases.items():
        expected, parts = case["expected"]["report_evaluation"], found[name]["parts"]
        assert found[name]["value"] == near(expected["overall"]), name
        for dimension, value in expected["rub_avg"].items():
            assert parts[dimension] == near(value), (name, dimension)
        for dimension, criteria in expected["crit_avg"].items():
            for criterion, value in criteria.items():
                own = parts.get(f"{dimension}/{criterion}")
                assert own == (None if value == "N/A" else near(value)), (name, criterion)


def deer_final_items(case: dict[str, Any]) -> tuple[list[dict[str, Any]], list[Any]]:
    """What `deer_items` has, with the figures of facts and sources as criteria of their own.

    The program passes recency over where the quality of references has no figure.
    """
    fact = case["fact"]
    scores = {dimension: {**own} for dimension, own in case["scores"].items()}
    recency = scores.pop("information_integrity", {}).get("recency", {})
    criteria, marks = deer_items(scores)
    for dimension, name in (("integrity", "integrity"), ("sufficiency", "sufficiency")):
        for criterion, figure in fact[name].items():
            within = [f"information_{dimension}", criterion]
            weight = 2 if criterion == "reference_quality" else 1
            text = f"figure {dimension} {criterion}"
            criteria.append({"criterion": text, "within": within, "weight": weight})
            marks.append(figure)
    if fact["integrity"].get("reference_quality") not in (None, "N/A"):
        for element, items in recency.items():
            for item, mark in items.items():
                place = ["information_integrity", "reference_quality", "recency@1"]
                text = f"item recency {element} {item}"
                criteria.append({"criterion": text, "within": [*place, element, item[0]]})
                marks.append(mark)
    return criteria, marks


def check_deer_final(parts: dict[str, Any], final: dict[str, Any], name: str) -> None:
    for dimension, value in final["score_avgs"].items():
        assert parts.get(dimension) == (None if value == "N/A" else near(value)), (name, dimension)
    for dimension, criteria in final["criteria_avgs"].items():
        for criterion, value in criteria.items():
            own = parts.get(f"{dimension}/{criterion}")
            assert own == (None if value == "N/A" else near(value)), (name, dimension, criterion)


def test_deer_with_facts(shared, figures):
    whole = golden(shared, "deer")
    cases = {f"d{n}": each for n, each in enumerate(whole["cases"])}
    published = golden(shared, "deer_published")
    cases["p"] = {**published, "expected": published["published"]}
    # the program's summary is its arithmetic on what each item has as a mean over reports
    summary = averaged(
        [{"scores": each["scores"], "fact": each["fact"]} for each in whole["cases"]]
    )
    cases["s"] = {**summary, "expected": {"final": whole["summary"]}}
    own = {name: deer_final_items(each) for name, each in cases.items()}
    texts = {name: [each["criterion"] for each in items] for name, (items, _) in own.items()}
    said = {name: marks for name, (_, marks) in own.items()}
    rows = as_own({name: items for name, (items, _) in own.items()})
    found, _ = figures("deer-final", rows, Script(texts, said))
    for name, case in cases.items():
        check_deer_final(found[name]["parts"], case["expected"]["final"], name)


def averaged(several: Sequence[Any]) -> Any:
    """The mean of each mark over reports, of those that have one."""
    known = [each for each in several if each is not None]
    if all(isinstance(each, Mapping) for each in known):
        names = dict.fromkeys(name for each in known for name in each)
        return {name: averaged([each.get(name) for each in known]) for name in names}
    marks = [each for each in known if each != "N/A"]
    return fmean(marks) if marks else "N/A"


def test_the_published_run_of_deer(shared, figures):
    whole = golden(shared, "deer_published")
    items, marks = deer_items(whole["scores"])
    texts = {"d": [each["criterion"] for each in items]}
    found, _ = figures("deer", as_own({"d": items}), Script(texts, {"d": marks}))
    published, parts = whole["published"]["others"], found["d"]["parts"]
    assert found["d"]["value"] == near(published["score"])
    for dimension, value in published["score_avgs"].items():
        assert parts.get(dimension) == (None if value == "N/A" else near(value)), dimension
    for dimension, criteria in published["criteria_avgs"].items():
        for criterion, value in criteria.items():
            own = parts.get(f"{dimension}/{criterion}")
            assert own == (None if value == "N/A" else near(value)), criterion
