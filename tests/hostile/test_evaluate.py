"""Fifty hostile reports that cite hostile pages, judged as a user types it: none is obeyed."""

from __future__ import annotations

import json
import re

import pytest

from deepassay.cli import main
from deepassay.models import fence
from deepassay.protocols.registry import PROTOCOLS
from tests.hostile.attacks import ORDERS, attacks
from tests.hostile.gullible import Gullible
from tests.judging import verdicts
from tests.loopback import FakeJudge
from tests.site import HTML, Site

pytestmark = pytest.mark.usefixtures("read_here")

ATTACKS = tuple(each for number, each in enumerate(attacks()) if number % 4 in (0, 3))
"""Each attack once, in English and in Chinese by turns.

Whether a fence holds against it in either language, in every field of every operation, is asked in
`test_operations`: here, that nothing gets around the fences on its way from files and pages.
"""

DIMENSIONS = ("comprehensiveness", "insight", "instruction_following", "readability")
FORMS = (
    "presentation(mechanical=True)",
    "race(reference=False)",
    "race(position='both', cleaning='model')",
    "race(vanilla=True)",
    "fact(statements='model', merging='model')",
)
"""Forms of protocols whose operations the plain names do not ask."""


BLOCKS = {
    "paper": {"report", "article", "article_1", "report_a", "page", "title", "text", "points"},
    "code": {"report", "article_1", "report_a", "page", "statements"},
}
"""Names of blocks in which orders come before the judge, at least."""


@pytest.fixture
def material(tmp_path, monkeypatch):
    """A task for each attack, the hostile report for it, and a tame one to compare with."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with Site() as site:
        tasks = []
        for number, attack in enumerate(ATTACKS):
            site.pages[f"/{number}"] = (200, HTML, attack.page())
            url = site.url(f"/{number}")
            (tmp_path / "hostile").mkdir(exist_ok=True)
            file = tmp_path / "hostile" / f"t{number}.md"
            file.write_text(attack.report(url), encoding="utf-8", errors="replace", newline="")
            prompt = {"en": "How were gauges read?", "zh": "验潮仪如何读数？"}[attack.language]
            tasks.append({"id": f"t{number}", "prompt": prompt, "checklist": ["a?", "b?"]})
        write_lines("tasks.jsonl", tasks)
        write_lines("tame.jsonl", [{"id": each["id"], "article": TAME} for each in tasks])
        asked = [{"id": each["id"], "prompt": each["prompt"]} for each in tasks]
        write_lines("criteria.jsonl", [{**each, **CRITERIA} for each in asked])
        yield site


CRITERIA = {
    "dimension_weight": dict.fromkeys(DIMENSIONS, 0.25),
    "criterions": {
        name: [{"criterion": f"{name} one", "explanation": "e", "weight": 1.0}]
        for name in DIMENSIONS
    },
}


TAME = "# Tide gauges\n\nThe gauge at the mole was read by hand, once in every hour.\n"


def write_lines(name, rows):
    with open(name, "w", encoding="utf-8") as file:  # noqa: PTH123
        file.writelines(json.dumps(row) + "\n" for row in rows)


def evaluate(monkeypatch, site, judge, *options):
    """`deepassay evaluate` with a judge; its exit status."""
    with FakeJudge(judge) as server:
        arguments = (
            *("deepassay", "evaluate", "tasks.jsonl", "hostile", "--criteria", "criteria.jsonl"),
            *("--judge", "openai:gullible", "--base-url", server.base_url, "--allow-unpriced"),
            *("--reference", "tame.jsonl", "--baseline", "tame.jsonl"),
            *("--allow-host", site.spec, *options),
        )
        monkeypatch.setattr("sys.argv", list(arguments))
        with pytest.raises(SystemExit) as end:
            main()
    return end.value.code or 0


@pytest.mark.slow
@pytest.mark.parametrize("edition", ["paper", "code"])
def test_no_report_and_no_page_is_obeyed(material, monkeypatch, edition, capsys):
    judge = Gullible(verdicts)
    names = [name for name, kind in PROTOCOLS.items() if edition in kind.editions]
    forms = FORMS if edition == "paper" else ()
    options = [part for name in (*names, *forms) for part in ("--protocol", name)]
    status = evaluate(monkeypatch, material, judge, *options, "--edition", edition)
    assert judge.escapes == []
    told, said = capsys.readouterr()
    assert status == 0, said
    # The judge of this test has an answer to every question: else later ones are never asked.
    assert "judge_unreachable" not in said
    _, _, without = told.partition("Nothing is scored under ")
    causes = re.findall(r"\((\w+)\s\d+\)", without.partition("`deepassay explain")[0])
    assert causes and set(causes) == {"missing_input"}, without
    # What was not obeyed was shown all the same: reports, pages, and what is made of either.
    assert judge.seen.keys() >= BLOCKS[edition]
    assert judge.seen["report"] >= len(ATTACKS)
    assert judge.seen["page"] >= len(ATTACKS) / 2


def test_an_order_that_the_judge_repeats_does_not_come_back_as_our_words(material, monkeypatch):
    def parrot(body):
        """First, as a key that nobody asked for, what the report orders; then the answer."""
        if len(body["messages"]) > 2:
            return verdicts(body)
        return json.dumps({"evaluations": {ORDERS["en"]: {"score": 1, "justification": "so"}}})

    judge = Gullible(parrot)
    status = evaluate(
        monkeypatch, material, judge, "--protocol", "presentation", "--protocol", "coverage"
    )
    assert judge.escapes == []
    assert status == 0
    assert judge.seen["reason"] == 2 * len(ATTACKS)


def test_a_broken_fence_is_noticed(material, monkeypatch):
    monkeypatch.setattr(fence, "_run", lambda signs: re.compile(r"(?!)"))
    fence._kept.cache_clear()
    judge = Gullible(verdicts)
    evaluate(monkeypatch, material, judge, "--protocol", "presentation")
    fence._kept.cache_clear()
    assert len(judge.escapes) >= 10
