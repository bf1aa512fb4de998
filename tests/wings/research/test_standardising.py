"""The standard form of citations: by code, or by a model that may change nothing else."""

from __future__ import annotations

import pytest

from deepassay.models.prompt import BadPrompt
from deepassay.run.settings import Settings
from deepassay.wings.research.standardising import cite, standardise
from tests.loopback import FakeJudge

NAMED = """# Tides

According to the harbour office, the tide rises twice a day. It falls after that.

## Sources

- Harbour office: https://a.example/tides
"""
BODY = """# Tides

According to the harbour office, the tide rises twice a day{}. It falls after that.
"""
LIST = "\n## References\n\n[1] Harbour office: https://a.example/tides\n"
GOOD = BODY.format(" [1]") + LIST


def written(tmp_path, text, *answers):
    """What is written of a report for which a model gives these answers; the failure; requests."""
    (tmp_path / "heron").mkdir(exist_ok=True)
    (tmp_path / "heron" / "tides.md").write_text(text)
    given = list(answers)
    with FakeJudge(lambda body: given.pop(0) if len(given) > 1 else given[0]) as judge:
        settings = Settings(run=tmp_path / "r.assay", maker="openai:good", base_url=judge.base_url)
        made = standardise([tmp_path / "heron"], tmp_path / "out", settings)
    file = tmp_path / "out" / "heron" / "tides.md"
    told = [each.detail for each in made.failures.values()]
    return file.read_text() if file.exists() else None, told, len(judge.requests)


def test_prompts_fit_what_they_are_given():
    try:
        cite.verify()
    except BadPrompt as problem:
        pytest.fail(str(problem))


def test_a_model_sets_numbers_where_pages_are_named_and_cited_nowhere(tmp_path):
    text, told, requests = written(tmp_path, NAMED, GOOD)
    assert (text, told, requests) == (GOOD, [], 1)


def test_citations_of_any_kind_are_rewritten_without_a_model(tmp_path):
    link = BODY.format(" ([Harbour office](https://a.example/tides))")
    text, _, requests = written(tmp_path, link, "never asked")
    assert (text, requests) == (GOOD, 0)


def test_a_report_that_names_no_page_stays_as_it_is(tmp_path):
    text, _, requests = written(tmp_path, BODY.format(""), "never asked")
    assert (text, requests) == (BODY.format(""), 0)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (GOOD.replace("twice", "thrice"), "copy all others exactly"),
        (GOOD.replace(" It falls after that.", ""), "copy all others exactly"),
        (GOOD.replace("a.example", "b.example"), "no address that the report gives"),
        (BODY.format(""), "no citation leads to an entry"),
    ],
    ids=["changed", "left out", "strange address", "nothing cited"],
)
def test_an_answer_that_changes_more_is_sent_back_and_never_written(answer, reason, tmp_path):
    text, told, requests = written(tmp_path, NAMED, answer)
    assert text is None and requests == 3 and reason in told[0]
    assert written(tmp_path, NAMED, answer, GOOD)[0] == GOOD


def test_the_command_goes_on_where_it_was_stopped(tmp_path):
    written(tmp_path, NAMED, GOOD)
    assert written(tmp_path, NAMED, "never asked")[2] == 0
