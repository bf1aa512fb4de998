"""FACT by other code: the stages of the released program, and both formulas on published rows."""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

from deepassay.errors import BadInput, Notice
from deepassay.protocols.fact.protocol import Fact
from deepassay.protocols.fact.published import read_published
from deepassay.results.citations import CountedReport, code_figures, paper_figures
from deepassay.score import Score
from deepassay.sources.page import Failure
from tests.differential.comparing import STOPS, Comparison
from tests.differential.writing import analysis, mangled, style
from tests.protocols.fact.web import Model, scored

CODE = Fact(edition="code")
EXTRACT, MERGE, JUDGE = (operation.name for operation in CODE.operations())
URLS = ("https://a.example/1", "https://a.example/1#part", "https://b.example/", "见 b", "")
FACTS = (
    "Grids stored 3.5 GW.", "电网储能达到3.5吉瓦。", r"Prices rose by \~5 \% in [Texas](https://t.example/).",
    'He said "insight".', "[a](b) and [c] (d) [](e) [f](g", r"\> 3 \+ 4", "```json",
)  # fmt: skip
LABELS = ("supported",) * 4 + ("unsupported",) * 3 + ("unknown", "Supported", "支持", None, 1)

# ------------------------------------------------------------------ edition code


def code(chance: Random) -> Comparison:
    """A report through all stages of edition `code`; every answer may be odd."""
    told = _Told(chance)
    pages = {url: chance.choice(["A page.", Failure.GONE, Failure.BLOCKED]) for url in URLS}
    outcome, *_ = asyncio.run(scored(CODE, "The report.", pages, Model(told)))
    ours = [outcome.value, *outcome.tally] if isinstance(outcome, Score) else STOPS
    return Comparison(told.said, ours, _program(told))


class _Told:
    """Answers by the question alone, so that both sides hear the same. said: all of them."""

    def __init__(self, chance: Random) -> None:
        self._seed = chance.random()
        self.said: list[str] = []

    def __call__(self, operation: Any, inputs: Any) -> str:
        given = [] if operation.name == EXTRACT else inputs.statements
        return self.about(operation.name, given)

    def about(self, stage: str, facts: Sequence[str]) -> str:
        """The answer to a stage about these facts."""
        chance = Random(f"{self._seed} {stage} {list(facts)}")
        value = {EXTRACT: _citations, MERGE: _numbers, JUDGE: _verdicts}[stage](chance, len(facts))
        raw = style(chance, broken=0.03).spell(value)
        if chance.random() < 0.9:  # as models of Markdown write these, and no JSON allows
            raw = re.sub(r"\\\\([<>+~])", r"\\\1", raw)
        if chance.random() < 0.5:
            raw = f"```json\n{raw}\n```"
        if chance.random() < 0.02:
            raw = mangled(raw, chance)
        self.said.append(raw)
        return raw


def _citations(chance: Random, _: int) -> Any:
    found = [
        {"fact": f"{number}. {chance.choice([*FACTS, analysis(chance)])}", "ref_idx": 1,
         "url": chance.choice(URLS)}
        for number in range(chance.choice([0, 1, 2, 3, 4, 5, 6, 7, 8]))
    ]  # fmt: skip
    if found and chance.random() < 0.05:
        del found[-1][chance.choice(["fact", "url"])]
    return found


def _numbers(chance: Random, count: int) -> Any:
    if chance.random() < 0.1:
        return chance.choice([[], [0, 1], [count + 1], [-1], None, ["1"], 3, {}])
    return sorted(chance.sample(range(1, count + 1), chance.randint(1, count)))


def _verdicts(chance: Random, count: int) -> Any:
    count += chance.choice([0] * 20 + [1, -1])
    first = chance.choice([1] * 20 + [0, 5])
    return [{"idx": first + at, "result": chance.choice(LABELS)} for at in range(count)]


def _loads(raw: str) -> Any:
    return json.loads(raw.replace("```json", "").replace("```", "").strip())


def _program(told: _Told) -> Any:
    """Section 2 of the description: pooled over the groups that have verdicts."""
    try:
        groups = _grouped(told.about(EXTRACT, []))
        supported = judged = 0
        for facts in groups.values():
            kept = facts if len(facts) == 1 else _kept(facts, told.about(MERGE, facts))
            labels = _labels(told.about(JUDGE, kept), len(kept))
            judged += sum(label != "unknown" for label in labels)
            supported += labels.count("supported")
    except (ValueError, LookupError, TypeError):
        return STOPS
    return [supported / judged, supported, judged] if judged else STOPS


