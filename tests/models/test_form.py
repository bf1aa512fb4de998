"""The form of an answer is that of the very question, in the prompt and as a schema."""

from __future__ import annotations

import importlib
import json
import pkgutil
import re
from collections.abc import Iterator
from enum import Enum
from functools import cache
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

import pytest
from pydantic import BaseModel

import deepassay
from deepassay.models.form import Form, is_described
from deepassay.models.operation import Operation
from deepassay.models.prompt import LANGUAGES
from deepassay.models.reading import read_reply
from deepassay.models.schema import LEAST_TEXT, longest
from deepassay.protocols.ace.checklists import MAKE_CHECKLIST
from deepassay.protocols.coverage import JUDGE_ITEMS, ReportAndChecklist
from deepassay.protocols.fact.extraction import EXTRACT, MERGE, ReportText, Statements
from deepassay.protocols.from_yaml import protocol_of
from deepassay.protocols.kae.key_points import UNIFY_POINTS, KeyPoints
from deepassay.protocols.pointwise.issues import FIND_INCONSISTENCIES
from deepassay.protocols.race.cleaning import CLEAN, CLEAN_AS_RELEASED, RawArticle
from deepassay.protocols.race.questions import COMPARE, CriteriaList, TwoArticles
from deepassay.protocols.rubrics.criteria import JUDGE_CRITERIA, CriteriaOnReport
from deepassay.protocols.support import JUDGE_SUPPORT, PageAndStatements
from deepassay.reports.clean import clean
from deepassay.score import Json
from deepassay.tasks.yardsticks import DIMENSIONS

from .decoding import decoded

SHEETS = (
    "name: clear\nscale: [1, 5]\nquestion: Is it clear?",
    "name: kind\nlabels: {poor: 0, good: 1}\ncriteria: [{name: a, description: A}]",
)
CRITERIA = CriteriaList.model_validate(
    {
        name: [{"id": f"c{number}", "criterion": f"Is “{name}”\nso?", "explanation": "It is."}]
        for number, name in enumerate(DIMENSIONS, start=1)
    }
)
GIVEN = {
    "language": "en",
    "asked": "p1, p6",
    "count": 3,
    "criteria": CRITERIA,
    "report": "It costs 3 euros [1].\n\n## References\n\n[1] https://a.example/one",
}
"""What inputs hold whose fields hang together."""

BEYOND_SCHEMAS = {
    "criteria/weigh": "weights sum to 1",
    "criteria/devise": "weights sum to 1",
    "ace/make_checklist": "weights sum to 1",
    "building/clarify": "a question ends with its mark, and is asked once",
    "building/checklist": "a question ends with its mark, and is asked once",
    "arena/compare_tasks": "the better one has the higher mean",
    "arena/inspire": "the quote stands in the passage",
    "arena/weave": "rules about words",
    "rubric/remove_examples": "no new words",
    "rubric/augment": "more words than before",
    "race/clean": "the text of the article",
    "research/frame": "a span has a word",
    "research/plan": "a question has a word",
    "research/plan_steps": "a step and a query have words",
    "research/query": "a query has a word, and none that was tried",
    "research/gaps": "a question has a word",
    "research/outline": "a heading has a word",
}
"""Operations whose check asks for what no schema can say."""


