"""RACE by other code: equation 2 in fractions, and the released program from its description."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import Any

from deepassay.models.reading import Unreadable, read_reply
from deepassay.protocols.race.arithmetic import Marked, relative_score, weighted
from deepassay.protocols.race.questions import COMPARE, CriteriaList, TwoArticles
from deepassay.protocols.race.released import released_race
from deepassay.protocols.race.released_answers import released_json
from deepassay.protocols.released import Ungraded
from deepassay.tasks.yardsticks import Criteria
from tests.differential.comparing import AGAIN, STOPS, Comparison
from tests.differential.writing import analysis, mangled, style, wrapped

DIMENSIONS = ("comprehensiveness", "insight", "instruction_following", "readability")
NAMES = (
    "Costs",
    "Costs of the heat pump",
    "噪声与工期",
    "Trade-offs",
    "insight into causes",
    "Lay-out",
)
ODD_SCORES = ("7.5", " 7 ", "８", "8/10", "", None, True, [8], {}, -2, 15, "nan", 1e9)


def criteria(chance: Random) -> dict[str, Any]:
    """A task's criteria as they are published, all weights summing to 1."""
    shares = [chance.randint(1, 9) for _ in DIMENSIONS]
    return {
        "dimension_weight": {
            name: share / sum(shares) for name, share in zip(DIMENSIONS, shares, strict=True)
        },
        "criterions": {name: [*_listed(chance)] for name in DIMENSIONS},
    }


def _listed(chance: Random) -> Iterator[dict[str, Any]]:
    names = chance.sample(NAMES, chance.randint(1, 4))
    weights = [chance.randint(1, 9) for _ in names]
    for name, weight in zip(names, weights, strict=True):
        yield {"criterion": name, "explanation": "e", "weight": weight / sum(weights)}


def mark(chance: Random) -> float:
    """A mark on the scale."""
    return chance.choice([0, 10, chance.randint(0, 10), chance.randint(0, 100) / 10])


# ------------------------------------------------------------------ edition paper


def paper(chance: Random) -> Comparison:
    """A complete answer, spelled and wrapped anyhow, read and scored; and its marks reckoned."""
    row = criteria(chance)
    listed = Criteria.model_validate(row)
    inputs = TwoArticles(
        language="en", article_1="a", article_2="b", query="q",
        criteria=CriteriaList.of(listed.criterions),
    )  # fmt: skip
    number, answer, marks = 0, {}, {}
    for name in DIMENSIONS:
        answer[name], marks[name] = [], []
        for each in row["criterions"][name]:
            number += 1
            pair = mark(chance), mark(chance)
            marks[name].append(pair)
            said = [str(m) if chance.random() < 0.1 else m for m in pair]
            answer[name].append(
                {"id": f"c{number}", "criterion": each["criterion"], "analysis": analysis(chance),
                 "article_1_score": said[0], "article_2_score": said[1]}
            )  # fmt: skip
        chance.shuffle(answer[name])
    written = style(chance, broken=0.3)
    raw = wrapped(written.spell(answer), chance)
    try:
        entries = read_reply(COMPARE, inputs, raw).value.in_order
    except Unreadable as problem:
        # What is broken may be asked again; what is JSON may not.
        return Comparison((raw, problem), AGAIN, AGAIN if written.broken else "a score")
    reading = Marked(
        [e.article_1_score for e in entries], [e.article_2_score for e in entries],
        [e.analysis for e in entries], "first",
    )  # fmt: skip
    score = relative_score(weighted(listed), [reading])
    return Comparison(raw, [score.value, dict(score.parts)], _equation_2(row, marks))


def _equation_2(row: dict[str, Any], marks: dict[str, list[tuple[float, float]]]) -> Any:
    totals, parts = [Fraction(0), Fraction(0)], {}
    for name in DIMENSIONS:
        weights = [Fraction(each["weight"]) for each in row["criterions"][name]]
        means = [
            sum(w * Fraction(pair[side]) for w, pair in zip(weights, marks[name], strict=True))
            / sum(weights)
            for side in (0, 1)
        ]
        parts[name] = _share(*means)
        for side in (0, 1):
            totals[side] += Fraction(row["dimension_weight"][name]) * means[side]
    return [_share(*totals), parts]


def _share(target: Fraction, reference: Fraction) -> float:
    return float(target / (target + reference)) if target + reference else 0.5


# ------------------------------------------------------------------ edition code


def code(chance: Random) -> Comparison:
    """Any answer, as ours takes it for the program and as the description of the program says."""
    row = criteria(chance)
    raw = style(chance, broken=0.6).spell(_answer(chance, row))
    raw = mangled(raw, chance) if chance.random() < 0.25 else wrapped(raw, chance)
    return Comparison(raw, _ours(raw, row), _programs(raw, row))


def _answer(chance: Random, row: dict[str, Any]) -> dict[str, Any]:
    answer: dict[str, Any] = {}
    names = list(DIMENSIONS)
    if chance.random() < 0.1:
        chance.shuffle(names)
    if chance.random() < 0.1:
        names.insert(chance.randint(0, 4), "originality")
    for name in names:
        items = [_item(chance, each["criterion"]) for each in row["criterions"].get(name, [])]
        if chance.random() < 0.15:
            chance.shuffle(items)
        if items and chance.random() < 0.1:
            items.pop(chance.randrange(len(items)))
        if chance.random() < 0.1:
            items.insert(
                chance.randint(0, len(items)), chance.choice([None, 3, _item(chance, "x")])
            )
        if items and chance.random() < 0.05:
            items.append(items[0])
        answer[name] = items
    return answer


