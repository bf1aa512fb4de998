from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

import deepassay
from deepassay.models.ask import key_of
from deepassay.models.operation import Inputs, Operation, Reply, Trusted
from deepassay.models.prompt import LANGUAGES, BadPrompt, house_text
from deepassay.protocols.rubrics.protocol import Rubrics
from deepassay.protocols.support import JUDGE_SUPPORT, PageAndStatements
from deepassay.score import digest
from deepassay.tasks.set_tables import published_sets

from .conftest import Question, Verdict
from .test_fence import FENCE, HOSTILE


def write(folder: Path, text: str, name: str = "judge") -> Operation[Question, Verdict]:
    for language in LANGUAGES:
        (folder / f"{name}.{language}.md").write_text(text, "utf-8")
    return Operation(
        name,
        prompts=folder,
        takes=Question,
        gives=Verdict,
        offline=lambda question: Verdict(verdict="supported", score=1),
    )


def question(report: str = "A report.", **more: Any) -> Question:
    return Question(language="en", report=report, items=("one", "two"), **more)


def test_the_material_comes_first_and_the_question_last(
    operation: Operation[Question, Verdict],
) -> None:
    prompt = operation.render(question(), "salt")
    assert prompt.system == house_text("system", "en")
    assert prompt.text == f"{prompt.material}\n\n{prompt.question}"
    assert prompt.material.splitlines()[1] == "A report."
    assert prompt.question.startswith("Is it supported? Today is 2026-11-20.")
    assert "1. one\n2. two\n" in prompt.question


def test_two_questions_about_one_report_begin_with_the_same_bytes(
    operation: Operation[Question, Verdict], tmp_path: Path
) -> None:
    other = write(tmp_path, "{{report}}\n\n---\n\nAnother: {{date}}\n{{items}}\n", "other")
    one = operation.render(question(), "salt")
    two = other.render(question(), "salt")
    assert (one.system, one.material) == (two.system, two.material)
    assert one.question != two.question


class Colour(Enum):
    RED = "red"


class Evidence(BaseModel):
    quote: str


class Everything(Inputs):
    report: str
    own: Annotated[str, Trusted]
    rules: Annotated[list[str], Trusted]
    menu: Literal["a", "b"]
    colour: Colour
    number: float
    maybe: str | None
    evidence: list[Evidence]


def test_every_kind_of_field_is_shown(tmp_path: Path) -> None:
    lines = ["{{own}} {{menu}} {{colour}} {{number}}", "{{rules}}", "{{maybe}}", "{{evidence}}"]
    text = "{{report}}\n---\n" + "\n".join(lines)
    operation = replace(write(tmp_path, text), takes=Everything)
    operation.verify()
    inputs = Everything(
        language="zh", report="r", own="ours", rules=["x", "y"], menu="b", colour=Colour.RED,
        number=0.5, maybe=None, evidence=[Evidence(quote="引用\n2. x")],
    )  # fmt: skip
    shown = operation.render(inputs, "salt").question.splitlines()
    assert shown[:3] == ["ours b red 0.5", "1. x", "2. y"]
    assert [line for line in shown if FENCE.match(line)] == [shown[-3], shown[-1]]
    assert shown[-2] == r'[{"quote":"引用\n2. x"}]'


@settings(deadline=None, max_examples=80)
@given(HOSTILE, st.lists(HOSTILE, max_size=3))
def test_no_value_changes_the_structure_of_a_prompt(
    operation: Operation[Question, Verdict], report: str, items: list[str]
) -> None:
    prompt = operation.render(question(report).model_copy(update={"items": items}), "salt")
    harmless = operation.render(question(), "salt")
    assert prompt.system == harmless.system
    marks = [found.group(1, 2) for found in FENCE.finditer(prompt.text)]
    assert marks == [("BEGIN", "report"), ("END", "report"), ("BEGIN", "items"), ("END", "items")]
    ours = "Is it supported? Today is 2026-11-20.\n\n<<<BEGIN items"
    assert prompt.question.startswith(ours)