def value_of(kind: Any) -> Any:
    """Something of a type: the first of a menu, three texts, a text."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        return arguments[0]
    if origin in (Union, UnionType):
        return value_of(arguments[0])
    if origin in (tuple, list):
        return tuple(
            f"Entry {n}." if arguments[0] is str else value_of(arguments[0]) for n in (1, 2, 3)
        )
    if isinstance(kind, type) and issubclass(kind, Enum):
        return next(iter(kind))
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return inputs_of(kind)
    return {int: 2, float: 1.0, bool: True}.get(kind, "Some text.")


def inputs_of(takes: type[BaseModel], **more: Any) -> Any:
    fields = takes.model_fields
    given = {name: GIVEN[name] for name in fields.keys() & GIVEN.keys()}
    if "criteria" in given and fields["criteria"].annotation is not CriteriaList:
        del given["criteria"]
    made = {name: value_of(each.annotation) for name, each in fields.items() if name not in given}
    return takes.model_validate({**made, **given, **more})


@cache
def operations() -> list[Operation[Any, Any]]:
    """Every operation that a module of the package defines, and those of metrics in YAML."""
    found: dict[tuple[str, int], Operation[Any, Any]] = {}
    for module in pkgutil.walk_packages(deepassay.__path__, "deepassay."):
        if "__main__" not in module.name:
            for value in vars(importlib.import_module(module.name)).values():
                for each in value.values() if isinstance(value, dict) else [value]:
                    if isinstance(each, Operation) and not each.in_prose:
                        found[each.name, id(each)] = each
    return [*found.values(), *(protocol_of(sheet, "x.yaml").operation for sheet in SHEETS)]


def test_whatever_a_decoder_writes_under_the_schema_passes_the_check(
    subtests: pytest.Subtests,
) -> None:
    for operation in operations():
        inputs = inputs_of(operation.takes)
        schema = operation.form(inputs).within(3_000)
        answers = [decoded(schema, "shortest"), decoded(schema, "longest")]
        answers += [decoded(schema, "random", seed) for seed in range(3)]
        with subtests.test(operation.name):
            for answer in answers:
                if operation.name in BEYOND_SCHEMAS:
                    operation.gives.model_validate_json(answer)
                else:
                    read_reply(operation, inputs, answer)


def test_every_object_and_text_and_list_is_bounded(subtests: pytest.Subtests) -> None:
    for operation in operations():
        with subtests.test(operation.name):
            form = operation.form(inputs_of(operation.takes))
            assert longest(form.schema) < 300_000
            for part in parts(form.schema):
                if part.get("type") == "object":
                    assert part["additionalProperties"] is False
                    assert part["required"] == [*part["properties"]]
                assert part.get("type") != "string" or "maxLength" in part
                assert part.get("type") != "array" or "maxItems" in part


def parts(schema: Json) -> Iterator[dict[str, Json]]:
    """A schema and all schemas in it."""
    yield schema
    inner = [*schema.get("properties", {}).values(), *schema.get("prefixItems", ())]
    inner += [*schema.get("anyOf", ())] + ([schema["items"]] if "items" in schema else [])
    for each in inner:
        yield from parts(each)


REFUSED = {
    # What each provider's documents name as refused in schemas that it enforces.
    "openai": {"minLength", "maxLength", "prefixItems", "exclusiveMinimum", "const", "$ref"},
    "anthropic": {
        *("minLength", "maxLength", "prefixItems", "exclusiveMinimum", "const", "$ref"),
        *("minimum", "maximum", "minItems", "maxItems"),
    },
    "google": {"minLength", "maxLength", "exclusiveMinimum", "const"},
}


@pytest.mark.parametrize("dialect", REFUSED)
def test_what_a_provider_refuses_is_not_in_its_schema(
    dialect: Any, subtests: pytest.Subtests
) -> None:
    for operation in operations():
        with subtests.test(operation.name):
            schema = operation.form(inputs_of(operation.takes)).within(20_000, dialect)
            for part in parts(schema):
                assert not part.keys() & REFUSED[dialect]
                assert part.get("type") != "array" or "items" in part or "prefixItems" in part
            menus = sum(len(part.get("enum", ())) for part in parts(schema))
            assert menus <= 1_000  # of OpenAI, over a whole schema


@pytest.mark.parametrize("operation", [CLEAN, CLEAN_AS_RELEASED], ids=["paper", "code"])
def test_a_cleaned_article_has_room_for_all_that_stays(operation: Operation[Any, Any]) -> None:
    article = "# Water\n\n" + "A butt holds 210 litres [1]. " * 40
    stays = clean(article)
    asked = operation.form(RawArticle(language="en", article=article))
    text = asked.within(300)["properties"]["article"]
    assert 600 < text["minLength"] < len(stays.strip()) < text["maxLength"]
    longer = operation.form(RawArticle(language="en", article=article * 3))
    assert longer.within(300)["properties"]["article"] == {"type": "string"}


def test_a_checklist_that_is_made_has_three_to_six_items() -> None:
    asked = MAKE_CHECKLIST.form(inputs_of(MAKE_CHECKLIST.takes))
    for room, most in ((500, 3), (9_000, 6)):
        items = asked.within(room)["properties"]["items"]
        assert (items["minItems"], items["maxItems"]) == (3, most)


FORMS = [
    (
        "a verdict for each item, its menu beside it",
        JUDGE_ITEMS,
        ReportAndChecklist(language="en", report="r", query="q", checklist=("a", "b")),
        '{"evaluations": {"q1": {"score": 0 or 1, "justification": <text>}, '
        '"q2": {"score": 0 or 1, "justification": <text>}}}',
    ),
    (
        "the same in Chinese",
        JUDGE_ITEMS,
        ReportAndChecklist(language="zh", report="r", query="q", checklist=("a",)),
        '{"evaluations": {"q1": {"score": 0 或 1, "justification": <文字>}}}',
    ),
    (
        "one statement, one verdict",
        JUDGE_SUPPORT,
        PageAndStatements(language="en", page="p", statements=("a",)),
        '{"verdicts": [{"statement": 1, "verdict": "supported" or "unsupported" or "unknown", '
        '"quote": <text>}]}',
    ),
    (
        "groups of the numbers of three key points",
        UNIFY_POINTS,
        KeyPoints(language="en", points=("a", "b", "c"), count=3),
        '{"groups": [[1 or 2 or 3]]}',
    ),
    (
        "groups of the numbers of twelve statements",
        MERGE,
        Statements(language="zh", statements=tuple("abcdefghijkl")),
        '{"same": [[<1 到 12 的整数>]]}',
    ),
    (
        "issues of two kinds",
        FIND_INCONSISTENCIES,
        inputs_of(FIND_INCONSISTENCIES.takes),
        '{"issues": [{"kind": "contradiction" or "logic", "quote": <text>, "other_quote": <text>, '
        '"problem": <text>}]}',
    ),
]


@pytest.mark.parametrize(
    ("operation", "inputs", "shown"), [pytest.param(*each[1:], id=each[0]) for each in FORMS]
)
def test_the_prompt_shows_the_form_of_this_question(
    operation: Operation[Any, Any], inputs: Any, shown: str
) -> None:
    assert shown in operation.render(inputs, "salt").question.split("\n")


def test_every_prompt_that_asks_for_as_many_entries_as_there_are_shows_them() -> None:
    criteria = tuple(f"criterion {n}" for n in range(1, 21))
    inputs = CriteriaOnReport(language="en", report="r", query="q", criteria=criteria)
    shown = JUDGE_CRITERIA.render(inputs, "salt").question
    assert '{"r1": {"reason": <text>, "verdict": "Satisfied" or ' in shown
    assert all(f'"r{n}": ' in shown for n in range(1, 21))
    assert '"r21"' not in shown


def test_texts_of_others_are_in_no_example() -> None:
    inputs = TwoArticles(language="en", article_1="a", article_2="b", query="q", criteria=CRITERIA)
    form = COMPARE.form(inputs)
    assert "so?" not in form.example()
    assert '{"id": "c1", "criterion": <text>, "analysis": <text>' in form.example()
    entry = form.schema["properties"]["insight"]["prefixItems"][0]["properties"]
    assert entry["criterion"] == {"enum": ["Is “insight”\nso?"]}


def test_addresses_are_those_of_the_report() -> None:
    form = EXTRACT.form(ReportText(language="en", report=GIVEN["report"]))
    cited = form.schema["properties"]["statements"]["items"]["properties"]
    assert cited["url"] == {"enum": ["", "https://a.example/one"]}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("tokens", [500, 2_000, 16_000])
def test_an_answer_has_room_within_its_tokens(language: Any, tokens: int) -> None:
    inputs = CriteriaOnReport(language=language, report="r", query="q", criteria=("a", "b"))
    schema = JUDGE_CRITERIA.form(inputs).within(tokens)
    assert longest(schema) <= max(tokens, 2_200)
    texts = [part["maxLength"] for part in parts(schema) if part.get("type") == "string"]
    assert min(texts) >= LEAST_TEXT


def test_a_form_changes_no_other_of_its_type() -> None:
    before = Form(JUDGE_ITEMS.gives).schema
    Form(JUDGE_ITEMS.gives).keys("evaluations", ["q1"]).at_most("evaluations", 3)
    assert Form(JUDGE_ITEMS.gives).schema == before


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_in_the_form_that_a_prompt_shows_can_be_copied_as_an_answer(
    language: Any, subtests: pytest.Subtests
) -> None:
    ours = [each for each in operations() if each.reading == "strict"]  # others' are of programs
    assert len(ours) >= 40  # without wings
    for operation in ours:
        with subtests.test(operation.name):
            given = inputs_of(operation.takes, language=language)
            question = operation.render(given, "salt").question
            shown = [line for line in question.splitlines() if line.startswith(("{", "["))]
            form = shown[-1]
            assert '"..."' not in form and '"……"' not in form
            with pytest.raises(ValueError, match=r"."):
                json.loads(form)
            said = {each for each in VALUE.findall(form) if each not in menus(operation, given)}
            assert not said, "it could be copied"


VALUE = re.compile(r'(?<=: )(?:"[^"]*"|-?\d[\d.]*|true|false|\[\])(?=[,}\]])')
"""What stands alone as the value of a key, and is neither described nor one of several."""


def menus(operation: Operation[Any, Any], inputs: Any) -> set[str]:
    """What a question gives: values that are the only ones possible where they stand."""
    schema = operation.form(inputs).schema
    given = [part["enum"][0] for part in parts(schema) if len(part.get("enum", ())) == 1]
    return {json.dumps(each, ensure_ascii=False) for each in given}


def test_what_only_says_what_is_to_be_written_is_told_from_a_text() -> None:
    assert is_described("<text>") and is_described(" <一段文字> ")
    assert not is_described("a < b and c > d") and not is_described("<p>tides</p>")


def test_forms_that_were_narrowed_alike_are_made_once() -> None:
    inputs = [PageAndStatements(language="en", page=page, statements=("a", "b")) for page in "pq"]
    first, second = (JUDGE_SUPPORT.form(each).schema for each in inputs)
    assert first is second