def _item(chance: Random, name: str) -> dict[str, Any]:
    name = chance.choice([name] * 12 + [name.upper(), name[:5], f"1. {name}", f" {name} ", ""])
    item = {"criterion": name, "analysis": analysis(chance)}
    for side in ("article_1_score", "article_2_score"):
        item[side] = chance.choice(ODD_SCORES) if chance.random() < 0.04 else mark(chance)
        if chance.random() < 0.02:
            del item[side]
    if chance.random() < 0.02:
        item["target_score"] = mark(chance)
    return item


def _ours(raw: str, row: dict[str, Any]) -> Any:
    try:
        found = released_race(released_json(raw), row)
    except ValueError:
        return AGAIN
    except Ungraded:
        return STOPS
    return [found.overall, dict(found.parts)]


def _programs(raw: str, row: dict[str, Any]) -> Any:
    found = _first_json(raw.strip())
    try:
        if found is None or not all(name in found for name in DIMENSIONS):
            return AGAIN
    except TypeError:
        return AGAIN
    return _counted(found, row) if isinstance(found, dict) else STOPS


def _first_json(text: str) -> Any:
    """Section 1.3: the first of six ways that comes to something."""
    for piece in _pieces(text):
        try:
            return json.loads(piece)
        except (ValueError, RecursionError):
            pass
    if not {"comprehensiveness", "article_1_score", "article_2_score"} <= {
        word for word in (*DIMENSIONS, "article_1_score", "article_2_score") if word in text
    }:
        return None
    parts = {name: _entries(text, name) for name in DIMENSIONS if name in text}
    return parts if any(parts.values()) else None


def _pieces(text: str) -> Iterator[str]:
    if text[:1] == "{" and text[-1:] == "}":
        yield text
    _, fence, after = text.partition("```json")
    if fence and "```" in after:
        yield after.split("```")[0].strip()
    yield text
    if "{" in text:
        start, depth = text.index("{"), 0
        for place in range(start, len(text)):
            depth += {"{": 1, "}": -1}.get(text[place], 0)
            if depth == 0:
                yield text[start : place + 1]
                break
        if "}" in text[start:]:
            yield text[start : len(text) - text[::-1].index("}")]


def _entries(text: str, name: str) -> list[dict[str, Any]]:
    forms = (f'"{name}"', f"'{name}'", name)
    text = text[next(text.index(form) for form in forms if form in text) :]
    end = len(text)
    for other in {*DIMENSIONS} - {name}:
        if f'"{other}"' in text:
            end = min(end, text.index(f'"{other}"'))
        elif f"'{other}'" in text:
            end = min(end, text.index(f"'{other}'"))
        elif other in text[len(name) :]:
            end = min(end, text.index(other, len(name)))
    part = text[:end]
    columns = (
        re.findall(r'"criterion"\s*:\s*"([^"]+)"', part),
        [float(each) for each in re.findall(r'"article_1_score"\s*:\s*(\d+\.?\d*)', part)],
        [float(each) for each in re.findall(r'"article_2_score"\s*:\s*(\d+\.?\d*)', part)],
    )
    keys = ("criterion", "article_1_score", "article_2_score")
    return [dict(zip(keys, row, strict=True)) for row in zip(*columns, strict=False)]


def _counted(answer: dict[str, Any], row: dict[str, Any]) -> Any:
    """Section 1.2: sums in the order of the answer, oddities included."""
    totals, parts = [0.0, 0.0], dict.fromkeys(DIMENSIONS, 0.0)
    for name, items in answer.items():
        if not isinstance(items, list) or name not in row["dimension_weight"]:
            continue
        means = _means(
            items, {each["criterion"]: each["weight"] for each in row["criterions"][name]}
        )
        parts[name] = means[0] / sum(means) if sum(means) > 0 else 0.0
        for side in (0, 1):
            totals[side] += means[side] * row["dimension_weight"][name]
    return [totals[0] / sum(totals) if sum(totals) > 0 else 0.0, parts]


def _means(items: list[Any], weights: dict[str, float]) -> tuple[float, float]:
    sums, weight_sum, last = [0.0, 0.0], 0.0, None
    for item in items:
        if not isinstance(item, dict):
            continue
        one = item.get("article_1_score")
        one = item.get("target_score") if one is None else one
        two = item.get("article_2_score")
        try:
            one = one if one is None else float(one)
            two = two if two is None else float(two)
        except (TypeError, ValueError):
            continue
        last = two
        name = item.get("criterion")
        if not isinstance(name, str) or not name.strip() or one is None:
            continue
        weight = _weight(name.strip(), weights)
        weight_sum += weight
        sums[0] += one * weight
        sums[1] += 0 if two is None else two * weight
    if not weight_sum > 0:
        return 0.0, 0.0
    return sums[0] / weight_sum, sums[1] / weight_sum if last is not None else 0.0


def _weight(name: str, weights: dict[str, float]) -> float:
    for alike in (
        lambda known: known == name,
        lambda known: known.lower() == name.lower(),
        lambda known: known.lower() in name.lower() or name.lower() in known.lower(),
    ):
        for known, weight in weights.items():
            if alike(known):
                return weight
    return sum(weights.values()) / len(weights)