def test_a_placeholder_inside_a_value_is_text(operation: Operation[Question, Verdict]) -> None:
    prompt = operation.render(question("see {{date}} and {report} and %s"), "salt")
    assert "see {{date}} and {report} and %s" in prompt.material


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{{report}}\n{{date}} {{items}}\n", "no line '---'"),
        ("The report: {{report}}\n---\n{{date}}\n{{items}}\n", "placeholders must stand"),
        ("\n---\n{{report}}\n{{date}}\n{{items}}\n", "placeholders must stand"),
        ("{{report}}\n---\n{{date}}\n{{items}}\n{{nothing}}\n", "no such field"),
        ("{{report}}\n---\n{{date}}\n", "does not show these fields: {'items'}"),
        ("{{report}}\n---\n{{date}} and {{items}}\n", "alone on their lines: {'items'}"),
    ],
)
def test_a_prompt_file_that_does_not_fit_is_named(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(BadPrompt, match=problem):
        write(tmp_path, text).verify()


def test_a_missing_prompt_file_is_named(tmp_path: Path) -> None:
    operation = write(tmp_path, "{{report}}\n---\n{{date}}\n{{items}}\n")
    (tmp_path / "judge.zh.md").unlink()
    with pytest.raises(BadPrompt, match=r"judge\.zh\.md"):
        operation.verify()


def test_the_digest_follows_prompt_answer_type_reading_and_version(tmp_path: Path) -> None:
    text = "{{report}}\n---\n{{date}}\n{{items}}\n"

    class Longer(Reply):
        verdict: str

    class Described(Reply):
        """The same answer with other words about it."""

        verdict: Literal["supported", "unsupported"]
        score: int

    first = write(tmp_path, text)
    digests = {
        first.digest("en"),
        replace(first, gives=Longer).digest("en"),
        replace(first, reading="released").digest("en"),
        replace(first, version=2).digest("en"),
        write(tmp_path, text, "other").digest("en"),
    }
    assert len(digests) == 5
    assert replace(first, gives=Described).digest("en") == first.digest("en")
    assert replace(first, check=lambda i, a: None).digest("en") == first.digest("en")
    assert write(tmp_path, text + "More.").digest("en") not in digests


def test_the_key_follows_everything_but_the_salt(operation: Operation[Question, Verdict]) -> None:
    model = {"model": "openai:m", "settings": {"temperature": 0.0}}
    keys = [
        key_of(operation, question(), model, 0),
        key_of(operation, question("Another."), model, 0),
        key_of(operation, question(date="2026-11-21"), model, 0),
        key_of(operation, question(), {**model, "settings": {}}, 0),
        key_of(operation, question(), model, 1),
        key_of(replace(operation, reading="released"), question(), model, 0),
        key_of(operation, question().model_copy(update={"language": "zh"}), model, 0),
    ]
    assert len(set(keys)) == len(keys)
    assert key_of(operation, question(), dict(model), 0) == keys[0]


class Shade(Enum):
    DARK = "dark"


class Part(BaseModel):
    name: str
    weight: float | None


class Mixed(Inputs):
    text: str
    count: int
    share: float
    sure: bool
    shade: Shade
    none: str | None
    names: tuple[str, ...]
    parts: list[Part]


@given(
    st.builds(
        Mixed,
        language=st.sampled_from(LANGUAGES),
        share=st.floats(allow_nan=False, allow_infinity=False),
        parts=st.lists(st.builds(Part, weight=st.none() | st.floats(0, 1)), max_size=3),
    ),
    st.dictionaries(st.text(max_size=5), st.none() | st.integers() | st.text(max_size=5)),
    st.integers(0, 9),
)
def test_keys_are_those_of_earlier_run_files(operation, inputs, identity, repeat) -> None:
    about = {
        name: digest(value) if isinstance(value, str) else value
        for name, value in inputs.model_dump(mode="json").items()
    }
    expected = digest([operation.digest(inputs.language), about, identity, repeat])
    assert key_of(operation, inputs, identity, repeat) == expected


def test_a_copy_knows_nothing_of_what_its_original_was(
    operation: Operation[Question, Verdict],
) -> None:
    first = question()
    keys = {key_of(operation, first, {}, 0)}
    other = first.model_copy(update={"report": "Another."})
    keys |= {key_of(operation, other, {}, 0), key_of(operation, question("Another."), {}, 0)}
    assert len(keys) == 2


def test_a_report_with_half_a_surrogate_can_be_asked_about(
    operation: Operation[Question, Verdict],
) -> None:
    hostile = question("a\ud83db")
    key_of(operation, hostile, {}, 0)
    operation.render(hostile, "salt").text.encode()


def operations() -> Iterator[tuple[str, Operation[Any, Any]]]:
    """Every operation that a module of the package defines."""
    for module in pkgutil.walk_packages(deepassay.__path__, "deepassay."):
        if "__main__" in module.name:
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            for each in value.values() if isinstance(value, dict) else [value]:
                if isinstance(each, Operation):
                    yield f"{module.name}.{name}", each


def test_every_operation_of_the_package_fits_its_prompt_files() -> None:
    for place, operation in operations():
        operation.verify()
        assert operation.gives.model_config.get("strict") or operation.reading != "strict", place


def test_every_prompt_file_of_the_package_belongs_to_an_operation() -> None:
    package = Path(deepassay.__file__).parent
    files = {
        str(file.relative_to(folder))
        for folder in package.rglob("prompts")
        if folder != package / "models" / "prompts"
        for file in folder.rglob("*.md")
    }
    named = {f"{each.name}.{language}.md" for _, each in operations() for language in LANGUAGES}
    of_sets = [each for name in published_sets() for each in Rubrics(set=name).operations()]
    named |= {f"{each.name}.{language}.md" for each in of_sets for language in LANGUAGES}
    in_every_metric_of_yaml = {f"own/judge.{language}.md" for language in LANGUAGES}
    assert files == named | in_every_metric_of_yaml


def test_a_change_of_the_offline_rule_is_none_for_models_that_were_paid() -> None:
    other = replace(JUDGE_SUPPORT, rule=JUDGE_SUPPORT.rule + 1)
    inputs = PageAndStatements(language="en", page="It is green.", statements=("Green.",))
    for identity, same in (({"model": "openai:x"}, True), ({"model": "offline"}, False)):
        keys = {key_of(each, inputs, identity, 0) for each in (JUDGE_SUPPORT, other)}
        assert (len(keys) == 1) is same