def _grouped(raw: str) -> dict[Any, list[str]]:
    groups: dict[Any, list[str]] = {}
    for each in _loads(re.sub(r"\\([<>+~])", r"\1", raw)):
        fact = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"[\1]", each["fact"])
        groups.setdefault(each["url"], []).append(fact)
    return groups


def _kept(facts: list[str], raw: str) -> list[str]:
    try:
        numbers = _loads(raw)
    except ValueError:
        return facts
    if not numbers or 0 in numbers or len(numbers) > len(facts):
        return facts
    return [facts[number - 1] for number in numbers]


def _labels(raw: str, count: int) -> list[Any]:
    try:
        verdicts = [(each["idx"] - 1, each["result"]) for each in _loads(raw)]
    except (ValueError, LookupError, TypeError):
        return []
    return [label for _, label in verdicts] if len(verdicts) == count else []


# ------------------------------------------------------------------ published rows


def published(chance: Random) -> Comparison:
    """A file of verdicts by both formulas."""
    rows = [_row(chance, number) for number in range(chance.randint(1, 5))]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.validated.jsonl")
        path.write_text("\n".join(json.dumps(row) for row in rows), "utf-8")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Notice)  # of verdicts that are of no use
            paper = paper_figures(_counted(read_published(path)))
        try:
            code: Any = [*code_figures(_counted(read_published(path, "code")))]
        except BadInput:
            code = STOPS
    return Comparison(rows, [[*paper], code], [_equations_3_to_5(rows), _stat(rows)])


def _counted(reports: Sequence[Any]) -> list[CountedReport]:
    return [CountedReport(each.task, 1, each.counts) for each in reports if each.counts is not None]


def _row(chance: Random, number: int) -> dict[str, Any]:
    groups = {url: _group(chance) for url in chance.sample(URLS, chance.randint(0, 4))}
    row = {
        "id": number,
        "prompt": "p",
        "citations": [1] if groups else chance.choice([[], [1], "extraction failed"]),
        "citations_deduped": groups,
    }
    if chance.random() < 0.03:
        del row["citations"]
    return row


def _group(chance: Random) -> dict[str, Any]:
    facts = chance.choices(FACTS, k=chance.randint(1, 4))
    labels = LABELS if chance.random() < 0.1 else ("supported", "unsupported", "unknown")
    verdicts: list[Any] = [{"idx": at, "result": chance.choice(labels)} for at in range(len(facts))]
    if chance.random() < 0.05:
        chance.choice([verdicts.pop, lambda: verdicts[-1].update(idx=9), verdicts.clear])()
    group = {"facts": facts, "validate_res": verdicts, "validate_error": None}
    if chance.random() < 0.1:
        group |= {"validate_res": [], "validate_error": chance.choice(["late", ""])}
    if chance.random() < 0.02:
        del group["validate_error"]
    return group


def _equations_3_to_5(rows: list[dict[str, Any]]) -> Any:
    """Appendix E: a mean over tasks; what was not judged counts on neither side."""
    accuracies, effective = [], []
    for row in rows:
        if row.get("citations") == "extraction failed":
            continue
        labels: list[str] = []
        pairs = 0
        for group in row["citations_deduped"].values():
            pairs += len(group["facts"])
            found = {each["idx"]: each["result"] for each in group["validate_res"]}
            if (
                group.get("validate_error") is None
                and len(group["validate_res"]) == len(group["facts"])
                and sorted(found) == [*range(len(group["facts"]))]
                and {*found.values()} <= {"supported", "unsupported", "unknown"}
            ):
                labels += found.values()
        if pairs and not labels:
            continue
        accuracies.append(labels.count("supported") / len(labels) if labels else 0.0)
        effective.append(labels.count("supported"))
    if not accuracies:
        return [None, None, 0]
    return [fmean(accuracies), fmean(effective), len(accuracies)]


def _stat(rows: list[dict[str, Any]]) -> Any:
    """The last stage of the program: rate, citations and supported ones per row that cites."""
    total = valid = citing = 0
    try:
        for row in rows:
            if row["citations"]:
                citing += 1
                for group in row["citations_deduped"].values():
                    if group["validate_error"] is None:
                        known = [
                            e["result"] for e in group["validate_res"] if e["result"] != "unknown"
                        ]
                        total += len(known)
                        valid += known.count("supported")
    except KeyError:
        return STOPS
    return [
        valid / total if total else None,
        total / citing if citing else None,
        valid / citing if citing else None,
    ]
